"""Leaderboards: ranks from results, and their files."""

import dataclasses
import json
import math

import numpy as np
import pytest
from kuhn import ALWAYS, GAME as KUHN, HIGH, WITH_ROLES
from matches import LOSE, WIN, match
from plank import GAME as PLANK, JUMPER, STAYER, TEAM

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.ladder import parts
from sobremesa.agents.arena.leaderboard import by_seat, rank
from sobremesa.agents.arena.leaderboard_file import LadderError
from sobremesa.agents.arena.pairings import copies, matchups, play_matches
from sobremesa.agents.arena.ratings import fit, place
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import nature, win_rate
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.stored import LARGEST
from sobremesa.commands import ladder as ladder_command
from sobremesa.envs.core.agent import KernelAgent
from sobremesa.report import ladder_page


def ladder_of(game, met, deals=None, **setup):
    deals = deals or 60
    matches = play_matches(game, met, deals, seed=3, **setup)
    return matches, rank(game, matches, deals=deals, seed=3, resamples=20, command="made", commit="here", **setup)


# Tournaments.


def test_everybody_meets_everybody_on_the_same_deals():
    assert matchups(KUHN, 3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert matchups(PLANK, 2, 3) == [(0, 1), (1, 0)]
    assert matchups(TEAM, 2, 3) == matchups(TEAM, 2, 1) == [(0,), (1,)]
    assert matchups(WITH_ROLES, 2, 2) == [(0,), (1,), (0, 1)]
    told = []
    matches = play_matches(PLANK, [STAYER, JUMPER, RANDOM], 4, seed=5, progress=lambda *done: told.append(done))
    assert len(matches) == 6
    assert all(one.seeds.tolist() == matches[0].seeds.tolist() for one in matches)
    assert told[-1] == (72, 72, "random against jumper")
    assert copies(PLANK, STAYER, 4, seed=5, seats=3).seeds.tolist() == matches[0].seeds[::3].tolist()


def test_tournaments_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="two agents have the name 'random'"):
        play_matches(KUHN, [RANDOM, RANDOM], 2)
    with pytest.raises(ValueError, match="kuhn: a match needs two agents or more, got 1"):
        play_matches(KUHN, [RANDOM], 2)
    with pytest.raises(ValueError, match="seats=9 is not allowed"):
        play_matches(KUHN, [RANDOM, HIGH], 2, seats=9)
    with pytest.raises(ValueError, match="deals=0 is not allowed"):
        play_matches(TEAM, [RANDOM, STAYER], 0)


# Leaderboards.


def test_a_ladder_has_the_ratings_and_win_rates_of_its_results():
    matches, ladder = ladder_of(KUHN, [RANDOM, ALWAYS, HIGH])
    ratings = fit(matches, {"random": 0}, seed=3, resamples=20).ratings
    assert [one[:5] for one in ladder.rungs] == list(ratings)
    assert ladder.ladder.ratings == ratings
    assert ladder.anchors == {"random": 0}
    upper, lower = ladder.rungs[:2]
    assert upper.ahead.mean == pytest.approx(upper.value - lower.value, abs=2)  # the prior weighs a little
    assert ladder.rungs[-1].ahead is None
    i, j = (ladder.agents.index(name) for name in ("always", "high"))
    assert ladder.matrix[i][j] == pytest.approx(win_rate(matches[2]).value)
    assert math.isnan(ladder.matrix[i][i])
    assert ladder.seats == by_seat(matches)
    assert ladder.setup == {"seats": 2}


def test_at_larger_tables_the_matrix_is_one_among_copies():
    matches, ladder = ladder_of(PLANK, [RANDOM, STAYER], seats=3)
    i, j = (ladder.agents.index(name) for name in ("stayer", "random"))
    assert ladder.matrix[i][j] == pytest.approx(win_rate(matches[1]).value)
    assert ladder.matrix[j][i] == pytest.approx(win_rate(matches[0]).value)


