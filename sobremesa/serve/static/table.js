// The page of a table: shows frames and sends the chosen moves.
import {Book} from "./book.js";
import {Calm} from "./calm.js";
import {Chat} from "./chat.js";
import {Explain} from "./explain.js";
import {Invitations} from "./invite.js";
import {Lessons} from "./lessons.js";
import {List} from "./list.js";
import {keep, kept, remember} from "./memory.js";
import {markSeats, nameSeats} from "./names.js";
import {showOver} from "./over.js";
import {Call, setPace} from "./pace.js";
import {Pointing} from "./pointing.js";
import {Queue} from "./queue.js";
import {Telling} from "./telling.js";
import {NARROW, Wire} from "./wire.js";
import {SIGNS, badge, spoken, write} from "../player/seats.js";
import {Scene} from "../player/scene.js";

const FEW = 12;  // moves up to which the search field is hidden
const SHEET = 860;  // window width in pixels up to which the chosen move stands at the bottom (look.css)
const by = id => document.getElementById(id);
const words = JSON.parse(by("words").textContent);
const {token, language} = by("table").dataset;
const place = location.pathname;

let frame = null, pointing = null, sent = -1, told = null, ended = false;
let hints = new Set(), chosenIn = "";

const scene = new Scene(by("scene"));
const list = new List(by("list"), by("find"), play);
const explain = new Explain(by("table"), by("explain"), by("ask"), JSON.parse(by("terms").textContent), words);
const invitations = new Invitations(by("waiting"), by("links"), words);
const lessons = by("guide") && new Lessons(by("guide"), words, by("scene"), by("over"));
const calm = new Calm(by("table"));
const call = new Call(words, by("sound"));
const queue = new Queue(show, waiting => { by("skip").hidden = !waiting; });
setPace(queue, by("speed"), by("sound"), by("skip"));
const book = by("tale") && new Book(by("tale"));
const telling = by("telling") && new Telling(by("telling"), words, text => wire.send({do: "hear", moment: frame.moment, text}), tellAs, mark);
const chat = new Chat(by("chat"), text => wire.send({do: "chat", text}));
const wire = new Wire(token, language, Boolean(book), hear, lost);

function hear(message) {
  if (message.what === "frame") {
    call.heed(message);
    remember(place, message);
    return queue.add(message);
  }
  if (message.what === "hint") return showHints(message);
  if (message.what === "heard") return message.moment === frame?.moment && telling.hear(message);
  if (message.what === "chat") return chat.show(message.lines, frame?.seats.map(one => one.called) ?? [], frame?.seat);
  chat.keep();
  sent = -1;
  by("refusal").textContent = message.why;
  by("hint").disabled = false;
  if (frame) choose();
}

function lost(is) {
  by("refusal").textContent = is ? words.lost : "";
  chat.keep();
  by("table").classList.toggle("lost", is);
  if (!is) sent = -1;
}

function show(next) {
  const names = next.seats.map(one => one.name), fresh = !frame || next.moment !== frame.moment || next.mine !== frame.mine;
  if (fresh || Boolean(next.over) !== Boolean(frame.over) || next.wish?.number !== frame.wish?.number) calm.change();
  frame = next;
  explain.question = frame.asks ?? "";
  if (fresh) { explain.clear(); by("panel").scrollTop = 0; }
  if (fresh) { pointing = frame.mine ? new Pointing(frame.actions.map(([action]) => action)) : null; hints = new Set(); by("hints").replaceChildren(); by("find").value = ""; }
  telling?.show(frame.mine ? frame.words ?? 0 : 0, frame.cards ?? [], fresh);
  by("listed").open = !frame.words || kept("sobremesa.list", "no") === "yes";
  by("listed").classList.toggle("fold", Boolean(frame.words));
  book?.show(frame.tale ?? [], frame.earlier ?? 0, called());
  by("chat").hidden = !frame.chat;
  scene.draw(frame.scene);
  nameSeats(by("scene"), called());
  by("text").textContent = frame.text;
  by("words-of-table").hidden = !frame.text;
  by("table").classList.toggle("blind", !frame.scene);
  seats(names);
  tell(called());
  asked(called());
  invite(names);
  by("unsaved").hidden = !frame.unsaved;
  by("tools").hidden = frame.seat < 0 || Boolean(frame.over);
  by("hint").hidden = !frame.mine;
  by("rename").hidden = frame.seat < 0 || Boolean(frame.over);
  over(names);
  choose();
  if (frame.guide !== null) lessons?.show(frame.guide, Boolean(frame.over));  // null on the way to the next decision
  by("table").dataset.shown = `${frame.moment} ${frame.count}${frame.over ? " over" : ""}`;
}

