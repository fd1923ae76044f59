// A sentence in one's own words: heard by the table while it is written, with its verdict, and told with one tap.
const PAUSE = 350;  // milliseconds without a key before the table listens

export class Telling {
  // `ask(text)` sends a sentence to be heard, `tell(action, text)` tells it, `mark(actions)` marks what it can mean.
  constructor(node, words, ask, tell, mark) {
    this.node = node;
    this.words = words;
    this.tell = tell;
    this.mark = mark;
    this.text = node.querySelector("textarea");
    this.main = node.querySelector("button");
    this.heard = node.querySelector(".heard");
    this.verdict = node.querySelector(".verdict");
    this.offers = node.querySelector(".offers");
    this.cards = node.querySelector(".cards");
    const listen = () => this.text.value.trim() && ask(this.text.value);
    node.addEventListener("submit", event => {
      event.preventDefault();
      if (this.first) this.tell(this.first[0], this.text.value);
      else listen();
    });
    this.text.addEventListener("input", () => {
      this.forget();
      this.timer = setTimeout(listen, PAUSE);
    });
    this.text.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      node.requestSubmit();
    });
  }

  // Shows the field for a sentence of up to `longest` characters and the cards in hand ([action, name]); hides it for 0.
  // A `fresh` decision clears it.
  show(longest, cards, fresh) {
    this.node.hidden = !longest;
    if (longest) this.text.maxLength = longest;
    if (!fresh) return;
    this.text.value = "";
    this.cards.replaceChildren(...cards.map(([action, name]) => {
      const card = document.createElement("li");
      [card.textContent, card.dataset.action] = [name, action];
      return card;
    }));
    this.forget();
  }

  // Lights up the cards in hand that a sentence can lay down.
  light(actions) {
    for (const card of this.cards.children) card.classList.toggle("lit", actions.includes(Number(card.dataset.action)));
    this.mark(actions);
  }

  forget() {
    clearTimeout(this.timer);
    this.first = null;
    this.main.textContent = this.words["tell it"];
    this.heard.textContent = this.verdict.textContent = "";
    this.verdict.className = "verdict";
    this.offers.replaceChildren();
    this.light([]);
  }

  // Shows what the table hears, whether that stands, and what it can mean: the likeliest on the main button.
  hear({text, heard, verdict, stands, offers}) {
    if (text !== this.text.value) return;  // it has been reworded since
    this.forget();
    [this.first, ...offers] = offers;
    if (this.first) this.main.textContent += ` (${this.first[1]})`;
    this.heard.textContent = heard;
    this.verdict.textContent = verdict;
    this.verdict.classList.add(stands ? "stands" : "fails");
    this.offers.replaceChildren(...offers.map(([action, name]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.onclick = () => this.tell(action, text);
      return button;
    }));
    this.light([this.first ?? [], ...offers].map(([action]) => action));
  }
}
