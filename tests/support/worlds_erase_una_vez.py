"""Reference sampler of worlds of *Érase una vez* (see worlds.py).

Shuffle the cards that the seat cannot place over the places of such cards, then the endings.
"""

from erase_tale import CARDS, GROUP, SPECIAL, THINGS, Tale
from worlds import restart

from sobremesa.envs.erase_una_vez.state import A_NOTHING, MOST_HOOKS, NOBODY
from sobremesa.envs.erase_una_vez.tables import FACTS, NO_THING

NAMES = [*THINGS, None]
ENDINGS = 56
DECK, BURIED = 6, 9
TELL, HOOK, PASSING, REACT, VOTE = range(5)
CARD, BREAK_IN = 0, 3
ALL = 1 << 6  # the bit of an ending that all have seen


def hidden_cards(state, seat):
    """Return the cards that `seat` cannot place: in other hands and not shown, in the deck, face down by another."""
    hidden = []
    for card, (where, shown, by) in enumerate(zip(state.where, state.shown, state.buried_by, strict=True)):
        in_other_hand = where < 6 and where != seat and not shown
        if in_other_hand or where == DECK or (where == BURIED and by != seat):
            hidden.append(card)
    return hidden


def ending_places(state):
    """Return where endings are: `[(field, ...), ...]`, a slot of a seat or a place of the pile."""
    held = [("ending", seat, slot) for seat in range(state.seats) for slot in range(2)]
    held = [place for place in held if state.ending[place[1], place[2]] < ENDINGS]
    return held + [("endings", place) for place in range(state.endings_size)]


def knows_ending(state, seat, ending):
    """Say whether `seat` knows where an ending is."""
    return bool(state.ending_known[ending] & (1 << seat | ALL))


def sample_world(table, seat, rng, heed=True):
    """Return a copy of `table` with all that `seat` cannot know dealt anew, each way alike.

    Without `heed` it is not heeded which cards have been shown: a wrong sampler.
    """
    world = table.copy()
    state = world[0]
    if not heed:
        state.shown[:] = 0
    asked, claims = may_be_asked(state, seat), claims_of(state)
    _deal_cards(state, seat, rng)
    while asked and not any(can_react(state, other, claims) for other in asked):
        _deal_cards(state, seat, rng)
    _deal_endings(state, seat, rng)
    _wipe(state, seat, rng)
    _ask(state, seat, [other for other in asked if can_react(state, other, claims)])
    return restart(world, rng)


def _deal_cards(state, seat, rng):
    hidden = hidden_cards(state, seat)
    spots = [(int(state.where[card]), int(state.buried_by[card])) for card in hidden]
    for card, number in zip(hidden, rng.permutation(len(spots)), strict=True):
        state.where[card], state.buried_by[card] = spots[number]
    deck = [card for card, where in enumerate(state.where) if where == DECK]
    state.deck[: len(deck)] = rng.permutation(deck)


def _deal_endings(state, seat, rng):
    def there(place):
        field, *at = place
        return int(state[field][tuple(at)])

    places = [place for place in ending_places(state) if not knows_ending(state, seat, there(place))]
    endings = [there(place) for place in places]
    for (field, *at), ending in zip(places, rng.permutation(endings).tolist(), strict=True):
        state[field][tuple(at)] = ending
    for ending in range(ENDINGS):  # what others know of endings is their own affair, but that they know theirs
        if not state.ending_known[ending] & ALL:
            holders = [other for other in range(state.seats) if ending in state.ending[other]]
            knowers = {*holders, *([seat] if knows_ending(state, seat, ending) else [])}
            state.ending_known[ending] = sum(1 << other for other in knowers)


def _wipe(state, seat, rng):
    """Wipe out what is still secret: reactions and votes of others, the order in which reactions will be judged."""
    state.ply, state.news_count, state.news[:] = 0, 0, 0
    others = [other for other in range(6) if other != seat]
    if state.stage == REACT:
        state.choice[others], state.answered[others] = A_NOTHING, 0
    if state.stage == VOTE:
        state.vote[others], state.answered[others] = 0, 0
    waiting = [other for other in state.order if other != NOBODY]
    state.order[: len(waiting)] = rng.permutation(waiting)


# Who is asked (C5.5, H10).


def may_be_asked(state, seat):
    """Return, clockwise, those of whom one is asked to react, as `seat` knows; nobody where it cannot know that."""
    narrator, seats = int(state.narrator), int(state.seats)
    if state.over or state.stage != REACT or state.seat == seat:
        return []
    round_ = [(narrator + step) % seats for step in range(1, seats)]
    if seat == narrator:
        return round_
    before, after = round_[: round_.index(seat)], round_[round_.index(seat) + 1 :]
    if not state.answered[seat] and can_react(state, seat, claims_of(state)):
        return before
    if state.choice[seat] != A_NOTHING or not _tale_can_go_on(state):
        return after if state.answered[seat] else before + after
    return []


def _tale_can_go_on(state):
    """Say whether the narrator would have a choice if nobody reacted (C9.1, C11.1)."""
    narrator = int(state.narrator)
    endings = sum(ending < ENDINGS for ending in state.ending[narrator])
    has_choice = state.hand_size[narrator] or state.links < 2 or endings > 1 or not state.must_end
    return state.sentences < state.max_sentences and bool(has_choice)


def can_react(state, seat, claims):
    """Say whether `seat` has anything to say to the last sentence, which tells of cards as `claims` says."""
    hand = [CARDS[card] for card, where in enumerate(state.where) if where == seat]
    focus = NAMES[state.focus]
    if state.kind in (CARD, BREAK_IN) and any(card in SPECIAL and GROUP[card] == GROUP[focus] for card in hand):
        return True
    if state.kind == BREAK_IN:
        return False
    return any(claims[card] for card in hand) or bool(state.sense < 5 and not state.protested[seat])


def claims_of(state):
    """Return how far the last sentence tells of each card, if somebody is asked to react to it (C5.2)."""
    if state.stage != REACT or state.over:
        return {}
    return _tale_before(state).claims_of(NAMES[state.focus], NAMES[state.hooked], state.sense in (2, 4))


def _tale_before(state):
    """Return the tale before the last sentence."""
    tale = Tale()
    tale.told = {name: int(told) for name, told in zip(THINGS, state.told, strict=True) if told}
    focus = THINGS[state.focus]
    tale.told.pop(focus)
    tale.told |= {focus: int(state.was_told)} if state.was_told else {}
    tale.facts = {fact: 1 for number, fact in enumerate(FACTS) if int(state.was_facts) >> number & 1}
    tale.context = [THINGS[thing] for thing in state.was_context if thing != NO_THING]
    return tale


def _ask(state, seat, asked):
    if state.over or state.seat == seat or state.stage == PASSING:
        return
    if state.stage == VOTE:
        state.seat = next(other for other in range(6) if state.voters[other] and other != seat)
    elif asked:
        state.seat = asked[0]
    else:
        state.seat, state.chosen = state.narrator, MOST_HOOKS
        state.choice[:], state.answered[:] = A_NOTHING, 0
        things = {int(thing) for thing in state.context} - {NO_THING}
        can_tell = state.hand_size[state.narrator] or state.links < 2
        state.stage = HOOK if state.hook and len(things) > 1 and can_tell else TELL
