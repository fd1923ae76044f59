"""Ratings: against an independent optimiser, against closed forms, and against leagues of known strengths."""

import numpy as np
import pytest
import torch
from league import STRENGTHS, coverage, league
from matches import DRAW, LOSE, WIN, match
from rooms import KUHN, TORO, brief

from sobremesa import agents
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.ratings import ELO, PRIOR, Ladder, expected, fit, place, read_choices
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import win_rate
from sobremesa.agents.builtin import RANDOM

WEAK = 100_000  # a prior that is hardly there
FEW = 50  # resamples, where intervals do not matter


def rated(rows, anchors=None, **options):
    ladder = fit(rows, anchors or {"anchor": 0}, resamples=options.pop("resamples", FEW), **options)
    return {one.agent: one for one in ladder.ratings}


def slow_fit(matches, anchors, prior):
    """Return ratings by agent: the same likelihood written row by row, and climbed by somebody else's optimiser."""
    names = sorted({name for rows in matches for name in rows.agents} - anchors.keys())
    centre = np.mean(list(anchors.values())) / ELO
    moved = torch.full((len(names),), centre, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [moved], max_iter=60, tolerance_grad=0, tolerance_change=0, line_search_fn="strong_wolfe"
    )

    def loss():
        optimiser.zero_grad()
        strength = {name: torch.tensor(value / ELO, dtype=torch.float64) for name, value in anchors.items()}
        strength |= dict(zip(names, moved, strict=True))
        total = (((moved - centre) * ELO / prior) ** 2).sum() / 2
        for rows in matches:
            for seating, payoffs in zip(rows.seating, rows.payoffs.tolist(), strict=True):
                at_table = [strength[rows.agents[place]] for place in seating]
                for level in sorted(set(payoffs), reverse=True):
                    left = [one for one, payoff in zip(at_table, payoffs, strict=True) if payoff <= level]
                    top = [one for one, payoff in zip(at_table, payoffs, strict=True) if payoff == level]
                    if len(top) < len(left) or len(left) == len(at_table):
                        total = total - (sum(top) / len(top) - torch.logsumexp(torch.stack(left), 0))
        total.backward()
        return total

    optimiser.step(loss)
    return dict(zip(names, (moved.detach() * ELO).tolist(), strict=True))


def mixed_rows(seed):
    """Return matches of two to four seats with ties everywhere, and agents who hold several seats."""
    rng = np.random.default_rng(seed)
    names, found = ["anchor", "b", "c", "d", "e"], []
    for seats in (2, 3, 4, 4):
        seating = rng.integers(len(names), size=(30, seats))
        luck = rng.gumbel(size=seating.shape) + seating * 0.4
        found.append(match(names, np.round(luck).clip(-1, 2), seating, rng.integers(40, size=len(seating))))
    return found


# The fit.


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("anchors", [{"anchor": 0}, {"anchor": 100, "c": 250}])
def test_the_fit_is_that_of_an_independent_optimiser(seed, anchors):
    rows = mixed_rows(seed)
    slow = slow_fit(rows, anchors, PRIOR)
    mine = rated(rows, anchors)
    assert {name: mine[name].rating for name in slow} == pytest.approx(slow, abs=1e-3)
    assert all(mine[name][1:4] == (value, value, value) for name, value in anchors.items())


def test_two_ratings_differ_by_the_odds_of_the_win_rates():
    rows = match(["anchor", "me"], [LOSE] * 6 + [WIN] * 3 + [DRAW] * 3)  # 7.5 of 12
    assert rated(rows, prior=WEAK)["me"].rating == pytest.approx(ELO * np.log(7.5 / 4.5), abs=0.1)
    assert expected([0, 200]) == pytest.approx([0.2403, 0.7597], abs=1e-4)
    assert expected([5, 5, 5, 5]) == pytest.approx([1 / 4] * 4)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_expected_shares_are_the_shares_that_the_arena_counts(seats):
    rows = league({"anchor": 0, "b": 150}, 40) if seats == 2 else league(STRENGTHS, 40, seats=seats)
    mine = rated(rows, prior=WEAK)
    for name in mine:
        held = [one for one in rows if name in one.agents]
        theirs = sum(win_rate(one, one.agents.index(name)).value for one in held)
        modelled = sum(expected(mine[other].rating for other in one.agents)[one.agents.index(name)] for one in held)
        assert modelled == pytest.approx(theirs, abs=1e-4)


