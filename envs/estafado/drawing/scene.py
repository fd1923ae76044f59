"""The table of *Estafado* as an SVG, as a seat sees it or open to all.

For a seat the picture only depends on information of that seat (C12.1): every redeal gives the same bytes. For PUBLIC
it only depends on information that both seats have.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.core.picture.drawing import picture, place, text, titled
from sobremesa.envs.core.picture.narrow_screen import moved
from sobremesa.envs.core.wording import Box
from sobremesa.envs.estafado.board import (
    CELL_NAMES,
    LINE,
    NO_SPACE,
    NOWHERE,
    NUM_CELLS,
    RING,
    SIDE,
    SUN_START,
    space_name,
)
from sobremesa.envs.estafado.cards import HAND_SIZE, HURRICANE
from sobremesa.envs.estafado.drawing import board, cards, panels, pieces as p, tokens
from sobremesa.envs.estafado.drawing.pieces import box, darkness, land, light, line
from sobremesa.envs.estafado.state import BEAR, CROW, DIVING, EAGLE, FOX, GO_ON, LOOK, SLIDE, START
from sobremesa.envs.estafado.text.story import knows
from sobremesa.envs.estafado.text.words import PICTURE, WORDS

_WIDTH, _HEIGHT = 1000, 750
PANELS = (654, 80)  # their corner
LARGE = 20.0  # letters of cells and spaces in a narrow picture: 11 pixels or more on a phone
_TITLE = "Estafado"
_FOX_SPOT = ((87.0, 91.0), 0.9)  # on a card, and its scale: the name and most of the picture stay visible


class Places(NamedTuple):
    """The boxes of things that a seat can point at, in one of the pictures."""

    vixen: Box
    deck: Box  # its top card
    hand: list[Box]  # by slot
    cells: list[Box]
    spaces: list[Box]  # of the ring


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C12.1)."""
    state = states[0]
    drawn = (
        land(_WIDTH, _HEIGHT, int(state.sun)),
        _header(state, seat, language),
        floor(state, seat, language),
        place(*PANELS, panels.panels(state, seat, language)),
    )
    return picture(_WIDTH, _HEIGHT, drawn)


def floor(state: Any, viewer: int | None, language: str, large: bool = False) -> str:
    """Draw the ring, the cards within it and the tokens; `large` names are legible in a narrow picture."""
    sun = int(state.sun)
    drawn = (
        board.ring(sun, language, LARGE if large else 10.5),
        board.ground(sun),
        _crow_line(state, language, True),
        *(
            place(*board.corner(cell), _card(state, cell, viewer, language, large), piece=f"card-{CELL_NAMES[cell]}")
            for cell in range(NUM_CELLS)
        ),
        board.dusk(sun),
        _crow_line(state, language, False),
        _figures(state, language),
        _flyers(state, language),
    )
    return "".join(drawn)


def places(_: Any) -> Places:
    """Return the boxes of things in the scene that a seat can point at."""
    return places_at(PANELS, panels.TOPS, 1, (0, 0, 1))


def places_at(
    corner: tuple[float, float], tops: Mapping[int, float], scale: float, ground: tuple[float, float, float]
) -> Places:
    """Return the boxes of things in a picture with the panels at a corner, so scaled, and the floor (x, y, scale)."""

    def on_panel(box: Box, which: int) -> Box:
        return moved(box, corner[0], corner[1] + tops[which], scale)

    cells = ((*board.corner(cell), float(cards.WIDTH), float(cards.HEIGHT)) for cell in range(NUM_CELLS))
    return Places(
        vixen=on_panel(panels.VIXEN, FOX),
        deck=on_panel(panels.TOP_CARD, panels.DECK),
        hand=[on_panel(panels.hand_box(slot), FOX) for slot in range(HAND_SIZE)],
        cells=[moved(box, *ground) for box in cells],
        spaces=[moved(board.space_box(space), *ground) for space in range(RING)],
    )


def eyes_of(viewer: int | None, language: str) -> str:
    """Return how the table is seen."""
    return PICTURE[language][{None: "view_open", PUBLIC: "view_public"}.get(viewer, f"view{viewer}")]


