"""Environments that break their contract are caught by `check_environments` and `check_bots`."""

import numpy as np
import pytest
from kuhn import BET, GAME

from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.testing import environments
from sobremesa.envs.testing import ContractBroken, check_bots, check_environments, check_game

pytestmark = pytest.mark.kernels


def test_a_sound_game_passes_and_its_checks_are_counted():
    seen = []
    found = check_game(GAME, deals=5, progress=lambda *done: seen.append(done))
    assert {name: tally["deals"] for name, tally in found.items()} == {"contract": 5, "secrets": 10, "environments": 1}
    assert seen == [("contract", 1, 1), ("secrets", 1, 1), ("environments", 1, 1)]


def changed(monkeypatch, name, change):
    """Replace a method of the AEC environment by `change(method)`."""
    monkeypatch.setattr(environments.TableEnv, name, change(getattr(environments.TableEnv, name)))


def plays_anything(step):
    def changed_step(self, action):
        try:
            step(self, action)
        except IllegalAction:
            return

    return changed_step


def sees_less(observe):
    def changed_observe(self, agent):
        seen = observe(self, agent)
        return {**seen, "observation": np.zeros_like(seen["observation"])}

    return changed_observe


def pays_twice(finish):
    def changed_finish(self):
        finish(self)
        self.rewards = {agent: 2 * reward for agent, reward in self.rewards.items()}

    return changed_finish


@pytest.mark.parametrize(
    ("name", "change", "claim"),
    [
        ("step", plays_anything, "AEC: illegal action 2 was played"),
        ("observe", sees_less, "AEC: the observation differs"),
        ("_finish", pays_twice, "AEC: rewards are .* and payoffs"),
    ],
)
def test_a_broken_environment_is_caught(monkeypatch, name, change, claim):
    changed(monkeypatch, name, change)
    with pytest.raises(ContractBroken, match=rf"kuhn-v1, setup {{.*}}, seed 5, ply \d: {claim}"):
        check_environments(GAME, seed=5)


def test_a_broken_vector_environment_is_caught(monkeypatch):
    monkeypatch.setattr(environments, "deal_seed", lambda seed, table, deal: 1)
    with pytest.raises(ContractBroken, match=r"ply \d: vector: table \d"):
        check_environments(GAME)


def test_a_bot_that_plays_an_illegal_action_is_caught():
    class Bold:
        name = "bold"

        def act(self, view):
            return BET + 1

    with pytest.raises(ContractBroken, match="seed 2, ply 0: bots: 'bold' at seat 0 chose action 2, which is illegal"):
        check_bots(GAME, [Bold()], seed=2)
