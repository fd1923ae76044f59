"""Sequential tests: error rates, numbers of deals, and the deals that are played."""

import json

import numpy as np
import pytest
from rooms import BANDIDO, ESTAFADO, TORO
from simulated_leads import duel, simulate, table, team

from sobremesa import agents, cli
from sobremesa.agents.arena.pairings import compare, play_matches
from sobremesa.agents.arena.sequential import AHEAD, BLOCK, NOT_AHEAD, OPEN, decide, leads

TESTS = 2000
# A part of 2,000 tests lies within 0.015 of its chance of 0.05 but once in 500 times.
SLACK = 0.015


@pytest.mark.parametrize("drawn", [duel, table, team])
@pytest.mark.parametrize("errors", [0.05, 0.2])
def test_wrong_ends_are_as_rare_as_asked_for_and_deals_are_saved(drawn, errors):
    margin = 0.1
    none, half, whole = (simulate(*drawn(part * margin), margin, errors, 20_000, TESTS, seed=1) for part in (0, 0.5, 1))
    assert none.ahead <= errors + SLACK
    assert whole.not_ahead <= errors + SLACK
    assert none.ahead + none.not_ahead == whole.ahead + whole.not_ahead == 1
    assert 0.3 < half.ahead < 0.7
    assert half.deals > max(none.deals, whole.deals)


def test_looser_tests_are_shorter():
    strict, loose = (simulate(*duel(0.0), 0.05, errors, 20_000, 500, seed=2) for errors in (0.01, 0.2))
    assert loose.deals < strict.deals / 2


def blocks(values):
    """Return leads dealt out by number, and the list of what was asked for."""
    asked = []

    def play(deals):
        asked.append(deals)
        return np.array([values[number % len(values)] for number in deals])

    return play, asked


def test_blocks_are_played_until_a_decision_or_the_limit():
    play, asked = blocks([0.5, 0.5, -0.5, 0.5])
    found = decide(play, 0.1, 0.05, 1000)
    assert found.decided == AHEAD
    assert asked == [range(low, low + BLOCK) for low in range(0, found.deals, BLOCK)]
    assert found.ratio >= found.bound > decide(play, 0.1, 0.05, found.deals - BLOCK).ratio
    assert decide(blocks([-0.5, 0.5, -0.5, -0.5])[0], 0.1, 0.05, 1000).decided == NOT_AHEAD
    play, asked = blocks([0.5, -0.5, 0.5, -0.5, 0.5])
    found = decide(play, 0.2, 0.05, 20)
    assert (found.decided, found.deals, asked[-1]) == (OPEN, 20, range(16, 20))


@pytest.mark.parametrize(
    ("margin", "errors", "most"), [(0, 0.05, 9), (1, 0.05, 9), (0.1, 0, 9), (0.1, 0.5, 9), (0.1, 0.1, 0)]
)
def test_bad_numbers_are_refused_before_anything_is_played(margin, errors, most):
    play, asked = blocks([0.0])
    with pytest.raises(ValueError, match=r"=.* is not allowed; it takes a"):
        decide(play, margin, errors, most)
    assert not asked


@pytest.mark.parametrize("game", [TORO, ESTAFADO, BANDIDO], ids=lambda game: game.name)
def test_leads_are_those_of_the_deals_that_are_rated(game):
    candidate, reference = agents.load("strong", game), agents.load("random", game)
    wanted = [(0,), (1,)] if game.cooperative else [(0, 1)]
    met = [play_matches(game, [candidate, reference], part, seed=5, wanted=wanted) for part in (range(4), range(4, 6))]
    parts = [leads(game, one) for one in met]
    found = np.concatenate(parts)
    assert found.shape == (6,)
    if not game.roles:
        assert found.mean() == pytest.approx(compare(game, candidate, reference, 6, seed=5).lead)
    assert found.mean() > 0


def rate(capsys, *words):
    code = cli.main(["rate", TORO.name, *map(str, words)])
    return code, capsys.readouterr()


def test_rate_ends_when_it_knows(tmp_path, capsys):
    file = tmp_path / "test.json"
    code, told = rate(capsys, "strong", "--than", "random", "--margin", 0.1, "--json", file)
    assert (code, told.out.splitlines()[0][:44]) == (0, "strong is ahead of random at 2 seats: +0.500")
    found = json.loads(file.read_text())
    (test,) = found["tests"]
    assert (found["margin"], found["errors"], test["decided"], test["deals"] < 200) == (0.1, 0.05, "ahead", True)
    assert "random is not ahead of strong" in rate(capsys, "random", "--than", "strong", "--errors", 0.1)[1].out


def test_rate_places_to_within_a_width(tmp_path, capsys):
    folder, file = agents.bot_folders(TORO)["trained"], tmp_path / "rated.json"
    code, _ = rate(capsys, folder, "--width", 120, "--json", file)
    (placing,) = json.loads(file.read_text())["placings"]
    assert (code, 0 < placing["high"] - placing["low"] <= 120) == (0, True)


def test_one_deal_decides_nothing():
    assert decide(lambda deals: np.ones(len(deals)), 0.99, 0.45, 1).decided == OPEN
    assert decide(lambda deals: np.ones(len(deals)), 0.99, 0.45, 2).decided == AHEAD
