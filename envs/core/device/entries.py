"""Functions of a game for a device, each over one table: those of a vector environment and of scripted bots."""

from functools import cache
from typing import Any

import numpy as np
import torch
from numba import typeof, types

from sobremesa.envs.core.chance import STREAM, derive, start
from sobremesa.envs.core.codes import expand
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.retarget import READ, WRITTEN, Column, Entry, NotPortable
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.device.program import Program
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.rows import row_kernels

BOTS = 2  # of the seeds that `derive` makes of a deal's: of the streams of bots


def columns_of(game: Game) -> dict[str, Column]:
    """Return the columns of a vector environment of `game` by name, without staging."""
    record, stream = (typeof(np.zeros(1, kind)).dtype for kind in (game.state, STREAM))
    whole = Column(types.int64)
    return {
        "states": Column(record), "setups": Column(record), "streams": Column(stream),
        "actions": whole, "sampled": whole, "deals": whole, "seeds": whole, "refused": Column(types.int64, 2),
        "observations": Column(types.uint8, game.layout.width), "masks": Column(types.int8, game.num_actions),
        "legal": Column(types.int8, game.num_actions), "seats": Column(types.int8), "dones": Column(types.boolean),
        "payoffs": Column(types.float32, game.max_seats), "chosen": Column(types.boolean),
        "bots": Column(stream, game.max_seats), "begun": Column(types.int64, game.max_seats),
    }  # fmt: skip


def entry_of(columns: dict[str, Column], name: str, kernel: Any, names: str, **staged: int) -> Entry:
    """Return an entry whose arguments are `names`: columns, and numbers for other names."""
    given: dict[str, Column | None] = {}
    for argument in names.split():
        column = columns.get(argument)
        given[argument] = column and column._replace(staged=staged.get(argument, 0))
    return Entry(name, kernel, given)


def _vector_kernels(game: Game) -> tuple[Any, Any, Any, Any]:
    """Return the kernels of `reset`, `step`, `sample` and `show` for one table."""
    rows, num_actions = row_kernels(game, True), game.num_actions
    reset_row, advance, show_row, pick = rows.reset, rows.advance, rows.show, rows.sample

    @kernel
    def reset(
        i, number, chosen, states, setups, seed, deals, seeds, streams, observations, masks, seats, sampled, sampling
    ):  # fmt: skip
        if chosen[i]:
            seeds[i] = derive(seed, number, deals[i])
            reset_row(i, states, setups, seeds, streams, observations, masks, seats)
            if sampling:
                pick(i, masks, streams, sampled)

    @kernel
    def step(
        i, number, states, actions, setups, seed, deals, seeds, observations, legal, masks, seats, payoffs, dones,
        refused, streams, sampled, sampling,
    ):  # fmt: skip
        action = actions[i]
        if 0 <= action < num_actions and legal[i, action] != 0:
            advance(i, number, states, actions, setups, seed, deals, seeds, masks, payoffs, dones)
        else:  # the table waits; the environment raises an error later
            if refused[i, 0] == 0:
                refused[i, 1] = action
            refused[i, 0] += 1
            dones[i] = False
            payoffs[i, :] = 0
            for one in range(num_actions):
                masks[i, one] = legal[i, one]
        show_row(i, states, observations, seats)
        if sampling:
            pick(i, masks, streams, sampled)

    @kernel
    def sample(i, number, masks, streams, sampled):
        pick(i, masks, streams, sampled)

    @kernel
    def show(i, number, states, observations, seats):
        show_row(i, states, observations, seats)

    return reset, step, sample, show


@cache
def vector_entries(game: Game, staged: bool = True) -> list[Entry]:
    """Return the functions `reset`, `step`, `sample` and `show` of a vector environment.

    `staged` copies rows to the memory of the thread, which changes the speed alone.
    """
    reset, step, sample, show = _vector_kernels(game)
    columns, (read, written) = columns_of(game), (READ, WRITTEN) if staged else (0, 0)
    both = read | written
    step_names = (
        "states actions setups seed deals seeds observations legal masks seats payoffs dones refused streams sampled "
        "sampling"
    )
    return [
        entry_of(
            columns, "reset", reset,
            "chosen states setups seed deals seeds streams observations masks seats sampled sampling",
            states=both, observations=both, masks=both,
        ),
        entry_of(columns, "step", step, step_names, states=both, observations=written, masks=written),
        entry_of(columns, "sample", sample, "masks streams sampled"),
        entry_of(columns, "show", show, "states observations seats", states=read, observations=written),
    ]  # fmt: skip


@cache
def bot_entries(game: Game, choose: Any) -> list[Entry]:
    """Return the function `act` of the scripted bot with the kernel `choose`, at the chosen tables.

    Each seat of each deal has its own stream for the bot.
    """
    size, (per, above, runs, wide, tail) = game.layout.size, game.layout.expansion

    @kernel
    def act(i, number, chosen, observations, masks, seats, seeds, bots, begun, actions):
        if chosen[i]:
            seat = seats[i]
            if begun[i, seat] != seeds[i]:
                begun[i, seat] = seeds[i]
                start(bots[i, seat], derive(seeds[i], BOTS, seat))
            observation = scratch(size, np.float32)
            expand(observations[i], per, above, runs, wide, tail, observation)
            actions[i] = choose(observation, masks[i], bots[i, seat])

    return [entry_of(columns_of(game), "act", act, "chosen observations masks seats seeds bots begun actions")]


@cache
def vector_program(game: Game, staged: bool, device: torch.device) -> Program:
    """Return the functions of `vector_entries` on `device`, compiled once for all environments."""
    return _program(game.name, vector_entries(game, staged), device)


@cache
def bot_program(game: Game, choose: Any, device: torch.device) -> Program:
    """Return the function of `bot_entries` on `device`."""
    return _program(f"{game.name}: the bot's {choose.py_func.__name__}", bot_entries(game, choose), device)


def _program(name: str, entries: list[Entry], device: torch.device) -> Program:
    """Return the functions of `entries` on `device`; raise NotPortable, with `name`, if it cannot run them."""
    try:
        return Program(entries, device)
    except NotPortable as error:
        raise NotPortable(f"{name}: {error}") from None