// Names for sentences in the third person and for the board, never “you”.
function called() {
  return frame.seats.map(one => one.called);
}

function seats(names) {
  by("seats").replaceChildren(...frame.seats.map((one, seat) => {
    const line = document.createElement("li");
    line.append(badge(seat), ` ${one.role ? `${one.role}: ` : ""}${one.name}${one.you && one.name !== words.you ? ` (${words.you})` : ""}`);
    line.classList.toggle("asked", frame.asked === seat);
    if (frame.asked === seat) line.setAttribute("aria-current", "true");
    return line;
  }));
}

function tell(names) {
  const lines = frame.told.map(text => {
    const line = document.createElement("li");
    write(line, text);
    return line;
  });
  const since = told === null ? 1 : Math.max(0, Math.min(frame.count - told, lines.length));
  lines.slice(lines.length - since).forEach(line => line.classList.add("latest"));
  by("told").replaceChildren(...lines.reverse());
  const news = told === null ? [] : frame.told.slice(frame.told.length - since);
  write(by("event"), frame.told.at(-1) ?? "");
  markSeats(news.at(-1) ?? "", SIGNS, [...by("seats").children], by("scene"));
  const end = frame.over ? [words.over, frame.over.outcome, frame.over.names ? frame.over.result : ""] : frame.mine ? [question()] : [];
  const say = [...news, ...end].map(text => spoken(text, names)).join(" ");
  if (say !== by("say").textContent) by("say").textContent = say;
  told = frame.count;
}

// What the person decides now.
function question() {
  return frame.asks ? `${words["your turn"]}: ${frame.asks}${frame.asks.endsWith("?") ? "" : "."}` : words["your turn"];
}

function asked(names) {
  const who = frame.asked === null ? words["wait all"] : words.wait.replace("{}", names[frame.asked]);
  write(by("status"), frame.passing ? words.passing : frame.over ? `${words.over} ${frame.over.outcome}` : frame.mine ? question() : frame.seat < 0 && frame.asked === null ? "" : who);
  by("status").classList.toggle("mine", frame.mine);
  const {wish} = frame;
  by("wish").hidden = !wish;
  if (wish) by("wishes").textContent = words.wishes.replace("{}", names[wish.seat]) + (wish.agreed ? ` ${words["asked others"]}` : "");
  by("agree").hidden = Boolean(wish?.agreed);
  if (frame.trouble) {
    by("refusal").textContent = `${words.trouble} `;
    const again = document.createElement("button");
    again.textContent = words.retry;
    again.onclick = () => wire.send({do: "retry"});
    by("refusal").append(again);
  }
}

function invite(names) {
  by("invite").hidden = by("waiting").hidden = !frame.links.length || Boolean(frame.over);
  invitations.show(frame.links, names);
}

function over(names) {
  by("over").hidden = !frame.over;
  if (!frame.over) return;
  by("looks-on")?.remove();
  const before = by("over").dataset.next;
  if (ended && before === frame.over.next) return;
  ended = true;
  by("over").dataset.next = frame.over.next;
  showOver(by("over"), frame, words, place, language, names);
}

function choose() {
  offer();
  focus();
}

// Shows the remaining moves on the board and in the list.
function offer() {
  const mine = frame.mine && pointing && sent !== frame.moment;
  const canNarrow = scene.mark(mine ? pointing : null, hints);
  by("moves").hidden = !mine;
  by("choice").hidden = !(mine && pointing.begun);
  by("table").dataset.narrows = canNarrow ? "yes" : "no";
  if (!mine) return;
  const {choice} = pointing;
  by("confirm").hidden = choice === null;
  write(by("chosen"), choice !== null ? words.chosen.replace("{}", nameOf(choice)) : words.several.replace("{}", pointing.named?.split(": ")[0] ?? ""));
  by("point").hidden = pointing.begun || !canNarrow;
  by("find").hidden = frame.actions.length <= FEW;
  list.show(frame.actions, pointing.left, hints, called());
}

