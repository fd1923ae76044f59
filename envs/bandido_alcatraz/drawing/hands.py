"""Hands, pile and gathered cards in the picture of *Bandido Alcatraz*.

A hand is drawn open for its seat and on an open table, otherwise face down (C11.1). Only an open hand shows where its
cards fit.
"""

from functools import cache
from typing import Any, NamedTuple

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.drawing import pieces
from sobremesa.envs.bandido_alcatraz.drawing.pieces import ART, FAINT, GOLD, PANEL, PANEL_EDGE, PAPER
from sobremesa.envs.bandido_alcatraz.drawing.tunnels import card
from sobremesa.envs.bandido_alcatraz.fits import is_needed
from sobremesa.envs.bandido_alcatraz.halves import OTHER_SIDE
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.state import A_SIGNAL, BIG_HAND, HOW, NOBODY, SILENCE, hand_limit
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, PICTURE, PIECES, WATER_MARK, card_label, counted
from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, place, text, titled, width_of
from sobremesa.envs.core.picture.narrow_screen import WIDTH
from sobremesa.envs.core.wording import Box

_TOP, _LEFT, _ACROSS, _DOWN, _GAP = 719, 12, 738, 169, 8  # where the hands are laid out
_STORES = _LEFT + _ACROSS + _GAP
STOCK = (1000 - _STORES - 12, _DOWN)  # the piles and what was gathered, across and down
_PILE = 112  # width of the piles there
NARROW_TOP, _ABREAST = 424.0, 3  # where the hands begin in a narrow picture, and the cards in a row there
_LOW = 130  # a panel on which the hand lies next to the name
_OTHERS = 230  # width of the hands of others
_LETTERS = 13.0  # of the options below a card


class Panel(NamedTuple):
    """Where a seat and its hand are in a picture."""

    seat: int
    box: Box
    abreast: int = BIG_HAND  # cards in a row at most


class Spread(NamedTuple):
    """Where the cards of an open hand are on its panel."""

    spots: list[tuple[float, float]]  # middles of the slots
    wide: float  # width of a card
    room: float  # for a card and its options
    lines: int  # of options below each card


