"""Deals with external agents or language models, each at its own table.

A fault of an agent forfeits the deal. A failure of a model's endpoint does not: the deal is played again. Deals with
language models run in parallel threads: they share one lock, and release it while a model answers. A deal
depends on its seeds and the answers, not on the other deals.

Letters: `R` rows (deals times seatings), `S` seats.
"""

import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.results import NOBODY, Played
from sobremesa.agents.external.agent import DEALS, ExternalAgent, Fault
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.language.model import LanguageModel
from sobremesa.agents.language.transcript import Transcript
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seats import forfeit

PLAYS = 3  # of a deal whose endpoint fails, before the run stops


class Deals(NamedTuple):
    """The deals of rows."""

    seeds: np.ndarray  # (R,)
    keys: np.ndarray  # (R,), of the agents' seeds
    seating: np.ndarray  # (R, S)


class Course(NamedTuple):
    """The course of one deal with language models."""

    actions: list[int]  # by ply
    transcripts: dict[int, Transcript]  # by seat


Keep = Callable[[int, Course, Played], None]  # called with a row, its course, and the results so far


def play_apart(
    game: Game, agents: Sequence[Agent], deals: Deals, setup: Mapping[str, Any], played: Played,
    progress: Callable[[int, int], None] | None, keep: Keep | None,
) -> Played:  # fmt: skip
    """Play `deals` between `agents` and write the results into `played`.

    An external agent has one process per seat, and no process gets a deal twice: DEALS deals are played in their first
    seating, then by new processes in their second, and so on. So no process remembers the others' cards. Raises
    EndpointFailed after PLAYS plays of one deal, or immediately for a failure that does not pass.
    """
    external = [agent for agent in agents if isinstance(agent, ExternalAgent)]
    models = [agent for agent in agents if isinstance(agent, LanguageModel)]
    table = _Tables(game, agents, deals, setup, played, keep)
    width = 1 if external else min(model.options.concurrency for model in models)
    rows = _in_blocks(deals.seeds) if external else ((row, False) for row in range(len(deals.seeds)))
    try:
        for done, last in enumerate(_one_by_one(table, rows) if width == 1 else _play_in_threads(table, width), 1):
            if progress is not None:
                progress(done, len(deals.seeds))
            for agent in external if last else ():
                agent.stop()
    finally:
        for agent in external:
            agent.stop()
    return played


def _in_blocks(seeds: np.ndarray) -> Iterator[tuple[int, bool]]:
    """Yield each row of `seeds` `(R,)`, and whether processes end after it: DEALS deals once, then again, ..."""
    rows_of: dict[int, list[int]] = {}
    for row, seed in enumerate(seeds.tolist()):
        rows_of.setdefault(seed, []).append(row)
    deals = list(rows_of.values())
    for low in range(0, len(deals), DEALS):
        for rows in itertools.zip_longest(*deals[low : low + DEALS]):
            there = [row for row in rows if row is not None]
            yield from zip(there, [*[False] * (len(there) - 1), True], strict=True)


def _one_by_one(tables: "_Tables", rows: Iterator[tuple[int, bool]]) -> Iterator[bool]:
    match = tables.match()
    with tables.lock:
        for row, last in rows:
            tables.play(match, row)
            yield last


