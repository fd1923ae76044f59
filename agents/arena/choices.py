"""Choices: results as ratings read them, each a choice of who comes first among the seats that are left.

A row is ranked by payoff: one choice of who comes first of all seats, one of who comes next of those left, and so on.
Of k that tie for a place each counts 1/k of coming first. Those that tie last, behind others, make no choice.

Letters: `R` rows, `S` seats, `A` agents, `D` deals, `K` kinds of choice (how many seats of each agent are left),
`T` choices.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.results import ROUNDING, Results, matches_of


class Choices(NamedTuple):
    """What rows say: among seats of some kind, somebody came first."""

    agents: tuple[str, ...]  # in order of their names
    kinds: np.ndarray  # (K, A) float64, how many seats each agent holds among those left
    firsts: np.ndarray  # (K, A) float64, how often each came first there
    deal: np.ndarray  # (T,) int64, of a choice; a deal's choices of one kind are one
    kind: np.ndarray  # (T,) int64
    times: np.ndarray  # (T,) int64, how often the deal holds that kind
    by_deal: np.ndarray  # (D, A) float64, how often each came first in a deal

    def met(self) -> np.ndarray:
        """Return in how many deals each agent met another one, `(A,)` int64."""
        pairs = np.zeros((len(self.by_deal), len(self.agents)), bool)
        for agent, held in enumerate(self.kinds.T > 0):
            pairs[self.deal[held[self.kind]], agent] = True
        return np.asarray(pairs.sum(0))


def read(results: Results | Iterable[Results]) -> Choices:
    """Return the choices that `results` are made of; those of an agent against itself alone are left out."""
    matches = matches_of(results)
    agents = tuple(sorted({name for match in matches for name in match.agents}))
    number = {name: index for index, name in enumerate(agents)}
    deals, deal_of = np.unique(np.concatenate([match.seeds for match in matches]), return_inverse=True)
    by_deal = np.zeros((len(deals), len(agents)))
    parts, start = [], 0
    for match in matches:
        own_deals = deal_of[start : start + len(match.seeds)]
        start += len(own_deals)
        seating = np.array([number[name] for name in match.agents])[match.seating]
        for row, left, first in _rank(match.payoffs):
            seats, won = (by_agent(seating[row], values, len(agents)) for values in (left, first))
            contested = (seats > 0).sum(1) > 1
            deal, seats, won = own_deals[row[contested]], seats[contested], won[contested]
            np.add.at(by_deal, deal, won)
            parts.append((deal, *_kinds(seats, won)))
    return _join(agents, parts, by_deal)


def by_agent(seating: np.ndarray, values: np.ndarray, agents: int) -> np.ndarray:
    """Return the sums of `values` `(T, S)` by who sits there, `(T, A)`."""
    sums = np.zeros((len(seating), agents))
    np.add.at(sums, (np.arange(len(seating))[:, None], seating), values)
    return sums


def _rank(payoffs: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for the first place, the second ...: rows with a choice (T,), who is left (T, S), who came first (T, S)."""
    left = np.ones(payoffs.shape, bool)
    for stage in range(payoffs.shape[1] - 1):
        best = np.where(left, payoffs, -np.inf).max(1, keepdims=True)
        top = left & (payoffs >= best - ROUNDING)
        tied = top.sum(1)
        chosen = (tied < left.sum(1)) | (stage == 0)
        yield np.flatnonzero(chosen), left[chosen], top[chosen] / tied[chosen, None]
        left = left & ~top


def _kinds(seats: np.ndarray, won: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different rows of `seats` `(T, A)`, the sums of `won` for each, and which of them each row is."""
    kinds, kind = np.unique(seats, axis=0, return_inverse=True)
    firsts = np.zeros(kinds.shape)
    np.add.at(firsts, kind, won)
    return kinds, firsts, kind


def _join(
    agents: tuple[str, ...], parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], by_deal: np.ndarray
) -> Choices:
    """Return the choices of all `parts`: each kind once, and each kind once in a deal."""
    kinds, firsts, number = _kinds(*(np.concatenate([part[column] for part in parts]) for column in (1, 2)))
    starts = np.cumsum([0, *(len(part[1]) for part in parts)])
    kind = np.concatenate([number[start + part[3]] for start, part in zip(starts, parts, strict=False)])
    deal = np.concatenate([part[0] for part in parts])
    once, times = np.unique(deal * max(len(kinds), 1) + kind, return_counts=True)
    deal, kind = np.divmod(once, max(len(kinds), 1))
    return Choices(agents, kinds, firsts, deal, kind, times, by_deal)
