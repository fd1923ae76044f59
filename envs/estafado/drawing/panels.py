"""Panels next to the floor of *Estafado*: the question, each player's cards and rights, deck and discards."""

from typing import Any

from sobremesa.envs.core.picture.drawing import place, text, titled, width_of
from sobremesa.envs.core.wording import Box
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import NOWHERE, RING
from sobremesa.envs.estafado.cards import HAND_SIZE, HURRICANE, NO_CARD, NUM_KINDS, NUM_RABBITS
from sobremesa.envs.estafado.drawing import cards, pieces as p, tokens
from sobremesa.envs.estafado.drawing.animals import ART
from sobremesa.envs.estafado.drawing.pieces import box, line, oval
from sobremesa.envs.estafado.knowledge import knows_pile
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.story import won
from sobremesa.envs.estafado.text.words import PICTURE, SEATS, WORDS

WIDTH = 332
SIGN, DECK = -1, -2  # the panels apart from those of the seats
TOPS = {SIGN: 0, s.FOX: 94, s.CROW: 372, DECK: 514}  # of panels in the scene, from their corner
HEIGHTS = {SIGN: 84, s.FOX: 268, s.CROW: 132, DECK: 140}
_SLOTS = tuple((14 + 61.5 * slot, 48) for slot in range(HAND_SIZE))  # of the hand, on its panel
_VIXEN_AT = (212, 158)
VIXEN = (_VIXEN_AT[0], _VIXEN_AT[1], 108, 42)  # left, top, across, down of her token, on the panel of the fox
TOP_CARD = (12, 38, 72, 88)  # of the deck, on its panel


def panels(state: Any, viewer: int | None, language: str) -> str:
    """Draw all panels, one below the other, their corner at the origin."""
    return "".join(place(0, top, panel(which, state, viewer, language)) for which, top in TOPS.items())


def panel(which: int, state: Any, viewer: int | None, language: str, large: bool = False) -> str:
    """Draw a panel, its corner at the origin; in a narrow picture (`large`) the looks that are left are elsewhere."""
    if which == SIGN:
        return _panel(HEIGHTS[which], _sign(state, language, large), p.GOLD)
    if which == DECK:
        return _panel(HEIGHTS[which], _deck(state, language), "")
    body = (_fox if which == s.FOX else _crow)(state, viewer, language)
    return _panel(HEIGHTS[which], body, _edge(state, which))


def _panel(height: int, body: str, edge: str) -> str:
    stroke = f'stroke="{edge}" stroke-width="3"' if edge else 'stroke="#b99a6b" stroke-width="1.2"'
    shadow = box(0, 4, WIDTH, height, 13, "#000", 'fill-opacity=".22"')
    return shadow + box(0, 0, WIDTH, height, 13, p.PAPER, stroke) + body


def _edge(state: Any, seat: int) -> str:
    marked = state.winner[seat] if state.over else int(state.seat) == seat
    return p.GOLD if marked else ""


def _badge(x: float, y: float, words: str, fill: str) -> str:
    """Write `words` on a badge that ends at `x`."""
    width = 18 + 11 * width_of(words)
    return box(x - width, y - 10, width, 20, 10, fill) + text(x - width / 2, y + 4, words, 11.5, "#fff")


def _token(seat: int, scale: float, apple: bool = True) -> str:
    return place(0, 0, tokens.fox() if seat == s.FOX else tokens.crow(apple), scale)


def looks(state: Any, language: str) -> str:
    """Return the words for the looks that are left; "" if no card is being looked at."""
    asked = not state.over and int(state.stage) == s.PEEKING
    return PICTURE[language]["looks"].format(int(state.left)) if asked else ""


def _sign(state: Any, language: str, large: bool) -> str:
    """Draw the seat to move and its question, or the winner and the ending (C11)."""
    words = PICTURE[language]
    if state.over:
        seat = s.FOX if state.winner[s.FOX] else s.CROW
        head, below = won(state, language).split(": ")
        mark = tokens.burst(40)
    else:
        seat = int(state.seat)
        head, below = words[f"plays{seat}"], words[f"asks{int(state.stage)}"]
        mark = oval(0, 0, 31, 31, p.SEAT_COLOURS[seat], 'fill-opacity=".18"')
    drawn = place(45, 42, mark + _token(seat, 1.25)) + text(88, 38, head, 20, p.SEAT_COLOURS[seat], p.LEFT, 230)
    drawn += text(88, 62, below, 13.5, p.INK, p.LEFT, 232)
    if (left := looks(state, language)) and not large:  # a narrow picture has them next to the round
        drawn += text(WIDTH - 12, 77, left, 11.5, p.FAINT, p.RIGHT)
    return drawn


