"""The verbs of a game at the border: compiled functions over arrays of states, made once per game.

Passing one record to a kernel costs 160 microseconds in dispatch, passing the array that holds it half of one; so every
function here takes arrays and opens `states[i]` inside.
"""

from functools import cache
from typing import Any, NamedTuple

from sobremesa.envs.core.chance import derive, pick, start
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel, shared
from sobremesa.envs.core.steps import step_kernels

OVER = -1  # the seat to act once the deal is over


class Table(NamedTuple):
    """Functions over one table, held in a `(1,)` array of states."""

    reset: Any  # (states, seed, observation, mask) -> seat to act, or OVER; the view is that seat's
    step: Any  # (states, action, observation, mask) -> seat to act, or OVER; the view is that seat's
    observe: Any  # (states, seat, observation)
    legal: Any  # (states, mask)
    payoff: Any  # (states, payoffs)
    redeal: Any  # (states, seat, seed)


@kernel
def first_illegal(rows, actions, masks):
    """Return the first k such that `masks[rows[k]]` does not allow `actions[k]`, or their number if all are legal."""
    for k in range(rows.shape[0]):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or masks[rows[k], action] == 0:
            return k
    return rows.shape[0]


@cache
def _view(game: Game) -> Any:
    """Compile what the seat to act sees, which is returned; OVER once the deal is over."""
    observe = shared(game.observe)

    @kernel
    def view(state, observation):
        observation[:] = 0
        observe(state, state.seat, observation)
        return OVER if state.over else state.seat

    return view


@cache
def table_kernels(game: Game) -> Table:
    """Compile the verbs of `game` for one table."""
    (reset_one, step_one), view = step_kernels(game), _view(game)
    observe_one, legal_one, payoff_one, redeal_one = map(shared, (game.observe, game.legal, game.payoff, game.redeal))

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
        observation[:] = 0
        observe_one(states[0], seat, observation)

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

    return Table(reset, step, observe, legal, payoff, redeal)


class Batch(NamedTuple):
    """Functions over slices `low..high` of many tables (threads.run gives each thread its own)."""

    reset: Any
    step: Any
    sample: Any


@kernel
def _sample(masks, streams, actions, low, high):
    for i in range(low, high):
        actions[i] = pick(streams[i], masks[i])


@cache
def batch_kernels(game: Game) -> Batch:
    """Compile the verbs of `game` for N tables that start again by themselves."""
    (reset, step), payoff, view = step_kernels(game), shared(game.payoff), _view(game)

    @kernel
    def reset_all(states, setups, seeds, streams, observations, masks, seats, low, high):
        for i in range(low, high):
            states[i] = setups[i]
            reset(states[i], seeds[i], masks[i])
            start(streams[i], seeds[i])
            seats[i] = view(states[i], observations[i])

    @kernel
    def step_all(
        states, actions, setups, seed, deals, seeds, observations, masks, seats, payoffs, dones,
        streams, sampled, sampling, low, high,
    ):  # fmt: skip
        for i in range(low, high):
            state = states[i]
            step(state, actions[i], masks[i])
            dones[i] = state.over
            payoffs[i, :] = 0
            if state.over:
                payoff(state, payoffs[i])
                deals[i] += 1
                seeds[i] = derive(seed, i, deals[i])
                states[i] = setups[i]
                reset(state, seeds[i], masks[i])
            seats[i] = view(state, observations[i])
            if sampling:
                sampled[i] = pick(streams[i], masks[i])

    return Batch(reset_all, step_all, _sample)
