"""Value of narrating for the strong bot of *Érase una vez*, and its choice of sentences.

Values are in cards played. `prospect` simulates playing the rest of the hand, the safest card first, and adds up the
probabilities of still narrating; an accepted ending is worth some cards more.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.erase_una_vez import tables as t
from sobremesa.envs.erase_una_vez.bots import view as v
from sobremesa.envs.erase_una_vez.decode import sense_of, unclaimed_probability
from sobremesa.envs.erase_una_vez.state import A_CARD, A_END, A_PASS, A_TELL, MOST_ENDINGS
from sobremesa.envs.erase_una_vez.table_files import MOST_CLAUSES

WEIGHTS = with_attributes(
    [
        ("win", np.float64),  # to have told all cards with an ending that will be accepted
        ("unmet", np.float64),  # what of that is left for each clause that the ending lacks
        ("prepare", np.float64),  # chance to find a way to a card for which the tale lacks something
        ("abrupt", np.float64),  # what it costs to tell of what does not tie to the tale
        ("guard", np.float64),  # what it costs to play an interruption as an ordinary card
        ("lost", np.float64),  # what it costs to lose the floor without having played a card
        ("step", np.float64),  # what a sentence without a card costs
        ("pass_on", np.float64),  # to pass and change the worst card
        ("danger", np.float64, 4),  # to stop a narrator with none, 1, 2, 3 cards
        ("theirs", np.float64),  # a card more in one other hand of two seats
        ("keep", np.float64),  # to keep an interruption for another time
    ]
)

_TRIED = 8  # things whose prospects are looked into
_FITTING = 2.0  # of what helps, that it makes an ending fit; what all cards need is 1
_SAFE_ENOUGH = 0.3  # chance that nobody claims it, for a thing to be aimed at
_NEVER = -1e9


@kernel
def prospect(view, tale, left, count, weights):
    """Return the value of narrating with the `count` cards `left`; overwrites `tale` and `left`."""
    alive, worth = 1.0, 0.0
    for _ in range(count):
        best, most, chance = 0, _NEVER, 0.0
        for place in range(view.count):
            if not left[place]:
                continue
            card = view.cards[place]
            likely = view.safe[place]
            if not v.is_ready(tale, card):
                likely *= weights.prepare
            value = likely - (weights.guard if t.INTERRUPTION[card] < t.NUM_INTERRUPTIONS else 0.0)
            if value > most:
                best, most, chance = place, value, likely
        alive *= chance
        worth += alive
        left[best] = 0
        v.advance_tale(view, tale, view.cards[best], view.gives[best])
    lacking = MOST_CLAUSES + 1
    for slot in range(MOST_ENDINGS):
        lacking = min(lacking, v.lacks(view, tale, slot))
    return worth + alive * weights.win * weights.unmet**lacking


@kernel
def all_but(view, left, place):
    """Write all my cards except the one at `place` into `left`; return their number."""
    left[: view.count] = 1
    if place < view.count:
        left[place] = 0
        return view.count - 1
    return view.count


@kernel
def tell(observation, view, tales, mask, left, weights):
    """Return the action of a narrator; `tales` `(2,)` has the tale and room for another."""
    if view.count == 0:
        return _close(observation, view, tales, mask)
    aims = scratch(t.NUM_THINGS, np.uint8)
    aims[:] = 0
    if v.accepted(view, tales[0]) == MOST_ENDINGS:
        _aim(observation, view, tales[0], aims)
    best, most, ranked = A_PASS, weights.pass_on, _NEVER
    if not mask[A_PASS]:  # after a hook
        best, most = A_TELL + tales[0].context[0], _NEVER
    for place in range(view.count):
        card = view.cards[place]
        if mask[A_CARD + card] and v.makes_sense(observation, card):
            value = _card_worth(view, tales, left, place, weights)
            rank = value - (weights.guard if t.INTERRUPTION[card] < t.NUM_INTERRUPTIONS else 0.0)
            rank -= weights.abrupt * (sense_of(observation, card) < v.WHOLE_SENSE)
            if rank > ranked and (value > weights.pass_on or not mask[A_PASS]):
                best, most, ranked = A_CARD + card, value, rank
    if best < A_TELL and v.accepted(view, tales[0]) < MOST_ENDINGS:
        return best
    return _bridge(observation, view, tales, mask, left, aims, best, most, weights)


@kernel
def _card_worth(view, tales, left, place, weights):
    """Return the value of playing a card now."""
    card = view.cards[place]
    chance = view.safe[place] * v.hook_safety(view, tales[0], card)
    v.copy_tale(tales[0], tales[1])
    v.advance_tale(view, tales[1], card, view.gives[place])
    return chance * (1 + prospect(view, tales[1], left, all_but(view, left, place), weights))


@kernel
def _bridge(observation, view, tales, mask, left, aims, best, most, weights):
    """Return a sentence without a card if it is worth more than `most`; else `best`."""
    tried, hopes = scratch(_TRIED, np.int64), scratch(_TRIED, np.float64)
    tried[:] = 0
    hopes[:] = _NEVER
    for thing in range(t.NUM_THINGS):
        if not mask[A_TELL + thing] or sense_of(observation, thing) < v.SENSIBLE:
            continue
        chance = unclaimed_probability(observation, thing)
        hope = chance * (1 + _helps(view, tales, aims, thing))
        if hope > hopes[_TRIED - 1]:
            _insert(tried, hopes, thing, hope)
    for rank in range(_TRIED):
        if hopes[rank] == _NEVER:
            break
        thing = tried[rank]
        chance = unclaimed_probability(observation, thing) * v.hook_safety(view, tales[0], thing)
        v.copy_tale(tales[0], tales[1])
        v.advance_tale(view, tales[1], thing, v.gives(view, thing))
        value = chance * prospect(view, tales[1], left, all_but(view, left, view.count), weights)
        value -= (1 - chance) * weights.lost + weights.step
        value -= weights.abrupt * (sense_of(observation, thing) < v.WHOLE_SENSE)
        if value > most:
            best, most = A_TELL + thing, value
    return best


@kernel
def _aim(observation, view, tale, aims):
    """Mark the things in `aims` `(NUM_THINGS,)` that help an ending to fit: a clause met, a blocker lifted."""
    blockers = 0
    for slot in range(MOST_ENDINGS):
        if view.ending[slot] != t.NO_ENDING:
            blockers |= t.BLOCKERS[view.ending[slot]] & tale.facts
    for thing in range(t.NUM_THINGS):
        if v.gives(view, thing) & ~tale.met or t.CLEARS[thing] & blockers:
            aims[thing] = v.is_ready(tale, thing) and unclaimed_probability(observation, thing) > _SAFE_ENOUGH


@kernel
def _helps(view, tales, aims, thing):
    """Return the benefit of telling of `thing`: my cards that need it, and a fitting ending."""
    found, tale = 0.0, tales[0]
    for place in range(view.count):
        card = view.cards[place]
        if not v.is_ready(tale, card):
            v.copy_tale(tale, tales[1])
            v.advance_tale(view, tales[1], thing, 0)
            found += v.is_ready(tales[1], card)
    return found / view.count + _FITTING * aims[thing]


@kernel
def _insert(tried, hopes, thing, hope):
    """Put `thing` among the best, in order of their hopes."""
    rank = _TRIED - 1
    while rank > 0 and hopes[rank - 1] < hope:
        tried[rank], hopes[rank] = tried[rank - 1], hopes[rank - 1]
        rank -= 1
    tried[rank], hopes[rank] = thing, hope


@kernel
def _close(observation, view, tales, mask):
    """Return the action without cards: end if the ending fits, else work toward it, else end anyway.

    To be refused costs a card, as passing does, but brings another ending.
    """
    slot = v.accepted(view, tales[0])
    if slot < MOST_ENDINGS and mask[A_END + slot]:
        return A_END + slot
    best, most = A_PASS, 0.0
    for thing in range(t.NUM_THINGS):
        if not mask[A_TELL + thing] or sense_of(observation, thing) < v.SENSIBLE:
            continue
        v.copy_tale(tales[0], tales[1])
        v.advance_tale(view, tales[1], thing, v.gives(view, thing))
        chance = unclaimed_probability(observation, thing) * v.hook_safety(view, tales[0], thing)
        if v.accepted(view, tales[1]) < MOST_ENDINGS and chance > most:
            best, most = A_TELL + thing, chance
    if most == 0.0 and mask[A_END]:
        return A_END
    if best == A_PASS and not mask[A_PASS]:
        return A_TELL + int(tales[0].context[0])
    return best
