"""Observations of *Ese Toro enamorado*: a vector of named blocks.

A seat sees the whole table except the tiles in other hands, the kinds of the tiles that others have laid face down
on crossings, and the tiles left in the bag (C9.1). A tile on water is always a lily (C4.2).

There is no `reshuffle`: each tile in a hand or on the board is known to a seat, and so is what is left in the bag; each
round draws its tiles from the random stream when it begins (C4.1).
"""

import numpy as np

from sobremesa.envs.core.blocks import each, members, numbers, one_of, reader, up_to
from sobremesa.envs.core.codes import clear
from sobremesa.envs.core.compile.bits import count_bits, rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.seats import turned
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.state import EXTRA, MAX_ROUNDS, MAX_VUELTAS

NUM_STAGES = EXTRA + 1

# Seats are turned so that the observer is number 0; missing seats are zeros.
LAYOUT = Layout(
    Block("bulls", (b.MAX_SEATS, b.NUM_NODES), "node of each seat's bull", seen=one_of("bull")),
    Block("known_tiles", (b.NUM_LAND_KINDS, b.NUM_NODES), "known tiles: fence, poppy, rosemary", seen=members("known")),
    Block("tile_owners", (b.MAX_SEATS, b.NUM_NODES), "owner of the tile on each node", seen=members("laid")),
    Block("hidden_tiles", (b.NUM_NODES,), "tiles that lie face down", seen=members("hidden")),
    Block("moon", (b.NUM_SHORES,), "the shore of the moon", seen=one_of("moon")),
    Block("lily", (b.NUM_SHORES,), "the shore whose water the lily covers", seen=one_of("lily")),
    Block("homes", (b.MAX_SEATS, b.NUM_MOUNTAINS), "each seat's mountain", seen=one_of("home")),
    Block("markers", (b.MAX_SEATS, b.NUM_PHASES), "1 for a seat that has a marker of the phase",
          seen=numbers("markers")),
    Block("spares", (b.MAX_SEATS, b.NUM_PHASES), "its further markers of the phase, in quarters", high=MAX_ROUNDS / 16,
          per=4, seen=numbers("spares")),
    Block("scored", (b.MAX_SEATS,), "seats that have met the moon this round", seen=numbers("scored")),
    Block("phase", (b.NUM_PHASES,), "the phase: waxing, full, waning, new", seen=one_of("phase")),
    Block("stage", (NUM_STAGES,), "choose a mountain, lay a tile, move, move on after rosemary", seen=one_of("stage")),
    Block("turn", (b.MAX_SEATS,), "the seat to act", seen=one_of("turn")),
    Block("first", (b.MAX_SEATS,), "the seat that opens this round", seen=one_of("first")),
    Block("present", (b.MAX_SEATS,), "seats at the table", seen=up_to("seats")),
    Block("vuelta", (1,), f"turns of the table this night, in {MAX_VUELTAS}ths", per=MAX_VUELTAS, seen=each("vuelta")),
    Block("round", (1,), f"the round, in {MAX_ROUNDS}ths", per=MAX_ROUNDS, seen=each("round_number")),
    Block("hand", (b.NUM_KINDS,), "the observer's tiles not yet laid: fences, poppies, rosemary, lily, in halves",
          per=2,
          seen=numbers("hand")),
    Block("hands", (b.MAX_SEATS,), "number of each seat's tiles not yet laid, in halves", per=2,
          seen=numbers("hand_sizes")),
    Block("unseen", (b.NUM_KINDS,), "tiles that the observer has not seen this round, as a share of their kind",
          per=tuple(b.TILE_COUNTS.tolist()), seen=numbers("unseen")),
    Block("setup", (10,), "the setup fields after `seats`: choices by number, caps in 24ths and 48ths", high=2.0,
          per=(1,) * 8 + (MAX_VUELTAS, MAX_ROUNDS),
          seen=each("board", "mountains", "round_end", "rosemary", "rosemary_chain", "fence_bounce", "shore_tiles",
                    "duplicates", "max_vueltas", "max_rounds")),
)  # fmt: skip

# Numbers of seats, nodes, shores and mountains, where the next is none; sets of nodes are bits, node n being bit n.
SEEN, decode = reader(LAYOUT)

