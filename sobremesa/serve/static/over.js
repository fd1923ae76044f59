// The end of a deal: result, win chances, blunders and next steps.
import {SIGNS, badge, write} from "../player/seats.js";
import {NARROW} from "./wire.js";

const SVG = "http://www.w3.org/2000/svg", WIDE = 320, HIGH = 120;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function link(address, words) {
  return element("a", {href: address, className: "button"}, words);
}

function sending(address, words, ...fields) {
  return element("form", {method: "post", action: address}, ...fields, element("button", {}, words));
}

export function showOver(node, frame, words, place, language, names) {
  const {over} = frame, asked = `?language=${language}`, tale = over.tale && `..${over.tale}${asked}`;
  const result = element("p", {className: "result", tabIndex: -1}), who = element("p");
  if (over.names) write(over.outcome ? who : result, over.result);
  if (over.outcome) result.textContent = over.outcome;
  const ply = element("input", {type: "number", name: "ply", min: 0, max: over.plies - 1, value: Math.floor(over.plies / 2)});
  ply.setAttribute("aria-label", words["from here"]);
  const from = sending(`${place}/again${asked}`, words.go, element("label", {}, `${words["from here"]} `, ply, ` / ${over.plies - 1} `));
  const course = element("section", {className: "course", hidden: true});
  const costly = element("section", {className: "costly"});
  const ask = element("button", {onclick: () => showCostly(costly, ask, frame, words, place, language, names)}, words.costly);
  costly.append(ask);
  const film = `${place}/film${asked}${innerWidth < NARROW ? "&narrow=1" : ""}`;
  const tools = element("div", {className: "tools"},
    ...(tale ? [Object.assign(link(tale, words.tale), {className: "button main"})] : []),
    link(film, words.film), link(`${place}/replay.json`, words.replay),
    ...again(over.next, frame, place, asked, words),
    link(`../${asked}`, words.new));
  const share = [[words["share tale"], tale], [words.share, `..${over.link}`]].filter(([, address]) => address).map(([what, address]) =>
    element("p", {className: "quiet"}, `${what} `, element("a", {href: address}, new URL(address, location).href)));
  node.replaceChildren(result, who, tools, course, costly, from, ...share, element("p", {className: "quiet"}, `${words.seed} ${over.seed}`));
  fetch(`${place}/course.json`).then(answer => answer.ok ? answer.json() : null).then(found => {
    if (found) curve(course, found, words, names, ply, film);
  });
}

// The next deal with the same players: another one, or the same, with rotated seats if there are several.
function again(next, {seat, seats}, place, asked, words) {
  if (next) return [Object.assign(link(`..${next}${asked}`, words["go next"]), {className: "button main"})];
  if (seat < 0) return [];
  const fresh = sending(`${place}/next${asked}`, words[seats.length > 1 ? "rematch" : "rematch alone"], element("input", {type: "hidden", name: "new", value: 1}));
  fresh.lastChild.className = "main";
  return [fresh, sending(`${place}/next${asked}`, words[seats.length > 1 ? "same deal" : "same deal alone"])];
}

// Computed on demand, since the blunder report takes seconds.
async function showCostly(node, ask, frame, words, place, language, names) {
  ask.disabled = true;
  ask.textContent = words.thinking;
  const answer = await fetch(`${place}/costly.json`).catch(() => null);
  if (!answer?.ok) {
    ask.disabled = false;
    ask.textContent = words.costly;
    return;
  }
  const {decisions} = await answer.json();
  const list = element("ol", {}, ...decisions.map(({ply, seat, more, played, better}) => {
    const told = {ply, who: `${SIGNS[seat]} ${names[seat]}`, played: played[language], better: better[language], more: more[language]};
    const line = element("span");
    write(line, words["costly line"].replace(/{(\w+)}/g, (_, name) => told[name]));
    const fields = [["ply", ply], ["asked", 1]].map(([name, value]) => element("input", {type: "hidden", name, value}));
    return element("li", {}, line, sending(`${place}/again?language=${language}`, words["from there"], ...fields));
  }));
  node.replaceChildren(element("h2", {tabIndex: -1}, words["costly title"]),
    ...(decisions.length ? [list, element("p", {className: "quiet"}, words["costly note"])] : [element("p", {}, words["costly none"])]));
  node.querySelector("h2").focus();
}

function shape(name, properties) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  return made;
}

function curve(node, {plies, chances, turns, single}, words, names, ply, film) {
  if (!chances.length) {  // all rollouts were the same
    node.replaceChildren(element("h2", {}, words.course), element("p", {className: "quiet"}, words["course none"]));
    node.hidden = false;
    return;
  }
  const last = plies.at(-1) || 1, x = at => (at / last * WIDE).toFixed(1), y = chance => ((1 - chance) * HIGH).toFixed(1);
  const picture = shape("svg", {viewBox: `-4 -4 ${WIDE + 8} ${HIGH + 8}`, role: "img", "aria-label": words.course});
  for (const chance of [0, 0.5, 1]) picture.append(shape("path", {d: `M0,${y(chance)}H${WIDE}`, class: "grid"}));
  chances[0].forEach((_, seat) => {
    const points = plies.map((at, look) => `${x(at)},${y(chances[look][seat])}`).join(" ");
    picture.append(shape("polyline", {points, class: `line l${seat}`}));
  });
  const together = chances[0].length < names.length;  // a team has one chance
  const whose = seat => together ? words.together : `${SIGNS[seat]} ${names[seat]}`;
  picture.onclick = event => {
    const box = picture.getBoundingClientRect();
    ply.value = Math.max(0, Math.min(last - 1, Math.round((event.clientX - box.left) / box.width * last)));
  };
  const list = element("ul", {}, ...turns.map(([from, to, seat]) => {
    const line = element("a", {href: `${film}#${from}`});
    write(line, `${words.ply} ${from}–${to}: ${whose(seat)}`);
    return element("li", {}, line);
  }));
  const key = together ? "" : element("p", {className: "key"}, ...chances[0].flatMap((_, seat) => [badge(seat), ` ${names[seat]}  `]));
  const certain = single ? ` ${words["course single"]}` : "";
  node.replaceChildren(element("h2", {}, words.course), picture, key, element("p", {className: "quiet"}, words["course note"] + certain),
    ...(turns.length ? [element("h3", {}, words.turning), list] : []));
  node.hidden = false;
}
