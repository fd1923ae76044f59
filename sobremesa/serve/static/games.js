// The games under way in the lobby, with the state that the server knows.
import {note, noted} from "./memory.js";

const section = document.getElementById("mine"), list = section.querySelector("ul");
const {mine, wait, forget, language} = section.dataset;

function line(one) {
  const item = document.createElement("li"), link = document.createElement("a"), state = document.createElement("span");
  const away = document.createElement("button");
  link.href = `${one.path}?language=${language}`;
  link.textContent = one.title;
  state.textContent = ` ${one.players.join(" · ")} – ${one.mine ? mine : wait} `;
  state.classList.toggle("due", one.mine);
  away.textContent = forget;
  away.setAttribute("aria-label", `${forget}: ${one.title}`);
  away.onclick = () => { note(one.path, null); show(); };
  item.append(link, state, away);
  return item;
}

function show() {
  const tables = noted();
  list.replaceChildren(...tables.map(line));
  section.hidden = !tables.length;
}

// A table that is over or gone leaves the list.
async function check({path, ...known}) {
  const answer = await fetch(`${path}/brief.json`).catch(() => null);
  if (!answer) return;
  const found = answer.ok ? await answer.json() : null;
  if (found && !found.over) note(path, {...known, mine: found.mine ?? known.mine});
  else if (found || answer.status === 404 || answer.status === 410) note(path, null);
}

show();
for (const one of noted().reverse()) await check(one);
show();
