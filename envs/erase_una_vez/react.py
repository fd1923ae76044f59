"""Reactions to a sentence: claims, interruptions, protests, votes and the judge (C5, C6, C8).

All other seats react at once and hidden: they are asked in turn, and all reactions are revealed together. A protest is
settled first, the rest in random order.
"""

from sobremesa.envs.core.chance import below, shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.erase_una_vez.mentions import MEETING
from sobremesa.envs.erase_una_vez.state import (
    A_CLAIM,
    A_INTERRUPT,
    A_NOTHING,
    A_PROTEST,
    A_YES,
    ACCEPTED,
    BREAK_IN,
    CARD,
    CHEERED,
    CLAIMED,
    E_CLAIMS,
    E_IN_VAIN,
    E_INTERRUPTS,
    E_PROTESTS,
    E_REFUSED,
    E_TAKES_OVER,
    E_TURN,
    E_UNDONE,
    E_VOID,
    E_VOTES,
    E_WINS,
    E_WRONG,
    GO_ON,
    INTERRUPTED,
    KEPT,
    LINK,
    LOG_CARD,
    LOG_FATE,
    LOG_TAKER,
    LOG_THING,
    MAX_SEATS,
    MIXED,
    MOST_ENDINGS,
    MOST_FINES,
    NO_CASE,
    NOBODY,
    NOT_CHOSEN,
    OF_GAME,
    ON_CLAIM,
    ON_ENDING,
    ON_PROTEST,
    OPEN,
    OWN,
    REACT,
    REFUSED,
    RULES,
    STAYS,
    TABLE,
    TELL,
    TOLD_TOO,
    UNDONE,
    VOTE,
    draw_card,
    draw_ending,
    give_back,
    left_of,
    put_under,
    take_card,
    write_row,
)
from sobremesa.envs.erase_una_vez.table_files import MOST_WORDS
from sobremesa.envs.erase_una_vez.tables import (
    GROUP,
    INTERRUPTIONS,
    MEANT,
    NO_ENDING,
    NO_THING,
    NUM_ELEMENTS,
    NUM_INTERRUPTIONS,
)
from sobremesa.envs.erase_una_vez.tale import (
    DOUBTFUL,
    UPHELD,
    VALID,
    accepts,
    take_back,
    tell_of,
    use_own_words,
    weight_of,
)

OPINION = 50  # weight from which the judge's opinion accepts a doubtful claim (H6)


@kernel
def legal_reactions(state, mask):
    """Write the legal reactions of `state.seat` (C5.2 to C5.4); return their number, without silence."""
    mask[A_NOTHING] = 1
    count = 0
    if state.kind != BREAK_IN:
        count += _legal_claims(state, mask)
        if state.sense < UPHELD and not state.protested[state.seat]:
            mask[A_PROTEST] = 1
            count += 1
    if can_interrupt(state):
        for number in range(NUM_INTERRUPTIONS):
            card = INTERRUPTIONS[number]
            if state.where[card] == state.seat and GROUP[card] == GROUP[state.focus]:
                mask[A_INTERRUPT + number] = 1
                count += 1
    return count


@kernel
def _legal_claims(state, mask):
    """Write the legal claims of `state.seat` (C5.2, O16); return their number."""
    count = 0
    if state.words == OWN:
        for card in range(NUM_ELEMENTS):
            if state.heard[card]:
                count += _may_claim(state, card, mask)
        return count
    for word in range(MOST_WORDS):
        count += _may_claim(state, int(MEANT[state.focus, word]), mask)
    count += _may_claim(state, int(state.hooked), mask)
    if state.where[MEETING] == state.seat and state.focus != MEETING and state.hooked != MEETING:
        count += _may_claim(state, MEETING, mask)
    return count


@kernel
def can_interrupt(state):
    """Return whether the last sentence may be interrupted: a card has just been laid (C5.3, O6)."""
    return state.kind == CARD or state.kind == BREAK_IN


@kernel
def _may_claim(state, card, mask):
    """Allow claiming `card` if the seat holds it and the sentence tells of it (C5.2)."""
    if card >= NUM_ELEMENTS or state.where[card] != state.seat or weight_of(state, card) == 0:
        return 0
    mask[A_CLAIM + card] = 1
    return 1


@kernel
def open_window(state):
    """Ask all other seats for their reactions (C5)."""
    state.choice[:] = A_NOTHING
    state.answered[:] = 0
    state.resolving = 0
    state.stage = GO_ON


