"""The table of *Corre el encierro* as an SVG, as a seat sees it or open to all.

For a seat the picture only depends on information of that seat (C11.1, C11.2): every redeal gives the same bytes.
The asked seat is only visible when it is public, as the target of a card.
"""

from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text, titled, without_pieces
from sobremesa.envs.corre_el_encierro.cards import (
    CARDS,
    LAST_LOCATION,
    LOCATION_NAMES,
    NO_CARD,
    NUM_CARDS,
    NUM_HAND_CARDS,
    NUM_LOCATIONS,
    NUM_OBJECTS,
    must_be_shown,
)
from sobremesa.envs.corre_el_encierro.drawing import cards, pieces
from sobremesa.envs.corre_el_encierro.drawing.pieces import DARK_RED, FAINT, GOLD, INK, RED
from sobremesa.envs.corre_el_encierro.state import (
    BEHIND,
    MAX_THEFTS,
    NOBODY,
    OUT,
    PLAYING,
    WARNED,
)
from sobremesa.envs.corre_el_encierro.text.scene import ASKED, ENDINGS, STATUS, WORDS

_WIDTH = 1000
_MIDDLE = (425, 313)  # of the card that is being resolved
_PILE, _DISCARDS = (556, 250), (672, 250)
_PANELS, _PANEL_HEIGHT, _PANEL_STEP = 452, 108, 119  # the runners, one below the other
PERSON = (292, _PANEL_HEIGHT)  # across and down, a runner's part of the panel
SPECIAL = (302, 6)  # where his special object lies there
DRAW_PILE = (_PILE[0], _PILE[1] - 15, 84, 131)
_ORANGE = "#e8890c"
_TITLE = "Corre el encierro"


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, as an SVG with words in `language` (C11)."""
    return without_pieces(followed(table, seat, language))


def followed(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the scene with names for the pieces that a page may follow."""
    state = table[0]
    height = _PANELS + _PANEL_STEP * int(state.seats) + 2
    drawn = (
        pieces.ground(_WIDTH, height),
        pieces.confetti(_WIDTH, height) if state.over else "",
        _header(state, seat, language),
        _course(state, WORDS[language]["closed"]),
        _flight(state),
        _runners(state),
        _middle(state, language),
        _piles(state, language),
        *(_panel(state, one, seat, language) for one in range(int(state.seats))),
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="DejaVu Sans, Verdana, sans-serif">{"".join(drawn)}</svg>'
    )


# What stands in a state, in the terms of the picture.


def _struck(state: Any) -> int:
    """Return the present target of a card, which is public, or `NOBODY` (C5.1, C6.1)."""
    return NOBODY if state.over else int(state.struck)


def _waiting(state: Any) -> list[int]:
    """Return the next runners that the card will hit, in order."""
    if _struck(state) == NOBODY:
        return []
    return [int(seat) for seat in state.queue if seat != NOBODY and state.status[seat] != OUT]


def _threatened(state: Any) -> list[int]:
    """Return the runners on the location of the sweep (C9.1)."""
    if state.over or not state.closing:
        return []
    return [seat for seat in range(int(state.seats)) if int(state.place[seat]) == int(state.closed)]


def _known(state: Any, viewer: int | None, seat: int) -> list[int]:
    """Return the cards stolen from `viewer` that are certainly in the hand of `seat` (C11.1)."""
    return sorted(
        int(state.theft_kind[theft])
        for theft in range(MAX_THEFTS)
        if int(state.theft_kind[theft]) != NO_CARD
        and int(state.theft_from[theft]) == viewer
        and int(state.theft_hands[theft]) == 1 << seat
    )


# The course.


def _course(state: Any, word: str) -> str:
    """Draw the seven locations, those turned down closed, the Cabestros on the last of them (C9.1)."""
    closed, occupied = int(state.closed), bool(_threatened(state))
    drawn = []
    for number in range(1, NUM_LOCATIONS + 1):
        nailed = not (number == closed and occupied)
        shape = pieces.location(number) if number > closed else pieces.closed_location(number, word, nailed)
        if number == closed:
            herd = place(-50, -1, pieces.ox_head(), 0.62) + place(50, -1, pieces.ox_head(), 0.62)
            shape += herd + place(0, 0, pieces.ox_head(), 0.7)
        drawn.append(place(*pieces.COURSE[number - 1], shape))
    return "".join(drawn)


