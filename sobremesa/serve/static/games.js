// The games under way in the lobby, with what the server knows of them, in the language of the page.
import {note, noted} from "./memory.js";

const section = document.getElementById("mine"), list = section.querySelector("ul");
const {mine, wait, forget, language} = section.dataset;

const known = new Map();  // by path: title and players

function line(one) {
  const item = document.createElement("li"), link = document.createElement("a"), state = document.createElement("span");
  const away = document.createElement("button");
  link.href = `${one.path}?language=${language}`;
  const {title, players} = known.get(one.path);
  link.textContent = title;
  state.textContent = ` ${players.join(" · ")} – ${one.mine ? mine : wait} `;
  state.classList.toggle("due", one.mine);
  away.textContent = forget;
  away.setAttribute("aria-label", `${forget}: ${title}`);
  away.onclick = () => { note(one.path, null); show(); };
  item.append(link, state, away);
  return item;
}

function show() {
  const tables = noted().filter(one => known.has(one.path));
  list.replaceChildren(...tables.map(line));
  section.hidden = !tables.length;
}

// A table that is over or gone leaves the list.
async function check({path, mine, at}) {
  const answer = await fetch(`${path}/brief.json?language=${language}`).catch(() => null);
  if (!answer) return;
  const found = answer.ok ? await answer.json() : null;
  if (found && !found.over) {
    known.set(path, found);
    note(path, {mine: found.mine ?? mine, at});
  } else if (found || answer.status === 404 || answer.status === 410) note(path, null);
}

for (const one of noted().reverse()) await check(one);
show();
