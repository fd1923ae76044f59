"""View of the strong bot of *Érase una vez*: likely cards of others, and simulated tales."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.erase_una_vez import tables as t
from sobremesa.envs.erase_una_vez.decode import NOT_SEEN, SEEN, decode, sense_of, unclaimed_probability
from sobremesa.envs.erase_una_vez.mentions import MEETING, meeting_weight, names_hook
from sobremesa.envs.erase_una_vez.state import MAX_SEATS, MOST_ENDINGS, MOST_HOOKS, TABLE
from sobremesa.envs.erase_una_vez.table_files import GROUPS, MOST_CLAUSES, MOST_THINGS
from sobremesa.envs.erase_una_vez.tale import ANY_ANIMAL, is_met

SENSIBLE = 0.5  # sense from here on is no nonsense (C5.4)
WHOLE_SENSE = 0.95  # and from here on the sentence ties to the tale (C4.4)
_RAMBLING_LOW, _RAMBLING_HIGH = 0.25, 0.35  # a sentence that only rambles makes full sense with a card

# The tale as it is, or as it would be some sentences on.
TALE = with_attributes(
    [
        ("context", np.int64, MOST_HOOKS),  # NO_THING where there is none
        ("facts", np.int64),
        ("people", np.int64),
        ("objects", np.int64),
        ("animal", np.int64),  # 1 once the concept of an animal has been told of
        ("met", np.int64),  # clauses of my endings, a bit each
    ]
)

# What is seen, and what that means.
VIEW = with_attributes(
    [
        *SEEN.descr,
        ("free", np.int64),  # 1 unless a sentence without a card has to come before the next card
        ("cards", np.int64, t.NUM_ELEMENTS),  # mine
        ("count", np.int64),
        ("likely", np.float64, t.NUM_ELEMENTS),  # chance that another hand holds a card
        ("break_in", np.float64, len(GROUPS)),  # chance that another hand holds an interruption of a group
        ("safe", np.float64, t.NUM_ELEMENTS),  # chance to keep the floor after each card of `cards`
        ("gives", np.int64, t.NUM_ELEMENTS),  # clauses of my endings that each card of `cards` meets, a bit each
    ]
)


@kernel
def read(observation, view, tale):
    """Fill `view` and `tale`, given as zeros, from an observation made when I am asked."""
    decode(observation, view)
    view.free = not view.played or view.idle >= view.between_cards
    _copy_context(view, tale)
    tale.facts, tale.met = view.facts, view.met
    tale.animal = view.told[ANY_ANIMAL] > 0
    for thing in range(t.NUM_THINGS):
        if view.told[thing]:
            tale.people += t.GROUP[thing] == t.PERSON
            tale.objects += t.GROUP[thing] == t.OBJECT
    _weigh_cards(observation, view)


@kernel
def _weigh_cards(observation, view):
    """Sort out my cards, and how likely others have the rest."""
    unseen, hidden = 0, 0
    for seat in range(1, view.seats):
        hidden += view.hand_size[seat]
    for card in range(t.NUM_ELEMENTS):
        where = view.where[card]
        if where == 0:
            view.cards[view.count] = card
            view.gives[view.count] = gives(view, card)
            view.count += 1
        elif where == NOT_SEEN:
            unseen += 1
        elif where < MAX_SEATS:
            view.likely[card] = 1.0
            hidden -= 1
    share = hidden / unseen if unseen else 0.0
    for card in range(t.NUM_ELEMENTS):
        if view.where[card] == NOT_SEEN:
            view.likely[card] = share
    for number in range(t.NUM_INTERRUPTIONS):
        card = t.INTERRUPTIONS[number]
        group = t.GROUP[card]
        view.break_in[group] = 1 - (1 - view.break_in[group]) * (1 - view.likely[card])
    for place in range(view.count):
        card = view.cards[place]
        view.safe[place] = (1 - view.break_in[t.GROUP[card]]) * unclaimed_probability(observation, card)


@kernel
def makes_sense(observation, card):
    """Return whether playing `card` would be no nonsense: with a card a narrator never rambles (C4.3)."""
    sense = sense_of(observation, card)
    return sense > SENSIBLE or _RAMBLING_LOW < sense < _RAMBLING_HIGH


@kernel
def gives(view, thing):
    """Return which clauses of my endings telling of `thing` meets, a bit each."""
    found = 0
    for slot in range(MOST_ENDINGS):
        ending = view.ending[slot]
        if ending == t.NO_ENDING:
            continue
        for clause in range(t.CLAUSES[ending]):
            gives_it = (t.CLAUSE_FACTS[ending, clause] & t.SETS[thing]) != 0
            for place in range(MOST_THINGS):
                gives_it = gives_it or t.CLAUSE_THINGS[ending, clause, place] == thing
            if gives_it:
                found |= 1 << (slot * MOST_CLAUSES + clause)
    return found


@kernel
def lacks(view, tale, slot):
    """Return the number of clauses that the ending in `slot` lacks, and one more if it is barred (C9.3)."""
    ending = view.ending[slot]
    if ending == t.NO_ENDING:
        return MOST_CLAUSES + 1
    lacking = int((t.BLOCKERS[ending] & tale.facts) != 0)
    for clause in range(t.CLAUSES[ending]):
        lacking += not (tale.met >> (slot * MOST_CLAUSES + clause)) & 1
    return lacking


@kernel
def accepted(view, tale):
    """Return which of my endings the judge would take, MOST_ENDINGS if none (C9.3)."""
    for slot in range(MOST_ENDINGS):
        if lacks(view, tale, slot) == 0:
            return slot
    return MOST_ENDINGS


@kernel
def _copy_context(source, target):
    for place in range(MOST_HOOKS):
        target.context[place] = source.context[place]


@kernel
def copy_tale(source, target):
    """Copy the tale `source` into `target`."""
    _copy_context(source, target)
    target.facts, target.met = source.facts, source.met
    target.people, target.objects, target.animal = source.people, source.objects, source.animal


@kernel
def advance_tale(view, tale, thing, given):
    """Have the tale continue with `thing`, which meets the clauses `given`."""
    if not view.told[thing]:
        tale.people += t.GROUP[thing] == t.PERSON
        tale.objects += t.GROUP[thing] == t.OBJECT
    if thing == ANY_ANIMAL:
        tale.animal = 1
    lost = tale.facts & t.CLEARS[thing]
    tale.facts = (tale.facts & ~t.CLEARS[thing]) | t.SETS[thing]
    if lost:
        _lose(view, tale, lost)
    tale.met |= given
    for place in range(MOST_HOOKS - 1, 0, -1):
        tale.context[place] = tale.context[place - 1]
    tale.context[0] = thing


@kernel
def _lose(view, tale, lost):
    """Take away the clauses that stood on the facts `lost` alone."""
    for slot in range(MOST_ENDINGS):
        ending = view.ending[slot]
        if ending == t.NO_ENDING:
            continue
        for clause in range(t.CLAUSES[ending]):
            facts = t.CLAUSE_FACTS[ending, clause]
            held = not facts & lost or (facts & tale.facts) != 0
            for place in range(MOST_THINGS):
                thing = t.CLAUSE_THINGS[ending, clause, place]
                held = held or (thing != t.NO_THING and view.told[thing] > 0)
            if not held:
                tale.met &= ~(1 << (slot * MOST_CLAUSES + clause))


@kernel
def is_ready(tale, thing):
    """Return whether the tale has what `thing` needs in order to be told of (C4.1)."""
    return is_met(t.NEEDS[thing], tale.people, tale.objects, tale.context[0], tale.facts, tale.animal)


@kernel
def hook_safety(view, tale, thing):
    """Return the probability that no other claims the default hook of a sentence about `thing`, or a meeting (C5.2)."""
    chosen, most = t.NO_THING, -1
    for place in range(MOST_HOOKS):
        hook = tale.context[place]
        if hook == t.NO_THING:
            continue
        worth = 0
        if hook != thing and t.LINKED[hook, thing]:
            worth = 2 if hook >= t.NUM_ELEMENTS or view.where[hook] == TABLE else 1
        if worth > most:
            chosen, most = hook, worth
    again = int(view.told[thing] > 0)
    safety = 1 - view.likely[MEETING] * meeting_weight(again, thing, chosen) / 100
    if chosen < t.NUM_ELEMENTS and names_hook(again, thing, chosen):
        safety *= 1 - view.likely[chosen]
    return safety
