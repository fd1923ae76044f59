"""An exhaustive search of the pursuit around the ring (H3 of *Estafado*) with the compiled rules.

Rounds are driven through real states: the fox's step is one card, or the one that brings a water dive from his hand;
the bear stays, and the crow's looks and swaps are arbitrary. The search state is the eagle's distance ahead of
the crow, its right to move two spaces, and the dive in hand.
"""

from functools import cache

import numpy as np
from estafado_tables import CROW, FOX, GAME, asked, choices, held, space, table, won

from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.estafado.board import CELL_NAMES

RING = 20
CAUGHT = "caught"
_PLAY = table_kernels(GAME).step


def gap(states):
    """Return the number of spaces clockwise from crow to eagle."""
    return int(states[0].eagle - states[0].crow) % RING


def place(stage, ahead, double, dive):
    """Return a table with the eagle `ahead` spaces, where the fox (`move`) or the eagle (`eagle`) is asked."""
    states = _table(stage, bool(dive)).copy()
    states[0].eagle = (space("Sc") + ahead) % RING
    states[0].double = double
    return states


@cache
def _table(stage, dive):
    """Return a table whose cards the fox's player has all seen, so that forced captures are foreseeable."""
    hand, seen = "Yellow Bullhead Catfish" if dive else "", " ".join(CELL_NAMES)
    return table(
        {"c1": "Vegetation"}, stage=stage, hand=hand, fox_knows=seen, vixen="e1", bear_skip=1, crow="Sc", eagle="Nc"
    )


def outcome(states, *names):
    """Return a copy of `states` after the named actions, each of which must be legal."""
    states = states.copy()
    for name in names:
        assert name in choices(states)
        _PLAY(states, GAME.words.parse_action(name, "en"), VIEW, MASK)
    return states


VIEW, MASK = np.zeros(GAME.layout.size, np.float32), np.zeros(GAME.num_actions, np.int8)


def key(states, stage):
    dives = len(held(states, "hand"))
    return CAUGHT if won(states) == (CAUGHT, FOX) else (stage, gap(states), int(states[0].double), dives)


@cache
def foxs_ways(ahead, double, dive):
    """Return the results of the fox's step: the eagle's turn, with or without the dive, or a capture."""
    states = place("move", ahead, double, dive)
    walked = outcome(states, "go b1")
    assert asked(walked) == "eagle"
    ways = {key(walked, "eagle")}
    if dive:
        diving = outcome(states, "go c1", "hand 1")
        assert asked(diving) == "dive"
        ways |= {key(outcome(diving, name), "eagle") for name in choices(diving)}
    return ways


@cache
def eagles_ways(ahead, double, dive):
    """Return the results of the eagle's moves: a capture, or the results of each of the crow's moves."""
    states = place("eagle", ahead, double, dive)
    ways = []
    for name in choices(states):
        flown = outcome(states, name)
        if won(flown):
            ways.append({key(flown, "move")})
            continue
        assert choices(flown) == {"crow -1", "crow +1"}
        ways.append({key(end_of_round(outcome(flown, slide)), "move") for slide in ("crow -1", "crow +1")})
    return ways


def end_of_round(states):
    """Let the crow look and swap in any way."""
    while not states[0].over and states[0].seat == CROW:
        states = outcome(states, min(choices(states)))
    return states


@cache
def forced():
    """Return all places from which the fox's player can force a capture."""
    won_from, grown = {CAUGHT}, True
    places = [
        (stage, ahead, double, dive)
        for stage in ("move", "eagle")
        for ahead in range(1, RING)
        for double in (0, 1)
        for dive in (0, 1)
    ]
    while grown:
        grown = False
        for stage, *where in places:
            if stage == "move":
                wins = bool(foxs_ways(*where) & won_from)
            else:
                wins = any(ends <= won_from for ends in eagles_ways(*where))
            if wins and (stage, *where) not in won_from:
                won_from.add((stage, *where))
                grown = True
    return won_from


def away(ahead):
    """Return the distance between eagle and crow, the shorter way round."""
    return min(ahead, RING - ahead)


def flight(states):
    """Return the slide of a fleeing crow: out of forced captures if possible, and away from the eagle."""
    if asked(states) != "slide":
        return min(choices(states))

    def worth(name):
        after = end_of_round(outcome(states, name))
        return key(after, "move") not in forced(), away(gap(after))

    return max(sorted(choices(states)), key=worth)
