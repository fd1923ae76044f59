"""Candidates of the benchmark: algorithms of the library, external learning functions, and agents."""

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sobremesa import agents
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.external.agent import find_module
from sobremesa.agents.named import named
from sobremesa.agents.stored import LARGEST
from sobremesa.configs import benchmark as configs
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import read_file
from sobremesa.training.benchmark.practice import Practice
from sobremesa.training.benchmark.tasks import Task

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

    name: Annotated[str, Meta(pattern=r"^(?!\.)[\w.=-]{1,100}\Z")]  # of its folder and in tables
    kind: Kind
    spec: str  # as given
    keys: dict[str, Any] = {}  # configuration of an algorithm of the library
    games: tuple[str, ...] = ()  # games that it can learn; none: all
    digest: str = ""  # of the file of an external function

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
    kind = named(spec, configs.names()).kind
    if kind == "configuration":
        return _of_library(spec, configs.path(spec) if spec in configs.names() else Path(spec))
    if kind in ("python", "command", "search", "bot") or spec in _known_agents():
        return Candidate(name=_folder(spec), kind=AGENT, spec=spec)
    if kind == "function":
        place, _, function = spec.rpartition(":")
        if not all(part.isidentifier() for part in function.split(".")):
            raise CandidateError(f"{spec!r:.100} names no function; write FILE.py:FUNCTION or package.module:FUNCTION")
        stem = Path(place).stem if place.endswith(".py") else place
        return Candidate(name=_folder(f"{stem}-{function}"), kind=OUTSIDE, spec=spec, digest=_digest(place))
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

    if programs := [program for name in named_agents(keys) for program in named(name).programs()]:
        raise CandidateError(
            f"{where}: names {programs[0]!r:.200}, an external program, which the benchmark does not allow"
        )


def _known_agents() -> list[str]:
    return ["random", *agents.SCRIPTED, "trained"]


def _folder(name: str) -> str:
    return re.sub(r"[^\w.=-]+", "-", name)[-100:].strip("-.") or "candidate"


def _digest(place: str) -> str:
    """Return a digest of the file of a learning function, without its imports; the file is not run."""
    file = Path(place) if place.endswith(".py") else find_module(place) or Path(place)
    try:
        return hashlib.sha256(read_file(file, LARGEST)).hexdigest()[:16]
    except OSError as error:
        raise CandidateError(f"{place}: no file or module of a learning function: {error.strerror}") from None


def learning(one: Candidate) -> Learn:
    """Import and return the function of an external candidate; raise CandidateError if it does not exist."""
    place, _, name = one.spec.rpartition(":")
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        found = getattr(module, name, None)
    else:
        sys.path.insert(0, "")
        found = resolve_name(f"{place}:{name}")
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
        return identity(agents.load(one.spec, task.rules))
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
        return getattr(learning(one), "content", None)
    except (Exception, SystemExit):  # any error of the file: its cell fails with the reason
        return None
