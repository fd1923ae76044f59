"""The table of *Ese Toro enamorado* as an SVG, as a seat sees it or open to all.

For a seat the picture only depends on information of that seat (C9.1): every redeal gives the same bytes. For PUBLIC
it only depends on information that all seats have.
"""

from functools import cache
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.core.picture.drawing import picture, place, titled
from sobremesa.envs.ese_toro_enamorado.board import (
    DEGREE,
    LILY,
    MOUNTAIN,
    NO_MOUNTAIN,
    NO_SHORE,
    NO_TILE,
    NUM_NODES,
    NUM_SHORES,
    OUTER,
    PATHS,
    PHASE_NAMES,
    PLACE_NAMES,
    POSITIONS,
    SHORE,
    STANDARD,
    TILE_NAMES,
    WATER,
)
from sobremesa.envs.ese_toro_enamorado.drawing import panels, pieces
from sobremesa.envs.ese_toro_enamorado.drawing.pieces import ART, GOLD, HEIGHT, LIGHTS, SEAT_COLOURS, WIDTH, text
from sobremesa.envs.ese_toro_enamorado.knowledge import knows
from sobremesa.envs.ese_toro_enamorado.state import CHOOSE, DAY, EXTRA, NIGHT
from sobremesa.envs.ese_toro_enamorado.text.words import PIECES, TITLE, place_name

_LEFT, _TOP, _ACROSS, _DOWN = 20, 88, 660, 656  # the meadow
_MIDDLE = (350.0, 421.0)  # the middle of the lake
_REACH = 262.0  # from there to the mountains, across and down
MEADOW = (14, 82, 672, 670)  # with its margins
_OFF_SHORE = 0.6  # how far moon and lily lie from the middle of the lake, as a share of the way to their shore
_BOLD = 'text-anchor="middle" font-weight="bold"'

_WORDS = {
    "en": {
        "round": "Round {}", "vuelta": "turn {}", "open": "open table", "public": "what all see",
        "sole": "Player {} wins", "shared": "Players {} win", "and": " and ",
        CHOOSE: "the bulls choose their mountains", DAY: "day, tiles are laid", NIGHT: "night, the bulls walk",
        EXTRA: "night, an extra step",
    },
    "es": {
        "round": "Ronda {}", "vuelta": "vuelta {}", "open": "mesa abierta",
        "public": "lo que ven todos", "sole": "Gana el jugador {}", "shared": "Ganan los jugadores {}", "and": " y ",
        CHOOSE: "los toros eligen monte", DAY: "día, se colocan fichas", NIGHT: "noche, andan los toros",
        EXTRA: "noche, un paso más",
    },
}  # fmt: skip


