"""Two scripted bots for *Érase una vez*: kernels from an observation, its mask and a stream to an action.

`simple` plays cards that make sense, otherwise links, makes certain claims, interrupts whenever it may, and ends once
its ending would be accepted.

`strong` plans its whole hand before each sentence (`plan.py`): it prefers sentences that others are unlikely to claim
or interrupt, works toward its ending, and weighs each reaction by the value of narrating.
"""

import numpy as np

from sobremesa.envs.core.blocks import NO_ACTION, any_of, empty
from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.bots import view as v
from sobremesa.envs.erase_una_vez.bots.plan import WEIGHTS, all_but, prospect, tell
from sobremesa.envs.erase_una_vez.bots.view import advance_tale, copy_tale, is_ready, makes_sense, read
from sobremesa.envs.erase_una_vez.decode import (
    SEEN,
    asked_of,
    decode,
    fits,
    sense_of,
    sentences_left,
    told_value,
    weight_of,
)
from sobremesa.envs.erase_una_vez.react import OPINION
from sobremesa.envs.erase_una_vez.tale import UPHELD

SURE = 0.745  # weight from which on a claim is right (C6.3)
_NEVER = -1e9

# Guessed, then tuned by an evolution strategy on the win rate at tables of 2, 3 and 5 seats against itself.
TUNED = np.zeros(2, WEIGHTS)  # the second when the tale is about to grow too long, and cards in hand will count
TUNED["win"] = 18.0
TUNED["unmet"] = 0.12
TUNED["prepare"] = 0.46
TUNED["abrupt"] = 0.3
TUNED["guard"] = 2.6
TUNED["lost"] = 0.05
TUNED["step"] = 0.01
TUNED["pass_on"] = -0.7
TUNED["danger"] = [2.9, 2.0, 0.8, 0.8]
TUNED["theirs"] = 1.2
TUNED["keep"] = 3.0
TUNED["win"][1], TUNED["keep"][1], TUNED["guard"][1], TUNED["step"][1] = 4.0, 0.0, 0.0, 0.5
_HURRY = 10  # sentences left from which on that is so


@kernel
def simple(observation, mask, stream):
    """Play, claim, interrupt and end by simple rules."""
    asked = asked_of(observation)
    if asked == s.REACT:
        return _claim_or_interrupt(observation, mask, stream)
    if asked == s.VOTE:
        return _vote(observation)
    if asked == s.PASSING:
        return _discard_senseless(observation, mask, stream)
    for slot in range(s.MOST_ENDINGS):
        if mask[s.A_END + slot] and fits(observation, slot):
            return s.A_END + slot
    if asked == s.HOOK:
        return s.A_HOOK if _has_tie(observation) or not mask[s.A_PASS] else s.A_PASS  # the latest
    return _tell_simple(observation, mask, stream)


@kernel
def _has_tie(observation):
    """Return whether a sentence about any thing ties to the tale."""
    most = 0.0
    for thing in range(t.NUM_THINGS):
        most = max(most, sense_of(observation, thing))
    return most > v.WHOLE_SENSE


@kernel
def _tell_simple(observation, mask, stream):
    """Play a card that makes sense, preferably one that ties to the tale; else tell of a thing whose card is laid."""
    chosen, count, least = NO_ACTION, 0, 0.0
    for card in range(t.NUM_ELEMENTS):
        if not mask[s.A_CARD + card] or not makes_sense(observation, card):
            continue
        sense = max(sense_of(observation, card), v.SENSIBLE)  # a card does not ramble
        count = count + 1 if sense == least else 1
        if sense > least or (sense == least and below(stream, count) == 0):
            chosen, least = s.A_CARD + card, sense
    if chosen != NO_ACTION:
        return chosen
    most = -1.0
    for thing in range(t.NUM_THINGS):
        if not mask[s.A_TELL + thing] or sense_of(observation, thing) < v.WHOLE_SENSE:
            continue
        worth = told_value(observation, thing)
        count = count + 1 if worth == most else 1
        if worth > most or (worth == most and below(stream, count) == 0):
            chosen, most = s.A_TELL + thing, worth
    if chosen != NO_ACTION:
        return chosen
    return s.A_PASS if mask[s.A_PASS] else any_of(mask, s.A_CARD, s.A_KEEP, stream)


@kernel
def _discard_senseless(observation, mask, stream):
    """Discard a card with the least sense now."""
    chosen, least, count = s.A_KEEP, 2.0, 0
    for card in range(t.NUM_ELEMENTS):
        if mask[s.A_DISCARD + card]:
            sense = sense_of(observation, card)
            count = count + 1 if sense == least else 1
            if sense < least or (sense == least and below(stream, count) == 0):
                chosen, least = s.A_DISCARD + card, sense
    return chosen


@kernel
def _claim_or_interrupt(observation, mask, stream):
    """Make a certain claim; else interrupt; else sometimes protest."""
    for card in range(t.NUM_ELEMENTS):
        if mask[s.A_CLAIM + card] and weight_of(observation, card) > SURE:
            return s.A_CLAIM + card
    action = any_of(mask, s.A_INTERRUPT, s.A_PROTEST, stream)
    if action != NO_ACTION:
        return action
    if mask[s.A_PROTEST] and below(stream, 2) == 0:
        return s.A_PROTEST
    return s.A_NOTHING


