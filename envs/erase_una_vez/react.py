"""Reactions to a sentence: claims, interruptions, protests, votes and the judge (C5, C6, C8).

All other seats react simultaneously and hidden: they are asked in turn, and all reactions are revealed together. A
protest is resolved first, the rest in random order.
"""

from sobremesa.envs.core.chance import below, shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.mentions import MEETING
from sobremesa.envs.erase_una_vez.table_files import MOST_WORDS
from sobremesa.envs.erase_una_vez.tale import (
    DOUBTFUL,
    UPHELD,
    VALID,
    accepts,
    add_thing,
    take_back,
    use_own_words,
    weight_of,
)

OPINION = 50  # weight from which the judge's opinion accepts a doubtful claim (H6)


@kernel
def legal_reactions(state, mask):
    """Write the legal reactions of `state.seat` (C5.2 to C5.4); return their number, without silence."""
    mask[s.A_NOTHING] = 1
    count = 0
    if state.kind != s.BREAK_IN:
        count += _legal_claims(state, mask)
        if state.sense < UPHELD and not state.protested[state.seat]:
            mask[s.A_PROTEST] = 1
            count += 1
    if can_interrupt(state):
        for number in range(t.NUM_INTERRUPTIONS):
            card = t.INTERRUPTIONS[number]
            if state.where[card] == state.seat and t.GROUP[card] == t.GROUP[state.focus]:
                mask[s.A_INTERRUPT + number] = 1
                count += 1
    return count


@kernel
def _legal_claims(state, mask):
    """Write the legal claims of `state.seat` (C5.2, O16); return their number."""
    count = 0
    if state.words == s.OWN:
        for card in range(t.NUM_ELEMENTS):
            if state.heard[card]:
                count += _may_claim(state, card, mask)
        return count
    for word in range(MOST_WORDS):
        count += _may_claim(state, int(t.MEANT[state.focus, word]), mask)
    count += _may_claim(state, int(state.hooked), mask)
    if state.where[MEETING] == state.seat and state.focus != MEETING and state.hooked != MEETING:
        count += _may_claim(state, MEETING, mask)
    return count


@kernel
def can_interrupt(state):
    """Return whether the last sentence may be interrupted: a card has just been laid (C5.3, O6)."""
    return state.kind == s.CARD or state.kind == s.BREAK_IN


@kernel
def _may_claim(state, card, mask):
    """Allow claiming `card` if the seat has it and the sentence tells of it (C5.2)."""
    if card >= t.NUM_ELEMENTS or state.where[card] != state.seat or weight_of(state, card) == 0:
        return 0
    mask[s.A_CLAIM + card] = 1
    return 1


@kernel
def open_window(state):
    """Ask all other seats for their reactions (C5)."""
    state.choice[:] = s.A_NOTHING
    state.answered[:] = 0
    state.resolving = 0
    state.stage = s.GO_ON


@kernel
def ask_next(state, mask):
    """Ask the next seat that can react, or resolve the reactions."""
    if state.case != s.NO_CASE:
        for seat in range(state.seats):
            if state.voters[seat] and not state.answered[seat]:
                state.seat = seat
                state.stage = s.VOTE
                return
        _count_votes(state)
    elif not state.resolving:
        seat = s.left_of(state, state.narrator)
        while seat != state.narrator:
            if not state.answered[seat]:
                state.seat = seat
                mask[:] = 0
                if legal_reactions(state, mask):
                    state.stage = s.REACT
                    return
            seat = s.left_of(state, seat)
        _reveal_reactions(state)
    else:
        _resolve_next(state)


@kernel
def react(state, action):
    """Keep the reaction of `state.seat` to itself (C5.5)."""
    state.choice[state.seat] = action
    state.answered[state.seat] = 1
    state.stage = s.GO_ON


@kernel
def vote(state, action):
    """Keep the vote of `state.seat` until all have voted (C8.2)."""
    state.vote[state.seat] = action == s.A_YES
    state.answered[state.seat] = 1
    state.stage = s.GO_ON


