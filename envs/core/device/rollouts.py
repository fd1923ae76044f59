"""Rollouts on a device: each from a position, perhaps a determinization of it, by one action, to the end of the deal.

A row is one rollout at a time. A scripted agent plays a whole rollout in one call (`scripted_program`). A network gives
logits for all rows between two calls (`queue_program`); then a rollout may also end where a field of the state changes.
"""

from functools import cache
from typing import Any

import numpy as np
import torch
from numba import typeof, types

from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.codes import expand
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.records import put_state
from sobremesa.envs.core.compile.retarget import READ, WRITTEN, Column
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.device.entries import columns_of, entry_of
from sobremesa.envs.core.device.program import Program
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.rows import observer
from sobremesa.envs.core.steps import redealer, step_kernels

AS_IT_IS = -1  # instead of the seed of a determinization: the position itself
RUNNING, OVER, CUT, ILLEGAL = range(4)  # outcomes of rows
AGENTS = 1  # of the seeds that `derive` makes of a rollout's: of the stream of its agents


def rollout_columns(game: Game) -> dict[str, Column]:
    """Return the columns of rollouts of `game` by name, without staging."""
    record, whole = typeof(np.zeros(1, game.state)).dtype, Column(types.int64)
    return columns_of(game) | {
        "roots": Column(record), "worlds": whole, "chances": whole, "parts": whole, "advice": whole,
        "logits": Column(types.float32, game.num_actions),
        "asked": Column(types.int8), "outcomes": Column(types.int8),
    }  # fmt: skip


@cache
def field_reader(name: str) -> Any:
    """Compile the reader of the field `name` of a state; it returns 0 for ""."""
    if not name:

        @kernel
        def nothing(state):
            return 0

        return nothing

    @kernel
    def read(state):
        return np.int64(state[name])

    return read


@cache
def opening(game: Game) -> Any:
    """Compile (states, i, roots, seat, world): the position `roots[i]`, or its determinization for `seat`."""
    redeal = redealer(game)

    @kernel
    def open_position(states, i, roots, seat, world):
        put_state(states, i, roots[i])
        if world != AS_IT_IS:
            redeal(states[i], seat, world)

    return open_position


@cache
def scripted_program(game: Game, choose: Any, looks: bool, value_estimate: Any, device: torch.device) -> Program:
    """Return the function `rollout`: whole rollouts by the scripted agent with the kernel `choose`.

    `looks`: whether it needs the observation. With a `value_estimate` rollouts stop at it after `plies` plies.
    """
    (_, step), open_position = step_kernels(game), opening(game)
    observe, legal, payoff = map(shared, (observer(game), game.legal, game.payoff))
    cuts, estimate = value_estimate is not None, shared(value_estimate or _nothing)
    width, size, count = game.layout.width, game.layout.size, game.num_actions

    @kernel
    def rollout(i, number, roots, worlds, chances, actions, plies, states, streams, payoffs, outcomes):
        state, mask, seat = states[i], scratch(count, np.int8), roots[i].seat
        codes, observation = scratch(width, np.uint8), scratch(size, np.float32)
        open_position(states, i, roots, seat, worlds[i])
        start(state, chances[i])
        start(streams[i], derive(chances[i], AGENTS, 0))
        mask[:] = 0
        legal(state, mask)
        payoffs[i, :] = 0
        if mask[actions[i]] == 0:
            outcomes[i] = ILLEGAL
            return
        step(state, actions[i], mask)
        left = plies
        while not state.over and (left > 0 or not cuts):
            if looks:
                observe(state, state.seat, codes, observation)
            step(state, choose(observation, mask, streams[i]), mask)
            left -= 1
        outcomes[i] = OVER
        if state.over:
            payoff(state, payoffs[i])
        else:
            observe(state, state.seat, codes, observation)
            payoffs[i, : state.seats] = estimate(observation, mask)

    names = "roots worlds chances actions plies states streams payoffs outcomes"
    return Program([entry_of(rollout_columns(game), "rollout", rollout, names, states=WRITTEN)], device)