def _header(state: Any, viewer: int | None, language: str) -> str:
    sun = int(state.sun)
    ink, around = light(sun)["ink"], "#fff8e4" if darkness(sun) < 0.6 else "#1a2140"
    halo = f'stroke="{around}" stroke-opacity=".75" stroke-width="5" stroke-linejoin="round" paint-order="stroke"'
    seen = f"{panels.rounds(state, language)}  ·  {eyes_of(viewer, language)}"
    title = text(22, 54, _TITLE, 38, ink, f'{p.LEFT} letter-spacing="1" {halo}')
    return title + text(_WIDTH - 20, 52, seen, 16, ink, f"{p.RIGHT} {halo}")


# The cards.


def _crow_line(state: Any, language: str, under: bool) -> str:
    """Draw a band under the five cards that the crow can look at, or a frame around them (C8.2)."""
    line = LINE[int(state.crow)].tolist()
    (x, y), (right, foot) = board.corner(min(line)), board.corner(max(line))
    area = (x - 3, y - 3, right - x + cards.WIDTH + 6, foot - y + cards.HEIGHT + 6)
    if under:
        return titled(PICTURE[language]["line"], box(*area, 11, "#a583de"))
    return box(*area, 11, "#a583de", 'fill-opacity=".07" stroke="#d3bbff" stroke-width="2.6"')


def _card(state: Any, cell: int, viewer: int | None, language: str, large: bool) -> str:
    """Draw the card on a cell as `viewer` knows it, with its public marks (C12.1)."""
    kind = int(state.cards[cell])
    known = [bool(state.known[FOX, cell]), bool(state.known[CROW, cell])]
    mine = knows(state, cell, viewer)
    if state.up[cell]:
        shown = cards.large_face(kind, language, False) if large else cards.face(kind, language)
        if state.shown[cell]:
            shown = cards.frame(3, 11, p.GOLD) + shown
    elif mine and kind == HURRICANE:
        shown = cards.back(True, language)
    elif mine:
        shown = cards.large_ghost(kind, language, False) if large else cards.ghost(kind, language)
    else:
        shown = cards.back(False, language)
    drawn = [shown]
    if not state.up[cell] and not (mine and kind == HURRICANE):
        seats = [seat for seat in (FOX, CROW) if known[seat] and seat != viewer]
        for order, seat in enumerate(seats):
            spot = (90 - 20 * order, 3) if large else (87 - 20 * order, 42)  # large names fill the card
            drawn.append(place(*spot, cards.seen_by(seat, language)))
        if not mine and (state.no_rabbit[cell] or state.swappable[cell]):
            marks = cards.public_marks(bool(state.no_rabbit[cell]), bool(state.swappable[cell]), language)
            drawn.append(place(15, 91, marks))
    drawn.append(_cell_name(cell, bool(state.up[cell]), large))
    if int(state.vixen) == cell:
        dashes = 'fill-opacity=".08" stroke="#f06a98" stroke-width="3.4" stroke-dasharray="7 4"'
        drawn.append(cards.frame(1.5, 10, "#ff9fc0", dashes))
    if int(state.chosen) == cell:
        drawn.append(titled(f"{PICTURE[language]['chosen']}: {CELL_NAMES[cell]}", _chosen(large)))
    return "".join(drawn)


@cache
def _cell_name(cell: int, up: bool, large: bool) -> str:
    """Write the name of a cell at the foot of its card; a large one has a halo, since it is over the animal."""
    ink, ground = ("#8a7350", p.PAPER) if up else ("#c5d8bd", "#3f6a4a")
    if not large:
        return text(92, 99, CELL_NAMES[cell], 10.5, ink, 'text-anchor="end"')
    halo = f'text-anchor="end" stroke="{ground}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
    return text(95, 100, CELL_NAMES[cell], LARGE, "#5f4c2e" if up else "#dcebd5", halo)


@cache
def _chosen(large: bool) -> str:
    frame = cards.frame(2, 10, "none", f'stroke="{p.GOLD}" stroke-width="4.5"')
    sign = f'<circle r="13" fill="{p.GOLD}" stroke="#fff" stroke-width="1.6"/>' + place(0, -0.5, cards.arrows(p.INK))
    return frame + place(*((8.0, 0.0, sign, 0.8) if large else (86.0, 38.0, sign)))


# The tokens.