def _play_in_threads(tables: "_Tables", width: int) -> Iterator[bool]:
    """Play all rows in `width` threads; yield False after each.

    A row waits while another one of the same deal is played: some agents store data by the key of a deal. The threads
    are daemons, so an interrupted program does not wait for answers.
    """
    keys, waiting = tables.deals.keys.tolist(), list(range(len(tables.deals.keys)))
    busy, free = set[int](), threading.Condition(tables.lock)
    ended: queue.Queue[BaseException | None] = queue.Queue()

    def work() -> None:
        with tables.lock:
            try:
                match = tables.match()
                while waiting and not tables.stopped:
                    row = next((one for one in waiting if keys[one] not in busy), None)
                    if row is None:
                        free.wait()
                        continue
                    waiting.remove(row)
                    busy.add(keys[row])
                    tables.play(match, row)
                    busy.remove(keys[row])
                    free.notify_all()
                    ended.put(None)
            except BaseException as error:
                tables.stopped = True
                free.notify_all()
                ended.put(error)

    for _ in range(min(width, len(keys))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in keys:
            if (error := ended.get()) is not None:
                raise error
            yield False
    finally:
        with tables.lock:
            tables.stopped = True
            free.notify_all()


class _Tables:
    """Tables that play the rows of `deals`; hold `lock` around all calls."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], deals: Deals, setup: Mapping[str, Any], played: Played,
        keep: Keep | None,
    ) -> None:  # fmt: skip
        self.game, self.agents, self.setup = game, agents, setup
        self.deals, self.played, self.keep = deals, played, keep
        self.lock = threading.RLock()
        self.stopped = False

    def match(self) -> Match:
        return Match(self.game, self.agents, self.game.new_tables(1, self.setup))

    def play(self, match: Match, row: int) -> None:
        """Play one row, again if an endpoint fails."""
        sitting = [self.agents[index] for index in self.deals.seating[row]]
        transcripts = {seat: Transcript() for seat, agent in enumerate(sitting) if isinstance(agent, LanguageModel)}
        for number in range(1, PLAYS + 1):
            try:
                course = self._play_once(match, row, sitting, transcripts)
                break
            except EndpointFailed as failure:
                if not failure.passing or number == PLAYS or self.stopped:
                    plays = f" (the deal was played {number} times)" if number > 1 else ""
                    raise EndpointFailed(f"{failure}{plays}") from None
                for agent in sitting:
                    if isinstance(agent, ExternalAgent):
                        agent.stop()  # its process knows the deal
                for transcript in transcripts.values():
                    transcript.restart()
        for seat, transcript in transcripts.items():
            self.played.tokens[row, seat] = transcript.tokens
        if self.keep is not None and not self.stopped:
            self.keep(row, course, self.played)

    def _play_once(
        self, match: Match, row: int, sitting: Sequence[Agent], transcripts: Mapping[int, Transcript]
    ) -> Course:
        played, (seeds, keys, seating) = self.played, self.deals
        seats, course = len(sitting), Course([], dict(transcripts))
        external = {seat: agent for seat, agent in enumerate(sitting) if isinstance(agent, ExternalAgent)}
        match.seating[0, :seats] = seating[row]
        match.deal(np.zeros(1, np.int64), seeds[row : row + 1], keys[row : row + 1])
        played.forfeits[row], played.reasons[row] = NOBODY, ""
        try:
            for seat, agent in external.items():
                agent.ready(self.game, seat)
            self._finish_deal(match, course)
            played.payoffs[row] = match.payoffs[0, :seats]
        except Fault as fault:
            played.payoffs[row] = forfeit(self.game, seats, fault.seat)
            played.forfeits[row], played.reasons[row] = fault.seat, fault.reason
        for seat, agent in external.items():
            agent.finish(self.game, seat, float(played.payoffs[row, seat]))
        played.ends[row] = match.states[0]
        played.seconds[row] = match.seconds[0, :seats]
        return course

    def _finish_deal(self, match: Match, course: Course) -> None:
        """Play the deal of `match` to its end."""
        first = np.zeros(1, np.int64)
        while (place := int(match.waiting()[0])) >= 0:
            if self.stopped:
                raise EndpointFailed("the run has stopped")
            agent = match.agents[place]
            if isinstance(agent, LanguageModel):
                action = self._decide(match, agent, course)
            else:
                action = int(match.decide(first)[0])
            match.step(first, np.array([action]))
            course.actions.append(action)

    def _decide(self, match: Match, model: LanguageModel, course: Course) -> int:
        view = match.view(0)
        began = time.perf_counter()
        self.lock.release()
        try:
            return model.decide(view, course.transcripts[view.seat])
        finally:
            self.lock.acquire()
            match.seconds[0, view.seat] += time.perf_counter() - began
