"""Rollouts: payoffs of an action in determinizations, when an agent plays on for all seats.

With a number of plies, rollouts are cut off at the value estimate of the agent, from 0 to 1, as a cooperative game
pays. Only a scripted agent of a cooperative game has one; exported bots do not, so their rollouts go to the end.

Letters: `W` worlds, `C` candidates (actions), `S` seats of the largest table.
"""

import hashlib
from functools import cache
from typing import Any

import numpy as np

from sobremesa.agents.search.policies import policy_kernels
from sobremesa.envs.core.agent import Agent, View, value_estimate_of
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer, table_kernels

TABLES = 512  # at once; bounds the memory and the delay of Ctrl-C
WORLD, CHANCE = "world", "chance"  # labels of the seeds of a search
_ASKED, _PLAYING = 0, 1  # places in the match: the caller, who names the first action, and the agent


def seed_of(view: View) -> int:
    """Return a seed that follows from the view and its stream; the stream is not drawn from."""
    seen = hashlib.blake2b(view.stream.tobytes(), digest_size=8, person=b"search")
    seen.update(view.observation.tobytes() + view.mask.tobytes())
    return int.from_bytes(seen.digest(), "little") >> 1


def sample_worlds(view: View, seed: int, low: int, high: int) -> np.ndarray:
    """Return `(high - low,)` determinizations of `view`, numbers `low` to `high` - 1 of `seed`."""
    redeal = table_kernels(view.game).redeal
    worlds = np.repeat(view.state, high - low)
    for number, world_seed in enumerate(seeds_of(WORLD, seed, range(low, high))):
        redeal(worlds[number : number + 1], view.seat, int(world_seed))
    return worlds


class Rollouts:
    """Rollouts in which `agent` plays for all seats; a search agent makes them once and uses them at each decision.

    They use one thread, because many searches usually run side by side. Agents with a kernel, small networks included,
    play inside one; any other agent plays in batches of TABLES.

    Args:
        game: the game.
        agent: the agent that plays.
        plies: cut rollouts off after this many plies behind the first action; 0: no cut.

    Raises ValueError if rollouts are to be cut off and `agent` has no value estimate.
    """

    def __init__(self, game: Game, agent: Agent, plies: int = 0) -> None:
        self._estimate = value_estimate_of(agent) if plies else None
        if plies and (self._estimate is None or not game.cooperative):
            raise ValueError(
                f"plies={plies} is not allowed; {agent.name} of {game.id} has no value estimate to stop at"
            )
        self._game = game
        self._plies = plies or game.max_plies
        self._policy = policy_kernels(agent)
        self._buffers = _buffers(game)
        self._match = Match(game, [OUTSIDE, agent], np.zeros(TABLES if self._policy is None else 0, game.state), 1)

    def payoffs(self, worlds: np.ndarray, candidates: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return the payoff of each seat, `(W, C, S)` float32, for each of `candidates` `(C,)` in each world.

        `worlds` `(W,)` are not changed. All chance, of the game and the agents, follows in each world from its seed in
        `chances` `(W,)`, the same for all candidates. Raises IllegalAction for a candidate that is illegal in a world.
        """
        paid = np.zeros((len(worlds), len(candidates), self._game.max_seats), np.float32)
        play = self._play if self._policy is None else self._play_inside
        most = max(1, TABLES // len(candidates))
        for low in range(0, len(worlds), most):
            part = slice(low, low + most)
            play(worlds[part], candidates, chances[part], paid[part])
        return paid

    def from_view(
        self, view: View, seed: int, low: int, high: int, candidates: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        """Return the payoffs `(high - low, C, S)` of `candidates` in worlds number `low` to `high` - 1 of `view`.

        The first worlds are `held`, the others determinizations; these and all chance follow from `seed`.
        """
        worlds = np.concatenate([held[low:high], sample_worlds(view, seed, max(low, min(len(held), high)), high)])
        return self.payoffs(worlds, candidates, seeds_of(CHANCE, seed, range(low, high)))

    def _play_inside(self, worlds: np.ndarray, candidates: np.ndarray, chances: np.ndarray, paid: np.ndarray) -> None:
        policy = self._policy
        assert policy is not None
        play = rollouts_kernel(self._game, policy.choose, policy.looks, self._estimate)
        stopped = play(worlds, candidates, chances, self._plies, paid, *self._buffers, policy.arrays)
        if stopped < paid.shape[0] * paid.shape[1]:
            world, candidate = divmod(stopped, len(candidates))
            mask = self._buffers[2]
            raise IllegalAction.at(self._game, worlds[world : world + 1], candidates[candidate], mask)

    def _play(self, worlds: np.ndarray, candidates: np.ndarray, chances: np.ndarray, paid: np.ndarray) -> None:
        match, rows = self._match, np.arange(paid.shape[0] * paid.shape[1])
        world, candidate = np.divmod(rows, len(candidates))
        match.states["over"] = 1
        match.seating[:] = _ASKED
        match.put(rows, worlds[world], chances[world])
        match.step(rows, candidates[candidate])
        match.seating[:] = _PLAYING
        match.advance()
        paid[:] = match.payoffs[rows].reshape(paid.shape)


@cache
def rollouts_kernel(game: Game, choose: Any, looks: bool, value_estimate: Any = None) -> Any:
    """Compile rollouts of `game` by the kernel `choose` of a policy; `looks`: whether it needs the observation.

    With a `value_estimate` they stop at it, without one at the end.
    """
    (_, step), choose = step_kernels(game), shared(choose)
    observe, legal, payoff = map(shared, (observer(game), game.legal, game.payoff))
    cuts, outlook = value_estimate is not None, shared(value_estimate or _nothing)
    width = game.layout.width

    @kernel
    def play(worlds, candidates, chances, plies, paid, states, observation, mask, streams, arrays):
        """Return the number of candidates played in all worlds; fewer than all: those before the first illegal one."""
        state, stream, codes = states[0], streams[0], np.empty(width, np.uint8)
        for number in range(paid.shape[0] * paid.shape[1]):
            world, candidate = number // paid.shape[1], number % paid.shape[1]
            states[0] = worlds[world]
            start(state, chances[world])
            start(stream, derive(chances[world], 1, 0))  # not the deal's own chance once more
            mask[:] = 0
            legal(state, mask)
            action = candidates[candidate]
            if not mask[action]:
                return number
            step(state, action, mask)
            left = plies
            while not state.over and (left > 0 or not cuts):
                if looks:
                    observe(state, state.seat, codes, observation)
                step(state, choose(observation, mask, stream, arrays), mask)
                left -= 1
            if state.over:
                payoff(state, paid[world, candidate])
            else:
                observe(state, state.seat, codes, observation)
                paid[world, candidate, : state.seats] = outlook(observation, mask)
        return paid.shape[0] * paid.shape[1]

    return play


@kernel
def _nothing(observation, mask):
    return 0.0


def _buffers(game: Game) -> tuple[np.ndarray, ...]:
    """Return buffers for a state, an observation, a mask and a random stream."""
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    return np.zeros(1, game.state), observation, mask, np.zeros(1, STREAM)
