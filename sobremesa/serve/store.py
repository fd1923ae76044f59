"""Store of deals and their events in one SQLite file.

Events are written before clients receive them, so a killed server resumes at the state that its clients saw. The
number of an event is unique within its deal, so two servers cannot both continue a deal. Rows are only added, except
that unused tables are deleted.

While the file cannot be written (for example, because the disk is full), events stay in memory until it can, and new
tables are rejected.
"""

import contextlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sobremesa.envs.core.errors import one_line

MOST_UNSAVED = 100_000  # unwritten events in memory
UNTOUCHED = 900.0  # seconds that a table without events counts as running
QUIET = 6 * 3600.0  # seconds that a table counts after its last event
WEEK = 7 * 86_400.0  # seconds after its opening that a table counts at most
DAY = 86_400.0  # seconds after which a table without events is deleted

_FORMAT = 1  # user_version of the file
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
    """The store cannot be read or written, or another server has written to it."""


class Event(NamedTuple):
    """An event of a deal: "play", "back" (take-back), "name", "next" (the following deal) or "over"."""

    kind: str
    value: Any  # JSON


class Running(NamedTuple):
    """A deal that counts towards the limit of tables."""

    name: str
    quiet: float | None  # seconds since its last event; None without events


class Listed(NamedTuple):
    """An open deal for the operator, without tokens and seed."""

    name: str
    opened: dict[str, Any]
    at: float  # time of opening, in seconds since 1970
    events: int
    last: float | None  # time of the last event


