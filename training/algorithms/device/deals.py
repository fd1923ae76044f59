"""Self-play deals on a device, one decision at a time: the functions between the networks (data/counterfactuals.py).

The choices, the samples and all chance are those of the processor's kernel, so deals from the same seeds are the same
as long as the networks give the same logits.
"""

from functools import cache
from typing import Any

import numpy as np
import torch
from numba import typeof, types

from sobremesa.agents.exported import pick_action
from sobremesa.envs.core.chance import STREAM, below, derive, start, uniform
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.records import put_state
from sobremesa.envs.core.compile.retarget import READ, WRITTEN, Column
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.device.entries import entry_of
from sobremesa.envs.core.device.program import Program
from sobremesa.envs.core.device.rollouts import OVER, RUNNING, advising, field_reader, rollout_columns
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.training.data.counterfactuals import MOST_SAMPLES, draw_candidates, share_of


@cache
def deals_program(game: Game, until: str, advise: Any, candidates: int, stages: int, device: torch.device) -> Program:
    """Return the functions `deal`, `decide` and `move` of deals of `game`; each row is one deal.

    A part of a deal (a round) begins where the field `until` of the state changes. There are `stages` kinds of
    decisions with their own share.
    """
    begin_deal, move = _playing(game, until, advise)
    record, number = typeof(np.zeros(1, game.state)).dtype, Column(types.float64)
    columns = rollout_columns(game) | {
        "setups": Column(record), "streams": Column(typeof(np.zeros(1, STREAM)).dtype), "who": Column(types.int64),
        "samples": Column(types.int64), "plies": Column(types.int64), "sampled": Column(types.boolean),
        "candidates": Column(types.int64, candidates), "shares": Column(types.float64, stages),
        "explore": number, "temperature": number, "begins": Column(types.boolean),
        "views": Column(types.uint8, game.max_seats * game.layout.width),
    }  # fmt: skip
    after = "states observations masks seats parts begins views payoffs outcomes advice"
    staged = {"states": READ | WRITTEN, "observations": WRITTEN}
    deciding = (
        "logits greedy who shares stage explore temperature seeds streams observations masks samples plies candidates "
        "chances sampled actions outcomes"
    )
    return Program([
        entry_of(columns, "deal", begin_deal, f"setups seeds streams samples plies {after}", **staged),
        entry_of(columns, "decide", _deciding(game), deciding),
        entry_of(columns, "move", move, f"actions {after}", **staged),
    ], device)  # fmt: skip


@cache
def _playing(game: Game, until: str, advise: Any) -> tuple[Any, Any]:
    """Compile the rows of `deal` and `move`."""
    (reset, step), part_of, ask = step_kernels(game), field_reader(until), advising(game, advise)
    observe, payoff = shared(game.observe), shared(game.payoff)
    width, cuts, advised = game.layout.width, bool(until), advise is not None

    @kernel
    def look(i, first, states, observations, masks, seats, parts, begins, views, payoffs, outcomes, advice):
        """Write the view of the seat to act, those of all seats where a part begins, or the payoffs at the end."""
        state = states[i]
        begins[i] = False
        if state.over:
            outcomes[i] = OVER
            payoffs[i, :] = 0
            payoff(state, payoffs[i])
            return
        outcomes[i] = RUNNING
        seats[i] = state.seat
        observe(state, state.seat, observations[i])
        if advised:
            advice[i] = ask(observations[i], masks[i])
        if cuts and (first or part_of(state) != parts[i]):
            parts[i] = part_of(state)
            begins[i] = True
            for seat in range(int(state.seats)):
                observe(state, seat, views[i, seat * width : (seat + 1) * width])

    @kernel
    def deal(
        i, number, setups, seeds, streams, samples, plies, states, observations, masks, seats, parts, begins, views,
        payoffs, outcomes, advice,
    ):  # fmt: skip
        put_state(states, i, setups[i])
        reset(states[i], derive(seeds[i], 0, 0), masks[i])
        start(streams[i], derive(seeds[i], 0, 1))
        samples[i] = 0
        plies[i] = 0
        look(i, True, states, observations, masks, seats, parts, begins, views, payoffs, outcomes, advice)

    @kernel
    def move(i, number, actions, states, observations, masks, seats, parts, begins, views, payoffs, outcomes, advice):
        begins[i] = False
        if outcomes[i] == RUNNING:
            step(states[i], actions[i], masks[i])
            look(i, False, states, observations, masks, seats, parts, begins, views, payoffs, outcomes, advice)

    return deal, move


@cache
def _deciding(game: Game) -> Any:
    """Compile the row of `decide`."""
    count = game.num_actions

    @kernel
    def decide(
        i, number, logits, greedy, who, shares, stage, explore, temperature, seeds, streams, observations, masks,
        samples, plies, candidates, chances, sampled, actions, outcomes,
    ):  # fmt: skip
        """Choose an action; at a sampled decision also draw candidates, and perhaps play another one."""
        sampled[i] = False
        if outcomes[i] == RUNNING:
            stream = streams[i]
            action = pick_action(logits[i], masks[i], stream, greedy != 0)
            wanted = who[i] == 0 and uniform(stream) < share_of(shares[i], stage, observations[i])
            if wanted and samples[i] < MOST_SAMPLES:
                sampled[i] = True
                worth = scratch(count, np.float64)
                found = draw_candidates(logits[i], masks[i], action, temperature[i], stream, worth, candidates[i])
                chances[i] = derive(seeds[i], 1, samples[i])
                samples[i] += 1
                if uniform(stream) < explore[i]:
                    action = candidates[i, 1 + below(stream, found - 1)]
            plies[i] += 1
            actions[i] = action

    return decide


@kernel
def world_seeds(chances, world, seeds, lucks):
    """Write the seed of determinization `world` of each sample, and of the chance after it, from `chances` `(k,)`."""
    for sample in range(chances.shape[0]):
        seeds[sample] = derive(chances[sample], world, 1)
        lucks[sample] = derive(chances[sample], world, 0)
