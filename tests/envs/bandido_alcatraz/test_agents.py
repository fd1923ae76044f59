"""Scripted bots of *Bandido Alcatraz*: legal, deterministic, consistent in both plies, each stronger than the last."""

from itertools import islice

import numpy as np
import pytest
from scale import COMPILED_ONLY, LONG_IN_PLAIN, PLAIN, scaled

from sobremesa import agents, envs
from sobremesa.envs.bandido_alcatraz.bots.kernels import closed_by
from sobremesa.envs.bandido_alcatraz.bots.network import NETWORK, dig, map_network, survey
from sobremesa.envs.bandido_alcatraz.bots.plan import GATHER, MOST_CHOICES, best_choice, list_choices
from sobremesa.envs.bandido_alcatraz.bots.tables import ANY, EARTH, EXIT_FITS, FITTING, OPEN, TUNNEL
from sobremesa.envs.bandido_alcatraz.bots.value import HOLDING, NUM_WEIGHED, size
from sobremesa.envs.bandido_alcatraz.bots.view import FAR, VIEW, WIDE, read
from sobremesa.envs.bandido_alcatraz.bots.ways import MOST_WAYS, halves, list_ways
from sobremesa.envs.bandido_alcatraz.bots.weights import TUNED
from sobremesa.envs.bandido_alcatraz.cards import CARDS, EXIT_KIND, NUM_WAYS, RAINCOAT, ROPE
from sobremesa.envs.bandido_alcatraz.observe import CROP, LAYOUT
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_WHERE, BIG_HAND, HOW, NO_CELL, NUM_WHERES, WHERE
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between, outcome, random_deal
from sobremesa.envs.core.table import table_kernels

pytestmark = pytest.mark.kernels

GAME = envs.load("bandido_alcatraz")
BOTS = ("simple", "strong")
SETUPS = (
    {"seats": 1}, {"seats": 1, "solo_hand": "six", "difficulty": "easy"}, {"seats": 2, "difficulty": "easy"},
    {"seats": 2, "signals": True}, {"seats": 3, "early_stop": True}, {"seats": 4, "signals": True},
)  # fmt: skip


def plies(bot, seed, **setup):
    """Return an iterator over a deal between copies of a bot; over its first plies alone in plain mode."""
    seated = [agents.load(bot, GAME)] * setup.pop("seats", 2)
    return islice(deal_between(GAME, seated, seed, **setup), 24 if PLAIN else None)


@kernel
def see(observation, views, networks):
    """Read an observation and map the network."""
    read(observation, views[0])
    map_network(views[0], networks[0])


@kernel
def find_ways(views, mask, ways):
    """List the ways to lay cards."""
    return list_ways(views[0], mask, ways)


@kernel
def think(views, mask, networks, holdings, choices, weights):
    """List the choices and return the number of the best."""
    count = list_choices(views[0], mask, choices)
    return best_choice(views[0], choices, count, networks, holdings[0], weights)


@kernel
def dig_on(views, networks, one, two, here, there):
    """Lay two halves on the grid, whatever they are."""
    views[0].grid[one], views[0].grid[two] = here, there
    dig(views[0].grid, networks[0], one, two, networks[1])


@kernel
def count_closed(views, way):
    """Return what `simple` counts of a way to lay a card."""
    return closed_by(views[0], way)


def seen(observation):
    """Return what the bots make of an observation: a view and a network, and room for another."""
    views, networks = np.zeros(1, VIEW), np.zeros(2, NETWORK)
    see(observation, views, networks)
    return views, networks


