"""Policies that vote fairly by a fixed term, trained and exported; searches that do not search votes."""

import numpy as np
import pytest
import torch
from rooms import TORO
from runs import tiny, train_tiny

from sobremesa import agents, envs
from sobremesa.agents.exported import load_bot
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez import state
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.runs.evaluation import check_networks

GAME = envs.load("erase_una_vez")


@pytest.fixture(scope="module")
def votes():
    """Return views at votes."""
    found, strong = [], agents.load("strong", GAME)
    for seed in range(12):
        for ply in deal_between(GAME, [strong] * 4, seed):
            if not ply.states[0].over and ply.states[0].stage == state.VOTE:
                found.append(make_view(GAME, ply.states, ply.seat, new_stream(seed)))
    return found


def test_an_untrained_policy_votes_fairly(votes):
    agent = PolicyNet(GAME, [8], fair_votes=True).agent("fair")
    assert [agent.act(view) for view in votes] == [GAME.fair_vote(view.observation, view.mask) for view in votes]
    loaded = PolicyNet(GAME, [8])
    loaded.load_state_dict(PolicyNet(GAME, [8], fair_votes=True).state_dict())  # the term has no weights


def test_the_term_does_not_change_other_decisions():
    net, other = PolicyNet(GAME, [8], fair_votes=True), PolicyNet(GAME, [8])
    other.load_state_dict(net.state_dict())
    views, (_, ply, *_) = torch.zeros(1, GAME.layout.size), deal_between(GAME, [agents.load("strong", GAME)] * 2, 0)
    views[0] = torch.from_numpy(ply.observation)
    mask = torch.from_numpy(ply.mask[None])
    assert torch.equal(net(views, mask), other(views, mask))


@pytest.mark.parametrize("memory", [0, 4])
def test_a_trained_bot_votes_fairly(votes, memory, tmp_path):
    keys = {"game": "erase_una_vez", "setup": {"seats": 3}, "fair_votes": True, "memory": memory}
    export(train_tiny(tmp_path / "run", **keys), tmp_path / "bot", checkpoint="last")
    bot = load_bot(tmp_path / "bot", GAME)
    for view in votes:
        memories = np.zeros((1, bot.memory), np.float32) if memory else None
        (chance,) = bot.chances(view.observation[None], view.mask[None], memories)
        assert chance[GAME.fair_vote(view.observation, view.mask)] > 0.999


@pytest.mark.parametrize("name", ["search(random, worlds=4)", "ismcts(simulations=20)"])
def test_a_search_votes_fairly(votes, name):
    agent = agents.load(name, GAME)
    assert [agent.act(view) for view in votes] == [GAME.fair_vote(view.observation, view.mask) for view in votes]


def test_games_without_votes_refuse_the_key():
    assert TORO.fair_vote(np.zeros(TORO.layout.size), np.ones(TORO.num_actions)) is None
    with pytest.raises(ConfigError, match="fair_votes=True is not allowed; ese_toro_enamorado has no votes"):
        check_networks(tiny(game="ese_toro_enamorado", fair_votes=True), TORO)
