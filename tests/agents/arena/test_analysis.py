"""Analysis of deals: known answers, and deals by hand."""

import json
import math
import re

import numpy as np
import pytest
from foreigners import function
from kuhn import ALWAYS, BET, GAME as KUHN, HIGH, WITH_ROLES
from plank import GAME as PLANK, JUMPER, STAYER, TEAM
from rooms import BANDIDO, ENCIERRO, brief

from sobremesa import agents, envs
from sobremesa.agents.arena import analysis
from sobremesa.agents.arena.analysis import analyse
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.statistics import lead_of, statistics
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.external.agent import Fault
from sobremesa.envs.core.chance import KEY
from sobremesa.envs.core.deal import random_deal
from sobremesa.report.analysis_page import lines_of, report
from sobremesa.serve.win_chances import course


class Policy:
    """Bets with a chance of one in four, and says so."""

    name = "policy"

    def chances(self, observations, masks, memory):
        return np.tile([0.75, 0.25], (len(observations), 1))

    def act_batch(self, observations, masks, streams):
        return np.full(len(observations), BET)


class ByView:
    """Asked one view at a time; flips a coin that follows from its view."""

    name = "by view"

    def act(self, view):
        return int(view.stream["stream"][0, KEY]) % 2


class NeverAlike:
    """Draws from a stream of its own: no deal is played twice alike."""

    name = "never alike"

    def __init__(self):
        self.rng = np.random.default_rng(1)

    def act(self, view):
        return int(self.rng.choice(np.flatnonzero(view.mask)))


def test_random_play_has_the_entropy_of_a_coin():
    found = analyse(KUHN, [RANDOM], 60, looks=2, rollouts=2, answers=64)
    assert found.entropy.most == 1
    assert found.entropy.bits.mean == pytest.approx(1, abs=0.03)
    assert found.branching.actions.mean == 2
    assert found.branching.parts[0] == 2
    assert analyse(KUHN, [ByView()], 5, looks=1, rollouts=1, answers=40).entropy.bits.mean > 0.8


def test_entropy_is_zero_for_settled_choices_else_of_the_policy():
    bits = analyse(KUHN, [HIGH], 5, looks=2, rollouts=2).entropy.bits
    assert bits[:2] == (0, 0)
    assert 0 < bits.high < 1  # five deals that are alike leave something open
    said = analyse(KUHN, [Policy()], 5, looks=2, rollouts=2).entropy.bits.mean
    assert said == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)))


def test_statistics_are_those_of_the_same_deals():
    one = analyse(KUHN, [HIGH], 40, seed=4, followed=3, rollouts=2)
    assert one.statistics == statistics(KUHN, HIGH, 40, seed=4)
    assert sum(deals for _, deals in one.lengths) == 40
    assert one.followed == 3
    two = analyse(KUHN, [HIGH, ALWAYS], 40, seed=4, followed=3, rollouts=2)
    assert two.agents == ("high", "always")
    assert two.statistics.agent == "high, always"


def test_wins_of_each_agent_are_told():
    brief = {"followed": 1, "looks": 1, "rollouts": 1}
    found = analyse(KUHN, [ALWAYS, HIGH], 40, seed=4, **brief)
    rows = play(KUHN, [ALWAYS, HIGH], 40, seed=4)
    told = {name: share.mean for name, share in found.won}
    assert list(told) == ["always", "high"]
    assert sum(told.values()) == pytest.approx(1)
    always = rows.payoffs[rows.seating == 0].mean()
    assert told["always"] == pytest.approx((1 + always) / 2)
    assert analyse(KUHN, [HIGH], 5, **brief).won == ()
    assert "wins, always" in "\n".join(lines_of(KUHN, [found]))
    page = report(KUHN, [found], 0)
    assert "Who won" in page
    assert "Who won" not in report(KUHN, [analyse(KUHN, [HIGH], 5, **brief)], 0)


def test_charts_have_axes():
    found = analyse(KUHN, [ALWAYS, HIGH], 40, seed=4, followed=3, rollouts=2)
    low, high = found.lengths[0][0], found.lengths[-1][0]
    [lengths] = [line for line in lines_of(KUHN, [found]) if "length of deals" in line]
    assert re.search(rf"\| {low} [▁▂▃▄▅▆▇█ ]+ {high} *\|", lengths)
    page = report(KUHN, [found], 0)
    assert page.count('class="scale"') == page.count('class="columns"') > 2
    assert f"<span>{max(deals for _, deals in found.lengths)} deals</span>" in page
    assert f"<span>{low} plies</span>" in page


