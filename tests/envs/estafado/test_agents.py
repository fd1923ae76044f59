"""The scripted bots of *Estafado*: legal, repeatable, right where the right move is plain, and strong above simple."""

import numpy as np
import pytest
from estafado_tables import after, cell, choices, play, space, table
from scale import COMPILED_ONLY, LONG_IN_PLAIN, scaled

from sobremesa import agents, envs
from sobremesa.agents.arena.play import play_out
from sobremesa.agents.arena.score import bootstrap
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.seeds import DEAL, seeds_of
from sobremesa.envs.estafado.board import DISTANCE, RING
from sobremesa.envs.estafado.state import A_TUNNEL, CAUGHT

pytestmark = pytest.mark.kernels

GAME = envs.load("estafado")
BOTS = ("simple", "strong")
SETUPS = (
    {},
    {"reading": "rulebook"},
    {"evading_faces": 5, "rolls": "any"},
    {"bear_blocks": False, "evading_faces": 1},
)
both_bots = pytest.mark.parametrize("bot", BOTS)


def chosen(bot, states):
    """Return the name of the action of `bot` for the seat to act, which is legal."""
    view = make_view(GAME, states, int(states[0].seat), new_stream(1))
    action = agents.load(bot, GAME).act(view)
    assert view.mask[action]
    return GAME.words.action_name(action, "en")


def goes_to(bot, states):
    """Return the number of the cell that the fox goes to."""
    word, name = chosen(bot, states).split()
    assert word == "go"
    return cell(name)


@LONG_IN_PLAIN
@pytest.mark.walks
@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("seated", [("simple", "strong"), ("strong", "random")])
def test_the_bots_play_legally_and_alike_from_equal_seeds(setup, seated):
    loaded = [agents.load(bot, GAME) for bot in seated]  # in both seatings; the arena refuses what is not allowed
    rows = [agents.play(GAME, loaded, scaled(6), seed=7, **setup) for _ in range(2)]
    assert np.array_equal(rows[0].payoffs, rows[1].payoffs)
    assert np.array_equal(rows[0].plies, rows[1].plies)


# The eagle and the crow.


@both_bots
@pytest.mark.parametrize(("eagle", "move"), [("Sb", "eagle -1"), ("Sa", "eagle -2"), ("Sd", "eagle +1")])
def test_the_eagle_takes_the_crow_within_his_reach(bot, eagle, move):
    assert chosen(bot, table(stage="eagle", crow="Sc", eagle=eagle, vixen="e1")) == move


@both_bots
def test_the_eagle_comes_nearer_and_keeps_his_double_move(bot):
    assert chosen(bot, table(stage="eagle", crow="Sc", eagle="W5", vixen="e1")) == "eagle -1"


@both_bots
@pytest.mark.parametrize(
    ("eagle", "move"), [("Sb", "crow -1"), ("Sa", "crow -1"), ("W5", "crow -1"), ("Sd", "crow +1")]
)
def test_the_crow_flees_the_eagle(bot, eagle, move):
    assert chosen(bot, table(stage="slide", crow="Sc", eagle=eagle)) == move


def test_strong_takes_the_rulebook_readings_first_capture():
    rows = agents.play(GAME, [agents.load("strong", GAME)] * 2, scaled(20), seed=3, reading="rulebook")
    assert (rows.payoffs[:, 0] == 1).all()


def test_strong_dives_where_the_dive_wins():
    states = table({"c1": "Vegetation"}, hand="Yellow Bullhead Catfish", crow="Sc", eagle="W4", vixen="e1")
    play(states, "go c1")
    for move in ("hand 1", "eagle -2", "eagle -2"):
        assert chosen("strong", states) == move
        play(states, move)
    assert states[0].ending == CAUGHT


# The fox.


@both_bots
def test_the_fox_turns_up_a_rabbit_that_he_knows(bot):
    assert chosen(bot, table({"c1": "Rabbit #0"}, fox="a1", fox_knows="c1")) == "go c1"


@both_bots
def test_the_fox_steps_on_a_rabbit_that_lies_face_up(bot):
    assert chosen(bot, table({"b1": "Rabbit #1"}, fox="a1", up="b1")) == "go b1"


def test_strong_comes_back_to_a_rabbit_that_got_away():
    states = table({"c3": "Rabbit #2"}, fox="c3", up="c3", bear="a1", vixen="e1")
    away = goes_to("strong", states)
    assert DISTANCE[cell("c3"), away] <= 2