def test_seats_are_compared_over_all_who_sit_there():
    rows = match("ab", [WIN, LOSE, WIN, WIN], [[0, 1], [1, 0], [0, 1], [1, 0]], [1, 1, 2, 2])
    first, second = by_seat(rows)
    assert (first.mean, second.mean) == (0.75, 0.25)
    assert by_seat(rows, "a")[0].mean == 1
    assert by_seat(rows, "b")[0].mean == 0.5
    with pytest.raises(ValueError, match="'c' did not sit at seat 0"):
        by_seat(rows, "c")
    with pytest.raises(ValueError, match="tables of 2, 3 seats are not allowed"):
        by_seat([rows, match("abc", [[1, -0.5, -0.5]])])


def test_roles_stand_on_the_ladder_one_by_one():
    _, ladder = ladder_of(WITH_ROLES, [RANDOM, HIGH])
    assert set(ladder.agents) == {f"{name} ({role})" for name in ("random", "high") for role in ("Opener", "Answerer")}
    assert ladder.anchors == {"random (Opener)": 0}
    assert set(ladder.by_seat) == {"random", "high"}


def test_teams_stand_on_the_ladder_by_their_success():
    _, ladder = ladder_of(TEAM, [RANDOM, STAYER, JUMPER], 200, seats=4)
    assert ladder.agents == ("stayer", "random", "jumper")
    best, middle, _ = ladder.rungs
    assert best.low <= best.value <= best.high
    assert best.ahead.mean == pytest.approx(best.value - middle.value)
    assert ladder.matrix[0][1] == pytest.approx(best.ahead.mean) == pytest.approx(-ladder.matrix[1][0])
    assert (ladder.anchors, ladder.seats, ladder.by_seat) == ({}, (), {})


# Agents that think ahead, on fewer deals. Here one is called so alone: what it plays is cheap.


THINKER = KernelAgent("search(high)", HIGH.kernel)


def with_search(game, met, few, deals=400, **setup):
    """Return the ladder of `met` on `deals` deals and of the thinker against the last of them on `few`."""
    wanted = [(0, 1)] if nature(game).rated else [(0,)]
    matches = play_matches(game, met, deals, seed=3, **setup)
    matches += play_matches(game, [THINKER, met[-1]], few, seed=3, wanted=wanted, **setup)
    return matches, rank(game, matches, deals=deals, search_deals=few, seed=3, resamples=200, **setup)


def test_who_thinks_ahead_meets_who_does_not_and_is_not_weak():
    game = envs.load("corre_el_encierro")
    specs = ["random", "simple", "strong", "trained", "search(strong)", "search(trained)"]
    every, few = parts(game, specs, 3, 4000, 20)
    assert every == ((0, 1, 2, 3), matchups(game, 4, 3), 4000)
    assert few == ((4, 5, 2, 3), [(0, 2), (0, 3), (1, 2), (1, 3)], 20)
    assert parts(game, specs, 3, 4000, None) == [(tuple(range(6)), matchups(game, 6, 3), 4000)]
    assert parts(envs.load("bandido_alcatraz"), specs, 2, 9, 9)[1] == ((4, 5), [(0,), (1,)], 9)
    assert parts(envs.load("estafado"), specs, 2, 9, 9)[1] == few._replace(deals=9)  # in roles none meets itself
    assert parts(KUHN, ["random", "search(random)"], 2, 9, 9) == [((1, 0), [(0, 1)], 9)]  # random has nobody to meet
    with pytest.raises(ValueError, match="search_deals=5 needs a searching agent"):
        parts(game, specs[:4], 3, 10, 5)
    with pytest.raises(ValueError, match="search_deals=11 is above deals=10"):
        parts(game, specs, 3, 10, 11)


