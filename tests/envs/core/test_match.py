"""Matches that stop at every decision, and matches that continue from a given state."""

import numpy as np
import pytest
from plank import GAME as PLANK, STAYER
from recall import GAME as RECALL
from rooms import ENCIERRO, TORO, brief
from scale import scaled

from sobremesa import agents
from sobremesa.agents.arena.play import play
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.api.match import Match

pytestmark = pytest.mark.kernels


class Rememberer:
    """Adds 1 to its memory at each decision, and stays."""

    name, memory = "rememberer", 1

    def act_batch(self, observations, masks, streams, memory):
        memory += 1
        return masks.argmax(1)


def started(game, seated, seeds, stepwise=True, **setup):
    match = Match(game, seated, game.new_tables(len(seeds), setup), stepwise=stepwise)
    match.seating[:] = np.arange(game.max_seats) % len(seated)
    match.deal(np.arange(len(seeds)), np.array(seeds))
    return match


def settled(match):
    match.advance()
    return match.states["ply"].tolist(), match.payoffs.tolist()


@pytest.mark.parametrize("game", [TORO, ENCIERRO], ids=lambda game: game.name)
def test_a_match_by_steps_is_the_match_that_kernels_play_inside(game):
    game = brief(game)
    seated = [agents.load("strong", game), RANDOM]
    rows = play(game, seated, scaled(20), seed=3)
    match = Match(game, seated, game.new_tables(len(rows.seeds), {"seats": 2}), stepwise=True)
    match.seating[:, :2] = rows.seating
    match.deal(np.arange(len(rows.seeds)), rows.seeds)
    seen = np.zeros(len(rows.seeds), int)
    while len(open_ones := np.flatnonzero(~match.over)):
        seen[open_ones] += 1
        match.step(open_ones, match.decide(open_ones))
    assert seen.tolist() == rows.plies.tolist() == match.states["ply"].tolist()
    assert match.payoffs[:, :2].tolist() == rows.payoffs.tolist()


def test_asking_alone_plays_nothing():
    match = started(PLANK, [RANDOM], [1, 2, 3])
    before = match.states.copy()
    assert match.decide(np.array([2, 0])).shape == (2,)
    assert match.states.tobytes() == before.tobytes()


def test_a_deal_goes_on_from_where_it_was_put():
    source = started(PLANK, [STAYER], [5], seats=5)
    for _ in range(3):
        source.step(np.arange(1), source.decide(np.arange(1)))
    there = source.states[0]
    match = Match(PLANK, [RANDOM], PLANK.new_tables(40, {"seats": 5}))
    match.put(np.arange(40), np.repeat(source.states, 40), np.arange(40))
    plies, payoffs = settled(match)
    fallen = there["left"] == 0
    assert min(plies) > 3
    assert all(paid[seat] == -1 / 4 for paid in payoffs for seat in np.flatnonzero(fallen))
    assert len(set(plies)) > 2  # chance of its own for each seed
    again = Match(PLANK, [RANDOM], PLANK.new_tables(2, {"seats": 5}))
    again.put(np.array([1, 0]), np.repeat(source.states, 2), np.array([7, 30]))
    assert settled(again)[1] == [payoffs[30], payoffs[7]]


def test_a_state_that_is_put_stops_at_its_own_decision():
    source = started(RECALL, [RANDOM], [4])
    source.step(np.arange(1), source.decide(np.arange(1)))
    match = Match(RECALL, [RANDOM], RECALL.new_tables(1, {}), stepwise=True)
    match.put(np.arange(1), source.states, np.array([9]))
    assert match.observations.tolist() == source.observations.tolist()
    assert match.masks.tolist() == source.masks.tolist()
    assert match.states["cards"].tolist() == source.states["cards"].tolist()


def test_memories_are_put_too():
    match = started(PLANK, [Rememberer()], [1], seats=2)
    match.put(np.arange(1), match.states.copy(), np.array([3]))
    assert not match.arrays()["memory"].any()
    carried = np.full((1, PLANK.max_seats, 1), 7, np.float32)
    match.put(np.arange(1), match.states.copy(), np.array([3]), carried)
    seat = int(match.seats[0])
    match.decide(np.arange(1))
    assert match.arrays()["memory"][0, seat, 0] == 8


def test_the_same_agents_at_other_places_share_their_kernels():
    one, other = (agents.load(name, TORO) for name in ("random", "simple"))
    setups = TORO.new_tables(1, {})
    matches = [Match(TORO, places, setups) for places in ([one, other], [other, one, other], [other, None, one])]
    assert len({match._kernels for match in matches}) == 1
    assert Match(TORO, [one], setups)._kernels not in {match._kernels for match in matches}
