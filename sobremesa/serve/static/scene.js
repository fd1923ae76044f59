// Draws scenes, marks what is new in one, and what can be pointed at.
const PARTS = /(?<=>)(?=<)/, ABOUT = / data-actions="[^"]*"/;
const SHAPE = /^<(g|path|circle|ellipse|rect|use)(?![^>]*(class=|opacity))/;

export class Scene {
  constructor(node) {
    this.node = node;
    this.parts = null;
    this.drawn = "";
  }

  // What was not in the last scene is marked, but for words, for what shines through and for what fills much of it.
  draw(svg) {
    if (svg === this.drawn) return;
    this.drawn = svg;
    const parts = svg.split(PARTS), before = this.parts;
    this.parts = new Set(parts.map(one => one.replace(ABOUT, "")));
    const seen = one => !before || before.has(one.replace(ABOUT, ""));
    const marked = parts.map(one => seen(one) ? one : one.replace(SHAPE, '<$1 class="new"')).join("");
    this.node.innerHTML = marked;
    const root = this.node.querySelector("svg");
    if (!root) return;
    const {width, height} = root.viewBox.baseVal;
    root.style.setProperty("--ratio", width / height);
    const whole = root.getBoundingClientRect();
    for (const one of root.querySelectorAll(".new")) {
      const box = one.getBoundingClientRect();
      if (one.closest("defs") || box.width * box.height > whole.width * whole.height / 12) one.classList.remove("new");
    }
  }

  // Marks what can be pointed at; returns whether anything can.
  mark(pointing) {
    let any = false;
    for (const one of this.node.querySelectorAll("[data-actions]")) {
      const count = pointing ? pointing.about(one).length : 0;
      one.classList.toggle("can", count > 0);
      if (pointing && pointing.narrows(one)) any = true;
    }
    return any;
  }

  // The innermost element under a click that is about some of the actions left; one that rules something out if any.
  aimed(target, pointing) {
    let found = null;
    for (let one = target.closest("[data-actions]"); one; one = one.parentElement?.closest("[data-actions]")) {
      if (pointing.narrows(one)) return one;
      if (!found && pointing.about(one).length) found = one;
    }
    return found;
  }
}
