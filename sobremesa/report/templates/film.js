// pieces: parts of scenes. sights: for each viewer the frames, as runs of (first piece, length), and the captions.
// A caption describes the ply after its frame, and the last caption the result.
const by = id => document.getElementById(id);
const PAST = 30;
const scene = new Scene(by("scene"));
let {frames, captions, plies} = sights[0], at = 0, timer = null;

const drawn = number => frames[number].flatMap(([from, count]) => pieces.slice(from, from + count)).join("");

function show(to) {
  at = Math.max(0, Math.min(frames.length - 1, to));
  scene.draw(drawn(at), at > 0 ? drawn(at - 1) : "");
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

const plain = text => spoken(text, []);
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
if (by("up")) by("up").href = location.pathname.replace(/\/[^/]*$/, "") + location.search;
onhashchange = () => show(parseInt(location.hash.slice(1)) || 0);
document.onvisibilitychange = () => document.hidden && stop();
document.onkeydown = event => {
  if (event.target.matches("input, select")) return;
  if (event.key === "ArrowLeft") show(at - 1);
  if (event.key === "ArrowRight") show(at + 1);
  if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); play() }
};
onhashchange();
if (location.hash === "#play" && !matchMedia("(prefers-reduced-motion: reduce)").matches) play();
