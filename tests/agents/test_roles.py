"""Agents in each of their roles."""

import numpy as np
import pytest
from kuhn import ALWAYS, HIGH, ROLES, WITH_ROLES
from matches import match

from sobremesa.agents.arena.pairings import play_matches
from sobremesa.agents.arena.ratings import fit, read_choices
from sobremesa.agents.arena.results import NOBODY
from sobremesa.agents.arena.score import by_role, interval, role_scores, score
from sobremesa.agents.builtin import RANDOM

NAMES = ("Fox", "Crow")


def test_agents_are_told_apart_by_role():
    rows = match("ab", [[1, -1], [-1, 1]], [[0, 1], [1, 0]], [4, 4])
    found = by_role(rows, NAMES)
    assert found.agents == ("a (Fox)", "a (Crow)", "b (Fox)", "b (Crow)")
    assert [[found.agents[place] for place in row] for row in found.seating] == [
        ["a (Fox)", "b (Crow)"],
        ["b (Fox)", "a (Crow)"],
    ]
    assert found.payoffs is rows.payoffs
    alone = by_role(match("ab", [[1, -1]], [[1, 1]]), NAMES)
    assert alone.agents == ("b (Fox)", "b (Crow)")  # who does not sit there is not rated


def test_one_fit_rates_both_roles():
    strong_fox = match("ab", [[1, -1]] * 6 + [[1, -1]] * 3 + [[-1, 1]] * 3, [[0, 1]] * 6 + [[1, 0]] * 6)
    even = match("a", [[1, -1], [-1, 1]] * 5, [[0, 0]] * 10, np.arange(10) + 100)
    ratings = fit([by_role(one, NAMES) for one in (strong_fox, even)], {"b (Crow)": 0}, resamples=5).frozen
    assert set(ratings) == {"a (Fox)", "a (Crow)", "b (Fox)", "b (Crow)"}
    assert ratings["a (Fox)"] > ratings["b (Crow)"]


def test_a_lead_compares_one_role_on_the_same_deals():
    deals = np.arange(200)
    luck = np.random.default_rng(2).choice([-1, 1], 200)
    better = np.where(deals % 4 == 0, 1, luck)  # wins a quarter of the deals come what may
    rows = [
        match("co", np.stack([better, -better], 1), seeds=deals),
        match("ro", np.stack([luck, -luck], 1)[::-1], seeds=deals[::-1]),
        match("oc", np.stack([luck, -luck], 1), seeds=deals),
        match("or", np.stack([luck, -luck], 1), seeds=deals),
        match("cx", np.stack([luck, -luck], 1), seeds=deals),  # r never met x
    ]
    rows[0] = rows[0]._replace(forfeits=np.where(deals < 3, 0, np.where(deals < 5, 1, NOBODY)))
    fox, crow = role_scores(rows, "c", "r", NAMES)
    assert (fox.role, fox.opponents, fox.deals) == ("Fox", ("o",), 200)
    assert fox.lead == pytest.approx(np.mean(better - luck))
    assert (fox.value, fox.baseline) == pytest.approx((np.mean(better), np.mean(luck)))
    assert (fox.lead_low, fox.lead_high) == interval((better - luck).astype(float), (-2, 2))
    assert fox.beats
    assert (fox.forfeits, crow.forfeits) == (3, 0)
    assert (crow.role, crow.lead, crow.beats) == ("Crow", 0, False)


def test_what_does_not_fit_is_refused():
    rows = match("ab", [[1, -1]])
    with pytest.raises(ValueError, match="roles Fox are not allowed at a table of 2; it takes one for each seat"):
        by_role(rows, ("Fox",))
    with pytest.raises(ValueError, match="roles Fox are not those of a table of 2"):
        role_scores(rows, "a", "b", ("Fox",))
    with pytest.raises(ValueError, match="a and b played no role against the same opponents"):
        role_scores(rows, "a", "b", NAMES)


def test_a_tournament_with_roles_has_all_that_leads_need():
    matches = play_matches(WITH_ROLES, [RANDOM, ALWAYS, HIGH], 40)
    assert [len(one.agents) for one in matches] == [1, 1, 1, 2, 2, 2]
    roles = ROLES["en"]
    leads = role_scores(matches, "high", "always", roles)
    assert [(one.role, one.opponents[0]) for one in leads] == [
        (role, other) for role in roles for other in ("always", "high", "random")
    ]
    chosen = score(WITH_ROLES, matches, "high", "always")
    assert chosen == tuple(one for one in role_scores(matches, "high", "always", roles) if one.opponents != ("high",))
    choices = read_choices([by_role(one, roles) for one in matches])
    assert len(choices.agents) == 6
