// The socket to the table: it comes back by itself when it is lost, sooner when the page is looked at again.
const NARROW = 640;  // pixels of a window below which pictures are drawn for phones
const LONGEST = 8000;  // milliseconds between two tries

export class Wire {
  constructor(token, language, hear, lost) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.address = `${scheme}://${location.host}/wire/${token}?language=${language}&narrow=${innerWidth < NARROW ? 1 : 0}`;
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
      if (event.code !== 1008 && event.code !== 1013) this.lost(true);  // after those the reason stays on the page
      if (event.code !== 1008) this.again(this.wait);
    };
  }

  again(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), wait);
    this.wait = Math.min(2 * this.wait, LONGEST);
  }

  // Says whether it could be sent; nothing is kept for later, as the table may have gone on by then.
  send(wish) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(wish));
    return true;
  }
}
