"""Clickable scenes: a layer over the picture of the seat to act, with its actions.

A game returns the places of things and their actions, `PictureWords.points`; each legal action without a thing gets a
button below. Each thing is a `<g role="button">` with `data-actions`, the indices of its legal actions. A click keeps
the actions that the thing shares with those clicked before; a single remaining action is chosen. `data-then` has
actions that join `data-actions` once another thing has been clicked, for example places for a token. A thing with no
other actions is hidden (`visibility="hidden"`) until one of them is left. Only the seat to act gets a layer, and only
on request: `Words.scene` has none.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import partial
from html import escape
from math import ceil
from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.picture.drawing import text, width_of
from sobremesa.envs.core.picture.narrow_screen import lowered, lowered_box, made_higher, shelf_of, size_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.wording import Box, Point, picture_of, points_of, shown_name

PHONE, MARGIN = 390, 16  # pixels in width of a phone, and of its page next to the picture
FINGER = 24  # pixels in width and height of a target (WCAG 2.2, 2.5.8)
_GROUND, _INK, _EDGE = "#2d2638", "#fff6e0", "#f0c25a"  # of buttons


class Buttons(NamedTuple):
    """The sizes of buttons below a picture, as parts of its width."""

    height: float
    gap: float
    letters: float


MOUSE, THUMB = Buttons(0.046, 0.008, 0.019), Buttons(0.1, 0.02, 0.037)


class Pointed(NamedTuple):
    """A clickable thing in a scene."""

    actions: frozenset[int]
    then: frozenset[int]  # further actions once another thing has been clicked
    words: str
    box: Box  # of the target, in units of the picture


def pointable_scene(game: Game, states: np.ndarray, seat: int | None, language: str, *, narrow: bool = False) -> str:
    """Return the scene of the `(1,)` state `states` for `seat`, with the layer if the seat is to act.

    For another seat, for None, and after the end, it is the scene alone. Pieces have names (pieces.py). The layer is
    the same for every state that `redeal` makes for the seat. A wide scene always has a strip for one row of buttons
    below it, so that they do not change its size. A `narrow` scene is for phones: the game draws it
    (`PictureWords.narrow`), or its scene serves; there the strip is as high as its buttons.
    """
    svg = picture_of(game.words, narrow)(states, seat, language)
    width, height = size_of(svg)
    if not narrow:
        svg = made_higher(svg, height + _strip_height(width, 1, MOUSE))
    if seat is None or states["over"][0] or int(states["seat"][0]) != seat:
        return svg
    legal = legal_actions(game, states)
    points = points_of(game.words, narrow)(states, legal, language)
    points = [point for point in (_legal_part(point, legal) for point in points) if point.actions or point.then]
    about = {action for point in points for action in (*point.actions, *point.then)}
    buttons = [point for point in points if point.box is None]
    buttons += [Point("", [action], None) for action in legal if action not in about]
    shelf = shelf_of(svg) or height
    name = partial(_label, game, states, language)
    buttons = [button._replace(words=name(button)) for button in buttons]
    strip, deeper = (_rows if narrow else _row)(buttons, (width, ceil(shelf)))
    points = [_lowered(point._replace(words=name(point)), shelf, deeper) for point in points]
    layer = _layer(points, ceil(10 * width / (PHONE - MARGIN) * FINGER) / 10) + strip
    if deeper:
        svg = lowered(made_higher(svg, height + deeper), deeper)
    return f'{svg.removesuffix("</svg>")}<g class="points">{layer}</g></svg>'


def legal_actions(game: Game, states: np.ndarray) -> list[int]:
    """Return the legal actions of the `(1,)` state `states`; an empty list after the end."""
    mask = np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(states.copy(), mask)
    return [int(action) for action in np.flatnonzero(mask)]


def _legal_part(point: Point, legal: Sequence[int]) -> Point:
    about, then = set(point.actions), set(point.then)
    return point._replace(
        actions=[one for one in legal if one in about], then=[one for one in legal if one in then - about]
    )


def pointed(svg: str) -> list[Pointed]:
    """Return the clickable things of a scene in the order of the picture; an empty list without a layer."""
    found = []
    for one in ElementTree.fromstring(svg).iter():
        if one.get("class") == "point":
            touch = next(part for part in one if part.get("class") == "touch")
            x, y, across, down = (float(touch.attrib[name]) for name in ("x", "y", "width", "height"))
            actions, then = (frozenset(map(int, one.get(name, "").split())) for name in ("data-actions", "data-then"))
            found.append(Pointed(actions, then, one.attrib["aria-label"], (x, y, across, down)))
    return found


def _lowered(point: Point, shelf: float, by: float) -> Point:
    if point.box is None or not by:
        return point
    box, drawn = lowered_box(point.box, point.drawn, shelf, by)
    return point._replace(box=box, drawn=drawn)


def _layer(points: Sequence[Point], least: float) -> str:
    boxed = [(point, point.box) for point in points if point.box is not None]
    boxes = [box for _, box in boxed]
    return "".join(_element(point, box, _enlarged(boxes, number, least)) for number, (point, box) in enumerate(boxed))


def _label(game: Game, states: np.ndarray, language: str, point: Point) -> str:
    """Return the name of a thing, and of its action if there is only one."""
    actions = [*point.actions, *point.then]
    if len(actions) > 1:
        return point.words
    name = shown_name(game.words, actions[0], language, states)
    return name if point.words.casefold() in name.casefold() else f"{point.words}: {name}"


def _enlarged(boxes: Sequence[Box], number: int, least: float) -> Box:
    """Return a box grown to `least` in width and height, as far as it does not cover its neighbours.

    Two separate boxes share the space between them, along the axis on which they are further apart.
    """
    x, y, across, down = boxes[number]
    if min(across, down) >= least:
        return boxes[number]
    room = [least] * 4  # left, above, right, below
    for other, (u, v, wide, high) in enumerate(boxes):
        if other != number:
            beside, over = (max(u - x - across, x - u - wide), max(v - y - down, y - v - high))
            side = (0 if u < x else 2) if beside >= over else (1 if v < y else 3)
            if max(beside, over) >= 0:  # overlapping boxes
                room[side] = min(room[side], max(beside, over) / 2)
    left, right = _shared_out(max(0.0, least - across), room[0], room[2])
    above, below = _shared_out(max(0.0, least - down), room[1], room[3])
    return x - left, y - above, across + left + right, down + above + below


def _shared_out(need: float, one: float, other: float) -> tuple[float, float]:
    """Divide the space that is needed between two sides, evenly if possible."""
    first = min(one, max(need / 2, need - other))
    return first, min(other, need - first)


def _element(point: Point, box: Box, touch: Box) -> str:
    """Return a thing, if the scene lacks it, with two invisible parts.

    `mark` is its outline, for pages to style, and `touch` is the target of a finger.
    """
    about = "".join(
        f' {name}="{" ".join(map(str, actions))}"'
        for name, actions in (("data-actions", point.actions), ("data-then", point.then))
        if actions
    )
    about += ' data-ask="yes"' * point.ask + ("" if point.actions else ' visibility="hidden"')
    name = escape(point.words)
    return (
        f'<g class="point"{about} tabindex="0" role="button" aria-label="{name}"><title>{name}</title>{point.drawn}'
        f"{_rect('mark', box, point.round)}{_rect('touch', touch, point.round)}</g>"
    )


def _rect(name: str, box: Box, corner: float) -> str:
    x, y, across, down = box
    return (
        f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="{corner:g}" '
        'fill="#fff" fill-opacity="0"/>'
    )


def _strip_height(width: int, rows: int, sizes: Buttons) -> int:
    return ceil(width * (rows * (sizes.height + sizes.gap) + sizes.gap))


def _row(buttons: Sequence[Point], picture: tuple[int, int]) -> tuple[str, int]:
    """Return buttons in one row below the `picture` (width, height), narrower if they are many, and no more height."""
    width, top = picture
    high, gap, size = (width * share for share in MOUSE)
    wide = [_width(point, high, size) for point in buttons]
    fit = min(1.0, (width - gap * (len(buttons) + 1)) / max(sum(wide), 1.0))
    x, drawn = gap, ""
    for point, across in zip(buttons, wide, strict=True):
        drawn += _button(point, (x, top + gap, across * fit, high), size)
        x += across * fit + gap
    return drawn, 0


def _rows(buttons: Sequence[Point], picture: tuple[int, int]) -> tuple[str, int]:
    """Return buttons below the narrow `picture` (width, height), in rows, and their height."""
    if not buttons:
        return "", 0
    width, top = picture
    high, gap, size = (round(width * share, 1) for share in THUMB)
    x, y, rows, drawn = gap, top + gap, 1, ""
    for point in buttons:
        across = min(_width(point, high, size), width - 2 * gap)
        if x > gap and x + across + gap > width:
            x, y, rows = gap, y + high + gap, rows + 1
        drawn += _button(point, (x, y, across, high), size)
        x += across + gap
    return drawn, _strip_height(width, rows, THUMB)


def _width(point: Point, high: float, size: float) -> float:
    """Return the width of a button with room for its words."""
    return max(high * 1.6, size * (width_of(point.words) + 1.3))


def _button(point: Point, box: Box, size: float) -> str:
    x, y, across, down = box
    shape = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="{down / 4:.1f}" fill="{_GROUND}" '
        f'stroke="{_EDGE}" stroke-width="{size / 10:.1f}"/>'
        + text(x + across / 2, y + down / 2 + size * 0.35, point.words, size, _INK, room=across - size * 0.6)
    )
    return _element(point._replace(drawn=shape, round=down / 4), box, box)
