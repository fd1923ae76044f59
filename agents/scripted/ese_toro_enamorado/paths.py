"""Where a bull of *Ese Toro enamorado* can be, and when it can meet the moon: sets of nodes as bits of a whole number.

Node n is bit n. A set of nodes is spread along the paths by four look-ups, so that a search in (node, time) over some
turns of the table costs well under a microsecond. Times are counted in half vueltas from now: 2v is the bull's own
move in the vuelta number v from now (0 is the present one), 2v + 1 the step of the moon that ends it.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.ese_toro_enamorado.board import DEGREE, NEIGHBOURS, NUM_NODES, NUM_SHORES, SHORE

HORIZON = 14  # vueltas looked ahead
NEVER = 40  # a time past all that is searched
_CHUNK = 7  # bits looked up at once; four chunks make NUM_NODES


def _around() -> np.ndarray:
    table = np.zeros((len(DEGREE), NUM_NODES // _CHUNK, 1 << _CHUNK), np.int64)
    for board, chunk, bits in np.ndindex(table.shape):
        for low in range(_CHUNK):
            node = chunk * _CHUNK + low
            if bits >> low & 1:
                for other in NEIGHBOURS[board, node, : DEGREE[board, node]]:
                    table[board, chunk, bits] |= 1 << int(other)
    return table


def _empty_race() -> np.ndarray:
    """Count the vueltas from mountain 0 to the moon on a bare board, by the shore that the moon begins at."""
    race = np.zeros((len(DEGREE), NUM_SHORES), np.int64)
    for board in range(len(DEGREE)):
        for moon in range(NUM_SHORES):
            reached = {0}
            while not {SHORE + (moon + race[board, moon] + late) % NUM_SHORES for late in (-1, 0)} & reached:
                reached |= {int(n) for node in reached for n in NEIGHBOURS[board, node, : DEGREE[board, node]]}
                race[board, moon] += 1
    return race


_AROUND = _around()  # (boards, chunks, 128): the nodes next to any of a chunk's nodes
EMPTY_RACE = _empty_race()  # (boards, shores)
CROSSINGS = np.array([sum(1 << n for n in range(4, NUM_NODES) if degree[n]) for degree in DEGREE], np.int64)


@kernel
def around(board, nodes):
    """Return the nodes one path away from any of `nodes`."""
    return (
        _AROUND[board, 0, nodes & 127]
        | _AROUND[board, 1, (nodes >> 7) & 127]
        | _AROUND[board, 2, (nodes >> 14) & 127]
        | _AROUND[board, 3, (nodes >> 21) & 127]
    )


@kernel
def spread(board, nodes, barred, rosemary, leap):
    """Return where bulls on `nodes` can be after one turn; `leap` is where rosemary takes them besides next door."""
    if nodes == 0:
        return 0
    reached = nodes | (around(board, nodes) & ~barred)
    eaten = reached & rosemary & ~nodes
    if eaten:
        reached |= (around(board, eaten) | leap) & ~barred
    return reached


@kernel
def first_of(bits):
    """Return the number of the lowest bit set, NEVER if none is."""
    if bits == 0:
        return NEVER
    number = 0
    while not (bits >> number) & 1:
        number += 1
    return number


@kernel
def shore_bit(shore, lily):
    """Return the node bit of a shore at which the moon can be met, 0 where the lily hides it."""
    shore %= NUM_SHORES
    return 0 if shore == lily else 1 << (SHORE + shore)


@kernel
def meetings(board, nodes, moved, moon, lily, barred, poppies, rosemary, leap, until):
    """Return the times, as bits, at which a bull on one of `nodes` can first meet the moon, and the nodes looked at.

    The search stops with the vuelta of the time `until`, or later with the first meeting. `moved` says that the bull's
    turn in this vuelta is over. Poppies draw it and are eaten, so four sets are kept: of the nodes it can be on with
    neither, either or both eaten. A tile laid where the search did not look changes nothing.
    """
    red = poppies & -poppies
    other = poppies & ~red
    by_red, by_other = around(board, red), around(board, other)
    whole, without_red, without_other, bare = nodes, 0, 0, 0
    times, seen = 0, nodes
    for vuelta in range(HORIZON):
        if vuelta > 0 or not moved:
            if poppies:
                bare = spread(board, bare, barred, rosemary, leap)
                bare |= other if without_red & by_other else 0
                bare |= red if without_other & by_red else 0
                without_red = spread(board, without_red & ~by_other, barred, rosemary, leap)
                without_other = spread(board, without_other & ~by_red, barred, rosemary, leap)
                without_red |= red if whole & by_red else 0
                without_other |= other if whole & by_other else 0
            whole = spread(board, whole & ~(by_red | by_other), barred, rosemary, leap)
        reached = whole | without_red | without_other | bare
        seen |= reached
        for late in range(2):
            met = shore_bit(moon + vuelta + late, lily)
            if reached & met:
                times |= 1 << (2 * vuelta + late)
                whole, bare = whole & ~met, bare & ~met
                without_red, without_other = without_red & ~met, without_other & ~met
        if times and 2 * vuelta + 1 >= until:
            break
    return times, seen
