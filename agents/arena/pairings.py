"""Who meets whom: all agents meet each other on the same deals.

At tables of two every pair meets. At larger ones each agent sits alone among copies of each other one. Where seats have
roles (`Game.roles`) agents meet themselves too, so that the roles can be compared. The teams of a cooperative game are
copies of one agent.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from sobremesa.agents.arena.play import play, play_out
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.statistics import deal_seeds
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

Progress = Callable[[int, int, str], None]  # (rows done, rows in all, what is going on)


def meet_all(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **setup: Any,
) -> list[Results]:
    """Play all matches of `agents`, each of the same `deals` deals, and return the results of each match.

    `progress` is called with (rows done, rows in all, what is going on). Raises ValueError for names that are not
    different, a number of deals under 1, or a setup that does not fit.
    """
    check_names([agent.name for agent in agents])
    seats = setup.setdefault("seats", game.default_seats)
    game.options[0].encode(seats)  # before it is used as a number
    matches = who_meets(game, len(agents), seats)
    if not matches:
        raise ValueError(f"{game.name}: {len(agents)} agents are no tournament; it takes two")
    costs = [deals * (1 if len(match) == 1 else seats) for match in matches]
    found: list[Results] = []
    for number, match in enumerate(matches):
        met = [agents[place] for place in match]
        doing = " against ".join(agent.name for agent in met)

        def moved(done: int, _: int, before: int = sum(costs[:number]), doing: str = doing) -> None:
            if progress is not None:
                progress(before + done, sum(costs), doing)

        if len(met) == 1:
            found.append(copies(game, met[0], deals, seed=seed, progress=moved, **setup))
        else:
            seated = [0] + [1] * (seats - 1)
            found.append(play(game, met, deals, seed=seed, seated=seated, progress=moved, **setup))
    return found


def check_names(names: Sequence[str]) -> None:
    """Raise ValueError if two agents have one name: rows would take them for one."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two agents are called {name!r}; rows tell agents by their names")


def who_meets(game: Game, count: int, seats: int) -> list[tuple[int, ...]]:
    """Return who meets whom among `count` agents: (one, the others), or (one,) for copies of one at all seats."""
    alone: list[tuple[int, ...]] = [(place,) for place in range(count)]
    if game.cooperative or seats == 1:
        return alone
    return [*(alone if game.roles else []), *pairs(count, seats)]


def pairs(count: int, seats: int) -> list[tuple[int, int]]:
    """Return each of `count` agents against each other one; at a table of two one way round, as seatings are cyclic."""
    return list(combinations(range(count), 2) if seats == 2 else permutations(range(count), 2))


def copies(
    game: Game,
    agent: Agent,
    deals: int,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Results:
    """Play `agent` at every seat, on the deals that `arena.play` has for `seed`: one row a deal, all seatings alike."""
    seeds = deal_seeds(deals, seed)
    seating = np.zeros((deals, setup["seats"]), np.int64)
    return play_out(game, [agent], seeds, seating, setup, progress).results([agent], seeds, seating)
