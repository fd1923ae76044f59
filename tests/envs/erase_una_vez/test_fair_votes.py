"""Fair votes: a function of the observation that votes as the judge would."""

import pytest

from sobremesa import agents, envs
from sobremesa.envs.core.agent import new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state

GAME = envs.load("erase_una_vez")
SIMPLE = agents.load("simple", GAME)


class Hasty:
    """A player who claims, protests and ends wherever it may, so that there is much to vote on; else it is `simple`."""

    name = "hasty"

    def act(self, view):
        wanted = [*range(state.A_END, state.A_KEEP), *range(state.A_CLAIM, state.A_INTERRUPT), state.A_PROTEST]
        legal = [action for action in wanted if view.mask[action]]
        return legal[0] if legal else SIMPLE.act(view)


@pytest.mark.parametrize("setup", [{}, {"judge": "mixed", "seats": 6}, {"strictness": "strict", "seats": 4}])
def test_fair_votes_are_those_of_the_judge(setup):
    setup = dict(setup)
    stream, votes = new_stream(0)[0], {}
    seats = setup.pop("seats", 3)
    for seed in range(25):
        for ply in deal_between(GAME, [SIMPLE if seat % 3 else Hasty() for seat in range(seats)], seed, **setup):
            one = ply.states[0]
            if one.over or one.stage != state.VOTE:
                assert one.over or GAME.fair_vote(ply.observation, ply.mask) is None
                continue
            wanted = SIMPLE.kernel(ply.observation, ply.mask, stream)
            assert GAME.fair_vote(ply.observation, ply.mask) == wanted
            votes.setdefault(int(one.case), set()).add(int(wanted))
    assert votes[state.ON_CLAIM] == votes[state.ON_ENDING] == {state.A_YES, state.A_NO}
