"""Levels of play: each level beats the one below it head to head."""

import io
import itertools
import math

import pytest

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import leaderboard_file, level_tuning
from sobremesa.agents.arena.level_tuning import measure
from sobremesa.agents.arena.pairings import play_among_copies, play_matches
from sobremesa.agents.arena.score import Estimate, Score, win_rate
from sobremesa.agents.levels import LEVEL_NAMES, LEVELS, agent_of, level_of, levels, player_name
from sobremesa.agents.named import is_search
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.serve import opponents
from sobremesa.serve.lobby import quick
from sobremesa.serve.opponents import Opponents, levels_of

DEALS, TEAM_DEALS = 24, 120  # of a step here; docs/results/levels.md has 1,000 deals
SMALLEST = 40  # points of a step


@pytest.mark.parametrize("name", envs.games())
def test_each_level_beats_the_level_below(name):
    game = envs.load(name)
    deals = TEAM_DEALS if game.cooperative else DEALS
    for weak, strong in itertools.pairwise(levels(game).values()):
        if is_search(strong):  # too slow to play here
            rungs = {one.agent: one for one in leaderboard_file.frozen(game).rungs}
            assert rungs[strong].low > rungs[weak].high
            continue
        for step in measure(game, strong, weak, [game.default_seats], deals, seed=3):
            assert step.points.mean > SMALLEST, step


@pytest.mark.parametrize("name", envs.games())
def test_the_levels_are_four_agents(name):
    game = envs.load(name)
    assert tuple(levels(game)) == LEVELS
    for level, agent in levels(game).items():
        assert agents.load(agent, game).name == agent
        assert level_of(agent, game) == level
    assert len({agents.identity(agents.load(agent, game)) for agent in levels(game).values()}) == len(LEVELS)
    offered = {one.level: one.spec for one in Opponents().offers(game) if one.level}
    assert offered == levels(game)


def test_a_level_that_cannot_run_is_not_offered(monkeypatch):
    game = envs.load("bandido_alcatraz")
    monkeypatch.setattr(opponents, "_can_run", lambda name, game: name in ("random", "simple", "strong"))
    levels_of.cache_clear()
    assert levels_of(game) == {"champion": "search(strong)"}
    assert {one.spec for one in quick(game, Opponents(), "Ana", "easy").seated} <= {"", *agents.scripted_names(game)}
    levels_of.cache_clear()


def test_points_are_those_of_a_ladder():
    found = level_tuning.points_of(made_score(value=0.75, baseline=0.5, role=""))
    assert found.mean == pytest.approx(400 * math.log10(3))
    assert found.low == pytest.approx(400 * math.log10(0.7 / 0.3))
    assert found.high == math.inf
    in_role = level_tuning.points_of(made_score(value=0.5, baseline=-0.5, role="Fox"))
    assert in_role.mean == pytest.approx(400 * math.log10(9))


def made_score(value, baseline, role):
    return Score("a", "b", 2, 10, value, 0, 1, baseline, value - baseline, 0.2, 1 - baseline, plies=1.0, role=role)


def test_a_table_of_levels_has_every_step(monkeypatch, capsys):
    game = envs.load("bandido_alcatraz")
    monkeypatch.setattr(level_tuning, "levels", lambda game: {"easy": "random", "hard": "simple", "champion": "strong"})
    monkeypatch.setattr("sys.argv", ["level_tuning", game.name, "--measure", "--deals", "20", "--seats", "1", "2"])
    level_tuning.main()
    lines = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    steps = [(one[1].strip(), one[2].strip()) for one in lines]
    assert steps[2:6] == [(step, n) for step in ("champion over hard", "hard over easy") for n in ("1", "2")]
    assert steps[-3:] == [(level, "2") for level in ("champion", "hard", "easy")]
    by_team = play_matches(game, [agents.load(one, game) for one in ("strong", "simple")], 20, seed=1, seats=2)
    assert float(lines[3][4]) == pytest.approx(by_team[0].payoffs[:, 0].mean(), abs=6e-4)


