"""A deal at a table: plays actions, takes them back, and keeps an event log for each viewer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import PUBLIC, Game
from sobremesa.envs.core.sayings import Saying, say, sayings_of, words_of
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.wording import Words, plainly


class Played(NamedTuple):
    """A played ply. Observation and mask are not stored; `Deal.whole` recomputes them from the state."""

    states: np.ndarray  # (1,) before the action
    seat: int
    action: int
    saying: Saying | None = None  # the words of the action, if they are the player's own


class Deal:
    """A deal of `game` from `seed`; `states` is the true state and must not reach a client."""

    def __init__(self, game: Game, setup: Mapping[str, Any], seed: int) -> None:
        self.game = game
        self.seed = seed
        self.plies: list[Played] = []
        self.states = game.new_tables(1, setup)
        self.mask = np.zeros(game.num_actions, np.int8)  # (A,) legal actions of the seat to act
        self.seat = int(table_kernels(game).reset(self.states, seed, _observation(game), self.mask))
        self._logs: dict[tuple[int, str], list[list[str]]] = {}  # by viewer and language, then by ply

    @property
    def seats(self) -> int:
        """Number of seats."""
        return int(self.states["seats"][0])

    @property
    def over(self) -> bool:
        """Whether the deal has ended."""
        return self.seat == OVER

    @property
    def actions(self) -> list[int]:
        """Actions played so far."""
        return [ply.action for ply in self.plies]

    def sayings(self, until: int | None = None) -> list[Saying]:
        """Return the sentences in players' own words of the first `until` plies (default: all)."""
        return sayings_of(self.plies[:until])

    def play(self, action: int, saying: Saying | None = None) -> None:
        """Play `action` for the seat to act, perhaps told in own words.

        Raises IllegalAction for an illegal action, and ValueError for words that cannot mean it, without a change.
        """
        if self.over or not 0 <= action < len(self.mask) or not self.mask[action]:
            raise IllegalAction.at(self.game, self.states, action, self.mask)
        before = self.states.copy()
        if saying is not None:
            say(self.game, self.states, action, saying)
        self.plies.append(Played(before, self.seat, action, saying))
        self.seat = int(table_kernels(self.game).step(self.states, action, _observation(self.game), self.mask))

    def back(self, ply: int) -> None:
        """Take back all plies from number `ply` on; raise IndexError if `ply` does not exist."""
        first = self.plies[ply]
        del self.plies[ply:]
        self.states, self.seat = first.states.copy(), first.seat
        table_kernels(self.game).legal(self.states, self.mask)
        for log in self._logs.values():
            del log[ply:]

    def at(self, ply: int) -> np.ndarray:
        """Return the true state `(1,)` before ply number `ply`, or the current one."""
        return self.plies[ply].states if ply < len(self.plies) else self.states

    def log(self, viewer: int, language: str, until: int) -> list[str]:
        """Return the event log of `viewer`, a seat or PUBLIC, for the first `until` plies."""
        log = self._logs.setdefault((viewer, language), [])
        for ply in range(len(log), until):
            words = words_of(self.game, self.sayings(ply + 1))
            log.append(sentences(words, self.plies[ply], self.at(ply + 1), viewer, language))
        return [sentence for one in log[:until] for sentence in one]

    def replay(self, names: Sequence[str]) -> replays.Replay:
        """Return the replay of the finished deal; `names` are the names of its players."""
        return replays.from_plies(self.game, self.whole(), names, self.seed)

    def whole(self) -> Iterator[Ply]:
        """Yield all plies of the finished deal, then its end."""
        kernels = table_kernels(self.game)
        for ply in (*self.plies, Played(self.states, OVER, OVER)):
            states, observation, mask = ply.states.copy(), _observation(self.game), np.zeros_like(self.mask)
            kernels.observe(states, int(states["seat"][0]), observation)
            kernels.legal(states, mask)
            yield Ply(states, ply.seat, ply.action, observation, mask, ply.saying)


def _observation(game: Game) -> np.ndarray:
    return np.zeros(game.layout.size, np.float32)


def sentences(words: Words, ply: Played, after: np.ndarray, viewer: int, language: str) -> list[str]:
    """Return the sentences for `viewer` about `ply`, which led to the state `after` `(1,)`.

    PUBLIC receives only sentences that every seat receives in the same words.
    """
    if viewer != PUBLIC:
        return [plainly(words, one, language) for one in words.tell(ply.states, ply.action, after, viewer, language)]
    logs = [words.tell(ply.states, ply.action, after, seat, language) for seat in range(int(after["seats"][0]))]
    shared = [sentence for sentence in logs[0] if all(sentence in others for others in logs[1:])]
    return [plainly(words, one, language) for one in shared]