def test_a_match_weighs_by_its_deals():
    matches, ladder = with_search(KUHN, [RANDOM, HIGH, ALWAYS], 30)
    _, without = ladder_of(KUHN, [RANDOM, ALWAYS, HIGH], 400)
    rungs = {one.agent: one for one in ladder.rungs}
    assert [rungs[name].deals for name in ("high", "search(high)")] == [400, 30]
    for one in without.rungs:  # the few deals hardly move the others
        assert rungs[one.agent].value == pytest.approx(one.value, abs=10)
    alone = place(matches[-1], without.ladder, seed=3, resamples=200)
    found = rungs["search(high)"]
    assert found.value == pytest.approx(alone.rating, abs=15)
    widths = [one.high - one.low for one in (found, rungs["high"], alone)]
    assert widths[0] > 2 * widths[1]  # few deals tell less
    assert widths[0] == pytest.approx(widths[2], rel=0.4)  # as little as they do by themselves
    i, j, k = (ladder.agents.index(name) for name in ("search(high)", "always", "random"))
    assert ladder.matrix[i][j] == pytest.approx(win_rate(matches[-1]).value)
    assert math.isnan(ladder.matrix[i][k])


def test_a_team_that_thinks_ahead_has_its_own_deals():
    matches, ladder = with_search(TEAM, [RANDOM, STAYER], 25, 100, seats=4)
    rungs = {one.agent: one for one in ladder.rungs}
    assert [rungs[name].deals for name in ("random", "stayer", "search(high)")] == [100, 100, 25]
    payoffs = [one.payoffs[:, 0] for one in matches]
    assert rungs["stayer"].value == pytest.approx(payoffs[1].mean())
    i, j = (ladder.agents.index(name) for name in ("stayer", "search(high)"))
    assert ladder.matrix[i][j] == pytest.approx((payoffs[1][:25] - payoffs[2]).mean())


def test_deals_of_who_thinks_ahead_are_kept_and_checked(tmp_path):
    file = tmp_path / "ladder.json"
    _, ladder = with_search(KUHN, [RANDOM, HIGH], 6, 20)
    leaderboard_file.write(file, ladder)
    assert repr(leaderboard_file.read(file, KUHN)) == repr(ladder)
    sound = json.loads(file.read_text(encoding="utf-8"))
    assert (sound["format"], sound["search_deals"]) == (2, 6)
    renamed = [{**one, "agent": one["agent"].replace("search(high)", "deep")} for one in sound["rungs"]]
    for change, told in (
        ({"format": 1}, "it has format 1; this version of Sobremesa reads 2"),
        ({"search_deals": 0}, "Expected `int` >= 1"),
        ({"search_deals": 5}, "search_deals: 5 is no number from the 6 of a rung to all 20"),
        ({"search_deals": 21}, "search_deals: 21 is no number from the 6 of a rung to all 20"),
        ({"rungs": renamed}, "search_deals: there is no search agent on the rungs"),
    ):
        file.write_text(json.dumps({**sound, **change}), encoding="utf-8")
        with pytest.raises(LadderError) as caught:
            leaderboard_file.read(file, KUHN)
        assert told in str(caught.value)


# The file.


@pytest.fixture(params=["kuhn", "roles", "team", "open"])
def kept(request, tmp_path):
    """A ladder that was written, its game, and its file."""
    game, met = {
        "kuhn": (KUHN, [RANDOM, HIGH]),
        "roles": (WITH_ROLES, [RANDOM, HIGH]),
        "team": (TEAM, [RANDOM, STAYER]),
        "open": (KUHN, [RANDOM, HIGH]),
    }[request.param]
    _, ladder = ladder_of(game, met, 5)
    if request.param == "open":
        rung = ladder.rungs[0]
        low = rung._replace(low=-math.inf, high=math.inf, ahead=rung.ahead and rung.ahead._replace(high=math.inf))
        ladder = dataclasses.replace(ladder, rungs=(low, *ladder.rungs[1:]))
    leaderboard_file.write(tmp_path / "ladder.json", ladder)
    return ladder, game, tmp_path / "ladder.json"


