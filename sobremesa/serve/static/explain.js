// Explains cards, pieces and moves: the short rules of each name in a label, shown for the pointer, the focus or a tap.
const LABEL = 80;  // letters; longer texts are no labels
const plain = text => text.toLowerCase();

export class Explain {
  constructor(table, node, ask, terms, words) {
    this.table = table;
    this.node = node;
    this.ask = ask;
    this.words = words;
    this.question = "";  // explains moves without a line in the rules
    this.terms = Object.entries(terms).sort(([one], [other]) => other.length - one.length);
    const show = event => this.show(event.target);
    table.addEventListener("pointerover", event => event.pointerType === "mouse" && show(event));
    table.addEventListener("focusin", show);
    table.addEventListener("click", event => this.tap(event), true);
    ask.onclick = () => this.turn(ask.getAttribute("aria-pressed") !== "true");
  }

  turn(on) {
    this.ask.setAttribute("aria-pressed", on);
    this.table.classList.toggle("asking", on);
    this.node.textContent = on ? this.words["ask note"] : "";
  }

  // While the question mark is pressed, a tap explains a thing and does nothing else.
  tap(event) {
    const asking = this.ask.getAttribute("aria-pressed") === "true", thing = event.target.closest("svg *, #list button, .point");
    if (thing && asking) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!this.show(thing)) this.node.textContent = this.words["ask none"];
    } else if (thing && !thing.closest(".can")) this.show(thing);
  }

  // Returns the explanations of the names in a label, the longest names first.
  of(label) {
    let left = plain(label);
    const found = [];
    for (const [name, text] of this.terms) {
      const at = left.indexOf(plain(name));
      if (at < 0 || /\p{L}/u.test(left[at - 1] ?? "") || /\p{L}/u.test(left[at + name.length] ?? "")) continue;
      left = left.replace(plain(name), "\n");
      found.push(`${name}: ${text}`);
    }
    return found.join(" · ");
  }

  // Shows the explanation of the thing around an element; returns whether there is one.
  show(element) {
    if (!element.closest("#scene svg, #list")) return false;
    for (let one = element; one && one.id !== "scene"; one = one.parentElement) {
      const label = one.getAttribute("aria-label") ?? one.querySelector(":scope > title")?.textContent ?? one.textContent;
      if (label.length > LABEL) return false;
      const text = this.of(label);
      if (text) this.node.textContent = text;
      if (text) return true;
    }
    const move = element.closest(".point, #list button");
    if (move && this.question) this.node.textContent = `${move.getAttribute("aria-label") ?? move.textContent}: ${this.question}.`;
    return Boolean(move && this.question);
  }
}
