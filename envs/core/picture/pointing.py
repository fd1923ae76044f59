"""Scenes that can be pointed at: over the picture that the seat to act sees lies a layer of what its actions are about.

A room says where a thing is drawn and which actions are about it, `Words.points`; whatever is legal and about nothing
that is drawn gets a button below. Each of them is a `<g role="button">` with `data-actions`, the indices of its legal
actions. Pointing at one leaves the actions that it has in common with those pointed at before; one that is left alone
is chosen. `data-then` has actions that join those of `data-actions` once something else has been pointed at, such as
where to put a token that is not put anywhere by pointing at places alone; what has nothing but these is hidden
(`visibility="hidden"`), for a page to show as soon as it is about some of the actions left. Only the seat that is asked
gets a layer, and only when asked for: `Words.scene` has none.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from html import escape
from math import ceil
from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.game import Box, Game, Point
from sobremesa.envs.core.picture.drawing import text, width_of
from sobremesa.envs.core.picture.narrow_screen import Part, laid_out, made_higher, part_of, size_of, stacked
from sobremesa.envs.core.table import table_kernels

PHONE = 390  # pixels across
FINGER = 24  # pixels that a finger needs across and down (WCAG 2.2, 2.5.8)
MOST_LEFT = 6  # actions that pointing may leave for buttons to name
_STRIP, _GROUND, _INK, _EDGE = "#15111a", "#2d2638", "#fff6e0", "#f0c25a"  # below the picture, and of buttons
_CHIP, _GAP, _LETTERS = 0.066, 0.01, 0.027  # how high a button is, what is between two, its letters: of the width


class Pointed(NamedTuple):
    """What can be pointed at in a scene, as it stands there."""

    actions: frozenset[int]
    then: frozenset[int]  # and these too, once something else has been pointed at
    words: str
    box: Box  # of what a finger hits, in units of the picture


def pointable_scene(game: Game, states: np.ndarray, seat: int | None, language: str, *, narrow: bool = False) -> str:
    """Return the scene of the `(1,)` state `states` as `seat` sees it, with the layer if it is the seat to act.

    For any other seat, for None and once the deal is over it is the scene alone. Its pieces have names (pieces.py). The
    layer is the same for every redeal of that seat. A strip of buttons makes the picture higher. A `narrow` scene is
    for phones: what stands side by side in the scene stands one below the other, and larger, where the game says how.
    """
    svg, parts = (game.words.followed or game.words.scene)(states, seat, language), []
    if narrow and game.words.rows:
        parts = laid_out(game.words.rows(states, seat), size_of(svg)[0])
        svg = stacked(svg, parts)
    if seat is None or states["over"][0] or int(states["seat"][0]) != seat:
        return svg
    legal = legal_actions(game, states)
    points = game.words.points(states, legal, language) if game.words.points else []
    points = [point for point in (_legal_part(point, legal) for point in points) if point.actions or point.then]
    points = [_moved(point, parts) for point in points] if parts else points
    about = {action for point in points for action in (*point.actions, *point.then)}
    buttons = [point for point in points if point.box is None]
    buttons += [Point("", [action], None) for action in legal if action not in about]
    width, height = size_of(svg)
    strip, deeper = _strip(game, buttons, width, height, language)
    layer = _layer(game, points, width / PHONE * FINGER, language) + strip
    if deeper:
        svg = made_higher(svg, height + deeper)
    return f'{svg.removesuffix("</svg>")}<g class="points">{layer}</g></svg>'


def legal_actions(game: Game, states: np.ndarray) -> list[int]:
    """Return what the seat to act may do in the `(1,)` state `states`, none once the deal is over."""
    mask = np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(states.copy(), mask)
    return [int(action) for action in np.flatnonzero(mask)]


def _legal_part(point: Point, legal: Sequence[int]) -> Point:
    about, then = set(point.actions), set(point.then)
    return point._replace(
        actions=[one for one in legal if one in about], then=[one for one in legal if one in then - about]
    )


def pointed(svg: str) -> list[Pointed]:
    """Return what can be pointed at in a scene, in the order of the picture; nothing in one without a layer."""
    found = []
    for one in ElementTree.fromstring(svg).iter():
        if one.get("class") == "point":
            touch = next(part for part in one if part.get("class") == "touch")
            x, y, across, down = (float(touch.attrib[name]) for name in ("x", "y", "width", "height"))
            actions, then = (frozenset(map(int, one.get(name, "").split())) for name in ("data-actions", "data-then"))
            found.append(Pointed(actions, then, one.attrib["aria-label"], (x, y, across, down)))
    return found


def left_by(found: Sequence[Pointed], action: int) -> frozenset[int]:
    """Return the actions that are left when all that is about `action` has been pointed at; none if nothing is."""
    about = [one.actions for one in found if action in one.actions]
    if about:
        about += [one.actions | one.then for one in found if action in one.then]
    return frozenset.intersection(*about) if about else frozenset()


def _moved(point: Point, parts: Sequence[Part]) -> Point:
    """Return a point where it is in a narrow scene: in the part that shows it largest."""
    part = None if point.box is None else part_of(point.box, parts)
    if part is None:
        return point._replace(box=None)  # nothing shows it
    assert point.box is not None
    return point._replace(
        box=part.moved(point.box), round=point.round * part.scale, drawn=part.drawn(point.drawn) if point.drawn else ""
    )


def _layer(game: Game, points: Sequence[Point], least: float, language: str) -> str:
    boxed = [(point, point.box) for point in points if point.box is not None]
    boxes = [box for _, box in boxed]
    return "".join(
        _element(_label(game, point, language), point, box, _grown(boxes, number, least))
        for number, (point, box) in enumerate(boxed)
    )


def _label(game: Game, point: Point, language: str) -> str:
    """Say what is pointed at, and what that does if it does one thing alone."""
    actions = [*point.actions, *point.then]
    if len(actions) > 1:
        return point.words
    name = game.words.action_name(actions[0], language)
    return name if point.words.casefold() in name.casefold() else f"{point.words}: {name}"


def _grown(boxes: Sequence[Box], number: int, least: float) -> Box:
    """Return a box grown to `least` across and down, as far as that takes nothing from its neighbours.

    Two boxes that lie apart share what is between them, along the axis on which they are further apart.
    """
    x, y, across, down = boxes[number]
    if min(across, down) >= least:
        return boxes[number]
    room = [least] * 4  # left, above, right, below
    for other, (u, v, wide, high) in enumerate(boxes):
        if other != number:
            beside, over = (max(u - x - across, x - u - wide), max(v - y - down, y - v - high))
            side = (0 if u < x else 2) if beside >= over else (1 if v < y else 3)
            if max(beside, over) >= 0:  # no way out for boxes one on the other
                room[side] = min(room[side], max(beside, over) / 2)
    left, right = _shared_out(max(0.0, least - across), room[0], room[2])
    above, below = _shared_out(max(0.0, least - down), room[1], room[3])
    return x - left, y - above, across + left + right, down + above + below


def _shared_out(need: float, one: float, other: float) -> tuple[float, float]:
    """Share out what is needed to two sides with so much room each, evenly where that is possible."""
    first = min(one, max(need / 2, need - other))
    return first, min(other, need - first)


def _element(words: str, point: Point, box: Box, touch: Box) -> str:
    """Draw a thing, if it is not there anyway, and two parts that nobody sees.

    `mark` is the outline of the thing, for pages to style, and `touch` what a finger hits.
    """
    about = "".join(
        f' {name}="{" ".join(map(str, actions))}"'
        for name, actions in (("data-actions", point.actions), ("data-then", point.then))
        if actions
    )
    about += "" if point.actions else ' visibility="hidden"'
    name = escape(words)
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


def _strip(game: Game, buttons: Sequence[Point], width: int, top: int, language: str) -> tuple[str, int]:
    """Draw buttons below the picture, in rows; return them and how high they are."""
    if not buttons:
        return "", 0
    high, gap, size = (round(width * share, 1) for share in (_CHIP, _GAP, _LETTERS))
    x, y, drawn = gap, top + gap, []
    for point in buttons:
        words = _label(game, point, language)
        across = max(high * 1.6, size * (width_of(words) + 1.3))
        if x > gap and x + across + gap > width:
            x, y = gap, y + high + gap
        drawn.append(_button(words, point, (x, y, across, high), size))
        x += across + gap
    deep = ceil(y + high + gap - top)
    return f'<rect y="{top}" width="{width}" height="{deep}" fill="{_STRIP}"/>{"".join(drawn)}', deep


def _button(words: str, point: Point, box: Box, size: float) -> str:
    x, y, across, down = box
    shape = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="{down / 4:.1f}" fill="{_GROUND}" '
        f'stroke="{_EDGE}" stroke-width="{size / 10:.1f}"/>'
        + text(x + across / 2, y + down / 2 + size * 0.35, words, size, _INK)
    )
    return _element(words, point._replace(drawn=shape, round=down / 4), box, box)
