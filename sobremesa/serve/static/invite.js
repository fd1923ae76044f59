// The links for other people: which to send, who is still awaited, and buttons that copy them.
export class Invitations {
  constructor(awaited, others, words) {
    this.awaited = awaited;
    this.others = others;
    this.words = words;
    this.shown = "";
  }

  // Shows `links`: [seat (-1: onlookers), path, whether the person has come].
  show(links, names) {
    const key = JSON.stringify([links, names]);
    if (key === this.shown) return;  // a new frame keeps the word that a link was copied
    this.shown = key;
    const lines = waits => links.filter(([seat, , here]) => waits === (seat >= 0 && !here))
      .map(([seat, path, here]) => this.line(seat, `..${path}`, here, names[seat]));
    this.awaited.replaceChildren(...lines(true));
    this.others.replaceChildren(...lines(false));
  }

  line(seat, path, here, name) {
    const {words} = this, line = document.createElement("li"), link = document.createElement("a");
    link.href = path;
    const [before, after] = words[seat < 0 ? "look on" : here ? "is here" : "send link"].split("{}");
    line.append(before, name ? Object.assign(document.createElement("b"), {textContent: name}) : "", after ?? "");
    if (here) return line;
    link.textContent = link.href;
    const copy = document.createElement("button"), said = document.createElement("span");
    copy.textContent = words.copy;
    copy.classList.toggle("main", seat >= 0);
    said.setAttribute("role", "status");
    copy.onclick = async () => { said.textContent = await copied(link) ? words.copied : words["copy it"]; };
    line.append(" ", link, " ", copy, " ", said);
    if (seat >= 0) line.className = "choice";
    return line;
  }
}

// Copies the address, or selects it. Pages over plain http have no clipboard, but the old command.
async function copied(link) {
  try {
    await navigator.clipboard.writeText(link.href);
    return true;
  } catch {
    getSelection().selectAllChildren(link);
    return document.execCommand("copy");
  }
}
