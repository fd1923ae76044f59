"""A deal at a table: played action by action, taken back, and told as each seat heard it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import PUBLIC, Game
from sobremesa.envs.core.table import OVER, table_kernels


class Played(NamedTuple):
    """A ply that was played; what its seat saw and might do follows from the state and is made anew when asked for."""

    states: np.ndarray  # (1,) before the action
    seat: int
    action: int


class Deal:
    """A deal of `game` from `seed`; `states` is the true state of the table and goes to no client."""

    def __init__(self, game: Game, setup: Mapping[str, Any], seed: int) -> None:
        self.game = game
        self.seed = seed
        self.plies: list[Played] = []
        self.states = game.new_tables(1, setup)
        self.mask = np.zeros(game.num_actions, np.int8)  # (A,) what the seat to act may do
        self.seat = int(table_kernels(game).reset(self.states, seed, _observation(game), self.mask))
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
        self.plies.append(Played(self.states.copy(), self.seat, action))
        self.seat = int(table_kernels(self.game).step(self.states, action, _observation(self.game), self.mask))

    def back(self, ply: int) -> None:
        """Take back all plies from number `ply` on; raise IndexError if there is none such."""
        first = self.plies[ply]
        del self.plies[ply:]
        self.states, self.seat = first.states.copy(), first.seat
        table_kernels(self.game).legal(self.states, self.mask)
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

    def whole(self) -> Iterator[Ply]:
        """Give all plies of a deal that is over, its end last."""
        kernels = table_kernels(self.game)
        for ply in (*self.plies, Played(self.states, OVER, OVER)):
            states, observation, mask = ply.states.copy(), _observation(self.game), np.zeros_like(self.mask)
            kernels.observe(states, int(states["seat"][0]), observation)
            kernels.legal(states, mask)
            yield Ply(states, ply.seat, ply.action, observation, mask)


def _observation(game: Game) -> np.ndarray:
    return np.zeros(game.layout.size, np.float32)


def sentences(game: Game, ply: Played, after: np.ndarray, viewer: int, language: str) -> list[str]:
    """Return what `viewer` is told of `ply`, which led to the `(1,)` state `after`.

    PUBLIC is told what every seat is told in the same words: so it is a secret of nobody at the table.
    """
    if viewer != PUBLIC:
        return game.words.tell(ply.states, ply.action, after, viewer, language)
    heard = [game.words.tell(ply.states, ply.action, after, seat, language) for seat in range(int(after["seats"][0]))]
    return [sentence for sentence in heard[0] if all(sentence in others for others in heard[1:])]
