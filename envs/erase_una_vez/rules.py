"""*Érase una vez*, the rules. Clause numbers in brackets refer to RULES.md.

A narrator tells a tale sentence by sentence and plays a card for what it tells of; the others take the tale over
wherever it speaks of what they have. Whoever has no cards left and ends the tale with an ending that fits it wins.
"""

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.react import (
    ask_next,
    begin_turn,
    forget_sentence,
    hand_on,
    legal_reactions,
    open_case,
    open_window,
    react,
    uphold_protest,
    vote,
)
from sobremesa.envs.erase_una_vez.state import draw_card, draw_ending, put_under, take_card, write_row
from sobremesa.envs.erase_una_vez.tale import (
    CONTRADICTS,
    UPHELD,
    add_thing,
    adds_new_thing,
    count_listed,
    hook_for,
    is_new_hook,
    kind_of,
    lacks_need,
    must_hook,
    remember,
    sense_of,
    sense_of_words,
    tell_words,
    use_own_words,
)


@kernel
def reset(state, seed):
    """Deal story cards and endings, and choose the first narrator (C2)."""
    start(state, seed)
    state.focus, state.hooked, state.kind, state.sense = t.NO_THING, t.NO_THING, s.LINK, 10
    state.context[:] = t.NO_THING
    state.was_context[:] = t.NO_THING
    state.buried_by[:] = s.NOBODY
    state.order[:] = s.NOBODY
    state.claimant = s.NOBODY
    state.choice[:] = s.A_NOTHING
    state.ending[:] = t.NO_ENDING
    state.won_with = t.NO_ENDING
    for card in range(t.NUM_ELEMENTS):
        state.deck[card] = card
        state.where[card] = s.DECK
    shuffle(state, state.deck, t.NUM_ELEMENTS)
    _choose_first(state)
    state.deck_size = t.NUM_ELEMENTS
    for ending in range(t.NUM_ENDINGS):
        state.endings[ending] = ending
    shuffle(state, state.endings, t.NUM_ENDINGS)
    state.endings_size = t.NUM_ENDINGS
    for seat in range(state.seats):
        for _ in range(s.HAND_SIZES[state.seats]):
            draw_card(state, seat)
        for slot in range(2 if seat < state.beginners else 1):
            draw_ending(state, seat, slot)
    begin_turn(state, state.first)
    state.news_count = 0
    state.news[:] = 0


