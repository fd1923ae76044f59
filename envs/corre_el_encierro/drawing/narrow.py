"""The picture of *Corre el encierro* for narrow screens, from the same pieces as the scene, at other places.

The other runners are in short rows above the course, and the hand of the viewer in one row below it: up to four broad
cards, or more upright ones.
"""

from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, picture, place, text, titled
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, moved
from sobremesa.envs.core.wording import Box
from sobremesa.envs.corre_el_encierro.cards import LOCATION_NAMES, NO_CARD, NUM_OBJECTS
from sobremesa.envs.corre_el_encierro.drawing import cards, course as lane, pieces
from sobremesa.envs.corre_el_encierro.drawing.pieces import DARK_RED, FAINT, INK
from sobremesa.envs.corre_el_encierro.drawing.scene import badges, hand_kinds, headline, known_cards, name_of
from sobremesa.envs.corre_el_encierro.state import OUT
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.scene import STATUS, WORDS

_SCALE, _DEEP = 0.7, 344.0  # of the course, and its height
_EDGE, _TOP, _GAP = 8.0, 44.0, 5.0
_ACROSS = WIDTH - 2 * _EDGE
_ROW, _KNOWN = 44.0, 20.0  # the height of a runner, and of a line with cards of his that the viewer knows
_HEAD, _BROAD, _STEP, _CARD = 48.0, 4, 92.0, 0.86  # above a hand; most broad cards, their distance and scale
_DOWN, _UPRIGHT = 88.0, cards.UPRIGHT_HEIGHT + 6.0  # of a row of broad or upright cards
_VIOLET = "#8a4fd0"  # of special objects
_APART, _TAB = 7.0, 14.0  # of a special object in play: its distance from the hand, and the height of its heading


