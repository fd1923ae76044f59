"""Measured gains of search: rows of `strength.json`, from which tables and a picture are made."""

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("strength.json")


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search agent compared with its base at one kind of table; figures are those of `arena.score.Score`."""

    game: str
    version: int
    seats: int
    candidate: str
    reference: str
    role: str  # that both had; "" where seats are alike
    worlds: int  # where it is a point of the curve over budgets; 0 for the usual budget
    deals: int
    seed: int
    value: float
    low: float | None  # ends of the 95 % interval over deals; None for one deal
    high: float | None
    baseline: float
    lead: float
    lead_low: float | None
    lead_high: float | None
    identity: str  # of the candidate: another one plays otherwise
    seconds: float  # of CPU, of the whole match
    commit: str

    @property
    def match(self) -> tuple[object, ...]:
        """The match of the row, without its result: at most one row of it is published."""
        return self.game, self.version, self.seats, self.candidate, self.reference, self.worlds, self.role

    @property
    def place(self) -> str:
        """The kind of table, and the role where seats have roles."""
        return f"{self.seats}, {self.role}" if self.role else str(self.seats)

    @property
    def measured(self) -> str:
        """The score and its interval, in words."""
        return f"{self.value:.3f} ({_interval(self.low, self.high, '.3f')})"

    @property
    def gained(self) -> str:
        """The lead over the base in the same place and its interval, in words."""
        return f"{self.lead:+.3f} ({_interval(self.lead_low, self.lead_high, '+.3f')})"

    def told(self) -> str:
        """Return the row as a line of text."""
        who = f"{self.game}, seats {self.place}: {self.candidate}"
        return f"{who} {self.measured} beside {self.baseline:.3f}, {self.gained}, {self.deals} deals"


def _interval(low: float | None, high: float | None, form: str) -> str:
    """Return an interval in words; a single deal has none."""
    missing = low is None or high is None or math.isnan(low) or math.isnan(high)
    return "one deal: no interval" if missing else f"{low:{form}} to {high:{form}}"


def rows(game: str | None = None) -> list[Row]:
    """Return the rows of `game`, or of all games."""
    found = msgspec.json.decode(FILE.read_bytes(), type=list[Row]) if FILE.exists() else []
    return [row for row in found if game in (None, row.game)]


HEAD = ("seats", "agent", "beside", "deals", "score", "what it adds", "commit")


def table(found: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the rows of `found` at the usual budget as cells under `HEAD`."""
    return [
        (row.place, f"`{row.candidate}`", f"`{row.reference}`", str(row.deals),
         row.measured, row.gained, row.commit)
        for row in found
        if not row.worlds
    ]  # fmt: skip


def summary_table(found: Sequence[Row]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the head and cells of a table: the gain of each search at each kind of table, at the usual budget."""
    usual = [row for row in found if not row.worlds]
    names = list(dict.fromkeys(row.candidate for row in usual))
    tables = {(row.game, row.place): dict[str, str]() for row in usual}
    for row in usual:
        tables[row.game, row.place][row.candidate] = row.gained
    head = ("game", "seats", *(f"`{name}` adds" for name in names))
    return head, [(f"`{game}`", seats, *(of.get(name, "") for name in names)) for (game, seats), of in tables.items()]
