"""Exact answers: trees, scripted chance, CFR+, best responses, and policies of agents."""

import dataclasses
import json
import math
import re

import kuhn_tree
import numpy as np
import pytest
from kuhn import GAME as OWN_KUHN, LAYOUT, NONE, observe
from scale import PLAIN

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.exact import solved
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.script import Uncountable, scripted, unfold
from sobremesa.agents.exact.solve import respond, solve, uniform
from sobremesa.agents.exact.tree import enumerate_tree
from sobremesa.envs.core import chance
from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import STREAM, below, pick, shuffle, start, uniform as uniform_draw
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.table import OVER

pytestmark = pytest.mark.kernels

KUHN, LEDUC = envs.load("kuhn_poker"), envs.load("leduc_poker")
KUHN_VALUE, LEDUC_VALUE = -1 / 36, -0.0856064 / 13  # in payoffs: units of two chips, and of 13
compiled_alone = pytest.mark.skipif(PLAIN, reason="very many steps; Kuhn's tree is tried")


@pytest.fixture(scope="module")
def tree():
    return enumerate_tree(KUHN)


@pytest.fixture(scope="module")
def leduc():
    return enumerate_tree(LEDUC)


# Chance by script.


@kernel
def _shuffled(stream, items):
    start(stream, 0)
    shuffle(stream, items, items.shape[0])
    return items[0] * 4 + items[1] * 2 + items[2]


@kernel
def _dependent(stream, items):
    """Draw as often as the first draw says, once from nothing but one number."""
    count = below(stream, 3)
    total = 10 * count
    for _ in range(count):
        total += below(stream, 2)
    return total + below(stream, 1)


@kernel
def _picked(stream, items):
    return pick(stream, items)


@kernel
def _by_module(stream, items):
    return chance.below(stream, 2)


@kernel
def _endless(stream, items):
    return uniform_draw(stream)


def chances_of(act, items):
    """Return how likely each number is that `act` gives."""
    act = scripted(act)

    def run(cases, scripts):
        streams = np.zeros(len(cases), STREAM)
        streams["stream"] = scripts
        found = np.array([act(stream, np.array(items, np.int8)) for stream in streams])
        return streams["stream"].copy(), [found]

    odds = {}
    case, weights, (found,) = unfold(1, run, 1000, "a test")
    assert not case.any()
    for one, likely in zip(found, weights, strict=True):
        odds[int(one)] = odds.get(int(one), 0) + likely
    return odds


@pytest.mark.parametrize(
    ("act", "items", "odds"),
    [
        (_shuffled, [0, 0, 1], {1: 1 / 3, 2: 1 / 3, 4: 1 / 3}),
        (_dependent, [], {0: 1 / 3, 10: 1 / 6, 11: 1 / 6, 20: 1 / 12, 21: 1 / 6, 22: 1 / 12}),
        (_picked, [0, 1, 0, 1, 1], {1: 1 / 3, 3: 1 / 3, 4: 1 / 3}),
        (_by_module, [], {0: 1 / 2, 1: 1 / 2}),
    ],
)
def test_every_outcome_of_chance_is_tried_as_often_as_it_comes(act, items, odds):
    assert chances_of(act, items) == pytest.approx(odds)


def test_what_cannot_be_enumerated_is_refused():
    with pytest.raises(Uncountable, match="draws numbers without a small range"):
        chances_of(_endless, [])
    with pytest.raises(Uncountable, match="more than 1,000 outcomes of chance at once"):
        chances_of(_shuffled, list(range(10)))
    with pytest.raises(Uncountable, match="draws more than 50 times at once"):
        chances_of(_shuffled, list(range(60)))


def test_a_kernel_without_chance_is_left_as_it_is():
    assert scripted(KUHN.play) is KUHN.play
    assert scripted(KUHN.reset) is not KUHN.reset


# The tree.


