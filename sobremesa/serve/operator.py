"""Commands of the operator: list and close tables, in the store's file.

There is no page for this, so clients cannot use it. A running server notices closed tables in the file.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sobremesa.envs.core.errors import one_line
from sobremesa.report.tables import aligned
from sobremesa.serve.seated import PERSON
from sobremesa.serve.store import Listed, Store
from sobremesa.serve.tables import FILE

UNTOUCHED, ALL = "untouched", "all"  # to close: the open tables without moves, or all of them


@contextmanager
def _store(folder: Path) -> Iterator[Store]:
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"{path}: no such file; give the --folder of a server")
    store = Store(path)
    try:
        yield store
    finally:
        store.close()


def lines(folder: Path) -> list[str]:
    """Return one line for each open table of `folder`, without seeds or links.

    Raises ValueError if `folder` has no store.
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


def close(folder: Path, names: Sequence[str]) -> list[str]:
    """Close tables permanently, all together, and return a message for each; `names` may hold UNTOUCHED and ALL.

    Raises ValueError, before closing any, if one does not exist.
    """
    with _store(folder) as store:
        found = store.listed() if {UNTOUCHED, ALL} & {*names} else []
        groups = {UNTOUCHED: [one.name for one in found if not one.events], ALL: [one.name for one in found]}
        chosen = list(dict.fromkeys(name for given in names for name in groups.get(given, [given])))
        try:
            store.close_deals(chosen)
        except KeyError as error:
            raise ValueError(f"{folder} has no table {error.args[0]!r}; --list prints their names") from None
    return [f"{name} is closed" for name in chosen] or [f"there are no such tables in {folder}"]
