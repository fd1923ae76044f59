"""Hits: cards that must be shown, bulls sent on and attacks, with answers, payments and elimination (C5, C6).

Every kernel leaves `stage` at the next question, or at GO_ON without one.
"""

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.bits import lowest_bit, rows_of
from sobremesa.envs.core.compile.kernel import as_python, kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro.cards import (
    BARRERA,
    CAPOTE,
    FIRST_ATTACK,
    KILIKIS,
    LIQUIDO,
    NO_CARD,
    NUM_ATTACKS,
    NUM_DEFENCES,
    NUM_HAND_CARDS,
    OTRA_VEZ,
    PILLO,
    TORO_VOLTEADO,
    costs_card,
    costs_object,
    is_aimed_near,
    is_fall,
    stops_bull,
    stops_fall,
)
from sobremesa.envs.corre_el_encierro.state import (
    A_ANSWER,
    A_ATTACK,
    A_DEFEND,
    A_GIVE_UP,
    A_NOTHING,
    A_PAY_OBJECT,
    A_PAY_SPECIAL,
    A_RETREAT,
    A_SEND,
    A_SHIELD,
    ANSWER,
    BEHIND,
    DEFEND,
    E_ANSWERS,
    E_ATTACKS,
    E_LOSES,
    E_LOSES_CARD,
    E_OUT,
    E_PAYS,
    E_REPELS,
    E_RETREATS,
    E_ROBBED,
    E_SENDS,
    E_SHOWS,
    E_WARNED,
    GO_ON,
    LAST_RUNNER,
    NOBODY,
    NUM_OTHERS,
    OUT,
    PAY,
    RUNNING,
    WARNED,
    in_reach,
    lift_special,
    line_up,
    next_in_line,
    put_away,
    rob,
    runners_left,
    seat_after,
    take_from_hand,
    win,
)

attacks_equal = rows_of(NUM_ATTACKS).equal
defences_equal, put_defences = rows_of(NUM_DEFENCES)[:2]
ALL_ATTACKS = (1 << NUM_ATTACKS) - 1
AGAINST_BULLS, AGAINST_FALLS = (  # sets of defences as bits, kind k being bit k
    sum(1 << kind for kind in range(NUM_DEFENCES) if as_python(stops)(kind)) for stops in (stops_bull, stops_fall)
)


@kernel
def legal_attacks(state, mask):
    """Allow each attack in the hand at each runner that it may be aimed at (C6.1 to C6.5)."""
    held = ~attacks_equal(state.hand[state.seat], FIRST_ATTACK, 0) & ALL_ATTACKS
    while held:
        attack = lowest_bit(held)
        held &= held - 1
        for steps in range(1, state.seats):
            target = seat_after(state, state.seat, steps)
            mask[A_ATTACK + attack * NUM_OTHERS + steps - 1] = may_aim(state, FIRST_ATTACK + attack, target)


@kernel
def may_aim(state, kind, target):
    """Return whether the runner to act may aim an attack at `target` (C6.1 to C6.5, C8.3, C8.5)."""
    if kind == PILLO:
        return state.hand_size[target] > 0 and state.status[target] != OUT
    if not in_reach(state, target):
        return False
    if is_aimed_near(kind):
        ahead = state.place[target] - state.place[state.seat]
        return 0 <= ahead <= 1
    if costs_card(kind):
        return state.hand_size[target] > 0
    return kind == KILIKIS or state.status[target] == RUNNING


@kernel
def attack(state, action):
    """Play an attack and ask its target for an answer (C6.1, C6.6)."""
    kind = FIRST_ATTACK + (action - A_ATTACK) // NUM_OTHERS
    target = seat_after(state, state.seat, (action - A_ATTACK) % NUM_OTHERS + 1)
    take_from_hand(state, state.seat, kind)
    note(state, E_ATTACKS, state.seat, kind, target)
    state.card = kind
    state.sender = state.seat
    _strike(state, target, ANSWER)


@kernel
def _strike(state, seat, question):
    """Hit a runner with the card, and ask for a reaction."""
    state.struck = seat
    state.seat = seat
    state.stage = question


@kernel
def answer(state, action):
    """Cancel the attack by Otra vez será, or let it come (C6.2 to C6.6)."""
    seat, kind = state.seat, state.card
    state.stage = GO_ON
    if action == A_ANSWER:
        put_away(state, seat, OTRA_VEZ)
        note(state, E_ANSWERS, seat, OTRA_VEZ, state.sender)
    elif costs_object(kind):
        state.stage = PAY
    elif kind == BARRERA:  # it lies before the target from now on
        state.status[seat] = WARNED
        note(state, E_WARNED, seat, BARRERA, state.sender)
        _end_hits(state)
    else:
        _lose_blind(state, seat, kind)


@kernel
def _lose_blind(state, seat, kind):
    """Lose a random card of the hand to the discard pile or to El Pillo (C6.3, C6.4)."""
    left = below(state, state.hand_size[seat])
    lost = 0
    while left >= state.hand[seat, lost]:
        left -= state.hand[seat, lost]
        lost += 1
    if kind == PILLO:
        rob(state, seat, state.sender, lost)
        note(state, E_ROBBED, seat, NO_CARD, state.sender)
    else:
        put_away(state, seat, lost)
        note(state, E_LOSES_CARD, seat, lost, state.sender)


