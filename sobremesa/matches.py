"""Matches of `ladder` and `rate`: played in this process, by worker processes, or on a cluster."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sobremesa import agents
from sobremesa.agents.arena.cluster import Cluster
from sobremesa.agents.arena.pairings import who_meets
from sobremesa.agents.arena.score import nature
from sobremesa.agents.arena.tournament import Meet, meeting
from sobremesa.agents.search.spec import is_search
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.progress import Progress


class Meetings(NamedTuple):
    """Pairings, deals and the engine that plays them."""

    label: str  # of the command
    game: Game
    specs: Sequence[str]  # the agents as they were named
    met: Sequence[Agent]  # and as they are
    dealt: dict[str, Any]  # seed and secret
    arguments: argparse.Namespace
    cluster: Cluster | None

    @contextmanager
    def at(
        self, setup: dict[str, Any], wanted: Sequence[tuple[int, ...]], most: int, here: Meet, update: Progress
    ) -> Iterator[Meet]:
        """Give what plays the `wanted` matches at `setup`, up to `most` deals: `here`, if nobody else is to."""
        if not self.cluster and not self.arguments.processes:
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
    """Matches that are of as many deals each."""

    taking: tuple[int, ...]  # agents, as indices
    wanted: Sequence[tuple[int, ...]]  # matches among these, as `pairings.who_meets` tells them
    deals: int


def parts(game: Game, specs: Sequence[str], seats: int, deals: int, search_deals: int | None) -> list[Part]:
    """Return which matches of the agents `specs` are of `deals` deals, and which of `search_deals`.

    Those who do not think ahead all meet each other. Each of those who do sits alone among copies of each other agent
    but those that are weaker than the best scripted one; no two of them meet. Of teams each plays for itself. With None
    all meet each other on `deals` deals.

    Raises ValueError for `search_deals` where nobody thinks ahead, or for more than `deals`.
    """
    everybody = tuple(range(len(specs)))
    if search_deals is None:
        return [Part(everybody, who_meets(game, len(specs), seats), deals)]
    thinkers = [index for index in everybody if is_search(specs[index])]
    if not thinkers:
        raise ValueError(f"--search-deals {search_deals}: nobody thinks ahead; name an agent such as search(strong)")
    if search_deals > deals:
        raise ValueError(f"--search-deals {search_deals}: these are the first of --deals, which are {deals}")
    others = tuple(index for index in everybody if index not in thinkers)
    among = who_meets(game, len(others), seats)
    found = [Part(others, among, deals)] if among else []
    if not nature(game).rated or seats == 1:
        return [*found, Part(tuple(thinkers), [(index,) for index in range(len(thinkers))], search_deals)]
    weak = agents.scripted_names(game)[:-1]
    met = [index for index in others if specs[index] not in weak]
    wanted = [(one, len(thinkers) + other) for one in range(len(thinkers)) for other in range(len(met))]
    return [*found, Part((*thinkers, *met), wanted, search_deals)]