@pytest.mark.parametrize(("game", "sizes"), [("tree", (24, 30, 12)), ("leduc", (3780, 5520, 936))])
def test_trees_are_as_large_as_they_are_known_to_be(request, game, sizes):
    arrays = request.getfixturevalue(game).arrays
    ends = arrays.seat < 0
    assert ((~ends).sum(), ends.sum(), len(arrays.owner)) == sizes
    assert request.getfixturevalue(game).told_apart()
    assert arrays.opening.sum() == pytest.approx(1)
    starts = arrays.outcomes[:-1]
    assert np.add.reduceat(arrays.chance, starts) == pytest.approx(1)
    assert (np.sort(arrays.child) == np.flatnonzero(arrays.opening == 0)).all()


_POT, _TURN = LAYOUT.start("pot"), LAYOUT.start("turn")


@kernel
def _shows_cards_alone(state, seat, out):
    observe(state, seat, out)
    out[_POT:_TURN] = 0


def test_seats_remember_their_own_decisions_whatever_they_see():
    forgetful = enumerate_tree(dataclasses.replace(OWN_KUHN, observe=_shows_cards_alone))
    assert len(forgetful.arrays.owner) == 9  # seat 0 before and after its pass; seat 1 does not know what it answers
    assert not forgetful.told_apart()
    assert forgetful.told_apart(remembered=True)


@kernel
def _asks_the_first_seat_twice(state, action):
    state.over = state.last != NONE
    state.last = action


@kernel
def _shows_next_to_nothing(state, seat, out):
    observe(state, seat, out)
    out[:_TURN] = 0


def test_a_policy_that_needs_its_own_actions_is_not_written(tmp_path):
    changes = {"play": _asks_the_first_seat_twice, "observe": _shows_next_to_nothing}
    blind = enumerate_tree(dataclasses.replace(OWN_KUHN, **changes))
    assert not blind.told_apart(remembered=True)
    with pytest.raises(Uncountable, match="must remember more than its observations"):
        solved.write(tmp_path / "policy.npz", blind, solve(blind, 5))


def test_a_solved_policy_remembers_where_it_has_to(tmp_path, tree):
    path, found = tmp_path / "policy.npz", solve(tree, 50)
    solved.write(path, tree, found)
    assert agents.load(f"solved:{path}").memory == 0
    with np.load(path) as stored:
        parts = dict(stored)
    np.savez(path, **(parts | {"earlier": tree.earlier}))
    agent = agents.load(f"solved:{path}")
    assert agent.memory == 1
    assert policy_of(agent, tree) == pytest.approx(found.policy)
    assert agents.compare(KUHN, agent, agents.load("random"), deals=20, seed=3).value > 0
    for seed in range(20):  # view by view
        assert list(deal_between(KUHN, [agent, agent], seed))[-1].seat == OVER


def test_trees_that_are_too_large_or_of_other_games_are_refused():
    with pytest.raises(Uncountable, match=r"-v1 \(default setup\): more than 200 nodes; the tree has about \d"):
        enumerate_tree(LEDUC, most=200)
    with pytest.raises(Uncountable, match=r"bandido_alcatraz: exact answers are for two seats against each other$"):
        enumerate_tree(envs.load("bandido_alcatraz"))
    with pytest.raises(Uncountable, match=r"against each other; try --setup seats=2$"):
        enumerate_tree(envs.load("corre_el_encierro"), {"seats": 3})
    with pytest.raises(ValueError, match="seats=3 is not allowed"):
        enumerate_tree(KUHN, {"seats": 3})


def test_the_longest_run_is_interrupted_soon():
    def interrupt(done, count):
        assert done <= 10_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(enumerate_tree(LEDUC), 10**9, interrupt)


def test_the_estimate_of_a_tree_is_near_its_size():
    with pytest.raises(Uncountable, match="about") as refused:
        enumerate_tree(LEDUC, most=200)
    nodes = float(str(refused.value).partition("about ")[2].split()[0])
    assert 0.8 * 9300 < nodes < 1.25 * 9300


# Policies and responses.


def bets_of(tree, policy):
    """Return `policy` as kuhn_tree has it: the chance to bet, by what is seen."""
    rows = np.zeros(tree.masks.shape)
    rows[tree.masks > 0] = policy
    return {seen.tobytes(): bet for seen, bet in zip(tree.observations(), rows[:, 1].tolist(), strict=True)}


