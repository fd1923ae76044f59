"""Advice: the action of a scripted agent as an input of a network.

An advised policy is a residual policy over a scripted base: it starts as the base and learns where to deviate, which
takes far less training (Silver et al. 2018, Johannink et al. 2019). The advice follows from the view alone: an agent
that draws at random gets the same stream each time. Letters: `n` views, `D` numbers in an observation, `W` bytes in
one, `A` actions.
"""

import dataclasses
import hashlib
from functools import cache, cached_property
from typing import Any

import numpy as np

from sobremesa.agents.builtin import scripted
from sobremesa.envs.core.agent import CompiledAgent
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.chance import STREAM, start
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block, Layout

BLOCK = "advice"  # of the layout, after the blocks of the game
ALIKE = 0  # seed of the advisor's stream, the same for each view
_DIGEST_PLIES = 60  # of random play at 16 tables, on which the digest is computed


class Advisor:
    """The scripted agent `name` as an advisor; `game` is the game with the advice added to its layout.

    Raises ValueError if there is no such scripted agent.
    """

    def __init__(self, name: str, game: Game) -> None:
        allowed = {one: agent for one, agent in scripted(game).items() if isinstance(agent, CompiledAgent)}
        if name not in allowed:  # a bot's manifest must not load any other agent
            named = one_line(repr(name), 200)
            raise ValueError(f"{named} cannot advise; a scripted agent of {game.name} can: {', '.join(allowed)}")
        self.name, self._plain, self._size = name, game, game.layout.size
        self.kernel = allowed[name].kernel
        advice = Block(BLOCK, (game.num_actions,), f"what {name} would do")
        self.game = dataclasses.replace(game, layout=Layout(*game.layout, advice))
        self._ask = _asking(self.kernel)

    def advise(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return `observations` `(n, D)` followed by the advice, `(n, D + A)` float32; `masks` are `(n, A)`."""
        seen, allowed = np.ascontiguousarray(observations, np.float32), np.ascontiguousarray(masks, np.int8)
        advised = np.zeros((len(seen), self.game.layout.size), np.float32)
        advised[:, : self._size] = seen
        self._ask(seen, allowed, advised, np.zeros(1, STREAM))
        return advised

    def advise_coded(self, codes: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the uint8 observations of `advise`, encoded by `game.layout`, `(n, W)`.

        codes: (n, W) uint8, `observations` encoded by the layout of the game without advice.
        """
        advised, plain = np.zeros((len(codes), self.game.layout.width), np.uint8), self._plain.layout
        advised[:, : self._size] = codes[:, : self._size]
        advised[:, self.game.layout.tail :] = codes[:, plain.tail :]
        seen, allowed = np.ascontiguousarray(observations, np.float32), np.ascontiguousarray(masks, np.int8)
        self._ask(seen, allowed, advised, np.zeros(1, STREAM))
        return advised

    @cached_property
    def digest(self) -> str:
        """A digest of the advice at some positions: a network needs the advice that it was trained with."""
        tables, digest = VectorEnv(self._plain, 16, seed=7, threads=1), hashlib.sha256()
        for _ in range(_DIGEST_PLIES):
            seen = tables.step(tables.sample())
            digest.update(self.advise(seen.observations, seen.masks)[:, self._size :].astype(np.int8).tobytes())
        return digest.hexdigest()[:16]


@cache
def advisor(name: str, game: Game) -> Advisor:
    """Return the scripted agent `name` of `game` as an advisor, always the same object; ValueError as in `Advisor`."""
    return Advisor(name, game)


@cache
def _asking(act: Any) -> Any:
    act = shared(act)

    @kernel
    def ask(observations, masks, told, scratch):
        """Write a 1 for the advised action of each view after its numbers in `told` (n, D + A)."""
        for row in range(masks.shape[0]):
            start(scratch[0], ALIKE)
            told[row, observations.shape[1] + act(observations[row], masks[row], scratch[0])] = 1

    return ask