@kernel
def _vote(observation):
    seens = scratch(1, SEEN)
    empty(seens)
    decode(observation, seens[0])
    return judge(seens[0])


@kernel
def judge(seen):
    """Vote as the judge would."""
    if seen.case == s.ON_PROTEST:
        return s.A_YES if seen.sense < UPHELD else s.A_NO
    if seen.case == s.ON_CLAIM:
        return s.A_YES if seen.weight >= OPINION else s.A_NO
    return s.A_YES if seen.ended_well else s.A_NO


@kernel
def strong(observation, mask, stream):
    """Take the action of most worth."""
    return weigh(observation, mask, TUNED[int(sentences_left(observation) < _HURRY)])


@kernel
def claims(observation, mask, stream):
    """Play as `strong`, but make each claim that the judge would accept, the best one first."""
    best, most = NO_ACTION, (OPINION - 0.5) / 100
    if asked_of(observation) == s.REACT:
        for card in range(t.NUM_ELEMENTS):
            if mask[s.A_CLAIM + card] and weight_of(observation, card) > most:
                best, most = s.A_CLAIM + card, weight_of(observation, card)
    return best if best != NO_ACTION else strong(observation, mask, stream)


@kernel
def weigh(observation, mask, weights):
    """Take the action of most worth by `weights`."""
    views, tales, left = scratch(1, v.VIEW), scratch(2, v.TALE), scratch(t.NUM_ELEMENTS, np.uint8)
    empty(views)
    empty(tales)
    view = views[0]
    read(observation, view, tales[0])
    asked = view.asked
    if asked == s.VOTE:
        return judge(view)
    if asked == s.REACT:
        return _react(observation, view, tales, mask, left, weights)
    if asked == s.PASSING:
        return _discard(observation, view, tales[0], mask, weights)
    if asked == s.TELL:
        return tell(observation, view, tales, mask, left, weights)
    return _hook(observation, view, tales, mask, left, weights)


@kernel
def _hook(observation, view, tales, mask, left, weights):
    """Pass or end if planned; else choose the hook that is least likely to be claimed."""
    choices = scratch(s.NUM_ACTIONS, np.int8)
    for action in range(s.NUM_ACTIONS):
        choices[action] = mask[action]
    for place in range(view.count):
        choices[s.A_CARD + view.cards[place]] = view.free
    for thing in range(t.NUM_THINGS):
        choices[s.A_TELL + thing] = view.count > 0 or (view.told[thing] > 0 and view.links < s.MOST_LINKS)
    action = tell(observation, view, tales, choices, left, weights)
    if mask[action]:
        return action
    best, least = NO_ACTION, 2.0
    for place in range(s.MOST_HOOKS):
        if mask[s.A_HOOK + place]:
            hook = tales[0].context[place]
            risk = view.likely[hook] if hook < t.NUM_ELEMENTS else 0.0
            if risk < least:
                best, least = s.A_HOOK + place, risk
    return best


@kernel
def _react(observation, view, tales, mask, left, weights):
    """Claim, interrupt or protest if that is worth more than silence."""
    theirs = weights.theirs / (view.seats - 1)
    held = view.hand_size[view.narrator]
    gain = theirs + (weights.danger[held] if held < len(weights.danger) else 0.0)
    best, most = s.A_NOTHING, 0.0
    for place in range(view.count):
        card = view.cards[place]
        number = int(t.INTERRUPTION[card])
        if mask[s.A_CLAIM + card] and weight_of(observation, card) > SURE:
            value = _claim_worth(view, tales, left, place, gain, weights)
            if value > most:
                best, most = s.A_CLAIM + card, value
        if number < t.NUM_INTERRUPTIONS and mask[s.A_INTERRUPT + number]:
            copy_tale(tales[0], tales[1])
            left_over = all_but(view, left, place)
            value = 1 + gain - weights.keep + prospect(view, tales[1], left, left_over, weights)
            if value > most:
                best, most = s.A_INTERRUPT + number, value
    if mask[s.A_PROTEST] and view.sense < UPHELD:
        value = theirs + gain  # his card goes back, and he draws one
        if view.narrator == view.seats - 1:  # I am on his left
            copy_tale(tales[0], tales[1])
            value += prospect(view, tales[1], left, all_but(view, left, view.count), weights)
        if value > most:
            best = s.A_PROTEST
    return best


@kernel
def _claim_worth(view, tales, left, place, gain, weights):
    """Return the value of a certain claim: narrating with one card less."""
    card = view.cards[place]
    copy_tale(tales[0], tales[1])
    advance_tale(view, tales[1], card, view.gives[place])
    value = 1 + gain + prospect(view, tales[1], left, all_but(view, left, place), weights)
    return value - (weights.guard if t.INTERRUPTION[card] < t.NUM_INTERRUPTIONS else 0.0)


@kernel
def _discard(observation, view, tale, mask, weights):
    """Discard the card that is hardest to tell of."""
    best, least = s.A_KEEP, -_NEVER
    for place in range(view.count):
        card = view.cards[place]
        if not mask[s.A_DISCARD + card]:
            continue
        worth = view.safe[place] + is_ready(tale, card)
        if t.INTERRUPTION[card] < t.NUM_INTERRUPTIONS:
            worth += weights.keep
        if worth < least:
            best, least = s.A_DISCARD + card, worth
    return best
