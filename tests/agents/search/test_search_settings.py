"""Settings of a search: belief, softmax, and rollouts that are cut off."""

import numpy as np
import pytest
from kuhn import BET, GAME as KUHN, HIGH, PASS
from kuhn_tree import J, Q
from rooms import BANDIDO, brief

from sobremesa import agents, cli, envs
from sobremesa.agents import search_tuning
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.search import belief, improve, rollouts
from sobremesa.agents.search.improve import Budget, Improve, decide, prior_of
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.agents.search.spec import usual_budget
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.deal import deal_between, deal_by, payoffs, random_deal
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.secrets import SecretLeaked, answer_of, check_secrets


def kuhn_plies(card, seat, *actions):
    """Return the decisions of `seat`, who holds `card`, in a deal that begins with `actions`."""
    for seed in range(100):
        left = list(actions)
        plies = list(deal_by(KUHN, seed, {}, lambda *_, left=left: left.pop(0) if left else PASS))
        if plies[0].states["deck"][0, seat] == card:
            return [ply for ply in plies[: len(actions) + 1] if ply.seat == seat]
    raise AssertionError


def others_cards(card, seat, *actions, tries=800):
    """Return the shares of J, Q, K among the other's cards where all of `actions` are seen and others play HIGH."""
    believer = belief.Belief(KUHN, HIGH, tries)
    for ply in kuhn_plies(card, seat, *actions):
        view = make_view(KUHN, ply.states, seat, new_stream(5))
        held = believer.worlds(view, seed_of(view))
        believer.keep(view, seed_of(view), held, ply.action)
    return np.bincount(held["deck"][:, 1 - seat], minlength=3) / len(held)


# Belief.


def test_a_bet_by_one_who_bets_on_kings_speaks_for_a_king():
    """HIGH bets on a king alone but for slips, so that the odds of a king after a bet are (2 - SLIP) to SLIP."""
    exact = 1 - belief.SLIP / 2
    assert others_cards(Q, 1, BET) == pytest.approx([1 - exact, 0, exact], abs=0.07)
    assert others_cards(J, 1, BET) == pytest.approx([0, 1 - exact, exact], abs=0.06)
    assert others_cards(Q, 1, PASS) == pytest.approx([exact, 0, 1 - exact], abs=0.06)
    assert others_cards(J, 0, PASS, BET) == pytest.approx(
        [0, 1 - exact, exact], abs=0.06
    )  # from one decision to the next
    assert others_cards(Q, 0) == pytest.approx([0.5, 0, 0.5], abs=0.08)  # nobody has done anything


def test_what_the_policy_says_is_worth_a_chip():
    """With a queen a bet is called as often as a bet is a bluff; who bets on a king alone does not bluff."""
    view = make_view(KUHN, kuhn_plies(Q, 1, BET)[-1].states, 1, new_stream(5))
    budget = Budget(worlds=64, gate=1.0)
    assert Improve("search", KUHN, RANDOM, HIGH, budget).think(view).lines[0].action == BET
    believer = Improve("search", KUHN, RANDOM, HIGH, Budget(worlds=64, gate=1.0, belief=800))
    found = {line.action: line.payoff for line in believer.think(view).lines}
    assert believer.act(view) == PASS
    assert found[BET] == pytest.approx(-1 + belief.SLIP, abs=0.15)


def test_without_a_world_that_fits_worlds_are_redealt():
    """At the second decision of a deal that the agent did not see begin, no new deal leads to what is seen."""
    view = make_view(KUHN, kuhn_plies(J, 0, PASS, BET)[-1].states, 0, new_stream(5))
    alone, believer = (Improve("search", KUHN, RANDOM, HIGH, Budget(belief=tries)) for tries in (0, 200))
    assert believer.think(view) == alone.think(view)


def test_a_belief_follows_from_what_the_seat_has_seen():
    """All that the seat cannot know is changed at each of its decisions: what it thinks stays the same to the bit."""
    told = {}
    for seed in range(12):
        for twin in range(3):
            agent = Improve("search", KUHN, RANDOM, HIGH, Budget(worlds=8, gate=0.5, tau=0.05, belief=60))
            stream = new_stream(7)
            for ply in random_deal(KUHN, seed):
                if ply.seat == 0:
                    world = ply.states.copy()
                    if twin:
                        table_kernels(KUHN).redeal(world, 0, twin)
                    told.setdefault((seed, int(ply.states["ply"][0])), set()).add(
                        repr(agent.think(make_view(KUHN, world, 0, stream)))
                    )
    assert len(told) > 12
    assert all(len(thoughts) == 1 for thoughts in told.values())


