"""View of the bots of *Bandido Alcatraz*: the network on a wide grid, and the cards that may come."""

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots.tables import OPENINGS
from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS, NUM_KINDS, RAINCOATS, ROPES
from sobremesa.envs.bandido_alcatraz.observe import COVERED, CROP, SEEN, WET, decode
from sobremesa.envs.bandido_alcatraz.state import NUM_WHERES
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes

WIDE = 33  # cells across the grid, with the middle of the map in its middle
MARGIN = 4  # cells along its edge where no end is followed up
FAR = -1  # off the grid
STEP = np.array([-WIDE, 1, WIDE, -1], np.int64)  # to the neighbour on each side

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("grid", np.int64, WIDE * WIDE),  # cells as in `map`, and what is known around ends beyond it
        ("at", np.int64, NUM_WHERES),  # the cell to be covered there; FAR also for none
        ("floods", np.int64),  # flooded halves in sight
        ("coats_needed", np.int64),
        ("ropes_needed", np.int64),
        ("cards", np.int64),  # in all hands
        ("left", np.int64, NUM_KINDS),  # cards of each kind that may still come to anybody, my hand apart
        ("ones", np.int64),  # the set of kinds of which at least one is left
        ("twos", np.int64),  # of which two are
        ("total", np.int64),  # cards left
        ("openings", np.int64),  # on them
    ]
)


@kernel
def read(observation, view):
    """Fill a zeroed `view`."""
    decode(observation, view)
    view.coats_needed = RAINCOATS - view.raincoats
    view.ropes_needed = ROPES - view.ropes
    view.cards = view.hand_sizes.sum()
    for kind in range(NUM_KINDS):
        count = view.unseen[kind] + view.under[kind]
        view.left[kind] = count
        view.total += count
        view.openings += count * OPENINGS[kind]
        view.ones |= int(count > 0) << kind
        view.twos |= int(count > 1) << kind
    cells, grid, edge = view.map, view.grid, (WIDE - CROP) // 2
    for row in range(CROP):
        start = (row + edge) * WIDE + edge
        for column in range(CROP):
            grid[start + column] = cells[row, column]
    for where in range(NUM_WHERES):
        view.at[where] = FAR
        if view.there[where]:
            _mark(view, where)


@kernel
def _mark(view, where):
    """Find an end or a flood on the grid, and mark the known cells around it."""
    flooded = where >= MOST_ENDS
    view.floods += flooded
    column, row = view.x[where] + WIDE // 2, view.y[where] + WIDE // 2
    if min(column, row) < MARGIN or max(column, row) >= WIDE - MARGIN:
        return
    place = row * WIDE + column
    view.at[where] = place
    if flooded:
        view.grid[place] = COVERED | WET | view.tunnels[where]
        return
    for side in range(4):
        beside = place + STEP[side]
        if view.settled[where] >> side & 1 and view.grid[beside] == 0:
            view.grid[beside] = COVERED | (view.tunnels[where] >> side & 1) << (side + 2) % 4