@kernel
def hear_next(state, mask):
    """Ask the next seat that can react, or settle the reactions."""
    if state.case != NO_CASE:
        for seat in range(state.seats):
            if state.voters[seat] and not state.answered[seat]:
                state.seat = seat
                state.stage = VOTE
                return
        _count_votes(state)
    elif not state.resolving:
        seat = left_of(state, state.narrator)
        while seat != state.narrator:
            if not state.answered[seat]:
                state.seat = seat
                mask[:] = 0
                if legal_reactions(state, mask):
                    state.stage = REACT
                    return
            seat = left_of(state, seat)
        _lay_open(state)
    else:
        _resolve_next(state)


@kernel
def react(state, action):
    """Keep the reaction of `state.seat` to itself (C5.5)."""
    state.choice[state.seat] = action
    state.answered[state.seat] = 1
    state.stage = GO_ON


@kernel
def vote(state, action):
    """Keep the vote of `state.seat` until all have voted (C8.2)."""
    state.vote[state.seat] = action == A_YES
    state.answered[state.seat] = 1
    state.stage = GO_ON


@kernel
def _lay_open(state):
    """Show all reactions, and bring the claims and interruptions into random order (C6.2, H3)."""
    state.resolving = 1
    state.order[:] = NOBODY
    count, protests = 0, 0
    for seat in range(state.seats):
        choice = int(state.choice[seat])
        if choice == A_PROTEST:
            state.protested[seat] = 1
            protests += 1
            note(state, E_PROTESTS, seat, 0, 0)
        elif choice != A_NOTHING:
            card = _card_of(choice)
            state.shown[card] = 1
            if choice < A_INTERRUPT:
                note(state, E_CLAIMS, seat, card, weight_of(state, card))
            else:
                note(state, E_INTERRUPTS, seat, card, 0)
            state.order[count] = seat
            count += 1
    shuffle(state, state.order, count)
    if protests:
        open_case(state, ON_PROTEST, NOBODY)


@kernel
def _card_of(choice):
    """Return the card of a reaction, a claim or an interruption."""
    return choice - A_CLAIM if choice < A_INTERRUPT else int(INTERRUPTIONS[choice - A_INTERRUPT])


@kernel
def _resolve_next(state):
    """Settle the next claim or interruption; the first right one takes over (C6.3 to C6.7)."""
    seat = int(state.order[0])
    if seat == NOBODY:
        close_window(state)
        return
    for place in range(MAX_SEATS - 1):
        state.order[place] = state.order[place + 1]
    state.order[MAX_SEATS - 1] = NOBODY
    choice = int(state.choice[seat])
    card = _card_of(choice)
    if choice >= A_INTERRUPT:
        take_over(state, seat, card, INTERRUPTED)
    elif weight_of(state, card) >= VALID:
        take_over(state, seat, card, CLAIMED)
    elif weight_of(state, card) < DOUBTFUL:
        _punish(state, seat, card)
    else:
        open_case(state, ON_CLAIM, seat)


@kernel
def close_window(state):
    """Go back to the narrator."""
    state.resolving = 0
    state.order[:] = NOBODY
    state.choice[:] = A_NOTHING
    state.answered[:] = 0
    state.seat = state.narrator
    state.stage = TELL


@kernel
def _punish(state, seat, card):
    """Discard the card of a wrong claim; its owner draws two (C6.5)."""
    note(state, E_WRONG, seat, card, 0)
    state.wrong += 1
    take_card(state, seat, card, OPEN)
    draw_card(state, seat)
    draw_card(state, seat)


@kernel
def take_over(state, seat, card, cause):
    """Make `seat` the narrator: it lays its card, and the old narrator draws one (C6.3, C6.4)."""
    if state.kind == BREAK_IN:
        write_row(state, BREAK_IN, state.focus, NO_THING)
    row = state.log[state.sentences - 1]
    fate = TOLD_TOO if cause == INTERRUPTED and state.special_tells else cause
    row[LOG_FATE], row[LOG_TAKER], row[LOG_CARD] = fate, seat, card
    note(state, E_TAKES_OVER, seat, card, cause)
    draw_card(state, state.narrator)
    take_card(state, seat, card, TABLE)
    if fate != INTERRUPTED:
        tell_of(state, card, True)
    close_window(state)
    begin_turn(state, seat)
    if state.chain:  # the interrupter may be interrupted (O6)
        use_own_words(state, OF_GAME)
        state.kind, state.focus, state.hooked, state.sense = BREAK_IN, card, NO_THING, 10
        state.stage = GO_ON


@kernel
def begin_turn(state, seat):
    """Begin the turn of `seat` as narrator (C2.3, C7.1)."""
    state.narrator = seat
    state.seat = seat
    state.stage = TELL
    state.stale, state.idle, state.played, state.links, state.listed = 0, 0, 0, 0, 0
    state.protested[:] = 0
    state.chosen = NOT_CHOSEN
    note(state, E_TURN, seat, 0, 0)


