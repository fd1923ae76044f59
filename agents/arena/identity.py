"""Who an agent is: its name and what it would play, so that two builds of one name are two agents."""

import hashlib
from typing import Any

from sobremesa.agents.exact.solved import Solved
from sobremesa.agents.exported import AdvisedBot, Bot
from sobremesa.agents.foreign.agent import Foreign
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.compile.digest import digest
from sobremesa.envs.core.compile.kernel import as_python


def identity(agent: Agent) -> str:
    """Return "name#" and eight hex digits that change with what `agent` plays.

    They are a digest of its kernel and all that this refers to (as compiled by this version of Python), of a bot's
    graph, how it chooses and who advises it, of the file of a policy that was solved for, of how a search agent
    searches and whom it asks, or of a foreign agent's text and the file that this names (not of what that imports).
    Raises ValueError for an agent that is none of these: nothing tells its builds apart.
    """
    kernel: Any = getattr(agent, "kernel", None)
    if kernel is not None:
        found = digest(as_python(kernel))
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
