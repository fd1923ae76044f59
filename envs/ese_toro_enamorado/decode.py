"""Observations of *Ese Toro enamorado* as records: the inverse of observe.py, for scripted bots."""

import numpy as np

from sobremesa.envs.core.blocks import set_of, which
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.ese_toro_enamorado.board import (
    MAX_SEATS,
    NUM_KINDS,
    NUM_LAND_KINDS,
    NUM_MOUNTAINS,
    NUM_NODES,
    NUM_PHASES,
    NUM_SHORES,
    TILE_COUNTS,
)
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT, NUM_STAGES
from sobremesa.envs.ese_toro_enamorado.state import MAX_ROUNDS, MAX_VUELTAS

_BULLS, _KNOWN, _OWNERS, _HIDDEN = (
    LAYOUT.start(name) for name in ("bulls", "known_tiles", "tile_owners", "hidden_tiles")
)
_MOON, _LILY, _HOMES, _MARKERS = (LAYOUT.start(name) for name in ("moon", "lily", "homes", "markers"))
_SPARES, _SCORED, _PHASE, _STAGE = (LAYOUT.start(name) for name in ("spares", "scored", "phase", "stage"))
_TURN, _FIRST, _PRESENT, _VUELTA = (LAYOUT.start(name) for name in ("turn", "first", "present", "vuelta"))
_ROUND, _HAND, _HANDS, _UNSEEN = (LAYOUT.start(name) for name in ("round", "hand", "hands", "unseen"))
_SETUP = LAYOUT.start("setup")

# Seats are rotated as in the observation; sets of nodes are bits, node n being bit n.
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


@kernel
def decode(observation, seen):
    """Fill the record `seen`, with the fields of SEEN, from an observation."""
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
