"""All tables of a server: cached ones, stored ones, and the clients of each."""

import asyncio
import logging
import re
import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

from sobremesa import envs
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.decisions import EXACT
from sobremesa.agents.stored import LARGEST
from sobremesa.envs.core.files import read_inside
from sobremesa.report.players import player_names
from sobremesa.serve.chat import Chat
from sobremesa.serve.opponents import Bench
from sobremesa.serve.ready import Ready
from sobremesa.serve.reviews import Studies
from sobremesa.serve.seated import players_of
from sobremesa.serve.store import UNTOUCHED, Running, Store, StoreError
from sobremesa.serve.table import Opening, Refused, Table, TableChanged, open_table

FILE = "tables.sqlite"  # in the folder of tables
MOST_RUNNING = 500  # running deals; a table takes at most half a megabyte
LOOK = 2.0  # seconds between checks for tables that the operator has closed
TIDY = 3600.0  # seconds between deletions of unused tables
HINTS_KEPT = 2**20  # bytes
KEPT = 500  # tables in memory; others are loaded from the store on demand
WORKERS = 4  # threads for moves and frames
THINKERS = 64  # threads for agents; up to this many slow agents delay no other table
STUDENTS = 4  # threads for analyses of finished deals
HINTERS = 2  # threads for hints
LAST = 1.0  # seconds to finish pending work at shutdown

_NAME = re.compile(r"[\w-]+", re.ASCII)  # of a table, and of its replay file
_Result = TypeVar("_Result")
_LOG = logging.getLogger("sobremesa.serve")


