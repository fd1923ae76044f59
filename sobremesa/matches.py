"""Matches of `ladder` and `rate`, played in this process, in worker processes or on a cluster."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sobremesa import agents
from sobremesa.agents.arena.cluster import Cluster
from sobremesa.agents.arena.pairings import who_meets
from sobremesa.agents.arena.score import nature
from sobremesa.agents.arena.tournament import Meet, meeting
from sobremesa.agents.named import Model, is_search, named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.progress import Progress


class Meetings(NamedTuple):
    """Agents, deals and the engine that plays them."""

    label: str  # name of the command
    game: Game
    specs: Sequence[str]  # specs of the agents `met`
    met: Sequence[Agent]
    dealt: dict[str, Any]  # seed and secret
    arguments: argparse.Namespace
    cluster: Cluster | None

    @contextmanager
    def at(
        self, setup: dict[str, Any], wanted: Sequence[tuple[int, ...]], most: int, here: Meet, update: Progress
    ) -> Iterator[Meet]:
        """Yield a function that plays the `wanted` matches at `setup`; `here` plays them without workers."""
        models = any(isinstance(named(spec), Model) for spec in self.specs)  # each of their deals is stored
        if not self.cluster and not self.arguments.processes and not models:
            yield here
            return

        def moved(done: int, total: int) -> None:
            update(done, total, self.cluster.told() if self.cluster else "")

        options = {name: value for name, value in setup.items() if name != "seats"} | self.dealt
        asked = {"piece": self.arguments.piece, "processes": self.arguments.processes, "cluster": self.cluster}
        given = {"label": self.label, "progress": moved, "seats": [setup["seats"]], **asked, **options}
        with meeting(self.game, self.specs, [one.name for one in self.met], wanted, most, **given) as meet:
            yield meet


class Part(NamedTuple):
    """Matches with the same number of deals."""

    taking: tuple[int, ...]  # indices of the agents
    wanted: Sequence[tuple[int, ...]]  # matches among these, in the format of `pairings.who_meets`
    deals: int


def parts(game: Game, specs: Sequence[str], seats: int, deals: int, search_deals: int | None) -> list[Part]:
    """Return the matches on `deals` deals and those of searching agents on `search_deals`.

    Agents without search all meet each other. A searching agent sits alone among copies of each other agent, except
    scripted agents below the best one; two searching agents never meet. In cooperative games each team plays alone.
    Without `search_deals` all agents meet on `deals` deals.

    Raises ValueError for `search_deals` without a searching agent, or above `deals`.
    """
    indices = tuple(range(len(specs)))
    if search_deals is None:
        return [Part(indices, who_meets(game, len(specs), seats), deals)]
    thinkers = [index for index in indices if is_search(specs[index])]
    if not thinkers:
        raise ValueError(f"--search-deals {search_deals} needs a searching agent; add one, for example search(strong)")
    if search_deals > deals:
        raise ValueError(f"--search-deals {search_deals} is above --deals {deals}; give at most {deals}")
    others = tuple(index for index in indices if index not in thinkers)
    among = who_meets(game, len(others), seats)
    found = [Part(others, among, deals)] if among else []
    if not nature(game).rated or seats == 1:
        return [*found, Part(tuple(thinkers), [(index,) for index in range(len(thinkers))], search_deals)]
    weak = agents.scripted_names(game)[:-1]
    met = [index for index in others if specs[index] not in weak]
    wanted = [(one, len(thinkers) + other) for one in range(len(thinkers)) for other in range(len(met))]
    return [*found, Part((*thinkers, *met), wanted, search_deals)]