def test_best_responses_are_those_that_trying_all_plans_finds(tree):
    whole, rng = kuhn_tree.whole(), np.random.default_rng(5)
    for _ in range(3):
        weights = rng.random(len(tree.actions))
        policy = weights / np.repeat(np.add.reduceat(weights, tree.arrays.slots[:-1]), 2)
        found, bets = respond(tree, policy), bets_of(tree, policy)
        assert found.value * 2 == pytest.approx(float(kuhn_tree.mean_value(whole, bets)))
        assert found.best[0] * 2 == pytest.approx(float(kuhn_tree.best_response(whole, bets, 0)))
        assert found.best[1] * 2 == pytest.approx(-float(kuhn_tree.best_response(whole, bets, 1)))


def test_known_exploitabilities(tree, leduc):
    assert respond(tree, uniform(tree)).exploitability * 2 == pytest.approx(11 / 24)
    assert respond(leduc, uniform(leduc)).exploitability * 13 == pytest.approx(4.747222222 / 2, abs=1e-6)


def test_cfr_comes_to_the_value_of_kuhn_poker(tree):
    found = solve(tree, 500 if PLAIN else 20_000)
    assert found.response.value == pytest.approx(KUHN_VALUE, abs=1e-3 if PLAIN else 1e-8)
    assert -1e-9 < found.response.exploitability < (1e-3 if PLAIN else 1e-5)
    assert -found.response.best[1] <= KUHN_VALUE <= found.response.best[0]


@compiled_alone
def test_cfr_comes_to_the_value_of_leduc_poker(leduc):
    found = solve(leduc, 1000).response
    assert found.value == pytest.approx(LEDUC_VALUE, abs=2e-6)
    assert found.exploitability * 13 < 3e-4
    assert -found.best[1] <= LEDUC_VALUE <= found.best[0]


@compiled_alone
@pytest.mark.thorough
def test_cfr_converges_to_the_value_of_leduc_poker(leduc):
    assert solve(leduc, 20_000).response.value * 13 == pytest.approx(-0.085606424, abs=1e-6)


def test_scripted_agents_are_asked_for_all_their_draws(tree):
    assert policy_of(agents.load("random"), tree) == pytest.approx(uniform(tree))
    strong = policy_of(agents.load("strong", KUHN), tree)
    assert {round(3 * one) for one in strong} == {0, 1, 2, 3}
    assert respond(tree, strong).exploitability == pytest.approx(0, abs=1e-9)
    assert respond(tree, policy_of(agents.load("simple", KUHN), tree)).exploitability == pytest.approx(1 / 12)


class Told:
    """Bets as often as it has been asked before, in thirds."""

    name, memory = "told", 1

    def chances(self, observations, masks, memory):
        bets = memory[:, 0] / 3
        memory += 1
        return np.stack([1 - bets, bets], axis=1)


def test_an_agent_with_a_memory_is_given_what_it_has_seen_before(tree):
    bets = policy_of(Told(), tree)[1::2]
    assert bets == pytest.approx(tree.depth / 3)
    assert sorted(tree.depth) == [0] * 9 + [1] * 3


class Silent:
    name = "silent"

    def act(self, view):
        return 0


class Wrong:
    name = "wrong"

    def chances(self, observations, masks):
        return np.full(masks.shape, 0.6)


@kernel
def _by_the_sky(observation, mask, stream):
    return 1 if uniform_draw(stream) > 0.5 else 0


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        (Silent(), "silent has no known policy"),
        (agents.load("search(strong)", KUHN), r"search\(strong\) has no known policy"),
        (Wrong(), "wrong: its policy is not a distribution"),
        (KernelAgent("sky", _by_the_sky), "sky: it draws numbers without a small range"),
    ],
    ids=["silent", "search", "wrong", "sky"],
)
def test_an_agent_without_a_known_policy_is_refused(tree, agent, why):
    with pytest.raises(Uncountable, match=why):
        policy_of(agent, tree)


