"""The functions of a game over arrays of states, compiled once per game.

Passing a record to a kernel costs 160 microseconds, passing the array that holds it half of one. So every function here
takes an array and reads `states[i]` inside.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.prefetch import prefetcher
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.rows import OVER as OVER, observer as observer, row_kernels
from sobremesa.envs.core.steps import redealer, step_kernels


class Table(NamedTuple):
    """Functions over one table, held in a `(1,)` array of states."""

    reset: Any  # (states, seed, observation, mask) -> seat to act, or OVER; the view is that seat's
    step: Any  # (states, action, observation, mask) -> seat to act, or OVER; the view is that seat's
    observe: Any  # (states, seat, observation)
    encode: Any  # (states, seat, codes): the same as bytes, `(W,)` uint8
    legal: Any  # (states, mask)
    payoff: Any  # (states, payoffs)
    redeal: Any  # (states, seat, seed)


@kernel
def first_illegal(rows, actions, masks):
    """Return the first k for which `masks[rows[k]]` forbids `actions[k]`, or `len(rows)` if all are legal."""
    for k in range(rows.shape[0]):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[rows[k], action] == 0:
            return k
    return rows.shape[0]


@cache
def table_kernels(game: Game) -> Table:
    """Return the functions of `game` for one table."""
    (reset_one, step_one), observe_one, view = step_kernels(game), shared(observer(game)), row_kernels(game).view
    width = game.layout.width
    encode_one, legal_one, payoff_one = map(shared, (game.observe, game.legal, game.payoff))
    redeal_one = redealer(game)

    @kernel
    def reset(states, seed, observation, mask):
        reset_one(states[0], seed, mask)
        return view(states[0], observation)

    @kernel
    def step(states, action, observation, mask):
        step_one(states[0], action, mask)
        return view(states[0], observation)

    @kernel
    def observe(states, seat, observation):
        observe_one(states[0], seat, scratch(width, np.uint8), observation)

    @kernel
    def encode(states, seat, codes):
        encode_one(states[0], seat, codes)

    @kernel
    def legal(states, mask):
        mask[:] = 0
        legal_one(states[0], mask)

    @kernel
    def payoff(states, payoffs):
        payoff_one(states[0], payoffs)

    @kernel
    def redeal(states, seat, seed):
        redeal_one(states[0], seat, seed)

    return Table(reset, step, observe, encode, legal, payoff, redeal)


@cache
def _reshuffler(game: Game) -> Any:
    """Compile `reshuffle` of `game` for many tables: (states, seeds)."""
    reshuffle_one = shared(game.reshuffle or start)

    @kernel
    def reshuffle(states, seeds):
        for i in range(states.shape[0]):
            reshuffle_one(states[i], seeds[i])

    return reshuffle


def reshuffled(game: Game, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Return copies of `states` `(N,)` with everything that no seat knows resampled from `seeds` `(N,)` int64.

    That is the order of a deck and the random stream (`Game.reshuffle`). Known and held pieces stay.
    """
    anew = states.copy()
    _reshuffler(game)(anew, seeds)
    return anew


def state_problems(game: Game, states: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `states` is invalid; an empty list for a valid state.

    These are the reasons of `Game.problems`, and one that applies in every game: a running deal asks a seat that has at
    least two legal actions, because forced actions are played automatically.
    """
    found = game.problems(states)
    if found or states["over"][0]:
        return [" ".join(reason.split()) for reason in found]  # arrays in one line
    mask = np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(states.copy(), mask)
    choices = int(mask.sum())
    return [] if choices > 1 else [f"seat {states['seat'][0]} is asked and has {choices} legal actions"]


class Batch(NamedTuple):
    """Functions over slices `low..high` of many tables (threads.run gives each thread its own)."""

    reset: Any
    step: Any
    sample: Any
    show: Any


@cache
def batch_kernels(game: Game, coded: bool = False) -> Batch:
    """Return the functions of `game` for N tables with automatic resets; `coded`: observations as bytes.

    `first` is the number of the first of these tables among all tables, on which the seeds of the deals depend.
    """
    rows, ask_for = row_kernels(game, coded), prefetcher(game.state)
    reset, advance, show, pick = rows.reset, rows.advance, rows.show, rows.sample

    @kernel
    def reset_all(states, setups, seeds, streams, observations, masks, seats, low, high):
        for i in range(low, high):
            reset(i, states, setups, seeds, streams, observations, masks, seats)

    @kernel
    def step_all(
        first, states, actions, setups, seed, deals, seeds, observations, masks, seats, payoffs, dones,
        streams, sampled, sampling, low, high,
    ):  # fmt: skip
        for i in range(low, high):
            ask_for(states, i + 1)
            advance(i, first + i, states, actions, setups, seed, deals, seeds, masks, payoffs, dones)
            show(i, states, observations, seats)
            if sampling:
                pick(i, masks, streams, sampled)

    @kernel
    def sample_all(masks, streams, actions, low, high):
        for i in range(low, high):
            pick(i, masks, streams, actions)

    @kernel
    def show_all(states, observations, seats, low, high):
        for i in range(low, high):
            show(i, states, observations, seats)

    return Batch(reset_all, step_all, sample_all, show_all)