def test_copies_of_a_reference_are_one_agent():
    seating = [[0, 1, 1], [1, 0, 1], [1, 1, 0]] * 4
    payoffs = [[1, -0.5, -0.5]] * 12  # the candidate wins one seating in three: as good as the reference
    assert rated(match(["me", "anchor"], payoffs, seating))["me"].rating == pytest.approx(0, abs=1e-6)


def test_the_choices_of_a_row():
    choices = read_choices(match("abcd", [[-1, 1, -1, 2]]))
    left = {tuple(kind): tuple(first) for kind, first in zip(choices.kinds, choices.firsts, strict=True)}
    assert left == {(1, 1, 1, 1): (0, 0, 0, 1), (1, 1, 1, 0): (0, 1, 0, 0)}  # a and c tie last: no choice
    assert choices.by_deal.tolist() == [[0, 1, 0, 1]]
    shared = read_choices(match("abcd", [[1, -1, 1, -1], [0, 0, 0, 0]]))
    assert shared.firsts.tolist() == [[0.75, 0.25, 0.75, 0.25]]
    twice = read_choices(match("ab", [[1, -0.5, -0.5]] * 3, [[0, 1, 1]] * 3, [7, 7, 9]))
    assert (twice.kinds.tolist(), twice.deal.tolist(), twice.times.tolist()) == ([[1, 2]], [0, 1], [2, 1])
    assert twice.met().tolist() == [2, 2]


def test_no_order_of_rows_matches_or_agents_matters():
    rows = mixed_rows(5)
    mine = rated(rows)
    turned = []
    for one in reversed(rows):
        order = np.random.default_rng(1).permutation(len(one.seeds))
        cut = len(order) // 3
        place_of = np.arange(len(one.agents))[::-1]
        for part in (order[:cut], order[cut:]):
            names = one.agents[::-1]
            turned.append(
                Results(names, one.seeds[part], place_of[one.seating[part]], one.payoffs[part], one.plies[part])
            )
    theirs = rated(turned)
    for name in mine:
        assert theirs[name][1:] == pytest.approx(mine[name][1:], abs=1e-5)


def test_an_anchor_elsewhere_moves_all_ratings_with_it():
    rows = league(STRENGTHS, 20)
    low, high = rated(rows), rated(rows, {"anchor": 500})
    assert [high[name].rating - low[name].rating for name in low] == pytest.approx([500] * len(low))
    assert [high[name].low - low[name].low for name in low] == pytest.approx([500] * len(low))


def test_deals_of_an_agent_against_itself_say_nothing():
    rows = league(STRENGTHS, 10)
    alone = match(["a"], [WIN, LOSE, DRAW], [[0, 0]] * 3, [1, 2, 3])
    assert rated([*rows, alone]) == rated(rows)
    assert rated([alone, match(["anchor", "a"], [DRAW], seeds=[9])])["a"].deals == 1


def test_agents_that_all_are_anchors_stay():
    assert rated(match(["anchor", "b"], [WIN] * 9), {"anchor": 0, "b": 70})["b"] == ("b", 70, 70, 70, 9)


def test_far_from_its_start_the_fit_is_found_too():
    far = rated([match(["anchor", "b"], [LOSE] * 999 + [WIN]), match(["b", "c"], [LOSE] * 999 + [WIN])], prior=WEAK)
    steps = far["b"].rating, far["c"].rating - far["b"].rating
    assert steps == pytest.approx([ELO * np.log(999)] * 2, abs=1)
    assert rated(match(["anchor", "b"], [WIN, LOSE]), {"anchor": -9000}, prior=1)["b"].rating == pytest.approx(-9000)


# Intervals.


@pytest.mark.parametrize("deals", [2, 10, 1000])
def test_an_agent_that_lost_every_deal_has_an_open_interval(deals):
    loser = rated(match(["anchor", "me"], [WIN] * 2 * deals, seeds=np.repeat(np.arange(deals), 2)))["me"]
    assert np.isfinite(loser.rating)
    assert loser.low == -np.inf
    assert (1 - expected([0, loser.high])[1]) ** deals == pytest.approx(0.025, rel=1e-4)  # a deal counts once
    winner = rated(match(["anchor", "me"], [LOSE] * 2 * deals, seeds=np.repeat(np.arange(deals), 2)))["me"]
    assert winner[1:4] == pytest.approx((-loser.rating, -loser.high, np.inf), abs=1e-4)


