"""The tables of a server as its operator sees and closes them: in the store's file, which only its owner can read.

No page or port does this, so that no client can. A server that runs meanwhile sees what was closed in the file.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sobremesa.envs.core.errors import one_line
from sobremesa.report.tables import aligned
from sobremesa.serve.store import Listed, Store
from sobremesa.serve.table import PERSON
from sobremesa.serve.tables import FILE


@contextmanager
def _store(folder: Path) -> Iterator[Store]:
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file; --folder is that of a server's tables")
    store = Store(path)
    try:
        yield store
    finally:
        store.close()


def lines(folder: Path) -> list[str]:
    """Return the tables of `folder` that are neither over nor closed, a line each, without seeds or links.

    Raises ValueError where there is no store.
    """
    with _store(folder) as store:
        found, now = store.listed(), time.time()
        rows = [["table", "game", "people", "agents", "opened", "last move", "events"]]
        for one in found:
            try:
                rows.append(_row(one, now))
            except (LookupError, TypeError) as error:
                raise store.damaged(one.name, f"{type(error).__name__}: {error}") from None
    return [*aligned(rows), f"tables: {len(found)}"]


def _row(one: Listed, now: float) -> list[str]:
    people = sum(seated["kind"] == PERSON for seated in one.opened["seated"])
    agents = len(one.opened["seated"]) - people
    last = _ago(now - one.last) if one.last else "never"
    return [
        one_line(one.name),
        one_line(one.opened["game"]),
        str(people),
        str(agents),
        _ago(now - one.at),
        last,
        str(one.events),
    ]


def _ago(seconds: float) -> str:
    for unit, long in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= long:
            return f"{seconds // long:.0f} {unit} ago"
    return f"{max(seconds, 0):.0f} s ago"


def close(folder: Path, name: str) -> str:
    """Close the table called `name` for good; return a line about it. Raises ValueError if there is no such table."""
    with _store(folder) as store:
        try:
            store.close_deal(name)
        except KeyError:
            raise ValueError(f"{folder} has no table {name!r}; --list prints their names") from None
    return f"{name} is closed"
