"""Scripted bots for *Bandido Alcatraz*: kernels from an observation, its mask and a stream to an action.

`simple` gathers needed cards, covers water when it can, and otherwise lays the card that closes most open ends and
opens fewest. It does not close the last end before victory is possible.

`strong` rates every way to play every card by the odds of an escape afterwards (`value.worth`), in both decisions of a
turn, so that they agree.
"""

from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz.bots.cells import MOST_CELLS, NUM_WHOLE, PER_CELL, describe
from sobremesa.envs.bandido_alcatraz.bots.network import NETWORK, map_network
from sobremesa.envs.bandido_alcatraz.bots.plan import (
    CHOICES,
    GATHER,
    MOST_CHOICES,
    best_choice,
    list_choices,
    odds_of,
    weigh_choice,
)
from sobremesa.envs.bandido_alcatraz.bots.value import HOLDING, NUM_WEIGHED
from sobremesa.envs.bandido_alcatraz.bots.view import STEP, VIEW, WIDE, read
from sobremesa.envs.bandido_alcatraz.bots.ways import WAYS, halves, list_ways, way_action
from sobremesa.envs.bandido_alcatraz.bots.weights import TUNED, UNITS
from sobremesa.envs.bandido_alcatraz.cards import EXIT_KIND, PICTURE, RAINCOAT
from sobremesa.envs.bandido_alcatraz.observe import WET
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_SIGNAL, BIG_HAND, HOW, NUM_SIGNALS, SILENCE
from sobremesa.envs.core.agent import Afterstates
from sobremesa.envs.core.blocks import empty
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch

_NEVER = -1e9
_PLACES = WIDE * WIDE
# What is worth how much to `simple`, in open ends: a flood covered, one laid, a new end that meets another, that leads
# to where no card can go on.
_COVERED, _LEFT_WET, _MEETS, _STUCK = 6.0, -2.0, 0.8, -5.0
_CLOSES, _JOINS, _COVERS, _COAT, _ROPE, _NOTHING = range(1, NUM_SIGNALS)  # what can be said (O4)


@kernel
def simple(observation, mask, stream):
    """Gather; else cover water, close most, open least."""
    if mask[A_SIGNAL]:
        return A_SIGNAL + SILENCE
    for slot in range(BIG_HAND):
        if mask[A_GATHER + slot]:
            return A_GATHER + slot
    views, lists = scratch(1, VIEW), scratch(1, WAYS)
    empty(views)
    view, ways = views[0], lists[0].rows
    read(observation, view)
    best, most = -1, _NEVER
    for number in range(list_ways(view, mask, ways)):
        gain = _gain(view, ways[number])
        if gain > most:
            best, most = number, gain
    return _first_legal(mask) if best < 0 else way_action(view, ways[best])


@kernel
def _first_legal(mask):
    """Return the first legal action, for states outside the bots' view."""
    action = 0
    while not mask[action]:
        action += 1
    return action


@kernel
def closed_by(view, way):
    """Return the ends closed minus those opened by a way to lay a card, and the floods covered, and laid."""
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
def _rate_open_ends(view, way):
    """Return `simple`'s rating of the ends that a way opens: some meet others, some are dead ends."""
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
    """Return `simple`'s rating of a way to lay a card."""
    closed, covered, laid = closed_by(view, way)
    has_exit = view.exit_laid or view.hand[way[1]] == EXIT_KIND
    ready = view.coats_needed + view.ropes_needed + view.floods - covered + laid == 0 and has_exit
    if closed == view.ends and not ready:
        return _NEVER / 2
    return closed + _COVERED * covered + _LEFT_WET * laid + _rate_open_ends(view, way)


@kernel
def strong(observation, mask, stream):
    """Return the best choice by value."""
    return weigh_all(observation, mask, TUNED)


@kernel
def _survey_all(observation, views, networks):
    """Fill `views` `(1,)`, and the first of `networks` `(2,)`."""
    empty(views)
    empty(networks)
    read(observation, views[0])
    map_network(views[0], networks[0])


@kernel
def strong_outlook(observation, mask):
    """Return `strong`'s probability of an escape after the best choice."""
    views, networks, holdings, lists = scratch(1, VIEW), scratch(2, NETWORK), scratch(1, HOLDING), scratch(1, CHOICES)
    view, hand, choices = views[0], holdings[0], lists[0].rows
    _survey_all(observation, views, networks)
    count = list_choices(view, mask, choices)
    best = best_choice(view, choices, count, networks, hand, TUNED)
    if best < 0:
        return 0.0
    features, units = scratch(NUM_WEIGHED, np.float64), scratch(UNITS, np.float64)
    odds = odds_of(view, choices[best], networks, hand, TUNED, features, units)
    return 1 / (1 + np.exp(-max(-50.0, min(50.0, odds))))


def _looking(size: int, add: Any) -> Any:
    """Return a kernel that lists choices (`Afterstates.look`), `size` features and those of the kernel `add` each."""

    @kernel
    def look(observation, mask, actions, features, settled, whole):
        views, networks, holdings = scratch(1, VIEW), scratch(2, NETWORK), scratch(1, HOLDING)
        lists, marks = scratch(1, CHOICES), scratch(_PLACES, np.uint8)
        view, choices, count, hand = views[0], lists[0].rows, 0, holdings[0]
        marks[:] = 0
        _survey_all(observation, views, networks)
        for number in range(list_choices(view, mask, choices)):
            action = _begin(view, choices[number])
            if mask[action]:  # of cards alike only the first is to be gathered; when asked for a signal, none
                odds = weigh_choice(view, choices[number], networks, hand, features[count, :size])
                add(view, choices[number], networks, hand, marks, features[count, size:])
                settled[count] = (odds > 0) - (odds < 0)
                actions[count] = action
                whole[count] = choices[number, 0] == GATHER or view.asked == HOW
                count += 1
        return count

    return look


@kernel
def _add_nothing(view, choice, networks, hand, marks, out):
    pass


strong_afterstates = Afterstates(NUM_WEIGHED, MOST_CHOICES, _looking(NUM_WEIGHED, _add_nothing))
strong_cells = Afterstates(
    NUM_WEIGHED + NUM_WHOLE + MOST_CELLS * PER_CELL,
    MOST_CHOICES,
    _looking(NUM_WEIGHED, describe),
    (MOST_CELLS, PER_CELL),
)


@kernel
def _begin(view, choice):
    """Return the action that begins a choice."""
    return A_GATHER + choice[1] if choice[0] == GATHER else way_action(view, choice)


@kernel
def weigh_all(observation, mask, weights):
    """Return the best choice by `weights` (see `value.worth`)."""
    views, networks, holdings, lists = scratch(1, VIEW), scratch(2, NETWORK), scratch(1, HOLDING), scratch(1, CHOICES)
    view, choices = views[0], lists[0].rows
    _survey_all(observation, views, networks)
    count = list_choices(view, mask, choices)
    best = best_choice(view, choices, count, networks, holdings[0], weights)
    if mask[A_SIGNAL]:
        return A_SIGNAL + (_NOTHING if best < 0 else _signal_for(view, choices[best]))
    if best < 0:
        return _first_legal(mask)
    return _begin(view, choices[best])


@kernel
def _signal_for(view, choice):
    """Return the signal for the planned choice."""
    if choice[0] == GATHER:
        return _COAT if PICTURE[view.hand[choice[1]]] == RAINCOAT else _ROPE
    closed, covered, _ = closed_by(view, choice)
    if covered:
        return _COVERS
    if closed >= 2:
        return _JOINS
    return _CLOSES if closed == 1 else _NOTHING
