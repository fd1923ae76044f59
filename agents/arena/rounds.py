"""Rounds: the deals of some matches in their order, as many as are asked for, by an engine that is kept busy ahead.

For whoever decides by what was played whether more is to be. What is played lies in the folder of a tournament.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.results import Results, join
from sobremesa.agents.arena.schedule import PIECE, Piece, Schedule, pieces, plan
from sobremesa.agents.arena.workers import NOTHING, Elsewhere, Pool, WorkerFailed, all_of
from sobremesa.envs.core.game import Game

AHEAD = 2  # pieces that are given away for each that is played at once
THINKING = 16  # deals in a piece of agents that are no kernels: one may take minutes

Meet = Callable[[range], list[Results]]  # numbers of deals to the results of each match
Progress = Callable[[int, int], None]  # (deals done, deals asked for)


class Rounds:
    """Those matches of the tournament in `folder` that are `wanted`, as `pairings.who_meets` tells them.

    Results call its agents by `names`. Close it after use.
    """

    def __init__(
        self, folder: Path, names: Sequence[str], wanted: Sequence[tuple[int, ...]], *,
        processes: int = 1, cluster: Elsewhere | None = None, progress: Progress | None = None,
    ) -> None:  # fmt: skip
        schedule = self._schedule = tournament.read_schedule(folder)
        along = tournament.carried(folder, schedule) if cluster else NOTHING
        given = tournament.play_piece, str(folder)
        self._engine = cluster.engine(*given, along) if cluster else Pool(*given, processes)
        self._folder, self._progress = folder, progress
        self._names = dict(zip(schedule.agents, names, strict=True))
        self._matches: list[list[Piece]] = [[] for _ in wanted]
        for piece in pieces(schedule):
            met = tuple(dict.fromkeys(piece.seated))
            if met in wanted:
                self._matches[wanted.index(met)].append(piece)
        every = sorted((piece for match in self._matches for piece in match), key=lambda one: one.deals.start)
        self._there = {piece.number for piece in every if tournament.is_there(folder, schedule, piece)}
        self._waiting = [piece.number for piece in reversed(every) if piece.number not in self._there]
        self._given_away = 0
        self._failed: dict[int, WorkerFailed] = {}

    def results(self, deals: range) -> list[Results]:
        """Return the results of `deals`, by their numbers, in each match; raise WorkerFailed where they cannot be."""
        wanted = [[one for one in match if _overlap(one.deals, deals)] for match in self._matches]
        every = [one for match in wanted for one in match]
        self._told(every)
        while not (self._there | self._failed.keys()).issuperset(one.number for one in every):
            while self._waiting and self._given_away < AHEAD * self._engine.width:
                self._engine.submit(self._waiting.pop())
                self._given_away += 1
            task, failure = self._engine.take()
            self._given_away -= 1
            if failure is None:
                self._there.add(task)
            elif self._engine.goes_on:
                self._failed[task] = failure
            else:
                raise failure
            self._told(every)
        if failed := [self._failed[one.number] for one in every if one.number in self._failed]:
            raise all_of(failed, len(every))
        return [join([self._read(piece, deals) for piece in match]) for match in wanted]

    def close(self) -> None:
        """End the engine; what was played ahead is kept."""
        self._engine.close()

    def _told(self, every: Sequence[Piece]) -> None:
        if self._progress is not None:
            done = sum(len(one.deals) for one in every if one.number in self._there)
            self._progress(done, sum(len(one.deals) for one in every))

    def _read(self, piece: Piece, deals: range) -> Results:
        """Return the results of `piece` in those of its deals that are among `deals`."""
        found = tournament.read_piece(self._folder, self._schedule, piece)
        numbers = np.repeat(piece.deals, len(piece.seatings()))
        kept = found.where((numbers >= deals.start) & (numbers < deals.stop))
        return kept._replace(agents=tuple(self._names[name] for name in kept.agents))


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


@contextmanager
def meeting(
    game: Game, specs: Sequence[str], names: Sequence[str], wanted: Sequence[tuple[int, ...]], most: int, *,
    label: str, piece: int | None = None, processes: int | None = None, cluster: Elsewhere | None = None,
    progress: Progress | None = None, tell: Callable[[str], None] = print, **given: Any,
) -> Iterator[Meet]:  # fmt: skip
    """Give what plays the `wanted` matches of `specs`, up to `most` deals, by processes or a cluster.

    It is kept in a folder that is named for `label` and all that the rows follow from, so that whoever asks for the
    same again goes on there. `given` are arguments of `schedule.plan`.
    """
    kernels = set(specs) <= set(agents.scripted_names(game))
    size = piece or (PIECE if kernels else THINKING)
    schedule: Schedule = plan(game, specs, deals=most, piece=min(size, most), **given)
    folder = Path("runs") / f"{label}-{schedule.key()}"
    if not (folder / tournament.SCHEDULE).exists():
        tournament.begin(folder, schedule)
    tell(f"Playing in {folder}; the same command goes on there.")
    rounds = Rounds(folder, names, wanted, processes=processes or 1, cluster=cluster, progress=progress)
    with closing(rounds):
        yield rounds.results
