"""Errors, and texts that are safe to print on a terminal."""

import errno
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

import numpy as np

from sobremesa.envs.core.game import Game


def escaped(text: str) -> str:
    """Return `text` with control and invisible characters as Python writes them in a string."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def one_line(text: str, longest: int = 1_000) -> str:
    """Return `text` in one line of about `longest` characters at most, with control characters escaped."""
    line = " ".join(text[: 4 * longest].split())
    shown = escaped(line[:longest])
    whole = len(text) <= 4 * longest and max(len(line), len(shown)) <= longest
    return shown if whole else f"{shown[:longest]}..."


_ROOM = "make room on that disk, or name a place on another one"
_REMEDIES = {
    errno.ENOSPC: _ROOM,
    getattr(errno, "EDQUOT", errno.ENOSPC): _ROOM,
    errno.EFBIG: "raise the limit of the size of files (ulimit -f)",
    errno.EACCES: "change its permissions, or name another place",
    errno.EPERM: "change its permissions, or name another place",
    errno.EROFS: "that disk can only be read; name a place on another one",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ENOENT: "check the name",
    errno.EEXIST: "name another place",
    errno.ENOTDIR: "name a folder",
    errno.EISDIR: "name a file",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.EIO: "the disk fails; name a place on another one",
}


def file_error(error: OSError) -> str:
    """Return the error as a sentence with the file and a remedy."""
    if error.errno is None or error.strerror is None:
        return str(error)
    where = "" if error.filename is None else f"{error.filename}: "
    remedy = _REMEDIES.get(error.errno)
    return f"{where}{error.strerror}{f'; {remedy}' if remedy else ''}"


class ArgumentError(ValueError):
    """Arguments of a call that are refused.

    In `text`, `{name}` means an argument, written as `name=value`, or as `name` if it is given as None; `{}` for
    one of `others`. The command line writes the arguments as flags.
    """

    def __init__(self, text: str, *others: object, **given: object) -> None:
        self._text, self._others, self._given = text, others, given
        super().__init__(self._written(lambda name: name, "="))

    def as_flags(self) -> str:
        """Return the message with the arguments as flags, `--name value`."""
        return self._written(lambda name: f"--{name.replace('_', '-')}", " ")

    def _written(self, called: Callable[[str], str], sign: str) -> str:
        shown = {name: called(name) + ("" if one is None else f"{sign}{one}") for name, one in self._given.items()}
        return self._text.format(*self._others, **shown)


def check_count(name: str, given: Any) -> None:
    """Raise ArgumentError unless the argument `name` is None or a whole number from 1."""
    if given is not None and (type(given) is not int or given < 1):
        raise ArgumentError(f"{{{name}}} is not allowed; it takes a whole number from 1", **{name: given})


def check_several(name: str, given: Any) -> None:
    """Raise ArgumentError if the argument `name` is one text, where it takes several names."""
    if isinstance(given, str):
        raise ArgumentError(f"{{{name}}} is not allowed; it takes a list of names", **{name: given})


class IllegalAction(ValueError):
    """An illegal action; the state is unchanged."""

    @classmethod
    def at(
        cls, game: Game, states: np.ndarray, action: Any, mask: np.ndarray, table: int | None = None
    ) -> "IllegalAction":
        """Return an error that names the game, table, seat, ply, action and the legal actions."""
        allowed = [f"{index} ({game.words.action_name(int(index), 'en')})" for index in np.flatnonzero(mask)]
        shown = ", ".join(allowed[:12]) + (f" and {len(allowed) - 12} more" if len(allowed) > 12 else "")
        name = "no action of this game"
        if isinstance(action, (int, np.integer)) and 0 <= action < game.num_actions:
            name = game.words.action_name(int(action), "en")
        where = f"{game.id}" + ("" if table is None else f", table {table}")
        seat, ply = int(states["seat"][0]), int(states["ply"][0])
        given = int(action) if isinstance(action, np.integer) else action
        return cls(f"{where}, seat {seat}, ply {ply}: action {given!r} ({name}) is illegal; allowed: {shown}")


class StateMismatch(ValueError):
    """Saved bytes that do not fit this environment, which is unchanged."""


class MissingExtra(ImportError):
    """A missing package that an optional part of Sobremesa needs."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the '{extra}' extra; {how_to_install(extra)}")


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra; no package index has the library."""
    return f"run pip install '.[{extra}]' in a clone of the library"


def extra_of(module: str) -> str | None:
    """Return the first extra of Sobremesa that installs `module`; None if there is none."""
    try:
        brought = requires("sobremesa") or []
    except PackageNotFoundError:
        return None
    name = _PACKAGES.get(module, module).replace("_", "-").lower()
    for line in brought:
        found = re.match(r"([\w.-]+).*;.*\bextra\s*==\s*[\"'](\w+)", line)
        if found and found[1].replace("_", "-").lower() == name:
            return found[2]
    return None


_PACKAGES = {"PIL": "pillow", "pyspiel": "open_spiel"}  # by module, if the names differ
