"""Who can be put to the benchmark: algorithms of the library, learning functions of others, and finished agents."""

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
_KEPT = ("game", "setup", "seed", "steps")  # that a cell says, and no configuration of the benchmark

Learn = Callable[[Practice, int, int], Iterator[tuple[int, Agent]]]  # (task, budget, seed) to (decisions used, agent)


class CandidateError(ValueError):
    """No candidate goes by this name, or its configuration or function is none; the message says why."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An algorithm or an agent, with all that is to be known to run it again."""

    name: Annotated[str, Meta(pattern=r"^(?!\.)[\w.=-]{1,100}\Z")]  # of its folder and in tables
    kind: Kind
    spec: str  # as it was named
    keys: dict[str, Any] = {}  # of an algorithm of the library: its configuration
    games: tuple[str, ...] = ()  # that it can learn; none for all
    digest: str = ""  # of the file that an outside function stands in

    def fits(self, task: Task) -> bool:
        """Say whether it can be put to `task`."""
        return not self.games or task.game in self.games

    def build(self) -> str:
        """Return a digest of its configuration, or of the file of its function: another is another candidate."""
        content = json.dumps([self.kind, self.keys, self.digest], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]


def candidate(spec: str) -> Candidate:
    """Return the candidate that `spec` names; raise CandidateError if there is none.

    It is a configuration in `configs/benchmark/` or a TOML file like those; `FILE.py:FUNCTION` or
    `package.module:FUNCTION` for a learning function; or an agent as `agents.load` takes it.
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
        raise CandidateError(f"{path}: {', '.join(said)} is said by the task, the seed and the budget of a cell")
    if not isinstance(games, list) or not all(isinstance(game, str) for game in games):
        raise CandidateError(f"{path}: games={games!r} is not allowed; it takes a list of names")
    return Candidate(name=_folder(path.stem), kind=LIBRARY, spec=spec, keys=keys, games=tuple(games))


def check_no_programs(keys: dict[str, Any], where: object) -> None:
    """Raise CandidateError if the configuration `keys` of `where` names a program."""
    from sobremesa.training.config.classes import named_agents

    if programs := [program for name in named_agents(keys) for program in named(name).programs()]:
        raise CandidateError(f"{where}: names {programs[0]!r:.200}; an algorithm of the benchmark meets no programs")


def _known_agents() -> list[str]:
    return ["random", *agents.SCRIPTED, "trained"]


def _folder(name: str) -> str:
    return re.sub(r"[^\w.=-]+", "-", name)[-100:].strip("-.") or "candidate"


def _digest(place: str) -> str:
    """Return a digest of the file of a learning function (not of what it imports); nothing of it is run."""
    file = Path(place) if place.endswith(".py") else find_module(place) or Path(place)
    try:
        return hashlib.sha256(read_file(file, LARGEST)).hexdigest()[:16]
    except OSError as error:
        raise CandidateError(f"{place}: no file or module of a learning function: {error.strerror}") from None


def learning(one: Candidate) -> Learn:
    """Return the function of an outside candidate, whose file is run for that; raise CandidateError if it has none."""
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


def told_apart(one: Candidate, task: Task) -> str:
    """Return what tells builds of `one` apart at `task`: an agent's identity, or the digest of a function's file.

    A function that learns from something else than play has an attribute `content`: a function that is given the task,
    and returns text that tells it apart, such as a digest of a dataset; then that belongs to the digest too.
    """
    if one.kind == AGENT:
        return identity(agents.load(one.spec, task.rules))
    content = _content(one) if one.kind == OUTSIDE else None
    if content is None:
        return one.digest
    try:
        said = content(task)
    except (OSError, ValueError) as error:
        raise CandidateError(f"{one.spec} does not tell what it learns from: {error}") from None
    return hashlib.sha256(f"{one.digest} {said}".encode()).hexdigest()[:16]


def _content(one: Candidate) -> Callable[[Task], str] | None:
    """Return the attribute `content` of the function of an outside candidate, None if it has none."""
    try:
        return getattr(learning(one), "content", None)
    except (Exception, SystemExit):  # whatever a file raises: its cell fails, and says why
        return None