class Store:
    """The store in the file `path`, which is created if missing; thread-safe.

    Raises StoreError, with the reason and the remedy, if the file is unusable.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.RLock()
        self._unsaved: list[tuple[Any, ...]] = []  # rows of the table `events`
        self.failing = False  # whether the last write failed, so that events wait in memory
        with self._reading():
            self._database = _connect(path)
        self._version = self._data_version()

    def open(self, deal: str, opened: Mapping[str, Any], tokens: Mapping[str, int]) -> None:
        """Store a new deal with its settings and the seat of each token."""
        rows = [(token, deal, seat) for token, seat in tokens.items()]
        with self._reading():
            self._save()
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            self._database.execute("INSERT INTO deals VALUES (?, ?, ?)", (deal, json.dumps(opened), time.time()))
            self._database.executemany("INSERT INTO tokens VALUES (?, ?, ?)", rows)

    def add(self, deal: str, number: int, event: Event) -> None:
        """Store event `number` of `deal`, in memory while the file cannot be written.

        Raises StoreError if that number exists, or if too many events are unwritten.
        """
        with self._lock:
            if len(self._unsaved) >= MOST_UNSAVED:
                self.save()
                if self._unsaved:
                    raise StoreError(
                        f"{self.path} is full or read-only and {MOST_UNSAVED:,} events wait in memory; fix that"
                    )
            self._unsaved.append((deal, number, event.kind, json.dumps(event.value), time.time()))
            try:
                self._save()
            except sqlite3.IntegrityError:
                self._unsaved.pop()
                raise StoreError(
                    f"deal {deal} already has event {number}; stop the other server that uses this file"
                ) from None
            except sqlite3.Error as error:
                if not self.failing:
                    _LOG.error("%s; moves stay in memory until the file can be written", self._problem(error))
                self.failing = True

    def save(self) -> int:
        """Try to write the events in memory; return the number left."""
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
        self.failing = False

    def opened(self, deal: str) -> tuple[dict[str, Any], dict[str, int], list[Event]]:
        """Return the settings, tokens and ordered events of `deal`; raise KeyError if it does not exist."""
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
        """Return the deal and seat of `token`, or None."""
        with self._reading():
            found = self._database.execute("SELECT deal, seat FROM tokens WHERE token = ?", (token,)).fetchone()
        return (found[0], found[1]) if found else None

    def game(self, deal: str) -> str:
        """Return the name of the game of `deal`; raise KeyError if it does not exist."""
        with self._reading():
            found = self._database.execute("SELECT opened FROM deals WHERE id = ?", (deal,)).fetchone()
        if found is None:
            raise KeyError(deal)
        return str(self._read_opened(deal, found[0])["game"])

    def running(self) -> list[Running]:
        """Return the running deals, the oldest first: open, at most a WEEK old, with an event within QUIET seconds.

        A deal without events counts for UNTOUCHED seconds.
        """
        now = time.time()
        query = f"SELECT id, {_LAST} FROM deals WHERE {_OPEN} AND (deals.at > ? OR {_LAST} > ?) ORDER BY at"
        with self._reading():
            found = self._database.execute(query, (now - WEEK, now - UNTOUCHED, now - QUIET)).fetchall()
        return [Running(name, None if last is None else now - last) for name, last in found]

    def listed(self) -> list[Listed]:
        """Return the open deals, the oldest first."""
        query = f"""SELECT id, opened, at, (SELECT COUNT(*) FROM events WHERE deal = deals.id), {_LAST}
            FROM deals WHERE {_OPEN} ORDER BY at"""
        with self._reading():
            found = self._database.execute(query, (0.0,)).fetchall()
        return [Listed(row[0], self._read_opened(row[0], row[1]), *row[2:]) for row in found]

    def close_deals(self, deals: Collection[str]) -> None:
        """Close `deals` permanently; raise KeyError, before closing any, if one does not exist."""
        for deal in deals:
            self.game(deal)
        rows = [(deal, time.time()) for deal in deals]
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR IGNORE INTO closed VALUES (?, ?)", rows)

    def is_closed(self, deal: str) -> bool:
        """Return whether the operator has closed `deal`."""
        with self._reading():
            return self._database.execute("SELECT 1 FROM closed WHERE deal = ?", (deal,)).fetchone() is not None

    def changed_elsewhere(self) -> bool:
        """Return whether another process has written to the file since the last call."""
        with self._reading():
            before, self._version = self._version, self._data_version()
        return before != self._version

    def delete_untouched(self, spared: set[str]) -> list[str]:
        """Delete deals without events that are older than a DAY, except `spared`; return their names."""
        query = """SELECT id FROM deals WHERE at < ? AND NOT EXISTS (SELECT 1 FROM events WHERE deal = deals.id)"""
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            spared = spared | {row[0] for row in self._unsaved}
            found = [name for (name,) in self._database.execute(query, (time.time() - DAY,)) if name not in spared]
            self._delete(found)
        return found

    def delete_if_untouched(self, deal: str) -> bool:
        """Delete `deal` unless it has events; return whether it is gone."""
        query = "SELECT 1 FROM events WHERE deal = ?"
        with self._reading(), self._database:
            self._database.execute("BEGIN")
            if self._database.execute(query, (deal,)).fetchone() or any(row[0] == deal for row in self._unsaved):
                return False
            self._delete([deal])
        return True

    def _delete(self, deals: Sequence[str]) -> None:
        """Delete `deals`, which have no events, within a transaction of the caller."""
        for table, column in (("tokens", "deal"), ("closed", "deal"), ("deals", "id")):
            self._database.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(name,) for name in deals])

    def _read_opened(self, deal: str, text: str) -> dict[str, Any]:
        """Parse the settings of `deal`; raise StoreError if they are damaged."""
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
        """Return the error for a damaged `deal`."""
        return StoreError(f"{self.path}: the table {one_line(str(deal), 100)!r} is damaged: {one_line(str(why), 200)}")

    def _data_version(self) -> int:
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the lock; convert errors of SQLite and the system to StoreError."""
        with self._lock:
            try:
                yield
            except (sqlite3.Error, OSError) as error:
                raise self._problem(error) from None

    def _problem(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: {_error_line(error)}")

    def close(self) -> None:
        """Try to write the events in memory, then close the file."""
        with self._lock:
            if left := self.save():
                _LOG.error("%s could not be written: the last %d moves are lost", self.path, left)
            self._database.close()


def _connect(path: Path) -> sqlite3.Connection:
    """Check the store `path` and return a connection to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)  # its tokens give access to every seat
    if not path.is_file():
        raise sqlite3.DatabaseError("it is not a regular file")
    for name in (f"{path.name}-{kind}" for kind in ("journal", "wal", "shm")):  # opening a pipe would block SQLite
        if os.path.lexists(path.with_name(name)) and not path.with_name(name).is_file():
            raise sqlite3.DatabaseError(f"its companion {name} is not a regular file")
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        _check(database)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")  # safe when the process is killed
        database.executescript(_TABLES)
        database.execute(f"PRAGMA user_version={_FORMAT}")  # writing it on every start detects a read-only file
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection) -> None:
    """Raise DatabaseError for a damaged file or one with other contents; do not change it."""
    schema = database.execute("SELECT type, name, rootpage FROM sqlite_master").fetchall()
    if odd := [name for kind, name, page in schema if kind not in ("table", "index") or not page]:  # 0: a virtual table
        raise sqlite3.DatabaseError(f"it is not a store of tables: it contains {one_line(odd[0], 100)!r}")
    tables = {name for kind, name, _ in schema if kind == "table"}
    for name, columns in _COLUMNS.items():
        found = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        if found != columns and (found or tables):
            raise sqlite3.DatabaseError(f"it is not a store of tables: it has no {name} {columns}")
    if tables and (form := database.execute("PRAGMA user_version").fetchone()[0]) != _FORMAT:
        raise sqlite3.DatabaseError(f"it has format {form}; this version of Sobremesa reads format {_FORMAT}")
    damage = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise sqlite3.DatabaseError(f"it is damaged: {damage}")


def _error_line(error: Exception) -> str:
    """Return the error and its remedy as one line."""
    text = " ".join(((error.strerror if isinstance(error, OSError) else "") or str(error)).split())
    if "full" in text or "No space" in text:
        return f"{text}; make room on the disk"
    if "readonly" in text or "Permission" in text or "Read-only" in text:
        return f"{text}; make the file and its folder writable, or choose another --folder"
    return f"{text}; choose another --folder, or restore a copy of the file"