def test_deals_with_a_belief_repeat_whatever_was_played_before():
    agent = Improve("search", KUHN, RANDOM, HIGH, Budget(worlds=8, belief=40))
    first = agents.play(KUHN, [agent, HIGH], 12, seed=3).payoffs
    agents.play(KUHN, [agent, RANDOM], 5, seed=1)
    agent.tables = 2
    assert np.array_equal(agents.play(KUHN, [agent, HIGH], 12, seed=3).payoffs, first)


def test_a_belief_stops_at_the_time_limit(monkeypatch):
    view = make_view(KUHN, kuhn_plies(Q, 1, BET)[-1].states, 1, new_stream(5))
    monkeypatch.setattr(belief.Belief, "_found", lambda *_: pytest.fail("time is up"))
    agent = Improve("search", KUHN, RANDOM, HIGH, Budget(belief=100_000, seconds=1e-9))
    assert agent.think(view).action == agent.think(view).base


def test_interrupted_a_belief_is_what_it_was(monkeypatch):
    first, second = (make_view(KUHN, ply.states, 0, new_stream(5)) for ply in kuhn_plies(Q, 0, PASS, BET))

    def agent():
        made = Improve("search", KUHN, HIGH, HIGH, Budget(worlds=8, belief=60))
        made.think(first)
        return made

    def stop(*_):
        raise KeyboardInterrupt

    interrupted = agent()
    for place in (belief, rollouts):
        with monkeypatch.context() as patched:
            patched.setattr(place, "seeds_of", stop)
            with pytest.raises(KeyboardInterrupt):
                interrupted.act(second)
    assert interrupted.think(second) == agent().think(second) == interrupted.think(second)


# The softmax.


def chosen(prior, paid, budget, action=0):
    """Return which candidate is chosen where worlds always pay `paid`."""
    worlds = np.tile(np.array(paid, float), (budget.worlds, 1))
    return decide(np.arange(len(paid)), np.array(prior), budget, lambda low, high, left: worlds[low:high, left]).action


def test_choices_are_those_of_the_softmax():
    """Of a base that draws its choice by lot, and of which the policy is known."""
    prior, paid, tau = np.array([0.6, 0.3, 0.1]), np.array([0.0, 0.1, 0.2]), 0.1
    expected = prior * np.exp(paid / tau)
    rng, counts = np.random.default_rng(0), np.zeros(3)
    budget = Budget(worlds=8, gate=0.0, tau=tau)
    for _ in range(1500):
        drawn = rng.choice(3, p=prior)
        order = np.r_[drawn, np.delete(np.arange(3), drawn)]
        noisy = improve._perturbed(np.log(prior[order]), rng)
        assert noisy.argmax() == 0
        counts[order[chosen(noisy, paid[order], budget)]] += 1
    # Halving leaves two of three, which takes little from the third here.
    assert counts / counts.sum() == pytest.approx(expected / expected.sum(), abs=0.06)


def test_a_trusted_base_is_left_for_gains_above_the_margin():
    budget = Budget(worlds=8, gate=0.0, tau=0.1, trust=0.9)
    margin = budget.tau * np.log(0.9 / 0.1)
    for more, best in ((0.99, 0), (1.01, 1)):
        assert chosen(prior_of(2, budget.trust), [0.0, margin * more], budget) == best
    assert chosen(prior_of(2, 0.9), [0.0, 1.0], Budget(worlds=8, gate=0.0)) == 1


@pytest.mark.parametrize("budget", [Budget(gate=float("inf")), Budget(tau=float("inf"))])
def test_without_belief_in_payoffs_the_base_plays(budget):
    for ply in random_deal(KUHN, 0):
        if ply.action != OVER:
            alone, searching = new_stream(3), new_stream(3)
            action = RANDOM.act(make_view(KUHN, ply.states, ply.seat, alone))
            agent = Improve("search", KUHN, RANDOM, RANDOM, budget)
            assert agent.act(make_view(KUHN, ply.states, ply.seat, searching)) == action
            assert searching.tobytes() == alone.tobytes()


# Rollouts that are cut off.


def test_a_cut_after_the_end_is_none():
    game, strong = brief(BANDIDO), agents.load("strong", BANDIDO)
    ply = list(deal_between(game, [strong, strong], 1))[20]
    view = make_view(game, ply.states, ply.seat, new_stream(1))
    worlds, chances = sample_worlds(view, 5, 0, 6), seeds_of(CHANCE, 5, range(6))
    legal = np.flatnonzero(view.mask)[:3]
    whole = Rollouts(game, strong).payoffs(worlds, legal, chances)
    assert np.array_equal(Rollouts(game, strong, game.max_plies).payoffs(worlds, legal, chances), whole)
    soon = Rollouts(game, strong, 1).payoffs(worlds, legal, chances)
    assert ((soon[:, :, :2] > 0) & (soon[:, :, :2] < 1)).any()
    assert (soon[:, :, 0] == soon[:, :, 1]).all()
    assert (soon[:, :, 2:] == 0).all()


