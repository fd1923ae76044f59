// Narrows the actions by pointing: each step keeps those in the element's `data-actions`, and from the second step on
// also those in `data-then` (envs/core/picture/pointing.py).
const numbers = text => (text || "").split(/\s+/).filter(Boolean).map(Number);

export class Pointing {
  constructor(actions) {
    this.all = new Set(actions);
    this.steps = [];  // the remaining actions before each step
    this.left = this.all;
  }

  about(element) {
    const {actions, then} = element.dataset;
    const named = this.begun ? [...numbers(actions), ...numbers(then)] : numbers(actions);
    return named.filter(action => this.left.has(action));
  }

  // Returns whether pointing at the element excludes an action.
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

  // The only remaining action, or null.
  get choice() {
    return this.left.size === 1 ? [...this.left][0] : null;
  }

  get begun() {
    return this.steps.length > 0;
  }
}
