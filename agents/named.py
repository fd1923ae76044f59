"""One resolver of names: `named` turns a text into an object of a kind, decided by its form and by existing files.

No file is loaded or imported. Each loader takes the objects of its kind and no text, so two parsers of one name cannot
differ. A file may come from a stranger: `check_allowed` refuses each name in it that would start a program or contact a
server.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sobremesa.agents.stored import LONGEST_NAME
from sobremesa.envs.core.errors import one_line

PYTHON, COMMAND, MODEL, SOLVED = "python:", "command:", "llm:", "solved:"
SEARCHES, SAMPLED = ("search", "ismcts"), "sampled"
MOST_NESTED = 8  # searches and sampled bots in one name
LONGEST = 10_000  # characters of a name
_SHOWN = 600  # characters of a name that an error shows
_SHOWN_SEARCH = 200
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_OPENING = re.compile(rf"\b(?:{'|'.join((*SEARCHES, SAMPLED))})\s*\(")
_SETTING = re.compile(r"\s*(\w+)\s*=(.*)", re.DOTALL)
_RECEIVED: dict[str, Path] = {}  # where bots of another machine lie here, by the names of their folders there


class NotAllowed(ValueError):
    """A file names a program or a server, and the caller does not allow that (`check_allowed`)."""


@dataclass(frozen=True)
class Named:
    """A name; `spec` is its text."""

    spec: str


class AgentName(Named):
    """An agent that comes with a game, or an unknown name."""


@dataclass(frozen=True)
class Python(Named):
    """An external agent, `python:FILE.py:FUNCTION` or `python:package.module:FUNCTION`."""

    place: str
    function: str


class Command(Named):
    """An external agent, `command:TEXT`."""


class Model(Named):
    """A language model, `llm:MODEL@URL`."""


@dataclass(frozen=True)
class SolvedFile(Named):
    """A solved policy, `solved:FILE`."""

    path: Path


@dataclass(frozen=True)
class Search(Named):
    """A search over other agents, `search(AGENT, NAME=VALUE)` or `ismcts(AGENT, NAME=VALUE)`."""

    kind: str  # of SEARCHES
    base: Named | None
    rollout: Named | None
    settings: dict[str, str]  # the other settings


@dataclass(frozen=True)
class Sampled(Named):
    """A bot at a temperature of its own, `sampled(AGENT, temperature=VALUE)`."""

    base: Named | None
    settings: dict[str, str]


@dataclass(frozen=True)
class BotFolder(Named):
    """The folder of an exported bot."""

    path: Path


@dataclass(frozen=True)
class Configuration(Named):
    """A TOML file of a learning algorithm."""

    path: Path


@dataclass(frozen=True)
class Function(Named):
    """A learning function, `FILE.py:FUNCTION` or `package.module:FUNCTION`."""

    place: str
    function: str


External = Python | Command
_Program = External | Function | Model  # these run a program or contact a server


def named(spec: object, names: Collection[str] = (), configurations: Mapping[str, Path] | None = None) -> Named:
    """Return the object that `spec` names.

    Args:
        spec: the text.
        names: of agents; a folder of such a name is no bot.
        configurations: the library's configurations by name.

    Raises ValueError for a name of more than LONGEST characters, and for a search or a sampled bot that cannot be
    parsed.
    """
    text, known = str(spec), configurations or {}
    if len(text) > LONGEST:
        raise ValueError(f"{one_line(text, _SHOWN)} is not allowed; a name has at most {LONGEST:,} characters")
    if text.startswith(PYTHON):
        place, _, function = text.removeprefix(PYTHON).rpartition(":")
        return Python(text, place, function)
    if text.startswith(COMMAND):
        return Command(text)
    if text.startswith(MODEL):
        return Model(text)
    if text.startswith(SOLVED):
        return SolvedFile(text, Path(text.removeprefix(SOLVED)))
    if is_call(text):
        return _call(text, names)
    if not text or text in names:
        return AgentName(text)
    if text in known or (text.endswith(".toml") and _exists(Path(text))):
        return Configuration(text, known.get(text, Path(text)))
    return _other(text)


def _other(text: str) -> Named:
    """Return the folder, function or agent that a text without its own form names."""
    path = _RECEIVED.get(text, Path(text))
    if _exists(path) and (path.is_dir() or ":" not in text):
        return BotFolder(text, path)
    place, colon, function = text.rpartition(":")
    return Function(text, place, function) if colon else AgentName(text)


def is_search(text: str) -> bool:
    """Return whether `text` is the name of a search, which may be impossible to parse."""
    call = _CALL.fullmatch(text)
    return call is not None and call[1] in SEARCHES


def is_call(text: str) -> bool:
    """Return whether `text` names a search or a sampled bot; the name may be impossible to parse."""
    call = _CALL.fullmatch(text)
    return call is not None and call[1] in (*SEARCHES, SAMPLED)


def receive_bots(folders: Mapping[str, Path]) -> None:
    """Have names mean bots of another machine: `folders` has the folder here by the name of the folder there."""
    _RECEIVED.update(folders)


def programs(one: Named) -> list[Named]:
    """Return the names in `one`, also inside a search or a sampled bot, that would run a program or ask a server."""
    if isinstance(one, Search | Sampled):
        inside = (one.base, one.rollout) if isinstance(one, Search) else (one.base,)
        return [program for inner in inside if inner for program in programs(inner)]
    return [one] if isinstance(one, _Program) else []


def check_allowed(specs: Iterable[object], where: object) -> None:
    """Raise NotAllowed if one of `specs`, in the file or folder `where`, would start a program or contact a server.

    Raises ValueError as `named`.
    """
    for spec in specs:
        for program in programs(spec if isinstance(spec, Named) else named(spec)):
            text = program.spec
            shown = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."
            does = "contact" if isinstance(program, Model) else "start"
            raise NotAllowed(
                f"{where} would {does} {shown}; read it first, then allow it with --allow-commands "
                "(in Python allow_commands=True)"
            )


def _call(text: str, names: Collection[str]) -> Search | Sampled:
    """Return the search or the sampled bot `text`; raise ValueError if it cannot be parsed."""
    shown = one_line(text, _SHOWN_SEARCH)
    if len(_OPENING.findall(text)) > MOST_NESTED:
        raise ValueError(f"{shown}: at most {MOST_NESTED} searches or sampled bots may be nested")
    call = _CALL.fullmatch(text)
    assert call is not None
    base, settings = "", dict[str, str]()
    for number, part in enumerate(_parts(call[2])):
        setting = _SETTING.fullmatch(part)
        if number == 0 and setting is None:
            base = part.strip()
        elif setting is None or setting[1] in settings:
            odd = one_line(repr(part.strip()), 60)
            raise ValueError(f"{shown}: {odd} is not NAME=VALUE, each name once, after the agent's name")
        else:
            settings[setting[1]] = setting[2].strip()
    if call[1] == SAMPLED:
        return Sampled(text, named(base, names) if base else None, settings)
    rollout = settings.pop("rollout", None)
    base_agent, rollout_agent = (None if name is None else named(name, names) for name in (base or None, rollout))
    return Search(text, call[1], base_agent, rollout_agent, settings)


def _parts(text: str) -> list[str]:
    """Return `text` split at commas outside brackets."""
    commas, depth = [-1], 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            commas.append(place)
    return [text[comma + 1 : end] for comma, end in pairwise([*commas, len(text)])]


def _exists(path: Path) -> bool:
    try:
        return len(str(path)) <= LONGEST_NAME and path.exists()
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        return False