# What seats are paid.


@pytest.mark.thorough
@pytest.mark.parametrize("name", envs.games())
def test_seats_are_paid_as_the_game_pays_them(name):
    """Teams, roles, ties and any number of seats: the last choice of a deal, played on, pays what the deal paid."""
    game = envs.load(name)
    strong = agents.load("strong", game)
    played, same = Rollouts(game, strong), 0
    for seats in game.seat_range:
        *_, last, end = deal_between(game, [strong] * seats, seats)
        paid = played.payoffs(last.states, np.array([last.action]), np.array([1]))[0, 0]
        assert (paid[seats:] == 0).all()
        assert len(set(paid[:seats])) == 1 if game.cooperative else paid.sum() == pytest.approx(0, abs=1e-6)
        same += np.array_equal(paid[:seats], payoffs(game, end.states))  # where no chance is left in the last ply
    assert same >= len(game.seat_range) / 2


# Tuning.


def test_positions_that_were_played_are_kept(tmp_path, monkeypatch):
    trial = search_tuning.Trial(KUHN, RANDOM, HIGH, worlds=32, belief=8)
    first = list(trial.positions(4, tmp_path))
    monkeypatch.setattr(trial, "position", None)
    again = list(trial.positions(4, tmp_path))
    assert [one.paid.tobytes() + one.true.tobytes() for one in again] == [
        one.paid.tobytes() + one.true.tobytes() for one in first
    ]
    assert first[0].paid.shape == (32, 2)
    assert search_tuning.rate(first, Budget(worlds=8, actions=1)).left == 0


def test_a_setting_is_paid_what_other_worlds_pay():
    """The second of two candidates pays 1 more in all worlds but the first eight, where it pays 1 less."""
    paid = np.zeros((32, 2))
    paid[:, 1] = np.where(np.arange(32) < 8, -1, 1)
    made = search_tuning.Position(np.array(2), np.zeros(0), paid, paid[:0], np.tile([0.0, 0.25], (4, 1)), np.array(0.5))
    row = search_tuning.rate([made], Budget(worlds=8, actions=2, gate=1.0))
    assert row.left == 0.75  # of four lots of worlds
    assert row.gain == pytest.approx(0.75 * (16 - 8) / 24)
    assert row.true == pytest.approx(0.75 * 0.25)
    assert row.seconds == 0.5 * 8 * 2


# What is usual in each game, and what it may see there.


def test_each_game_has_settings_of_its_own():
    for game in map(envs.load, envs.games()):
        agent = agents.load("search(strong)", game)
        assert agent.budget == Budget(**home.table(game, "search.toml")["scripted"]) != Budget()
        assert agent.name == "search(strong)"
    assert usual_budget(BANDIDO, RANDOM).plies == 0
    assert agents.load("search(random)", BANDIDO).name == "search(random)"
    assert "plies=" in agents.load("search(strong, plies=2)", BANDIDO).name


@pytest.mark.thorough
@pytest.mark.parametrize("name", envs.games())
@pytest.mark.parametrize("spec", ["search(strong, worlds=4, gate=0, belief=16)", "search(strong, worlds=4, tau=0.1)"])
def test_a_search_keeps_the_secrets_of_its_game(name, spec):
    game = brief(envs.load(name))
    tally = check_secrets(game, deals=1, every=31, shown={"answer": answer_of(agents.load(spec, game))})
    assert tally["differed"]


def test_one_that_is_given_the_true_state_is_caught_by_the_kit():
    agent = Improve("search", KUHN, RANDOM, RANDOM, Budget(worlds=8, gate=0.0))
    assert check_secrets(KUHN, deals=10, every=1, shown={"answer": answer_of(agent)})["differed"]

    def peek(game, states, seat):
        if states["over"][0] or states["seat"][0] != seat:
            return ""
        view = make_view(game, states, seat, new_stream(0))
        lines = Rollouts(game, RANDOM).payoffs(states, np.flatnonzero(view.mask), np.array([1]))
        return repr(lines.tolist())

    with pytest.raises(SecretLeaked, match="the answer differs"):
        check_secrets(KUHN, deals=10, every=1, shown={"answer": peek})


@pytest.mark.thorough
def test_check_takes_an_agent(capsys):
    words = ["check", "estafado", "--deals", "1", "--pieces", "1", "--agent", "search(random, worlds=1)"]
    assert cli.main(words) == 0
    assert "choice of search(random, worlds=1)" in capsys.readouterr().out
