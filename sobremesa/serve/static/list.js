// The list of actions as buttons under headings, with arrow keys and a search field.
import {spoken, write} from "../player/seats.js";

const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export class List {
  constructor(node, find, choose) {
    this.node = node;
    this.find = find;
    this.choose = choose;
    this.actions = [];
    find.addEventListener("input", () => this.filter());
    find.addEventListener("keydown", event => {
      const buttons = this.buttons();
      if (event.key === "ArrowDown" && buttons.length) { event.preventDefault(); this.enter(buttons[0]); }
      if (event.key === "Enter" && buttons.length === 1) buttons[0].click();
    });
    node.addEventListener("keydown", event => this.move(event));
  }

  buttons() {
    return [...this.node.querySelectorAll("button:not([hidden])")];
  }

  // Shows the `actions` ([action, heading, name]) that are in `left` and marks those in `hinted`; `names` are spoken.
  show(actions, left, hinted, names) {
    this.node.replaceChildren();
    let heading = null, group = null;
    for (const [action, head, name] of actions.filter(([action]) => left.has(action))) {
      if (head !== heading || !group) {
        group = document.createElement("div");
        group.className = "group";
        if (head) {
          const title = document.createElement("h3");
          title.textContent = head;
          group.append(title);
        }
        this.node.append(group);
        heading = head;
      }
      const button = document.createElement("button");
      write(button, name);
      button.tabIndex = -1;
      button.dataset.action = action;
      button.dataset.find = plain(spoken(`${head} ${name}`, names));
      button.setAttribute("aria-label", spoken(head ? `${head}: ${name}` : name, names));
      button.classList.toggle("hinted", hinted.has(action));
      button.onclick = () => this.choose(action);
      group.append(button);
    }
    this.filter();
  }

  // Scrolls the list, not the page, to the first hinted action.
  look() {
    const hinted = this.node.querySelector(".hinted");
    if (hinted) this.node.scrollTop += hinted.getBoundingClientRect().top - this.node.getBoundingClientRect().top - 40;
  }

  filter() {
    const wanted = plain(this.find.value).split(/\s+/).filter(Boolean);
    for (const button of this.node.querySelectorAll("button")) {
      button.hidden = !wanted.every(one => button.dataset.find.includes(one));
      button.tabIndex = -1;
    }
    for (const group of this.node.children) group.hidden = !group.querySelector("button:not([hidden])");
    const buttons = this.buttons();
    if (buttons.length) buttons[0].tabIndex = 0;
  }

  enter(button) {
    for (const one of this.buttons()) one.tabIndex = one === button ? 0 : -1;
    button.focus();
  }

  move(event) {
    const buttons = this.buttons(), at = buttons.indexOf(document.activeElement);
    if (at < 0) return;
    const steps = {ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1};
    if (!(event.key in steps)) return;
    event.preventDefault();
    if (steps[event.key] < 0) return this.find.focus();
    this.enter(buttons[Math.min(steps[event.key], buttons.length - 1)]);
  }
}