_BULLS, _KNOWN, _OWNERS = LAYOUT.start("bulls"), LAYOUT.start("known_tiles"), LAYOUT.start("tile_owners")
_HIDDEN, _MOON, _LILY, _HOMES = (LAYOUT.start(name) for name in ("hidden_tiles", "moon", "lily", "homes"))
_MARKERS, _SPARES, _SCORED = LAYOUT.start("markers"), LAYOUT.start("spares"), LAYOUT.start("scored")
_PHASE, _STAGE, _TURN, _FIRST = (LAYOUT.start(name) for name in ("phase", "stage", "turn", "first"))
_PRESENT, _VUELTA, _ROUND = LAYOUT.start("present"), LAYOUT.start("vuelta"), LAYOUT.start("round")
_HAND, _HANDS, _UNSEEN, _SETUP = (LAYOUT.start(name) for name in ("hand", "hands", "unseen", "setup"))


# Of a row of places the first 32, nodes and a few waters: as many bytes as a processor looks at and writes at once.
first_equal, put_first = rows_of(32)[:2]
_NODES = (1 << b.NUM_NODES) - 1
_phases, _ANY, _ONCE = rows_of(b.NUM_PHASES), 0xFF, np.ones(b.NUM_PHASES, np.int8)
_having, _times, _less = _phases.having, _phases.times, _phases.less
shores_equal, put_shores = rows_of(b.NUM_SHORES)[:2]


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` `(W,)` uint8 (C9.1)."""
    clear(out, 0, _VUELTA)
    clear(out, _HANDS, _UNSEEN)
    _observe_tiles(state, seat, out)
    _observe_seats(state, seat, out)
    if state.moon != b.NO_SHORE:
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
    """Write the tiles in the observer's hand, on the board, and unseen.

    Rows are written in order: the last four of 32 bytes belong to the next row or to a later write.
    """
    occupied = ~first_equal(state.tile, 0, b.NO_TILE) & _NODES
    face_up = first_equal(state.face_up, 0, 1)
    known = face_up | first_equal(state.owner, 0, seat)  # `knows` adds the tiles on water
    for kind in range(b.NUM_LAND_KINDS):
        seen = known & first_equal(state.tile, 0, kind)
        put_first(out, _KNOWN + kind * b.NUM_NODES, seen)
        out[_UNSEEN + kind] = _not_in_hand(state, seat, kind) - count_bits(seen)
    other = int(seat)
    for row in range(state.seats):
        put_first(out, _OWNERS + row * b.NUM_NODES, occupied & first_equal(state.owner, 0, other))
        other = other + 1 if other + 1 < state.seats else 0
    put_first(out, _HIDDEN, occupied & ~face_up)
    lily = shores_equal(state.tile, b.WATER, b.LILY)
    put_shores(out, _LILY, lily)
    out[_UNSEEN + b.LILY] = _not_in_hand(state, seat, b.LILY) - count_bits(lily)
    for kind in range(b.NUM_KINDS):
        out[_HAND + kind] = state.hand[seat, kind]


@kernel
def _not_in_hand(state, seat, kind):
    """Return how many tiles of a kind are neither in the hand of `seat` nor gone."""
    return int(b.TILE_COUNTS[kind]) - int(state.gone[kind]) - int(state.hand[seat, kind])


@kernel
def _observe_seats(state, seat, out):
    other = int(seat)
    for row in range(state.seats):
        if state.bull[other] != b.NO_NODE:
            out[_BULLS + row * b.NUM_NODES + int(state.bull[other])] = 1
        if state.home[other] != b.NO_MOUNTAIN:
            out[_HOMES + row * b.NUM_MOUNTAINS + int(state.home[other])] = 1
        _having(out, _MARKERS + row * b.NUM_PHASES, state.markers[other], 0, _ANY)
        _times(out, _SPARES + row * b.NUM_PHASES, state.markers[other], 0, _ONCE)
        _less(out, _SPARES + row * b.NUM_PHASES, out, _MARKERS + row * b.NUM_PHASES)
        tiles = 0
        for kind in range(b.NUM_KINDS):
            tiles += state.hand[other, kind]
        out[_HANDS + row] = tiles
        out[_SCORED + row] = state.scored[other]
        out[_PRESENT + row] = 1
        other = other + 1 if other + 1 < state.seats else 0
