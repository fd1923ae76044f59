"""Rules of *Corre el encierro*. Clause numbers refer to RULES.md.

Runners race from Santo Domingo to the Plaza de Toros. In a turn a runner plays cards, discards and draws. Bulls and
falls come out of the pile as it is drawn, and the Cabestros close a location whenever it is used up.
"""

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.bits import rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_shown_on_draw
from sobremesa.envs.corre_el_encierro.hits import (
    answer,
    attack,
    defend,
    discard_resolved,
    hit_next,
    legal_attacks,
    legal_defences,
    legal_payments,
    pay,
    show,
)
from sobremesa.envs.corre_el_encierro.moves import is_move, legal_moves, move
from sobremesa.envs.corre_el_encierro.state import discard_from_hand, lift_special, seat_after, take_from_hand
from sobremesa.envs.corre_el_encierro.sweep import begin_sweep, end_sweep, save, threaten_next

hand_equal, put_hand = rows_of(c.NUM_HAND_CARDS)[:2]


@kernel
def reset(state, seed):
    """Hand out objects and cards, shuffle the pile and draw the first seat (C2.1 to C2.5)."""
    start(state, seed)
    state.card = c.NO_CARD
    state.sender = s.NOBODY
    state.struck = s.NOBODY
    state.queue[:] = s.NOBODY
    state.special[:] = c.NO_CARD
    state.status[:] = s.OUT
    state.theft_kind[:] = c.NO_CARD
    state.theft_from[:] = s.NOBODY
    state.theft_by[:] = s.NOBODY
    for seat in range(state.seats):
        state.status[seat] = s.RUNNING
        state.place[seat] = 1
        state.objects[seat] = c.NUM_OBJECTS
    if state.deck == c.LAST_STRETCH:
        _deal_late(state)
    else:
        _deal(state)
        state.first = below(state, state.seats)
    state.turn = state.first
    _begin_turn(state)


@kernel
def _deal(state):
    """Deal five cards to each seat, then shuffle the bulls and falls into the rest."""
    size = 0
    for kind in range(c.NUM_HAND_CARDS):
        for _ in range(c.COPIES[c.CARDS_OF[state.deck], kind]):
            state.pile[size] = kind
            size += 1
    shuffle(state, state.pile, size)
    for seat in range(state.seats):
        for _ in range(c.HAND_LIMIT):
            size -= 1
            state.hand[seat, state.pile[size]] += 1
        state.hand_size[seat] = c.HAND_LIMIT
    for card in range(c.NUM_HAND_CARDS, c.NUM_CARDS):
        for _ in range(c.COPIES[c.CARDS_OF[state.deck], card]):
            state.pile[size] = card
            size += 1
    shuffle(state, state.pile, size)
    state.pile[size:] = 0  # erase the dealt cards
    state.pile_size = size