@kernel
def _nothing(observation, mask):
    return 0.0


@cache
def _looking(game: Game, until: str, advise: Any) -> Any:
    """Compile (i, ...): the view of the seat to act in row i, or how its rollout ended."""
    observe, payoff = shared(game.observe), shared(game.payoff)
    part_of, ask, advised, cuts = field_reader(until), advising(game, advise), advise is not None, bool(until)

    @kernel
    def look(i, states, observations, masks, seats, asked, parts, payoffs, outcomes, advice):
        state = states[i]
        if state.over:
            outcomes[i] = OVER
            payoffs[i, :] = 0
            payoff(state, payoffs[i])
        elif cuts and part_of(state) != parts[i]:
            outcomes[i] = CUT
            observe(state, asked[i], observations[i])
        else:
            outcomes[i] = RUNNING
            seats[i] = state.seat
            observe(state, state.seat, observations[i])
            if advised:
                advice[i] = ask(observations[i], masks[i])

    return look


@cache
def queue_program(game: Game, pick: Any, until: str, advise: Any, device: torch.device) -> Program:
    """Return the functions `launch` and `advance` of rollouts by networks, from one decision to the next.

    `pick` is a kernel (logits, mask, stream, greedy) -> action. Rollouts end where the field `until` of the state
    changes, with the view of the seat that was to act at first. `advise` is the kernel of a scripted advisor, or None.
    """
    (_, step), open_position, part_of = step_kernels(game), opening(game), field_reader(until)
    legal, look = shared(game.legal), _looking(game, until, advise)

    @kernel
    def launch(
        i, number, chosen, roots, worlds, chances, actions, states, streams, observations, masks, seats, asked, parts,
        payoffs, outcomes, advice,
    ):  # fmt: skip
        if chosen[i]:
            asked[i] = roots[i].seat
            open_position(states, i, roots, roots[i].seat, worlds[i])
            parts[i] = part_of(states[i])
            start(states[i], chances[i])
            start(streams[i], derive(chances[i], AGENTS, 0))
            masks[i, :] = 0
            legal(states[i], masks[i])
            if masks[i, actions[i]] == 0:
                outcomes[i] = ILLEGAL
            else:
                step(states[i], actions[i], masks[i])
                look(i, states, observations, masks, seats, asked, parts, payoffs, outcomes, advice)

    @kernel
    def advance(
        i, number, logits, greedy, states, streams, observations, masks, seats, asked, parts, payoffs, outcomes, advice
    ):
        if outcomes[i] == RUNNING:
            step(states[i], pick(logits[i], masks[i], streams[i], greedy != 0), masks[i])
            look(i, states, observations, masks, seats, asked, parts, payoffs, outcomes, advice)

    columns, both = rollout_columns(game), READ | WRITTEN
    after = "states streams observations masks seats asked parts payoffs outcomes advice"
    staged = {"states": both, "observations": both, "masks": both}
    return Program([
        entry_of(columns, "launch", launch, f"chosen roots worlds chances actions {after}", **staged),
        entry_of(columns, "advance", advance, f"logits greedy {after}", **staged),
    ], device)  # fmt: skip


@cache
def advising(game: Game, advise: Any) -> Any:
    """Compile (codes, mask) -> the action of the advisor with the kernel `advise`; 0 without one."""
    size, (per, above, runs, wide, tail) = game.layout.size, game.layout.expansion
    if advise is None:

        @kernel
        def none(codes, mask):
            return 0

        return none
    choose = shared(advise)

    @kernel
    def ask(codes, mask):
        observation, stream = scratch(size, np.float32), scratch(1, STREAM)
        expand(codes, per, above, runs, wide, tail, observation)
        start(stream[0], 0)
        return choose(observation, mask, stream[0])

    return ask
