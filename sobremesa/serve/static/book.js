// The book: the tale in sentences, a paragraph for each turn, with what is new marked.
import {badge} from "../player/seats.js";

export class Book {
  constructor(node) {
    this.node = node;
    this.shown = null;
  }

  // Shows the `turns` ([seat, text]) of the players with these `names`.
  show(turns, names) {
    const whole = turns.map(([, text]) => text).join("\n"), before = this.shown;
    if (whole === before) return;
    this.shown = whole;
    let known = before !== null && whole.startsWith(before) ? before.length : whole.length;  // letters
    this.node.replaceChildren(...turns.map(([seat, text]) => {
      const turn = document.createElement("li"), fresh = document.createElement("mark"), old = Math.max(0, known);
      fresh.textContent = text.slice(old);
      turn.append(badge(seat, names[seat]), " ", text.slice(0, old), fresh);
      known -= text.length + 1;
      return turn;
    }));
    this.node.scrollTop = this.node.scrollHeight;
  }
}
