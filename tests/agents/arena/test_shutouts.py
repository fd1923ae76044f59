"""Shutouts and deals at the limit of length: found in results, stored, printed, and absent from published matrices."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
from command_line import sobremesa
from matches import match

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.leaderboard import rank
from sobremesa.agents.arena.pairings import play_matches
from sobremesa.agents.arena.shutouts import RARE, odd, shutouts
from sobremesa.report.ladder_words import notes

TORO, ERASE = envs.load("ese_toro_enamorado"), envs.load("erase_una_vez")
ROOT = Path(__file__).resolve().parents[3]
BOTS = sorted((ROOT / "envs").glob("*/home/*/bot.json"))


def ladder_of(blocked):
    """Return a ladder of three at tables of three, where `strong` beats `random`, and `blocked` of 1 of its matches."""
    names, rows = ("champion", "strong", "random"), []
    won = {("champion", "random"): 60, ("strong", "random"): 55, ("champion", "strong"): 22}
    won |= {("random", "champion"): 0, ("random", "strong"): 1, ("strong", "champion"): 0 if blocked else 16}
    for (one, other), wins in won.items():
        paid = [[1, -1 / 2, -1 / 2]] * wins + [[-1 / 2, 1, -1 / 2]] * (60 - wins)
        rows.append(match([one, other], paid, [[0, 1, 1]] * 60, list(range(60))))
    assert set(names) == {name for row in rows for name in row.agents}
    return dataclasses.replace(
        rank(dataclasses.replace(TORO, roles=None), rows, deals=60, resamples=5, seats=3), by_seat={}
    )


def test_a_cell_far_below_the_ratings_is_a_shutout():
    (found,) = shutouts(ladder_of(blocked=True))
    assert (found.agent, found.among, found.value) == ("strong", "champion", 0)
    assert found.expected > 1 / 10
    assert not shutouts(ladder_of(blocked=False))  # random's zero is what its rating says


def test_odd_cells_are_shutouts_lengths_and_contradictions():
    assert odd(ladder_of(blocked=False)) == []
    assert odd(ladder_of(blocked=True)) == [
        "strong wins 0.000 among copies of champion, and the ratings expect 0.165",
    ]
    ladder = ladder_of(blocked=False)
    agents, nothing = list(ladder.agents), [0.0] * 3
    lost = tuple(tuple(0.1 if {row, column} == {0, 1} else 0.3 for column in range(3)) for row in range(3))
    (line,) = odd(dataclasses.replace(ladder, matrix=lost))
    assert line == f"{agents[0]} is above {agents[1]}, and wins 0.100 among its copies (fair: 0.333)"
    long = dataclasses.replace(ladder, too_long=([0.0, 0.03, 0.5], nothing, nothing))
    assert odd(long) == [f"3.0% of the deals of {agents[0]} among copies of {agents[1]} reach the limit of length"]


def test_deals_at_the_limit_are_counted_stored_and_told(tmp_path):
    met = [agents.load(name, TORO) for name in ("random", "simple")]
    for rounds, share in ((1, 1), (48, 0)):
        matches = play_matches(TORO, met, 6, seats=3, max_rounds=rounds)
        assert [one.too_long.mean() for one in matches] == [share, share]
        ladder = rank(TORO, matches, deals=6, resamples=5, command="made", seats=3, max_rounds=rounds)
        assert np.array_equal(ladder.too_long, [[np.nan, share], [share, np.nan]], equal_nan=True)
        leaderboard_file.write(tmp_path / "ladder.json", ladder)
        read = leaderboard_file.read(tmp_path / "ladder.json", TORO)
        assert np.array_equal(read.too_long, ladder.too_long, equal_nan=True)
        lines = [line for line in notes(TORO, read, "en") if "limit of the game's length" in line]
        assert len(lines) == share


def test_rate_calls_no_team_shut_out(capsys):
    """Teams never meet: a bad one loses by itself."""
    assert sobremesa("rate", "bandido_alcatraz", "random", "--against", "strong", "--seats", 2, "--deals", 8) == 0
    assert "hardly ever wins" not in capsys.readouterr().out


def test_rate_tells_of_shutouts_and_of_deals_at_the_limit(capsys):
    words = ("rate", "ese_toro_enamorado", "random", "--against", "strong", "--deals", 8, "--setup", "max_rounds=1")
    assert sobremesa(*words) == 0
    out = capsys.readouterr().out
    assert "random hardly ever wins among strong, 2 seats: 0.000, equal play 0.500" in out
    assert re.search(r"\d+ of 16 results of random among strong, 2 seats, reached the limit", out)


# What is published.


@pytest.mark.parametrize("name", [name for name in envs.all_games() if leaderboard_file.frozen(envs.load(name))])
def test_no_cell_of_a_published_ladder_is_odd(name):
    assert odd(leaderboard_file.frozen(envs.load(name))) == []


def test_the_ladder_of_erase_has_the_shares_at_the_limit():
    assert leaderboard_file.frozen(ERASE).too_long


@pytest.mark.parametrize("file", BOTS, ids=lambda file: "/".join((file.parents[2].name, file.parent.name)))
def test_no_bot_is_published_that_was_shut_out(file):
    scores = (json.loads(file.read_text(encoding="utf-8")).get("evaluation") or {}).get("scores", [])
    assert not [one for one in scores if one["reference"] != "random" and one["value"] < RARE / one["seats"]]