def _spot(cell: int, aside: float = 77, down: float = 82) -> tuple[float, float]:
    x, y = board.corner(cell)
    return x + aside, y + down


def _named(language: str, token: str, where: str, body: str) -> str:
    return titled(f"{WORDS[language][token]}: {where}", body)


def _figures(state: Any, language: str) -> str:
    """Draw vixen, bear and fox on their cards, and tracks at the start of the step (C4.1, C10)."""
    fox, bear, vixen, started = int(state.fox), int(state.bear), int(state.vixen), int(state.fox_start)
    asked = _asked(state)
    drawn = []
    if started != fox and not state.over and asked <= DIVING:
        tracks = place(*_spot(started, 72, 84), tokens.TRACKS)
        drawn.append(_trail(_spot(started, 50, 56), _spot(fox, 50, 56)))
        drawn.append(titled(f"{PICTURE[language]['start']} {CELL_NAMES[started]}", tracks))
    if vixen != NOWHERE:
        named = _named(language, "vixen_token", CELL_NAMES[vixen], tokens.vixen())
        drawn.append(place(*_spot(vixen, 45, 88), named, 0.78, "vixen"))
    angle = None
    if int(state.bear_before) != NOWHERE:
        angle = {-SIDE: 0, 1: 90, SIDE: 180, -1: 270}[int(state.bear_before) - bear]
    token = (tokens.HALO if asked == BEAR else "") + tokens.bear(angle)
    if state.bear_skip and not state.over:
        token += place(14, -20, tokens.DOZE, 0.9)
    meet = fox == bear
    if meet:
        drawn.append(place(*_spot(fox, 54, 72), tokens.burst(56)))
    drawn.append(place(*_spot(bear), _named(language, "bear", CELL_NAMES[bear], token), 1.06, "bear"))
    mine = START < asked < DIVING
    token = (tokens.HALO if mine else "") + tokens.fox()
    named = _named(language, "fox", CELL_NAMES[fox], token)
    spot, scale = ((30.0, 82.0), 1.12) if meet else _FOX_SPOT
    drawn.append(place(*_spot(fox, *spot), named, scale, "fox"))
    return "".join(drawn)


def _asked(state: Any) -> int:
    """Return the question; GO_ON, which has no question, once the deal is over."""
    return GO_ON if state.over else int(state.stage)


def _trail(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Draw the fox's way as a dotted arc."""
    (x, y), (a, b) = one, other
    bend = f"{(x + a) / 2 - (b - y) * 0.18:.1f},{(y + b) / 2 + (a - x) * 0.18:.1f}"
    way = f"M{x:g},{y:g} Q{bend} {a:g},{b:g}"
    return line(way, "#fff", 6, 'stroke-dasharray="0.1 10" stroke-opacity=".95"') + line(
        way, p.SEAT_COLOURS[FOX], 3.6, 'stroke-dasharray="0.1 10"'
    )


def _flyers(state: Any, language: str) -> str:
    """Draw sun, eagle and crow on the ring, next to each other where they share a space (C3.2, C8, C9)."""
    asked = _asked(state)
    sun, eagle, crow = (SUN_START + int(state.sun)) % RING, int(state.eagle), int(state.crow)
    night = int(state.sun) == RING
    flyers = [("moon" if night else "sun", sun, tokens.sun(int(state.sun), RING))]
    if eagle != NO_SPACE:
        flyers.append(("eagle", eagle, (tokens.HALO if asked in (EAGLE, DIVING) else "") + tokens.eagle()))
    mark = tokens.HALO if asked in (SLIDE, LOOK) else ""
    flyers.append(("crow", crow, mark + tokens.crow(not state.winner[FOX])))
    drawn = []
    if eagle == crow:
        drawn.append(place(*board.middle_of(crow), tokens.burst(46)))
    for name, space, token in flyers:
        here = [one for one, other, _ in flyers if other == space]
        off = 35.0 * (here.index(name) - (len(here) - 1) / 2)
        x, y = board.middle_of(space)
        x, y = (x + off, y) if space // SIDE in (0, 2) else (x, y + off)
        named = _named(language, name, space_name(space, language), token)
        drawn.append(place(x, y, named, 0.98, "sun" if name == "moon" else name))
    return "".join(drawn)
