"""Impossible states of *Ese Toro enamorado*, each refused with its reason in one line."""

import dataclasses
from functools import cache

import pytest
from mutations import mutated, played_on
from rooms import ALL
from scale import scaled

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.ese_toro_enamorado import GAME
from sobremesa.envs.ese_toro_enamorado.state import CHOOSE, DAY, NIGHT

SETUPS = ({"seats": 4, "max_rounds": 8}, {"seats": 3, "board": "small", "max_rounds": 8}, {"seats": 2, "max_rounds": 8})


@kernel
def allows_one(state, mask):
    mask[0] = 1


@cache
def deal():
    return [ply.states for ply in random_deal(GAME, 1, SETUPS[0])]


def some(stage, round_number=2):
    """Return a state in the middle of a stage of a round, of which at least one turn is taken."""
    return next(
        states.copy()
        for states in deal()
        if states[0].stage == stage and states[0].turns and (stage == CHOOSE or states[0].round_number == round_number)
    )


@pytest.mark.kernels
def test_what_is_accepted_can_be_played_on():
    accepted = refused = 0
    for number, states in enumerate(mutated(GAME, SETUPS, scaled(300))):
        found = state_problems(GAME, states)
        refused += bool(found)
        assert not any("\n" in reason for reason in found)
        if not found:
            accepted += 1
            assert played_on(GAME, states, number) == []
    assert min(accepted, refused) > scaled(300) / 6


@pytest.mark.parametrize(
    ("stage", "changes", "reason"),
    [
        (CHOOSE, {"phase": 1}, "phase 1 in another round"),
        (CHOOSE, {"round_number": 1}, "round 1 in stage 0"),
        (CHOOSE, {"turns": 3, "seat": 0, "first": 1}, "bull 1 on 28 by day"),
        (CHOOSE, {"stage": DAY}, "moon at 8 in stage 1"),
        (DAY, {"vuelta": 3}, "a night's end by day"),
        (DAY, {"turns": 0}, "to act after 0 turns"),
        (DAY, {"stage": NIGHT}, "tiles in hand before or after the day"),
        (DAY, {"bull": 20}, "bull 0 on 20 by day"),
        (NIGHT, {"stage": DAY}, "laid"),
        (NIGHT, {"stage": 3}, "an extra move without rosemary"),
        (NIGHT, {"face_up": 0}, "a tile that lies face down by night"),
        (NIGHT, {"markers": 1}, "a seat has all phases, and it is not over"),
        (NIGHT, {"over": 1}, "over without an end"),
        (NIGHT, {"news": 9}, "news"),
    ],
)
def test_a_state_that_cannot_be_is_refused(stage, changes, reason):
    states = some(stage)
    assert state_problems(GAME, states) == []
    for name, value in changes.items():
        states[name] = value
    assert any(reason in one for one in state_problems(GAME, states)), state_problems(GAME, states)


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_asked_seats_have_two_or_more_actions_in_every_game(game):
    """No deal stops at a seat with one legal action, and no game accepts such a state."""
    states = next(random_deal(game, 3)).states
    planted = dataclasses.replace(game, legal=allows_one)
    assert state_problems(game, states) == []
    assert state_problems(planted, states) == [f"seat {states['seat'][0]} is asked and has 1 legal actions"]
    states["over"] = 1
    assert not any("legal actions" in reason for reason in state_problems(planted, states))