def panels(state: Any, viewer: int | None) -> list[Panel]:
    """Return the panels in the scene, a viewer at the table first and large."""
    seats = int(state.seats)
    if viewer in (None, PUBLIC) and seats > 1:
        across, down = (_ACROSS - _GAP) / 2, _DOWN if seats == 2 else (_DOWN - _GAP) / 2
        corners = [(_LEFT + seat % 2 * (across + _GAP), _TOP + seat // 2 * (down + _GAP)) for seat in range(seats)]
        return [Panel(seat, (*corner, across, down)) for seat, corner in enumerate(corners)]
    own, across = max(viewer or 0, 0), _ACROSS if seats == 1 else _ACROSS - _OTHERS - _GAP
    found = [Panel(own, (_LEFT, _TOP, across, _DOWN))]
    for row in range(seats - 1):
        down = (_DOWN - _GAP * (seats - 2)) / (seats - 1)
        box = (_LEFT + across + _GAP, _TOP + row * (down + _GAP), _OTHERS, down)
        found.append(Panel((own + 1 + row) % seats, box))
    return found


def narrow_panels(state: Any, viewer: int | None) -> list[Panel]:
    """Return the panels in the narrow picture, one below the other, the viewer's first."""
    seats, top, found = int(state.seats), NARROW_TOP, []
    for seat in ((max(viewer or 0, 0) + step) % seats for step in range(seats)):
        down = 40.0 + 101.0 * -(-hand_limit(state) // _ABREAST) if viewer in (None, seat) else 46.0
        found.append(Panel(seat, (8.0, top, WIDTH - 16.0, down), _ABREAST))
        top += down + _GAP
    return found


def spread(state: Any, panel: Panel) -> Spread:
    """Return where the cards of an open hand are: below the name or, on a low panel, next to it."""
    _, _, across, down = panel.box
    low, slots = down < _LOW, int(hand_limit(state))
    left, top, across, down = (112, 6, across - 116, down - 8) if low else (6, 34, across - 12, down - 38)
    columns = min(slots, panel.abreast)
    room, deep = across / columns, down / -(-slots // columns)
    wide = min(room - 10, 2 * (deep - 10 - 15 * (2 if deep > 90 else 1)), 190)  # two lines below it, on a low one one
    lines = min(3, int(deep - 10 - wide / 2) // 15)
    spots = [
        (left + room * (slot % columns + 0.5), top + deep * (slot // columns) + (deep - 15 * lines) / 2)
        for slot in range(slots)
    ]
    return Spread(spots, wide, room, lines)


def knows_decision(state: Any, viewer: int | None) -> bool:
    """Return whether the viewer knows the decision of the seat to act; false after the end of the deal."""
    return not state.over and viewer in (None, int(state.seat))


def hand(state: Any, panel: Panel, viewer: int | None, language: str) -> str:
    """Draw a seat with its last signal and its hand."""
    seat, (left, top, across, down) = panel.seat, panel.box
    words, asked = PICTURE[language], knows_decision(state, seat)
    name = words["player"].format(seat + 1) + (f" · {words['you']}" if seat == viewer and state.seats > 1 else "")
    cards = [int(kind) for kind in state.hand[seat]]
    drawn = [
        _frame(across, down, asked),
        place(19, 18, pieces.seat_sign(seat)),
        text(38, 23, name, 14, PAPER, LEFT_BOLD),
    ]
    open_hand, low = viewer is None or viewer == seat, down < _LOW
    if asked and down > 70:  # the smallest panels have only the edge
        right, y = (104, 42) if open_hand and low else (across - 8, 17)
        drawn.append(pieces.badge(right, y, words["turn"]))
    if open_hand:
        drawn.append(_open_hand(state, panel, cards, language))
    else:
        drawn.append(_backs(sum(kind != c.NO_CARD for kind in cards), language, (across, down)))
    if state.signals and state.seats > 1:
        start, spot = 50 + 14 * width_of(name), (14.0, down - (9 if down < 100 else 28), across - 28)
        if panel.abreast == _ABREAST:
            spot = (39.0, down - 8, across - 140)
        if open_hand:
            spot = (10, 61 if asked else 46, 100) if low else (start, 22, across - start - (86 if asked else 12))
        drawn.append(_bubble(*spot, 2 if open_hand and low else 1, int(state.said[seat]), language))
    return place(left, top, "".join(drawn))


@cache
def _frame(across: float, down: float, marked: bool) -> str:
    edge = f'stroke="{GOLD}" stroke-width="3"' if marked else f'stroke="{PANEL_EDGE}" stroke-width="1.2"'
    return f'<rect width="{across:g}" height="{down:g}" rx="9" fill="{PANEL}" fill-opacity=".93" {edge}/>'


@cache
def _bubble(x: float, y: float, room: float, lines: int, said: int, language: str) -> str:
    """Write the last signal of a seat in quotation marks, in a limited number of lines."""
    style = 'font-style="italic"'
    if said == SILENCE:
        return text(x, y, "…", 12, FAINT, style)
    words = f"«{action_name(A_SIGNAL + said, language)}»"
    split = words.find(" ", len(words) // 2 - 2) if lines > 1 else -1
    shown = [words[:split], words[split + 1 :]] if split > 0 else [words]
    return "".join(text(x, y + 13 * row, line, 12, "#bfe8ff", style, room) for row, line in enumerate(shown))


def _backs(count: int, language: str, size: tuple[float, float]) -> str:
    """Draw a hidden hand as card backs, fanned out in a small panel."""
    across, down = size
    words, numbers = PICTURE[language]["held"].format(count), range(count)
    spots: list[tuple[float, float]] = [(across - 26 - 22 * number, 17) for number in reversed(numbers)]
    scale = 0.18
    if down > 130:
        spots, scale = [(45 + 70 * number, 84) for number in numbers], 0.33
    elif down > 70:
        spots, scale = [(36 + 54 * number, 48) for number in numbers], 0.24
    return titled(words, "".join(place(x, y, ART["card_back"], scale) for x, y in spots))


@cache
def _mark(slot: int) -> str:
    return f'<circle r="8.5" fill="{GOLD}" stroke="{pieces.INK}" stroke-width="1.4"/>' + text(
        0, 4.2, str(slot + 1), 11.5, pieces.INK
    )


def _open_hand(state: Any, panel: Panel, cards: list[int], language: str) -> str:
    """Draw the cards of a hand with their numbers and, below each, its options."""
    (spots, wide, room, lines), drawn = spread(state, panel), []
    for slot, (x, y) in enumerate(spots):
        if cards[slot] == c.NO_CARD:
            drawn.append(place(x, y, ART["empty_slot"], wide / 200))
            continue
        drawn += [
            place(x, y, card(cards[slot], language), wide / 200),
            place(x - wide / 2 + 12, y - wide / 4 + 12, _mark(slot)),
        ]
        if knows_decision(state, panel.seat):
            told, fill = _option_lines(state, cards, slot, language, room - 8, lines)
            told = [" · ".join(told)] if lines == 1 else told
            rows = [
                text(x, y + wide / 4 + 15 + 15 * row, words, _LETTERS, fill, BOLD, room - 6)
                for row, words in enumerate(told)
            ]
            name = PIECES[language]["hand"].format(slot + 1, card_label(cards[slot], language))
            drawn.append(titled(name, "".join(rows)))
    return "".join(drawn)


def _option_lines(
    state: Any, cards: list[int], slot: int, language: str, room: float, lines: int
) -> tuple[list[str], str]:
    """Return the options of the card in a slot of the seat to act, in lines of a width, and their brightness."""
    words, kind = PICTURE[language], cards[slot]
    if kind in cards[:slot]:
        return [words["equal"].format(cards.index(kind) + 1)], FAINT
    if int(state.stage) == HOW:
        bits = int(state.fits[int(state.where), slot])
        return (_ways(bits, language), GOLD) if bits else ([words["not_here"]], FAINT)
    signs = [_sign(where) for where, bits in enumerate(state.fits[:, slot].tolist()) if bits]
    gather = [words["gather"].format(slot + 1)] if is_needed(state, kind) else []
    if not signs:
        return (gather, GOLD) if gather else ([words["none"]], FAINT)
    told = gather + _listed(signs, words["fits"], room, max(1, lines - len(gather)))
    if gather and lines > 1 and told[-1].endswith("…"):
        told = _listed(signs, f"{gather[0]} · {words['fits']}", room, lines)
    return told, GOLD


def _sign(where: int) -> str:
    """Return the number of an end, or of a flood with a wave."""
    return f"{where + 1}" if where < c.MOST_ENDS else f"{WATER_MARK}{where - c.MOST_ENDS + 1}"


def _listed(signs: list[str], head: str, room: float, lines: int) -> list[str]:
    """Write signs behind `head` in lines of a width, as many as fit."""
    rows = [head]
    for sign in signs:
        last = len(rows) == lines
        more = " …" if last and sign != signs[-1] else ""
        if _LETTERS * width_of(f"{rows[-1]} {sign}{more}") <= room:
            rows[-1] += f" {sign}"
        elif last:
            rows[-1] += " …"
            break
        else:
            rows.append(sign)
    return rows


def _ways(bits: int, language: str) -> list[str]:
    """Write the ways to lay a card, by the half that goes there and the side of the other."""
    told, letters = [], MOVES[language]["side_letters"]
    for half in range(2):
        ways = [way for way in range(c.NUM_WAYS) if bits >> way & 1 and way // c.ROTATIONS == half]
        sides = sorted(OTHER_SIDE[way % c.ROTATIONS][half] for way in ways)
        if sides:
            named = "·".join(letters[side] for side in sides)
            told.append(PICTURE[language]["way"].format("ab"[half], "ba"[half], named))
    return told


def stores(state: Any, viewer: int | None, language: str) -> str:
    """Draw the pile, the cards put aside, and the raincoats and ropes that were gathered, at their place."""
    return place(_STORES, _TOP, stock(state, viewer, language))


def stock(state: Any, viewer: int | None, language: str) -> str:
    """Draw the pile, the cards put aside, and the raincoats and ropes that were gathered (C5.3, C7)."""
    drawn = [_frame(*STOCK, False), _pile(int(state.pile_size), language), _aside(state, viewer, language)]
    for name, y, have, want, piece in (
        ("raincoats", 40, int(state.raincoats), c.RAINCOATS, "raincoat"),
        ("ropes", 116, int(state.ropes), c.ROPES, "rope"),
    ):
        shown = [
            place(171 + 38 * (number - (want - 1) / 2), y, pieces.gathered(piece, number < have), 0.78)
            for number in range(want)
        ]
        count = f"{PICTURE[language][name]} {have}/{want}"
        shown.append(text(171, y + 36, count, 13, PAPER if have == want else FAINT, BOLD, 112))
        words, row = PIECES[language][piece].format(have, want), STOCK[1] / 2
        drawn.append(titled(words, "".join(shown), (_PILE, row * (piece == "rope"), STOCK[0] - _PILE, row)))
    return "".join(drawn)


def _pile(size: int, language: str) -> str:
    """Draw the pile with its number of cards."""
    back = ART["card_back"] if size else ""
    drawn = [place(56 - 2.5 * layer, 38 - 3 * layer, back, 0.43) for layer in range(min(3, (size + 1) // 2))]
    if not size:
        drawn.append('<rect x="14" y="17" width="84" height="42" rx="6" fill="none" stroke="#4c5c6e"/>')
    else:
        drawn.append(
            place(51, 32, f'<circle r="14" fill="{pieces.NIGHT}" stroke="{GOLD}"/>')
            + text(51, 37.5, str(size), 15, PAPER)
        )
    drawn.append(text(56, 76, PICTURE[language]["pile"], 13, FAINT))
    return titled(PIECES[language]["pile"].format(counted(size, language)), "".join(drawn), (0, 0, _PILE, STOCK[1]))


def _aside(state: Any, viewer: int | None, language: str) -> str:
    """Draw the cards set aside, open for their owner."""
    cards = [int(kind) for kind in state.aside if kind != c.NO_CARD]
    if not cards:
        return ""
    open_ = viewer is None or viewer == int(state.aside_by) != NOBODY
    shapes = [card(kind, language) if open_ else ART["card_back"] for kind in cards]
    drawn = "".join(
        place(32 + 49 * (number % 2), 99 + 26 * (number // 2) - (4 if len(cards) > 4 else 0), shape, 0.23)
        for number, shape in enumerate(shapes)
    )
    drawn += text(56, 163, f"{PICTURE[language]['aside']} {len(cards)}", 13, FAINT, BOLD, 100)
    return titled(PIECES[language]["aside"].format(counted(len(cards), language)), drawn, (0, 82, _PILE, STOCK[1] - 82))
