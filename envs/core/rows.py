"""One table's share of a vector environment, the same kernels on processors and on GPUs.

A row kernel gets whole arrays and the index `i` of its table in them. On a GPU each thread has one table, so it gets
arrays of length 1 and `i` = 0; `number` is the number of the table among all tables, which the seeds depend on.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.chance import derive, start
from sobremesa.envs.core.codes import expand
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.records import put_state
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.masks import mask_kernels
from sobremesa.envs.core.steps import step_kernels

OVER = -1  # the seat to act once the deal is over


class Rows(NamedTuple):
    """Kernels over the table with index `i`; `vector.VectorEnv` describes the arrays."""

    reset: Any  # (i, states, setups, seeds, streams, observations, masks, seats)
    # (i, number, states, actions, setups, seed, deals, seeds, masks, payoffs, dones): a step but for the view
    advance: Any
    show: Any  # (i, states, observations, seats): the view of the seat to act
    sample: Any  # (i, masks, streams, actions)
    view: Any  # (state, observation) -> the seat to act, or OVER, with its observation


@cache
def observer(game: Game) -> Any:
    """Return the observation as float32: (state, seat, codes, observation), with scratch `codes` `(W,)` uint8."""
    observe = shared(game.observe)
    per, above, runs, wide, tail = game.layout.expansion

    @kernel
    def observe_in_full(state, seat, codes, observation):
        observe(state, seat, codes)
        expand(codes, per, above, runs, wide, tail, observation)

    return observe_in_full


@cache
def _viewer(game: Game, coded: bool) -> Any:
    """Return the view of the seat to act, as bytes or float32: (state, observation) -> the seat, or OVER."""
    whole, bare, width = shared(observer(game)), shared(game.observe), game.layout.width

    @kernel
    def numbers(state, observation):
        whole(state, state.seat, scratch(width, np.uint8), observation)
        return OVER if state.over else state.seat

    @kernel
    def bytes_alone(state, observation):
        bare(state, state.seat, observation)
        return OVER if state.over else state.seat

    return bytes_alone if coded else numbers


@cache
def row_kernels(game: Game, coded: bool = False) -> Rows:
    """Return the kernels of `game` for one table with automatic resets; `coded`: observations as bytes."""
    (reset_state, step_state), payoff = step_kernels(game), shared(game.payoff)
    view, pick = _viewer(game, coded), mask_kernels(game.num_actions).pick

    @kernel
    def reset(i, states, setups, seeds, streams, observations, masks, seats):
        put_state(states, i, setups[i])
        reset_state(states[i], seeds[i], masks[i])
        start(streams[i], derive(seeds[i], 1, 0))  # independent of the chance of the deal
        seats[i] = view(states[i], observations[i])

    @kernel
    def advance(i, number, states, actions, setups, seed, deals, seeds, masks, payoffs, dones):
        state = states[i]
        step_state(state, actions[i], masks[i])
        dones[i] = state.over
        payoffs[i, :] = 0
        if state.over:
            payoff(state, payoffs[i])
            deals[i] += 1
            seeds[i] = derive(seed, number, deals[i])
            put_state(states, i, setups[i])
            reset_state(state, seeds[i], masks[i])

    @kernel
    def show(i, states, observations, seats):
        seats[i] = view(states[i], observations[i])

    @kernel
    def sample(i, masks, streams, actions):
        actions[i] = pick(streams[i], masks[i])

    return Rows(reset, advance, show, sample, view)