class Seating:
    """A table with its agents and the sockets of its clients."""

    def __init__(self, table: Table, own: Collection[str] = (), network: str = "") -> None:
        self.table = table
        self.network = network  # of the client that opened the table; "" if it is not known
        self.bench = Bench(table, own)
        self.chat = Chat()
        self.watchers: dict[asyncio.Event, int] = {}  # seat of each socket; PUBLIC for onlookers
        self.closed = ""  # the reason, a key of words.REFUSALS
        self.driving: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Wake the sockets to send new frames."""
        for watcher in self.watchers:
            watcher.set()


class Tables:
    """The tables in `folder`: the store `tables.sqlite` and the replays of finished deals."""

    def __init__(self, folder: Path, most_running: int = MOST_RUNNING) -> None:
        self.folder = folder
        self._most = most_running
        self.own: Collection[str] = ()  # agents of the command line, see Bench
        self.store = Store(folder / FILE)
        self._seatings: OrderedDict[str, Seating] = OrderedDict()
        self._dropped: list[Seating] = []  # tables that gave way, whose windows are still open
        self._lock = threading.Lock()
        self._workers = ThreadPoolExecutor(WORKERS, "table")
        self._working: set[Future[Any]] = set()
        self._thinkers = ThreadPoolExecutor(THINKERS, "agent")
        self._students = ThreadPoolExecutor(STUDENTS, "study")
        self._hinters = ThreadPoolExecutor(HINTERS, "hint")
        self.studies = Studies(self.study)
        self.hints = Studies(self._hint, HINTS_KEPT)
        self.ready = Ready()

    async def work(self, call: Callable[..., _Result], *arguments: Any) -> _Result:
        """Run a short `call` in a worker thread."""
        future = self._workers.submit(call, *arguments)
        self._working.add(future)
        future.add_done_callback(self._working.discard)
        return await asyncio.wrap_future(future)

    async def study(self, call: Callable[..., _Result], *arguments: Any) -> _Result:
        """Run a slow `call` in a thread for analyses, which no table waits for."""
        return await asyncio.get_running_loop().run_in_executor(self._students, call, *arguments)

    async def _hint(self, call: Callable[..., _Result], *arguments: Any) -> _Result:
        """Run `call` in a thread for hints."""
        return await asyncio.get_running_loop().run_in_executor(self._hinters, call, *arguments)

    def open(self, opening: Opening, network: str = "") -> Table:
        """Open a table for a client of `network`; raise ValueError for invalid settings.

        If too many are running, a table without moves gives way, and those without a window and a recent move do not
        count. Raises Refused if there are too many others.
        """
        with self._lock:
            running = self.store.running()
            if len(running) >= self._most and not self._make_room(running):
                raise Refused("full")
            table = open_table(self.store, opening)
            self._keep_in_memory(Seating(table, self.own, network))
            return table

    def _make_room(self, running: Sequence[Running]) -> bool:
        """Delete a table without moves; return whether another table may open. The caller holds the lock.

        Tables without a window give way first. Those with one give way only if the server is full without the quiet
        tables: first those of the network with most tables of this kind, so a client that fills the server replaces
        its own tables; the oldest of them first. A rematch does not give way: the page of the deal before leads to it.
        """
        busy = sum(self._is_watched(name) or (quiet is not None and quiet < UNTOUCHED) for name, quiet in running)
        rematches = {seating.table.next for seating in self._seatings.values()}
        untouched = [one.name for one in running if one.quiet is None and one.name not in rematches]
        of = {name: self._seatings[name].network if name in self._seatings else "" for name in untouched}
        many = Counter(of.values())
        for name in sorted(untouched, key=lambda name: (self._is_watched(name), -many[of[name]])):
            if self._is_watched(name) and busy < self._most:
                return True
            if self.store.delete_if_untouched(name):
                if name in self._seatings:
                    self._dropped.append(self._seatings.pop(name))
                return True
        return busy < self._most

    def _is_watched(self, name: str) -> bool:
        """Return whether a window shows the table, or an agent thinks there."""
        seating = self._seatings.get(name)
        return seating is not None and (bool(seating.watchers) or seating.driving is not None)

    def game_of(self, token: str) -> str:
        """Return the name of the game at the table of `token`; raise Refused if there is none."""
        try:
            return self.store.game(self._deal_of(token)[0])
        except KeyError:
            raise Refused("no table") from None

    def brief(self, token: str, language: str) -> dict[str, Any]:
        """Return the game's title, the players' names, and the turn of the deal of `token`.

        `over`: whether it has ended; `mine`: whether the seat is to act (None: not in memory).
        """
        with self._lock:  # a table that gives way is deleted under it
            name, seat = self._deal_of(token)
            seating = self._seatings.get(name)
            if seating is None:
                opened, _, events = self.store.opened(name)
        if seating is None:
            game, players = opened["game"], players_of(opened["seated"], events)
            turn = {"over": any(event.kind == "over" for event in events), "mine": None}
        else:
            table = seating.table
            game, players = table.opening.game, table.players
            turn = {"over": table.deal.over, "mine": table.to_act(seat)}
        if game not in envs.games():
            raise Refused("rules")
        title = envs.load(game).words.title[language]
        return {"title": title, "players": player_names([one.player for one in players], language, seat), **turn}

    def _deal_of(self, token: str) -> tuple[str, int]:
        found = self.store.find(token)
        if found is None:
            raise Refused("no table")
        if self.store.is_closed(found[0]):
            raise Refused("closed")
        return found

    def find(self, token: str) -> tuple[Seating, int]:
        """Return the table and seat of `token`; raise Refused if there is none."""
        with self._lock:  # a table that gives way is deleted under it
            name, seat = self._deal_of(token)
            seating = self._seatings.pop(name, None) or Seating(self._read(name), self.own)
            self._keep_in_memory(seating)
        return seating, seat

    def _read(self, name: str) -> Table:
        """Load the table `name` from the store; raise StoreError if it is damaged."""
        if not _NAME.fullmatch(name):
            raise self.store.damaged(name, "its name has invalid characters")
        try:
            return Table(self.store, name)
        except (Refused, StoreError):
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.store.damaged(name, f"{type(error).__name__}: {error}") from None

    def _keep_in_memory(self, seating: Seating) -> None:
        """Cache a table and drop the oldest idle ones; the caller holds the lock."""
        self._seatings[seating.table.name] = seating
        for old in list(self._seatings)[: max(0, len(self._seatings) - KEPT)]:
            idle = self._seatings[old]
            if not idle.watchers and idle.driving is None:
                self._seatings.pop(old).bench.close()

    async def watch(self) -> None:
        """Apply closures by the operator, retry failed writes and delete unused tables; runs forever."""
        tidied = -TIDY
        while True:
            while self._dropped:
                self._close(self._dropped.pop(), "gave way")
            try:
                if await self.work(self.store.changed_elsewhere):
                    for seating in await self.work(self._closed_elsewhere):
                        self._close(seating, "closed")
                if self.store.failing and not await self.work(self.store.save):
                    _LOG.error("%s can be written again; all moves are saved", self.store.path)
                    for seating in list(self._seatings.values()):
                        seating.wake()
                if time.monotonic() > tidied + TIDY:
                    tidied = time.monotonic()
                    await self.work(self._tidy)
            except StoreError as error:
                _LOG.error("%s", error)
            await asyncio.sleep(LOOK)

    def _closed_elsewhere(self) -> list[Seating]:
        with self._lock:
            found = [one for name, one in self._seatings.items() if self.store.is_closed(name)]
            for one in found:
                del self._seatings[one.table.name]
        return found

    def reload(self, seating: Seating) -> None:
        """Drop a table from memory after an unexpected error; its clients reconnect to the stored one."""
        with self._lock:
            self._seatings.pop(seating.table.name, None)
        self._close(seating, "again")

    def _close(self, seating: Seating, why: str) -> None:
        """Disconnect the clients and agents of a table."""
        seating.closed = why
        seating.wake()
        if seating.driving is not None:
            seating.driving.cancel()
        seating.bench.close()

    def _tidy(self) -> None:
        with self._lock:
            for name in self.store.delete_untouched({name for name, one in self._seatings.items() if one.watchers}):
                self._seatings.pop(name, None)

    def changed(self, seating: Seating) -> None:
        """Send new frames and let agents continue; call this in the event loop after each change."""
        seating.wake()
        if seating.driving is None and not seating.closed and self._agent_to_act(seating.table) is not None:
            seating.driving = asyncio.create_task(self._drive(seating))

    def _agent_to_act(self, table: Table) -> int | None:
        seat = table.deal.seat
        running = not table.deal.over and not table.trouble
        return seat if running and table.opening.seated[seat].spec else None

    async def _drive(self, seating: Seating) -> None:
        """Let agents play until a person is to act or the deal is over."""
        table = seating.table
        try:
            while (seat := self._agent_to_act(table)) is not None:
                version = table.version
                try:
                    loop = asyncio.get_running_loop()
                    action = await loop.run_in_executor(self._thinkers, seating.bench.ask, seat, version)
                    await self.work(table.play_agent, seat, version, action)
                except TableChanged:
                    continue  # after a take-back
                except Exception:
                    _LOG.exception("agent %s failed at table %s", table.agents[seat], table.name)
                    table.trouble = table.version == version  # else its decision has been taken back
                seating.wake()
        finally:
            seating.driving = None
            if table.deal.over:
                await self.try_write_replay(table)
                seating.bench.close()

    def replay_file(self, table: Table) -> Path:
        """Return the path of the replay of a finished deal."""
        return self.folder / "replays" / f"{table.name}.json"

    async def try_write_replay(self, table: Table) -> None:
        """Try to write the replay of a finished deal; after a failure, `replay` writes it on demand."""
        try:
            await self.work(self.keep, table)
        except OSError as error:
            _LOG.error("failed to write the replay of table %s: %s", table.name, error)

    def replay(self, table: Table) -> bytes:
        """Return the replay of a finished deal, writing it if missing; raise OSError if its file is a link."""
        self.keep(table)
        return read_inside(self.folder, self.replay_file(table).relative_to(self.folder).as_posix(), LARGEST)

    def keep(self, table: Table) -> Path:
        """Write the replay of a finished deal unless it exists; raise Refused before the end."""
        file = self.replay_file(table)
        with table.lock:
            if not table.deal.over:
                raise Refused("not over")
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                replays.write(file, table.deal.replay(table.agents))
        return file

    async def close(self) -> None:
        """Stop all agents and close the store, without waiting for slow work."""
        for seating in self._seatings.values():
            if seating.driving is not None:
                seating.driving.cancel()
            seating.bench.close()
        self.ready.close()
        for pool in (self._workers, self._thinkers, self._students, self._hinters):
            pool.shutdown(wait=False, cancel_futures=True)
        wait(list(self._working), LAST)
        self.store.close()


def new_seed() -> int:
    """Return an unpredictable seed; clients see it only after the deal, in JavaScript or another language."""
    return secrets.randbelow(EXACT)
