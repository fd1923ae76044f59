"""What a seat sees of *Ese Toro enamorado*, as a vector of named blocks and back, and fair guesses at what it does not.

A seat sees the whole table but for: the tiles in other hands, the kinds of the tiles that others have laid face down
on crossings, and the tiles left in the bag (C9.1). A tile on water is a lily, whoever laid it (C4.2).

There is no `reshuffle`: each tile in a hand or on the board is known to a seat, and so is what is left in the bag; each
round draws its tiles from the random stream when it begins (C4.1).
"""

import numpy as np

from sobremesa.envs.core.blocks import set_of, which
from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.codes import clear
from sobremesa.envs.core.compile.bits import count_bits, rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.seats import turned
from sobremesa.envs.ese_toro_enamorado.board import (
    LILY,
    MAX_SEATS,
    NO_MOUNTAIN,
    NO_NODE,
    NO_SHORE,
    NO_TILE,
    NUM_KINDS,
    NUM_LAND_KINDS,
    NUM_MOUNTAINS,
    NUM_NODES,
    NUM_PHASES,
    NUM_SHORES,
    NUM_TILES,
    TILE_COUNTS,
    WATER,
)
from sobremesa.envs.ese_toro_enamorado.rules import EXTRA, MAX_ROUNDS, MAX_VUELTAS

NUM_STAGES = EXTRA + 1

# Seats are turned so that the observer is number 0; missing seats are zeros.
LAYOUT = Layout(
    Block("bulls", (MAX_SEATS, NUM_NODES), "which node each seat's bull is on"),
    Block("known_tiles", (NUM_LAND_KINDS, NUM_NODES), "fence, poppy or rosemary where I know that one lies"),
    Block("tile_owners", (MAX_SEATS, NUM_NODES), "which seat laid the tile on each node"),
    Block("hidden_tiles", (NUM_NODES,), "tiles that lie face down"),
    Block("moon", (NUM_SHORES,), "the shore that the moon lies at"),
    Block("lily", (NUM_SHORES,), "the shore whose water the lily covers"),
    Block("homes", (MAX_SEATS, NUM_MOUNTAINS), "each seat's mountain"),
    Block("markers", (MAX_SEATS, NUM_PHASES), "1 for a seat that has a marker of the phase"),
    Block("spares", (MAX_SEATS, NUM_PHASES), "its further markers of the phase, in quarters", high=MAX_ROUNDS / 16,
          per=4),
    Block("scored", (MAX_SEATS,), "seats that have met the moon this round"),
    Block("phase", (NUM_PHASES,), "the phase: waxing, full, waning, new"),
    Block("stage", (NUM_STAGES,), "choose a mountain, lay a tile, move, move on after rosemary"),
    Block("turn", (MAX_SEATS,), "the seat to act"),
    Block("first", (MAX_SEATS,), "the seat that opens this round"),
    Block("present", (MAX_SEATS,), "seats at the table"),
    Block("vuelta", (1,), f"turns of the table this night, in {MAX_VUELTAS}ths", per=MAX_VUELTAS),
    Block("round", (1,), f"the round, in {MAX_ROUNDS}ths", per=MAX_ROUNDS),
    Block("hand", (NUM_KINDS,), "my tiles not yet laid: fences, poppies, rosemary, lily, in halves", per=2),
    Block("hands", (MAX_SEATS,), "how many tiles each seat has not yet laid, in halves", per=2),
    Block("unseen", (NUM_KINDS,), "tiles that I have not seen this round, as a share of their kind",
          per=tuple(TILE_COUNTS.tolist())),
    Block("setup", (10,), "the setup fields after `seats`: choices by number, caps in 24ths and 48ths", high=2.0,
          per=(1,) * 8 + (MAX_VUELTAS, MAX_ROUNDS)),
)  # fmt: skip

