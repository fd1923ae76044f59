"""Candidates of the benchmark: algorithms of the library, external learning functions, and agents."""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sobremesa import agents
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.exported import MANIFEST
from sobremesa.agents.external.agent import find_module
from sobremesa.agents.external.runner import imported
from sobremesa.agents.named import (
    BotFolder,
    Configuration,
    External,
    Function,
    Named,
    Sampled,
    Search,
    named,
    programs,
)
from sobremesa.agents.stored import LARGEST
from sobremesa.configs import benchmark as configs
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import read_file
from sobremesa.training.benchmark.practice import Practice
from sobremesa.training.benchmark.tasks import Task, refuse_pool

Kind = Literal["library", "outside", "agent"]
LIBRARY: Kind = "library"
OUTSIDE: Kind = "outside"
AGENT: Kind = "agent"
_KEPT = ("game", "setup", "seed", "steps")  # keys of the cell, not of a configuration of the benchmark

Learn = Callable[[Practice, int, int], Iterator[tuple[int, Agent]]]  # (task, budget, seed) -> (decisions so far, agent)


class CandidateError(ValueError):
    """An unknown candidate, or an invalid configuration or function; the message has the reason."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An algorithm or an agent, with all that is needed to run it again."""

    name: Annotated[str, Meta(pattern=r"^(?!\.)[\w.=-]{1,100}\Z")]  #: name of its folder, and in tables
    kind: Kind  #: "library": a configuration; "outside": a function of your own; "agent": it does not learn
    spec: str  #: as given
    keys: dict[str, Any] = {}  #: configuration of an algorithm of the library
    games: tuple[str, ...] = ()  #: games that it can learn; none: all
    digest: str = ""  #: digest of the file of an external function; "" for others

    def fits(self, task: Task) -> bool:
        """Return whether it can run `task`."""
        return not self.games or task.game in self.games

    def build(self) -> str:
        """Return a digest of its configuration, or of the file of its function."""
        content = json.dumps([self.kind, self.keys, self.digest], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]


def candidate(spec: str) -> Candidate:
    """Return the candidate `spec`; raise CandidateError if there is none.

    `spec` is a configuration in `configs/benchmark/` or a TOML file like those, a learning function as
    `FILE.py:FUNCTION` or `package.module:FUNCTION`, or an agent as for `agents.load`.
    """
    one = named(spec, _known_agents(), {name: configs.path(name) for name in configs.names()})
    match one:
        case Configuration():
            return _of_library(spec, one.path)
        case Function():
            stem = Path(one.place).stem if one.place.endswith(".py") else one.place
            digest = _digest(_checked(one).place)
            return Candidate(name=_folder(f"{stem}-{one.function}"), kind=OUTSIDE, spec=spec, digest=digest)
        case _ if _is_agent(one):
            return Candidate(name=_folder(spec), kind=AGENT, spec=spec)
    raise CandidateError(
        f"no algorithm {spec!r:.100}; there are {', '.join(configs.names())}, TOML files like those, functions "
        "that learn as FILE.py:FUNCTION or package.module:FUNCTION, and agents: "
        f"{', '.join(_known_agents())} or folders of bots"
    )


def _of_library(spec: str, path: Path) -> Candidate:
    from sobremesa.training.config.classes import read

    keys = read(path)
    check_no_programs(keys, path)
    games = keys.pop("games", [])
    if said := [key for key in _KEPT if key in keys]:
        raise CandidateError(f"{path}: {', '.join(said)} belong to the cell: task, seed and budget")
    if not isinstance(games, list) or not all(isinstance(game, str) for game in games):
        raise CandidateError(f"{path}: games={games!r} is not allowed; it takes a list of names")
    return Candidate(name=_folder(path.stem), kind=LIBRARY, spec=spec, keys=keys, games=tuple(games))


def check_no_programs(keys: dict[str, Any], where: object) -> None:
    """Raise CandidateError if the configuration `keys` of `where` names a program."""
    from sobremesa.training.config.classes import named_agents

    if found := [program for name in named_agents(keys) for program in programs(named(name))]:
        raise CandidateError(
            f"{where}: names {found[0].spec!r:.200}, an external program, which the benchmark does not allow"
        )


def _known_agents() -> list[str]:
    return ["random", *agents.SCRIPTED, "trained", "champion"]


