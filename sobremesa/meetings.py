"""How `ladder` and `rate` have agents meet: in this process, or by the processes or the cluster that one asks for."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sobremesa.agents.arena.cluster import Cluster
from sobremesa.agents.arena.rounds import Meet, meeting
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.progress import Progress


class Meetings(NamedTuple):
    """Who meets, on which deals, and who plays them."""

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