_BULLS, _KNOWN, _OWNERS = LAYOUT.start("bulls"), LAYOUT.start("known_tiles"), LAYOUT.start("tile_owners")
_HIDDEN, _MOON, _LILY, _HOMES = (LAYOUT.start(name) for name in ("hidden_tiles", "moon", "lily", "homes"))
_MARKERS, _SPARES, _SCORED = LAYOUT.start("markers"), LAYOUT.start("spares"), LAYOUT.start("scored")
_PHASE, _STAGE, _TURN, _FIRST = (LAYOUT.start(name) for name in ("phase", "stage", "turn", "first"))
_PRESENT, _VUELTA, _ROUND = LAYOUT.start("present"), LAYOUT.start("vuelta"), LAYOUT.start("round")
_HAND, _HANDS, _UNSEEN, _SETUP = (LAYOUT.start(name) for name in ("hand", "hands", "unseen", "setup"))

# What an observation says, as `decode` reads it: seats turned as there, sets of nodes as bits, node n being bit n.
_SETUP_FIELDS = (
    "board", "mountains", "round_end", "rosemary", "rosemary_chain", "fence_bounce", "shore_tiles", "duplicates",
    "max_vueltas", "max_rounds",
)  # fmt: skip
SEEN = with_attributes(
    [
        *((name, np.int64) for name in _SETUP_FIELDS),
        ("seats", np.int64),
        ("turn", np.int64),  # the seat to act
        ("first", np.int64),  # the seat that opens this round
        ("stage", np.int64),
        ("round_number", np.int64),
        ("phase", np.int64),
        ("vuelta", np.int64),
        ("moon", np.int64),  # a shore; NO_SHORE
        ("lily", np.int64),  # the shore whose water it covers; NO_SHORE
        ("home", np.int64, MAX_SEATS),  # a mountain; NO_MOUNTAIN
        ("bull", np.int64, MAX_SEATS),  # a node; NO_NODE
        ("known", np.int64, NUM_LAND_KINDS),  # by kind: nodes where I know of such a tile
        ("hidden", np.int64),  # nodes with a tile face down
        ("laid", np.int64, MAX_SEATS),  # nodes with a tile that this seat has laid
        ("hand", np.int64, NUM_KINDS),  # my tiles, by kind
        ("hand_sizes", np.int64, MAX_SEATS),  # how many each seat has not yet laid
        ("unseen", np.int64, NUM_KINDS),  # tiles of the round that I have not seen
        ("scored", np.int64, MAX_SEATS),  # 1 for a seat that has met the moon this round
        ("markers", np.int64, (MAX_SEATS, NUM_PHASES)),
    ]
)

# Of a row of places the first 32, nodes and a few waters: as many bytes as a processor looks at and writes at once.
first_equal, put_first = rows_of(32)[:2]
_NODES = (1 << NUM_NODES) - 1
_phases, _ANY, _ONCE = rows_of(NUM_PHASES), 0xFF, np.ones(NUM_PHASES, np.int8)
_having, _times, _less = _phases.having, _phases.times, _phases.less
shores_equal, put_shores = rows_of(NUM_SHORES)[:2]


@kernel
def knows(state, seat, place):
    """Say whether `seat` knows the kind of the tile on `place`: face up, its own, or on water (C9.1)."""
    return state.face_up[place] == 1 or state.owner[place] == seat or place >= WATER


@kernel
def observe(state, seat, out):
    """Write what `seat` sees into `out` `(W,)` uint8 (C9.1)."""
    clear(out, 0, _VUELTA)
    clear(out, _HANDS, _UNSEEN)
    _observe_tiles(state, seat, out)
    _observe_seats(state, seat, out)
    if state.moon != NO_SHORE:
        out[_MOON + int(state.moon)] = 1
    out[_PHASE + int(state.phase)] = 1
    out[_STAGE + int(state.stage)] = 1
    out[_TURN + turned(state, seat, state.seat)] = 1
    out[_FIRST + turned(state, seat, state.first)] = 1
    out[_VUELTA] = state.vuelta
    out[_ROUND] = state.round_number
    out[_SETUP] = state.board
    out[_SETUP + 1] = state.mountains
    out[_SETUP + 2] = state.round_end
    out[_SETUP + 3] = state.rosemary
    out[_SETUP + 4] = state.rosemary_chain
    out[_SETUP + 5] = state.fence_bounce
    out[_SETUP + 6] = state.shore_tiles
    out[_SETUP + 7] = state.duplicates
    out[_SETUP + 8] = state.max_vueltas
    out[_SETUP + 9] = state.max_rounds


