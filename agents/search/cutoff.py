"""Rollouts that are cut off: after so many plies the agent that plays on says how it thinks that the deal will end.

That is `outlook` of a scripted agent, from 0 to 1, as a cooperative game is paid. No other game has an agent that knows
what its seats may expect, and exported bots hold no value, so that elsewhere rollouts go to the end.

Letters: `W` worlds, `C` candidates (actions), `S` seats of the largest table.
"""

from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel, shared
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer


class CutOff:
    """Rollouts by `agent`, which has a kernel and an outlook, for at most `plies` plies after the first action.

    Raises ValueError where there is no such outlook.
    """

    def __init__(self, game: Game, agent: Agent, plies: int) -> None:
        outlook: Any = getattr(agent, "outlook", None)
        if outlook is None or not game.cooperative:
            raise ValueError(f"plies={plies} is not allowed; {agent.name} of {game.id} has no outlook to stop at")
        self._plies = plies
        self._play = _play_kernel(game, getattr(agent, "kernel"), outlook)  # noqa: B009
        self._buffers = (
            np.zeros(game.layout.size, np.float32),
            np.zeros(game.num_actions, np.int8),
            np.zeros(1, STREAM),
        )
        self._seats = game.max_seats

    def payoffs(self, worlds: np.ndarray, candidates: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return what each seat is paid, or may expect, `(W, C, S)` float32; as `Rollouts.payoffs` does."""
        paid = np.zeros((len(worlds), len(candidates), self._seats), np.float32)
        for row, (world, chance) in enumerate(zip(worlds, chances, strict=True)):
            states = np.repeat(world[None], len(candidates))
            self._play(states, candidates, chance, self._plies, *self._buffers, paid[row])
        return paid


@cache
def _play_kernel(game: Game, act: Any, outlook: Any) -> Any:
    """Compile rollouts of `game` from one world, for many first actions."""
    _, step = step_kernels(game)
    legal, observe, payoff, act, outlook = map(shared, (game.legal, observer(game), game.payoff, act, outlook))
    width = game.layout.width

    @kernel
    def play(states, actions, chance, plies, observation, mask, streams, paid):
        codes = np.empty(width, np.uint8)
        for k in range(states.shape[0]):
            state = states[k]
            start(state, chance)
            start(streams[0], derive(chance, 1, 0))  # not the deal's own chance once more
            mask[:] = 0
            legal(state, mask)
            step(state, actions[k], mask)
            for _ in range(plies):
                if state.over:
                    break
                observe(state, state.seat, codes, observation)
                step(state, act(observation, mask, streams[0]), mask)
            if state.over:
                payoff(state, paid[k])
            else:
                observe(state, state.seat, codes, observation)
                paid[k, : state.seats] = outlook(observation, mask)

    return play