def _heading(seat: int, viewer: int | None, language: str) -> str:
    name = SEATS[language][seat] + (WORDS[language]["you"] if seat == viewer else "")
    return place(26, 25, _token(seat, 0.72)) + text(50, 31, name, 17, p.SEAT_COLOURS[seat], p.LEFT)


# The fox's player.


def _fox(state: Any, viewer: int | None, language: str) -> str:
    words = PICTURE[language]
    drawn = [_heading(s.FOX, viewer, language), *_hand(state, viewer in (None, s.FOX), language)]
    if state.lost:
        drawn.append(_badge(WIDTH - 12, 25, words["lost"], p.RED))
    elif state.caught and not state.over and int(state.stage) <= s.DIVING:
        drawn.append(_badge(WIDTH - 12, 25, words["extra"], "#4f8f3a"))
    drawn.append(text(14, 147, WORDS[language]["prey"], 12, p.FAINT, p.LEFT))
    for slot in range(NUM_RABBITS):
        drawn.append(place(14 + 62 * slot, 156, _prey(state, slot, language), 0.95))
    faces = words["die"].format(int(state.evading_faces))
    drawn.append(
        _with_help(faces, (10, 236, 180, 24), place(21, 248, _die()) + text(36, 252, faces, 11, p.FAINT, p.LEFT))
    )
    drawn.append(text(212, 147, words["rights"], 12, p.FAINT, p.LEFT, 108))
    drawn.append(_right(*_VIXEN_AT, words["vixen"], tokens.vixen(), int(state.vixen) == NOWHERE, words["used"]))
    drawn.append(_right(212, 206, words["double"], tokens.eagle(), bool(state.double), words["used"]))
    return "".join(drawn)


def _hand(state: Any, seen: bool, language: str) -> list[str]:
    """Draw the fox's hand: faces for the fox and at an open table, otherwise backs (C2.6, C12.1)."""
    drawn = []
    for slot in range(HAND_SIZE):
        card = int(state.hand[slot])
        if card == NO_CARD:
            shape = cards.empty_slot()
        elif seen:
            shape = cards.large_face(card, language, True)
        else:
            shape = cards.back(card == HURRICANE, language, small=True)
        number = text(cards.SMALL_WIDTH / 2, 85, str(slot + 1), 10.5, p.FAINT)
        drawn.append(place(*_SLOTS[slot], shape + number))
    return drawn


def hand_box(slot: int) -> tuple[float, float, float, float]:
    """Return the box of a card of the hand on the panel of the fox: left, top, across, down."""
    return _SLOTS[slot][0], _SLOTS[slot][1], cards.SMALL_WIDTH, cards.SMALL_HEIGHT


def _prey(state: Any, slot: int, language: str) -> str:
    if slot >= int(state.catches):
        drawn = cards.empty_slot() + place(29, 40, f'<g opacity=".16">{ART["rabbit"]}</g>', 0.62)
        return titled(WORDS[language]["prey"], drawn)
    card = int(state.prey[slot])
    words = PICTURE[language]["rabbit"].format(card_name(card, language))
    return titled(words, cards.large_face(card, language, True))


def _die() -> str:
    pips = "".join(oval(x, y, 1.4, 1.4, p.INK) for x, y in ((-3.5, -3.5), (3.5, 3.5), (0, 0), (3.5, -3.5), (-3.5, 3.5)))
    return box(-7.5, -7.5, 15, 15, 3.5, "#fff", f'stroke="{p.FAINT}"') + pips


def _right(x: float, y: float, words: str, token: str, left: bool, used: str) -> str:
    """Draw a right that may be used once, faded after use (C2.8)."""
    area = (x, y, 108, 42)
    if left:
        drawn = place(x + 18, y + 21, token, 0.82) + text(x + 41, y + 25, words, 12, p.INK, p.LEFT, 70)
        return _with_help(words, area, drawn)
    faded = f'<g opacity=".3">{place(x + 18, y + 21, token, 0.82)}</g>' + text(
        x + 41, y + 19, words, 12, p.FAINT, p.LEFT, 70
    )
    return _with_help(words, area, faded + text(x + 41, y + 33, used, 11, p.FAINT, ""))