@pytest.mark.parametrize(
    ("words", "told"),
    {
        "--seats 9": "seats=9 is not allowed; it takes a whole number from 2 to 4",
        "--base nobody": "no agent 'nobody'",
        "--base strong": "strong is not an exported bot",
        "--deals 0": "--deals 0 is not allowed; it takes a whole number from 1",
        "--search-deals 0": "--search-deals 0 is not allowed",
        "--target -5": "--target -5 is not allowed; it takes points above 0",
        "--target nan": "--target nan is not allowed",
        "--measure --base champion": "leave --top and --base out",
        "--seed -1": "seed=-1 is not allowed",
    }.items(),
)
def test_bad_input_of_level_tuning_is_refused(words, told, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["level_tuning", "ese_toro_enamorado", "--tuning-deals", "1", *words.split()])
    with pytest.raises(SystemExit):
        level_tuning.main()
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("level_tuning: error: ")
    assert told in last


def test_teams_that_always_win_have_no_measurable_step():
    both = made_score(value=1.0, baseline=1.0, role="")._replace(lead_low=0.0, lead_high=0.0)
    assert level_tuning._shown(level_tuning.points_of(both)) == "not measurable"
    assert level_tuning._shown(level_tuning.points_of(made_score(value=0.75, baseline=0.5, role=""))) == (
        "+191 (+147 to +inf)"
    )


def test_the_temperature_of_a_level_is_the_least_far_enough(monkeypatch):
    """Points that grow with the temperature stand in for played deals."""
    played = []

    def by_temperature(game, above, below, *_):
        temperatures = [float(one.partition("=")[2].rstrip(")") or 0) for one in (above, below)]
        played.append(temperatures[1])
        yield from (
            level_tuning.Step(above, below, None, Estimate(100 * (temperatures[1] - temperatures[0]) * wide, 0, 0))
            for wide in (1, 2)
        )

    monkeypatch.setattr(level_tuning, "measure", by_temperature)
    game = envs.load("kuhn_poker")
    found = level_tuning.find_levels(game, ["champion"], "champion", [2], target=150, deals=1, seed=0)
    temperatures = [float(agent.partition("=")[2].rstrip(")") or 0) for agent in found.values()]
    assert list(found) == ["champion", "hard", "medium", "easy"]
    for above, below in itertools.pairwise(temperatures):
        index = level_tuning.TRIED.index(below)
        assert below - above >= 1.5 > level_tuning.TRIED[index - 1] - above
    assert len(played) <= 3 * 9
    assert level_tuning.find_below(game, "champion", "champion", [2], target=1e9, deals=1, seed=0) is None


def test_a_level_has_a_name_in_every_language():
    game = envs.load("estafado")
    assert set(LEVEL_NAMES) == set(LANGUAGES)
    assert agent_of("hard", game) == agent_of("difícil", game) == agent_of("Hard", game) == levels(game)["hard"]
    assert player_name("champion", "es") == "ordenador (campeón)"
    with pytest.raises(ValueError, match="no level 'devilish'; it has easy, medium, hard, champion"):
        agent_of("devilish", game)
    with pytest.raises(ValueError, match="no levels"):
        agent_of("easy", envs.load("kuhn_poker"))


def test_a_person_plays_against_a_level(capsys, monkeypatch):
    for level, language, name in (("easy", "en", "computer (easy)"), ("difícil", "es", "ordenador (difícil)")):
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        asked = ["play", "ese_toro_enamorado", "--level", level, "--language", language, "--seed", "1"]
        assert cli.main(asked) == 0
        assert name in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main([*asked, "--against", "simple"])
    assert "not allowed with argument --level" in capsys.readouterr().err


@pytest.mark.parametrize("level", ["hard", "champion"])
def test_a_person_can_win_a_tale_among_two_computers(level):
    """`strong` stands in for the person: computers that refuse every ending would never let him win."""
    game = envs.load("erase_una_vez")
    found = play_among_copies(game, agents.load("strong", game), agents.load(agent_of(level, game), game), 20, seats=3)
    assert win_rate(found).value > 0.1
    assert not found.too_long.any()
