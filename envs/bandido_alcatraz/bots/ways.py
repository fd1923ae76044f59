"""The ways to lay a card that the bots of *Bandido Alcatraz* choose among."""

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.bots.view import FAR, STEP
from sobremesa.envs.bandido_alcatraz.observe import COVERED, WET
from sobremesa.envs.bandido_alcatraz.state import A_LAY, A_WHERE, BIG_HAND, HOW, NUM_WHERES, WHERE
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes

MOST_WAYS = 1024  # more are not looked at
WAYS = with_attributes([("rows", np.int64, (MOST_WAYS, 3))])  # room for `list_ways`


@kernel
def list_ways(view, mask, ways):
    """Write every way to lay a card into `ways` `(MOST_WAYS, 3)`, where, slot and way; return their number.

    Where two ends lead to one cell, the first counts for both.
    """
    count = 0
    for where in range(NUM_WHERES):
        if view.at[where] == FAR or not _is_asked(view, mask, where):
            continue
        for slot in range(BIG_HAND):
            if not view.ways[where, slot]:
                continue
            for way in range(c.NUM_WAYS):
                if view.asked == HOW:
                    allowed = mask[A_LAY + slot * c.NUM_WAYS + way] == 1
                else:
                    allowed = _fits(view.grid, view.at[where], view.hand[slot], way)
                if allowed and count < MOST_WAYS:
                    ways[count, 0], ways[count, 1], ways[count, 2] = where, slot, way
                    count += 1
    return count


@kernel
def way_action(view, way):
    """Return the next action that lays a card in one of the ways listed."""
    return A_LAY + way[1] * c.NUM_WAYS + way[2] if view.asked == HOW else A_WHERE + way[0]


@kernel
def halves(kind, way):
    """Return the grid values of a laid card on the chosen cell and the other, and the step between them."""
    half, turn = way // c.ROTATIONS, way % c.ROTATIONS
    here = COVERED | int(c.TUNNELS[kind, turn, half]) | (WET if c.FLOODED[kind] == half else 0)
    there = COVERED | int(c.TUNNELS[kind, turn, 1 - half]) | (WET if c.FLOODED[kind] == 1 - half else 0)
    return here, there, STEP[c.OTHER_SIDE[turn, half]]


@kernel
def _is_asked(view, mask, where):
    """Return whether the decision is about laying a card."""
    if view.asked == HOW:
        return where == view.chosen
    if view.asked == WHERE and not mask[A_WHERE + where]:
        return False
    same = 0
    for other in range(where):
        same += view.at[other] == view.at[where]
    return view.asked == HOW or same == 0


@kernel
def _fits(grid, cell, kind, way):
    """Return whether a card may so be laid on a cell, as far as the grid can tell (clauses C4 and C6 of the game)."""
    half, turn = way // c.ROTATIONS, way % c.ROTATIONS
    side = c.OTHER_SIDE[turn, half]
    other = cell + STEP[side]
    if not c.DISTINCT[kind, way] or (grid[other] and not grid[other] & WET):
        return False
    if (grid[other] or grid[cell]) and kind == c.EXIT_KIND:
        return False
    return _agrees(grid, cell, int(c.TUNNELS[kind, turn, half]), side) and _agrees(
        grid, other, int(c.TUNNELS[kind, turn, 1 - half]), (side + 2) % 4
    )


@kernel
def _agrees(grid, cell, tunnels, inside):
    """Return whether a half with such tunnels agrees with what is around a cell, the side to its other half apart."""
    if grid[cell]:
        return tunnels == grid[cell] & 15
    for side in range(4):
        other = grid[cell + STEP[side]]
        if side != inside and other and (other >> (side + 2) % 4 ^ tunnels >> side) & 1:
            return False
    return True