def _with_help(words: str, area: Box, drawn: str) -> str:
    """Name a drawing, so that pages explain it wherever its area is touched."""
    return titled(words, box(*area, 0, "#fff", 'fill-opacity="0"') + drawn)


# The crow's player, deck and discards.


def _crow(state: Any, viewer: int | None, language: str) -> str:
    """Draw the cards that the crow swapped with the deck, open to seats that know them, and the swaps left (C8.5)."""
    words = PICTURE[language]
    drawn = [_heading(s.CROW, viewer, language)]
    if state.bear_skip:
        drawn.append(_badge(WIDTH - 12, 25, words["skip"], "#4f8f3a"))
    drawn.append(place(34, 84, titled(WORDS[language]["bear"], tokens.bear(None)), 0.95))
    if state.bear_skip:
        drawn.append(place(50, 62, tokens.DOZE, 0.8))
    for slot in range(s.PILE_SIZE):
        drawn.append(place(76 + 61.5 * slot, 46, _buried(state, slot, viewer, language)))
    swaps = place(276, 60, cards.arrows(p.INK), 1.1)
    swaps += text(292, 66, f"{int(state.deck_swaps)}/{s.DECK_SWAPS}", 16, p.INK, p.LEFT)
    for order, one in enumerate(_split(words["swaps"])):
        swaps += text(264, 86 + 13 * order, one, 11.4, p.FAINT, p.LEFT, 64)
    return "".join(drawn) + _with_help(words["swaps"], (260, 46, 68, 60), swaps)


def _split(words: str) -> list[str]:
    first, _, rest = words.partition(" ")
    return [first, rest]


def _buried(state: Any, slot: int, viewer: int | None, language: str) -> str:
    card = int(state.pile[slot])
    if card == NO_CARD:
        return cards.empty_slot()
    if card == HURRICANE:
        shape = cards.back(True, language, small=True)
    elif viewer is None or knows_pile(state, viewer, slot):
        shape = cards.large_ghost(card, language, True)
    else:
        shape = cards.back(False, language, small=True)
        marks = cards.public_marks(bool(state.pile_no_rabbit[slot]), bool(state.pile_swappable[slot]), language)
        shape += place(11, 63, marks, 0.8)
    if viewer != s.FOX and state.pile_known[slot] and card != HURRICANE:
        shape += place(49, 65, cards.seen_by(s.FOX, language), 0.8)
    return shape


def _deck(state: Any, language: str) -> str:
    """Draw the deck with the back of its top card, its size, and the discards (C2.6)."""
    words = PICTURE[language]
    size = int(state.deck_size)
    stormy = bool(state.deck[size - 1] == HURRICANE)
    card = (cards.SMALL_WIDTH, cards.SMALL_HEIGHT, 6, "#3f6a4a", 'stroke="#274a35"')
    under = "".join(box(3 + 2 * lift, 3 - 2 * lift, *card) for lift in range(3))
    top = place(8, -4, cards.back(stormy, language, small=True))
    count = f'<circle cx="38" cy="34" r="15" fill="{p.PAPER}" stroke="{p.INK}" stroke-width="1.4"/>' + text(
        38, 39.5, str(size), 16, p.INK
    )
    drawn = [
        text(14, 25, words["deck"], 13, p.FAINT, p.LEFT),
        place(14, 46, titled(words["deck"], under + top + count)),
    ]
    kinds = [kind for kind in range(NUM_KINDS) for _ in range(int(state.discards[kind]))]
    drawn.append(text(104, 25, f"{WORDS[language]['discards']} · {len(kinds)}", 13, p.FAINT, p.LEFT))
    step = min(62.0, 156 / max(1, len(kinds) - 1))
    for order, kind in enumerate(kinds):
        drawn.append(place(104 + step * order, 45, cards.large_face(kind, language, True)))
    if not kinds:
        drawn.append(place(104, 45, cards.empty_slot()))
    return "".join(drawn) + line(f"M90,16 V{HEIGHTS[DECK] - 14}", "#e2d1ab", 1.2)


def rounds(state: Any, language: str) -> str:
    """Return the words for the round."""
    return WORDS[language]["round"].format(min(int(state.sun) + 1, RING), RING)