def test_a_ladder_is_read_as_it_was_written(kept):
    ladder, game, file = kept
    assert repr(leaderboard_file.read(file, game)) == repr(ladder)  # nan is not equal to itself
    text = file.read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text


def spoilt(ladder):
    """Yield (what is changed, what is said of it) for the JSON of a ladder of two at Kuhn poker."""
    rung = ladder["rungs"][0]
    yield {"format": 3}, "it has format 3; this version of Sobremesa reads 2"
    yield {"format": True}, "it has format True"
    yield {"game": "plank"}, "it is of another game (game 'plank', kuhn-v1 has 'kuhn')"
    yield {"version": 0}, "(version 0, kuhn-v1 has 1; in version 0 chance could be foretold)"
    yield {"rules_hash": "0" * 16}, "the rules have changed since it was made"
    yield {"setup": {}}, "setup: [] are not the options of kuhn-v1"
    yield {"setup": {"seats": 3}}, "setup: kuhn: seats=3 is not allowed"
    yield {"rungs": []}, "it takes one agent at least"
    yield {"rungs": [rung, rung]}, "it takes one agent at least, and each once"
    yield {"rungs": [1]}, "Expected `object`, got `int` - at `$.rungs[0]`"
    yield {"rungs": [{**rung, "agent": "a\nb"}]}, r"'a\nb' is not a name of an agent"
    yield {"rungs": [{**rung, "value": "1"}]}, "Expected `float`, got `str` - at `$.rungs[0].value`"
    yield {"rungs": [{**rung, "low": rung["high"] + 1}]}, "before it begins"
    yield {"rungs": [{**rung, "low": None}]}, "rungs[0].open_low does not fit None"
    yield {"rungs": [{**rung, "deals": -1}]}, "Expected `int` >= 0 - at `$.rungs[0].deals`"
    yield {"rungs": [{**rung, "ahead": {}}]}, "missing required field `value` - at `$.rungs[0].ahead`"
    yield {"agents": ["high"]}, "are not those of the rungs"
    yield {"matrix": [[1, 0]]}, "matrix: it takes a row and a column an agent"
    yield {"matrix": [[1, "x"], [1, 2]]}, "Expected `float | null`, got `str` - at `$.matrix[0][1]`"
    yield {"too_long": [[1, 0]]}, "too_long: it takes a row and a column an agent"
    yield {"too_long": [[None, 2], [0, None]]}, "too_long[0][1] is 2.0, no number from 0 to 1"
    yield {"seats": [1, 2]}, "Expected `object`, got `int` - at `$.seats[0]`"
    yield {"seats": []}, "the setup has 2"
    yield {"by_seat": {"high": [0.5]}}, "the setup has 2"
    yield {"anchors": {"nobody": 0}}, "anchor 'nobody' at 0.0 is not among the rungs"
    yield {"anchors": {"random": 1}}, "anchor 'random' at 1.0 is not among the rungs"
    yield {"anchors": {}}, "anchors: it takes one at least"
    yield {"prior": 0}, "prior is 0.0, no number from 1"
    yield {"seed": -1}, "Expected `int` >= 0 - at `$.seed`"
    yield {"deals": 1.5}, "Expected `int`, got `float` - at `$.deals`"
    yield {"builds": {"high": 1}}, "Expected `str`, got `int` - at `$.builds[...]`"
    yield {"command": None}, "Expected `str`, got `null` - at `$.command`"
    yield {"command": "rm\x1b[2J"}, r"command is 'rm\x1b[2J', no text in one line"
    yield {"commit": "a\nb"}, r"commit is 'a\nb', no text in one line"
    other, names = ladder["rungs"][1], ladder["agents"]
    turned = [{**other, "ahead": rung["ahead"]}, {**rung, "ahead": None}]
    yield {"rungs": turned, "agents": names[::-1]}, f"rungs: {names[1]!r} stands above {names[0]!r}, but is worse"
    yield {"rungs": [{**rung, "value": 1e308}, other]}, "rungs[0].value is 1e+308, no number from -1e+06 to 1e+06"
    yield {"rungs": [{**rung, "value": 10**400}, other]}, "Number out of range - at `$.rungs[0].value`"
    yield {"rungs": [{**rung, "value": math.nan}, other]}, "rungs[0].value is nan, no number"
    closed = {"low": rung["value"] + 1, "high": rung["value"] + 2, "open_low": False, "open_high": False}
    yield {"rungs": [{**rung, **closed}, other]}, "lies outside of its interval"
    yield {"rungs": [{**rung, "ahead": None}, other]}, f"rungs: {names[0]!r} has no `ahead`"
    yield {"rungs": [rung, {**other, "ahead": rung["ahead"]}]}, f"rungs: {names[1]!r} is last, but has `ahead`"
    yield {"matrix": [[None, 7], [0, None]]}, "matrix[0][1] is 7.0, no number from 0 to 1"
    yield {"seats": [{"mean": 0.5, "low": 0.6, "high": 0.7}] * 2}, "seats[0]: 0.5 lies outside of its interval"
    yield {"by_seat": {**ladder["by_seat"], "high": [-3, 0.5]}}, "by_seat['high'][0] is -3.0, no number from 0 to 1"
    yield {"by_seat": {"high": [0.5, 0.5], "nobody": [0.5, 0.5]}}, "by_seat: ['high', 'nobody'] are not those of the"
    yield {"prior": 1e300}, "prior is 1e+300, no number from 1 to 100000"
    yield {"resamples": 10**15}, "Expected `int` <= 1000000 - at `$.resamples`"
    yield {"setup": {"seats": 10**400}}, "setup: "


