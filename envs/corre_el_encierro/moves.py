"""The five ways to advance, in a turn and when fleeing from the Cabestros (C4)."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro.cards import (
    AVANZAR,
    CARRERA,
    HEMINGWAY,
    INTERCAMBIO,
    LAST_LOCATION,
    NO_CARD,
    SANTO_PATRON,
    ZAPATILLAS,
)
from sobremesa.envs.corre_el_encierro.state import (
    A_ADVANCE,
    A_CARRERA,
    A_PATRON,
    A_SWAP,
    A_ZAPATILLAS,
    E_ADVANCES,
    E_SWAPS,
    NOBODY,
    NUM_OTHERS,
    PLAZA,
    in_reach,
    lift_special,
    put_away,
    seat_after,
    win,
)


@kernel
def legal_moves(state, seat, mask):
    """Allow each way to advance that the cards of `seat` pay for (C4.1 to C4.5)."""
    hand = state.hand[seat]
    if hand[AVANZAR]:
        mask[A_ADVANCE] = 1
        mask[A_CARRERA] = hand[CARRERA] > 0
        mask[A_ZAPATILLAS] = state.special[seat] == ZAPATILLAS
    mask[A_PATRON] = hand[SANTO_PATRON] > 0 and hand[HEMINGWAY] > 0
    if hand[INTERCAMBIO]:
        for steps in range(1, state.seats):
            other = seat_after(state, seat, steps)
            mask[A_SWAP + steps - 1] = in_reach(state, other) and state.place[other] == state.place[seat] + 1


@kernel
def is_move(action):
    """Return whether an action is a way to advance."""
    return A_ADVANCE <= action < A_SWAP + NUM_OTHERS


@kernel
def move(state, seat, action):
    """Advance `seat`; return the seat with which it changed places, or NOBODY (C4.1 to C4.7)."""
    if action >= A_SWAP:
        other = seat_after(state, seat, action - A_SWAP + 1)
        put_away(state, seat, INTERCAMBIO)
        state.place[seat], state.place[other] = state.place[other], state.place[seat]
        note(state, E_SWAPS, seat, INTERCAMBIO, other)
        return other
    bonus = NO_CARD
    if action == A_PATRON:
        bonus = SANTO_PATRON
        put_away(state, seat, SANTO_PATRON)
        put_away(state, seat, HEMINGWAY)
    else:
        put_away(state, seat, AVANZAR)
        if action == A_CARRERA:
            bonus = CARRERA
            put_away(state, seat, CARRERA)
        elif action == A_ZAPATILLAS:
            bonus = ZAPATILLAS
            lift_special(state, seat)
    steps = 1 if bonus == NO_CARD else 2
    state.place[seat] = min(state.place[seat] + steps, LAST_LOCATION)  # the Plaza is the last location
    note(state, E_ADVANCES, seat, bonus, state.place[seat])
    if state.place[seat] == LAST_LOCATION:
        win(state, seat, PLAZA)
    return NOBODY
