// The book: the tale in sentences, a paragraph for each turn, with what is new marked.
import {badge} from "../player/seats.js";

export class Book {
  constructor(node) {
    this.node = node;
    this.shown = null;  // texts of turns, by their number in the tale
  }

  // Shows the `turns` ([seat, text]) of the players with these `names`, after the `earlier` ones.
  show(turns, earlier, names) {
    const before = this.shown, shown = new Map(turns.map(([, text], place) => [earlier + place, text]));
    if (before?.size === shown.size && [...shown].every(([number, text]) => before.get(number) === text)) return;
    this.shown = shown;
    const latest = before === null ? Infinity : Math.max(-1, ...before.keys());
    this.node.replaceChildren(...turns.map(([seat, text], place) => {
      const turn = document.createElement("li"), fresh = document.createElement("mark"), number = earlier + place;
      const known = before?.get(number) ?? "";
      const old = number > latest ? 0 : text.startsWith(known) && known ? known.length : text.length;  // letters
      fresh.textContent = text.slice(old);
      turn.append(badge(seat, names[seat]), " ", text.slice(0, old), fresh);
      return turn;
    }));
    this.node.scrollTop = this.node.scrollHeight;
  }
}