@kernel
def _choose_first(state):
    """Choose who begins: by lot, by the letter of a card each draws, or as the setup says (C2.3, O11, V3)."""
    if state.begins == s.BEGINS_RANDOM:
        state.first = below(state, state.seats)
    elif state.begins == s.BEGINS_LETTER:
        for seat in range(1, state.seats):
            if t.LETTERS[state.deck[seat]] < t.LETTERS[state.deck[state.first]]:
                state.first = seat
        shuffle(state, state.deck, t.NUM_ELEMENTS)
    else:
        state.first = (int(state.begins) - s.BEGINS_SEAT) % int(state.seats)


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat` into the mask; none after the end of the deal."""
    if state.over:
        return
    if state.stage == s.TELL:
        _legal_sentences(state, mask)
    elif state.stage == s.HOOK:
        for place in range(s.MOST_HOOKS):
            mask[s.A_HOOK + place] = is_new_hook(state, place)
        _legal_ways_out(state, mask)
    elif state.stage == s.PASSING:
        _legal_discards(state, mask)
    elif state.stage == s.REACT:
        legal_reactions(state, mask)
    else:
        mask[s.A_YES] = 1
        mask[s.A_NO] = 1


@kernel
def _legal_sentences(state, mask):
    """Allow a card, anything else to tell of, passing and ending (C3.1, C3.5, C9.1, C9.2)."""
    seat = state.seat
    if state.hand_size[seat]:
        free = not state.played or state.idle >= state.between_cards
        for card in range(t.NUM_ELEMENTS):
            mask[s.A_CARD + card] = free and state.where[card] == seat
        mask[s.A_TELL : s.A_TELL + t.NUM_THINGS] = 1
    elif state.links < s.MOST_LINKS:
        for thing in range(t.NUM_THINGS):
            mask[s.A_TELL + thing] = state.told[thing] > 0
    if state.chosen == s.NOT_CHOSEN:
        _legal_ways_out(state, mask)


@kernel
def _legal_ways_out(state, mask):
    """Allow passing, and ending the tale without cards in hand (C7.1, C9.1, O12)."""
    seat = state.seat
    without = state.hand_size[seat] == 0
    mask[s.A_PASS] = not (without and state.must_end)
    for slot in range(s.MOST_ENDINGS):
        mask[s.A_END + slot] = without and state.ending[seat, slot] != t.NO_ENDING


@kernel
def _legal_discards(state, mask):
    """Allow discarding a card or none, or changing an ending (C7.1, V2)."""
    seat = state.seat
    mask[s.A_KEEP] = 1
    for card in range(t.NUM_ELEMENTS):
        mask[s.A_DISCARD + card] = state.where[card] == seat
    for slot in range(s.MOST_ENDINGS):
        mask[s.A_CHANGE + slot] = state.change_ending and state.ending[seat, slot] != t.NO_ENDING


@kernel
def go_on(state, mask):
    """Deal with what others say to the sentence; end a tale that is too long, and see to its hook (O7)."""
    if state.stage == s.GO_ON:
        ask_next(state, mask)
        return True
    if state.stage == s.TELL:
        if state.sentences >= state.max_sentences:
            _end_too_long(state)
            return True
        if must_hook(state):
            state.stage = s.HOOK
    return False


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if state.stage == s.REACT:
        react(state, action)
    elif state.stage == s.VOTE:
        vote(state, action)
    elif state.stage == s.PASSING:
        _discard(state, action)
    elif action == s.A_PASS:
        _pass(state)
    elif action >= s.A_HOOK:
        state.chosen = action - s.A_HOOK
        state.stage = s.TELL
    elif action >= s.A_END:
        _end(state, int(state.ending[state.seat, action - s.A_END]))
    elif action >= s.A_TELL:
        _tell(state, action - s.A_TELL, kind_of(state, action - s.A_TELL))
    else:
        _tell(state, action - s.A_CARD, s.CARD)


@kernel
def _tell(state, thing, kind):
    """Tell a sentence about `thing`, and ask the others what they say to it (C3, C4, C5).

    One that tells on without a thing of the game adds nothing (O16.9).
    """
    seat, telling_on = state.seat, state.words == s.TELLING_ON
    if telling_on:
        thing, kind = int(state.context[0]), s.LINK
    hook = hook_for(state, thing) if state.chosen == s.NOT_CHOSEN else int(state.context[state.chosen])
    state.chosen = s.NOT_CHOSEN
    state.kind, state.focus, state.hooked = kind, thing, hook
    write_row(state, kind, thing, hook)
    note(state, s.E_TELLS, seat, state.sentences - 1, 0)
    if thing == t.NO_THING:
        state.idle += 1
        forget_sentence(state, s.LINK)
        return
    remember(state)
    if state.words >= s.STATING:
        tell_words(state)
        state.sense = sense_of_words(state, thing, kind)
        use_own_words(state, s.OWN)
    else:
        state.sense = sense_of(state, thing, kind)
        use_own_words(state, s.OF_GAME)
    state.idle += 1
    state.links += state.hand_size[seat] == 0
    if not telling_on:
        state.stale = state.stale + 1 if kind == s.LINK and not adds_new_thing(state) else 0
    if kind == s.CARD:
        take_card(state, seat, thing, s.TABLE)
        state.idle, state.played = 0, 1
    if not telling_on:
        count_listed(state, thing)
        add_thing(state, thing, kind == s.CARD)
    if lacks_need(state):
        state.sense = CONTRADICTS
    open_window(state)
    if state.auto_protest and state.sense < UPHELD:
        uphold_protest(state)


@kernel
def _pass(state):
    """Stop telling (C7.1); it counts as a sentence (H5)."""
    forget_sentence(state, s.PASS)
    write_row(state, s.PASS, 0, t.NO_THING)
    note(state, s.E_PASSES, state.seat, 0, 0)
    if state.pass_draw == s.DRAW_BEFORE:
        draw_card(state, state.seat)
    state.stage = s.PASSING


@kernel
def _discard(state, action):
    """Discard a card face down or none, or change an ending, draw, and have the next one tell (C7, V2)."""
    seat, draws = state.seat, 1
    if action >= s.A_CHANGE:
        _change(state, action - s.A_CHANGE)
        draws = 2
    elif action == s.A_KEEP:
        note(state, s.E_DISCARDS, seat, t.NUM_ELEMENTS, 0)
    else:
        take_card(state, seat, action - s.A_DISCARD, s.BURIED)
        note(state, s.E_DISCARDS, seat, action - s.A_DISCARD, 0)
    for _ in range(draws - (state.pass_draw == s.DRAW_BEFORE)):
        draw_card(state, seat)
    hand_on(state)


@kernel
def _change(state, slot):
    """Put an ending under the pile and draw another (V2). Of two, nobody else knows which it was."""
    seat = int(state.seat)
    if state.ending[seat, s.MOST_ENDINGS - 1 - slot] != t.NO_ENDING:
        for held in range(s.MOST_ENDINGS):
            state.ending_known[state.ending[seat, held]] = 1 << seat
    note(state, s.E_CHANGES, seat, state.ending[seat, slot], 0)
    put_under(state, seat, slot)
    draw_ending(state, seat, slot)


@kernel
def _end(state, ending):
    """Play an ending and have it judged; it cannot be interrupted (C9)."""
    forget_sentence(state, s.END)
    write_row(state, s.END, ending, t.NO_THING)
    state.ending_known[ending] = s.PUBLIC | ((1 << int(state.seats)) - 1)
    note(state, s.E_ENDS, state.seat, ending, 0)
    open_case(state, s.ON_ENDING, state.narrator)


@kernel
def _end_too_long(state):
    """End the deal without an ending: those with the fewest cards share the win (C11.1, H5)."""
    fewest = t.NUM_ELEMENTS
    for seat in range(state.seats):
        fewest = min(fewest, int(state.hand_size[seat]))
    for seat in range(state.seats):
        state.winner[seat] = state.hand_size[seat] == fewest
    state.ending_kind = s.TOO_LONG
    state.over = 1
    note(state, s.E_TOO_LONG, s.NOBODY, 0, 0)


@kernel
def payoff(state, out):
    """Write what each seat won (C11.2): the shared win, and with mixed judges the fines, paid to all others (C8.3)."""
    share_win(state, out)
    if not state.over or state.judge != s.MIXED or state.seats == 2:  # two never vote (C8.4)
        return
    fine = state.fine / 100
    whole = 0.0
    for seat in range(state.seats):
        whole += state.fines[seat] * fine
    for seat in range(state.seats):
        paid = state.fines[seat] * fine
        out[seat] = out[seat] * (1 - s.MOST_FINES * fine) - paid + (whole - paid) / (state.seats - 1)
