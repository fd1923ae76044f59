"""Scripted bots for *Bandido Alcatraz*: kernels from an observation, its mask and a stream to an action.

`simple` gathers what is needed, covers water when it can, and else lays the card that closes most open ends and opens
fewest. It does not close the last end before all is ready.

`strong` weighs every way to play every card by the odds of an escape afterwards (`value.worth`), both when it says
where and when it says how, so that it does what it had in mind.
"""

import numpy as np

from sobremesa.agents.scripted.bandido_alcatraz.network import NETWORK, map_network
from sobremesa.agents.scripted.bandido_alcatraz.plan import (
    GATHER,
    MOST_CHOICES,
    best_choice,
    list_choices,
    odds_of,
    weigh_choice,
)
from sobremesa.agents.scripted.bandido_alcatraz.value import HOLDING, NUM_WEIGHED
from sobremesa.agents.scripted.bandido_alcatraz.view import STEP, VIEW, read
from sobremesa.agents.scripted.bandido_alcatraz.ways import MOST_WAYS, halves, list_ways, way_action
from sobremesa.agents.scripted.bandido_alcatraz.weights import TUNED
from sobremesa.envs.bandido_alcatraz.cards import EXIT_KIND, PICTURE, RAINCOAT
from sobremesa.envs.bandido_alcatraz.observe import WET
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_SIGNAL, BIG_HAND, HOW, NUM_SIGNALS, SILENCE
from sobremesa.envs.core.agent import Afterstates
from sobremesa.envs.core.compile.kernel import kernel

_NEVER = -1e9
# What is worth how much to `simple`, in open ends: a flood covered, one laid, a new end that meets another, that leads
# to where no card can go on.
_COVERED, _LEFT_WET, _MEETS, _STUCK = 6.0, -2.0, 0.8, -5.0
_CLOSES, _JOINS, _COVERS, _COAT, _ROPE, _NOTHING = range(1, NUM_SIGNALS)  # what can be said (O4)


@kernel
def simple(observation, mask, stream):
    """Gather; else cover water, close most, open least."""
    return _dig_simply(observation, mask, np.zeros(1, VIEW), np.empty((MOST_WAYS, 3), np.int64))


@kernel
def _dig_simply(observation, mask, views, ways):
    """Do so with the view in `views` `(1,)`: a record keeps no array alive, so the caller has to hold on to it."""
    if mask[A_SIGNAL]:
        return A_SIGNAL + SILENCE
    for slot in range(BIG_HAND):
        if mask[A_GATHER + slot]:
            return A_GATHER + slot
    view = views[0]
    read(observation, view)
    best, most = -1, _NEVER
    for number in range(list_ways(view, mask, ways)):
        gain = _gain(view, ways[number])
        if gain > most:
            best, most = number, gain
    return _first_legal(mask) if best < 0 else way_action(view, ways[best])


@kernel
def _first_legal(mask):
    """Return the first legal action, for what the bots cannot see."""
    action = 0
    while not mask[action]:
        action += 1
    return action


@kernel
def closed_by(view, way):
    """Return how many more ends a way to lay a card closes than it opens, and how many floods it covers, and lays."""
    grid, one = view.grid, view.at[way[0]]
    here, there, step = halves(view.hand[way[1]], way[2])
    closed, covered, laid = 0, 0, 0
    for half in range(2):
        cell, shown = (one + step, there) if half else (one, here)
        wet = grid[cell] != 0  # its own ends were there before, but that to the other half
        closed += wet
        covered += wet
        laid += (shown & WET) > 0
        for side in range(4):
            beyond = cell + STEP[side]
            if not wet and shown >> side & 1 and beyond != one and beyond != one + step:
                closed += 1 if grid[beyond] else -1
    return closed, covered, laid


@kernel
def _hopes(view, way):
    """Return what `simple` hopes for from the ends that a way opens: some meet others, some lead nowhere."""
    grid, one = view.grid, view.at[way[0]]
    here, there, step = halves(view.hand[way[1]], way[2])
    hopes = 0.0
    for half in range(2):
        cell, shown = (one + step, there) if half else (one, here)
        for side in range(4):
            beyond = cell + STEP[side]
            if shown >> side & 1 == 0 or grid[beyond] or beyond == one or beyond == one + step:
                continue
            room = 0
            for other in range(4):
                beside = beyond + STEP[other]
                room += grid[beside] == 0 and beside != one and beside != one + step
                hopes += _MEETS * (grid[beside] >> (other + 2) % 4 & 1)
            hopes += _STUCK * (room == 0)
    return hopes


