"""Teacher: a scripted agent to imitate at first, at the positions of the learner ("kickstarting", Schmitt et al. 2018).

The loss includes the cross-entropy of the teacher's action, with a weight that falls linearly to 0.
"""

from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import kernel_of
from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.codes import expand
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import ConfigError, TaughtConfig
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.runs.evaluation import load_agent


class Teacher:
    """The agent `config.teacher`. Raises ConfigError unless it exists and is a kernel (others are too slow)."""

    def __init__(self, config: TaughtConfig, game: Game) -> None:
        self.config = config
        agent = load_agent("teacher", config.teacher, game)
        act = kernel_of(agent)
        if act is None:
            raise ConfigError(f"teacher={config.teacher!r} is not allowed; it takes a scripted agent of {game.name}")
        self._ask, self._ask_coded = _asking(act), _asking_coded(act)

    def weight(self, done: float) -> float:
        """Return the weight of the teacher after the part `done` of a run."""
        return max(0.0, 1 - done / self.config.teacher_until)

    def choices(self, buffer: RolloutBuffer, rng: np.random.Generator) -> np.ndarray:
        """Return the teacher's action at each ready transition, `(R,)` int64; 0 elsewhere."""
        actions = np.zeros(len(buffer.ready), np.int64)
        which, seed, layout = np.flatnonzero(buffer.ready), int(rng.integers(2**62)), buffer.layout
        scratch = np.zeros(1, STREAM), np.zeros(layout.size, np.float32)
        masks = buffer.masks.view(np.int8)
        self._ask_coded(which, buffer.codes, *layout.expansion, masks, *scratch, seed, actions)
        return actions

    def advise(
        self, which: np.ndarray, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, out: np.ndarray
    ) -> None:
        """Write the teacher's action at the indices `which` of `observations` and `masks`, `(n, ...)`, into `out`."""
        self._ask(which, observations, masks, np.zeros(1, STREAM), int(rng.integers(2**62)), out)


@cache
def _asking(act: Any) -> Any:
    @kernel
    def ask(which, observations, masks, scratch, seed, actions):
        for k in range(which.shape[0]):
            index = which[k]
            start(scratch[0], derive(seed, 0, index))
            actions[index] = act(observations[index], masks[index], scratch[0])

    return ask


@cache
def _asking_coded(act: Any) -> Any:
    @kernel
    def ask_coded(which, codes, per, above, runs, wide, tail, masks, scratch, observation, seed, actions):
        for k in range(which.shape[0]):
            index = which[k]
            start(scratch[0], derive(seed, 0, index))
            expand(codes[index], per, above, runs, wide, tail, observation)
            actions[index] = act(observation, masks[index], scratch[0])

    return ask_coded
