// Chat and emotes; the browser remembers whether the person has switched them off.
import {keep, kept} from "./memory.js";
import {badge} from "../player/seats.js";

export class Chat {
  constructor(node, send) {
    this.node = node;
    this.list = node.querySelector("ol");
    this.sent = null;  // a line that stays in the field until it is shown
    const on = node.querySelector("input[type=checkbox]"), form = node.querySelector("form");
    on.checked = kept("sobremesa.chat", "yes") === "yes";
    on.onchange = () => { keep("sobremesa.chat", on.checked ? "yes" : "no"); this.turn(on.checked); };
    this.turn(on.checked);
    if (!form) return;  // onlookers only read
    this.text = form.querySelector("input");
    form.onsubmit = event => {
      event.preventDefault();
      if (this.text.value.trim() && this.sent === null && send(this.text.value)) this.sent = this.text.value;
    };
    for (const one of node.querySelectorAll(".emotes button")) one.onclick = () => send(one.textContent);
  }

  turn(on) {
    this.node.classList.toggle("off", !on);
  }

  // Keeps the line in the field: it was refused or lost.
  keep() {
    this.sent = null;
  }

  // Shows the latest lines ([seat, text]) of the players with these `names`; `mine` is the seat of the person.
  show(lines, names, mine) {
    const own = lines.filter(([seat]) => seat === mine).at(-1)?.[1];
    if (this.sent !== null && own === this.sent.trim().replace(/\s+/g, " ")) {
      if (this.text.value === this.sent) this.text.value = "";
      this.sent = null;
    }
    this.list.replaceChildren(...lines.map(([seat, text]) => {
      const line = document.createElement("li");
      line.append(badge(seat, names[seat]), ` ${text}`);
      return line;
    }));
    this.list.scrollTop = this.list.scrollHeight;
  }
}
