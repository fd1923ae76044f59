"""Hits: cards that must be shown, bulls sent on and attacks, with answers, payments and elimination (C5, C6).

Every kernel leaves `stage` at the next question, or at GO_ON without one.
"""

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.bits import lowest_bit, rows_of
from sobremesa.envs.core.compile.kernel import as_python, kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro import cards as c, state as s

attacks_equal = rows_of(c.NUM_ATTACKS).equal
defences_equal, put_defences = rows_of(c.NUM_DEFENCES)[:2]
ALL_ATTACKS = (1 << c.NUM_ATTACKS) - 1
AGAINST_BULLS, AGAINST_FALLS = (  # sets of defences as bits, kind k being bit k
    sum(1 << kind for kind in range(c.NUM_DEFENCES) if as_python(stops)(kind)) for stops in (c.stops_bull, c.stops_fall)
)


@kernel
def legal_attacks(state, mask):
    """Allow each attack in the hand at each runner that it may be aimed at (C6.1 to C6.5)."""
    held = ~attacks_equal(state.hand[state.seat], c.FIRST_ATTACK, 0) & ALL_ATTACKS
    while held:
        attack = lowest_bit(held)
        held &= held - 1
        for steps in range(1, state.seats):
            target = s.seat_after(state, state.seat, steps)
            mask[s.A_ATTACK + attack * s.NUM_OTHERS + steps - 1] = may_aim(state, c.FIRST_ATTACK + attack, target)


@kernel
def may_aim(state, kind, target):
    """Return whether the runner to act may aim an attack at `target` (C6.1 to C6.5, C8.3, C8.5)."""
    if kind == c.PILLO:
        return state.hand_size[target] > 0 and state.status[target] != s.OUT
    if not s.in_reach(state, target):
        return False
    if c.is_aimed_near(kind):
        ahead = state.place[target] - state.place[state.seat]
        return 0 <= ahead <= 1
    if c.costs_card(kind):
        return state.hand_size[target] > 0
    return kind == c.KILIKIS or state.status[target] == s.RUNNING


@kernel
def attack(state, action):
    """Play an attack and ask its target for an answer (C6.1, C6.6)."""
    kind = c.FIRST_ATTACK + (action - s.A_ATTACK) // s.NUM_OTHERS
    target = s.seat_after(state, state.seat, (action - s.A_ATTACK) % s.NUM_OTHERS + 1)
    s.take_from_hand(state, state.seat, kind)
    note(state, s.E_ATTACKS, state.seat, kind, target)
    state.card = kind
    state.sender = state.seat
    _strike(state, target, s.ANSWER)


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
    state.stage = s.GO_ON
    if action == s.A_ANSWER:
        s.discard_from_hand(state, seat, c.OTRA_VEZ)
        note(state, s.E_ANSWERS, seat, c.OTRA_VEZ, state.sender)
    elif c.costs_object(kind):
        state.stage = s.PAY
    elif kind == c.BARRERA:  # it lies before the target from now on
        state.status[seat] = s.WARNED
        note(state, s.E_WARNED, seat, c.BARRERA, state.sender)
        _end_hits(state)
    else:
        _lose_random_card(state, seat, kind)


@kernel
def _lose_random_card(state, seat, kind):
    """Lose a random card of the hand to the discard pile or to El Pillo (C6.3, C6.4)."""
    left = below(state, state.hand_size[seat])
    lost = 0
    while left >= state.hand[seat, lost]:
        left -= state.hand[seat, lost]
        lost += 1
    if kind == c.PILLO:
        s.rob(state, seat, state.sender, lost)
        note(state, s.E_ROBBED, seat, c.NO_CARD, state.sender)
    else:
        s.discard_from_hand(state, seat, lost)
        note(state, s.E_LOSES_CARD, seat, lost, state.sender)


@kernel
def show(state, card):
    """Show a bull or a fall: it hits the drawer and all on the same location, clockwise (C5.1)."""
    state.card = card
    state.sender = s.NOBODY
    note(state, s.E_SHOWS, state.turn, card, s.NOBODY)
    for steps in range(state.seats):
        seat = s.seat_after(state, state.turn, steps)
        if s.in_reach(state, seat) and state.place[seat] == state.place[state.turn]:
            s.line_up(state, seat)
    state.stage = s.GO_ON


@kernel
def hit_next(state):
    """Hit the next runner in line who is not out; return whether there was one (C5.1, C5.7)."""
    seat = s.pop_queue(state)
    while seat != s.NOBODY and state.status[seat] == s.OUT:
        seat = s.pop_queue(state)
    if seat == s.NOBODY:
        return False
    state.sender = s.NOBODY
    _strike(state, seat, s.DEFEND)
    return True