def test_agents_keep_the_roles_that_they_are_named_for():
    brief = {"followed": 1, "looks": 1, "rollouts": 1}
    rows = play(KUHN, [ALWAYS, HIGH], 40)
    opened = (rows.payoffs[rows.seating[:, 0] == 0, 0].mean() + 1) / 2  # by the one that always bets
    with_roles = analyse(WITH_ROLES, [ALWAYS, HIGH], 40, **brief)
    assert with_roles.statistics.wins[0].mean == pytest.approx(opened)
    in_turn = analyse(KUHN, [ALWAYS, HIGH], 40, **brief)
    assert in_turn.statistics.wins[0].mean != pytest.approx(opened)


@pytest.fixture
def chances(monkeypatch):
    """Return what the lead is worked out of, the latest last: chances, errors and worth."""
    seen = []
    monkeypatch.setattr(analysis, "lead_of", lambda *given: seen.append(given) or lead_of(*given))
    return seen


def test_chances_are_those_of_the_game(chances):
    """One always bets, the other flips a coin; a fold is worth 3/4 to the winner, a higher card that is shown all."""
    analyse(KUHN, [ALWAYS, RANDOM], 30, looks=1, rollouts=400)
    found, errors, _ = chances[-1]
    assert found.shape == (30, 1, 2)
    assert errors.all()
    for opens, (low, high) in enumerate([(3 / 16, 15 / 16), (3 / 8, 7 / 8)]):
        its = found[1 - opens :: 2, 0, 1 - opens]  # of the one that always bets
        gap = np.abs(its[:, None] - [low, high])
        assert gap.min(1).max() < 0.1
        assert set(gap.argmin(1)) == {0, 1}


def test_where_all_rollouts_are_alike_there_is_no_lead(chances):
    """Two that always bet: nothing is left to chance, so that win rates would be 0 and 1 at every look."""
    found = analyse(KUHN, [ALWAYS], 6, looks=2, rollouts=3)
    assert not chances
    assert (found.settled, found.single, found.lead) == (1, 1, None)
    told = "\n".join(lines_of(KUHN, [found]))
    assert told.count("not available: every rollout is the same future") == 5
    assert "Chance of the winners" not in report(KUHN, [found], 0)
    json.dumps(found, allow_nan=False)


def test_the_order_of_the_deck_is_not_that_of_the_deal(chances):
    """The agents leave nothing to chance here, so that with one order alone each chance is 0 or 1."""
    found = analyse(BANDIDO, [agents.load("strong", BANDIDO)], 4, looks=2, rollouts=12, answers=1)
    assert ((chances[-1][0][:, 0] > 0) & (chances[-1][0][:, 0] < 1)).any()
    assert found.single <= found.settled < 1
    assert "Chance of the winners" in report(BANDIDO, [found], 0)


def test_the_course_of_a_deal_is_over_orders_of_the_deck():
    plies = list(random_deal(BANDIDO, 1, {"seats": 2}))[:3]
    plies += list(random_deal(BANDIDO, 1, {"seats": 2}))[-1:]
    chances = np.array(course(BANDIDO, plies, 0, looks=3)["chances"])
    assert ((chances[:-1] > 0) & (chances[:-1] < 1)).all()


def test_a_course_of_one_future_has_no_chances(monkeypatch):
    game = envs.load("kuhn_poker")
    plies = list(random_deal(game, 3))
    assert course(game, plies, 0, rollouts=60)["chances"]
    monkeypatch.setattr(agents, "load", lambda *_: ALWAYS)
    looks = len(plies) - 1
    assert course(game, plies, 0) == {"plies": list(range(looks + 1)), "chances": [], "turns": [], "single": looks}


def test_agents_need_not_draw_from_their_seeds(monkeypatch):
    seen = []
    rollouts = analysis._rollouts
    monkeypatch.setattr(analysis, "_rollouts", lambda *given: seen.append(given[2]) or rollouts(*given))
    found = analyse(KUHN, [NeverAlike()], 60, looks=3, rollouts=2, answers=2)
    assert len(found.branching.parts) == analysis.PARTS
    states, left = seen[0].states, seen[0].left
    assert not states["over"].any()
    assert (states["ply"][:, 0] == 0).all()
    assert (left > 0).all()
    assert sum(deals for _, deals in found.lengths) == len(states) == 60
    np.testing.assert_array_equal(np.unique(left[:, 0]), [low for low, deals in found.lengths if deals])