class _Spot(NamedTuple):
    """The panel of a runner: whether its hand is open, and where it is."""

    seat: int
    open: bool
    top: float
    down: float


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C11)."""
    state = table[0]
    spots, top, down = _spots(state, seat)
    parts = "  ·  ".join(headline(state, language) + ([WORDS[language]["open"]] if seat is None else []))
    run = (
        pieces.street(lane.NARROW.course),
        lane.course(state, lane.NARROW, WORDS[language]["closed"]),
        lane.flight(state, lane.NARROW),
        lane.runners(state, lane.NARROW, language),
        lane.middle(state, lane.NARROW, language),
        lane.piles(state, lane.NARROW, language),
    )
    drawn = (
        pieces.sand(WIDTH, down + SPARE),
        place(0, 0, pieces.bunting(round(WIDTH / 0.7)), 0.7),
        pieces.confetti(WIDTH, down) if state.over else "",
        text(12, 36, parts, 15, DARK_RED, LEFT_BOLD, _ACROSS - 8),
        place(0, top, "".join(run), _SCALE),
        *(_panel(state, spot, seat, language) for spot in spots),
    )
    return picture(WIDTH, down, drawn)


def places(state: Any, seat: int) -> lane.Places:
    """Return the boxes of things in the picture that `seat` can point at."""
    spots, top, _ = _spots(state, seat)
    pile, locations, tokens = lane.middle_places(state, lane.NARROW)
    (own,) = (spot for spot in spots if spot.seat == seat)
    special = int(state.special[seat]) != NO_CARD
    boxes = _card_boxes(own, _shown_cards(state, seat), special)
    return lane.Places(
        hand=boxes[special:],
        special=boxes[0] if special else (0.0, 0.0, 0.0, 0.0),
        objects=(_EDGE + _objects(True)[0] - 14, own.top + 14, 29.0 * int(state.objects[seat]), 30),
        pile=moved(pile, 0, top, _SCALE),
        locations=[moved(box, 0, top, _SCALE) for box in locations],
        persons={spot.seat: (_EDGE, spot.top, _ACROSS, spot.down) for spot in spots},
        tokens={one: moved(box, 0, top, _SCALE) for one, box in tokens.items()},
    )


def _spots(state: Any, viewer: int | None) -> tuple[list[_Spot], float, int]:
    """Return the panels of the runners, the top of the course, and the height of the picture.

    Closed hands are above the course, in the order of play from the viewer; open hands are below it.
    """
    seats, y, found = int(state.seats), _TOP, []
    if viewer is not None:
        for seat in ((viewer + step) % seats for step in range(1, seats)):
            down = _ROW + (_KNOWN if known_cards(state, viewer, seat) else 0)
            found.append(_Spot(seat, False, y, down))
            y += down + _GAP
    top, y = y - 4, y + _DEEP
    for seat in range(seats) if viewer is None else [viewer]:
        shown = _shown_cards(state, seat)
        down = _HEAD + (_UPRIGHT if shown > _BROAD else _DOWN if shown else 0.0)
        found.append(_Spot(seat, True, y, down))
        y += down + _GAP + 4
    return found, top, round(y)


def _shown_cards(state: Any, seat: int) -> int:
    """Return the number of cards on an open panel: the special object in play, and the hand."""
    return int(state.hand_size[seat]) + int(state.special[seat] != NO_CARD)


def _card_boxes(spot: _Spot, count: int, laid: bool) -> list[Box]:
    """Return the boxes of `count` cards in a row; a special object that is `laid` comes first, apart from the hand."""
    x, y, apart = _EDGE + 5, spot.top + _HEAD, _APART if laid else 0.0
    if count <= _BROAD:
        step, size = _STEP - apart / 3, (cards.CARD_WIDTH * _CARD, cards.CARD_HEIGHT * _CARD)
    else:
        step = (_ACROSS - 6 - apart) / count
        size = (round(step - 4, 1), float(cards.UPRIGHT_HEIGHT))
    return [(x + step * number + (apart if number else 0.0), y, *size) for number in range(count)]


def _face(kind: int, box: Box, language: str, piece: str = "") -> str:
    """Draw a card in its box."""
    x, y, across, down = box
    if down == cards.UPRIGHT_HEIGHT:
        return place(x, y, cards.upright_face(kind, across, language), piece=piece)
    return place(x, y, cards.face(kind, language), _CARD, piece)


def _laid(kind: int, box: Box, language: str) -> str:
    """Draw a special object in play, smaller than the cards of a hand, on a board that says so."""
    x, y, across, down = box
    scale = (down - _TAB) / down
    board = f'<rect x="{x - 2:g}" y="{y - 3:g}" width="{across + 4:g}" height="{down + 6:g}" rx="9" fill="{_VIOLET}"/>'
    name = text(x + across / 2, y + 9.5, WORDS[language]["laid"], 12, "#fff", room=across - 4)
    face = _face(kind, (0, 0, across, down), language)
    return board + name + place(x + across * (1 - scale) / 2, y + _TAB, face, scale)


def _objects(large: bool) -> tuple[float, float, float]:
    """Return where the objects of a runner begin, their distance and their scale."""
    return (234.0, 29.0, 0.58) if large else (158.0, 22.0, 0.44)


# The runners.


def _panel(state: Any, spot: _Spot, viewer: int | None, language: str) -> str:
    """Draw a runner: name, location, objects, special object and hand."""
    seat, marks = spot.seat, badges(state, spot.seat, viewer, language)
    edge = f'stroke="{marks[0][1]}" stroke-width="3"' if marks else 'stroke="#d9bd8a" stroke-width="1.2"'
    drawn = [_board(spot, edge), _person(state, spot, viewer, language)]
    if int(state.status[seat]) == OUT:
        drawn = [f'<g opacity=".55">{"".join(drawn)}</g>']
    elif not spot.open:
        drawn.append(_closed(state, seat, viewer, language))
    right = _ACROSS - 6
    for words, fill, ink in marks:
        shape, left = pieces.badge(right, 1, words, fill, ink)
        drawn.append(shape)
        right = left - 6
    body = place(_EDGE, spot.top, "".join(drawn))
    return body + (_open(state, spot, language) if spot.open and int(state.status[seat]) != OUT else "")


def _board(spot: _Spot, edge: str) -> str:
    """Draw the board under a runner's belongings, with the runner's colour on the left."""
    colour = pieces.SEAT_COLOURS[spot.seat]
    box = f'width="{_ACROSS:g}" height="{spot.down:g}" rx="10"'
    return (
        f'<rect {box} fill="#fffdf7"/><rect {box} fill="{colour}" fill-opacity=".12"/>'
        f'<path d="M10,0 q-10,0 -10,10 V{spot.down - 10:g} q0,10 10,10 Z" fill="{colour}"/>'
        f'<rect {box} fill="none" {edge}/>'
    )


def _person(state: Any, spot: _Spot, viewer: int | None, language: str) -> str:
    """Draw a runner's token, location or status, and objects."""
    seat, status = spot.seat, int(state.status[spot.seat])
    number, room = int(state.place[seat]), 170.0 if spot.open else 98.0
    stands = f"{number} · {STATUS[language][status]}" if status in STATUS[language] else LOCATION_NAMES[number - 1]
    if status == OUT:
        stands = STATUS[language][OUT]
    named = room if spot.open else 205.0
    drawn = [
        place(27, 23, titled(name_of(seat, viewer, language), pieces.runner(seat, 14))),
        text(47, 20, name_of(seat, viewer, language), 15, INK, f'{LEFT_BOLD} data-room="{named:g}"', named),
        text(47, 37, stands, 13, DARK_RED if status in STATUS[language] else INK, "", room),
    ]
    left, step, scale = _objects(spot.open)
    for one in range(NUM_OBJECTS):
        shape = pieces.belonging(one, one < int(state.objects[seat]), language)
        drawn.append(place(left + step * one, 29 if spot.open else 33, shape, scale))
    return "".join(drawn)


