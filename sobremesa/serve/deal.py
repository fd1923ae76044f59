"""A deal at a table: played action by action, taken back, and told as each seat heard it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER, table_kernels

PUBLIC = -1  # a viewer who has no seat, and may know what every seat knows


class Deal:
    """A deal of `game` from `seed`; `states` is the true state of the table and goes to no client.

    `plies` are those played so far, each as it was before its action.
    """

    def __init__(self, game: Game, setup: Mapping[str, Any], seed: int) -> None:
        self.game = game
        self.seed = seed
        self.plies: list[Ply] = []
        self.states = game.new_tables(1, setup)
        self._observation = np.zeros(game.layout.size, np.float32)
        self.mask = np.zeros(game.num_actions, np.int8)  # (A,) what the seat to act may do
        self.seat = int(table_kernels(game).reset(self.states, seed, self._observation, self.mask))
        self._told: dict[tuple[int, str], list[list[str]]] = {}  # by viewer and language, then by ply

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return int(self.states["seats"][0])

    @property
    def over(self) -> bool:
        """Whether the deal has ended."""
        return self.seat == OVER

    @property
    def actions(self) -> list[int]:
        """What was played so far, by ply."""
        return [ply.action for ply in self.plies]

    def play(self, action: int) -> None:
        """Play `action` for the seat to act; raise IllegalAction, with nothing changed, if it is not allowed."""
        if self.over or not 0 <= action < len(self.mask) or not self.mask[action]:
            raise IllegalAction.at(self.game, self.states, action, self.mask)
        self.plies.append(Ply(self.states.copy(), self.seat, action, self._observation.copy(), self.mask.copy()))
        self.seat = int(table_kernels(self.game).step(self.states, action, self._observation, self.mask))

    def back(self, ply: int) -> None:
        """Take back all plies from number `ply` on; raise IndexError if there is none such."""
        first = self.plies[ply]
        del self.plies[ply:]
        self.states, self.seat = first.states.copy(), first.seat
        self._observation, self.mask = first.observation.copy(), first.mask.copy()
        for told in self._told.values():
            del told[ply:]

    def at(self, ply: int) -> np.ndarray:
        """Return the `(1,)` true state before ply number `ply`, or the present one."""
        return self.plies[ply].states if ply < len(self.plies) else self.states

    def told(self, viewer: int, language: str, until: int) -> list[str]:
        """Return the sentences that `viewer`, a seat or PUBLIC, was told of the first `until` plies."""
        told = self._told.setdefault((viewer, language), [])
        for ply in range(len(told), until):
            told.append(sentences(self.game, self.plies[ply], self.at(ply + 1), viewer, language))
        return [sentence for one in told[:until] for sentence in one]

    def replay(self, names: Sequence[str]) -> replays.Replay:
        """Return the deal, which must be over, as the replay of it; `names` are of those who sat there."""
        return replays.from_plies(self.game, self.whole(), names, self.seed)

    def whole(self) -> list[Ply]:
        """Return all plies of a deal that is over, its end last."""
        return [*self.plies, Ply(self.states.copy(), OVER, OVER, self._observation.copy(), self.mask.copy())]


def sentences(game: Game, ply: Ply, after: np.ndarray, viewer: int, language: str) -> list[str]:
    """Return what `viewer` is told of `ply`, which led to the `(1,)` state `after`.

    PUBLIC is told what every seat is told in the same words: so it is a secret of nobody at the table.
    """
    if viewer != PUBLIC:
        return game.words.tell(ply.states, ply.action, after, viewer, language)
    heard = [game.words.tell(ply.states, ply.action, after, seat, language) for seat in range(int(after["seats"][0]))]
    return [sentence for sentence in heard[0] if all(sentence in others for others in heard[1:])]
