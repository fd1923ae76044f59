// Writes the names of the players on the board, where the picture has the numbers of their seats.
const LONGEST = 18;  // letters; panels have no room for more
const SEATS = [
  [/^(?:Player|Jugador|Runner|Corredor) (\d)(?=$| )/, name => name],
  [/(?<=^|· +)(?:player|runner) (\d)(?= to play| wins)/i, name => name],
  [/(?<=[Gg]ana )el (?:jugador|corredor) (\d)/, name => name],
  [/al (?:jugador|corredor) (\d)$/, name => `a ${name}`],
  [/al (?:jugador|corredor) (\d)(?= +·)/, name => `a ${name}`],
];

export function nameSeats(scene, names) {
  const short = names.map(name => name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
  for (const one of scene.querySelectorAll("text")) {
    if (one.childElementCount) continue;
    let words = one.textContent;
    for (const [seat, put] of SEATS) {
      words = words.replace(seat, (all, number) => names[number - 1] ? put(short[number - 1]) : all);
    }
    if (words !== one.textContent) {
      one.textContent = words;
      squeeze(one);
    }
  }
}

// Squeezes a text that is wider than the room that its picture names.
function squeeze(text) {
  const {room} = text.dataset;
  if (!room || text.getComputedTextLength() <= Number(room)) return;
  text.setAttribute("textLength", room);
  text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

// Marks the seats in an event, in the list of players and on the board.
export function markSeats(event, signs, lines, scene) {
  lines.forEach((line, seat) => line.classList.toggle("acts", event.includes(signs[seat])));
  for (const one of scene.querySelectorAll("[data-piece^=runner-]")) {
    one.classList.toggle("acts", event.includes(signs[one.dataset.piece.slice(-1)]));
  }
}