def is_near(observation):
    """Say whether the map shows all that is next to all that is next to any open end."""
    split = LAYOUT.split(observation)
    there = np.concatenate([split["ends"], split["floods"]])
    places = there[there[:, 0] > 0, 1:3]
    return bool((np.abs(places) * CROP <= CROP // 2 - 2).all())


@pytest.mark.walks
@pytest.mark.parametrize("setup", SETUPS, ids=str)
@LONG_IN_PLAIN
def test_the_bots_play_legally_and_alike_from_equal_seeds(setup):
    seated = [agents.load(BOTS[seat % 2], GAME) for seat in range(setup["seats"])]
    rows = [agents.play(GAME, seated, 4, seed=7, **setup) for _ in range(2)]  # the arena refuses what is not allowed
    assert np.array_equal(rows[0].payoffs, rows[1].payoffs)
    assert np.array_equal(rows[0].plies, rows[1].plies)


@kernel
def survey_one(grid, cell, networks):
    """Write what may be laid on a cell into the first row of a network."""
    survey(grid, cell, networks[0], 0)


def test_every_end_has_a_tunnel_seen_or_beyond_the_map():
    networks = np.zeros(1, NETWORK)
    survey_one(np.zeros(WIDE * WIDE, np.int64), WIDE * WIDE // 2, networks)
    assert networks[0].tunnels[0] == 1


@pytest.mark.parametrize("bot", BOTS)
def test_the_bots_play_a_few_plies_in_any_mode(bot):
    for ply in islice(plies(bot, 3, seats=2, signals=True), 24):
        assert ply.states[0]["over"] or ply.mask[ply.action]


def test_strong_lays_the_card_that_it_had_in_mind():
    planned, tried = None, 0
    for seed in range(scaled(10)):
        for ply in plies("strong", seed):
            if ply.states[0]["over"]:
                continue
            views, networks = seen(ply.observation)
            choices, holdings = np.zeros((MOST_CHOICES, 3), np.int64), np.zeros(1, HOLDING)
            where, slot, way = choices[think(views, ply.mask, networks, holdings, choices, TUNED)]
            if ply.states[0]["stage"] == HOW:
                assert ply.action == A_LAY + slot * NUM_WAYS + way
                if planned is not None and planned[0] == ply.states[0]["turns"]:  # else where was settled unasked
                    assert planned[1] == (where, slot, way)
                    tried += 1
            else:
                assert ply.action == (A_GATHER + slot if where == GATHER else A_WHERE + where)
                planned = (int(ply.states[0]["turns"]), (where, slot, way)) if is_near(ply.observation) else None
    assert tried


def test_the_ways_that_a_bot_finds_are_those_of_the_rules():
    tried = 0
    for seed in range(scaled(20)):
        for ply in random_deal(GAME, seed, {"seats": 2}, plies=scaled(100)):
            state = ply.states[0]
            if state["over"] or state["stage"] != WHERE or not is_near(ply.observation):
                continue
            views, _ = seen(ply.observation)
            ways = np.zeros((MOST_WAYS, 3), np.int64)
            found = {tuple(map(int, way)) for way in ways[: find_ways(views, ply.mask, ways)]}
            at = [int(cell) for cell in views[0]["at"]]
            allowed = {
                (where, slot, way)
                for where in range(NUM_WHERES)
                for slot in range(BIG_HAND)
                for way in range(NUM_WAYS)
                if state["fits"][where, slot] >> way & 1 and at.index(at[where]) == where
            }
            assert found == allowed
            tried += 1
    assert tried


def test_what_a_card_makes_of_the_network_is_foreseen():
    tried = 0
    for seed in range(scaled(20)):
        for ply in random_deal(GAME, seed, {"seats": 1}, plies=scaled(100)):
            state = ply.states[0]
            if state["over"] or state["stage"] != HOW or not is_near(ply.observation):
                continue
            views, networks = seen(ply.observation)
            slot, way = divmod(ply.action - A_LAY, NUM_WAYS)
            one = int(views[0]["at"][state["where"]])
            here, there, step = halves(int(views[0]["hand"][slot]), way)
            closed, covered, laid = count_closed(views, np.array([state["where"], slot, way]))
            dig_on(views, networks, one, one + step, here, there)
            after = outcome(GAME, ply)
            assert closed == state["ends"] - after[0]["ends"]
            assert laid - covered == floods_in(after[0]) - floods_in(state)
            observation = np.zeros(LAYOUT.size, np.float32)
            table_kernels(GAME).observe(after, 0, observation)
            if not is_near(observation):
                continue
            _, fresh = seen(observation)
            assert cells_of(networks[1]) == cells_of(fresh[0])
            assert networks[1]["tunnels"][: networks[1]["count"]].sum() == after[0]["ends"]
            tried += 1
    assert tried


def floods_in(state):
    """Return how many flooded halves are in sight."""
    return int((state["flood"] != NO_CELL).sum())


def cells_of(network):
    """Return what is known of the cells to be covered, in an order that does not depend on where they are."""
    count, floods = int(network["count"]), int(network["floods"])
    names = ("tunnels", "room", "takes_exit")
    cells = sorted(
        (*(int(network[name][row]) for name in names), *map(int, network["sets"][row])) for row in range(count)
    )
    return cells, sorted(map(int, network["cover"][:floods]))


def test_a_pocket_of_two_cells_takes_straight_caps_alone():
    mouth = EARTH + 3 * TUNNEL + 9 * EARTH
    bottom = EARTH + 3 * EARTH + 9 * EARTH
    fitting = [card for kind, card in enumerate(CARDS) if FITTING[mouth, bottom, ANY] >> kind & 1]
    assert {(card.a, card.b) for card in fitting} == {("W", "")}
    assert sorted(card.picture for card in fitting) == [RAINCOAT, ROPE]
    assert EXIT_FITS[mouth, bottom]
    straight = [card for kind, card in enumerate(CARDS) if kind != EXIT_KIND and ("W" in card.a or "E" in card.b)]
    assert size(FITTING[OPEN + 3 * TUNNEL + 9 * OPEN, 0, ANY]) == len(straight)  # where all else is free


def test_no_end_off_the_grid_stops_a_bot():
    observation = np.zeros(LAYOUT.size, np.float32)
    at = LAYOUT.start("ends")
    observation[at : at + 3] = 1, 3, 3  # three widths of the map away
    observation[LAYOUT.start("asked") + WHERE] = 1
    views, networks = seen(observation)
    assert views[0]["at"][0] == FAR
    assert networks[0]["count"] == 0
    mask = np.zeros(GAME.num_actions, np.int8)
    mask[A_WHERE] = 1
    for bot in BOTS:
        assert agents.load(bot, GAME).kernel(observation, mask, None) == A_WHERE


@COMPILED_ONLY
def test_strong_escapes_far_more_often_than_simple():
    won = {
        bot: agents.play(GAME, [agents.load(bot, GAME)], 150, seed=2, seated=[0, 0]).payoffs[:, 0].mean()
        for bot in ("random", "simple", "strong")
    }
    assert won["strong"] > 0.2 + won["simple"] >= 0.2 + won["random"]


def test_the_weights_have_a_row_for_each_feature():
    assert TUNED.shape[0] == NUM_WEIGHED + 2