@pytest.mark.parametrize("payoffs", [[WIN] * 2, [LOSE] * 2, [WIN, LOSE], [DRAW] * 2])
def test_one_deal_gives_no_interval(payoffs):
    rows, ladder = match(["anchor", "me"], payoffs, seeds=[7, 7]), fit(match(["anchor", "b"], [WIN]), {"anchor": 0})
    for mine in (rated(rows)["me"], place(rows, ladder)):
        assert np.isfinite(mine.rating)
        assert mine[2:4] == (-np.inf, np.inf)
        assert mine.deals == 1


def test_a_group_that_never_beat_the_others_is_open_as_one():
    inside = league({"a": 0, "b": 100}, 30, tied=0)
    lost = [match(["anchor", name], [WIN] * 20, seeds=range(20)) for name in ("a", "b")]
    mine = rated([*inside, *lost])
    for name in ("a", "b"):
        assert mine[name].low == -np.inf
        assert mine[name].rating < mine[name].high < 0
    draw = match(["anchor", "a"], [DRAW], seeds=[99])
    linked = rated([*inside, *lost, draw], resamples=200)
    assert all(np.isfinite(linked[name][1:4]).all() for name in linked)


def test_without_a_path_to_an_anchor_both_ends_are_open():
    mine = rated([match(["anchor", "a"], [WIN, LOSE]), match(["b", "c"], [WIN, LOSE])])
    assert all(mine[name][2:4] == (-np.inf, np.inf) for name in ("b", "c"))
    assert np.isfinite(mine["a"].low)
    above = rated([match(["anchor", "a"], [WIN]), match(["b", "a"], [WIN])])  # both beat a: nothing links the two
    assert above["b"][2:4] == (-np.inf, np.inf)


def test_a_deal_repeated_is_no_second_deal():
    once = league(STRENGTHS, 60)
    fresh = league(STRENGTHS, 120)
    widths = []
    for rows in (once, once + once, fresh):
        mine = rated(rows, resamples=400)["d"]
        widths.append(mine.high - mine.low)
    assert widths[1] == pytest.approx(widths[0], rel=0.02)
    assert widths[2] == pytest.approx(widths[0] / np.sqrt(2), rel=0.25)


def test_the_stored_seed_gives_the_same_intervals():
    rows = league(STRENGTHS, 20)
    ladder = fit(rows, {"anchor": 0}, seed=3, resamples=FEW, prior=900)
    assert ladder[1:] == ({"anchor": 0.0}, 900, 3, FEW)
    assert ladder == fit(rows, {"anchor": 0}, seed=3, resamples=FEW, prior=900)
    assert ladder != fit(rows, {"anchor": 0}, seed=4, resamples=FEW, prior=900)
    assert [one.rating for one in ladder.ratings] == sorted(ladder.frozen.values(), reverse=True)


def assert_about(found, share=0.95):
    """Check that `found` counts are those of intervals that hold with a chance of about `share`."""
    assert found.held / found.tried == pytest.approx(
        share, abs=0.025 + 2.5 * np.sqrt(share * (1 - share) / found.tried)
    )


@pytest.mark.parametrize("seats", [2, 3])
def test_intervals_hold_a_league_of_known_strengths(seats):
    found = coverage(20, seats=seats, resamples=100)
    assert_about(found)
    assert str(found).startswith(f"{found.held} of {4 * 20} intervals held the true rating (")


@pytest.mark.thorough
@pytest.mark.parametrize(("seats", "tied", "alike"), [(2, 0, 0), (2, 0.3, 1), (3, 0.2, 0.5), (4, 0.5, 1)])
def test_intervals_cover_known_strengths_in_repetitions(seats, tied, alike):
    found = coverage(100, seats=seats, tied=tied, alike=alike)
    assert found.tried == 400
    assert_about(found)


def test_rows_for_deals_would_make_intervals_too_narrow():
    (rows,) = league({"anchor": 0, "b": 100}, 200, alike=1)  # both seatings of a deal end alike
    apart = rows._replace(seeds=np.arange(len(rows.seeds)))
    by_deal, by_row = (rated(one, resamples=1000)["b"] for one in (rows, apart))
    assert by_deal.rating == by_row.rating
    assert (by_deal.high - by_deal.low) / (by_row.high - by_row.low) == pytest.approx(np.sqrt(2), rel=0.1)


