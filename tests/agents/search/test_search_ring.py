"""Search agents close the ring of *Estafado* wherever an exhaustive search finds that they can."""

import pytest
from estafado_ring import CAUGHT, away, flight, forced, outcome, place
from estafado_tables import FOX, GAME, won

from sobremesa import agents
from sobremesa.envs.core.agent import make_view, new_stream

ROUNDS = 2  # in which a capture can be forced from anywhere where it can be forced


def chased(states, agent):
    """Return whether `agent` has the crow caught, who flees, within so many rounds."""
    stream, sunset = new_stream(0), states[0].sun + ROUNDS
    while not states[0].over and states[0].sun < sunset:
        if states[0].seat == FOX:
            action = agent.act(make_view(GAME, states, FOX, stream))
            states = outcome(states, GAME.words.action_name(action, "en"))
        else:
            states = outcome(states, flight(states))
    return won(states) == (CAUGHT, FOX)


@pytest.mark.parametrize("spec", ["ismcts()", pytest.param("search(strong)", marks=pytest.mark.thorough)])
def test_h3_a_capture_that_can_be_forced_follows(spec):
    agent = agents.load(spec, GAME)
    places = sorted(where for where in forced() - {CAUGHT} if away(where[1]) > 1)
    assert len(places) == 24
    assert [where for where in places if not chased(place(*where), agent)] == []


def test_h3_a_crow_who_is_far_enough_away_gets_away():
    agent = agents.load("ismcts(simulations=200)", GAME)
    assert not any(chased(place("move", ahead, 1, 1), agent) for ahead in (5, 15))
