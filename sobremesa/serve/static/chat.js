// Chat and emotes; the browser remembers whether the person has switched them off.
import {keep, kept} from "./memory.js";
import {badge} from "../player/seats.js";

export class Chat {
  constructor(node, send) {
    this.node = node;
    this.list = node.querySelector("ol");
    const on = node.querySelector("input[type=checkbox]"), form = node.querySelector("form");
    on.checked = kept("sobremesa.chat", "yes") === "yes";
    on.onchange = () => { keep("sobremesa.chat", on.checked ? "yes" : "no"); this.turn(on.checked); };
    this.turn(on.checked);
    if (!form) return;  // onlookers only read
    const text = form.querySelector("input");
    form.onsubmit = event => {
      event.preventDefault();
      if (text.value.trim() && send(text.value)) text.value = "";
    };
    for (const one of node.querySelectorAll(".emotes button")) one.onclick = () => send(one.textContent);
  }

  turn(on) {
    this.node.classList.toggle("off", !on);
  }

  // Shows the latest lines ([seat, text]) of the players with these `names`.
  show(lines, names) {
    this.list.replaceChildren(...lines.map(([seat, text]) => {
      const line = document.createElement("li");
      line.append(badge(seat, names[seat]), ` ${text}`);
      return line;
    }));
    this.list.scrollTop = this.list.scrollHeight;
  }
}
