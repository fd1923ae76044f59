"""The table of *Corre el encierro* as an SVG, as a seat sees it or open to all.

For a seat the picture only depends on information of that seat (C11.1, C11.2): every redeal gives the same bytes.
The asked seat is only visible when it is public, as the target of a card.
"""

from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, picture, place, text, titled
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.drawing import cards, course as lane, pieces
from sobremesa.envs.corre_el_encierro.drawing.pieces import DARK_RED, GOLD, INK, RED
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.scene import ASKED, STATUS, WORDS
from sobremesa.envs.corre_el_encierro.text.words import TITLE

_WIDTH = 1000
_PANELS, _PANEL_HEIGHT, _PANEL_STEP = 452, 108, 119  # the runners, one below the other
PERSON = (292, _PANEL_HEIGHT)  # across and down, a runner's part of the panel
SPECIAL = (302, 6)  # where his special object lies there


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C11)."""
    state = table[0]
    height = _PANELS + _PANEL_STEP * int(state.seats) + 2
    drawn = (
        pieces.ground(_WIDTH, height),
        pieces.confetti(_WIDTH, height) if state.over else "",
        _header(state, seat, language),
        lane.course(state, lane.WIDE, WORDS[language]["closed"]),
        lane.flight(state, lane.WIDE),
        lane.runners(state, lane.WIDE, language),
        lane.middle(state, lane.WIDE, language),
        lane.piles(state, lane.WIDE, language),
        *(_panel(state, one, seat, language) for one in range(int(state.seats))),
    )
    return picture(_WIDTH, height, drawn)


def places(state: Any, seat: int) -> lane.Places:
    """Return the boxes of things in the scene that `seat` can point at."""
    left, top = panel_corner(seat)
    pile, locations, tokens = lane.middle_places(state, lane.WIDE)
    wide, high = float(cards.CARD_WIDTH), float(cards.CARD_HEIGHT)
    return lane.Places(
        hand=[(left + x, top + y, wide, high) for x, y in hand_spots(int(state.hand_size[seat]))],
        special=(left + SPECIAL[0], top + SPECIAL[1], wide, high),
        objects=(left + 22, top + 54, 52.0 * int(state.objects[seat]), 52),
        pile=pile,
        locations=locations,
        persons={one: (*panel_corner(one), *PERSON) for one in range(int(state.seats))},
        tokens=tokens,
    )


# The words above and the runners below.


def headline(state: Any, language: str) -> list[str]:
    """Return the number of the pile, and the runner to play or the winners."""
    words = WORDS[language]
    if state.over:
        stands = lane.winning_words([seat for seat in range(int(state.seats)) if state.winner[seat]], language)
    else:
        stands = words["runner's turn"].format(int(state.turn) + 1)
    return [words["round"].format(int(state.closed) + 1), stands]


def _header(state: Any, viewer: int | None, language: str) -> str:
    words = WORDS[language]
    sees = words["open"] if viewer is None else words["sees"].format(viewer + 1)
    parts = "  ·  ".join((*headline(state, language), sees))
    return text(22, 68, TITLE[language], 32, DARK_RED, f'{LEFT_BOLD} letter-spacing=".3"') + text(
        _WIDTH - 22, 66, parts, 16, INK, 'text-anchor="end" font-weight="bold"'
    )


def badges(state: Any, seat: int, viewer: int | None, language: str) -> list[tuple[str, str, str]]:
    """Return the badges of a runner as (words, colour, ink); questions only in the runner's own view (C11.2)."""
    words = WORDS[language]
    if state.over:
        return [(words["wins"], GOLD, INK)] if state.winner[seat] else []
    marks = []
    asked = int(state.seat) == seat and viewer in (None, seat)
    if asked:
        marks.append((ASKED[language][int(state.stage)], RED, "#fff"))
    elif seat == lane.struck_seat(state):
        marks.append((words["struck"], RED, "#fff"))
    elif seat in lane.threatened_seats(state):
        marks.append((words["danger"], RED, "#fff"))
    if seat in lane.waiting_seats(state):
        marks.append((words["waits"], lane.ORANGE, "#fff"))
    if int(state.turn) == seat and int(state.status[seat]) != s.OUT:
        marks.append((words["turn"], GOLD, INK))
    return marks


