"""The scripted bots of *Corre el encierro*: legal, repeatable, and each stronger than the previous one."""

import numpy as np
import pytest
from scale import COMPILED_ONLY, LONG_IN_PLAIN, PLAIN, scaled

from sobremesa import agents, envs
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.corre_el_encierro import state as s
from sobremesa.envs.corre_el_encierro.cards import LAST_LOCATION

pytestmark = pytest.mark.kernels

GAME = envs.load("corre_el_encierro")
SEATS = (2, 3, 4, 5)
BOTS = ("simple", "strong")


@pytest.mark.walks
@LONG_IN_PLAIN
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("deck", ["standard", "conflict"])
def test_the_bots_play_legally_and_alike_from_equal_seeds(seats, deck):
    seated = [agents.load(BOTS[seat % 2], GAME) for seat in range(seats)]  # the arena refuses what is not allowed
    rows = [agents.play(GAME, seated, scaled(6), seed=7, deck=deck) for _ in range(2)]
    assert np.array_equal(rows[0].payoffs, rows[1].payoffs)
    assert np.array_equal(rows[0].plies, rows[1].plies)


@pytest.mark.parametrize("bot", BOTS)
def test_nobody_forgoes_the_plaza_or_his_life(bot):
    seen = set()
    for seed in range(scaled(10)):
        for ply in deal_between(GAME, [agents.load(bot, GAME)] * 5, seed):
            state, mask = ply.states[0], ply.mask
            if state["over"]:
                continue
            assert mask[ply.action]
            before = LAST_LOCATION - state["place"][ply.seat]  # steps to the Plaza
            if state["stage"] == s.PLAY and (
                (before == 1 and mask[s.A_ADVANCE]) or (before == 2 and mask[s.A_CARRERA])
            ):
                seen.add(s.PLAY)
                assert s.A_ADVANCE <= ply.action < s.A_SWAP
            if state["stage"] == s.SAVE:
                seen.add(s.SAVE)
                assert ply.action != s.A_NOTHING
            if state["stage"] == s.PAY and mask[s.A_RETREAT]:
                seen.add(s.PAY)
                assert ply.action != s.A_GIVE_UP
    assert PLAIN or seen == {s.PLAY, s.SAVE, s.PAY}  # in plain mode one deal is all there is time for


@COMPILED_ONLY
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize(("better", "worse"), [("strong", "simple"), ("simple", "random")])
def test_each_bot_beats_the_one_before(better, worse, seats):
    score = agents.compare(GAME, agents.load(better, GAME), agents.load(worse, GAME), 200, seed=2, seats=seats)
    assert score.beats, score
