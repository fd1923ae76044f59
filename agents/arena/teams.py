"""How a team of a cooperative game does beside other teams, each of copies of one agent, on the same deals."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.pairings import copies
from sobremesa.agents.arena.play import bootstrap
from sobremesa.agents.arena.results import ROUNDING, Results
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game


class TeamScore(NamedTuple):
    """How a team of copies of a candidate does, and how much better than a team of copies of a reference."""

    candidate: str
    reference: str
    seats: int
    deals: int
    share: float  # of the deals that the team won: its mean payoff
    low: float  # ends of the bootstrapped 95 % interval over deals
    high: float
    lead: float  # its mean payoff less that of the reference's team on the same deals
    lead_low: float
    lead_high: float
    plies: float  # mean length of the candidate's deals

    @property
    def beats(self) -> bool:
        """Whether the interval of the lead lies above zero."""
        return self.lead_low > ROUNDING


def compare_teams(
    game: Game,
    candidate: Agent,
    reference: Agent,
    deals: int,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> TeamScore:
    """Play copies of `candidate` at all seats, then copies of `reference` on the same deals, and score the candidate.

    Raises ValueError for a competitive game: there `arena.compare` measures shares of a win.
    """
    if not game.cooperative:
        raise ValueError(f"{game.name}: compare_teams measures teams, and this game is competitive; use compare")
    for agent in (candidate, reference):
        if not isinstance(agent, Agent):
            raise ValueError(f"agents={agent!r} is not allowed; it takes agents, as agents.load makes them")
    setup = {"seats": game.default_seats} | setup
    game.options[0].encode(setup["seats"])  # before it is used as a number
    mine, theirs = (
        copies(game, agent, deals, seed=seed, progress=progress, **setup) for agent in (candidate, reference)
    )
    return team_score(mine, theirs)


def team_score(mine: Results, theirs: Results, seed: int = 0) -> TeamScore:
    """Score the team of `mine` beside that of `theirs`, which had the same deals; `seed` is of the bootstrap."""
    if not np.array_equal(mine.seeds, theirs.seeds):
        raise ValueError("the teams did not have the same deals")
    won, lost = mine.payoffs[:, 0].astype(float), theirs.payoffs[:, 0].astype(float)
    return TeamScore(
        mine.agents[0],
        theirs.agents[0],
        mine.seating.shape[1],
        len(won),
        float(won.mean()),
        *bootstrap(won, seed),
        float((won - lost).mean()),
        *bootstrap(won - lost, seed),
        float(mine.plies.mean()),
    )