@kernel
def _reveal_reactions(state):
    """Show all reactions, and bring the claims and interruptions into random order (C6.2, H3)."""
    state.resolving = 1
    state.order[:] = s.NOBODY
    count, protests = 0, 0
    for seat in range(state.seats):
        choice = int(state.choice[seat])
        if choice == s.A_PROTEST:
            state.protested[seat] = 1
            protests += 1
            note(state, s.E_PROTESTS, seat, 0, 0)
        elif choice != s.A_NOTHING:
            card = _card_of(choice)
            state.shown[card] = 1
            if choice < s.A_INTERRUPT:
                note(state, s.E_CLAIMS, seat, card, weight_of(state, card))
            else:
                note(state, s.E_INTERRUPTS, seat, card, 0)
            state.order[count] = seat
            count += 1
    shuffle(state, state.order, count)
    if protests:
        open_case(state, s.ON_PROTEST, s.NOBODY)


@kernel
def _card_of(choice):
    """Return the card of a reaction, a claim or an interruption."""
    return choice - s.A_CLAIM if choice < s.A_INTERRUPT else int(t.INTERRUPTIONS[choice - s.A_INTERRUPT])


@kernel
def _resolve_next(state):
    """Resolve the next claim or interruption; the first right one takes over (C6.3 to C6.7)."""
    seat = int(state.order[0])
    if seat == s.NOBODY:
        close_window(state)
        return
    for place in range(s.MAX_SEATS - 1):
        state.order[place] = state.order[place + 1]
    state.order[s.MAX_SEATS - 1] = s.NOBODY
    choice = int(state.choice[seat])
    card = _card_of(choice)
    if choice >= s.A_INTERRUPT:
        become_narrator(state, seat, card, s.INTERRUPTED)
    elif weight_of(state, card) >= VALID:
        become_narrator(state, seat, card, s.CLAIMED)
    elif weight_of(state, card) < DOUBTFUL:
        _punish(state, seat, card)
    else:
        open_case(state, s.ON_CLAIM, seat)


@kernel
def close_window(state):
    """Go back to the narrator."""
    state.resolving = 0
    state.order[:] = s.NOBODY
    state.choice[:] = s.A_NOTHING
    state.answered[:] = 0
    state.seat = state.narrator
    state.stage = s.TELL


@kernel
def _punish(state, seat, card):
    """Discard the card of a wrong claim; its owner draws two (C6.5)."""
    note(state, s.E_WRONG, seat, card, 0)
    state.wrong += 1
    s.take_card(state, seat, card, s.OPEN)
    s.draw_card(state, seat)
    s.draw_card(state, seat)


@kernel
def become_narrator(state, seat, card, cause):
    """Make `seat` the narrator: it lays its card, and the old narrator draws one (C6.3, C6.4)."""
    if state.kind == s.BREAK_IN:
        s.write_row(state, s.BREAK_IN, state.focus, t.NO_THING)
    row = state.log[state.sentences - 1]
    fate = s.TOLD_TOO if cause == s.INTERRUPTED and state.special_tells else cause
    row[s.LOG_FATE], row[s.LOG_TAKER], row[s.LOG_CARD] = fate, seat, card
    note(state, s.E_TAKES_OVER, seat, card, cause)
    s.draw_card(state, state.narrator)
    s.take_card(state, seat, card, s.TABLE)
    if fate != s.INTERRUPTED:
        add_thing(state, card, True)
    close_window(state)
    begin_turn(state, seat)
    if state.chain:  # the interrupter may be interrupted (O6)
        use_own_words(state, s.OF_GAME)
        state.kind, state.focus, state.hooked, state.sense = s.BREAK_IN, card, t.NO_THING, 10
        state.stage = s.GO_ON


@kernel
def begin_turn(state, seat):
    """Begin the turn of `seat` as narrator (C2.3, C7.1)."""
    state.narrator = seat
    state.seat = seat
    state.stage = s.TELL
    state.stale, state.idle, state.played, state.links, state.listed = 0, 0, 0, 0, 0
    state.protested[:] = 0
    state.chosen = s.NOT_CHOSEN
    note(state, s.E_TURN, seat, 0, 0)


@kernel
def hand_on(state):
    """Begin the turn of the narrator's left neighbour."""
    close_window(state)
    begin_turn(state, s.left_of(state, state.narrator))


@kernel
def forget_sentence(state, kind):
    """Clear the sentence that players could react to."""
    use_own_words(state, s.OF_GAME)
    state.kind, state.focus, state.hooked, state.sense = kind, t.NO_THING, t.NO_THING, 10