# Files and commands.


def test_a_game_is_solved_and_the_policy_plays(tmp_path, capsys):
    out, figures = tmp_path / "kuhn.npz", tmp_path / "kuhn.json"
    words = ["solve", "kuhn_poker", "--iterations", "200", "--out", str(out), "--json", str(figures)]
    assert cli.main(words) == 0
    told = capsys.readouterr().out
    assert "24 decisions, 30 ends, 12 information sets" in told
    assert re.search(r"^value of the game for seat 0: -0\.0277\d+ by this policy, between -0\.\d+ and -0\.", told, re.M)
    assert "after 200 iterations of CFR+, 0.229167 for random play" in told
    found = json.loads(figures.read_text())
    assert found["value"] == pytest.approx(KUHN_VALUE, abs=1e-3)
    assert cli.main(["exploit", f"solved:{out}", "--exact", "--json", str(figures)]) == 0
    assert f"by {found['exploitability']:.6f}" in capsys.readouterr().out
    assert json.loads(figures.read_text())["exploitability"] == pytest.approx(found["exploitability"])
    agent = agents.load(f"solved:{out}", KUHN)
    again = agents.load(f"solved:{out}")
    assert identity(agent) == identity(again)
    assert identity(agent).startswith("solved:kuhn.npz#")
    score = agents.compare(KUHN, agent, agents.load("random"), deals=40, seed=1)
    assert math.isfinite(score.value)


def test_damaged_and_foreign_policies_are_refused(tmp_path, tree):
    whole = tmp_path / "whole.npz"
    solved.write(whole, tree, solve(tree, 5))
    content = whole.read_bytes()

    def refused(match, content=None, game=None, path=tmp_path / "other.npz"):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(solved.PolicyError, match=match):
            agents.load(f"solved:{path}", game)

    refused("cannot be read", path=tmp_path / "none.npz")
    refused("not a solved policy", content[: len(content) // 2])
    refused("not a solved policy", b"{}")
    refused("of another game", content, LEDUC)
    with np.load(whole) as stored:
        parts = dict(stored)
    head = str(parts["header"])
    for match, changes in {
        "its probabilities are invalid": {"chances": parts["chances"] * 2},
        "codes is int64": {"codes": parts["codes"].astype(np.int64)},
        "are not of kuhn_poker-v1": {"codes": parts["codes"][:, :3].copy()},
        "the rules have changed": {"header": np.array(head.replace('rules_hash": "', 'rules_hash": "0'))},
        "other arrays than": {"more": parts["codes"]},
        "it has format 9": {"header": np.array(head.replace('"format": 1', '"format": 9'))},
    }.items():
        np.savez(tmp_path / "changed.npz", **(parts | changes))
        refused(match, path=tmp_path / "changed.npz")


def test_what_a_search_wins_is_set_beside_the_exact_figure(tmp_path, capsys):
    figures = tmp_path / "figures.json"
    words = ["random", "--game", "kuhn_poker", "--exact", "--by", "search", "--worlds", "16", "--search-deals", "100"]
    assert cli.main(["exploit", *words, "--json", str(figures)]) == 0
    assert "% of the exact figure" in capsys.readouterr().out
    found = json.loads(figures.read_text())
    (bound,) = found["bounds"]
    assert found["exploitability"] == pytest.approx(
        respond(enumerate_tree(KUHN), uniform(enumerate_tree(KUHN))).exploitability
    )
    assert bound["low"] < found["exploitability"]
    assert bound["payoff"] > 0


def test_of_an_equilibrium_no_part_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sobremesa.training.exploitability.respond", lambda *_: respond(*_)._replace(best=(0.0, 0.0)))
    words = ["random", "--game", "kuhn_poker", "--exact", "--by", "search", "--worlds", "1", "--search-deals", "2"]
    assert cli.main(["exploit", *words]) == 0
    told = capsys.readouterr().out
    assert "exploitable by 0.000000" in told
    assert "of the exact figure" not in told
