"""Statistics of deals between equals, with every figure counted."""

import dataclasses
import json

import numpy as np
import pytest
from kuhn import GAME as KUHN, HIGH, WITH_ROLES
from rooms import ALL, ENCIERRO, TORO, brief

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.score import nature
from sobremesa.agents.arena.statistics import statistics
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.testing.check import ContractBroken, check_pieces
from sobremesa.envs.ese_toro_enamorado import rules
from sobremesa.envs.ese_toro_enamorado.board import NO_TILE, NUM_PLACES
from sobremesa.report import figures


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_shares_of_the_win_sum_to_one_and_spreads_lie_in_order(game):
    one = statistics(brief(game), RANDOM, 50, seed=3)
    assert one.seats == game.default_seats == len(one.wins)
    if not nature(game).rated:
        assert len({win.mean for win in one.wins}) == 1
    else:
        assert sum(win.mean for win in one.wins) == pytest.approx(1, abs=1e-5)
    assert all(win.low <= win.mean <= win.high for win in one.wins)
    assert all(spread.low <= spread.high for spread in one.spreads.values())
    assert all(sum(shares.values()) == pytest.approx(1) for shares in one.counts.values())


def test_figures_are_those_of_the_deals():
    one = statistics(ENCIERRO, RANDOM, 30, seed=5, seats=4)
    assert one.spreads.keys() == {"plies", "turns", "sweeps"}
    assert set(one.counts["end"]) <= {"at the Plaza", "last runner", "all swept"}
    again = statistics(ENCIERRO, RANDOM, 30, seed=5, seats=4)
    assert one == again
    assert one != statistics(ENCIERRO, RANDOM, 30, seed=6, seats=4)


def test_deals_are_those_of_the_arena_in_the_first_seating():
    deals = 20
    rows = play(KUHN, [RANDOM, RANDOM], deals, seed=2)
    assert statistics(KUHN, RANDOM, deals, seed=2).spreads["plies"].mean == rows.plies[::2].mean()


def test_wins_are_counted_from_the_seat_that_opens():
    @kernel
    def opener_wins(state, out):
        share_win(state, out)
        if state.over:
            opener = (int(state.first) - int(state.round_number) + 1) % int(state.seats)
            out[:] = 0
            for seat in range(state.seats):
                out[seat] = 1.0 if seat == opener else -1.0 / (state.seats - 1)

    game = dataclasses.replace(brief(TORO), payoff=opener_wins)
    assert [win.mean for win in statistics(game, RANDOM, 20, seats=3).wins] == [1, 0, 0]


def test_where_seats_have_roles_wins_are_counted_by_role():
    opened = dataclasses.replace(WITH_ROLES, figures=lambda ends: {"first": np.ones(len(ends), np.int8)})
    deals = 40
    assert statistics(opened, HIGH, deals).wins == statistics(KUHN, HIGH, deals).wins
    plain = dataclasses.replace(opened, roles=None)
    assert statistics(plain, HIGH, deals).wins == statistics(KUHN, HIGH, deals).wins[::-1]


def test_a_share_of_no_wins_is_shown_without_a_sign():
    found = statistics(ENCIERRO, agents.load("simple", ENCIERRO), 1, seats=4)
    shares = [line for line in figures.rows_of([found]) if line[0].startswith("wins")]
    assert sorted(share.split()[0] for _, share in shares) == ["0.000"] * 3 + ["1.000"]


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match="deals=0 is not allowed; it takes a whole number from 1"):
        statistics(KUHN, RANDOM, 0)
    with pytest.raises(ValueError, match="seats=9 is not allowed"):
        statistics(ENCIERRO, RANDOM, 1, seats=9)


def test_the_command_prints_a_table_and_writes_the_figures(tmp_path, capsys):
    file = tmp_path / "figures.json"
    words = ["stats", "corre_el_encierro", "random", "--seats", "2", "3", "--deals", "20", "--json", str(file)]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert "random at every seat, 20 deals each, --seed 0" in out
    assert out.count("wins, seat") == 3
    tables = json.loads(file.read_text())["tables"]
    assert [table["seats"] for table in tables] == [2, 3]
    one = statistics(ENCIERRO, agents.load("random", ENCIERRO), 20, seats=2)
    assert tables[0]["wins"] == [list(win) for win in one.wins]


@kernel
def loses_a_tile(state, action):
    rules.play(state, action)
    if state.ply == 9:
        for place in range(NUM_PLACES):
            state.tile[place] = NO_TILE


@pytest.mark.parametrize("name", envs.games())
def test_every_piece_is_there_in_every_room(name):
    assert check_pieces(brief(envs.load(name)), 60)["plies"] > 60


def test_a_lost_piece_is_named_with_setup_seed_and_ply():
    told = []
    with pytest.raises(
        ContractBroken, match=r"ese_toro_enamorado-v1, setup {'seats': 2}, seed \d+, ply 9: pieces: one is lost"
    ):
        check_pieces(dataclasses.replace(TORO, play=loses_a_tile), 20, progress=lambda *done: told.append(done))
    assert told == []


def test_a_game_that_does_not_say_what_its_pieces_are_is_refused():
    with pytest.raises(ValueError, match=r"kuhn-v1 has no Game\.all_there"):
        check_pieces(KUHN, 1)


def test_the_deals_counted_follow_from_the_seed():
    game = brief(TORO)
    few = 20
    assert check_pieces(game, few, seed=1) == check_pieces(game, few, seed=1)
    assert check_pieces(game, few, seed=1) != check_pieces(game, few, seed=2)
