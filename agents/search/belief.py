"""Belief: worlds in which a policy, at the other seats, would have led to what the asking seat sees.

`redeal` is a fair guess from what is public; what others *did* says more, if one trusts them to play by some policy. A
seat is given a view at its own decisions alone and no moves to replay, so worlds are not weighed but found (a particle
filter by rejection): from worlds that it held possible at its last decision, or from new deals at its first one, its
own action and the others' by the policy are played on to its next decision, and those worlds are held in which it would
see to the bit what it sees now. Each world is held as often as the policy and chance lead there, which is Bayes' rule.

It needs nothing of a game but its verbs, and finds worlds only where chance and moves leave few ways to go on: nothing
of what a seat draws meanwhile, or holds at first, is steered. Where nothing is found, worlds are redealt as without it,
and what was inferred before is lost.

Letters: `T` tables that play at once, `M` worlds that were found.
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

SLIP = 0.1  # how often others are taken to play at random instead: nobody plays quite by the policy
KEPT = 256  # seats in deals of which worlds are kept
HELD = 256  # the most worlds that are kept of one
PAST = "past"  # what seeds are of here: how others came to where they are
_ME, _OTHER = 0, 1  # places in the match


class _Seen(NamedTuple):
    """What is kept of a seat in a deal from one of its decisions to its next."""

    seed: int  # of the decision
    view: View
    held: np.ndarray  # (M,) worlds that were found there
    action: int  # what was chosen


class Belief:
    """Worlds that a seat holds possible by what others did, for each deal that is going on.

    Args:
        game: the game.
        policy: what others are taken to play, but for slips. It has a kernel or `act_batch`; a recurrent bot begins
            with an empty memory at each decision.
        tries: ways that are played on for each decision.
    """

    def __init__(self, game: Game, policy: Agent, tries: int) -> None:
        self._game, self._policy, self._tries = game, policy, tries
        self._match = Match(game, [OUTSIDE, _slipping(policy)], np.zeros(TABLES, game.state), threads=1)
        self._deals: OrderedDict[int, _Seen] = OrderedDict()  # by the seed of the seat's stream, latest last

    def __reduce__(self) -> tuple[Any, ...]:
        return Belief, (self._game, self._policy, self._tries), {"_deals": self._deals}

    def forget(self, seeds: Iterable[int]) -> None:
        """Keep nothing of the seats' streams that begin at `seeds`: their deals begin."""
        for seed in seeds:
            self._deals.pop(seed, None)

    def worlds(self, view: View, seed: int, late: Callable[[], bool] = lambda: False) -> np.ndarray:
        """Return worlds `(M,)` that fit all that the seat of `view` sees and has seen, none if none was found.

        `seed` follows from what the seat sees and nothing else. No more ways are played on once it is `late`.
        """
        seen = self._deals.get(int(view.stream["seed"][0]))
        if seen is not None and np.array_equal(seen.view.observation, view.observation):
            return seen.held  # asked once more
        found = [view.state[:0]]
        for low in range(0, self._tries, TABLES):
            if late():
                break
            found.append(self._found(view, seen, seed, low, min(low + TABLES, self._tries)))
        return np.concatenate(found)[:HELD]

    def keep(self, view: View, seed: int, held: np.ndarray, action: int) -> None:
        """Remember for the next decision that at `view` these worlds were held and `action` was chosen."""
        stream = int(view.stream["seed"][0])
        kept = view._replace(observation=view.observation.copy(), state=view.state.copy())
        self._deals[stream] = _Seen(seed, kept, held, action)
        self._deals.move_to_end(stream)
        while len(self._deals) > KEPT:
            self._deals.popitem(last=False)

    def _found(self, view: View, seen: _Seen | None, seed: int, low: int, high: int) -> np.ndarray:
        """Play on ways number `low` to `high` - 1 to the seat's decision; return the worlds where it sees `view`."""
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
            allowed = rows[match.masks[rows, seen.action] == 1]  # all, if the action was chosen at this table
            match.step(allowed, np.full(len(allowed), seen.action))
        match.settle()
        same = (match.observations[rows] == view.observation).all(1) & (match.masks[rows] == view.mask).all(1)
        worlds: np.ndarray = match.states[rows[same & (match.waiting()[rows] == _ME)]]
        worlds["ply"] = 0  # as in worlds that are redealt
        for field in news.fields_of(view.game.state):
            worlds[field] = 0
        return worlds


def _slipping(policy: Agent) -> Agent:
    """Return an agent that plays as `policy` does, and now and then at random."""
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
    """One that is asked for many tables at once."""

    def __init__(self, policy: Agent) -> None:
        self.name = policy.name
        self.memory = memory_size(policy)
        if not isinstance(policy, BatchAgent):
            raise ValueError(f"belief: {policy.name} is asked for one table at a time, which takes too long")
        self._batch = policy.act_batch

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, *memory: Any) -> np.ndarray:
        actions = np.array(self._batch(observations, masks, streams, *memory), np.int64)
        _slip(streams, masks, actions)
        return actions
