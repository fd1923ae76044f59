// The WebSocket of the table; it reconnects after a loss, at once when the page becomes visible.
export const NARROW = 640;  // window width in pixels below which pictures are for phones
const LONGEST = 8000;  // milliseconds between two attempts

export class Wire {
  constructor(token, language, narrow, hear, lost) {
    const there = new URL(`../wire/${token}`, location);
    there.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.address = `${there.href}?language=${language}&narrow=${narrow || innerWidth < NARROW ? 1 : 0}`;
    this.hear = hear;
    this.lost = lost;
    this.wait = 250;
    this.open();
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.socket.readyState === WebSocket.CLOSED) this.again(0);
    });
  }

  open() {
    this.socket = new WebSocket(this.address);
    this.socket.onopen = () => { this.wait = 250; this.lost(false); };
    this.socket.onmessage = event => this.hear(JSON.parse(event.data));
    this.socket.onclose = event => {
      if (event.code !== 1008 && event.code !== 1013) this.lost(true);  // the page keeps showing the reason
      if (event.code !== 1008) this.again(this.wait);
    };
  }

  again(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), wait);
    this.wait = Math.min(2 * this.wait, LONGEST);
  }

  // Returns whether the request was sent; requests are not queued, since the table may change meanwhile.
  send(request) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }
}
