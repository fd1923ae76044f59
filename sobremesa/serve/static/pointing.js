// Which actions are left, as somebody points at what they are about: each step keeps those that the element is about,
// `data-actions`, and from the second one on those of `data-then` too (envs/core/picture/pointing.py).
const numbers = text => (text || "").split(/\s+/).filter(Boolean).map(Number);

export class Pointing {
  constructor(actions) {
    this.all = new Set(actions);
    this.steps = [];  // the sets of actions that were left before each step
    this.left = this.all;
  }

  about(element) {
    const {actions, then} = element.dataset;
    const named = this.begun ? [...numbers(actions), ...numbers(then)] : numbers(actions);
    return named.filter(action => this.left.has(action));
  }

  // Whether pointing at the element would rule something out.
  narrows(element) {
    const count = this.about(element).length;
    return count > 0 && (count < this.left.size || this.left.size === 1);
  }

  point(element) {
    this.keep(this.about(element));
  }

  keep(actions) {
    this.steps.push(this.left);
    this.left = new Set(actions);
  }

  undo() {
    if (this.steps.length) this.left = this.steps.pop();
  }

  // The action that is left alone, or null.
  get choice() {
    return this.left.size === 1 ? [...this.left][0] : null;
  }

  get begun() {
    return this.steps.length > 0;
  }
}