@kernel
def hand_on(state):
    """Begin the turn of the narrator's left neighbour."""
    close_window(state)
    begin_turn(state, left_of(state, state.narrator))


@kernel
def forget_sentence(state, kind):
    """Clear the sentence that players could react to."""
    use_own_words(state, OF_GAME)
    state.kind, state.focus, state.hooked, state.sense = kind, NO_THING, NO_THING, 10


@kernel
def uphold(state):
    """Undo the sentence; the narrator draws a card, and his left neighbour continues (C6.1)."""
    state.log[state.sentences - 1, LOG_FATE] = UNDONE
    note(state, E_UNDONE, state.narrator, state.sentences - 1, 0)
    take_back(state)
    if state.kind == CARD and state.protest_card != STAYS:
        give_back(state, state.narrator, state.focus)
    forget_sentence(state, LINK)
    draw_card(state, state.narrator)
    hand_on(state)


@kernel
def open_case(state, case, claimant):
    """Put a case to the vote of the uninvolved seats, or without them to the judge (C8)."""
    state.case = case
    state.claimant = claimant
    state.stage = GO_ON
    for seat in range(state.seats):
        protests = case == ON_PROTEST and state.choice[seat] == A_PROTEST
        state.voters[seat] = seat != state.narrator and seat != claimant and not protests
    for place in range(MAX_SEATS):  # a seat with a waiting reaction is involved
        if state.order[place] != NOBODY:
            state.voters[state.order[place]] = 0
    state.answered[:] = 0
    state.vote[:] = 0
    if state.judge == RULES or state.seats == 2 or not state.voters.any():
        _close_case(state, _judges(state), False)


@kernel
def _weight_on_trial(state):
    return weight_of(state, _card_of(int(state.choice[state.claimant])))


@kernel
def _judges(state):
    """Return the verdict of the judge (C8.1)."""
    if state.case == ON_PROTEST:
        return state.sense < UPHELD
    if state.case == ON_CLAIM:
        return below(state, 100) < _weight_on_trial(state)
    return accepts(state, state.log[state.sentences - 1, LOG_THING])


@kernel
def _count_votes(state):
    """Show the votes, fine those against the judge's opinion, and decide (C8.2, C8.3)."""
    yes, votes = 0, 0
    right = _weight_on_trial(state) >= OPINION if state.case == ON_CLAIM else _judges(state)
    for seat in range(state.seats):
        if state.voters[seat]:
            note(state, E_VOTES, seat, state.vote[seat], state.case)
            votes += 1
            yes += int(state.vote[seat])
            if state.judge == MIXED and (state.vote[seat] == 1) != right and state.fines[seat] < MOST_FINES:
                state.fines[seat] += 1
    _close_case(state, 2 * yes > votes, 2 * yes == votes)


@kernel
def _close_case(state, yes, tie):
    """Carry out a verdict; what a tie means is in C8.4."""
    case, claimant = state.case, int(state.claimant)
    state.case = NO_CASE
    state.claimant = NOBODY
    state.voters[:] = 0
    state.answered[:] = 0
    state.vote[:] = 0
    if case == ON_PROTEST:
        _end_protest(state, yes)
    elif case == ON_ENDING:
        _end_ending(state, yes or tie)
    else:
        card = _card_of(int(state.choice[claimant]))
        if yes:
            take_over(state, claimant, card, CLAIMED)
        elif tie:
            note(state, E_VOID, claimant, card, 0)
        else:
            _punish(state, claimant, card)


@kernel
def _end_protest(state, upheld):
    if upheld:
        uphold(state)
        return
    note(state, E_IN_VAIN, NOBODY, 0, 0)
    for seat in range(state.seats):
        if state.protest_penalty and state.choice[seat] == A_PROTEST:
            draw_card(state, seat)


@kernel
def _end_ending(state, accepted):
    """End the deal, or have the narrator draw an ending and a card and the next one tell on (C9.4, C9.5)."""
    seat, row = int(state.narrator), state.log[state.sentences - 1]
    ending = int(row[LOG_THING])
    if accepted:
        row[LOG_FATE] = ACCEPTED
        state.winner[seat] = 1
        state.won_with = ending
        state.ending_kind = CHEERED
        state.over = 1
        state.seat = seat
        note(state, E_WINS, seat, ending, 0)
        return
    row[LOG_FATE] = REFUSED
    note(state, E_REFUSED, seat, ending, 0)
    slot = 0 if state.ending[seat, 0] == ending else 1
    if state.rejected == KEPT and state.ending[seat, MOST_ENDINGS - 1 - slot] == NO_ENDING:
        slot = MOST_ENDINGS - 1 - slot
    else:
        put_under(state, seat, slot)
    draw_ending(state, seat, slot)
    draw_card(state, seat)
    hand_on(state)
