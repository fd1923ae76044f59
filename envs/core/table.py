"""The verbs of a game at the border: compiled functions over arrays of states, made once per game.

Passing one record to a kernel costs 160 microseconds in dispatch, passing the array that holds it half of one; so every
function here takes arrays and opens `states[i]` inside.
"""

from functools import cache
from typing import Any, NamedTuple

from sobremesa.envs.core.chance import derive, pick, start
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel

OVER = -1  # the seat to act once the deal is over


class Table(NamedTuple):
    """Functions over one table, held in a `(1,)` array of states."""

    deal: Any  # (states, seed, observation, mask) -> seat to act, or OVER; the view is that seat's
    play: Any  # (states, action, observation, mask) -> seat to act, or OVER; the view is that seat's
    look: Any  # (states, seat, observation)
    allow: Any  # (states, mask)
    pay: Any  # (states, payoffs)
    guess: Any  # (states, seat, seed)


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
    """Compile the view of the seat to act, which is returned; OVER once the deal is over."""
    legal, observe = game.legal, game.observe

    @kernel
    def view(state, observation, mask):
        mask[:] = 0
        observation[:] = 0
        observe(state, state.seat, observation)
        legal(state, mask)
        return OVER if state.over else state.seat

    return view


@cache
def table_kernels(game: Game) -> Table:
    """Compile the verbs of `game` for one table."""
    reset, legal, step, payoff = game.reset, game.legal, game.step, game.payoff
    observe, redeal, view = game.observe, game.redeal, _view(game)

    @kernel
    def deal(states, seed, observation, mask):
        reset(states[0], seed)
        return view(states[0], observation, mask)

    @kernel
    def play(states, action, observation, mask):
        step(states[0], action)
        return view(states[0], observation, mask)

    @kernel
    def look(states, seat, observation):
        observation[:] = 0
        observe(states[0], seat, observation)

    @kernel
    def allow(states, mask):
        mask[:] = 0
        legal(states[0], mask)

    @kernel
    def pay(states, payoffs):
        payoff(states[0], payoffs)

    @kernel
    def guess(states, seat, seed):
        redeal(states[0], seat, seed)

    return Table(deal, play, look, allow, pay, guess)


class Batch(NamedTuple):
    """Functions over slices `low..high` of many tables (threads.run gives each thread its own)."""

    deal: Any
    step: Any
    sample: Any


@kernel
def _sample(masks, streams, actions, low, high):
    for i in range(low, high):
        actions[i] = pick(streams[i], masks[i])


@cache
def batch_kernels(game: Game) -> Batch:
    """Compile the verbs of `game` for N tables that start again by themselves."""
    reset, step, payoff, view = game.reset, game.step, game.payoff, _view(game)

    @kernel
    def deal(states, setups, seeds, streams, observations, masks, seats, low, high):
        for i in range(low, high):
            states[i] = setups[i]
            reset(states[i], seeds[i])
            start(streams[i], seeds[i])
            seats[i] = view(states[i], observations[i], masks[i])

    @kernel
    def step_all(
        states, actions, setups, seed, deals, seeds, observations, masks, seats, payoffs, dones,
        streams, sampled, sampling, low, high,
    ):  # fmt: skip
        for i in range(low, high):
            state = states[i]
            step(state, actions[i])
            dones[i] = state.over
            payoffs[i, :] = 0
            if state.over:
                payoff(state, payoffs[i])
                deals[i] += 1
                seeds[i] = derive(seed, i, deals[i])
                states[i] = setups[i]
                reset(state, seeds[i])
            seats[i] = view(state, observations[i], masks[i])
            if sampling:
                sampled[i] = pick(streams[i], masks[i])

    return Batch(deal, step_all, _sample)
