"""Features of each cell next to an open end, for networks that rate afterstates of *Bandido Alcatraz*.

`value.weigh` sums over the cells. Here each cell keeps its numbers, with what lies around it, and the cards left are
counted by kind. The surroundings are turned so that a tunnel leads into the cell from its first side.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots import tables as t
from sobremesa.envs.bandido_alcatraz.bots.network import apart
from sobremesa.envs.bandido_alcatraz.bots.plan import GATHER
from sobremesa.envs.bandido_alcatraz.bots.value import left
from sobremesa.envs.bandido_alcatraz.bots.view import STEP
from sobremesa.envs.bandido_alcatraz.bots.ways import halves
from sobremesa.envs.bandido_alcatraz.cards import COPIES, EXIT_KIND, NO_CARD, NUM_CARDS, NUM_KINDS
from sobremesa.envs.bandido_alcatraz.observe import WET
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND, MAX_SEATS
from sobremesa.envs.core.compile.kernel import kernel

# Features of the position: the cards left and my cards, by kind; the seats; cards in the pile, cells, cards left.
_LEFT, _MINE, _SEATS, _PILE = 0, NUM_KINDS, 2 * NUM_KINDS, 2 * NUM_KINDS + MAX_SEATS
NUM_WHOLE = _PILE + 3

# Features of a cell: there; open ends that lead there, room, whether EXIT fits; the share of cards left that fit by
# what they close, their number, that of mine; how near the next cell is, and how many are near; the four sides.
_ENDS, _ROOM, _EXIT, _SHARES, _COUNTS, _OWN, _NEAREST, _BESIDE, _TUNNELS, _EARTH = 1, 2, 3, 4, 8, 12, 16, 17, 19, 23
_AROUND, _CELLS_AROUND, _WATER_AROUND = 27, 39, 51  # of twelve cells around: covered, next to an end too, flooded
PER_CELL = 63
MOST_CELLS = 16  # more are left out

_FEW = 6.0
# The cells around in three rings of four, each in the order of the sides.
_NORTH, _EAST, _SOUTH, _WEST = STEP
_RINGS = np.array(
    [
        [_NORTH, _EAST, _SOUTH, _WEST],
        [_NORTH + _EAST, _SOUTH + _EAST, _SOUTH + _WEST, _NORTH + _WEST],
        [2 * _NORTH, 2 * _EAST, 2 * _SOUTH, 2 * _WEST],
    ]
)


@kernel
def describe(view, choice, networks, hand, marks, out):
    """Write the features after a choice into `out`, after `weigh_choice` of the same arguments.

    marks: (WIDE * WIDE,) uint8 zeros, zeros again afterwards. out: (NUM_WHOLE + MOST_CELLS * PER_CELL,).
    """
    out[:] = 0
    where, slot, way = choice
    if where == GATHER:
        _describe_all(view, networks[0], hand, marks, out)
        return
    grid, one = view.grid, view.at[where]
    here, there, step = halves(view.hand[slot], way)
    before_here, before_there = grid[one], grid[one + step]
    grid[one], grid[one + step] = here, there
    _describe_all(view, networks[1], hand, marks, out)
    grid[one], grid[one + step] = before_here, before_there


@kernel
def _describe_all(view, network, hand, marks, out):
    for kind in range(NUM_KINDS):
        out[_LEFT + kind] = view.left[kind] / COPIES[kind]
    for slot in range(BIG_HAND):
        if hand.cards[slot] != NO_CARD:
            out[_MINE + hand.cards[slot]] += 1
    out[_SEATS + view.seats - 1] = 1
    out[_PILE] = view.pile_size / NUM_CARDS
    out[_PILE + 1] = network.count / MOST_CELLS
    out[_PILE + 2] = view.total / NUM_CARDS
    for number in range(network.count):
        marks[network.cell[number]] = 1
    for number in range(min(network.count, MOST_CELLS)):
        cell = out[NUM_WHOLE + number * PER_CELL : NUM_WHOLE + (number + 1) * PER_CELL]
        _describe_fits(view, network, number, hand, cell)
        _describe_place(view.grid, network, number, marks, cell)
    for number in range(network.count):
        marks[network.cell[number]] = 0


@kernel
def _describe_fits(view, network, number, hand, out):
    """Write which cards fit a cell."""
    own = network.sets[number]
    exit_there = (1 - hand.exit_laid) * ((hand.kinds | view.ones) >> EXIT_KIND & 1)
    out[0] = 1
    out[_ENDS], out[_ROOM] = network.tunnels[number] / 2, network.room[number] / 4
    out[_EXIT] = network.takes_exit[number] & exit_there
    for grade in range(t.NUM_GRADES):
        count = left(view, own[grade])
        out[_SHARES + grade] = count / (view.total + 1e-9)
        out[_COUNTS + grade] = min(count, _FEW) / _FEW
        for slot in range(BIG_HAND):
            if hand.cards[slot] != NO_CARD:
                out[_OWN + grade] += (own[grade] >> hand.cards[slot] & 1) / 3


@kernel
def _describe_place(grid, network, number, marks, out):
    """Write what lies around a cell, turned so that its first tunnel comes first."""
    cell, nearest = network.cell[number], 9
    for other in range(network.count):
        if other != number:
            distance = apart(cell, network.cell[other])
            nearest = min(nearest, distance)
            out[_BESIDE] += (distance <= 2) / 3
            out[_BESIDE + 1] += (distance <= 4) / 5
    out[_NEAREST] = nearest / 5
    first = 0
    while first < 3 and not _leads_in(grid, cell, first):
        first += 1
    for side in range(4):
        turned = (side + first) % 4
        beyond = grid[cell + STEP[turned]]
        leads = _leads_in(grid, cell, turned)
        out[_TUNNELS + side], out[_EARTH + side] = leads, beyond != 0 and not leads
        for ring in range(3):
            at = cell + _RINGS[ring, turned]
            out[_AROUND + 4 * ring + side] = grid[at] != 0
            out[_CELLS_AROUND + 4 * ring + side] = marks[at]
            out[_WATER_AROUND + 4 * ring + side] = (grid[at] & WET) != 0


@kernel
def _leads_in(grid, cell, side):
    """Return whether a tunnel leads into a cell from a side."""
    return grid[cell + STEP[side]] >> (side + 2) % 4 & 1
