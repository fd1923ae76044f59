// Shows frames one after the other, and the events of a frame one by one, at a speed that the person sets.
const MOST = 200;  // waiting pictures
const LINE = 50, LONGEST = 3;  // letters that are read in one pause, and pauses that a longer event stands

export class Queue {
  constructor(show, changed) {
    this.show = show;
    this.changed = changed;  // called when the number of waiting pictures changes
    this.pause = 0;  // milliseconds for which a short event stands alone
    this.waiting = [];
    this.last = null;  // added frame
    this.free = 0;  // time at which the next may follow
    document.addEventListener("visibilitychange", () => this.next());
  }

  add(frame) {
    this.waiting.push(...(this.pause ? this.parts(frame) : [frame]));
    if (this.waiting.length > MOST) this.waiting = this.waiting.slice(-MOST);
    this.last = frame;
    this.next();
  }

  // Returns the frame once for each new event: until the last one with the picture before, and without choices.
  parts(frame) {
    const {last} = this, news = last === null ? 0 : Math.max(0, Math.min(frame.count - last.count, frame.told.length));
    const part = left => ({...frame, told: frame.told.slice(0, frame.told.length - left), count: frame.count - left,
      scene: last.scene, text: last.text, tale: last.tale, asked: last.asked, passing: true, mine: false, actions: [], over: null, wish: null,
      guide: null});
    return [...Array.from({length: Math.max(0, news - 1)}, (_, at) => part(news - 1 - at)), frame];
  }

  next() {
    clearTimeout(this.timer);
    if (document.hidden) return;  // what happens meanwhile waits for the person
    if (!this.pause) this.waiting = this.waiting.slice(-1);
    const wait = this.free - performance.now();
    if (this.waiting.length && wait > 0) this.timer = setTimeout(() => this.next(), wait);
    else if (this.waiting.length) {
      const frame = this.waiting.shift();
      this.show(frame);
      this.free = performance.now() + this.pause * Math.min(LONGEST, Math.max(1, (frame.told.at(-1) ?? "").length / LINE));
      this.timer = setTimeout(() => this.next());
    }
    this.changed(this.waiting.length);
  }

  // Shows the latest state at once.
  skip() {
    this.waiting = this.waiting.slice(-1);
    this.free = 0;
    this.next();
  }

  set(pause) {
    this.pause = pause;
    this.free = 0;
    this.next();
  }
}
