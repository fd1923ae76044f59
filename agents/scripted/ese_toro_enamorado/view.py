"""What the strong bot of *Ese Toro enamorado* makes of an observation: what it sees, and what is at stake."""

import numpy as np

from sobremesa.agents.scripted.ese_toro_enamorado.paths import CROSSINGS, EMPTY_RACE, NEVER
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.ese_toro_enamorado.board import FENCE, MAX_SEATS, NUM_PHASES, NUM_SHORES, POPPY, ROSEMARY
from sobremesa.envs.ese_toro_enamorado.decode import SEEN, decode
from sobremesa.envs.ese_toro_enamorado.state import ANYWHERE

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("leap", np.int64),  # nodes that rosemary takes a bull to, besides those next door
        ("unknown", np.int64),  # nodes with a tile that I do not know
        ("moved", np.int64, MAX_SEATS),  # 1 for a seat that has had its turn in this vuelta
        ("stake", np.float64, MAX_SEATS),  # what it is worth to me that this seat meets the moon this round
        ("outlook", np.float64, NUM_SHORES),  # what it is worth to me that the next round begins at this shore
    ]
)

# What the next marker is worth to a seat, by the number of phases it holds: the last one wins.
_MARKER_WORTH = np.array([1.0, 1.1, 1.4, 4.0, 0.0])
_SPARE_WORTH = 0.02  # a marker of a phase that one has: it decides ties alone
_ROUNDS_AHEAD = 2
_OUTLOOK_WEIGHT = 0.3  # what the next round counts beside this one
_LATER_WEIGHT = 0.6  # what each further round counts beside the one before
_BEHIND = 0.35 ** np.arange(12)  # what is left of a chance, by the vuelta that one comes later


@kernel
def read(observation, view):
    """Fill `view` from an observation made on a night or on a day."""
    decode(observation, view)
    view.leap = CROSSINGS[view.board] if view.rosemary == ANYWHERE else 0
    view.unknown = view.hidden & ~(view.known[FENCE] | view.known[POPPY] | view.known[ROSEMARY])
    for seat in range(view.seats):
        view.moved[seat] = (seat - view.first) % view.seats < (-view.first) % view.seats
    _appraise(view)


@kernel
def marker_worth(view, seat, phase):
    """Return what a marker of `phase` for `seat` is worth to me, seat 0: my equity or what it takes from me."""
    held = 0
    for other in range(NUM_PHASES):
        held += view.markers[seat, other] > 0
    worth = _SPARE_WORTH if view.markers[seat, phase] else _MARKER_WORTH[held]
    return worth if seat == 0 else -worth / (view.seats - 1)


@kernel
def _appraise(view):
    """Set the stakes of this round, and the outlook on the next by the shore that it begins at.

    The outlook plays some rounds on a bare board, where the soonest bull ends each and so sets the next shore.
    """
    for seat in range(view.seats):
        view.stake[seat] = marker_worth(view, seat, view.phase)
    worth, later = np.empty(MAX_SEATS), np.zeros(NUM_SHORES)
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
        later[:] = view.outlook