def test_external_agents_are_analysed_with_a_warning(tmp_path, monkeypatch):
    drawn = "import random\ndef act(view):\n    return random.choice(view.legal)\n"
    agent = agents.load(function(tmp_path, drawn))
    monkeypatch.setattr(analysis, "MANY_ASKED", 5)
    with pytest.warns(UserWarning, match="external agents will play about"):
        found = analyse(KUHN, [agent, HIGH], 6, followed=2, looks=2, rollouts=2, answers=2)
    assert found.statistics.deals == 6
    assert not agent._seats
    broken = agents.load(function(tmp_path, "def act(view):\n    return -1\n"))
    with pytest.raises(Fault, match="seat 0: illegal"):
        analyse(KUHN, [broken, HIGH], 2, followed=1)
    assert not broken._seats


def test_rollouts_have_chance_of_their_own():
    found = analyse(PLANK, [STAYER], 20, seats=2, looks=4, rollouts=16)
    assert 0.35 < found.lead.winner[0] < 0.7  # nothing is known at the beginning
    assert found.lead.winner[0] < found.lead.winner[-1] < 1


def test_a_team_plays_against_the_table():
    one = analyse(TEAM, [STAYER], 60, seats=4, looks=4, rollouts=8)
    assert one.lead.winner[-1] > one.lead.winner[0]
    assert one.lead.drawn == 0


# Leads by hand: (F, L, S).


def lead(*deals, won, errors=0.01):
    chances = np.array(deals, float)
    return lead_of(chances, np.full(chances.shape[:2], errors), np.array(won, float))


A, B, EVEN = (0.9, 0.1), (0.2, 0.8), (0.5, 0.5)


@pytest.mark.parametrize(
    ("looks", "changes", "decided"),
    [
        ((A, A, A, A), 0, 0),
        ((EVEN, A, A, A), 0, 0.25),
        ((B, A, B, A), 3, 0.75),
        ((B, EVEN, A, A), 1, 0.5),  # who led before keeps the claim
        ((A, EVEN, A, A), 0, 0.5),
        ((B, B, B, B), 0, 1),  # the winner never led
        ((A, A, A, EVEN), 0, 1),
    ],
)
def test_changes_and_decisions(looks, changes, decided):
    found = lead(looks, won=[(1, 0)])
    assert (found.changes.mean, found.decided.mean) == (changes, decided)
    assert found.half.mean == (decided <= 0.5)
    assert found.none == (changes == 0)


def test_a_lead_that_may_be_chance_is_none():
    assert lead((A, B, A, B), won=[(0, 1)], errors=0.5).changes.mean == 0


def test_who_shares_the_win_has_won_unless_all_do():
    all_three = lead(((0.9, 0.1, 0.0),) * 2, won=[(1 / 3, 1 / 3, 1 / 3)])
    assert (all_three.drawn, all_three.decided.mean) == (1, 1)
    two = lead(((0.6, 0.4, 0.0),) * 2, won=[(0.5, 0.5, 0)])
    assert (two.drawn, two.decided.mean, two.winner[0]) == (0, 0, 1)


def test_more_deals_than_tables_are_looked_at_alike(monkeypatch):
    seated = [STAYER, JUMPER, RANDOM]
    whole = analyse(PLANK, seated, 9, looks=3, rollouts=4, answers=4)
    monkeypatch.setattr(analysis, "TABLES", 4)
    assert analyse(PLANK, seated, 9, looks=3, rollouts=4, answers=4) == whole


def test_a_game_with_chance_and_forced_moves_is_analysed():
    game = brief(ENCIERRO)
    found = analyse(game, [agents.load("simple", game)], 20, followed=2, looks=3, rollouts=2, answers=2)
    assert found.branching.actions.low >= 2
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("name", ["followed", "looks", "rollouts", "answers"])
def test_bad_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 is not allowed; it takes a whole number from 1"):
        analyse(KUHN, [HIGH], 2, **{name: 0})
    with pytest.raises(ValueError, match="deals=0 is not allowed"):
        analyse(KUHN, [HIGH], 0)
    with pytest.raises(ValueError, match="plank: 2 agents are given for a table of 3; it takes 1 or 3"):
        analyse(PLANK, [STAYER, JUMPER], 2, seats=3)
