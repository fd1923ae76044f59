"""What the server keeps: every deal with all that happened at it, in one SQLite file.

It is written before anybody is told, so a server that is killed goes on where its clients were. An event has a number
within its deal that none can have twice: two servers with one file cannot both play. Rows are only added, but for
tables that were opened and never used.

While the file cannot be written (a full disk, say) events are kept in memory and written as soon as that is possible
again; new tables are refused meanwhile.
"""

import contextlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sobremesa.envs.core.errors import one_line

MOST_UNSAVED = 100_000  # events that are kept in memory
UNTOUCHED = 900.0  # seconds for which a table counts as running at which nothing has happened yet
QUIET = 6 * 3600.0  # seconds for which one counts after the last event
WEEK = 7 * 86_400.0  # seconds from the opening after which no table counts
DAY = 86_400.0  # seconds after which a table at which nothing has happened is deleted

_FORMAT = 1  # of the file; those of before have 0
_COLUMNS = {
    "deals": ["id", "opened", "at"],
    "tokens": ["token", "deal", "seat"],
    "events": ["deal", "number", "kind", "value", "at"],
    "closed": ["deal", "at"],
}
_TABLES = """
CREATE TABLE IF NOT EXISTS deals (id TEXT PRIMARY KEY, opened TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, deal TEXT NOT NULL, seat INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS events (
  deal TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (deal, number)
);
CREATE TABLE IF NOT EXISTS closed (deal TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS tokens_of ON tokens (deal);
CREATE INDEX IF NOT EXISTS deals_at ON deals (at);
CREATE INDEX IF NOT EXISTS over ON events (deal) WHERE kind = 'over';
"""
_OPEN = """deals.at > ? AND NOT EXISTS (SELECT 1 FROM events WHERE deal = deals.id AND kind = 'over')
  AND NOT EXISTS (SELECT 1 FROM closed WHERE deal = deals.id)"""
_LAST = "(SELECT events.at FROM events WHERE deal = deals.id ORDER BY number DESC LIMIT 1)"

_LOG = logging.getLogger("sobremesa.serve")


class StoreError(ValueError):
    """Something that cannot be kept or read, or was kept by another server meanwhile."""


class Event(NamedTuple):
    """What happened at a table: a "play", a "back" (taken back), a "name", what comes "next", the deal "over"."""

    kind: str
    value: Any  # JSON


class Listed(NamedTuple):
    """A deal that is not over, as its operator sees it: no token, no seed."""

    name: str
    opened: dict[str, Any]
    at: float  # when it was opened, in seconds since 1970
    events: int
    last: float | None  # when something happened last