@kernel
def _observe_tiles(state, seat, out):
    """Write the tiles in my hand and on the board, and which I have not seen.

    Rows are written in order: of 32 bytes the last four are of the next row, or of what is written later.
    """
    occupied = ~first_equal(state.tile, 0, NO_TILE) & _NODES
    face_up = first_equal(state.face_up, 0, 1)
    known = face_up | first_equal(state.owner, 0, seat)  # what else `knows` tells is of water
    for kind in range(NUM_LAND_KINDS):
        seen = known & first_equal(state.tile, 0, kind)
        put_first(out, _KNOWN + kind * NUM_NODES, seen)
        out[_UNSEEN + kind] = _not_in_hand(state, seat, kind) - count_bits(seen)
    other = int(seat)
    for row in range(state.seats):
        put_first(out, _OWNERS + row * NUM_NODES, occupied & first_equal(state.owner, 0, other))
        other = other + 1 if other + 1 < state.seats else 0
    put_first(out, _HIDDEN, occupied & ~face_up)
    lily = shores_equal(state.tile, WATER, LILY)
    put_shores(out, _LILY, lily)
    out[_UNSEEN + LILY] = _not_in_hand(state, seat, LILY) - count_bits(lily)
    for kind in range(NUM_KINDS):
        out[_HAND + kind] = state.hand[seat, kind]


@kernel
def _not_in_hand(state, seat, kind):
    """Return how many tiles of a kind are neither in the hand of `seat` nor gone."""
    return int(TILE_COUNTS[kind]) - int(state.gone[kind]) - int(state.hand[seat, kind])


@kernel
def _observe_seats(state, seat, out):
    other = int(seat)
    for row in range(state.seats):
        if state.bull[other] != NO_NODE:
            out[_BULLS + row * NUM_NODES + int(state.bull[other])] = 1
        if state.home[other] != NO_MOUNTAIN:
            out[_HOMES + row * NUM_MOUNTAINS + int(state.home[other])] = 1
        _having(out, _MARKERS + row * NUM_PHASES, state.markers[other], 0, _ANY)
        _times(out, _SPARES + row * NUM_PHASES, state.markers[other], 0, _ONCE)
        _less(out, _SPARES + row * NUM_PHASES, out, _MARKERS + row * NUM_PHASES)
        tiles = 0
        for kind in range(NUM_KINDS):
            tiles += state.hand[other, kind]
        out[_HANDS + row] = tiles
        out[_SCORED + row] = state.scored[other]
        out[_PRESENT + row] = 1
        other = other + 1 if other + 1 < state.seats else 0


