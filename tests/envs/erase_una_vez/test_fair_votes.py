"""Fair votes: a function of the observation that votes as the judge would."""

import numpy as np
import pytest

from sobremesa import agents, envs
from sobremesa.envs.core.agent import new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state

GAME = envs.load("erase_una_vez")


class Restless:
    """A player who plays at random, but claims, protests and ends wherever it may, so that there is much to vote on."""

    name = "restless"

    def act(self, view):
        wanted = np.flatnonzero(view.mask[state.A_CLAIM :]) + state.A_CLAIM
        wanted = np.append(np.flatnonzero(view.mask[state.A_END : state.A_KEEP]) + state.A_END, wanted)
        choices = wanted if len(wanted) else np.flatnonzero(view.mask)
        return int(choices[(int(view.stream[0].seed) + int(view.state[0].sentences)) % len(choices)])


@pytest.mark.parametrize("setup", [{}, {"judge": "mixed", "seats": 6}, {"strictness": "strict", "seats": 4}])
def test_fair_votes_are_those_of_the_judge(setup):
    setup = dict(setup)
    judge, stream, votes = agents.load("simple", GAME).kernel, new_stream(0)[0], {}
    players = [agents.load("simple", GAME), *[Restless()] * 2]
    seats = setup.pop("seats", 3)
    for seed in range(25):
        for ply in deal_between(GAME, [players[seat % 3] for seat in range(seats)], seed, **setup):
            one = ply.states[0]
            if one.over or one.stage != state.VOTE:
                assert one.over or GAME.fair_votes.vote(GAME.layout, ply.observation, ply.mask) is None
                continue
            wanted = judge(ply.observation, ply.mask, stream)
            assert GAME.fair_votes.vote(GAME.layout, ply.observation, ply.mask) == wanted
            votes.setdefault(int(one.case), set()).add(int(wanted))
    assert votes[state.ON_CLAIM] == votes[state.ON_ENDING] == {state.A_YES, state.A_NO}
