"""The table of *Bandido Alcatraz* as a picture: an SVG of a state, through the eyes of a seat or open to all.

The picture for a seat depends only on information of that seat (C11.1, C11.2), so it has the same bytes for every
determinization; with PUBLIC it depends on public information. The chosen place, and the places where cards fit, are
shown to the seat to act and on an open table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.drawing import bay, pieces, tunnels
from sobremesa.envs.bandido_alcatraz.drawing.hands import Panel, hand, knows_decision, panels, stores
from sobremesa.envs.bandido_alcatraz.drawing.pieces import ART, CALM, FAINT, GOLD, LIT, LOST, PAPER, UNLIT
from sobremesa.envs.bandido_alcatraz.fits import is_needed
from sobremesa.envs.bandido_alcatraz.halves import Half, floods, halves_of, open_ends, place_of
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.rules import band_of
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, PICTURE, PIECES, PLAINLY
from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.core.picture.drawing import LEFT_BOLD, picture, place, text, titled, width_of
from sobremesa.envs.core.wording import Box

_TITLE = "Bandido Alcatraz"


class Field(NamedTuple):
    """Where the network is in a picture, and how large it is drawn."""

    box: Box
    largest: float  # a half, in the picture
    least: float  # radius of a number, in the picture
    ground: Box  # left, top, right, foot of the earth
    panels: Callable[[Any, int | None], list[Panel]]  # (state, viewer) -> the hands, a viewer's own first


WIDE = Field((16, 138, 968, 560), 92.0, 9.5, (0.0, 126.0, 1000.0, 704.0), panels)


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C11.1)."""
    state = table[0]
    drawn = (
        bay.surroundings(mood_of(state)),
        network(state, WIDE, seat, language),
        _header(state, seat, language),
        *(hand(state, panel, seat, language) for panel in WIDE.panels(state, seat)),
        stores(state, seat, language),
    )
    return picture(bay.WIDTH, bay.HEIGHT, drawn)


def mood_of(state: Any) -> str:
    """Return the mood of the bay."""
    if state.over:
        return bay.ESCAPED if state.won else bay.CAUGHT
    return bay.RUNNING


# The network.


def network(state: Any, field: Field, viewer: int | None, language: str) -> str:
    """Draw the network as large as the field allows, with lanterns at the open ends."""
    halves, laid = halves_of(state), int(state.laid)
    scale, shift = view_of(state, halves, field)
    radius = radius_of(scale, field)
    columns = (state.laid_x, state.laid_y, state.laid_turn)
    cards = list(zip(*(column[:laid].tolist() for column in columns), strict=True))
    dug = (
        tunnels.earth(cards, laid - 1 if laid > 1 else laid),
        _mouths(state, halves),
        tunnels.digging(halves, language),
    )
    drawn = (
        titled(str(PLAINLY[language]["pictures"][c.PLAIN]), "".join(dug)),
        _start(state, scale, language),
        _chosen(state, viewer, halves, language),
        _numbers(state, viewer, halves, radius, language),
    )
    body = "".join(drawn)
    return f'<g class="network" transform="translate({shift[0]:.1f} {shift[1]:.1f}) scale({scale:.4f})">{body}</g>'


def view_of(state: Any, halves: list[Half], field: Field) -> tuple[float, tuple[float, float]]:
    """Return the scale of the network and the position of its origin; the cells of open ends fit in too."""
    left, top, across, down = field.box
    reached = [place_of(state, number, halves) for number in open_ends(state)]
    spots = [*((half.x, half.y, 0.95) for half in halves), *((x, y, 1.0) for x, y in reached)]
    west, north = min(x - more for x, _, more in spots), min(y - more for _, y, more in spots)
    east, south = max(x + more for x, _, more in spots), max(y + more for _, y, more in spots)
    half = min(across / (east - west), down / (south - north), field.largest)
    x = left + across / 2 - half * (east + west) / 2
    y = top + down / 2 - half * (south + north) / 2
    return half / 100, (x, y)


def radius_of(scale: float, field: Field) -> float:
    """Return the radius of the numbers in a network of so large a scale."""
    return max(field.least / scale, 17.0)


def _mouths(state: Any, halves: list[Half]) -> str:
    """Draw timbers where a tunnel leads on."""
    return "".join(
        place(100 * halves[cell].x, 100 * halves[cell].y, pieces.mouth(side))
        for cell, side in open_ends(state).values()
    )


def _start(state: Any, scale: float, language: str) -> str:
    """Draw Bandido in the middle of the tile, unless he has escaped; at a minimum size in a large network."""
    size = min(1.4, max(1.0, 0.42 / scale))
    hall = '<ellipse rx="43" ry="36" fill="#e8b35c" stroke="#7d4f27" stroke-width="6"/>'
    man = "" if state.won else place(0, 2, ART["bandit"], 0.95)
    return titled(PIECES[language]["tile"], place(50, 2, hall + man, size))