@kernel
def _gain(view, way):
    """Return what `simple` thinks of a way to lay a card."""
    closed, covered, laid = closed_by(view, way)
    has_exit = view.exit_laid or view.hand[way[1]] == EXIT_KIND
    ready = view.coats_needed + view.ropes_needed + view.floods - covered + laid == 0 and has_exit
    if closed == view.ends and not ready:
        return _NEVER / 2
    return closed + _COVERED * covered + _LEFT_WET * laid + _hopes(view, way)


@kernel
def strong(observation, mask, stream):
    """Take the choice of most worth."""
    return weigh_all(observation, mask, TUNED)


@kernel
def strong_outlook(observation, mask):
    """Return how likely `strong` thinks an escape, 0 to 1, once the best choice has been made."""
    choices = np.empty((MOST_CHOICES, 3), np.int64)
    return _look_out(observation, mask, np.zeros(1, VIEW), np.zeros(2, NETWORK), np.zeros(1, HOLDING), choices)


@kernel
def _look_out(observation, mask, views, networks, holdings, choices):
    view, hand = views[0], holdings[0]
    read(observation, view)
    map_network(view, networks[0])
    count = list_choices(view, mask, choices)
    best = best_choice(view, choices, count, networks, hand, TUNED)
    if best < 0:
        return 0.0
    features, units = np.empty(NUM_WEIGHED), np.empty(TUNED.shape[1])
    odds = odds_of(view, choices[best], networks, hand, TUNED, features, units)
    return 1 / (1 + np.exp(-max(-50.0, min(50.0, odds))))


@kernel
def _look(observation, mask, actions, features, settled, whole):
    choices = np.empty((MOST_CHOICES, 3), np.int64)
    networks, holdings = np.zeros(2, NETWORK), np.zeros(1, HOLDING)
    return _leave(observation, mask, np.zeros(1, VIEW), networks, holdings, choices, actions, features, settled, whole)


@kernel
def _leave(observation, mask, views, networks, holdings, choices, actions, features, settled, whole):
    view = views[0]
    read(observation, view)
    map_network(view, networks[0])
    count = 0
    for number in range(list_choices(view, mask, choices)):
        action = _begin(view, choices[number])
        if mask[action]:  # of cards alike only the first is to be gathered; when asked for a signal, none
            odds = weigh_choice(view, choices[number], networks, holdings[0], features[count])
            settled[count] = (odds > 0) - (odds < 0)
            actions[count] = action
            whole[count] = choices[number, 0] == GATHER or view.asked == HOW
            count += 1
    return count


strong_afterstates = Afterstates(NUM_WEIGHED, MOST_CHOICES, _look)


@kernel
def _begin(view, choice):
    """Return the action that begins a choice."""
    return A_GATHER + choice[1] if choice[0] == GATHER else way_action(view, choice)


@kernel
def weigh_all(observation, mask, weights):
    """Take the choice of most worth by `weights`, as `value.worth` takes them."""
    choices = np.empty((MOST_CHOICES, 3), np.int64)
    return _choose(observation, mask, np.zeros(1, VIEW), np.zeros(2, NETWORK), np.zeros(1, HOLDING), choices, weights)


@kernel
def _choose(observation, mask, views, networks, holdings, choices, weights):
    view = views[0]
    read(observation, view)
    map_network(view, networks[0])
    count = list_choices(view, mask, choices)
    best = best_choice(view, choices, count, networks, holdings[0], weights)
    if mask[A_SIGNAL]:
        return A_SIGNAL + (_NOTHING if best < 0 else _what_to_say(view, choices[best]))
    if best < 0:
        return _first_legal(mask)
    return _begin(view, choices[best])


@kernel
def _what_to_say(view, choice):
    """Return the signal for what I am about to do."""
    if choice[0] == GATHER:
        return _COAT if PICTURE[view.hand[choice[1]]] == RAINCOAT else _ROPE
    closed, covered, _ = closed_by(view, choice)
    if covered:
        return _COVERS
    if closed >= 2:
        return _JOINS
    return _CLOSES if closed == 1 else _NOTHING
