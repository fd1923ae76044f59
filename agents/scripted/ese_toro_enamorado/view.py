"""What the strong bot of *Ese Toro enamorado* makes of an observation: tiles as sets of nodes, seats, and stakes."""

import numpy as np

from sobremesa.agents.scripted.blocks import which
from sobremesa.agents.scripted.ese_toro_enamorado.paths import CROSSINGS, EMPTY_RACE, NEVER
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.ese_toro_enamorado.board import (
    LILY,
    MAX_SEATS,
    NUM_MOUNTAINS,
    NUM_NODES,
    NUM_PHASES,
    NUM_SHORES,
    TILE_COUNTS,
)
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT, NUM_STAGES
from sobremesa.envs.ese_toro_enamorado.rules import ANYWHERE, MAX_VUELTAS

(
    _BULLS, _KNOWN, _OWNERS, _HIDDEN, _MOON, _LILY, _HOMES, _MARKERS, _SCORED, _PHASE, _STAGE, _FIRST, _PRESENT,
    _VUELTA, _HANDS, _UNSEEN, _SETUP,
) = (
    LAYOUT.start(name)
    for name in (
        "bulls", "known_tiles", "tile_owners", "hidden_tiles", "moon", "lily", "homes", "markers", "scored", "phase",
        "stage", "first", "present", "vuelta", "hands", "unseen", "setup",
    )
)  # fmt: skip

VIEW = np.dtype(
    (
        np.record,
        [
            ("board", np.int64),
            ("round_end", np.int64),
            ("leap", np.int64),  # nodes that rosemary takes a bull to, besides those next door
            ("seats", np.int64),
            ("stage", np.int64),
            ("phase", np.int64),
            ("moon", np.int64),  # a shore
            ("lily", np.int64),  # a shore, NUM_SHORES if it is on none
            ("vuelta", np.int64),
            ("known", np.int64, LILY),  # by kind: nodes where I know of such a tile
            ("hidden", np.int64),  # nodes with a tile face down
            ("unknown", np.int64),  # of these, those whose tile I do not know
            ("laid", np.int64, MAX_SEATS),  # nodes with a tile that this seat has laid; I am seat 0
            ("unseen", np.int64, LILY),  # tiles that I have not seen, by kind
            ("to_lay", np.int64),  # tiles that the seats have yet to lay
            ("bull", np.int64, MAX_SEATS),  # node
            ("home", np.int64, MAX_SEATS),  # mountain
            ("moved", np.int64, MAX_SEATS),  # 1 for a seat that has had its turn in this vuelta
            ("scored", np.int64, MAX_SEATS),
            ("stake", np.float64, MAX_SEATS),  # what it is worth to me that this seat meets the moon this round
            ("outlook", np.float64, NUM_SHORES),  # what it is worth to me that the next round begins at this shore
        ],
    )
)

# What the next marker is worth to a seat, by the number of phases it holds: the last one wins.
_MARKER_WORTH = np.array([1.0, 1.1, 1.4, 4.0, 0.0])
_SPARE_WORTH = 0.02  # a marker of a phase that one has: it decides ties alone
_ROUNDS_AHEAD = 2
_OUTLOOK_WEIGHT = 0.3  # what the next round counts beside this one
_LATER_WEIGHT = 0.6  # what each further round counts beside the one before
_BEHIND = 0.35 ** np.arange(12)  # what is left of a chance, by the vuelta that one comes later


@kernel
def set_of(observation, start, count):
    """Return the entries set in a block as bits."""
    bits = 0
    for number in range(count):
        if observation[start + number] > 0:
            bits |= 1 << number
    return bits


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation made on a night or on a day."""
    view.board = int(observation[_SETUP])
    view.round_end = int(observation[_SETUP + 2])
    view.leap = CROSSINGS[view.board] if int(observation[_SETUP + 3]) == ANYWHERE else 0
    view.stage = which(observation, _STAGE, NUM_STAGES)
    view.phase = which(observation, _PHASE, NUM_PHASES)
    view.moon = which(observation, _MOON, NUM_SHORES)
    view.lily = which(observation, _LILY, NUM_SHORES)
    view.vuelta = int(observation[_VUELTA] * MAX_VUELTAS + 0.5)
    view.hidden = set_of(observation, _HIDDEN, NUM_NODES)
    view.unknown = view.hidden
    for kind in range(LILY):
        view.known[kind] = set_of(observation, _KNOWN + kind * NUM_NODES, NUM_NODES)
        view.unknown &= ~view.known[kind]
        view.unseen[kind] = int(observation[_UNSEEN + kind] * TILE_COUNTS[kind] + 0.5)
    view.seats = 0
    for seat in range(MAX_SEATS):
        if observation[_PRESENT + seat] > 0:
            view.seats += 1
    first = which(observation, _FIRST, MAX_SEATS)
    for seat in range(view.seats):
        view.bull[seat] = which(observation, _BULLS + seat * NUM_NODES, NUM_NODES)
        view.home[seat] = which(observation, _HOMES + seat * NUM_MOUNTAINS, NUM_MOUNTAINS)
        view.scored[seat] = observation[_SCORED + seat] > 0
        view.moved[seat] = (seat - first) % view.seats < (-first) % view.seats
        view.to_lay += int(observation[_HANDS + seat] * 2 + 0.5)
        if view.hidden:
            view.laid[seat] = set_of(observation, _OWNERS + seat * NUM_NODES, NUM_NODES)
    _appraise(observation, view)


@kernel
def marker_worth(observation, seats, seat, phase):
    """Return what a marker of `phase` for `seat` is worth to me, seat 0: my equity or what it takes from me."""
    held = 0
    for other in range(NUM_PHASES):
        held += observation[_MARKERS + seat * NUM_PHASES + other] > 0
    lacks = observation[_MARKERS + seat * NUM_PHASES + phase] == 0
    worth = _MARKER_WORTH[held] if lacks else _SPARE_WORTH
    return worth if seat == 0 else -worth / (seats - 1)


@kernel
def _appraise(observation, view):
    """Set the stakes of this round, and the outlook on the next by the shore that it begins at.

    The outlook plays some rounds on a bare board, where the soonest bull ends each and so sets the next shore.
    """
    for seat in range(view.seats):
        view.stake[seat] = marker_worth(observation, view.seats, seat, view.phase)
    worth, later = np.empty(MAX_SEATS), np.zeros(NUM_SHORES)
    for ahead in range(_ROUNDS_AHEAD, 0, -1):
        for seat in range(view.seats):
            worth[seat] = marker_worth(observation, view.seats, seat, (view.phase + ahead) % NUM_PHASES)
        for shore in range(NUM_SHORES):
            soonest = NEVER
            for seat in range(view.seats):
                soonest = min(soonest, EMPTY_RACE[view.board, (shore - 2 * view.home[seat]) % NUM_SHORES])
            value = later[(shore + soonest + 1) % NUM_SHORES]
            for seat in range(view.seats):
                late = EMPTY_RACE[view.board, (shore - 2 * view.home[seat]) % NUM_SHORES] - soonest
                value += worth[seat] * _BEHIND[late]
            view.outlook[shore] = value * (_OUTLOOK_WEIGHT if ahead == 1 else _LATER_WEIGHT)
        later[:] = view.outlook