def _chosen(state: Any, viewer: int | None, halves: list[Half], language: str) -> str:
    """Mark the chosen place of the seat to act, for viewers who know it (C11.1)."""
    if int(state.stage) != s.HOW or not knows_decision(state, viewer):
        return ""
    where = int(state.where)
    x, y = place_of(state, where, halves)
    mark = (
        '<rect x="-47" y="-47" width="94" height="94" rx="9" '
        f'fill="{GOLD}" fill-opacity=".12" stroke="{GOLD}" stroke-width="8" stroke-dasharray="15 9"/>'
    )
    if where < c.MOST_ENDS:
        mark = '<circle r="95" fill="url(#alcatraz-lamp)"/>' + mark
    return titled(f"▸ {action_name(where, language)}", place(100 * x, 100 * y, mark))


def number_spots(state: Any, halves: list[Half]) -> dict[int, tuple[float, float]]:
    """Return the positions of the numbers of open ends and flooded halves in the network."""
    spots = {}
    for number, (cell, side) in open_ends(state).items():
        (x, y), half = tunnels.EDGES[side], halves[cell]
        spots[number] = (100 * half.x + 1.2 * x, 100 * half.y + 1.2 * y)
    for number, cell in floods(state).items():
        spots[c.MOST_ENDS + number] = (100 * halves[cell].x - 31, 100 * halves[cell].y - 28)
    return spots


def _numbers(state: Any, viewer: int | None, halves: list[Half], radius: float, language: str) -> str:
    """Draw the numbers of open ends and flooded halves, bright if the seat to act has a card for them."""
    lit = state.fits.any(axis=1) if knows_decision(state, viewer) else None

    def mood(where: int) -> str:
        if state.over:
            return LOST
        return CALM if lit is None else LIT if lit[where] else UNLIT

    drawn = []
    for where, spot in number_spots(state, halves).items():
        if where < c.MOST_ENDS:
            shape = pieces.lantern(where + 1, mood(where), round(radius, 1))
        else:
            shape = pieces.drop(where - c.MOST_ENDS + 1, mood(where), round(radius * 0.95, 1))
        drawn.append(titled(action_name(where, language), place(*spot, shape, piece=f"where-{where}")))
    return "".join(drawn)


# The sky.


def _header(state: Any, viewer: int | None, language: str) -> str:
    """Write the title, the viewer, and the turn and decision or the ending."""
    words, eyes = PICTURE[language], eyes_of(viewer, language)
    seen = eyes if viewer is None or eyes else words["sees"].format(viewer + 1)
    if state.seats == 1:
        seen = words["alone"] + (f" · {eyes}" if eyes else "")
    head, more, fill = told(state, viewer, language)
    lines = wrapped(more, 14, 560)
    drawn = [
        text(22, 38, _TITLE, 27, PAPER, LEFT_BOLD),
        text(24, 58, seen, 14, FAINT, LEFT_BOLD),
        text(22, 86, head, 18, fill, LEFT_BOLD),
        *(text(22, 106 + 17 * row, line, 14, PAPER, LEFT_BOLD, 560) for row, line in enumerate(lines)),
        place(953, 52, pieces.compass(MOVES[language]["side_letters"])),
    ]
    return "".join(drawn)


def eyes_of(viewer: int | None, language: str) -> str:
    """Return how the table is seen, "" for a seat."""
    return {None: PICTURE[language]["open"], PUBLIC: PICTURE[language]["public"]}.get(viewer, "")


def wrapped(parts: list[str], size: float, room: float) -> list[str]:
    """Return lines with the parts of a text, as many in a line as fit into `room` with letters of this `size`."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and size * width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def told(state: Any, viewer: int | None, language: str) -> tuple[str, list[str], str]:
    """Return the headline, the parts of the text below it, and a colour."""
    words = PICTURE[language]
    if state.over:
        head = words["escaped"] if state.won else words["caught"]
        return head, _reasons(state, language), GOLD if state.won else "#ff8d7d"
    seat = int(state.seat)
    mine = viewer == seat or state.seats == 1
    head = words["your_turn"] if mine and viewer not in (None, PUBLIC) else words["to_play"].format(seat + 1)
    if not knows_decision(state, viewer):
        return head, [], PAPER
    asked = words[f"stage{int(state.stage)}"]
    if int(state.stage) == s.HOW:
        asked = words["at"].format(action_name(int(state.where), language), asked)
    elif int(state.stage) == s.WHERE and any(is_needed(state, int(kind)) for kind in state.hand[seat]):
        asked = words["gather_too"].format(asked)
    return head, [asked], GOLD


def _reasons(state: Any, language: str) -> list[str]:
    """Return the conditions of victory that were missing at the end (C8)."""
    words, wet = PICTURE[language], len(floods(state))
    told = [words[f"ending{int(state.ending)}"]]
    told += [words["ends"].format(int(state.ends))] if state.ends else []
    told += [] if state.exit_laid else [words["exit"]]
    told += [words["floods"].format(wet)] if wet else []
    gathered = (("raincoats", int(state.raincoats), c.RAINCOATS), ("ropes", int(state.ropes), c.ROPES))
    told += [f"{words[name]} {have}/{want}" for name, have, want in gathered if have < want]
    if state.won:
        told = [words["all"]]
    if state.seats == 1 and state.ending != s.IMPOSSIBLE:  # a deal that was stopped has no band
        band = band_of(np.array([state.ends]), np.array([state.exit_laid]))[0]
        told.insert(0, words["band"].format(int(band)))
    return told
