"""Entry points, through which installed packages add games and algorithms."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from threading import RLock

_LONGEST = 300  # characters of an error in a message
_LOCK = RLock()  # re-entrant: a package may ask for games or algorithms while it is imported


def discover(
    group: str, kind: str, take: Callable[[EntryPoint], None], failed: Callable[[EntryPoint, str], None] | None = None
) -> None:
    """Pass each entry point of `group` to `take`, once in a process.

    If `take` raises or exits, one line on standard error names the `kind`, the package and the error, `failed` is
    called with the reason, and the other entry points are taken as usual. What a package prints on import goes to
    standard error, since the standard output of a command is its result.
    """
    with _LOCK:
        waiting = _waiting(group)
        while waiting:
            entry = waiting.pop()
            why = attempt(f"{kind} {entry.name!r} of {package_of(entry)} is left out", partial(take, entry))
            if why and failed is not None:
                failed(entry, why)


def attempt(left_out: str, do: Callable[[], object]) -> str:
    """Run code of a package; if it raises or exits, print the line `left_out` with the reason, and return the reason.

    Returns "" otherwise. The line goes to standard error, and so does what the code prints.
    """
    try:
        with redirect_stdout(sys.stderr):
            do()
    except BaseException as error:  # another package's error must not stop code that does not need the package
        if isinstance(error, (KeyboardInterrupt, SystemExit)) and type(error) is not SystemExit:
            raise  # a signal: handlers of this library raise subclasses of SystemExit
        why = repr(" ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST])[1:-1]  # escaped, in a line
        print(f"sobremesa: {left_out}: {why}", file=sys.stderr)
        return why
    return ""


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package that has the entry point, for a message, and the object that it names."""
    package = "an unnamed package" if entry.dist is None else f"package {entry.dist.name!r}"
    return f"{package} ({entry.value})"


def named(group: str) -> list[str]:
    """Return the names of all entry points of `group`, without imports."""
    return sorted(entry.name for entry in entry_points(group=group))


@cache
def _waiting(group: str) -> list[EntryPoint]:
    return list(entry_points(group=group))
