"""Moon markers of *Ese Toro enamorado*: encounters, supply, and victory. Clauses: RULES.md."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.ese_toro_enamorado.board import LILY, MAX_SEATS, NUM_PHASES, SHORE, WATER
from sobremesa.envs.ese_toro_enamorado.state import E_MEETS, SUPPLY, UNLIMITED


@kernel
def meet_moon(state, seat):
    """Give `seat` a marker if its bull is where the moon is and no lily hides it (C6.5, C7.1, C7.2, H2)."""
    met = state.bull[seat] == SHORE + state.moon and state.tile[WATER + state.moon] != LILY
    if met and not state.scored[seat]:
        state.scored[seat] = 1
        state.met = 1
        marker = _marker_left_for(state, seat)
        state.markers[seat, state.phase] += marker
        note(state, E_MEETS, seat, state.phase, marker)


@kernel
def _marker_left_for(state, seat):
    """Return whether `seat` gets a marker of this phase; a second one needs enough for the rest (C7.4, O8)."""
    if state.markers[seat, state.phase] == 0 or state.duplicates == UNLIMITED:
        return True
    left, lacking = MAX_SEATS, 0
    for other in range(state.seats):
        left -= state.markers[other, state.phase]
        lacking += state.markers[other, state.phase] == 0
    return state.duplicates == SUPPLY and left > lacking


@kernel
def phases_held(state, seat):
    """Count the different phases of the moon that `seat` has a marker of."""
    held = 0
    for phase in range(NUM_PHASES):
        held += state.markers[seat, phase] > 0
    return held


@kernel
def crown(state, best):
    """Mark the winners: the seats with `best` phases and, of these, the most markers (C8.2, C8.3)."""
    most = 0
    for seat in range(state.seats):
        if phases_held(state, seat) == best:
            most = max(most, state.markers[seat].sum())
    for seat in range(state.seats):
        state.winner[seat] = phases_held(state, seat) == best and state.markers[seat].sum() == most
