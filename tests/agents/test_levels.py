"""Levels of play: a stronger level has a higher rating on the ladder of its game, in every role."""

import io
import itertools

import pytest

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.pairings import play_among_copies
from sobremesa.agents.arena.score import nature, win_rate
from sobremesa.agents.levels import LEVEL_NAMES, LEVELS, agent_of, level_of, levels, player_name
from sobremesa.envs.core.game import LANGUAGES


@pytest.mark.parametrize("name", envs.games())
def test_ratings_increase_with_the_level(name):
    game = envs.load(name)
    assert tuple(levels(game)) == LEVELS
    rungs = {one.agent: one.value for one in leaderboard_file.frozen(game).rungs}
    for weak, strong in itertools.pairwise(levels(game).values()):
        for below, above in zip(nature(game).called(weak), nature(game).called(strong), strict=True):
            assert rungs[below] < rungs[above], (below, above)


@pytest.mark.parametrize("name", envs.games())
def test_the_agent_of_a_level_loads(name):
    game = envs.load(name)
    for level, agent in levels(game).items():
        assert agents.load(agent, game).name == agent
        assert level_of(agent, game) == level


def test_a_level_has_a_name_in_every_language():
    game = envs.load("estafado")
    assert set(LEVEL_NAMES) == set(LANGUAGES)
    assert agent_of("hard", game) == agent_of("difícil", game) == agent_of("Hard", game) == "strong"
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
