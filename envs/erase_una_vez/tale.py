"""The model of narration: ties, meanings, facts and sense of sentences.

A sentence is about one thing (H1). A program that extracts the subject of free sentences can drive the same tale.
 Clause numbers refer to RULES.md.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.mentions import MEETING, meeting_weight, names_hook
from sobremesa.envs.erase_una_vez.table_files import MOST_CLAUSES, MOST_THINGS, MOST_WORDS
from sobremesa.envs.erase_una_vez.tables import fact_mask

GOOD, ABRUPT, LISTS, RAMBLES, CONTRADICTS = 10, 7, 4, 3, 2  # sense, in tenths (C4)
SENSES = (CONTRADICTS, RAMBLES, LISTS, ABRUPT, GOOD)
VALID, DOUBTFUL = 75, 35  # weights, in hundredths, from which on a claim is right, and open to doubt (C6)
UPHELD = 5  # less sense than this is nonsense, which may be protested against (C5.4)

_ANIMAL = fact_mask(("animal",))
_TROUBLE = fact_mask(("peligro", "cautivo", "herido", "perdido"))
_FREE = fact_mask(("libre",))
ANY_ANIMAL = t.NUMBER["C12"]
TIED = np.pad(t.TIES, ((0, 1), (0, 0)))  # NO_THING ties to nothing
UNTIED, BY_THEME, CLOSELY = range(3)


@kernel
def has(state, need):
    """Return whether the tale meets a need of things (C4.1)."""
    return is_met(need, state.people, state.objects, state.context[0], state.facts, state.told[ANY_ANIMAL])


@kernel
def was_met(state, need):
    """Return whether the tale before its last sentence met a need."""
    new = not state.was_told
    people = state.people - (new and t.GROUP[state.focus] == t.PERSON)
    objects = state.objects - (new and t.GROUP[state.focus] == t.OBJECT)
    animal = state.was_told if state.focus == ANY_ANIMAL else state.told[ANY_ANIMAL]
    return is_met(need, people, objects, state.was_context[0], state.was_facts, animal)


@kernel
def is_met(need, people, objects, latest, facts, animal):
    """Return whether a tale meets a need; `animal` is nonzero if the concept of an animal was told of."""
    if need == t.NEEDS_NOTHING:
        return True
    if need == t.NEEDS_PERSON:
        return people >= 1
    if need == t.NEEDS_TWO:
        return people >= 2
    if need == t.NEEDS_OBJECT:
        return objects >= 1
    if need == t.NEEDS_ANYTHING:
        return latest != t.NO_THING
    if need == t.NEEDS_ANIMAL:
        return (facts & _ANIMAL) != 0 or animal > 0
    return (facts & _TROUBLE) != 0


@kernel
def tie_of(state, thing):
    """Return how `thing` ties to the context, UNTIED, BY_THEME or CLOSELY (C4.4); the first sentence needs no tie."""
    if state.context[0] == t.NO_THING:
        return CLOSELY
    tie = UNTIED
    for place in range(s.MOST_HOOKS):
        tie = max(tie, int(TIED[state.context[place], thing]))
    return tie


@kernel
def is_listed(state, thing):
    """Return whether `thing` would be one more member of a list (C4.2)."""
    if state.listed < s.MOST_LISTED or state.told[thing] or t.GROUP[thing] != t.GROUP[state.context[0]]:
        return False
    return tie_of(state, thing) < CLOSELY


@kernel
def mark_listed(state, senses):
    """Lower the `senses` `(NUM_THINGS,)` of the things that would be one more member of a list (C4.2)."""
    if state.listed >= s.MOST_LISTED:
        for thing in range(t.NUM_THINGS):
            if senses[thing] != CONTRADICTS and is_listed(state, thing):
                senses[thing] = LISTS


@kernel
def count_listed(state, thing):
    """Count `thing`, which is about to be told of, in the row of new things of one group."""
    if state.told[thing] or t.GROUP[thing] >= t.ASPECT:
        state.listed = 0
    elif state.listed and t.GROUP[thing] == t.GROUP[state.context[0]]:
        state.listed += 1
    else:
        state.listed = 1


@kernel
def rambles(state, kind):
    """Return whether a sentence of this kind rambles: too long without a new thing, or without a card (C4.3)."""
    if kind == s.CARD:
        return False
    if kind == s.LINK and state.stale >= s.MOST_STALE:
        return True
    return state.idle >= s.MOST_IDLE and state.hand_size[state.narrator] > 0


@kernel
def sense_of(state, thing, kind):
    """Return the sense of a sentence about `thing` now, in tenths (C4)."""
    if not has(state, t.NEEDS[thing]):
        return CONTRADICTS
    if is_listed(state, thing):
        return LISTS
    if rambles(state, kind):
        return RAMBLES
    return ABRUPT if tie_of(state, thing) == UNTIED else GOOD


@kernel
def kind_of(state, thing):
    """Return the kind of a sentence about `thing` without a card (C3.1)."""
    return s.LINK if state.told[thing] else s.BRIDGE


@kernel
def hook_for(state, thing):
    """Return the hook of a sentence about `thing` (C3.3, H7); NO_THING for the first sentence."""
    best, most = t.NO_THING, -1
    for place in range(s.MOST_HOOKS):
        hook = state.context[place]
        if hook == t.NO_THING:
            continue
        worth = 0
        if hook != thing and t.LINKED[hook, thing]:
            worth = 2 if hook >= t.NUM_ELEMENTS or state.where[hook] == s.TABLE else 1
        if worth > most:
            best, most = int(hook), worth
    return best


@kernel
def is_new_hook(state, place):
    """Return whether a place of the context has a thing for the first time."""
    hook = state.context[place]
    for earlier in range(place):
        if state.context[earlier] == hook:
            return False
    return hook != t.NO_THING


@kernel
def must_hook(state):
    """Return whether the narrator has to choose the next hook (O7)."""
    if state.hook != s.MANUAL or state.chosen != s.NOT_CHOSEN:
        return False
    can_tell = state.hand_size[state.narrator] > 0 or state.links < s.MOST_LINKS
    return can_tell and (is_new_hook(state, 1) or is_new_hook(state, 2))


@kernel
def weight_of(state, card):
    """Return the weight of the last sentence for the element of `card`, in hundredths (C5.2).

    It is 0 if the element does not matter in the sentence: it is not named, the sentence is nonsense, or the tale
    before it lacks what the element needs.
    """
    if state.focus == t.NO_THING or state.kind == s.BREAK_IN:
        return 0
    if state.words == s.OWN:
        barred = state.sense == CONTRADICTS or not is_met_in_words(state, t.NEEDS[card])
        return 0 if barred else int(state.heard[card])
    again = int(state.was_told > 0)
    if state.hooked == card and state.told[card] == 1 and names_hook(again, state.focus, card):
        return 100
    if state.sense == CONTRADICTS or state.sense == LISTS or not was_met(state, t.NEEDS[card]):
        return 0
    if card == MEETING and meeting_weight(again, state.focus, state.hooked):
        return meeting_weight(again, state.focus, state.hooked)
    for word in range(MOST_WORDS):
        if t.MEANT[state.focus, word] == card:
            held = t.WEIGHT_FACTS[state.focus, word] & ~state.facts == 0
            return int(t.WEIGHTS[state.focus, word]) if held else 0
    return 0


@kernel
def add_thing(state, thing, by_card):
    """Add `thing` to the tale: it is told, its facts are true, it leads the context (C3.4)."""
    if not state.told[thing]:
        _count(state, thing, 1)
    state.told[thing] = 2 if by_card else max(1, int(state.told[thing]))
    state.told_at[thing] = state.sentences
    state.facts = (state.facts & ~t.CLEARS[thing]) | t.SETS[thing]
    for fact in range(t.NUM_FACTS):
        if (t.SETS[thing] >> fact) & 1:
            state.fact_at[fact] = state.sentences
    for place in range(s.MOST_HOOKS - 1, 0, -1):
        state.context[place] = state.context[place - 1]
    state.context[0] = thing


@kernel
def tell_words(state):
    """Add to the tale what a sentence in own words tells of besides its focus, and remember the tale before (O16)."""
    for place in range(state.also_count):
        thing = int(state.also[place])
        state.was_also_told[place], state.was_also_told_at[place] = state.told[thing], state.told_at[thing]
        add_thing(state, thing, False)


@kernel
def sense_of_words(state, thing, kind):
    """Return the sense of a sentence in own words about `thing`, whose further things have been told of (O16)."""
    if state.words == s.TELLING_ON:
        return RAMBLES if rambles(state, s.BRIDGE) else GOOD
    if state.words == s.NAMING or (state.also_count == 0 and is_listed(state, thing)):
        return LISTS
    if not is_met_in_words(state, t.NEEDS[thing]):
        return CONTRADICTS
    if rambles(state, s.BRIDGE if adds_new_thing(state) else kind):
        return RAMBLES
    return ABRUPT if tie_of(state, thing) == UNTIED else GOOD


@kernel
def adds_new_thing(state):
    """Return whether a sentence in own words tells of a new thing apart from its focus."""
    new = 0
    for place in range(state.also_count):
        new += state.was_also_told[place] == 0
    return new > 0


@kernel
def is_met_in_words(state, need):
    """Return whether the tale leaves a need open or meets it, before a sentence in own words or with it (O16.3).

    It denies trouble alone: as long as the last three things told of have set somebody free and no trouble is left.
    """
    if need != t.NEEDS_TROUBLE or (state.facts | state.was_facts) & _TROUBLE:
        return True
    freed = False
    for place in range(s.MOST_HOOKS):
        hook = state.was_context[place]
        if hook != t.NO_THING and t.SETS[hook] & _FREE:
            freed = True
    return not freed


@kernel
def lacks_need(state):
    """Return whether the tale denies what a thing needs that a sentence in own words also tells of (O16.3)."""
    lacks = 0
    for place in range(state.also_count):
        lacks += not is_met_in_words(state, t.NEEDS[state.also[place]])
    return lacks > 0


@kernel
def use_own_words(state, words):
    """Make the words of the next sentence, OWN, or forget those of the last one, OF_GAME."""
    if state.words != words and words == s.OF_GAME:
        state.heard[:] = 0
        state.also[:] = 0
        state.also_count = 0
        state.was_also_told[:] = 0
        state.was_also_told_at[:] = 0
    state.words = words


@kernel
def _count(state, thing, change):
    if t.GROUP[thing] == t.PERSON:
        state.people += change
    elif t.GROUP[thing] == t.OBJECT:
        state.objects += change


@kernel
def remember(state):
    """Save the tale before the sentence about `state.focus`."""
    state.was_told = state.told[state.focus]
    state.was_told_at = state.told_at[state.focus]
    state.was_facts = state.facts
    for fact in range(t.NUM_FACTS):
        state.was_fact_at[fact] = state.fact_at[fact]
    for place in range(s.MOST_HOOKS):
        state.was_context[place] = state.context[place]


@kernel
def take_back(state):
    """Restore the tale before the sentence about `state.focus` (C6.1)."""
    state.told[state.focus] = state.was_told
    state.told_at[state.focus] = state.was_told_at
    if not state.was_told:
        _count(state, state.focus, -1)
    for place in range(int(state.also_count) - 1, -1, -1):
        thing = int(state.also[place])
        if not state.was_also_told[place]:
            _count(state, thing, -1)
        state.told[thing], state.told_at[thing] = state.was_also_told[place], state.was_also_told_at[place]
    state.facts = state.was_facts
    for fact in range(t.NUM_FACTS):
        state.fact_at[fact] = state.was_fact_at[fact]
    for place in range(s.MOST_HOOKS):
        state.context[place] = state.was_context[place]


@kernel
def oldest_uncounted(state):
    """Return the latest sentence too old to count for an ending; only a strict judge has one (C9.3)."""
    judged = state.case == s.ON_ENDING  # the ending itself has been counted
    return int(state.sentences) - judged - s.RECENT if state.strictness == s.STRICT else -1


@kernel
def facts_that_count(state):
    """Return the facts, as bits, that are true and recent enough for an ending (C9.3)."""
    if state.strictness != s.STRICT:
        return state.facts
    facts, since = np.int64(0), oldest_uncounted(state)
    for fact in range(t.NUM_FACTS):
        if state.fact_at[fact] > since:
            facts |= state.facts & (np.int64(1) << fact)
    return facts


@kernel
def meets(state, ending, clause):
    """Return whether the tale meets a clause of an ending, by any of its facts and things (C9.3)."""
    return _meets_with(state, ending, clause, facts_that_count(state), t.NO_THING)


@kernel
def _meets_with(state, ending, clause, facts, thing):
    """Return whether a clause is met where `facts` count, and `thing` is told of now."""
    if t.CLAUSE_FACTS[ending, clause] & facts:
        return True
    since = oldest_uncounted(state)
    for place in range(MOST_THINGS):
        named = t.CLAUSE_THINGS[ending, clause, place]
        if named == t.NO_THING:
            break
        if named == thing or (state.told[named] and state.told_at[named] > since):
            return True
    return False


@kernel
def blocked(state, ending):
    """Return whether a fact is in the way of an ending (C9.3)."""
    return (t.BLOCKERS[ending] & state.facts) != 0


@kernel
def suits(ending, met, facts):
    """Return whether `met` clauses are enough for an ending when `facts` are true (C9.3)."""
    return met == t.CLAUSES[ending] and (t.BLOCKERS[ending] & facts) == 0


@kernel
def accepts(state, ending):
    """Return whether the judge accepts an ending (C9.3)."""
    met = 0
    for clause in range(t.CLAUSES[ending]):
        met += meets(state, ending, clause)
    return suits(ending, met, state.facts)


@kernel
def ending_progress(state, ending, facts, counted, thing):
    """Return how many halves of an ending are met where `counted` facts count and `thing` is told of now.

    One less if one of all the `facts` that hold bars it.
    """
    met = 0
    for clause in range(t.CLAUSES[ending]):
        met += _meets_with(state, ending, clause, counted, thing)
    return met * (MOST_CLAUSES // int(t.CLAUSES[ending])) - ((t.BLOCKERS[ending] & facts) != 0)
