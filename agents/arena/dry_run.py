"""A rehearsal: a few deals at random players' tables, to find out whether an agent plays at all before it is rated."""

import secrets

from sobremesa.agents.arena.pairings import among_copies
from sobremesa.agents.arena.results import Results
from sobremesa.agents.random import RANDOM
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

DEALS = 3


class CannotPlay(ValueError):
    """An agent that forfeits all of its first deals; the message says why."""


def rehearse(game: Game, agent: Agent, seats: int, **setup: object) -> Results:
    """Return the results of DEALS deals of `agent` among random players at a table of `seats`, in all seatings.

    They are other deals each time, so that nothing is seen of those that are played for a rating.
    """
    return among_copies(game, agent, RANDOM, DEALS, seed=secrets.randbelow(2**62), seats=seats, **setup)


def check_plays(game: Game, agent: Agent, seats: int, **setup: object) -> None:
    """Raise CannotPlay if `agent` forfeits every deal of a rehearsal."""
    results = rehearse(game, agent, seats, **setup)
    lost = results.lost()
    if len(lost) == len(results.seeds):
        raise CannotPlay(
            f"{agent.name} is not rated: it forfeited all of its first {len(lost)} deals at {seats} seats, the first "
            f"of them so: {lost[0][1]}"
        )
