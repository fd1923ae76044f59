"""All-pairs setups: every pair of values of two options occurs."""

import itertools

import pytest
from rooms import ALL, BANDIDO, ERASE, TORO, brief

from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.testing.pairs import all_pairs


def pairs(columns):
    for (one, values), (other, besides) in itertools.combinations(enumerate(columns), 2):
        yield from ((one, value, other, beside) for value in values for beside in besides)


@pytest.mark.parametrize("columns", [["ab", "cde"], ["ab", "c", "de", "fghi"], ["abc"] * 4, ["ab"] * 12, ["abc", "d"]])
def test_every_pair_of_values_stands_in_a_row(columns):
    rows = all_pairs(columns)
    assert all(
        any(row[one] == value and row[other] == beside for row in rows) for one, value, other, beside in pairs(columns)
    )
    assert all(value in column for row in rows for value, column in zip(row, columns, strict=True))
    assert rows[0] == tuple(column[0] for column in columns)


def test_the_tables_are_small():
    assert len(all_pairs(["abc"] * 4)) <= 12
    assert len(all_pairs(["ab"] * 12)) <= 16


def test_pairs_of_rows_that_are_there_are_not_asked_for_again():
    columns = ["ab", "cd", "ef"]
    rows = all_pairs(columns)
    assert all_pairs(columns, rows) == []
    assert all_pairs(columns, rows[1:])[0] == rows[0]


def ends(option, game):
    if option is game.options[0] or not isinstance(option.choices, range):
        return option.choices
    return {option.choices[0], option.default, option.choices[-1]}


@pytest.mark.parametrize("game", [*ALL, brief(TORO), brief(ERASE)], ids=lambda game: game.name)
def test_in_the_setups_of_every_game_any_two_choices_meet(game):
    tried = [game.setup(game.new_tables(1, setup)) for setup in setups(game)]
    assert {setup["seats"] for setup in tried} == set(game.seat_range)
    for one, other in itertools.combinations(game.options, 2):
        met = {(setup[one.name], setup[other.name]) for setup in tried}
        assert met >= set(itertools.product(ends(one, game), ends(other, game))), f"{one.name} and {other.name}"


def test_there_are_few_setups_and_no_two_alike():
    for game in ALL:
        tried = [str(setup) for setup in setups(game)]
        assert len(tried) == len(set(tried)) <= 50


def test_the_first_setups_leave_deals_as_long_as_by_default():
    bounds = [any(name.startswith("max_") for name in setup) for setup in setups(TORO)]
    assert bounds == sorted(bounds)
    assert 0 < sum(bounds) < len(bounds) / 2


def test_two_seats_with_a_mixed_judge_agree_with_the_referee():
    """One of them pays 1 and -1 there, where a larger table pays less: seats and judge must be varied together."""
    for tried in (setups(ERASE), setups(brief(ERASE))):
        both = [setup for setup in tried if setup["seats"] == 2 and setup.get("judge") == "mixed"]
        assert any("max_sentences" not in setup for setup in both)


def test_the_hand_for_one_is_tried_with_one_seat():
    assert any(setup["seats"] == 1 and setup.get("solo_hand") == "six" for setup in setups(BANDIDO))