class Store:
    """The file `path`, which is made if it is not there; safe to use from several threads.

    Raises StoreError, with the reason and what to do, where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.RLock()
        self._unsaved: list[tuple[Any, ...]] = []  # rows of events
        with self._reading():
            self._database = _connect(path)
        self._version = self._data_version()

    @property
    def failing(self) -> bool:
        """Whether there are events in memory that could not be written yet."""
        return bool(self._unsaved)

    def open(self, deal: str, opened: Mapping[str, Any], tokens: Mapping[str, int]) -> None:
        """Keep a new deal: what it was opened with, and the seat that each of `tokens` is for."""
        rows = [(token, deal, seat) for token, seat in tokens.items()]
        with self._reading():
            self._save()
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            self._database.execute("INSERT INTO deals VALUES (?, ?, ?)", (deal, json.dumps(opened), time.time()))
            self._database.executemany("INSERT INTO tokens VALUES (?, ?, ?)", rows)

    def add(self, deal: str, number: int, event: Event) -> None:
        """Keep what happened at `deal` as its event `number`, in memory where the file cannot be written now.

        Raises StoreError if the deal has an event of that number, or if too many events are in memory.
        """
        with self._lock:
            if len(self._unsaved) >= MOST_UNSAVED:
                self.save()
                if self._unsaved:
                    raise StoreError(f"{self.path} cannot be written, and {MOST_UNSAVED:,} events wait in memory")
            self._unsaved.append((deal, number, event.kind, json.dumps(event.value), time.time()))
            try:
                self._save()
            except sqlite3.IntegrityError:
                self._unsaved.pop()
                raise StoreError(
                    f"deal {deal} has an event {number} already: does another server use this file?"
                ) from None
            except sqlite3.Error as error:
                if len(self._unsaved) == 1:
                    _LOG.error("%s; moves are kept in memory until it can be written", self._problem(error))

    def save(self) -> int:
        """Write the events that are in memory alone, as far as possible; return how many are left."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._save()
        return len(self._unsaved)

    def _save(self) -> None:
        if not self._unsaved:
            return
        with self._database:
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", self._unsaved)
        self._unsaved.clear()

    def opened(self, deal: str) -> tuple[dict[str, Any], dict[str, int], list[Event]]:
        """Return what `deal` was opened with, its tokens, and its events in their order; KeyError if there is none."""
        with self._reading():
            found = self._database.execute("SELECT opened FROM deals WHERE id = ?", (deal,)).fetchone()
            if found is None:
                raise KeyError(deal)
            tokens = self._database.execute("SELECT token, seat FROM tokens WHERE deal = ?", (deal,)).fetchall()
            query = "SELECT kind, value FROM events WHERE deal = ? ORDER BY number"
            events = self._database.execute(query, (deal,)).fetchall()
            events += [row[2:4] for row in self._unsaved if row[0] == deal]
        read = [Event(kind, self._read(deal, value)) for kind, value in events]
        return self._read_opened(deal, found[0]), dict(tokens), read

    def find(self, token: str) -> tuple[str, int] | None:
        """Return the deal and the seat that `token` is for; None if it is for none."""
        with self._reading():
            found = self._database.execute("SELECT deal, seat FROM tokens WHERE token = ?", (token,)).fetchone()
        return (found[0], found[1]) if found else None

    def game(self, deal: str) -> str:
        """Return the name of the game of `deal`; KeyError if there is no such deal."""
        with self._reading():
            found = self._database.execute("SELECT opened FROM deals WHERE id = ?", (deal,)).fetchone()
        if found is None:
            raise KeyError(deal)
        return str(self._read_opened(deal, found[0])["game"])

    def running(self) -> int:
        """Return how many deals count as running.

        Those that are neither over nor closed and were opened within a WEEK, until they are QUIET; and for UNTOUCHED
        seconds only where nothing has happened yet.
        """
        now = time.time()
        query = f"SELECT COUNT(*) FROM deals WHERE {_OPEN} AND (deals.at > ? OR {_LAST} > ?)"
        with self._reading():
            return int(self._database.execute(query, (now - WEEK, now - UNTOUCHED, now - QUIET)).fetchone()[0])

    def listed(self) -> list[Listed]:
        """Return the deals that are neither over nor closed, the oldest first."""
        query = f"""SELECT id, opened, at, (SELECT COUNT(*) FROM events WHERE deal = deals.id), {_LAST}
            FROM deals WHERE {_OPEN} ORDER BY at"""
        with self._reading():
            found = self._database.execute(query, (0.0,)).fetchall()
        return [Listed(row[0], self._read_opened(row[0], row[1]), *row[2:]) for row in found]

    def close_deal(self, deal: str) -> None:
        """Close `deal` for good: nobody is let in any more. Raises KeyError if there is no such deal."""
        self.game(deal)
        with self._reading():
            self._database.execute("INSERT OR IGNORE INTO closed VALUES (?, ?)", (deal, time.time()))

    def is_closed(self, deal: str) -> bool:
        """Return whether the operator has closed `deal`."""
        with self._reading():
            return self._database.execute("SELECT 1 FROM closed WHERE deal = ?", (deal,)).fetchone() is not None

    def changed_elsewhere(self) -> bool:
        """Return whether another process has written to the file since this was asked last."""
        with self._reading():
            before, self._version = self._version, self._data_version()
        return before != self._version

    def delete_untouched(self, spared: set[str]) -> list[str]:
        """Delete the deals at which nothing has happened a DAY after their opening, but for `spared`; return them."""
        query = """SELECT id FROM deals WHERE at < ? AND NOT EXISTS (SELECT 1 FROM events WHERE deal = deals.id)"""
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            found = [name for (name,) in self._database.execute(query, (time.time() - DAY,)) if name not in spared]
            found = [name for name in found if not any(row[0] == name for row in self._unsaved)]
            for table, column in (("tokens", "deal"), ("closed", "deal"), ("deals", "id")):
                self._database.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(name,) for name in found])
        return found

    def _read_opened(self, deal: str, text: str) -> dict[str, Any]:
        """Return what `deal` was opened with; raise StoreError where the file says none of it."""
        opened = self._read(deal, text)
        if not isinstance(opened, dict) or not isinstance(opened.get("game"), str):
            raise self.damaged(deal, "it names no game")
        return opened

    def _read(self, deal: str, text: str) -> Any:
        try:
            return json.loads(text)
        except (TypeError, ValueError, RecursionError) as error:
            raise self.damaged(deal, error) from None

    def damaged(self, deal: str, why: object) -> StoreError:
        """Return the error to raise for a `deal` that the file holds otherwise than it was kept."""
        return StoreError(f"{self.path}: the table {one_line(str(deal), 100)!r} is damaged: {one_line(str(why), 200)}")

    def _data_version(self) -> int:
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Take the lock, and raise StoreError for what SQLite, or the system, says."""
        with self._lock:
            try:
                yield
            except (sqlite3.Error, OSError) as error:
                raise self._problem(error) from None

    def _problem(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: {_explained(error)}")

    def close(self) -> None:
        """Close the file, after what is in memory alone was written, as far as possible."""
        with self._lock:
            if left := self.save():
                _LOG.error("%s could not be written: the last %d moves are lost", self.path, left)
            self._database.close()


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection to the store `path`, checked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)  # whoever reads it could sit at any seat
    if not path.is_file():
        raise sqlite3.DatabaseError("this is no file")
    for name in (f"{path.name}-{kind}" for kind in ("journal", "wal", "shm")):  # SQLite would wait for a pipe
        if os.path.lexists(path.with_name(name)) and not path.with_name(name).is_file():
            raise sqlite3.DatabaseError(f"{name}, beside it, is no file")
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        _check(database)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")  # no process that dies takes anything with it
        database.executescript(_TABLES)
        database.execute(f"PRAGMA user_version={_FORMAT}")  # written each time: it fails where nothing can be
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection) -> None:
    """Raise DatabaseError for a file that is damaged, or that holds something else; it is not changed."""
    schema = database.execute("SELECT type, name, rootpage FROM sqlite_master").fetchall()
    if odd := [name for kind, name, page in schema if kind not in ("table", "index") or not page]:  # 0: a virtual table
        raise sqlite3.DatabaseError(f"this holds something else than tables of a server: {one_line(odd[0], 100)!r}")
    tables = {name for kind, name, _ in schema if kind == "table"}
    for name, columns in _COLUMNS.items():
        found = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        if found != columns and (found or (tables and name != "closed")):  # files of before have no "closed"
            raise sqlite3.DatabaseError(f"this holds something else than tables of a server: no {name} {columns}")
    if (form := database.execute("PRAGMA user_version").fetchone()[0]) > _FORMAT:
        raise sqlite3.DatabaseError(f"it has format {form}, from a later version of Sobremesa")
    damage = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise sqlite3.DatabaseError(f"it is damaged: {damage}")


def _explained(error: Exception) -> str:
    """Return what is wrong and what can be done."""
    said = " ".join(((error.strerror if isinstance(error, OSError) else "") or str(error)).split())
    if "full" in said or "No space" in said:
        return f"{said}; make room on the disk"
    if "readonly" in said or "Permission" in said or "Read-only" in said:
        return f"{said}; make the file and its folder writable, or name another --folder"
    return f"{said}; name another --folder, or put a copy of the file in its place"
