"""Losses of an agent at its decisions, measured over many deals."""

import json

import numpy as np
import pytest
from command_line import sobremesa
from kuhn import ALWAYS, GAME as KUHN, PASS

from sobremesa import agents, envs
from sobremesa.envs.core.deal import deal_between

JACK = 0


def test_every_call_with_the_jack_is_a_blunder():
    """Calls with each card: with the jack a fold saves half a unit of two, a quarter of the win."""
    found = agents.find_blunders(KUHN, ALWAYS, 120, judge=ALWAYS)
    cards = [one.states["deck"][0, one.costly.seat] for one in found.found]
    assert {(one.costly.seat, one.costly.better, int(card)) for one, card in zip(found.found, cards, strict=True)} == {
        (1, PASS, JACK)
    }
    assert all(one.costly.gain == pytest.approx(0.25) for one in found.found)
    jacks = sum(deal[1].states["deck"][0, 1] == JACK for deal in (deals(seed) for seed in range(found.deals)))
    assert len(found.found) == jacks > 10
    assert found.share(0.2) == pytest.approx(jacks / 120)
    assert found.loss.mean == pytest.approx(0.25 * jacks / 120)
    assert found.loss.low < found.loss.mean < found.loss.high


def test_a_deal_counts_by_its_decisions():
    found = agents.find_blunders(KUHN, "random", 60, judge="random", least=0.99)
    assert found.loss.mean == pytest.approx(found.losses.mean())


def deals(seed):
    return list(deal_between(KUHN, [ALWAYS, ALWAYS], seed))


def test_equal_actions_lose_nothing_on_average(monkeypatch):
    """The alternative is chosen in other determinizations than the loss is measured in."""
    game = envs.load("leduc_poker")

    def noise(rollouts, one, low, high):
        return np.random.default_rng(one.lot).normal(0.5, 0.5, (500, game.num_actions))[low:high, one.actions]

    monkeypatch.setattr("sobremesa.agents.arena.blunders._worths", noise)
    found = agents.find_blunders(game, "random", 600, least=0.9)
    assert (found.losses != 0).sum() > 100
    assert abs(found.losses.mean()) < 3 * found.losses.std() / 600**0.5 < 0.006


def test_a_listed_decision_is_in_its_deal(tmp_path, capsys):
    file = tmp_path / "found.json"
    assert (
        sobremesa("blunders", "leduc_poker", "random", "--decisions", "60", "--least", "0.05", "--json", str(file)) == 0
    )
    printed, game = capsys.readouterr().out, envs.load("leduc_poker")
    found, seated = json.loads(file.read_text()), [agents.load("random", game)] * 2
    assert found["decisions"] == 60
    assert found["shares"]["0.05"] >= len(found["blunders"]) / 60 > 0.05
    assert f"surely more than 0.05: {len(found['blunders'])}" in printed
    for one in found["blunders"]:
        ply = list(deal_between(game, seated, one["deal"]))[one["ply"]]
        assert ply.seat == one["seat"]
        assert game.words.action_name(ply.action, "en") == one["played"]
        assert ply.mask[game.words.parse_action(one["better"], "en")]
        assert one["low"] > 0.05
        assert one["kind"] in printed


def test_losses_follow_from_the_seed():
    first, again, other = (agents.find_blunders(KUHN, "random", 30, judge="random", seed=seed) for seed in (1, 1, 2))
    assert first.losses.tolist() == again.losses.tolist() != other.losses.tolist()


def test_a_policy_shows_the_chance_of_the_action():
    game = envs.load("ese_toro_enamorado")
    found = agents.find_blunders(game, "sampled(champion, temperature=1000)", 20, judge="simple", least=0.02)
    assert all(0 < one.chance < 0.6 for one in found.found)
    assert found.found
