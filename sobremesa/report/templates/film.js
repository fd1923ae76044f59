// pieces: what scenes are made of; sights: for each viewer the frames, as runs of (first piece, how many), and captions
const by = id => document.getElementById(id);
let {frames, captions, plies} = sights[0], at = 0, timer = null;

function show(to) {
  at = Math.max(0, Math.min(frames.length - 1, to));
  by("scene").innerHTML = frames[at].map(([from, count]) => pieces.slice(from, from + count).join("")).join("");
  by("caption").textContent = captions[at];
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
  timer = setInterval(() => show(at + 1), 700);
}

by("play").onclick = play;
by("back").onclick = () => show(at - 1);
by("on").onclick = () => show(at + 1);
by("at").oninput = event => show(+event.target.value);
if (by("eyes")) by("eyes").onchange = event => look(sights[event.target.selectedIndex]);
document.onkeydown = event => {
  if (event.target.matches("input, select")) return;
  if (event.key === "ArrowLeft") show(at - 1);
  if (event.key === "ArrowRight") show(at + 1);
  if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); play() }
};
show(0);
