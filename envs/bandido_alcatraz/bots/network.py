"""The network of tunnels for the strong bot of *Bandido Alcatraz*: each cell to be covered, and the kinds that fit.

`dig` tells what a network becomes with one more card, and looks anew only at the cells around that card.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots import tables as t
from sobremesa.envs.bandido_alcatraz.bots.view import FAR, STEP, WIDE
from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS, NUM_FLOODS
from sobremesa.envs.bandido_alcatraz.observe import WET
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes

MOST = MOST_ENDS + 8  # cells to be covered that a network may have
_REACH = 2  # what lies further from a cell than this does not matter to what fits there

NETWORK = with_attributes(
    [
        ("count", np.int64),  # cells next to open ends
        ("cell", np.int64, MOST),
        ("tunnels", np.int64, MOST),  # open ends that lead there
        ("room", np.int64, MOST),  # sides where the other half may lie
        ("sets", np.int64, (MOST, t.NUM_GRADES)),  # the kinds that fit there, by what they close; EXIT apart
        ("takes_exit", np.int64, MOST),  # 1 if EXIT fits
        ("floods", np.int64),
        ("flood", np.int64, NUM_FLOODS + 1),  # flooded cells
        ("cover", np.int64, NUM_FLOODS + 1),  # the kinds that can cover them
    ]
)


@kernel
def _beyond(grid, cell, side):
    """Return the neighbour of a free cell on a side: OPEN, EARTH or TUNNEL."""
    other = grid[cell + STEP[side]]
    return 0 if other == 0 else 1 + (other >> (side + 2) % 4 & 1)


@kernel
def _code(grid, cell, one, two, three):
    """Return the code of three sides of a cell that is free or wet."""
    here = grid[cell]
    if here:
        return 13 + (here >> one & 1) + 3 * (here >> two & 1) + 9 * (here >> three & 1)
    return _beyond(grid, cell, one) + 3 * _beyond(grid, cell, two) + 9 * _beyond(grid, cell, three)


@kernel
def _is_room(grid, cell, side):
    """Return whether the other half of a card may be beyond a side of a cell: it is free, or wet and open to there."""
    other = grid[cell + STEP[side]]
    return other == 0 or (other & WET and other >> (side + 2) % 4 & 1)


@kernel
def _codes(grid, cell, side):
    """Return the codes of a cell and of its neighbour, without the sides where they touch."""
    one, two, three = (side + 1) % 4, (side + 2) % 4, (side + 3) % 4
    return _code(grid, cell, one, two, three), _code(grid, cell + STEP[side], side, one, three)


@kernel
def survey(grid, cell, network, number):
    """Write the kinds that fit a free cell into row `number` of `network`."""
    tunnels, room, takes_exit, fit, level, closes, joins = 0, 0, 0, 0, 0, 0, 0
    for side in range(4):
        tunnels += _beyond(grid, cell, side) == t.TUNNEL
        if not _is_room(grid, cell, side):
            continue
        here, there = _codes(grid, cell, side)
        room += 1
        fit |= t.FITTING[here, there, t.ANY]
        if grid[cell + STEP[side]] == 0:
            takes_exit |= t.EXIT_FITS[here, there]
            level |= t.FITTING[here, there, t.LEVEL]
            closes |= t.FITTING[here, there, t.CLOSES]
            joins |= t.FITTING[here, there, t.JOINS]
    network.cell[number] = cell
    network.tunnels[number] = max(1, tunnels)  # one leads there, from beyond what is seen if from nowhere else
    network.room[number] = room
    network.takes_exit[number] = takes_exit
    sets = network.sets[number]
    sets[t.ANY], sets[t.LEVEL], sets[t.CLOSES], sets[t.JOINS] = fit, level, closes, joins


@kernel
def covers(grid, cell):
    """Return the set of kinds that can cover a flooded cell."""
    found = 0
    for side in range(4):
        if grid[cell] >> side & 1 and _is_room(grid, cell, side):
            here, there = _codes(grid, cell, side)
            found |= t.FITTING[here, there, t.ANY]
    return found


@kernel
def map_network(view, network):
    """Fill a zeroed `network` from the table."""
    for where in range(MOST_ENDS):
        if view.at[where] != FAR and not _is_listed(network, view.at[where]):
            survey(view.grid, view.at[where], network, network.count)
            network.count += 1
    for where in range(MOST_ENDS, MOST_ENDS + NUM_FLOODS):
        if view.at[where] != FAR:
            _add_flood(view.grid, view.at[where], network)


@kernel
def _add_flood(grid, cell, network):
    network.flood[network.floods] = cell
    network.cover[network.floods] = covers(grid, cell)
    network.floods += 1


@kernel
def _is_listed(network, cell):
    found = 0
    for number in range(network.count):
        found += network.cell[number] == cell
    return found > 0


@kernel
def apart(cell, other):
    """Return the distance between two cells in steps."""
    return abs(cell // WIDE - other // WIDE) + abs(cell % WIDE - other % WIDE)


@kernel
def dig(grid, before, one, two, after):
    """Write into `after` the network `before` with two cells covered anew, as `grid` has them already."""
    after.count = after.floods = 0
    for number in range(before.count):
        cell = before.cell[number]
        if cell in (one, two):
            continue
        if min(apart(cell, one), apart(cell, two)) <= _REACH:
            survey(grid, cell, after, after.count)
        else:
            _copy(before, number, after, after.count)
        after.count += 1
    for number in range(before.floods):
        if before.flood[number] not in (one, two):
            _add_flood(grid, before.flood[number], after)
    for half in range(2):
        cell = two if half else one
        if grid[cell] & WET:
            _add_flood(grid, cell, after)
        for side in range(4):
            other = cell + STEP[side]
            if grid[cell] >> side & 1 and grid[other] == 0 and not _is_listed(after, other):
                survey(grid, other, after, after.count)
                after.count += 1


@kernel
def _copy(before, number, after, place):
    after.cell[place] = before.cell[number]
    after.tunnels[place] = before.tunnels[number]
    after.room[place] = before.room[number]
    after.takes_exit[place] = before.takes_exit[number]
    for grade in range(t.NUM_GRADES):
        after.sets[place, grade] = before.sets[number, grade]
