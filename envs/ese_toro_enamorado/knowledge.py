"""Hidden information of *Ese Toro enamorado*, and determinizations of it."""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.ese_toro_enamorado import board as b


@kernel
def knows(state, seat, place):
    """Return whether `seat` knows the kind of the tile on `place`: face up, its own, or on water (C9.1)."""
    return state.face_up[place] == 1 or state.owner[place] == seat or place >= b.WATER


@kernel
def redeal(state, seat, seed):
    """Resample the tiles that `seat` cannot see, all arrangements equally likely, and start a new stream (C9.1).

    The unseen tiles are in other hands, face down on crossings, or in the bag. The lily is never on a crossing, so it
    goes first, to one of the other slots; the rest are shuffled over what is left.
    """
    start(state, seed)
    pool = scratch(b.NUM_TILES, np.int8)  # unseen tiles but the lily
    count, lilies = 0, 0
    for kind in range(b.NUM_KINDS):
        left = int(b.TILE_COUNTS[kind]) - state.gone[kind] - state.hand[seat, kind]
        for place in range(b.WATER + b.NUM_SHORES):
            left -= state.tile[place] == kind and knows(state, seat, place)
        if kind == b.LILY:
            lilies = left
        else:
            pool[count : count + left] = kind
            count += left
    crossings = 0
    for node in range(b.NUM_NODES):
        crossings += state.tile[node] != b.NO_TILE and not knows(state, seat, node)
    shuffle(state, pool, count)
    free = count + lilies - crossings  # slots in hands and in the bag
    lily_slot = below(state, free) if lilies else free
    _hand_out(state, seat, pool, lily_slot)


@kernel
def _hand_out(state, seat, pool, lily_slot):
    """Lay `pool` on the crossings, then into the other hands, with the lily in their slot `lily_slot`."""
    top, slot = 0, 0
    for node in range(b.NUM_NODES):
        if state.tile[node] != b.NO_TILE and not knows(state, seat, node):
            state.tile[node] = pool[top]
            top += 1
    for other in range(state.seats):
        if other == seat:
            continue
        tiles = 0
        for kind in range(b.NUM_KINDS):
            tiles += state.hand[other, kind]
            state.hand[other, kind] = 0
        for _ in range(tiles):
            if slot == lily_slot:
                state.hand[other, b.LILY] += 1
            else:
                state.hand[other, pool[top]] += 1
                top += 1
            slot += 1