# A ladder that stays, and what is refused.


def test_placing_moves_nobody_and_agrees_with_a_fit_of_all():
    rows = league(STRENGTHS, 60)
    old = [one for one in rows if "c" not in one.agents]
    ladder = fit(old, {"anchor": 0}, resamples=FEW)
    new = place([one for one in rows if "c" in one.agents], ladder, resamples=FEW)
    together = rated(rows)["c"]
    assert (new.agent, new.deals) == ("c", 60)
    assert new.low < together.rating < new.high
    fixed = rated(rows, ladder.frozen)["c"]
    assert new.rating == pytest.approx(fixed.rating, abs=1)  # their priors have other centres


def test_placing_takes_one_agent_that_is_new_and_somebody_known():
    ladder = fit(league(STRENGTHS, 10), {"anchor": 0}, resamples=FEW)
    for names in (["a", "b"], ["x", "y"]):
        with pytest.raises(ValueError, match=f"rows of {', '.join(names)} are not allowed; exactly one agent is new"):
            place(match(names, [WIN]), ladder)
    with pytest.raises(ValueError, match=r"x met no agent of the ladder, which has [abcd, ]*anchor"):
        place(match(["x"], [WIN], [[0, 0]]), ladder)


def test_what_cannot_be_rated_is_refused():
    rows = match(["anchor", "b"], [WIN])
    for anchors, words in (({}, "takes one agent at least"), ({"x": 0}, "'x' took no part; there are anchor, b")):
        with pytest.raises(ValueError, match=words):
            fit(rows, anchors)
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="it takes a number of points"):
            fit(rows, {"anchor": value})
    for option, words in (
        ({"prior": 0}, "prior=0 is not allowed; it takes points from 1 to 100,000"),
        ({"prior": np.nan}, "prior=nan is not allowed"),
        ({"resamples": 0}, "resamples=0 is not allowed; it takes a whole number from 1"),
        ({"seed": -1}, "seed=-1 is not allowed"),
    ):
        with pytest.raises(ValueError, match=words):
            fit(rows, {"anchor": 0}, **option)


def test_rows_that_do_not_fit_are_refused():
    rows = match(["anchor", "b"], [WIN, LOSE])
    for bad, words in (
        (rows._replace(seeds=rows.seeds[:1]), r"rows of anchor, b are not allowed: seeds \(1,\), seating \(2, 2\)"),
        (rows._replace(payoffs=rows.payoffs[:, :1]), r"payoffs \(2, 1\)"),
        (rows._replace(payoffs=np.array([WIN, (np.nan, 1)])), r"payoffs \[nan, 1.0\] of deal 1 are not all numbers"),
        (rows._replace(seating=rows.seating + 1), "seat an unknown agent; seating takes indices into agents"),
        (match(["anchor"], [[1]]), "with S from 2"),
    ):
        with pytest.raises(ValueError, match=words):
            fit([rows, bad], {"anchor": 0})
    for nothing in ([], match(["anchor", "b"], np.zeros((0, 2)), np.zeros((0, 2), int))):
        with pytest.raises(ValueError, match="there are no rows"):
            fit(nothing, {"anchor": 0})


# Games.


def test_agents_of_a_game_are_ranked_from_rows():
    game = brief(TORO)
    names = ("random", "simple", "strong")
    seated = [agents.load(name, game) for name in names]
    rows = [play(game, seated, 20), play(game, seated[1:], 20), play(game, seated[:2], 20)]
    ladder = fit(rows, {"random": 0}, resamples=FEW)
    assert isinstance(ladder, Ladder)
    assert set(ladder.frozen) == set(names)
    assert ladder.frozen["simple"] > 0


def test_an_agent_beside_its_twin_has_its_rating():
    twin = type(RANDOM)("twin", RANDOM.kernel)
    rows = play(KUHN, [RANDOM, twin], 400, seed=1)
    found = rated(rows, {"random": 0}, resamples=200)["twin"]
    assert found.low <= 0 <= found.high
    assert abs(found.rating) < 60 * np.sqrt(400 / 400)