@kernel
def uphold_protest(state):
    """Undo the sentence; the narrator draws a card, and his left neighbour continues (C6.1)."""
    state.log[state.sentences - 1, s.LOG_FATE] = s.UNDONE
    note(state, s.E_UNDONE, state.narrator, state.sentences - 1, 0)
    take_back(state)
    if state.kind == s.CARD and state.protest_card != s.STAYS:
        s.give_back(state, state.narrator, state.focus)
    forget_sentence(state, s.LINK)
    s.draw_card(state, state.narrator)
    hand_on(state)


@kernel
def open_case(state, case, claimant):
    """Put a case to the vote of the uninvolved seats, or without them to the judge (C8)."""
    state.case = case
    state.claimant = claimant
    state.stage = s.GO_ON
    for seat in range(state.seats):
        protests = case == s.ON_PROTEST and state.choice[seat] == s.A_PROTEST
        state.voters[seat] = seat != state.narrator and seat != claimant and not protests
    for place in range(s.MAX_SEATS):  # a seat with a waiting reaction is involved
        if state.order[place] != s.NOBODY:
            state.voters[state.order[place]] = 0
    state.answered[:] = 0
    state.vote[:] = 0
    if state.judge == s.RULES or state.seats == 2 or not state.voters.any():
        _close_case(state, _judges(state), False)


@kernel
def _weight_on_trial(state):
    return weight_of(state, _card_of(int(state.choice[state.claimant])))


@kernel
def _judges(state):
    """Return the verdict of the judge (C8.1)."""
    if state.case == s.ON_PROTEST:
        return state.sense < UPHELD
    if state.case == s.ON_CLAIM:
        return below(state, 100) < _weight_on_trial(state)
    return accepts(state, state.log[state.sentences - 1, s.LOG_THING])


@kernel
def _count_votes(state):
    """Show the votes, fine those against the judge's opinion, and decide (C8.2, C8.3)."""
    yes, votes = 0, 0
    right = _weight_on_trial(state) >= OPINION if state.case == s.ON_CLAIM else _judges(state)
    for seat in range(state.seats):
        if state.voters[seat]:
            note(state, s.E_VOTES, seat, state.vote[seat], state.case)
            votes += 1
            yes += int(state.vote[seat])
            if state.judge == s.MIXED and (state.vote[seat] == 1) != right and state.fines[seat] < s.MOST_FINES:
                state.fines[seat] += 1
    _close_case(state, 2 * yes > votes, 2 * yes == votes)


@kernel
def _close_case(state, yes, tie):
    """Carry out a verdict; what a tie means is in C8.4."""
    case, claimant = state.case, int(state.claimant)
    state.case = s.NO_CASE
    state.claimant = s.NOBODY
    state.voters[:] = 0
    state.answered[:] = 0
    state.vote[:] = 0
    if case == s.ON_PROTEST:
        _end_protest(state, yes)
    elif case == s.ON_ENDING:
        _end_ending(state, yes or tie)
    else:
        card = _card_of(int(state.choice[claimant]))
        if yes:
            become_narrator(state, claimant, card, s.CLAIMED)
        elif tie:
            note(state, s.E_VOID, claimant, card, 0)
        else:
            _punish(state, claimant, card)


@kernel
def _end_protest(state, upheld):
    if upheld:
        uphold_protest(state)
        return
    note(state, s.E_IN_VAIN, s.NOBODY, 0, 0)
    for seat in range(state.seats):
        if state.protest_penalty and state.choice[seat] == s.A_PROTEST:
            s.draw_card(state, seat)


@kernel
def _end_ending(state, accepted):
    """End the deal, or have the narrator draw an ending and a card and the next one tell on (C9.4, C9.5)."""
    seat, row = int(state.narrator), state.log[state.sentences - 1]
    ending = int(row[s.LOG_THING])
    if accepted:
        row[s.LOG_FATE] = s.ACCEPTED
        state.winner[seat] = 1
        state.won_with = ending
        state.ending_kind = s.CHEERED
        state.over = 1
        state.seat = seat
        note(state, s.E_WINS, seat, ending, 0)
        return
    row[s.LOG_FATE] = s.REFUSED
    note(state, s.E_REFUSED, seat, ending, 0)
    slot = 0 if state.ending[seat, 0] == ending else 1
    if state.rejected == s.KEPT and state.ending[seat, s.MOST_ENDINGS - 1 - slot] == t.NO_ENDING:
        slot = s.MOST_ENDINGS - 1 - slot
    else:
        s.put_under(state, seat, slot)
    s.draw_ending(state, seat, slot)
    s.draw_card(state, seat)
    hand_on(state)