@kernel
def _deal_late(state):
    """Deal the last stretch: most cards are discarded, and the pile is drawn at random (O1)."""
    state.closed = c.LAST_LOCATION - 2
    held = 0
    for card in range(c.NUM_CARDS):
        state.discards[card] = c.COPIES[c.CARDS_OF[state.deck], card] - c.LATE_CARDS[card]
        for _ in range(c.LATE_CARDS[card]):
            state.pile[state.pile_size] = card
            state.pile_size += 1
            held += card < c.NUM_HAND_CARDS
    each = min(c.LATE_HAND, held // int(state.seats))
    for seat in range(state.seats):
        state.place[seat] = c.LAST_LOCATION - 1
        state.objects[seat] = c.LATE_OBJECTS
        state.hand_size[seat] = each
        for _ in range(each):
            state.hand[seat, _take_any(state, held)] += 1
            held -= 1


@kernel
def _take_any(state, count):
    """Take a random one of the lowest `count` cards of the pile; the others keep their order (O1)."""
    slot = below(state, count)
    card = state.pile[slot]
    state.pile_size -= 1
    for above in range(slot, state.pile_size):
        state.pile[above] = state.pile[above + 1]
    state.pile[state.pile_size] = 0
    return card


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat`; none once the deal is over, or while no seat is asked."""
    if state.over or state.stage == s.GO_ON:
        return
    hand = state.hand[state.seat]
    if state.stage == s.PLAY:
        _legal_plays(state, mask)
    elif state.stage == s.DISCARD:  # a full hand must make room for the card that has to be drawn (C3.4)
        mask[s.A_DONE] = state.hand_size[state.seat] < c.HAND_LIMIT
        put_hand(mask, s.A_DISCARD, ~hand_equal(hand, 0, 0))
    elif state.stage == s.DRAW:
        mask[s.A_DRAW] = 1
        mask[s.A_STOP] = 1
    elif state.stage == s.ANSWER:
        mask[s.A_NOTHING] = 1
        mask[s.A_ANSWER] = hand[c.OTRA_VEZ] > 0
    elif state.stage == s.DEFEND:
        legal_defences(state, mask)
    elif state.stage == s.PAY:
        legal_payments(state, mask)
    else:
        mask[s.A_NOTHING] = 1
        legal_moves(state, state.seat, mask)


@kernel
def _legal_plays(state, mask):
    """Allow ending the phase, advancing once a turn, special objects, lost property and attacks (C3.1 to C3.3)."""
    seat = state.seat
    mask[s.A_DONE] = 1
    if not state.moved:
        legal_moves(state, seat, mask)
    for special in range(c.NUM_SPECIALS):
        mask[s.A_LAY + special] = state.hand[seat, c.FIRST_SPECIAL + special] > 0
    mask[s.A_RECOVER] = state.hand[seat, c.PERDIDOS] > 0 and state.objects[seat] < c.NUM_OBJECTS
    legal_attacks(state, mask)


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if state.stage == s.PLAY:
        _play_card(state, action)
    elif state.stage == s.DISCARD:
        _discard(state, action)
    elif state.stage == s.DRAW:
        if action == s.A_STOP:
            _next_turn(state)
        else:
            _draw(state)
    elif state.stage == s.ANSWER:
        answer(state, action)
    elif state.stage == s.DEFEND:
        defend(state, action)
    elif state.stage == s.PAY:
        pay(state, action)
    else:
        save(state, action)


@kernel
def _play_card(state, action):
    """Play a card, or end the phase of playing (C3.1 to C3.3)."""
    seat = state.seat
    if action == s.A_DONE:
        state.phase = s.DISCARDING
        state.stage = s.DISCARD
    elif is_move(action):
        move(state, seat, action)
        state.moved = 1
    elif action == s.A_RECOVER:
        discard_from_hand(state, seat, c.PERDIDOS)
        state.objects[seat] += 1
        note(state, s.E_RECOVERS, seat, c.PERDIDOS, state.objects[seat] - 1)
    elif action >= s.A_ATTACK:
        attack(state, action)
    else:  # a special object: it takes the place of the one that lies there
        special = c.FIRST_SPECIAL + action - s.A_LAY
        take_from_hand(state, seat, special)
        if state.special[seat] != c.NO_CARD:
            lift_special(state, seat)
        state.special[seat] = special
        note(state, s.E_LAYS, seat, special, s.NOBODY)


@kernel
def _discard(state, action):
    """Discard a card, or go over to drawing (C3.4)."""
    if action == s.A_DONE:
        state.phase = s.DRAWING
        state.stage = s.GO_ON
        return
    discard_from_hand(state, state.seat, action - s.A_DISCARD)
    note(state, s.E_DISCARDS, state.seat, action - s.A_DISCARD, s.NOBODY)


@kernel
def go_on(state, mask):
    """Make one automatic move (H2): continue a card, a sweep, or the turn.

    A turn is played, discarded and drawn (C3). A card shown in the draw is resolved immediately, runner by runner. If
    it leaves the pile empty, the sweep comes before the next card, runner by runner too (C9.1).
    """
    if state.stage != s.GO_ON:
        return False
    if is_shown_on_draw(state.card):
        if not hit_next(state):
            discard_resolved(state)
    elif state.closing:
        if not threaten_next(state):
            end_sweep(state)
    elif state.phase == s.PLAYING:  # an attack has been dealt with
        discard_resolved(state)
        state.seat = state.turn
        state.stage = s.PLAY
    elif state.pile_size == 0:  # in the middle of a turn too (C9.1)
        begin_sweep(state)
    elif not state.drawn:
        _draw(state)
    elif state.lost or state.status[state.turn] == s.OUT or state.hand_size[state.turn] == c.HAND_LIMIT:
        _next_turn(state)
    else:
        state.seat = state.turn
        state.stage = s.DRAW
    return True


@kernel
def _draw(state):
    """Draw the next card into the hand, or show it (C3.5, C3.7, C5.1)."""
    state.drawn = 1
    state.stage = s.GO_ON
    if state.deck == c.LAST_STRETCH:
        card = _take_any(state, state.pile_size)
    else:
        state.pile_size -= 1
        card = state.pile[state.pile_size]
        state.pile[state.pile_size] = 0
    if is_shown_on_draw(card):
        show(state, card)
        return
    state.hand[state.turn, card] += 1
    state.hand_size[state.turn] += 1
    note(state, s.E_DRAWS, state.turn, c.NO_CARD, s.NOBODY)


@kernel
def _next_turn(state):
    """Pass the turn clockwise, over runners who are out or now go behind the barrier (C2.4, C8.2, C8.4)."""
    seat = seat_after(state, state.turn, 1)
    while state.status[seat] in (s.WARNED, s.OUT):
        if state.status[seat] == s.WARNED:
            state.status[seat] = s.BEHIND
            note(state, s.E_BEHIND, seat, c.BARRERA, s.NOBODY)
        seat = seat_after(state, seat, 1)
    state.turn = seat
    if state.status[seat] == s.BEHIND:
        state.status[seat] = s.RUNNING
        state.discards[c.BARRERA] += 1
        note(state, s.E_BACK, seat, c.BARRERA, s.NOBODY)
    _begin_turn(state)


@kernel
def _begin_turn(state):
    state.turns += 1
    state.seat = state.turn
    state.phase = s.PLAYING
    state.stage = s.PLAY
    state.moved = 0
    state.drawn = 0
    state.lost = 0
    note(state, s.E_TURN, state.turn, c.NO_CARD, s.NOBODY)
