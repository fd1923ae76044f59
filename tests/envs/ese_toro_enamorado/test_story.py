"""Stories of *Ese Toro enamorado*: each sentence against the rules, action by action."""

from functools import cache

import numpy as np
import pytest

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import outcome, random_deal
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.table import OVER
from sobremesa.envs.ese_toro_enamorado import GAME
from sobremesa.envs.ese_toro_enamorado.board import FENCE, MOUNTAIN, NEW, NO_TILE, NODE_NAMES
from sobremesa.envs.ese_toro_enamorado.rules import legal, play
from sobremesa.envs.ese_toro_enamorado.state import A_CHOOSE, A_GO, A_STAY, CHOOSE

DEALS = [
    {"seats": 4, "board": "small", "max_rounds": 24, "max_vueltas": 2},
    {"seats": 4, "max_rounds": 8},
    {"seats": 3, "max_rounds": 4, "fence_bounce": "try_again"},
]


@kernel
def _legal(states, mask):
    legal(states[0], mask)


@kernel
def _play(states, action):
    play(states[0], action)


def expected(before, action):
    """Return the expected sentences of one action, without markers and rounds, and the state after it."""
    after, old = before.copy(), before[0]
    _play(after, action)
    told, seat = [], SEAT_SIGNS[old.seat]
    if old.stage == CHOOSE:
        told.append(f"{seat} has to take {NODE_NAMES[MOUNTAIN + action - A_CHOOSE]}")
    elif action == A_STAY:
        told.append(f"{seat} has to stay")
    elif action >= A_GO:
        node = action - A_GO
        told.append(f"{seat} has to go to {NODE_NAMES[node]}")
        tile, hidden = old.tile[node], not old.face_up[node]
        if tile == FENCE and old.phase == NEW:
            told.append(f"{seat} runs into a fence on {NODE_NAMES[node]}")
        elif tile != NO_TILE and hidden:
            told.append(f"{seat} finds a {('fence', 'poppy', 'rosemary')[tile]} on {NODE_NAMES[node]}")
    return told, after


def followed(ply):
    """Return the expected sentences of `ply`, without markers and rounds, and the number of rounds that end in it."""
    told, states = expected(ply.states, ply.action)
    told = told[1:]  # the action itself is told by its name
    while not states[0].over:
        mask = np.zeros(GAME.num_actions, np.int8)
        _legal(states, mask)
        if mask.sum() > 1:
            break
        more, states = expected(states, int(mask.argmax()))
        told += more
    return told, int(states[0].round_number) > max(int(ply.states[0].round_number), 1)


@cache
def plies():
    return [ply for setup in DEALS for seed in range(3) for ply in random_deal(GAME, seed, setup)]


def rest(told):
    """Return the sentences of a story that follow its action, but for markers, rounds and the end."""
    left_out = ("meets the moon", "begins", "win")
    return [one for one in told[1:] if not any(words in one for words in left_out)]


@pytest.mark.kernels
def test_the_story_has_all_effects_of_an_action():
    ending = []
    for ply in plies():
        if ply.action == OVER:
            continue
        told = GAME.words.tell(ply.states, ply.action, outcome(GAME, ply), None, "en")
        follows, ends = followed(ply)
        assert rest(told) == follows, told
        ending += follows if ends else []
    assert any("has to go" in one for one in ending)
    assert any("runs into a fence" in one for one in ending)
    assert any("finds a" in one for one in ending)


def test_the_winners_are_told():
    last = [ply for ply, over in zip(plies(), plies()[1:], strict=False) if over.action == OVER]
    for ply in last:
        after = outcome(GAME, ply)
        signs = [SEAT_SIGNS[seat] for seat in np.flatnonzero(after["winner"][0])]
        for seat in (None, 0):
            end = GAME.words.tell(ply.states, ply.action, after, seat, "en")[-1]
            assert end.endswith("win together" if len(signs) > 1 else "wins")
            assert [sign for sign in SEAT_SIGNS if sign in end] == signs
    assert len(last) == len(DEALS) * 3


def test_a_marker_that_is_not_left_over_is_told():
    told = " ".join(
        " ".join(GAME.words.tell(ply.states, ply.action, outcome(GAME, ply), 0, "es"))
        for ply in plies()
        if ply.action != OVER
    )
    assert "un marcador de luna llena" in told
    assert "no sobra ningún marcador" in told
