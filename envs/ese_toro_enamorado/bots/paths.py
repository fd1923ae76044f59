"""Reachable nodes and encounter times in *Ese Toro enamorado*, with sets of nodes as bits of an integer.

Node n is bit n. Four look-ups spread a set of nodes along the paths, so that a search in (node, time) over some
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
    """Return the vueltas from mountain 0 to the moon on an empty board, by the moon's first shore."""
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
    """Return the nodes within one turn of `nodes`; `leap` adds the far destinations of rosemary."""
    if nodes == 0:
        return 0
    reached = nodes | (around(board, nodes) & ~barred)
    eaten = reached & rosemary & ~nodes
    if eaten:
        reached |= (around(board, eaten) | leap) & ~barred
    return reached


@kernel
def first_of(bits):
    """Return the number of the lowest bit set, or NEVER for 0."""
    if bits == 0:
        return NEVER
    number = 0
    while not (bits >> number) & 1:
        number += 1
    return number


@kernel
def shore_bit(shore, lily):
    """Return the node bit of a shore, or 0 where the lily hides the moon."""
    shore %= NUM_SHORES
    return 0 if shore == lily else 1 << (SHORE + shore)


@kernel
def meetings(board, nodes, moved, moon, lily, barred, poppies, rosemary, leap, until):
    """Return the possible encounter times of a bull on one of `nodes`, as bits, and the nodes searched.

    The search stops with the vuelta of the time `until`, or later with the first encounter. `moved`: the bull's
    turn in this vuelta is over. Poppies attract it and are eaten, so there are four sets: the reachable nodes with
    neither, either or both eaten. A tile outside the nodes searched changes no result.
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