def runner_spots(state: Any) -> dict[int, tuple[float, float]]:
    """Return the position of each runner in the picture, without those who are out."""
    spots: dict[int, tuple[float, float]] = {}
    for number in range(1, NUM_LOCATIONS + 1):
        here = [seat for seat in range(int(state.seats)) if int(state.place[seat]) == number]
        x, y = pieces.COURSE[number - 1]
        foot = y + (10 if number == LAST_LOCATION else 27)
        for order, seat in enumerate(here):
            spots[seat] = (x + 33.5 * (order - (len(here) - 1) / 2), foot)
    return spots


def _runners(state: Any) -> str:
    """Draw the runners on their locations, with marks on those behind the barrier, struck, waiting or threatened."""
    struck, waiting, threatened = _struck(state), _waiting(state), _threatened(state)
    drawn: list[str] = []
    alarms: list[str] = []
    for seat, (x, y) in runner_spots(state).items():
        shape = pieces.runner(seat)
        if seat == struck:
            shape = pieces.burst(25) + shape
        elif state.over and state.winner[seat]:
            shape = f'<circle r="22" fill="{GOLD}" fill-opacity=".7" stroke="#fff" stroke-width="2"/>{shape}'
        if int(state.status[seat]) == BEHIND:
            shape += place(0, 14, pieces.fence(44), 0.8)
        elif int(state.status[seat]) == WARNED:
            shape += place(0, 18, pieces.fence(26), 0.6)
        if seat in waiting or seat in threatened:
            alarms.append(place(x + 10, y - 14, pieces.alarm(_ORANGE if seat in waiting else RED)))
        drawn.insert(0 if seat == struck else len(drawn), place(x, y, shape, piece=f"runner-{seat}"))
    return "".join(drawn + alarms)


def _way(spot: tuple[float, float], aside: float) -> tuple[str, str, str]:
    """Return how a card flies between the middle and a runner: where it leaves, how it bends, where it arrives."""
    x, y = spot
    if y > 250:  # the first location, beside the middle: from below
        return f"{_MIDDLE[0] - 60},{_MIDDLE[1] + 70 + aside:g}", f"{x:.1f},438", f"{x:.1f},{y + 22:.1f}"
    side = 50 if x > _MIDDLE[0] else -50
    return f"{_MIDDLE[0] + side + aside:g},{_MIDDLE[1] - 78}", f"{x:.1f},{y + 56:.1f}", f"{x:.1f},{y + 22:.1f}"


def _flight(state: Any) -> str:
    """Draw the way of the card that is being resolved, from its sender or the pile to its target."""
    struck, sender = _struck(state), int(state.sender)
    if struck == NOBODY:
        return ""
    spots = runner_spots(state)
    leaves, bend, arrives = _way(spots[struck], -8)
    drawn = [
        '<defs><marker id="encierro-tip" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="3.2" markerHeight="3.2" '
        f'orient="auto"><path d="M0,0 L10,5 L0,10 Z" fill="{RED}"/></marker></defs>'
    ]
    if sender != NOBODY and sender in spots:
        end, curve, start = _way(spots[sender], 14)
        colour = pieces.SEAT_COLOURS[sender]
        for stroke, thick, dash in ((INK, 8, ""), (colour, 5.5, ""), ("#fff", 1.6, ' stroke-dasharray="7 7"')):
            drawn.append(
                f'<path d="M{start} Q{curve} {end}" fill="none" stroke="{stroke}" stroke-width="{thick}"{dash}/>'
            )
    elif sender == NOBODY:
        y = _MIDDLE[1] - 8
        drawn.append(
            f'<path d="M{_PILE[0] + 8},{y} H{_MIDDLE[0] + 40}" stroke="{RED}" stroke-width="7" stroke-dasharray="9 5"/>'
        )
    drawn.append(f'<path d="M{leaves} Q{bend} {arrives}" fill="none" stroke="#fff" stroke-width="10"/>')
    drawn.append(
        f'<path d="M{leaves} Q{bend} {arrives}" fill="none" stroke="{RED}" stroke-width="6.5" '
        'marker-end="url(#encierro-tip)"/>'
    )
    return "".join(drawn)


# The middle of the table.