@kernel
def show(state, card):
    """Show a bull or a fall: it hits the drawer and all on the same location, clockwise (C5.1)."""
    state.card = card
    state.sender = NOBODY
    note(state, E_SHOWS, state.turn, card, NOBODY)
    for steps in range(state.seats):
        seat = seat_after(state, state.turn, steps)
        if in_reach(state, seat) and state.place[seat] == state.place[state.turn]:
            line_up(state, seat)
    state.stage = GO_ON


@kernel
def hit_next(state):
    """Hit the next runner in line who is not out; return whether there was one (C5.1, C5.7)."""
    seat = next_in_line(state)
    while seat != NOBODY and state.status[seat] == OUT:
        seat = next_in_line(state)
    if seat == NOBODY:
        return False
    state.sender = NOBODY
    _strike(state, seat, DEFEND)
    return True


@kernel
def legal_defences(state, mask):
    """Allow the cards that repel the hit or send the bull on, and declining (C5.2, C5.3, C7.2)."""
    hand, special, fall = state.hand[state.seat], state.special[state.seat], is_fall(state.card)
    mask[A_NOTHING] = 1
    put_defences(mask, A_DEFEND, ~defences_equal(hand, 0, 0) & (AGAINST_FALLS if fall else AGAINST_BULLS))
    mask[A_SHIELD] = special == CAPOTE and not fall
    mask[A_SHIELD + 1] = special == LIQUIDO and fall
    if hand[TORO_VOLTEADO] and not fall:
        targets = 0
        for steps in range(1, state.seats):
            if in_reach(state, seat_after(state, state.seat, steps)):
                mask[A_SEND + steps - 1] = 1
                targets += 1
        mask[A_DEFEND + TORO_VOLTEADO] = targets == 0


@kernel
def defend(state, action):
    """Repel the hit, send the bull on, or take it (C5.2, C5.3, C7.2)."""
    seat = state.seat
    if action == A_NOTHING:
        state.stage = PAY
        return
    state.stage = GO_ON
    if A_SEND <= action < A_SHIELD:
        put_away(state, seat, TORO_VOLTEADO)
        state.sender = seat
        _strike(state, seat_after(state, seat, action - A_SEND + 1), DEFEND)
        note(state, E_SENDS, seat, TORO_VOLTEADO, state.seat)
    elif action >= A_SHIELD:
        note(state, E_REPELS, seat, state.special[seat], NOBODY)
        lift_special(state, seat)
    else:
        put_away(state, seat, action - A_DEFEND)
        note(state, E_REPELS, seat, action - A_DEFEND, NOBODY)


@kernel
def legal_payments(state, mask):
    """Allow an object or the special one; with Ropa básica alone, going back if that is open, or the end (C5.4, C5.5).

    The special object goes before Ropa básica.
    """
    seat = state.seat
    if state.objects[seat] > 1 or state.special[seat] != NO_CARD:
        mask[A_PAY_OBJECT] = state.objects[seat] > 1
        mask[A_PAY_SPECIAL] = state.special[seat] != NO_CARD
        return
    mask[A_GIVE_UP] = 1
    mask[A_RETREAT] = state.place[seat] >= state.closed + 2


@kernel
def pay(state, action):
    """Pay for a hit; paying ends the draw of the drawer, going back does not (C3.6, C5.4 to C5.6)."""
    seat = state.seat
    state.stage = GO_ON
    if action == A_RETREAT:
        state.place[seat] -= 1
        note(state, E_RETREATS, seat, NO_CARD, state.place[seat])
        return
    if seat == state.turn:
        state.lost = 1
    if action == A_PAY_SPECIAL:
        note(state, E_PAYS, seat, state.special[seat], NOBODY)
        lift_special(state, seat)
        return
    state.objects[seat] -= 1
    note(state, E_LOSES, seat, NO_CARD, state.objects[seat])
    if action == A_GIVE_UP:
        put_out(state, seat, E_OUT)
        end_if_alone(state)


@kernel
def put_out(state, seat, event):
    """Eliminate a runner, noted as `event`, and discard the runner's cards (C10.4)."""
    for kind in range(NUM_HAND_CARDS):
        while state.hand[seat, kind]:
            put_away(state, seat, kind)
    if state.special[seat] != NO_CARD:
        lift_special(state, seat)
    state.discards[BARRERA] += state.status[seat] in (WARNED, BEHIND)
    state.status[seat] = OUT
    state.place[seat] = 0
    state.objects[seat] = 0
    note(state, event, seat, NO_CARD, NOBODY)


@kernel
def end_if_alone(state):
    """End the deal if one runner is left (C10.2)."""
    if runners_left(state) == 1:
        for seat in range(state.seats):
            if state.status[seat] != OUT:
                win(state, seat, LAST_RUNNER)


@kernel
def discard_resolved(state):
    """Put the card that has been resolved on the discard pile."""
    if state.card != NO_CARD:
        state.discards[state.card] += 1
        _end_hits(state)


@kernel
def _end_hits(state):
    """Clear the target and sender of the card."""
    state.card = NO_CARD
    state.sender = NOBODY
    state.struck = NOBODY
