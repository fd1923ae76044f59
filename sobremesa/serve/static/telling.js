// A sentence in one's own words: typed, heard by the table, reworded or told.
export class Telling {
  constructor(node, words, ask, tell) {
    this.node = node;
    this.words = words;
    this.tell = tell;
    this.text = node.querySelector("textarea");
    this.heard = node.querySelector(".heard");
    this.offers = node.querySelector(".offers");
    node.addEventListener("submit", event => {
      event.preventDefault();
      if (this.text.value.trim()) ask(this.text.value);
    });
    this.text.addEventListener("input", () => this.forget());
    this.text.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      node.requestSubmit();
    });
  }

  // Shows the field for a sentence of up to `longest` characters; hides it for 0. A `fresh` decision clears it.
  show(longest, fresh) {
    this.node.hidden = !longest;
    if (longest) this.text.maxLength = longest;
    if (fresh) { this.text.value = ""; this.forget(); }
  }

  forget() {
    this.heard.textContent = "";
    this.offers.replaceChildren();
  }

  // Shows what the table hears, and a button for each move that the sentence can stand for ([action, name]).
  hear(text, heard, offers) {
    if (text !== this.text.value) return;  // it has been reworded since
    this.heard.textContent = offers.length ? heard : `${heard} ${this.words["no offer"]}`;
    this.offers.replaceChildren(...offers.map(([action, name]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${this.words["tell as"]}: ${name}`;
      button.onclick = () => this.tell(action, text);
      return button;
    }));
    this.offers.querySelector("button")?.focus({preventScroll: true});
  }
}
