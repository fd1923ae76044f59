"""How many steps a second something takes: what is compared is measured in turns, in one run."""

import time
from collections.abc import Callable

from sobremesa import envs
from sobremesa.bench.peers import SEED, TABLES, Burst, aec_burst
from sobremesa.envs.core.api.wrapped import constructors

ROUNDS = 5
SETTLE = 512  # steps before tables that began together are at different places of their deals


def rate(burst: Burst, seconds: float) -> float:
    """Return the steps a second of `burst`, called until `seconds` have passed."""
    steps, start = 0, time.perf_counter()
    while True:
        steps += burst()
        spent = time.perf_counter() - start
        if spent >= seconds:
            return steps / spent


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(*measures: Callable[[], float]) -> list[list[float]]:
    """Take each of `measures` in turn, `ROUNDS` times over; return the numbers of each."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [list(numbers) for numbers in zip(*rounds, strict=True)]


def vector_burst(game: str, threads: int | None = None, dtype: str = "float32") -> Burst:
    """Play `TABLES` tables of `game` in one vector environment, on all processors unless `threads` says otherwise.

    Observations are written as `dtype`, "float32" or "uint8".
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
