// pieces: what scenes are made of; sights: for each viewer the frames, as runs of (first piece, how many), and captions.
// A caption says what follows its frame, the last one how the deal ended: what has just happened is the one before.
const by = id => document.getElementById(id);
const SIGNS = "⓪①②③④⑤", PAST = 30;
let {frames, captions, plies} = sights[0], at = 0, timer = null;

const piecesOf = frame => frame.flatMap(([from, count]) => Array.from({length: count}, (_, k) => from + k));

// What was not in the last scene is marked, but for words, for what shines through and for what fills much of the scene.
function draw() {
  const before = new Set(at > 0 ? piecesOf(frames[at - 1]) : piecesOf(frames[at]));
  const shape = /^<(g|path|circle|ellipse|rect|use)(?![^>]*(class=|opacity))/;
  by("scene").innerHTML = piecesOf(frames[at])
    .map(one => before.has(one) ? pieces[one] : pieces[one].replace(shape, '<$1 class="new"')).join("");
  const svg = by("scene").querySelector("svg"), {width, height} = svg.viewBox.baseVal;
  svg.style.setProperty("--ratio", width / height);
  by("film").classList.toggle("tall", width / height < 1.2);
  const whole = svg.getBoundingClientRect();
  for (const one of svg.querySelectorAll(".new")) {
    const box = one.getBoundingClientRect();
    if (one.closest("defs") || box.width * box.height > whole.width * whole.height / 12) one.classList.remove("new");
  }
}

// Fonts lack some signs of seats: each is drawn.
function write(node, text) {
  node.replaceChildren(...text.split(/([⓪①②③④⑤])/).map(part => {
    const seat = part ? SIGNS.indexOf(part) : -1;
    if (seat < 0) return part;
    const sign = document.createElement("span");
    sign.className = `seat s${seat}`;
    sign.textContent = seat;
    return sign;
  }));
}

function show(to) {
  at = Math.max(0, Math.min(frames.length - 1, to));
  draw();
  const told = captions.slice(0, at);
  if (at === frames.length - 1) told.push(captions[at]);
  write(by("caption"), told.at(-1) ?? "");
  by("past").replaceChildren(...told.slice(0, -1).reverse().slice(0, PAST).map(one => {
    const line = document.createElement("li");
    write(line, one);
    return line;
  }));
  by("at").value = at;
  by("count").textContent = (at + 1) + " / " + frames.length;
  if (at === frames.length - 1) stop();
}

function look(sight) {
  const ply = plies[at];
  ({frames, captions, plies} = sight);
  by("at").max = frames.length - 1;
  show(plies.filter(one => one <= ply).length - 1);
}

function stop() {
  clearInterval(timer);
  timer = null;
  by("play").textContent = by("play").dataset.still;
}

function play() {
  if (timer) return stop();
  if (at === frames.length - 1) show(0);
  by("play").textContent = by("play").dataset.moving;
  timer = setInterval(() => show(at + 1), 900);
}

const plain = text => text.replace(/[⓪①②③④⑤]/g, sign => SIGNS.indexOf(sign));
document.title = plain(document.title);
write(by("title"), by("title").textContent);
by("play").onclick = play;
by("back").onclick = () => show(at - 1);
by("on").onclick = () => show(at + 1);
by("at").oninput = event => show(+event.target.value);
by("scene").onclick = () => by("scene").classList.toggle("near");
if (by("eyes")) {
  for (const name of by("eyes").options) name.textContent = plain(name.textContent);
  by("eyes").onchange = event => look(sights[event.target.selectedIndex]);
}
document.onkeydown = event => {
  if (event.target.matches("input, select")) return;
  if (event.key === "ArrowLeft") show(at - 1);
  if (event.key === "ArrowRight") show(at + 1);
  if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); play() }
};
show(0);