def _panel(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw a runner's panel: name, status, objects, special object and hand."""
    marks = badges(state, seat, viewer, language)
    edge = f'stroke="{marks[0][1]}" stroke-width="3.5"' if marks else 'stroke="#d9bd8a" stroke-width="1.2"'
    drawn = [_board(seat, edge), _person(state, seat, viewer, language)]
    if int(state.status[seat]) == s.OUT:
        stamp = pieces.stamp(STATUS[language][s.OUT])
        return place(*panel_corner(seat), f'<g opacity=".55">{"".join(drawn)}</g>{place(640, 54, stamp)}')
    special = int(state.special[seat])
    drawn += [
        place(
            *SPECIAL,
            cards.empty_slot(WORDS[language]["special"]) if special == c.NO_CARD else cards.face(special, language),
        ),
        _hand(state, seat, viewer, language),
    ]
    right = 288.0
    for marked, fill, ink in marks:
        shape, left = pieces.badge(right, 1, marked, fill, ink)
        drawn.append(shape)
        right = left - 6
    return place(*panel_corner(seat), "".join(drawn))


def panel_corner(seat: int) -> tuple[int, int]:
    """Return the corner of a runner's panel in the picture."""
    return 18, _PANELS + _PANEL_STEP * seat


@cache
def _board(seat: int, edge: str) -> str:
    """Draw the board under a runner's cards, with the runner's colour on the left."""
    colour = pieces.SEAT_COLOURS[seat]
    box = f'width="964" height="{_PANEL_HEIGHT}" rx="14"'
    return (
        f'<rect {box} y="3" fill="#000" fill-opacity=".14"/><rect {box} fill="#fffdf7"/>'
        f'<path d="M14,0 H292 V{_PANEL_HEIGHT} H14 q-14,0 -14,-14 V14 q0,-14 14,-14 Z" fill="{colour}" '
        f'fill-opacity=".2"/><path d="M14,0 q-14,0 -14,14 V{_PANEL_HEIGHT - 14} q0,14 14,14 Z" fill="{colour}"/>'
        f'<rect {box} fill="none" {edge}/>'
    )


def name_of(seat: int, viewer: int | None, language: str) -> str:
    """Return the name of a runner."""
    words = WORDS[language]
    return words["runner"].format(seat + 1) + (f" · {words['you']}" if seat == viewer else "")


def _person(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw a runner's token, location, status and objects, kept and lost (C5.4, C8, C10.4)."""
    status, number, name = int(state.status[seat]), int(state.place[seat]), name_of(seat, viewer, language)
    drawn = [place(42, 28, titled(name, pieces.runner(seat, 20))), text(70, 29, name, 17, INK, LEFT_BOLD)]
    if status == s.OUT:
        drawn.append(text(70, 48, STATUS[language][s.OUT], 15.5, DARK_RED, ""))
    elif status in (s.WARNED, s.BEHIND):
        drawn.append(text(70, 48, f"{number} · {STATUS[language][status]}", 15.5, DARK_RED, "", 165))
        drawn.append(place(264, 27, pieces.fence(36)))
    else:
        drawn.append(text(70, 48, f"{number} {c.LOCATION_NAMES[number - 1]}", 15.5, INK, "", 210))
    for one in range(c.NUM_OBJECTS):
        drawn.append(place(48 + 52 * one, 80, pieces.belonging(one, one < int(state.objects[seat]), language)))
    return "".join(drawn)


def _hand(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw the hand of a runner: faces in the runner's own view, known cards and backs in others (C11.1)."""
    size, names = int(state.hand_size[seat]), [""] * int(state.hand_size[seat])
    if viewer is None or viewer == seat:
        kinds = hand_kinds(state, seat)
        faces = [cards.face(kind, language) for kind in kinds]
        names = [f"card-{seat}-{kind}-{kinds[:order].count(kind)}" for order, kind in enumerate(kinds)]
    else:
        known = known_cards(state, viewer, seat)
        knows = WORDS[language]["knows"]
        faces = [cards.remembered(kind, knows.format(card_name(kind, language)), language) for kind in known]
        faces += [titled(WORDS[language]["held"].format(size), cards.back())] * (size - len(known))
    spots = hand_spots(size)
    return "".join(place(*spot, face, piece=name) for spot, face, name in zip(spots, faces, names, strict=True))


def known_cards(state: Any, viewer: int | None, seat: int) -> list[int]:
    """Return the cards stolen from `viewer` that are certainly in the hand of `seat` (C11.1)."""
    return sorted(
        int(state.theft_kind[theft])
        for theft in range(s.MAX_THEFTS)
        if int(state.theft_kind[theft]) != c.NO_CARD
        and int(state.theft_from[theft]) == viewer
        and int(state.theft_hands[theft]) == 1 << seat
    )


def hand_kinds(state: Any, seat: int) -> list[int]:
    """Return the kind of each card in a hand, in the order in which they are drawn."""
    return [kind for kind in range(c.NUM_HAND_CARDS) for _ in range(int(state.hand[seat, kind]))]


def hand_spots(count: int) -> list[tuple[float, float]]:
    """Return the positions of the cards of a hand on its panel."""
    step = min(109.0, 545 / max(1, count))
    return [(416 + step * order, 6) for order in range(count)]