@kernel
def decode(observation, seen):
    """Fill `seen`, a record with the fields of SEEN, from what `observe` wrote."""
    _decode_setup(observation, seen)
    seen.turn = which(observation, _TURN, MAX_SEATS)
    seen.first = which(observation, _FIRST, MAX_SEATS)
    seen.stage = which(observation, _STAGE, NUM_STAGES)
    seen.round_number = round(observation[_ROUND] * MAX_ROUNDS)
    seen.phase = which(observation, _PHASE, NUM_PHASES)
    seen.vuelta = round(observation[_VUELTA] * MAX_VUELTAS)
    seen.moon = which(observation, _MOON, NUM_SHORES)
    seen.lily = which(observation, _LILY, NUM_SHORES)
    seen.hidden = set_of(observation, _HIDDEN, NUM_NODES)
    for kind in range(NUM_LAND_KINDS):
        seen.known[kind] = set_of(observation, _KNOWN + kind * NUM_NODES, NUM_NODES)
    for kind in range(NUM_KINDS):
        seen.hand[kind] = round(observation[_HAND + kind] * 2)
        seen.unseen[kind] = round(observation[_UNSEEN + kind] * TILE_COUNTS[kind])
    seen.seats = 0
    for seat in range(MAX_SEATS):
        seen.seats += int(observation[_PRESENT + seat] > 0)
        seen.home[seat] = which(observation, _HOMES + seat * NUM_MOUNTAINS, NUM_MOUNTAINS)
        seen.bull[seat] = which(observation, _BULLS + seat * NUM_NODES, NUM_NODES)
        seen.laid[seat] = set_of(observation, _OWNERS + seat * NUM_NODES, NUM_NODES)
        seen.hand_sizes[seat] = round(observation[_HANDS + seat] * 2)
        seen.scored[seat] = int(observation[_SCORED + seat])
        for phase in range(NUM_PHASES):
            at = seat * NUM_PHASES + phase
            seen.markers[seat, phase] = int(observation[_MARKERS + at] + observation[_SPARES + at] * 4)


@kernel
def _decode_setup(observation, seen):
    seen.board = int(observation[_SETUP])
    seen.mountains = int(observation[_SETUP + 1])
    seen.round_end = int(observation[_SETUP + 2])
    seen.rosemary = int(observation[_SETUP + 3])
    seen.rosemary_chain = int(observation[_SETUP + 4])
    seen.fence_bounce = int(observation[_SETUP + 5])
    seen.shore_tiles = int(observation[_SETUP + 6])
    seen.duplicates = int(observation[_SETUP + 7])
    seen.max_vueltas = round(observation[_SETUP + 8] * MAX_VUELTAS)
    seen.max_rounds = round(observation[_SETUP + 9] * MAX_ROUNDS)


@kernel
def redeal(state, seat, seed):
    """Give out anew, each way alike, the tiles that `seat` cannot see, and begin another stream (C9.1).

    The unseen tiles are in other hands, face down on crossings, or in the bag. The lily is never on a crossing, so it
    goes first, to one of the other slots; the rest are shuffled over what is left.
    """
    start(state, seed)
    pool = np.empty(NUM_TILES, np.int8)  # unseen tiles but the lily
    count, lilies = 0, 0
    for kind in range(NUM_KINDS):
        left = int(TILE_COUNTS[kind]) - state.gone[kind] - state.hand[seat, kind]
        for place in range(WATER + NUM_SHORES):
            left -= state.tile[place] == kind and knows(state, seat, place)
        if kind == LILY:
            lilies = left
        else:
            pool[count : count + left] = kind
            count += left
    crossings = 0
    for node in range(NUM_NODES):
        crossings += state.tile[node] != NO_TILE and not knows(state, seat, node)
    shuffle(state, pool, count)
    free = count + lilies - crossings  # slots in hands and in the bag
    lily_slot = below(state, free) if lilies else free
    _hand_out(state, seat, pool, lily_slot)


@kernel
def _hand_out(state, seat, pool, lily_slot):
    """Lay `pool` on the crossings, then into the other hands, with the lily in their slot `lily_slot`."""
    top, slot = 0, 0
    for node in range(NUM_NODES):
        if state.tile[node] != NO_TILE and not knows(state, seat, node):
            state.tile[node] = pool[top]
            top += 1
    for other in range(state.seats):
        if other == seat:
            continue
        tiles = 0
        for kind in range(NUM_KINDS):
            tiles += state.hand[other, kind]
            state.hand[other, kind] = 0
        for _ in range(tiles):
            if slot == lily_slot:
                state.hand[other, LILY] += 1
            else:
                state.hand[other, pool[top]] += 1
                top += 1
            slot += 1
