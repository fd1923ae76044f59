"""Belief: worlds that fit the other seats' play so far, by a particle filter with rejection.

`redeal` samples from public information only; the actions of the other seats contain more, if they follow a known
policy. A seat gets views at its own decisions and no moves to replay. So the filter simulates: from the worlds of the
seat's last decision, or from new deals at its first, it plays the seat's own action and the other seats' policy up to
the next decision, and keeps the worlds with exactly the present observation. Each world is kept as often as policy and
chance lead there, which is Bayes' rule.

The filter works for every game, but finds worlds only where chance and moves leave few continuations, because draws of
the seat are not steered. Without any match, worlds are resampled as usual, and the earlier inference is lost.

Letters: `T` tables that play together, `M` worlds that were found.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.search.rollouts import TABLES, sample_worlds
from sobremesa.envs.core import news
from sobremesa.envs.core.agent import Agent, BatchAgent, KernelAgent, View, kernel_of, memory_size
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.chance import pick, uniform
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of

SLIP = 0.1  # probability of a random action of the other seats, since their policy is only assumed
KEPT = 256  # seats with stored worlds
HELD = 256  # most worlds stored for a seat
PAST = "past"  # label of seeds: the simulated past
_ME, _OTHER = 0, 1  # places in the match


class _Seen(NamedTuple):
    """The record of a seat from one of its decisions to the next."""

    seed: int  # of the decision
    view: View
    held: np.ndarray  # (M,) worlds found there
    action: int  # the chosen action


class Belief:
    """The worlds of each seat in the deals under way.

    Args:
        game: the game.
        policy: the assumed policy of the other seats, apart from slips. It has a kernel or `act_batch`; a recurrent bot
            starts with an empty memory at each decision.
        tries: simulations for each decision.
    """

    def __init__(self, game: Game, policy: Agent, tries: int) -> None:
        self._game, self._policy, self._tries = game, policy, tries
        self._match = Match(game, [OUTSIDE, _with_slips(policy)], np.zeros(TABLES, game.state), threads=1)
        self._deals: OrderedDict[int, _Seen] = OrderedDict()  # by the seed of the seat's stream, latest last

    def __reduce__(self) -> tuple[Any, ...]:
        return Belief, (self._game, self._policy, self._tries), {"_deals": self._deals}

    def forget(self, seeds: Iterable[int]) -> None:
        """Drop the worlds of streams with these `seeds`: their deals begin."""
        for seed in seeds:
            self._deals.pop(seed, None)

    def worlds(self, view: View, seed: int, late: Callable[[], bool] = lambda: False) -> np.ndarray:
        """Return worlds `(M,)` that fit all observations of the seat of `view`; an empty array if it finds no world.

        `seed` follows from the view alone. No simulation starts once `late` returns true.
        """
        seen = self._deals.get(int(view.stream["seed"][0]))
        if seen is not None and np.array_equal(seen.view.observation, view.observation):
            return seen.held  # the same decision again
        found = [view.state[:0]]
        for low in range(0, self._tries, TABLES):
            if late():
                break
            found.append(self._found(view, seen, seed, low, min(low + TABLES, self._tries)))
        return np.concatenate(found)[:HELD]

    def keep(self, view: View, seed: int, held: np.ndarray, action: int) -> None:
        """Store for the next decision the worlds `held` at `view` and the chosen `action`."""
        stream = int(view.stream["seed"][0])
        kept = view._replace(observation=view.observation.copy(), state=view.state.copy())
        self._deals[stream] = _Seen(seed, kept, held, action)
        self._deals.move_to_end(stream)
        while len(self._deals) > KEPT:
            self._deals.popitem(last=False)

    def _found(self, view: View, seen: _Seen | None, seed: int, low: int, high: int) -> np.ndarray:
        """Simulate tries number `low` to `high` - 1 up to the seat's decision; return the worlds that match `view`."""
        match, rows = self._match, np.arange(high - low)
        match.states["over"] = 1
        match.seating[:] = _OTHER
        match.seating[:, view.seat] = _ME
        chances = seeds_of(PAST, seed, range(low, high))
        if seen is None:
            for option in view.game.options:
                match.setups[option.name] = view.state[option.name]
            match.deal(rows, chances)
        else:
            past = seen.held if len(seen.held) else sample_worlds(seen.view, seen.seed, low, high)
            match.put(rows, past[np.arange(low, high) % len(past)], chances)
            allowed = rows[match.masks[rows, seen.action] == 1]  # all, if the action was chosen here
            match.step(allowed, np.full(len(allowed), seen.action))
        match.advance()
        same = (match.observations[rows] == view.observation).all(1) & (match.masks[rows] == view.mask).all(1)
        worlds: np.ndarray = match.states[rows[same & (match.waiting()[rows] == _ME)]]
        worlds["ply"] = 0  # as in resampled worlds
        for field in news.fields_of(view.game.state):
            worlds[field] = 0
        return worlds


def _with_slips(policy: Agent) -> Agent:
    """Return an agent that plays as `policy` and sometimes at random."""
    inside = kernel_of(policy)
    return _SlippingBatch(policy) if inside is None else KernelAgent(policy.name, _slipping_kernel(inside))


@cache
def _slipping_kernel(act: Any) -> Any:
    act = shared(act)

    @kernel
    def slip(observation, mask, stream):
        if uniform(stream) < SLIP:
            return pick(stream, mask)
        return act(observation, mask, stream)

    return slip


@kernel
def _slip(streams, masks, actions):
    for row in range(actions.shape[0]):
        if uniform(streams[row]) < SLIP:
            actions[row] = pick(streams[row], masks[row])


class _SlippingBatch:
    """A batch agent that sometimes plays at random."""

    def __init__(self, policy: Agent) -> None:
        self.name = policy.name
        self.memory = memory_size(policy)
        if not isinstance(policy, BatchAgent):
            raise ValueError(f"belief: {policy.name} chooses for one table at a time, which takes too long")
        self._batch = policy.act_batch

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, *memory: Any) -> np.ndarray:
        actions = np.array(self._batch(observations, masks, streams, *memory), np.int64)
        _slip(streams, masks, actions)
        return actions