def test_a_ladder_of_teams_holds_rates(tmp_path):
    file = tmp_path / "ladder.json"
    _, ladder = ladder_of(TEAM, [RANDOM, STAYER], 20)
    leaderboard_file.write(file, ladder)
    sound = json.loads(file.read_text(encoding="utf-8"))
    best = sound["rungs"][0]
    for change, told in (
        (
            {"rungs": [{**best, "value": 1.5, "high": 2}, sound["rungs"][1]]},
            "rungs[0].value is 1.5, no number from 0 to 1",
        ),
        ({"matrix": [[None, -2], [2, None]]}, "matrix[0][1] is -2.0, no number from -1 to 1"),
    ):
        file.write_text(json.dumps({**sound, **change}), encoding="utf-8")
        with pytest.raises(LadderError) as caught:
            leaderboard_file.read(file, TEAM)
        assert told in str(caught.value)


def test_fields_beside_a_ladder_are_passed_over(tmp_path):
    _, ladder = ladder_of(KUHN, [RANDOM, HIGH], 5)
    leaderboard_file.write(tmp_path / "ladder.json", ladder, {"forfeits": []})
    assert json.loads((tmp_path / "ladder.json").read_text(encoding="utf-8"))["forfeits"] == []
    assert leaderboard_file.read(tmp_path / "ladder.json", KUHN).rungs == ladder.rungs


def test_a_spoilt_ladder_is_refused_with_the_reason(tmp_path):
    file = tmp_path / "ladder.json"
    _, ladder = ladder_of(KUHN, [RANDOM, HIGH], 40)
    leaderboard_file.write(file, ladder)
    sound = json.loads(file.read_text(encoding="utf-8"))
    cases = list(spoilt(sound))
    for change, told in cases:
        file.write_text(json.dumps({**sound, **change}), encoding="utf-8")
        with pytest.raises(LadderError) as caught:
            leaderboard_file.read(file, KUHN)
        assert told in str(caught.value), change
        assert str(caught.value).startswith(f"{file}: ")
    for name in sound.keys() - {"too_long"}:  # older files lack this
        file.write_text(json.dumps({key: value for key, value in sound.items() if key != name}), encoding="utf-8")
        with pytest.raises(LadderError):
            leaderboard_file.read(file, KUHN)
    assert len(cases) > 40


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"rungs": NaN, "format": 1}'])
def test_what_is_no_ladder_is_refused(tmp_path, content):
    file = tmp_path / "ladder.json"
    file.write_bytes(content)
    with pytest.raises(LadderError, match=r"ladder\.json: "):
        leaderboard_file.read(file, KUHN)
    with pytest.raises(LadderError, match="no ladder there, it cannot be read"):
        leaderboard_file.read(tmp_path, KUHN)
    with open(file, "wb") as large:
        large.truncate(LARGEST + 1)
    with pytest.raises(LadderError, match="larger than the"):
        leaderboard_file.read(file, KUHN)


