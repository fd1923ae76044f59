// Draws scenes, highlights new elements and clickable ones. The browser table and films share it: the page of a film
// includes it without imports and exports.
const FAR = 4, MOVE = 420;  // smallest distance in pixels that is animated, and its time in milliseconds
const FRESH = 1600;  // milliseconds for which new elements are highlighted
const STILL = matchMedia("(prefers-reduced-motion: reduce)").matches;
const PARTS = /(?<=>)(?=<)/;
const SHAPE = /^<(g|path|circle|ellipse|rect|use)(?![^>]*(class=|opacity))/;

export class Scene {
  constructor(node) {
    this.node = node;
    this.parts = null;
    this.drawn = "";
    this.moves = false;  // no animation for the first scene
  }

  // Draws a scene and highlights elements that are not in `last` (by default the scene drawn before), except text,
  // translucent elements and very large ones.
  draw(svg, last = null) {
    if (svg === this.drawn) return;
    this.drawn = svg;
    const parts = svg.split(PARTS), before = last === null ? this.parts : last && new Set(last.split(PARTS));
    const stood = this.stand();
    this.parts = new Set(parts);
    const seen = one => !before || before.has(one);
    this.node.innerHTML = parts.map(one => seen(one) ? one : one.replace(SHAPE, '<$1 class="new"')).join("");
    const root = this.node.querySelector("svg");
    if (!root) return;
    const {width, height} = root.viewBox.baseVal;
    root.style.setProperty("--ratio", width / height);
    if (this.moves && !STILL) this.move(stood);
    this.moves = true;
    const whole = root.getBoundingClientRect();
    for (const one of root.querySelectorAll(".new")) {
      const box = one.getBoundingClientRect();
      if (one.closest("defs, .points") || box.width * box.height > whole.width * whole.height / 12) one.classList.remove("new");
    }
    setTimeout(() => root.querySelectorAll(".new").forEach(one => one.classList.remove("new")), FRESH);
  }

  // Returns the screen centre of each piece, with its name (envs/core/picture/pieces.py).
  stand() {
    const middles = new Map();
    for (const one of this.node.querySelectorAll("[data-piece]")) {
      const {x, y, width, height} = one.getBoundingClientRect();
      middles.set(one, [one.dataset.piece, x + width / 2, y + height / 2]);
    }
    return middles;
  }

  // Animates pieces from the centres in `stood`.
  move(stood) {
    const before = new Map([...stood.values()].map(([name, x, y]) => [name, [x, y]]));
    for (const [one, [name, x, y]] of this.stand()) {
      const [across, down] = before.has(name) ? [before.get(name)[0] - x, before.get(name)[1] - y] : [0, 0];
      if (Math.hypot(across, down) < FAR) continue;
      const {a, b, c, d} = one.getScreenCTM(), size = a * d - b * c;
      const from = `translate(${(d * across - c * down) / size}px, ${(a * down - b * across) / size}px)`;
      one.animate([{transform: from}, {transform: "translate(0px, 0px)"}], {duration: MOVE, easing: "ease-in-out", composite: "add"});
    }
  }

  // Highlights the elements whose click would rule actions out, the clicked ones, and those of `hints`; hides the rest
  // of the layer. Returns whether any element can be clicked.
  mark(pointing, hints = new Set()) {
    let any = false;
    for (const one of this.node.querySelectorAll(".point")) {
      const can = Boolean(pointing) && pointing.narrows(one);
      const chosen = Boolean(pointing) && pointing.begun && pointing.about(one).length === pointing.left.size;
      one.classList.toggle("can", can);
      one.classList.toggle("chosen", chosen);
      one.classList.toggle("hinted", can && pointing.about(one).some(action => hints.has(action)));
      one.setAttribute("visibility", can || chosen ? "visible" : "hidden");
      any = any || can;
    }
    return any;
  }

  // Returns the topmost clickable element under a click, or at the focus for a key.
  aimed(event) {
    const there = event.clientX === undefined ? [event.target] : document.elementsFromPoint(event.clientX, event.clientY);
    return there.map(one => one.closest(".point.can")).find(one => one && this.node.contains(one));
  }
}
