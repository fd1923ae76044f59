// Ignores input that was meant for an earlier state of the page: it began before the choices changed or right after,
// or it is a further click of a double click or the repeat of a held key. Controls that make no move always answer.
const CALM = 400;  // milliseconds after a change
const NEAR = 24;  // pixels between the clicks of a double click
const TYPED = "input, select, textarea";
const FREE = `${TYPED}, label, .free, summary`;

export class Calm {
  constructor(node) {
    this.node = node;
    this.changed = -CALM;  // times are in milliseconds, as those of events
    this.pointer = this.key = null;  // time at which each went down
    this.last = {timeStamp: -CALM, clientX: 0, clientY: 0};  // click
    const watch = (name, heard) => node.addEventListener(name, heard, true);
    watch("pointerdown", event => { this.pointer = event.timeStamp; });
    watch("keydown", event => this.press(event));
    watch("keyup", () => setTimeout(() => { this.key = null; }));  // after the click of a space
    watch("click", event => this.click(event));
    node.dataset.ready = "yes";
  }

  // Starts the time in which input is ignored.
  change() {
    this.changed = performance.now();
    this.node.dataset.ready = "no";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.node.dataset.ready = "yes"; }, CALM);
  }

  press(event) {
    if (event.key !== "Enter" && (event.key !== " " || event.target.matches(TYPED))) return;
    if (event.repeat || (event.timeStamp < this.changed + CALM && !event.target.closest(FREE))) return stop(event);
    this.key = event.timeStamp;
  }

  // A click without pointer and key comes from assistive technology.
  click(event) {
    if (event.target.closest(FREE)) return;
    const began = (event.detail ? this.pointer : this.key) ?? event.timeStamp, {last} = this;
    const again = event.detail > 1 || (event.detail && event.timeStamp < last.timeStamp + CALM
      && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < NEAR);
    if (event.detail) [this.last, this.pointer] = [event, null];
    if (again || began < this.changed + CALM) stop(event);
  }
}

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}