def _middle(state: Any, language: str) -> str:
    """Draw the card that is being resolved, the passing Cabestros, the winner, or the turn."""
    if state.over:
        return place(*_MIDDLE, _winner_sign(state, language))
    if _struck(state) != NOBODY:
        return place(*_MIDDLE, cards.big_face(int(state.card)) + place(0, 117, _order(state)), piece="card")
    if state.closing:
        closes = WORDS[language]["closes"].format(LOCATION_NAMES[int(state.closed) - 1])
        return place(*_MIDDLE, cards.big_cabestros(closes))
    return place(*_MIDDLE, _turn_sign(state, language))


def _order(state: Any) -> str:
    """Draw in a row the source of the card, its target, and its next targets."""
    struck, waiting, sender = _struck(state), _waiting(state), int(state.sender)
    source = pieces.MARKS["pile"] if sender == NOBODY else pieces.runner(sender, 13)
    arrow = f'<path d="M-11,-3 H2 V-8 L12,0 L2,8 V3 H-11 Z" fill="{RED}"/>'
    row = [source, arrow, place(0, 0, pieces.burst(18)) + pieces.runner(struck, 13)]
    for seat in waiting:
        row.append(pieces.runner(seat, 13) + place(9, -10, pieces.alarm(_ORANGE), 0.8))
    left = -18.0 * (len(row) - 1)
    return "".join(place(left + 36 * spot, 0, shape) for spot, shape in enumerate(row))


def _turn_sign(state: Any, language: str) -> str:
    """Draw the public state of the turn."""
    words = WORDS[language]
    does = words["plays"] if int(state.phase) == PLAYING else words["draws" if state.drawn else "discards"]
    inside = place(0, -8, pieces.runner(int(state.turn), 34)) + text(0, 56, does, 18, INK, room=148)
    if state.moved:
        inside += text(0, 78, words["moved"], 13.5, FAINT, room=148)
    return cards.sign(inside)


def _winner_sign(state: Any, language: str) -> str:
    winners = [seat for seat in range(int(state.seats)) if state.winner[seat]]
    step = min(50, 120 / len(winners))
    tokens = (
        place(step * (order - (len(winners) - 1) / 2), -14, pieces.runner(seat, 34 if len(winners) == 1 else 22))
        for order, seat in enumerate(winners)
    )
    ending = ENDINGS[language][int(state.ending)]
    return cards.sign(
        place(0, -12, pieces.burst(58))
        + "".join(tokens)
        + text(0, 68, _winners(winners, language), 17, RED, room=150)
        + text(0, 85, ending, 12.5, INK, room=150)
    )


def _winners(winners: list[int], language: str) -> str:
    words = WORDS[language]
    signs = [str(seat) for seat in winners]
    if len(signs) == 1:
        return words["sole"].format(signs[0])
    return words["shared"].format(", ".join(signs[:-1]) + words["and"] + signs[-1])


def _piles(state: Any, language: str) -> str:
    """Draw the pile, the discard pile, and the bulls and falls that may still come (C5.1)."""
    words = WORDS[language]
    drawn = [place(*_PILE, cards.draw_pile(int(state.pile_size)))]
    drawn.append(place(*_DISCARDS, cards.discard_pile(int(state.discards.sum()))))
    drawn.append(text(_PILE[0] + 42, _PILE[1] + 132, words["pile"], 18, INK))
    drawn.append(text(_DISCARDS[0] + 42, _DISCARDS[1] + 132, words["discard pile"], 18, INK))
    for order, kind in enumerate(filter(must_be_shown, range(NUM_CARDS))):
        gone = bool(state.discards[kind]) or int(state.card) == kind
        shape = titled(CARDS[kind].name, cards.picture(kind))
        faded = f'<g opacity=".22">{shape}</g>' if gone else shape
        drawn.append(place(_PILE[0] - 8 + 27 * order, _PILE[1] + 157, faded, 0.54))
    drawn.append(text(_PILE[0] + 100, _PILE[1] + 188, words["come"], 18, FAINT))
    return "".join(drawn)


# The words above and the runners below.


def _header(state: Any, viewer: int | None, language: str) -> str:
    words = WORDS[language]
    if state.over:
        stands = _winners([seat for seat in range(int(state.seats)) if state.winner[seat]], language)
    else:
        stands = words["runner's turn"].format(int(state.turn))
    sees = words["open"] if viewer is None else words["sees"].format(viewer)
    parts = "  ·  ".join((words["round"].format(int(state.closed) + 1), stands, sees))
    return text(22, 68, _TITLE, 32, DARK_RED, f'{LEFT_BOLD} letter-spacing=".3"') + text(
        _WIDTH - 22, 66, parts, 16, INK, 'text-anchor="end" font-weight="bold"'
    )