# What comes with the library.


FROZEN = [name for name in envs.all_games() if leaderboard_file.frozen_file(envs.load(name)).exists()]


def test_games_have_ladders():
    assert {"ese_toro_enamorado", "corre_el_encierro", "estafado"} <= set(FROZEN) <= set(envs.games())


@pytest.mark.parametrize("name", FROZEN)
def test_the_library_ladder_fits_the_game_and_its_agents(name):
    game = envs.load(name)
    ladder = leaderboard_file.frozen(game)
    kind = nature(game)
    thinking = [f"search({one})" for one in agents.names(game) if one not in ("random", "simple")]
    known = agents.names(game) + (thinking if ladder.search_deals else [])
    assert set(ladder.agents) == {called for one in known for called in kind.called(one)}
    assert ladder.setup["seats"] == game.default_seats
    bots = [agents.load(one, game) for one in agents.names(game) if one not in agents.scripted_names(game)]
    builds = {bot.name: bot.manifest["sha256"] for bot in bots}
    assert {name: build for name, build in ladder.builds.items() if name not in thinking} == builds
    assert ladder.commit not in ("", "unknown")
    assert ladder.command.startswith(f"sobremesa ladder {name} ")
    np.testing.assert_array_less(0, [one.deals for one in ladder.rungs])
    if not kind.rated:  # teams have rates, and no points
        return
    strong = kind.called("strong")[0]
    even = match(["mine", strong], [WIN, LOSE] * 30)
    assert place(even, ladder.ladder, resamples=5).rating == pytest.approx(ladder.ladder.frozen[strong], abs=10)


def test_a_game_without_a_ladder_has_none():
    assert leaderboard_file.frozen(KUHN) is None


@pytest.mark.parametrize(("game", "met"), [(KUHN, [RANDOM, HIGH]), (TEAM, [RANDOM, STAYER])])
def test_a_ladder_of_one_deal_has_no_intervals(game, met, tmp_path):
    ladder = ladder_of(game, met, 1)[1]
    file = tmp_path / "ladder.json"
    leaderboard_file.write(file, ladder)
    assert "NaN" not in file.read_text(encoding="utf-8")
    for one in (ladder, leaderboard_file.read(file, game)):
        assert not any(math.isfinite(rung.low) for rung in one.rungs if rung.agent not in one.anchors)
        assert all(math.isnan(seat.low) for seat in one.seats)
        told = "\n".join(ladder_command.lines_of(game, one, "en"))
        assert "no interval" in told
        page = ladder_page.report(game, one, [], "en")
        assert "nan%" not in page


def test_ratings_of_equal_deals_have_intervals_with_a_width():
    deals = np.repeat(np.arange(10), 2)
    payoffs = np.array([[1, -1], [1, -1]] * 10, np.float32)  # the first seat wins all deals
    rows = Results(("a", "b"), deals, np.array([[0, 1], [1, 0]] * 10), payoffs, np.ones(20, np.int32))
    found = next(one for one in fit(rows, {"a": 0.0}).ratings if one.agent == "b")
    assert found.rating == pytest.approx(0, abs=1)
    assert found.low < -80 < 80 < found.high
