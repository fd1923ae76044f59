"""*Érase una vez*, the rules. Clause numbers in brackets refer to RULES.md.

A narrator tells a tale sentence by sentence and plays a card for what it tells of; the others take the tale over
wherever it speaks of what they hold. Whoever has no cards left and ends the tale with an ending that fits it wins.
"""

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.erase_una_vez.react import (
    begin_turn,
    forget_sentence,
    hand_on,
    hear_next,
    legal_reactions,
    open_case,
    open_window,
    react,
    uphold,
    vote,
)
from sobremesa.envs.erase_una_vez.state import (
    A_CARD,
    A_CHANGE,
    A_DISCARD,
    A_END,
    A_HOOK,
    A_KEEP,
    A_NO,
    A_NOTHING,
    A_PASS,
    A_TELL,
    A_YES,
    BEGINS_LETTER,
    BEGINS_RANDOM,
    BEGINS_SEAT,
    BURIED,
    CARD,
    DECK,
    DRAW_BEFORE,
    E_CHANGES,
    E_DISCARDS,
    E_ENDS,
    E_PASSES,
    E_TELLS,
    E_TOO_LONG,
    END,
    GO_ON,
    HAND_SIZES,
    HOOK,
    LINK,
    MIXED,
    MOST_ENDINGS,
    MOST_FINES,
    MOST_HOOKS,
    MOST_LINKS,
    NOBODY,
    NOT_CHOSEN,
    OF_GAME,
    ON_ENDING,
    OWN,
    PASS,
    PASSING,
    PUBLIC,
    REACT,
    STATING,
    TABLE,
    TELL,
    TOO_LONG,
    VOTE,
    draw_card,
    draw_ending,
    put_under,
    take_card,
    write_row,
)
from sobremesa.envs.erase_una_vez.tables import (
    LETTERS,
    NO_ENDING,
    NO_THING,
    NUM_ELEMENTS,
    NUM_ENDINGS,
    NUM_THINGS,
)
from sobremesa.envs.erase_una_vez.tale import (
    CONTRADICTS,
    UPHELD,
    also_lacks,
    count_listed,
    hook_for,
    is_new_hook,
    kind_of,
    must_hook,
    remember,
    sense_of,
    sense_of_words,
    tell_of,
    tell_words,
    tells_also_new,
    use_own_words,
)


@kernel
def reset(state, seed):
    """Deal story cards and endings, and choose the first narrator (C2)."""
    start(state, seed)
    state.focus, state.hooked, state.kind, state.sense = NO_THING, NO_THING, LINK, 10
    state.context[:] = NO_THING
    state.was_context[:] = NO_THING
    state.buried_by[:] = NOBODY
    state.order[:] = NOBODY
    state.claimant = NOBODY
    state.choice[:] = A_NOTHING
    state.ending[:] = NO_ENDING
    state.won_with = NO_ENDING
    for card in range(NUM_ELEMENTS):
        state.deck[card] = card
        state.where[card] = DECK
    shuffle(state, state.deck, NUM_ELEMENTS)
    _choose_first(state)
    state.deck_size = NUM_ELEMENTS
    for ending in range(NUM_ENDINGS):
        state.endings[ending] = ending
    shuffle(state, state.endings, NUM_ENDINGS)
    state.endings_size = NUM_ENDINGS
    for seat in range(state.seats):
        for _ in range(HAND_SIZES[state.seats]):
            draw_card(state, seat)
        for slot in range(2 if seat < state.beginners else 1):
            draw_ending(state, seat, slot)
    begin_turn(state, state.first)
    state.news_count = 0
    state.news[:] = 0