@both_bots
def test_the_fox_keeps_out_of_the_bears_reach(bot):
    there = goes_to(bot, table(fox="a1", bear="c2", vixen="e1"))
    assert DISTANCE[cell("c2"), there] > 1


@both_bots
def test_the_fox_does_not_walk_into_the_bear(bot):
    states = table({"c1": "Rabbit #0"}, fox_knows="c1", bear="c1", vixen="e1", setup={"bear_blocks": False})
    assert goes_to(bot, states) != cell("c1")


@both_bots
@pytest.mark.parametrize("harm", ["Copperhead", "Striped Skunk"])
def test_the_fox_replaces_what_costs_him_a_turn(bot, harm):
    states = table({"c1": harm}, fox="a1", hand="Black Widow, Vegetation", vixen="e1")
    assert chosen(bot, play(states, "go c1")) == "hand 2"


@both_bots
def test_the_fox_leaps_on_a_rabbit_that_he_knows(bot):
    floor = {"c1": "Bullfrog", "c2": "Rabbit #0"}
    states = play(table(floor, fox="a1", fox_knows="c2"), "go c1")
    assert "pass" in choices(states)  # to leap, that is: with no hand he is not asked to replace the frog
    assert chosen(bot, states) == "go c2"


@both_bots
def test_the_fox_tunnels_towards_a_rabbit_that_he_knows(bot):
    states = table({"c3": "Groundhog", "d4": "Rabbit #0"}, fox="c3", bear="a1", up="c3", fox_knows="d4")
    assert GAME.words.parse_action(chosen(bot, states), "en") in (A_TUNNEL + cell("d4"), cell("d4"))


@both_bots
def test_the_vixen_shelters_the_fox(bot):
    assert chosen(bot, table(stage="eagle", fox="a1", bear="b1")) == "vixen a1"


@both_bots
def test_the_vixen_waits_where_the_bear_cannot_turn_back(bot):
    assert chosen(bot, table(stage="eagle", fox="a1", bear="b1", before="a1")).startswith("eagle")
    assert chosen(bot, table(stage="eagle", fox="a1", bear="b1", bear_skip=1)).startswith("eagle")


# The crow and her bear.


@both_bots
def test_the_bear_eats_the_fox(bot):
    assert chosen(bot, table(stage="bear", fox="b2", bear="b3")) == "bear b2"


@both_bots
def test_the_crow_hides_a_rabbit_from_the_fox(bot):
    floor = {"c1": "Rabbit #0"}
    states = table(floor, stage="exchange", fox="a1", crow="Nc", eagle="Sc", crow_knows="c1", chosen="c1")
    word, there = chosen(bot, states).split()
    assert word == "swap"
    assert DISTANCE[cell("a1"), cell(there)] > 2


def test_strong_takes_away_the_dive_that_the_fox_waits_for():
    floor = {"c1": "Yellow Bullhead Catfish"}
    states = table(
        floor, stage="exchange", fox="a1", crow="Nc", eagle="E3", fox_knows="c1", crow_knows="c1", chosen="c1"
    )
    assert (space("E3") - space("Nc")) % RING == 5  # a dive, the step after it and her flight leave her in reach
    move = chosen("strong", states)
    assert after(states, move)[0].cards[cell("c1")] != states[0].cards[cell("c1")]


# Strength.


def wins_of_fox(fox, crow, deals, seed):
    """Return for each deal whether the fox won, `(deals,)`."""
    seeds = seeds_of(DEAL, seed, range(deals))
    seated = [agents.load(fox, GAME), agents.load(crow, GAME)]
    payoffs = play_out(GAME, seated, seeds, np.tile([0, 1], (deals, 1)), {"seats": 2}).payoffs
    return (payoffs[:, 0] > 0).astype(float)


@COMPILED_ONLY
@pytest.mark.parametrize("against", BOTS)
@pytest.mark.parametrize(("better", "worse"), [("strong", "simple"), ("simple", "random")])
def test_each_bot_plays_each_role_better_than_the_one_before(better, worse, against):
    as_fox = wins_of_fox(better, against, 400, 2) - wins_of_fox(worse, against, 400, 2)
    as_crow = wins_of_fox(against, worse, 400, 2) - wins_of_fox(against, better, 400, 2)
    assert bootstrap(as_fox)[0] > 0, (as_fox.mean(), bootstrap(as_fox))
    assert bootstrap(as_crow)[0] > 0, (as_crow.mean(), bootstrap(as_crow))


@COMPILED_ONLY
def test_neither_role_is_hopeless_between_equals():
    assert 0.2 < wins_of_fox("strong", "strong", 400, 2).mean() < 0.8
