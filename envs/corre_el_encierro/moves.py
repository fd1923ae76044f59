"""The five ways to advance, in a turn and when fleeing from the Cabestros (C4)."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.state import discard_from_hand, in_reach, lift_special, seat_after, win


@kernel
def legal_moves(state, seat, mask):
    """Allow each way to advance that the cards of `seat` pay for (C4.1 to C4.5)."""
    hand = state.hand[seat]
    if hand[c.AVANZAR]:
        mask[s.A_ADVANCE] = 1
        mask[s.A_CARRERA] = hand[c.CARRERA] > 0
        mask[s.A_ZAPATILLAS] = state.special[seat] == c.ZAPATILLAS
    mask[s.A_PATRON] = hand[c.SANTO_PATRON] > 0 and hand[c.HEMINGWAY] > 0
    if hand[c.INTERCAMBIO]:
        for steps in range(1, state.seats):
            other = seat_after(state, seat, steps)
            mask[s.A_SWAP + steps - 1] = in_reach(state, other) and state.place[other] == state.place[seat] + 1


@kernel
def is_move(action):
    """Return whether an action is a way to advance."""
    return s.A_ADVANCE <= action < s.A_SWAP + s.NUM_OTHERS


@kernel
def move(state, seat, action):
    """Advance `seat`; return the seat with which it changed places, or NOBODY (C4.1 to C4.7)."""
    if action >= s.A_SWAP:
        other = seat_after(state, seat, action - s.A_SWAP + 1)
        discard_from_hand(state, seat, c.INTERCAMBIO)
        state.place[seat], state.place[other] = state.place[other], state.place[seat]
        note(state, s.E_SWAPS, seat, c.INTERCAMBIO, other)
        return other
    bonus = c.NO_CARD
    if action == s.A_PATRON:
        bonus = c.SANTO_PATRON
        discard_from_hand(state, seat, c.SANTO_PATRON)
        discard_from_hand(state, seat, c.HEMINGWAY)
    else:
        discard_from_hand(state, seat, c.AVANZAR)
        if action == s.A_CARRERA:
            bonus = c.CARRERA
            discard_from_hand(state, seat, c.CARRERA)
        elif action == s.A_ZAPATILLAS:
            bonus = c.ZAPATILLAS
            lift_special(state, seat)
    steps = 1 if bonus == c.NO_CARD else 2
    state.place[seat] = min(state.place[seat] + steps, c.LAST_LOCATION)  # the Plaza is the last location
    note(state, s.E_ADVANCES, seat, bonus, state.place[seat])
    if state.place[seat] == c.LAST_LOCATION:
        win(state, seat, s.PLAZA)
    return s.NOBODY
