"""What a step of the vector environment takes, part by part, and how far that is from what the machine allows.

The limit is that of copying as many bytes as a step writes. Rules and the drawing of an action come on top of it: what
a step would take with these and copying alone is told beside it.
"""

import time
from collections.abc import Callable, Iterable
from functools import cache
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from sobremesa import envs
from sobremesa.bench.peers import SEED, TABLES
from sobremesa.bench.speed import ROUNDS, SETTLE
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.prefetch import asker
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import batch_kernels, observer

STEPS = 16  # a round
COPIED = 64 * 2**20  # bytes, more than caches hold


class Limit(NamedTuple):
    """What a step takes, in seconds of one thread."""

    rules: float  # and the mask
    drawing: float  # of a random action
    observing: float
    whole: float  # with all else: checks, deals that begin, the ways of memory
    size: int  # bytes that it writes for whoever plays
    copying: float  # bytes that the machine copies in a second

    @property
    def least(self) -> float:
        """What copying its bytes takes."""
        return self.size / self.copying

    @property
    def reachable(self) -> float:
        """What a step would take with rules and drawing as they are, if it observed at the speed of copying."""
        return self.rules + self.drawing + self.least


@cache
def _part_kernels(game: Game, dtype: str) -> tuple[Any, Any]:
    """Compile the rules alone, for tables that stop once they are over, and observing alone."""
    step, full, coded = shared(step_kernels(game).step), shared(observer(game)), shared(game.observe)
    width, in_bytes, ask_for = game.layout.width, dtype == "uint8", asker(game.state)

    @kernel
    def play(states, actions, masks):
        for i in range(states.shape[0]):
            ask_for(states, i + 1)
            if not states[i].over:
                step(states[i], actions[i], masks[i])

    @kernel
    def look(states, observations):
        codes = np.empty(width, np.uint8)
        for i in range(states.shape[0]):
            ask_for(states, i + 1)
            full(states[i], states[i].seat, codes, observations[i])

    @kernel
    def look_at_bytes(states, observations):
        for i in range(states.shape[0]):
            ask_for(states, i + 1)
            coded(states[i], states[i].seat, observations[i])

    return play, look_at_bytes if in_bytes else look


def measure(name: str, dtype: str, tables: int = TABLES, settle: int = SETTLE) -> Limit:
    """Return what a step of `tables` tables of the game called `name` takes, medians over the steps of some rounds."""
    game = envs.load(name)
    vector = envs.make_vec(name, tables, SEED, copy=False, threads=1, dtype=dtype)
    (play, look), draw = _part_kernels(game, dtype), batch_kernels(game, dtype == "uint8").sample
    for _ in range(settle):
        out = vector.step(vector.sample())
    states, streams = np.empty_like(vector.states), np.zeros(tables, STREAM)
    seen, masks, actions = np.empty_like(out.observations), np.empty_like(out.masks), np.zeros(tables, np.int64)
    parts = {
        "drawing": lambda: draw(out.masks, streams, actions, 0, tables),
        "rules": lambda: play(states, actions, masks),
        "observing": lambda: look(vector.states, seen),
        "whole": lambda: vector.step(vector.sample()),
    }
    spent: dict[str, list[float]] = {part: [] for part in parts}
    for number in range(ROUNDS * STEPS + 1):
        states[:] = vector.states
        for part, work in parts.items():
            seconds = _seconds(work)
            if number:  # the first of all compiles
                spent[part].append(seconds / tables)
    size = sum(array.nbytes for array in out) // tables
    return Limit(**{part: median(times) for part, times in spent.items()}, size=size, copying=copying_speed())


def rows(found: Iterable[Limit]) -> list[tuple[str, ...]]:
    """Return the rows of a table: what stands there, and a number for each of `found`."""
    shown: dict[str, Callable[[Limit], str]] = {
        "rules and mask": lambda one: _nanoseconds(one.rules),
        "drawing an action": lambda one: _nanoseconds(one.drawing),
        "observing": lambda one: _nanoseconds(one.observing),
        "all of it, in the environment": lambda one: _nanoseconds(one.whole),
        "copying its bytes alone (the limit)": lambda one: _nanoseconds(one.least),
        "rules, drawing and copying": lambda one: _nanoseconds(one.reachable),
        "bytes a step": lambda one: f"{one.size:,}",
        "written, GB/s": lambda one: f"{one.size / one.whole / 1e9:.1f}",
        "the machine copies, GB/s": lambda one: f"{one.copying / 1e9:.1f}",
        "times the limit": lambda one: f"{one.whole / one.least:.1f}",
        "times rules, drawing and copying": lambda one: f"{one.whole / one.reachable:.1f}",
    }
    kept = list(found)
    return [(what, *(tell(one) for one in kept)) for what, tell in shown.items()]


def _nanoseconds(seconds: float) -> str:
    return f"{1e9 * seconds:,.0f} ns"


def copying_speed() -> float:
    """Return how many bytes the machine copies in a second, on one thread."""
    source = np.ones(COPIED, np.uint8)
    into = np.empty_like(source)
    np.copyto(into, source)  # its pages are there from here on
    return COPIED / median(_seconds(lambda: np.copyto(into, source)) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that `work` takes: other programs on the machine do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun
