// Settings of this browser, and its games under way: the pages of tables note theirs, and the lobby lists them.
const KEY = "sobremesa.tables", MOST = 12;

// A setting of this browser, or `otherwise`.
export function kept(name, otherwise) {
  try { return localStorage.getItem(name) ?? otherwise; } catch { return otherwise; }  // blocked by the browser
}

export function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* it holds for this page only */ }
}

export function noted() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(one => typeof one?.path === "string") : [];
  } catch {
    return [];  // blocked or damaged
  }
}

// Replaces what is noted of the table at `path`; `note` null forgets it.
export function note(path, note) {
  const others = noted().filter(one => one.path !== path);
  try {
    localStorage.setItem(KEY, JSON.stringify([...(note ? [{path, ...note}] : []), ...others].slice(0, MOST)));
  } catch { /* blocked or full: the lobby has no list */ }
}

// Notes a frame of a table: whether it is the person's move.
export function remember(path, frame) {
  if (frame.seat < 0) return;
  note(path, frame.over ? null : {mine: frame.mine, at: Date.now()});
}
