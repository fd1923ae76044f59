"""The view of the strong bot of *Ese Toro enamorado*: the decoded observation, and the stakes of the round."""

import numpy as np

from sobremesa.envs.core.blocks import powers
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.ese_toro_enamorado.board import FENCE, MAX_SEATS, NUM_PHASES, NUM_SHORES, POPPY, ROSEMARY
from sobremesa.envs.ese_toro_enamorado.bots.paths import CROSSINGS, EMPTY_RACE, NEVER
from sobremesa.envs.ese_toro_enamorado.observe import SEEN
from sobremesa.envs.ese_toro_enamorado.state import ANYWHERE

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("leap", np.int64),  # nodes that rosemary takes a bull to, apart from those next door
        ("unknown", np.int64),  # nodes with a tile that I do not know
        ("moved", np.int64, MAX_SEATS),  # 1 for a seat that has had its turn in this vuelta
        ("stake", np.float64, MAX_SEATS),  # value of this seat's encounter in this round
        ("outlook", np.float64, NUM_SHORES),  # value of this first shore of the next round
    ]
)

# What the next marker is worth to a seat, by the number of phases it holds: the last one wins.
_MARKER_WORTH = np.array([1.0, 1.1, 1.4, 4.0, 0.0])
_SPARE_WORTH = 0.02  # a marker of a phase that one has: it decides ties alone
_ROUNDS_AHEAD = 2
_OUTLOOK_WEIGHT = 0.3  # weight of the next round relative to this one
_LATER_WEIGHT = 0.6  # weight of each further round relative to its predecessor
_BEHIND = powers(0.35, 12)  # remaining chance, by vueltas of delay


@kernel
def appraise(view):
    """Fill the further fields of `view`, decoded from an observation of a day or a night."""
    view.leap = CROSSINGS[view.board] if view.rosemary == ANYWHERE else 0
    view.unknown = view.hidden & ~(view.known[FENCE] | view.known[POPPY] | view.known[ROSEMARY])
    for seat in range(view.seats):
        view.moved[seat] = (seat - view.first) % view.seats < (-view.first) % view.seats
    _set_stakes(view)


@kernel
def marker_worth(view, seat, phase):
    """Return the value for seat 0 of a marker of `phase` for `seat`; negative for other seats."""
    held = 0
    for other in range(NUM_PHASES):
        held += view.markers[seat, other] > 0
    worth = _SPARE_WORTH if view.markers[seat, phase] else _MARKER_WORTH[held]
    return worth if seat == 0 else -worth / (view.seats - 1)


@kernel
def _set_stakes(view):
    """Set the stakes of this round, and the value estimate of the next by its first shore.

    The estimate plays rounds on an empty board, where the first bull ends each and so sets the next shore.
    """
    for seat in range(view.seats):
        view.stake[seat] = marker_worth(view, seat, view.phase)
    worth, later = scratch(MAX_SEATS, np.float64), scratch(NUM_SHORES, np.float64)
    later[:] = 0
    for ahead in range(_ROUNDS_AHEAD, 0, -1):
        for seat in range(view.seats):
            worth[seat] = marker_worth(view, seat, (view.phase + ahead) % NUM_PHASES)
        for shore in range(NUM_SHORES):
            soonest = NEVER
            for seat in range(view.seats):
                soonest = min(soonest, EMPTY_RACE[view.board, (shore - 2 * view.home[seat]) % NUM_SHORES])
            value = later[(shore + soonest + 1) % NUM_SHORES]
            for seat in range(view.seats):
                late = EMPTY_RACE[view.board, (shore - 2 * view.home[seat]) % NUM_SHORES] - soonest
                value += worth[seat] * _BEHIND[late]
            view.outlook[shore] = value * (_OUTLOOK_WEIGHT if ahead == 1 else _LATER_WEIGHT)
        for shore in range(NUM_SHORES):
            later[shore] = view.outlook[shore]
