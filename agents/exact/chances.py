"""The policy of an agent at every information set of a tree, as probabilities."""

from functools import cache
from typing import Any

import numpy as np

from sobremesa.agents.exact.script import Uncountable, scripted, unfold
from sobremesa.agents.exact.tree import GameTree
from sobremesa.envs.core.agent import Agent, CompiledAgent, StochasticAgent, memory_size
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.compile.kernel import kernel

MOST_ROWS = 4_000_000  # choices of a scripted agent per call


def policy_of(agent: Agent, tree: GameTree) -> np.ndarray:
    """Return the probability of each action of `agent` at its information set, `(S,)` float64.

    The policy of a `StochasticAgent` comes from its `chances`. For a `CompiledAgent`, every random draw of its kernel
    is tried. Raises Uncountable, with the reason, for any other agent.
    """
    observations = tree.observations()
    if isinstance(agent, StochasticAgent):
        rows = _told(agent, tree, observations)
    elif isinstance(agent, CompiledAgent):
        rows = _tried(agent, tree, observations)
    else:
        raise Uncountable(
            f"{agent.name} has no known policy, so there is no exact answer; "
            "scripted agents, exported bots and solved policies have one"
        )
    allowed = tree.masks > 0
    if (rows[~allowed] > 0).any() or not np.allclose(rows.sum(1), 1.0, atol=1e-6):
        raise Uncountable(f"{agent.name}: its policy is not a distribution over legal actions")
    rows = rows / rows.sum(1, keepdims=True)
    return np.asarray(rows[allowed])


def _told(agent: Any, tree: GameTree, observations: np.ndarray) -> np.ndarray:
    size = memory_size(agent)
    if not size:
        return np.asarray(agent.chances(observations, tree.masks), np.float64)
    # Its memory depends on the seat's earlier decisions only, those of the information set before.
    rows = np.zeros(tree.masks.shape)
    memories = np.zeros((len(rows), size), np.float32)
    for depth in range(int(tree.depth.max(initial=-1)) + 1):
        these = np.flatnonzero(tree.depth == depth)
        memory = memories[tree.earlier[these]] if depth else np.zeros((len(these), size), np.float32)
        rows[these] = agent.chances(observations[these], tree.masks[these], memory)
        memories[these] = memory
    return rows


@cache
def _asking(act: Any) -> Any:
    act = scripted(act)

    @kernel
    def ask(cases, observations, masks, streams, actions):
        for row in range(cases.shape[0]):
            actions[row] = act(observations[cases[row]], masks[cases[row]], streams[row])

    return ask


def _tried(agent: Any, tree: GameTree, observations: np.ndarray) -> np.ndarray:
    ask = _asking(agent.kernel)

    def run(cases: np.ndarray, scripts: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        streams, actions = np.zeros(len(cases), STREAM), np.zeros(len(cases), np.int64)
        streams["stream"] = scripts
        ask(cases, observations, tree.masks, streams, actions)
        return streams["stream"].copy(), [actions]

    case, chance, (actions,) = unfold(len(observations), run, MOST_ROWS, agent.name)
    rows = np.zeros(tree.masks.shape)
    np.add.at(rows, (case, actions), chance)
    return rows
