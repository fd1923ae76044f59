"""What the server keeps: every deal with all that happened at it, in one SQLite file to which lines are only added.

It is written before anybody is told, so a server that is killed goes on where its clients were. An event has a number
within its deal that none can have twice: two servers with one file cannot both play.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_TABLES = """
CREATE TABLE IF NOT EXISTS deals (id TEXT PRIMARY KEY, opened TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, deal TEXT NOT NULL, seat INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS events (
  deal TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (deal, number)
);
CREATE INDEX IF NOT EXISTS deals_at ON deals (at);
CREATE INDEX IF NOT EXISTS over ON events (deal) WHERE kind = 'over';
"""


class StoreError(ValueError):
    """Something that cannot be kept, or was kept by another server meanwhile."""


class Event(NamedTuple):
    """What happened at a table: a "play", a "back" (taken back), a "name", what comes "next", the deal "over"."""

    kind: str
    value: Any  # JSON


class Store:
    """The file `path`, which is made if it is not there; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # whoever reads it could sit at any seat
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")  # no process that dies takes anything with it
        self._database.executescript(_TABLES)

    def open(self, deal: str, opened: Mapping[str, Any], tokens: Mapping[str, int]) -> None:
        """Keep a new deal: what it was opened with, and the seat that each of `tokens` is for."""
        with self._lock, self._database:
            self._database.execute("BEGIN")
            self._database.execute("INSERT INTO deals VALUES (?, ?, ?)", (deal, json.dumps(opened), time.time()))
            rows = [(token, deal, seat) for token, seat in tokens.items()]
            self._database.executemany("INSERT INTO tokens VALUES (?, ?, ?)", rows)

    def add(self, deal: str, number: int, event: Event) -> None:
        """Keep what happened at `deal` as its event `number`; raise StoreError if it has one of that number."""
        row = (deal, number, event.kind, json.dumps(event.value), time.time())
        try:
            with self._lock:
                self._database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise StoreError(f"deal {deal} has an event {number} already: does another server use this file?") from None

    def opened(self, deal: str) -> tuple[dict[str, Any], dict[str, int], list[Event]]:
        """Return what `deal` was opened with, its tokens, and its events in their order; KeyError if there is none."""
        with self._lock:
            found = self._database.execute("SELECT opened FROM deals WHERE id = ?", (deal,)).fetchone()
            if found is None:
                raise KeyError(deal)
            tokens = self._database.execute("SELECT token, seat FROM tokens WHERE deal = ?", (deal,)).fetchall()
            query = "SELECT kind, value FROM events WHERE deal = ? ORDER BY number"
            events = self._database.execute(query, (deal,)).fetchall()
        return json.loads(found[0]), dict(tokens), [Event(kind, json.loads(value)) for kind, value in events]

    def find(self, token: str) -> tuple[str, int] | None:
        """Return the deal and the seat that `token` is for; None if it is for none."""
        with self._lock:
            found = self._database.execute("SELECT deal, seat FROM tokens WHERE token = ?", (token,)).fetchone()
        return (found[0], found[1]) if found else None

    def game(self, deal: str) -> str:
        """Return the name of the game of `deal`; KeyError if there is no such deal."""
        with self._lock:
            found = self._database.execute("SELECT opened FROM deals WHERE id = ?", (deal,)).fetchone()
        if found is None:
            raise KeyError(deal)
        return str(json.loads(found[0])["game"])

    def running(self, since: float) -> int:
        """Return how many deals are not over, of those that were opened after the time `since`."""
        query = """SELECT COUNT(*) FROM deals WHERE at > ?
            AND NOT EXISTS (SELECT 1 FROM events WHERE deal = deals.id AND kind = 'over')"""
        with self._lock:
            return int(self._database.execute(query, (since,)).fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
