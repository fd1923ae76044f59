"""Rates of steps: what is compared alternates in one run."""

import time
from collections.abc import Callable

from sobremesa import envs
from sobremesa.bench.peers import SEED, TABLES, Burst, aec_burst
from sobremesa.envs.core.api.wrapped import constructors

ROUNDS = 5
SETTLE = 512  # steps before the first round, so that tables are at different plies


def rate(burst: Burst, seconds: float) -> float:
    """Return the steps a second of `burst`, called until `seconds` have passed."""
    steps, start = 0, time.perf_counter()
    while True:
        steps += burst()
        spent = time.perf_counter() - start
        if spent >= seconds:
            return steps / spent


def alternate(*measures: Callable[[], float]) -> list[list[float]]:
    """Call each of `measures` in turn, `ROUNDS` times; return the numbers of each."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [list(numbers) for numbers in zip(*rounds, strict=True)]


def vector_burst(game: str, threads: int | None = None, dtype: str = "float32") -> Burst:
    """Play `TABLES` tables of `game` in one vector environment, by default on all cores.

    `dtype` is that of observations, "float32" or "uint8".
    """
    tables = envs.make_vec(game, TABLES, SEED, copy=False, threads=threads, dtype=dtype)
    for _ in range(SETTLE):
        tables.step(tables.sample())

    def burst() -> int:
        for _ in range(8):
            tables.step(tables.sample())
        return 8 * TABLES

    return burst


def game_burst(game: str, constructor: str) -> Burst:
    """Play `game` in the environment made by `constructor`, "raw_env" or "env"."""
    env, raw_env = constructors(envs.load(game))
    return aec_burst(env() if constructor == "env" else raw_env())
