"""Win rates of pairs, and success of teams."""

import numpy as np
import pytest
from league import STRENGTHS, league
from matches import LOSE, WIN, match

from sobremesa.agents.arena.leaderboard import pair_rates
from sobremesa.agents.arena.ratings import fit
from sobremesa.agents.arena.score import lead, success, win_rate


def test_a_ring_has_equal_ratings_and_unequal_pair_rates():
    ring = [match(two, [WIN] * 8 + [LOSE] * 2) for two in (("a", "b"), ("b", "c"), ("c", "a"))]
    assert list(fit(ring, {"a": 0}, resamples=10).frozen.values()) == pytest.approx([0, 0, 0], abs=1e-6)
    found = pair_rates(ring)
    assert found.agents == ("a", "b", "c")
    np.testing.assert_allclose(found.rate, [[np.nan, 0.8, 0.2], [0.2, np.nan, 0.8], [0.8, 0.2, np.nan]])
    assert found.rows.tolist() == found.deals.tolist() == [[0, 10, 10], [10, 0, 10], [10, 10, 0]]


def test_a_win_rate_at_tables_of_several_is_that_of_a_score():
    rows = league(STRENGTHS, 12, seats=3)
    found = pair_rates(rows)
    i, j = (found.agents.index(name) for name in ("c", "anchor"))
    rates = [win_rate(one, one.agents.index("c")).value for one in rows if {"c", "anchor"} <= set(one.agents)]
    assert found.rate[i, j] == pytest.approx(np.mean(rates))
    assert found.baseline[i, j] == pytest.approx(1 / 3)
    assert (found.rows[i, j], found.deals[i, j]) == (3 * 12 * 3, 12)  # three tables, the same deals


def test_who_holds_several_seats_is_counted_by_seat():
    shared = [1 / 4, 1 / 4, -1 / 2]
    found = pair_rates(match(["me", "them"], [[1, -1 / 2, -1 / 2], shared], [[0, 1, 1], [1, 0, 1]], [7, 7]))
    np.testing.assert_allclose(found.rate, [[np.nan, 0.75], [0.125, 0.125]], atol=1e-6)
    assert found.rows.tolist() == [[0, 2], [2, 2]]
    assert found.deals.tolist() == [[0, 1], [1, 1]]


def test_pairs_of_tables_of_several_sizes_say_what_is_fair():
    found = pair_rates([match("ab", [WIN]), match("abc", [[1, -1 / 2, -1 / 2]], seeds=[5])])
    assert found.baseline[0].tolist() == pytest.approx([np.nan, 5 / 12, 1 / 3], nan_ok=True)


def test_pairs_of_a_cooperative_game_are_refused():
    with pytest.raises(ValueError, match=r"payoffs \[1.0, 1.0\] of deal 4 do not sum to zero"):
        pair_rates(match("ab", [[1, 1]], seeds=[4]))


# Cooperative games.


def crew(name, payoffs, seeds, seats=3):
    """Return rows of a team of one agent, two for each deal."""
    paid = np.repeat(payoffs, 2)[:, None].repeat(seats, axis=1)
    return match([name], paid, np.zeros(paid.shape, int), np.repeat(seeds, 2))


def test_teams_are_compared_on_the_deals_that_all_had():
    rng = np.random.default_rng(0)
    luck = rng.random(300)
    good = crew("good", luck < 0.6, np.arange(300))
    poor = crew("poor", luck[100:] < 0.5, np.arange(100, 300))
    best, worst = success([poor, good])
    assert (best.team, worst.team) == (("good",) * 3, ("poor",) * 3)
    assert best.deals == worst.deals == 200
    assert best.rate == np.mean(luck[100:] < 0.6)
    assert best.low < best.rate < best.high
    ahead = lead([poor, good], ["good"] * 3, ["poor"] * 3)
    assert ahead.mean == pytest.approx(best.rate - worst.rate)
    assert ahead.low > 0
    assert ahead.high - ahead.low < (best.high - best.low) * 0.8  # the same deals: what they share drops out
    assert ahead == lead([poor, good], ["good"] * 3, ["poor"] * 3)


def test_a_team_is_who_sits_together_in_whatever_order():
    rows = match(["a", "b"], [[1, 1], [0, 0], [0.5, 0.5]], [[0, 1], [1, 0], [0, 0]], [1, 1, 1])
    assert [(one.team, one.rate, one.deals) for one in success(rows)] == [(("a", "b"), 0.5, 1), (("a", "a"), 0.5, 1)]


def test_what_is_no_success_is_refused():
    rows = [crew("a", [1, 0], [1, 2]), crew("b", [1], [3])]
    with pytest.raises(ValueError, match=r"no deal was played by all of a \+ a \+ a, b \+ b \+ b"):
        success(rows)
    with pytest.raises(ValueError, match="no deal was played by both of"):
        lead(rows, ["a"] * 3, ["b"] * 3)
    with pytest.raises(ValueError, match=r"no team c; there are a \+ a \+ a, b \+ b \+ b"):
        lead(rows, ["c"], ["b"] * 3)
    for payoffs in ([1, -1], [2, 2]):
        with pytest.raises(ValueError, match="a cooperative game pays all seats the same, from 0 to 1"):
            success(match("ab", [payoffs]))
