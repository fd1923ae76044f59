"""Identities: of agents, so that two builds of one name are two agents, and of the software of a machine."""

import hashlib
import importlib.util
import platform
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.builtin import Mapped, RestrictedAgent
from sobremesa.agents.exact.solved import Solved
from sobremesa.agents.exported import AdvisedBot, Bot
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.language.model import LanguageModel
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import Agent, CompiledAgent
from sobremesa.envs.core.compile.digest import digest
from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.testing.check import rules_hash


def identity(agent: Agent) -> str:
    """Return "name#" and eight hex digits that change with the play of `agent`.

    The digits are a digest of a kernel and all that it refers to (as compiled by this version of Python); of a bot's
    graph, its choice or temperature, and its advisor; of the file of a solved policy; of a search's settings and its
    agents; of the restrictions of an agent and that agent; of the program of an external agent and the file that it
    names (without its imports); or of the model, URL and prompts of a language model. Raises ValueError for any other
    agent, whose builds cannot be distinguished.
    """
    if isinstance(agent, CompiledAgent):
        found = digest(as_python(agent.kernel))
    elif isinstance(agent, Bot):
        found = _joined(agent.manifest["sha256"], agent.choice, *_asked(agent))
    elif isinstance(agent, (ExternalAgent, LanguageModel, Solved)):
        found = agent.content
    elif isinstance(agent, RestrictedAgent):
        found = _joined(identity(agent.base), digest(as_python(agent.restrict)))
    elif isinstance(agent, Mapped):
        found = _joined(identity(agent.base), agent.game.id)
    elif isinstance(agent, (Improve, Ismcts)):
        found = _joined(identity(agent.base), identity(agent.rollout), agent.content)
    else:
        raise ValueError(f"{agent!r} has no identity; name an agent as agents.load takes it")
    return f"{agent.name}#{found[:8]}"


def _asked(bot: Bot) -> list[str]:
    """Return a digest of the advisor of `bot`, if it has one: with another advisor the same graph plays differently."""
    return [digest(as_python(bot.advisor.kernel))] if isinstance(bot, AdvisedBot) else []


def _joined(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "torch")
_ROOMS = ("sobremesa", "sobremesa.envs", "sobremesa.agents", "sobremesa.training", "sobremesa.configs")
_READ = (".py", ".csv", ".json", ".toml", ".onnx")  # suffixes of the files that the library runs or reads


def described(games: Sequence[str] = ()) -> dict[str, str]:
    """Return the versions of this machine by name: the library, Python, packages, rules of `games`."""
    found = {"Sobremesa": f"{_version('sobremesa')} of source {source_digest()[:12]}"}
    found |= {"Python": platform.python_version(), "processor": platform.machine()}
    found |= {package: _version(package) for package in PACKAGES}
    return found | {f"rules of {game}": rules_hash(envs.load(game)) for game in games}


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Return the differences between two machines described by `described`, in words; "" without any."""
    compared = ours if theirs.get("Sobremesa") == ours["Sobremesa"] else theirs  # without the library there is no more
    names = [name for name in ours if name in compared and theirs.get(name) != ours[name]]
    return ", ".join(f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})" for name in names)


@cache
def source_digest() -> str:
    """Return a digest of all files that the library runs or reads, equal for its installed form and its source."""
    found: dict[str, bytes] = {}
    for room in _ROOMS:
        spec = importlib.util.find_spec(room)
        for top in (spec and spec.submodule_search_locations) or ():
            for file in Path(top).rglob("*"):
                if file.suffix in _READ and file.is_file():
                    found[f"{room}/{file.relative_to(top)}".replace(".", "/")] = file.read_bytes()
    parts = hashlib.sha256()
    for name in sorted(found):
        parts.update(f"{name} {hashlib.sha256(found[name]).hexdigest()}\n".encode())
    return parts.hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