@kernel
def legal_defences(state, mask):
    """Allow the cards that repel the hit or send the bull on, and declining (C5.2, C5.3, C7.2)."""
    hand, special, fall = state.hand[state.seat], state.special[state.seat], c.is_fall(state.card)
    mask[s.A_NOTHING] = 1
    put_defences(mask, s.A_DEFEND, ~defences_equal(hand, 0, 0) & (AGAINST_FALLS if fall else AGAINST_BULLS))
    mask[s.A_SHIELD] = special == c.CAPOTE and not fall
    mask[s.A_SHIELD + 1] = special == c.LIQUIDO and fall
    if hand[c.TORO_VOLTEADO] and not fall:
        targets = 0
        for steps in range(1, state.seats):
            if s.in_reach(state, s.seat_after(state, state.seat, steps)):
                mask[s.A_SEND + steps - 1] = 1
                targets += 1
        mask[s.A_DEFEND + c.TORO_VOLTEADO] = targets == 0


@kernel
def defend(state, action):
    """Repel the hit, send the bull on, or take it (C5.2, C5.3, C7.2)."""
    seat = state.seat
    if action == s.A_NOTHING:
        state.stage = s.PAY
        return
    state.stage = s.GO_ON
    if s.A_SEND <= action < s.A_SHIELD:
        s.discard_from_hand(state, seat, c.TORO_VOLTEADO)
        state.sender = seat
        _strike(state, s.seat_after(state, seat, action - s.A_SEND + 1), s.DEFEND)
        note(state, s.E_SENDS, seat, c.TORO_VOLTEADO, state.seat)
    elif action >= s.A_SHIELD:
        note(state, s.E_REPELS, seat, state.special[seat], s.NOBODY)
        s.lift_special(state, seat)
    else:
        s.discard_from_hand(state, seat, action - s.A_DEFEND)
        note(state, s.E_REPELS, seat, action - s.A_DEFEND, s.NOBODY)


@kernel
def legal_payments(state, mask):
    """Allow an object or the special one; with Ropa básica alone, going back if that is open, or the end (C5.4, C5.5).

    The special object goes before Ropa básica.
    """
    seat = state.seat
    if state.objects[seat] > 1 or state.special[seat] != c.NO_CARD:
        mask[s.A_PAY_OBJECT] = state.objects[seat] > 1
        mask[s.A_PAY_SPECIAL] = state.special[seat] != c.NO_CARD
        return
    mask[s.A_GIVE_UP] = 1
    mask[s.A_RETREAT] = state.place[seat] >= state.closed + 2


@kernel
def pay(state, action):
    """Pay for a hit; paying ends the draw of the drawer, going back does not (C3.6, C5.4 to C5.6)."""
    seat = state.seat
    state.stage = s.GO_ON
    if action == s.A_RETREAT:
        state.place[seat] -= 1
        note(state, s.E_RETREATS, seat, c.NO_CARD, state.place[seat])
        return
    if seat == state.turn:
        state.lost = 1
    if action == s.A_PAY_SPECIAL:
        note(state, s.E_PAYS, seat, state.special[seat], s.NOBODY)
        s.lift_special(state, seat)
        return
    state.objects[seat] -= 1
    note(state, s.E_LOSES, seat, c.NO_CARD, state.objects[seat])
    if action == s.A_GIVE_UP:
        eliminate(state, seat, s.E_OUT)
        end_if_one_left(state)


@kernel
def eliminate(state, seat, event):
    """Eliminate a runner, noted as `event`, and discard the runner's cards (C10.4)."""
    for kind in range(c.NUM_HAND_CARDS):
        while state.hand[seat, kind]:
            s.discard_from_hand(state, seat, kind)
    if state.special[seat] != c.NO_CARD:
        s.lift_special(state, seat)
    state.discards[c.BARRERA] += state.status[seat] in (s.WARNED, s.BEHIND)
    state.status[seat] = s.OUT
    state.place[seat] = 0
    state.objects[seat] = 0
    note(state, event, seat, c.NO_CARD, s.NOBODY)


@kernel
def end_if_one_left(state):
    """End the deal if one runner is left (C10.2)."""
    if s.runners_left(state) == 1:
        for seat in range(state.seats):
            if state.status[seat] != s.OUT:
                s.win(state, seat, s.LAST_RUNNER)


@kernel
def discard_resolved(state):
    """Put the card that has been resolved on the discard pile."""
    if state.card != c.NO_CARD:
        state.discards[state.card] += 1
        _end_hits(state)


@kernel
def _end_hits(state):
    """Clear the target and sender of the card."""
    state.card = c.NO_CARD
    state.sender = s.NOBODY
    state.struck = s.NOBODY