class Places(NamedTuple):
    """Where things are that a seat can point at, in one of the pictures."""

    hand: list[tuple[float, float]]  # its tiles
    tile_scale: float
    spots: dict[int, tuple[float, float]]  # of places
    bull: tuple[float, float]
    scale: float  # of the meadow


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C9.1)."""
    state = table[0]
    mood = mood_of(state)
    drawn = (
        pieces.gradients(mood),
        pieces.sky(mood),
        _land(int(state.board), mood, language),
        _header(state, seat, language, mood),
        _on_the_land(state, seat, language, mood, 1.0),
        *(panels.panel(state, one, seat, language, mood) for one in range(int(state.seats))),
        place(*panels.KEY, panels.key(state, language, mood)),
    )
    return picture(WIDTH, HEIGHT, drawn)


def mood_of(state: Any) -> str:
    """Return the light in which a state is drawn."""
    return "night" if int(state.stage) in (NIGHT, EXTRA) else "dusk"


def meadow(state: Any, viewer: int | None, language: str, mood: str, letters: float) -> str:
    """Draw the meadow with the pieces on it, and the names of places `letters` times as large."""
    return _land(int(state.board), mood, language) + _on_the_land(state, viewer, language, mood, letters)


def _on_the_land(state: Any, viewer: int | None, language: str, mood: str, letters: float) -> str:
    lake = _moon_and_lily(state, mood, language)
    drawn = (_flags(state), lake, _tiles(state, viewer, language), _bulls(state, language))
    return "".join(drawn) + _names(state, mood, letters, language)


def _titled(place_: int, language: str, body: str) -> str:
    """Return what is drawn on a place with the name of the place and its kind as the title."""
    return titled(place_name(PLACE_NAMES[place_], language), body)


def places(state: Any, seat: int) -> Places:
    """Return where things are that `seat` can point at."""
    hand = [panels.hand_spot(seat, slot) for slot in range(len(panels.hand_kinds(state, seat)))]
    return Places(hand, 1.0, spots_of(int(state.board)), bull_spot(state, seat), 1.0)


# The land: all that stays the same from state to state.


@cache
def spots_of(board: int) -> dict[int, tuple[float, float]]:
    """Return the position of each place of `board` in the picture; the standard lake is drawn somewhat wider."""
    middle = max(x for x, _ in POSITIONS[board].values()) / 2
    rings = ((0.0, 1.0, 2.0, 3.0), (0.0, 1.3, 2.18, 3.0)) if board == STANDARD else ((0.0, 2.0), (0.0, 2.0))
    spots = {}
    for name, (x, y) in POSITIONS[board].items():
        ring = max(abs(x - middle), abs(y - middle))
        scale = float(np.interp(ring, *rings)) / ring * _REACH / middle
        spots[PLACE_NAMES.index(name)] = (_MIDDLE[0] + (x - middle) * scale, _MIDDLE[1] + (y - middle) * scale)
    for shore in range(NUM_SHORES):
        spots[WATER + shore] = _towards_middle(spots[SHORE + shore], _OFF_SHORE)
    return spots


def _towards_middle(spot: tuple[float, float], share: float) -> tuple[float, float]:
    return _MIDDLE[0] + (spot[0] - _MIDDLE[0]) * share, _MIDDLE[1] + (spot[1] - _MIDDLE[1]) * share


def _nodes(board: int) -> list[int]:
    return [node for node in range(NUM_NODES) if DEGREE[board, node] > 0]


@cache
def _land(board: int, mood: str, language: str) -> str:
    """Draw the meadow, its paths, trees and mountains, the lake and the stones of the crossings."""
    light, spots = LIGHTS[mood], spots_of(board)
    box = f'x="{_LEFT}" y="{_TOP}" width="{_ACROSS}" height="{_DOWN}" rx="22"'
    foot = f'<ellipse cx="2" cy="46" rx="64" ry="13" fill="{light["foot"]}"/>'
    feet = "".join(place(*spots[node], foot) for node in range(MOUNTAIN, OUTER))
    peak, stone = ART["mountain"].format(**light), ART["stone"].format(**light)
    peaks = "".join(_titled(node, language, place(*spots[node], peak)) for node in range(MOUNTAIN, OUTER))
    crossings = [node for node in _nodes(board) if node >= OUTER]
    stones = "".join(_titled(node, language, place(*spots[node], stone)) for node in crossings)
    return (
        f'<rect {box} transform="translate(0 5)" fill="#000" fill-opacity=".3"/>'
        f'<rect {box} fill="url(#meadow-{mood})" stroke="{light["path_edge"]}" stroke-width="2"/>'
        f"{feet}{_lake(board, mood)}{_paths(board, light)}{_plants(board, light)}{peaks}{stones}"
    )


def _paths(board: int, light: dict[str, str]) -> str:
    """Draw the paths, each bent a little so that they look trodden rather than ruled."""
    strokes = []
    for index, (one, other) in enumerate(PATHS[board]):
        (x, y), (a, b) = spots_of(board)[one], spots_of(board)[other]
        lean = 0.09 if index % 2 else -0.09
        bend = f"{(x + a) / 2 - (b - y) * lean:.1f},{(y + b) / 2 + (a - x) * lean:.1f}"
        strokes.append(f"M{x:.1f},{y:.1f} Q{bend} {a:.1f},{b:.1f}")
    ways = " ".join(strokes)
    layers = ((15, "path_edge", ""), (11, "path", ""), (1.6, "path_fleck", ' stroke-dasharray="1.5 9"'))
    return "".join(
        f'<path d="{ways}" fill="none" stroke="{light[colour]}" stroke-width="{thick}" stroke-linecap="round"{dash}/>'
        for thick, colour, dash in layers
    )


def _ring(board: int, share: float) -> str:
    """Return a smooth closed curve that rounds off the ring of shores, grown from the middle by `share`."""
    points = [_towards_middle(spots_of(board)[SHORE + shore], share) for shore in range(NUM_SHORES)]
    halfway = [((x + a) / 2, (y + b) / 2) for (x, y), (a, b) in zip(points, points[1:] + points[:1], strict=True)]
    bends = "".join(
        f" Q{x:.1f},{y:.1f} {a:.1f},{b:.1f}"
        for (x, y), (a, b) in zip(points[1:] + points[:1], halfway[1:] + halfway[:1], strict=True)
    )
    return f"M{halfway[0][0]:.1f},{halfway[0][1]:.1f}{bends} Z"


def _lake(board: int, mood: str) -> str:
    light = LIGHTS[mood]
    beach = f'<path d="{_ring(board, 1.07)}" fill="{light["sand"]}" stroke-linejoin="round"'
    ripples = "".join(
        f'<path d="M{_MIDDLE[0] + x},{_MIDDLE[1] + y} q5,-3 10,0 t10,0"/>' for x, y in ((-24, -14), (4, 3), (-16, 20))
    )
    return (
        f'{beach} stroke="{light["sand_edge"]}" stroke-width="46"/>{beach} stroke="{light["sand"]}" stroke-width="42"/>'
        f'<path d="{_ring(board, 0.87)}" fill="url(#lake-{mood})" stroke="#fff" stroke-opacity=".6" stroke-width="4"/>'
        f'<g fill="none" stroke="{light["ripple"]}"><g stroke-opacity=".45" stroke-width="1.4">{ripples}</g>'
        f'<path d="{_ring(board, 0.81)}" stroke-opacity=".35" stroke-width="1.5"/></g>'
    )


def _plants(board: int, light: dict[str, str]) -> str:
    """Strew tufts and olive trees over the meadow, where there is room for them."""
    tree, tuft = ART["olive_tree"].format(**light), ART["tuft"].format(**light)
    spots = [(_LEFT + 20 + x * (_ACROSS - 40), _TOP + 26 + y * (_DOWN - 52)) for x, y in pieces.scatter(190)]
    drawn = []
    for spot in sorted(spots, key=lambda one: one[1]):
        room = _room(board, spot)
        if room > 19:
            drawn.append(place(spot[0], spot[1] + 14, tree) if room > 34 else place(*spot, tuft))
    return "".join(drawn)


def _room(board: int, spot: tuple[float, float]) -> float:
    """Return how far `spot` is from the nearest path, mountain or beach."""
    spots = spots_of(board)

    def off(point: tuple[float, float]) -> float:
        return hypot(spot[0] - point[0], spot[1] - point[1])

    beach = max(hypot(x - _MIDDLE[0], y - _MIDDLE[1]) for x, y in (spots[SHORE + shore] for shore in range(NUM_SHORES)))
    room = min(off(_MIDDLE) - beach - 10, *(off(spots[node]) - 62 for node in range(MOUNTAIN, OUTER)))
    for one, other in PATHS[board]:
        (x, y), (a, b) = spots[one], spots[other]
        room = min(room, *(off((x + (a - x) * step / 8, y + (b - y) * step / 8)) for step in range(9)))
    return room


# The pieces on the land.


def _flags(state: Any) -> str:
    drawn = []
    for seat in range(int(state.seats)):
        if int(state.home[seat]) != NO_MOUNTAIN:
            x, y = spots_of(int(state.board))[MOUNTAIN + int(state.home[seat])]
            drawn.append(place(x + 33, y + 2, ART["flag"].format(colour=SEAT_COLOURS[seat])))
    return "".join(drawn)


def _moon_and_lily(state: Any, mood: str, language: str) -> str:
    """Draw the moon on the water next to its shore, and the lily, a little aside if it covers the moon (C6.5)."""
    spots, drawn = spots_of(int(state.board)), []
    covered = int(state.moon) != NO_SHORE and int(state.tile[WATER + int(state.moon)]) == LILY
    aside = 9 if covered else 0
    if int(state.moon) != NO_SHORE:
        x, y = spots[WATER + int(state.moon)]
        stripes = "".join(f"M{-half},{down} h{2 * half} " for half, down in ((18, 10), (13, 16), (20, 26), (11, 31)))
        shape = pieces.shining_moon(int(state.phase), 22, mood)
        shape += f'<path d="{stripes}" stroke="#bfe0ff" stroke-opacity=".55" stroke-width="1.6"/>'
        drawn.append(place(x - aside, y - aside, titled(moon_name(state, language), shape), piece="moon"))
    for shore in range(NUM_SHORES):
        if int(state.tile[WATER + shore]) == LILY:
            x, y = spots[WATER + shore]
            pad = pieces.lily_pad(SEAT_COLOURS[int(state.owner[WATER + shore])])
            drawn.append(place(x + aside, y + aside, titled(TILE_NAMES[language][LILY], pad), piece="lily"))
    return "".join(drawn)


def _tiles(state: Any, viewer: int | None, language: str) -> str:
    """Draw the tiles on crossings, with the kinds that `viewer` knows; an open table shows all (C9.1)."""
    drawn = []
    for node in _nodes(int(state.board)):
        if int(state.tile[node]) != NO_TILE:
            known = viewer is None or bool(knows(state, viewer, node))
            kind = int(state.tile[node]) if known else None
            shape = pieces.tile(kind, bool(state.face_up[node]), SEAT_COLOURS[int(state.owner[node])])
            shape = titled(panels.tile_name(kind, language), shape)
            drawn.append(place(*spots_of(int(state.board))[node], shape, piece=f"tile-{PLACE_NAMES[node]}"))
    return "".join(drawn)


_SPREAD = (
    (),
    ((0.0, 0.0),),
    ((-18.0, 0.0), (18.0, 0.0)),
    ((0.0, -20.0), (-19.0, 8.0), (19.0, 8.0)),
    ((-18.0, -18.0), (18.0, -18.0), (-18.0, 13.0), (18.0, 13.0)),
)  # bulls on a node -> where each is drawn


def _bulls_on(state: Any, node: int) -> list[int]:
    return [seat for seat in range(int(state.seats)) if int(state.bull[seat]) == node]


def bull_spot(state: Any, seat: int) -> tuple[float, float]:
    """Return the position of the bull of `seat`, side by side with others on its node."""
    node = int(state.bull[seat])
    here = _bulls_on(state, node)
    x, y = spots_of(int(state.board))[node]
    lift = -16 if int(state.tile[node]) != NO_TILE else 6 if node < OUTER else -3
    aside, down = _SPREAD[len(here)][here.index(seat)]
    return x + aside, y + lift + down


def _bulls(state: Any, language: str) -> str:
    """Draw the bulls, with a heart on those that have met the moon."""
    drawn = []
    for node in _nodes(int(state.board)):
        here = _bulls_on(state, node)
        for seat in here:
            shape = pieces.bull(seat) + (place(15, -15, ART["heart"]) if state.scored[seat] else "")
            if int(state.seat) == seat and not state.over:
                shape = f'<circle r="24" fill="{GOLD}" fill-opacity=".45" stroke="{GOLD}" stroke-width="2"/>{shape}'
            shape = titled(PIECES[language]["bull"].format(seat + 1), shape)
            drawn.append(place(*bull_spot(state, seat), shape, 0.95 if len(here) < 3 else 0.82, f"bull-{seat}"))
    return "".join(drawn)


def _names(state: Any, mood: str, size: float, language: str) -> str:
    """Write the name of every place, on a plate below it when the place is taken."""
    spots, light, drawn = spots_of(int(state.board)), LIGHTS[mood], []
    for node in _nodes(int(state.board)):
        x, y = spots[node]
        if node < OUTER:
            shape = pieces.plate(x, y + 47, PLACE_NAMES[node], size)
        elif int(state.tile[node]) != NO_TILE or _bulls_on(state, node):
            shape = pieces.plate(x, y + 23, PLACE_NAMES[node], size)
        else:
            shape = text(x, y + 4.3 * size, PLACE_NAMES[node], 12 * size, light["stone_ink"], _BOLD)
        drawn.append(_titled(node, language, shape))
    for shore in range(NUM_SHORES):
        x, y = spots[WATER + shore]
        if shore == int(state.moon) or int(state.tile[WATER + shore]) != NO_TILE:
            shape = pieces.plate(x, y + (23 if y < _MIDDLE[1] else -23), PLACE_NAMES[WATER + shore], size)
        else:
            shape = text(x, y + 4 * size, PLACE_NAMES[WATER + shore], 11 * size, light["water_ink"], _BOLD)
        drawn.append(_titled(WATER + shore, language, shape))
    return "".join(drawn)


# The words around the board.


def headline(state: Any, language: str) -> list[str]:
    """Return the state of the deal: round, moon, stage and vuelta, or the winners."""
    words = _WORDS[language]
    parts = [_winners(state, language) if state.over else words[int(state.stage)]]
    if int(state.round_number) > 0:
        parts = [words["round"].format(int(state.round_number)), moon_name(state, language), *parts]
    if int(state.stage) in (NIGHT, EXTRA) and not state.over:
        parts.append(words["vuelta"].format(int(state.vuelta) + 1))
    return parts


def eyes(viewer: int | None, language: str) -> str:
    """Return how the table is seen, "" for a seat."""
    if viewer not in (None, PUBLIC):
        return ""
    return _WORDS[language]["open" if viewer is None else "public"]


def _header(state: Any, viewer: int | None, language: str, mood: str) -> str:
    """Write the title and the state of the deal, and draw moon or sun below the panels if there is room."""
    light, seats = LIGHTS[mood], int(state.seats)
    drawn = text(24, 46, TITLE[language], 31, light["ink"], 'font-weight="bold" letter-spacing=".4"')
    drawn += text(
        25,
        72,
        "  ·  ".join(headline(state, language)),
        14.5,
        light["accent" if state.over else "ink"],
        'font-weight="bold"',
    )
    if eyes(viewer, language):
        drawn += text(404, 46, eyes(viewer, language), 15, light["faint"], 'font-style="italic"')
    x, y, radius = ((838, 464, 66), (838, 538, 40), (640, 44, 25))[seats - 2]
    return drawn + place(x, y, moon_or_sun(state, radius, mood, language))


def moon_name(state: Any, language: str) -> str:
    """Return the name of the moon of the round: `full moon`."""
    return PIECES[language]["moon"].format(PHASE_NAMES[language][int(state.phase)])


def moon_or_sun(state: Any, radius: float, mood: str, language: str) -> str:
    """Draw the moon of the round, or the sun before it has risen."""
    if int(state.moon) != NO_SHORE:
        return titled(moon_name(state, language), pieces.shining_moon(int(state.phase), radius, mood))
    return pieces.setting_sun(radius, mood)


def _winners(state: Any, language: str) -> str:
    words = _WORDS[language]
    seats = [str(seat + 1) for seat in range(int(state.seats)) if state.winner[seat]]
    if len(seats) == 1:
        return words["sole"].format(seats[0])
    return words["shared"].format(", ".join(seats[:-1]) + words["and"] + seats[-1])
