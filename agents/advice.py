"""Advice: what a scripted agent would do, told to a network beside what its seat sees.

A policy that is told so begins as that agent and learns where to do otherwise, which takes far less than to learn all
that the agent knows (residual policies: Silver et al. 2018, Johannink et al. 2019). Advice follows from the view of the
seat alone: an agent that draws at random is asked with the same stream each time. Letters: `n` views, `D` numbers in an
observation, `W` bytes in one, `A` actions.
"""

import dataclasses
import hashlib
from functools import cache, cached_property
from typing import Any

import numpy as np

from sobremesa.agents.builtin import scripted
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.chance import STREAM, start
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block, Layout

BLOCK = "advice"  # of the layout, behind the game's own
ALIKE = 0  # the seed of the stream that an agent is asked with, each time
_DIGEST_PLIES = 60  # of random play at 16 tables, from which it follows what an agent advises


class Advisor:
    """The scripted agent `name` of `game` as one that advises; `game` is then one with the advice in its layout.

    Raises ValueError if there is no such scripted agent.
    """

    def __init__(self, name: str, game: Game) -> None:
        allowed = scripted(game)
        if name not in allowed:  # said before it is loaded: a bot's manifest must not have anything else run
            named = one_line(repr(name), 200)
            raise ValueError(f"{named} cannot advise; a scripted agent of {game.name} can: {', '.join(allowed)}")
        self.name, self._plain, self._size = name, game, game.layout.size
        self.kernel = allowed[name].kernel
        advice = Block(BLOCK, (game.num_actions,), f"what {name} would do")
        self.game = dataclasses.replace(game, layout=Layout(*game.layout, advice))
        self._ask = _asking(self.kernel)

    def advise(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return `observations` `(n, D)` with the advice behind them, `(n, D + A)` float32; `masks` are `(n, A)`."""
        seen, allowed = np.ascontiguousarray(observations, np.float32), np.ascontiguousarray(masks, np.int8)
        told = np.zeros((len(seen), self.game.layout.size), np.float32)
        told[:, : self._size] = seen
        self._ask(seen, allowed, told, np.zeros(1, STREAM))
        return told

    def advise_coded(self, codes: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the bytes that stand for what `advise` returns, as `game.layout` says, `(n, W)` uint8.

        codes: (n, W) uint8, those of `observations` as the game's own layout says.
        """
        told, plain = np.zeros((len(codes), self.game.layout.width), np.uint8), self._plain.layout
        told[:, : self._size] = codes[:, : self._size]
        told[:, self.game.layout.tail :] = codes[:, plain.tail :]
        seen, allowed = np.ascontiguousarray(observations, np.float32), np.ascontiguousarray(masks, np.int8)
        self._ask(seen, allowed, told, np.zeros(1, STREAM))
        return told

    @cached_property
    def digest(self) -> str:
        """A digest of what is advised at some positions: a network fits the advice that it was trained with."""
        tables, digest = VectorEnv(self._plain, 16, seed=7, threads=1), hashlib.sha256()
        for _ in range(_DIGEST_PLIES):
            seen = tables.step(tables.sample())
            digest.update(self.advise(seen.observations, seen.masks)[:, self._size :].astype(np.int8).tobytes())
        return digest.hexdigest()[:16]


@cache
def advisor(name: str, game: Game) -> Advisor:
    """Return the scripted agent `name` of `game` as an advisor, the same each time; raise ValueError as `Advisor`."""
    return Advisor(name, game)


@cache
def _asking(act: Any) -> Any:
    act = shared(act)

    @kernel
    def ask(observations, masks, told, scratch):
        """Write a 1 for what is advised in each view behind its numbers in `told` (n, D + A)."""
        for row in range(masks.shape[0]):
            start(scratch[0], ALIKE)
            told[row, observations.shape[1] + act(observations[row], masks[row], scratch[0])] = 1

    return ask