def _closed(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw the special object in play, the backs of the hand and their number, and the cards that the viewer knows."""
    size, special, drawn = int(state.hand_size[seat]), int(state.special[seat]), []
    if special != NO_CARD:
        name = card_name(special, language)
        shape = titled(name, cards.picture(special))
        drawn.append(place(287, 16, shape, 0.58) + text(287, 41, name, 11.5, INK, BOLD, 64))
    step = min(6.0, 18 / max(1, size - 1))
    backs = "".join(place(323 + step * order, 10, cards.back(), 0.27) for order in range(size))
    drawn.append(titled(WORDS[language]["held"].format(size), backs))
    count = f'<circle r="11" fill="{INK}" stroke="#fff" stroke-width="1.5"/>' + text(0, 5, str(size), 14, "#fff")
    drawn.append(place(356, 23, titled(WORDS[language]["held"].format(size), count)))
    known = [card_name(kind, language) for kind in known_cards(state, viewer, seat)]
    if known:
        drawn.append(place(27, _ROW + 5, cards.eye("#7b4a9e"), 0.9))
        words = WORDS[language]["knows"].format(", ".join(known))
        drawn.append(text(47, _ROW + 10, words, 13, FAINT, LEFT_BOLD, _ACROSS - 56))
    return "".join(drawn)


def _open(state: Any, spot: _Spot, language: str) -> str:
    """Draw the special object in play, framed, and the cards of a hand."""
    seat, special, drawn = spot.seat, int(state.special[spot.seat]), []
    boxes = _card_boxes(spot, _shown_cards(state, seat), special != NO_CARD)
    if special != NO_CARD:
        drawn.append(titled(WORDS[language]["special"], _laid(special, boxes.pop(0), language)))
    kinds = hand_kinds(state, seat)
    for order, (kind, box) in enumerate(zip(kinds, boxes, strict=True)):
        drawn.append(_face(kind, box, language, f"card-{seat}-{kind}-{kinds[:order].count(kind)}"))
    return "".join(drawn)