function nameOf(action) {
  const [, head, name] = frame.actions.find(([one]) => one === action);
  return head ? `${head}: ${name}` : name;
}

function point(element) {
  if (pointing.choice !== null) return play(pointing.choice);  // second click on the chosen move
  const first = !pointing.begun;
  pointing.point(element);
  pointing.named = element.getAttribute("aria-label");
  if (pointing.choice !== null && first && !element.dataset.ask && !frame.words) return play(pointing.choice);
  choose();
  if (pointing.choice === null && !by("scene").querySelector(".can")) by("list").scrollIntoView({block: "nearest"});
  if (innerWidth > SHEET) by("choice").scrollIntoView({block: "nearest"});  // below, it is a sheet at the bottom
}

function play(action) {
  if (sent === frame.moment) return;
  by("refusal").textContent = "";
  if (!wire.send({do: "play", moment: frame.moment, action})) return;
  sent = frame.moment;
  if (pointing) pointing.left = pointing.all, pointing.steps = [];
  choose();
  calm.change();
}

// Gives the focus, if it was on a move that is gone, to the first new one, or to the status while others move.
function focus() {
  const at = document.activeElement ?? document.body, gone = !at.getClientRects().length || at.matches(".point:not(.can)");
  if (!chosenIn || !(gone || at === document.body || at === by("status"))) return;
  const piece = chosenIn === "scene" ? by("scene").querySelector(".can") : null;
  const first = chosenIn === "telling" && frame.words ? telling.text : by("moves").hidden ? by("over").querySelector(".result") ?? by("status")
    : piece ?? (by("confirm").hidden || by("choice").hidden ? list.buttons()[0] ?? by("find") : by("confirm"));
  first.focus({preventScroll: true});
}

function tellAs(action, text) {
  if (sent === frame.moment || !wire.send({do: "tell", moment: frame.moment, action, text})) return;
  sent = frame.moment;
  by("refusal").textContent = "";
  telling.show(0, [], false);
  choose();
}

// Marks the moves that a sentence can mean on the board and in the list.
function mark(actions) {
  hints = new Set(actions);
  offer();
}

function showHints(message) {
  by("hint").disabled = false;
  by("hint").textContent = words.hint;
  if (!frame || message.moment !== frame.moment) return;
  hints = new Set(message.lines.slice(0, 1).map(([action]) => action));
  by("hints").replaceChildren(...message.lines.map(([, text]) => {
    const line = document.createElement("li");
    write(line, text);
    return line;
  }));
  choose();
  list.look();
  by("hints").scrollIntoView({block: "nearest"});
}

function aim(event) {
  const element = scene.aimed(event);
  if (element && frame?.mine && pointing && sent !== frame.moment) point(element);
}

by("scene").addEventListener("click", aim);
by("scene").addEventListener("keydown", event => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  aim(event);
});
if (innerWidth < NARROW) {  // within reach of a thumb that points at the picture
  by("ask").setAttribute("aria-label", by("ask").textContent);
  by("ask").textContent = "?";
  by("event").after(by("ask"));
}
by("confirm").onclick = () => pointing.choice !== null && play(pointing.choice);
by("undo").onclick = () => { pointing.undo(); choose(); };
by("near").onclick = () => by("near").setAttribute("aria-pressed", by("scene").classList.toggle("near"));
by("hint").onclick = () => {
  if (!wire.send({do: "hint"})) return;
  by("hint").disabled = true;
  by("hint").textContent = words.thinking;
};
by("listed").querySelector("summary").onclick = () => keep("sobremesa.list", by("listed").open ? "no" : "yes");  // it changes afterwards
by("back").onclick = () => wire.send({do: "back", moment: frame.moment});
by("agree").onclick = () => wire.send({do: "agree", wish: frame.wish.number, yes: true});
by("refuse").onclick = () => wire.send({do: "agree", wish: frame.wish.number, yes: false});
document.addEventListener("focusin", event => {
  const part = event.target.closest("#scene, #moves, #choice, #wish, #telling");
  if (part) chosenIn = part.id;
});
by("rename").onsubmit = event => {
  event.preventDefault();
  const field = event.target.elements.name;
  if (field.value.trim() && wire.send({do: "name", name: field.value})) field.value = "";
};
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && pointing?.begun) { pointing.undo(); choose(); }
});
