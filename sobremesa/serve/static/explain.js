// Explains cards, pieces and moves: the short rules of each name in a label, shown for the pointer, the focus or a tap.
const LABEL = 160;  // letters; longer texts are no labels
const plain = text => text.toLowerCase();

export class Explain {
  constructor(table, node, ask, terms, words) {
    this.table = table;
    this.node = node;
    this.ask = ask;
    this.words = words;
    this.question = "";  // explains moves without a line in the rules
    this.terms = Object.entries(terms).sort(([one], [other]) => other.length - one.length);
    table.addEventListener("pointerover", event => event.pointerType === "mouse" && this.look(event.target));
    table.addEventListener("focusin", event => event.target.matches(":focus-visible") && this.look(event.target));
    table.addEventListener("click", event => this.tap(event), true);
    table.addEventListener("pointerout", event => event.pointerType === "mouse" && !this.part(event.relatedTarget) && this.clear());
    ask.onclick = () => this.turn(ask.getAttribute("aria-pressed") !== "true");
  }

  turn(on) {
    this.ask.setAttribute("aria-pressed", on);
    this.table.classList.toggle("asking", on);
    this.clear();
  }

  // Removes the explanation of a thing that has been left.
  clear() {
    this.write(this.table.classList.contains("asking") ? this.words["ask note"] : "");
  }

  // Writes an explanation; beside the board it grows upwards, and where the panel ends there, downwards (look.css).
  write(text) {
    const {node} = this;
    node.textContent = text;
    node.style.bottom = "";
    if (getComputedStyle(node).position !== "absolute") return;
    const over = node.closest(".panel").getBoundingClientRect().top - node.getBoundingClientRect().top;
    if (over > 0) node.style.bottom = `${-over}px`;
  }

  // Shows the explanation of the thing that is pointed at or has the focus.
  look(element) {
    if (this.part(element) && !this.show(element)) this.clear();
  }

  // While the question mark is pressed, a tap explains a thing and does nothing else.
  tap(event) {
    const asking = this.ask.getAttribute("aria-pressed") === "true", thing = event.target.closest("svg *, #list button, .point");
    if (thing && asking) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!this.show(thing)) this.write(this.words["ask none"]);
    } else if (!asking && !(thing && !thing.closest(".can") && this.show(thing))) this.clear();
  }

  // Returns the explanations of the names in a label, the longest names first; names with one explanation share it.
  of(label) {
    let left = plain(label);
    const found = new Map();
    for (const [name, text] of this.terms) {
      const at = left.indexOf(plain(name));
      if (at < 0 || /\p{L}/u.test(left[at - 1] ?? "") || /\p{L}/u.test(left[at + name.length] ?? "")) continue;
      left = left.replace(plain(name), "\n");
      found.set(text, [...found.get(text) ?? [], name]);
    }
    return [...found].map(([text, names]) => `${names.join(", ")}: ${text}`).join(" · ");
  }

  // Whether the element belongs to the board or to the list of moves.
  part(element) {
    return Boolean(element?.closest?.("#scene svg, #list"));
  }

  // Shows the explanation of the thing around an element; returns whether there is one.
  show(element) {
    if (!this.part(element)) return false;
    for (let one = element; one && one.id !== "scene"; one = one.parentElement) {
      const own = one.matches("text, tspan, button") ? one.textContent : "";  // a group may hold the texts of many things
      const label = one.getAttribute("aria-label") ?? one.querySelector(":scope > title")?.textContent ?? own;
      if (label.length > LABEL) break;
      const text = this.of(label);
      if (text) this.write(text);
      if (text) return true;
    }
    const move = element.closest(".point, #list button");
    if (move && this.question) this.write(`${move.getAttribute("aria-label") ?? move.textContent}: ${this.question}.`);
    return Boolean(move && this.question);
  }
}