def _badges(state: Any, seat: int, viewer: int | None, language: str) -> list[tuple[str, str, str]]:
    """Return the badges of a runner as (words, colour, ink); questions only in the runner's own view (C11.2)."""
    words = WORDS[language]
    if state.over:
        return [(words["wins"], GOLD, INK)] if state.winner[seat] else []
    marks = []
    asked = int(state.seat) == seat and viewer in (None, seat)
    if asked:
        marks.append((ASKED[language][int(state.stage)], RED, "#fff"))
    elif seat == _struck(state):
        marks.append((words["struck"], RED, "#fff"))
    elif seat in _threatened(state):
        marks.append((words["danger"], RED, "#fff"))
    if seat in _waiting(state):
        marks.append((words["waits"], _ORANGE, "#fff"))
    if int(state.turn) == seat and int(state.status[seat]) != OUT:
        marks.append((words["turn"], GOLD, INK))
    return marks


def _panel(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw a runner's panel: name, status, objects, special object and hand."""
    marks = _badges(state, seat, viewer, language)
    edge = f'stroke="{marks[0][1]}" stroke-width="3.5"' if marks else 'stroke="#d9bd8a" stroke-width="1.2"'
    drawn = [_board(seat, edge), _person(state, seat, viewer, language)]
    if int(state.status[seat]) == OUT:
        stamp = pieces.stamp(STATUS[language][OUT])
        return place(*panel_corner(seat), f'<g opacity=".55">{"".join(drawn)}</g>{place(640, 54, stamp)}')
    special = int(state.special[seat])
    drawn += [
        place(
            *SPECIAL,
            cards.empty_slot(WORDS[language]["special"]) if special == NO_CARD else cards.face(special),
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


def _person(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw a runner's token, location, status and objects, kept and lost (C5.4, C8, C10.4)."""
    words, status, number = WORDS[language], int(state.status[seat]), int(state.place[seat])
    name = words["runner"].format(seat) + (f" · {words['you']}" if seat == viewer else "")
    drawn = [place(42, 28, pieces.runner(seat, 20)), text(70, 29, name, 17, INK, LEFT_BOLD)]
    if status == OUT:
        drawn.append(text(70, 48, STATUS[language][OUT], 15.5, DARK_RED, ""))
    elif status in (WARNED, BEHIND):
        drawn.append(text(70, 48, f"{number} · {STATUS[language][status]}", 15.5, DARK_RED, "", 165))
        drawn.append(place(264, 27, pieces.fence(36)))
    else:
        drawn.append(text(70, 48, f"{number} {LOCATION_NAMES[number - 1]}", 15.5, INK, "", 210))
    for one in range(NUM_OBJECTS):
        drawn.append(place(48 + 52 * one, 80, pieces.belonging(one, one < int(state.objects[seat]))))
    return "".join(drawn)


def _hand(state: Any, seat: int, viewer: int | None, language: str) -> str:
    """Draw the hand of a runner: faces in the runner's own view, known cards and backs in others (C11.1)."""
    size, names = int(state.hand_size[seat]), [""] * int(state.hand_size[seat])
    if viewer is None or viewer == seat:
        kinds = hand_kinds(state, seat)
        faces = [cards.face(kind) for kind in kinds]
        names = [f"card-{seat}-{kind}-{kinds[:order].count(kind)}" for order, kind in enumerate(kinds)]
    else:
        known = _known(state, viewer, seat)
        knows = WORDS[language]["knows"]
        faces = [cards.remembered(kind, knows.format(CARDS[kind].name)) for kind in known]
        faces += [cards.back()] * (size - len(known))
    spots = hand_spots(size)
    return "".join(place(*spot, face, piece=name) for spot, face, name in zip(spots, faces, names, strict=True))


def hand_kinds(state: Any, seat: int) -> list[int]:
    """Return the kind of each card in a hand, in the order in which they are drawn."""
    return [kind for kind in range(NUM_HAND_CARDS) for _ in range(int(state.hand[seat, kind]))]


def hand_spots(count: int) -> list[tuple[float, float]]:
    """Return the positions of the cards of a hand on its panel."""
    step = min(109.0, 545 / max(1, count))
    return [(416 + step * order, 6) for order in range(count)]