@kernel
def _choose_first(state):
    """Choose who begins: by lot, by the letter of a card each draws, or as the setup says (C2.3, O11, V3)."""
    if state.begins == BEGINS_RANDOM:
        state.first = below(state, state.seats)
    elif state.begins == BEGINS_LETTER:
        for seat in range(1, state.seats):
            if LETTERS[state.deck[seat]] < LETTERS[state.deck[state.first]]:
                state.first = seat
        shuffle(state, state.deck, NUM_ELEMENTS)
    else:
        state.first = (int(state.begins) - BEGINS_SEAT) % int(state.seats)


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat` into the mask; none after the end of the deal."""
    if state.over:
        return
    if state.stage == TELL:
        _legal_sentences(state, mask)
    elif state.stage == HOOK:
        for place in range(MOST_HOOKS):
            mask[A_HOOK + place] = is_new_hook(state, place)
        _legal_ways_out(state, mask)
    elif state.stage == PASSING:
        _legal_discards(state, mask)
    elif state.stage == REACT:
        legal_reactions(state, mask)
    else:
        mask[A_YES] = 1
        mask[A_NO] = 1


@kernel
def _legal_sentences(state, mask):
    """Allow a card, anything else to tell of, passing and ending (C3.1, C3.5, C9.1, C9.2)."""
    seat = state.seat
    if state.hand_size[seat]:
        free = not state.played or state.idle >= state.between_cards
        for card in range(NUM_ELEMENTS):
            mask[A_CARD + card] = free and state.where[card] == seat
        mask[A_TELL : A_TELL + NUM_THINGS] = 1
    elif state.links < MOST_LINKS:
        for thing in range(NUM_THINGS):
            mask[A_TELL + thing] = state.told[thing] > 0
    if state.chosen == NOT_CHOSEN:
        _legal_ways_out(state, mask)


@kernel
def _legal_ways_out(state, mask):
    """Allow passing, and ending the tale without cards in hand (C7.1, C9.1, O12)."""
    seat = state.seat
    without = state.hand_size[seat] == 0
    mask[A_PASS] = not (without and state.must_end)
    for slot in range(MOST_ENDINGS):
        mask[A_END + slot] = without and state.ending[seat, slot] != NO_ENDING


@kernel
def _legal_discards(state, mask):
    """Allow discarding a card or none, or changing an ending (C7.1, V2)."""
    seat = state.seat
    mask[A_KEEP] = 1
    for card in range(NUM_ELEMENTS):
        mask[A_DISCARD + card] = state.where[card] == seat
    for slot in range(MOST_ENDINGS):
        mask[A_CHANGE + slot] = state.change_ending and state.ending[seat, slot] != NO_ENDING


@kernel
def go_on(state, mask):
    """Deal with what others say to the sentence; end a tale that is too long, and see to its hook (O7)."""
    if state.stage == GO_ON:
        hear_next(state, mask)
        return True
    if state.stage == TELL:
        if state.sentences >= state.max_sentences:
            _end_too_long(state)
            return True
        if must_hook(state):
            state.stage = HOOK
    return False


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if state.stage == REACT:
        react(state, action)
    elif state.stage == VOTE:
        vote(state, action)
    elif state.stage == PASSING:
        _discard(state, action)
    elif action == A_PASS:
        _pass(state)
    elif action >= A_HOOK:
        state.chosen = action - A_HOOK
        state.stage = TELL
    elif action >= A_END:
        _end(state, int(state.ending[state.seat, action - A_END]))
    elif action >= A_TELL:
        _tell(state, action - A_TELL, kind_of(state, action - A_TELL))
    else:
        _tell(state, action - A_CARD, CARD)


@kernel
def _tell(state, thing, kind):
    """Tell a sentence about `thing`, and ask the others what they say to it (C3, C4, C5)."""
    seat = state.seat
    hook = hook_for(state, thing) if state.chosen == NOT_CHOSEN else int(state.context[state.chosen])
    state.chosen = NOT_CHOSEN
    state.kind, state.focus, state.hooked = kind, thing, hook
    write_row(state, kind, thing, hook)
    note(state, E_TELLS, seat, state.sentences - 1, 0)
    remember(state)
    if state.words >= STATING:
        tell_words(state)
        state.sense = sense_of_words(state, thing, kind)
        use_own_words(state, OWN)
    else:
        state.sense = sense_of(state, thing, kind)
        use_own_words(state, OF_GAME)
    state.idle += 1
    state.stale = state.stale + 1 if kind == LINK and not tells_also_new(state) else 0
    state.links += state.hand_size[seat] == 0
    if kind == CARD:
        take_card(state, seat, thing, TABLE)
        state.idle, state.played = 0, 1
    count_listed(state, thing)
    tell_of(state, thing, kind == CARD)
    if also_lacks(state):
        state.sense = CONTRADICTS
    open_window(state)
    if state.auto_protest and state.sense < UPHELD:
        uphold(state)


@kernel
def _pass(state):
    """Stop telling (C7.1); it counts as a sentence (H5)."""
    forget_sentence(state, PASS)
    write_row(state, PASS, 0, NO_THING)
    note(state, E_PASSES, state.seat, 0, 0)
    if state.pass_draw == DRAW_BEFORE:
        draw_card(state, state.seat)
    state.stage = PASSING


@kernel
def _discard(state, action):
    """Discard a card face down or none, or change an ending, draw, and have the next one tell (C7, V2)."""
    seat, draws = state.seat, 1
    if action >= A_CHANGE:
        _change(state, action - A_CHANGE)
        draws = 2
    elif action == A_KEEP:
        note(state, E_DISCARDS, seat, NUM_ELEMENTS, 0)
    else:
        take_card(state, seat, action - A_DISCARD, BURIED)
        note(state, E_DISCARDS, seat, action - A_DISCARD, 0)
    for _ in range(draws - (state.pass_draw == DRAW_BEFORE)):
        draw_card(state, seat)
    hand_on(state)


@kernel
def _change(state, slot):
    """Put an ending under the pile and draw another (V2). Of two, nobody else knows which it was."""
    seat = int(state.seat)
    if state.ending[seat, MOST_ENDINGS - 1 - slot] != NO_ENDING:
        for held in range(MOST_ENDINGS):
            state.ending_known[state.ending[seat, held]] = 1 << seat
    note(state, E_CHANGES, seat, state.ending[seat, slot], 0)
    put_under(state, seat, slot)
    draw_ending(state, seat, slot)


@kernel
def _end(state, ending):
    """Play an ending and have it judged; it cannot be interrupted (C9)."""
    forget_sentence(state, END)
    write_row(state, END, ending, NO_THING)
    state.ending_known[ending] = PUBLIC | ((1 << int(state.seats)) - 1)
    note(state, E_ENDS, state.seat, ending, 0)
    open_case(state, ON_ENDING, state.narrator)


@kernel
def _end_too_long(state):
    """End the deal without an ending: those with the fewest cards share the win (C11.1, H5)."""
    fewest = NUM_ELEMENTS
    for seat in range(state.seats):
        fewest = min(fewest, int(state.hand_size[seat]))
    for seat in range(state.seats):
        state.winner[seat] = state.hand_size[seat] == fewest
    state.ending_kind = TOO_LONG
    state.over = 1
    note(state, E_TOO_LONG, NOBODY, 0, 0)


@kernel
def payoff(state, out):
    """Write what each seat won (C11.2): the shared win, and with mixed judges the fines, paid to all others (C8.3)."""
    share_win(state, out)
    if not state.over or state.judge != MIXED or state.seats == 2:  # two never vote (C8.4)
        return
    fine = state.fine / 100
    whole = 0.0
    for seat in range(state.seats):
        whole += state.fines[seat] * fine
    for seat in range(state.seats):
        paid = state.fines[seat] * fine
        out[seat] = out[seat] * (1 - MOST_FINES * fine) - paid + (whole - paid) / (state.seats - 1)
