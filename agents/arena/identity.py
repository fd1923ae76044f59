"""Who an agent is: its name and what it would play, so that two builds of one name are two agents."""

import hashlib
import importlib.util
import platform
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exact.solved import Solved
from sobremesa.agents.exported import AdvisedBot, Bot
from sobremesa.agents.foreign.agent import Foreign
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import Agent, CompiledAgent
from sobremesa.envs.core.compile.digest import digest
from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.testing.check import rules_hash


def identity(agent: Agent) -> str:
    """Return "name#" and eight hex digits that change with what `agent` plays.

    They are a digest of its kernel and all that this refers to (as compiled by this version of Python), of a bot's
    graph, how it chooses and who advises it, of the file of a policy that was solved for, of how a search agent
    searches and whom it asks, or of a foreign agent's text and the file that this names (not of what that imports).
    Raises ValueError for an agent that is none of these: nothing tells its builds apart.
    """
    if isinstance(agent, CompiledAgent):
        found = digest(as_python(agent.kernel))
    elif isinstance(agent, Bot):
        found = _joined(agent.manifest["sha256"], agent.manifest["choice"], *_asked(agent))
    elif isinstance(agent, (Foreign, Solved)):
        found = agent.content
    elif isinstance(agent, (Improve, Ismcts)):
        found = _joined(identity(agent.base), identity(agent.rollout), agent.content)
    else:
        raise ValueError(f"{agent!r} cannot be told from other builds of it; name an agent as agents.load takes it")
    return f"{agent.name}#{found[:8]}"


def _asked(bot: Bot) -> list[str]:
    """Return a digest of who advises `bot`, if anybody: the same graph plays otherwise by the advice of another."""
    return [digest(as_python(bot.advisor.kernel))] if isinstance(bot, AdvisedBot) else []


def _joined(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


PACKAGES = ("numpy", "numba", "llvmlite", "onnxruntime", "torch")
_ROOMS = ("sobremesa", "sobremesa.envs", "sobremesa.agents", "sobremesa.training", "sobremesa.configs")
_READ = (".py", ".csv", ".json", ".toml", ".onnx")  # endings of the files that the library runs or reads


def described(games: Sequence[str] = ()) -> dict[str, str]:
    """Return what this machine plays with, by what it is called: the library, Python, packages, rules of `games`."""
    found = {"Sobremesa": f"{_version('sobremesa')} of source {source_digest()[:12]}"}
    found |= {"Python": platform.python_version(), "processor": platform.machine()}
    found |= {package: _version(package) for package in PACKAGES}
    return found | {f"rules of {game}": rules_hash(envs.load(game)) for game in games}


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Return what differs between two machines as `described` tells them, in words; "" if nothing does."""
    told = ours if theirs.get("Sobremesa") == ours["Sobremesa"] else theirs  # without the library there is no more
    names = [name for name in ours if name in told and theirs.get(name) != ours[name]]
    return ", ".join(f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})" for name in names)


@cache
def source_digest() -> str:
    """Return a digest of all files of the library that are run or read; of its installed form and its source alike."""
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