def agents_in(keys: dict[str, Any], task: Task) -> list[str]:
    """Return the agents of the library that the configuration `keys` names, such as opponents and teachers.

    Raises PoolError if it names a bot of the held-out pool, also inside a search.
    """
    from sobremesa.training.config.classes import SELF, SNAPSHOTS, named_agents

    names = agents.names(task.rules)
    given = [one for text in named_agents(keys) for one in _parts(named(text, [SELF, SNAPSHOTS, *names]))]
    bots = [one for one in given if isinstance(one, BotFolder) and (one.path / MANIFEST).exists()]
    refuse_pool(task, [agents.load(one, task.rules) for one in bots])
    return sorted({one.spec for one in given} & set(names))


def _parts(one: Named) -> list[Named]:
    """Return `one`, or the agents inside a search or a sampled bot."""
    if isinstance(one, Search | Sampled):
        inside = (one.base, one.rollout) if isinstance(one, Search) else (one.base,)
        return [part for inner in inside if inner for part in _parts(inner)]
    return [one]


def _is_agent(one: Named) -> bool:
    return isinstance(one, External | Search | Sampled | BotFolder) or one.spec in _known_agents()


def _checked(function: Function) -> Function:
    """Return `function`; raise CandidateError if it has neither the form of a file nor that of a module."""
    parts = function.function.split(".")
    if not function.place.endswith(".py"):
        parts += function.place.split(".")
    if not all(part.isidentifier() for part in parts):
        raise CandidateError(
            f"{function.spec!r:.100} names no function; write FILE.py:FUNCTION or package.module:FUNCTION"
        )
    return function


def instantiate(one: Candidate) -> Named:
    """Return the object that a candidate names; its `kind` is not read."""
    return named(one.spec, _known_agents())


def resolved(one: Candidate) -> Named:
    """Return the agent or function that a candidate without a configuration names.

    A file may state any `kind`, so it is only compared. Raises CandidateError if the name means something else.
    """
    found = instantiate(one)
    kind: str = OUTSIDE if isinstance(found, Function) else AGENT if _is_agent(found) else "nothing"
    if kind != one.kind:
        words: dict[str, str] = {OUTSIDE: "a learning function", AGENT: "an agent"}
        stands = words.get(kind, "neither an agent nor a learning function here")
        raise CandidateError(f"{one.spec!r:.200} should be {words.get(one.kind, one.kind)}, and is {stands}")
    return found


def _folder(name: str) -> str:
    return re.sub(r"[^\w.=-]+", "-", name)[-100:].strip("-.") or "candidate"


def _digest(place: str) -> str:
    """Return a digest of the file of a learning function, without its imports; the file is not run."""
    file = Path(place) if place.endswith(".py") else find_module(place) or Path(place)
    try:
        return hashlib.sha256(read_file(file, LARGEST)).hexdigest()[:16]
    except OSError as error:
        raise CandidateError(f"{place}: no file or module of a learning function: {error.strerror}") from None


def learning(one: Function) -> Learn:
    """Import and return a learning function; raise CandidateError if it does not exist."""
    place, name = _checked(one).place, one.function
    if not place.endswith(".py"):
        sys.path.insert(0, "")
    found: Any = imported(place)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise CandidateError(f"{place} has no function {name!r}; it takes (task, budget, seed)")
    function: Learn = found
    return function


def identity_of(one: Candidate, task: Task) -> str:
    """Return the identity of `one` at `task`: that of an agent, or the digest of a function's file.

    A function that learns from a dataset has an attribute `content`, a function of the task that returns a text, such
    as a digest of the dataset; the text is part of the identity.
    """
    if one.kind == AGENT:
        return identity(agents.load(resolved(one), task.rules))
    content = _content(one) if one.kind == OUTSIDE else None
    if content is None:
        return one.digest
    try:
        said = content(task)
    except (OSError, ValueError) as error:
        raise CandidateError(f"{one.spec} has an attribute `content` that fails: {error}") from None
    return hashlib.sha256(f"{one.digest} {said}".encode()).hexdigest()[:16]


def _content(one: Candidate) -> Callable[[Task], str] | None:
    """Return the attribute `content` of the function of an external candidate, or None."""
    try:
        found = resolved(one)
        return getattr(learning(found), "content", None) if isinstance(found, Function) else None
    except (Exception, SystemExit):  # any error of the file: its cell fails with the reason
        return None
