// Sentences contain a sign for each seat; some fonts lack them, so each is drawn as a badge. Pages count seats from 1.
export const SIGNS = "⓪①②③④⑤";

export function badge(seat, label = "") {
  const sign = document.createElement("span");
  sign.className = `seat s${seat}`;
  sign.textContent = seat + 1;
  if (label) sign.title = label;
  return sign;
}

// Writes a text with a badge for each seat sign, followed by the seat's name if `names` has one.
export function write(node, text, names = []) {
  node.replaceChildren(...text.split(/([⓪①②③④⑤])/).flatMap(part => {
    const seat = part ? SIGNS.indexOf(part) : -1;
    if (seat < 0) return [part];
    return names[seat] ? [badge(seat), ` ${names[seat]}`] : [badge(seat)];
  }));
}

export const spoken = (text, names) => text.replace(/[⓪①②③④⑤]/g, sign => names[SIGNS.indexOf(sign)] ?? SIGNS.indexOf(sign) + 1);
