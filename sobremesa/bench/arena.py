"""`sobremesa bench --arena`: duplicated deals between two scripted agents, beside a plain loop over the environment.

A deal is played in all seatings. The arena plays it as `sobremesa arena` does, results written to disk and read again;
the loop over `raw_env` calls the same kernels with what `env.last()` returns.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.schedule import Schedule, plan
from sobremesa.bench.peers import SEED
from sobremesa.envs.core.agent import agent_seed, new_stream
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seed_of

DEALS, LOOP_DEALS = 10_000, 300


def schedule(game: Game, pair: Sequence[str], deals: int) -> Schedule:
    """Return the schedule of a match between the agents `pair` at the smallest table of `game`."""
    return plan(game, pair, deals=deals, seed=SEED, seats=[game.seat_range[0]])


def arena_rate(game: Game, pair: Sequence[str], deals: int) -> float:
    """Play a tournament in a folder of its own; return the deals a second, each in all seatings, disk included."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "arena"
        start = time.perf_counter()
        tournament.begin(folder, schedule(game, pair, deals))
        tournament.play(folder)
        played = len(tournament.read(folder))
        return played * deals / (time.perf_counter() - start)


def loop_rate(game: Game, pair: Sequence[str], deals: int) -> float:
    """Play the same deals of the same match in a plain loop over `raw_env`; return the deals a second."""
    seats = game.seat_range[0]
    choose = [unpacked(agents.load(name, game)) for name in pair]
    seated = [choose[0], *[choose[1]] * (seats - 1)]
    env = envs.make(game.name, seats=seats)
    start = time.perf_counter()
    for deal in range(deals):
        for turn in range(seats):
            play_by_loop(env, seed_of(DEAL, SEED, deal), seated[-turn:] + seated[:-turn])
    return deals / (time.perf_counter() - start)


def play_by_loop(env: Any, seed: int, seated: list[Any]) -> list[float]:
    """Play one deal of `env` as its users do, where `seated` takes (observation, mask, stream); return the payoffs."""
    env.reset(seed=seed)
    streams = [new_stream(agent_seed(seed, seat)) for seat in range(len(seated))]
    payoffs = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            payoffs[agent] = reward
            env.step(None)
        else:
            seat = env.possible_agents.index(agent)
            env.step(int(seated[seat](observation["observation"], observation["action_mask"], streams[seat])))
    return list(payoffs.values())


def unpacked(agent: Any) -> Any:
    """Return the kernel of `agent` over the array that holds its stream: a record alone costs much to pass."""
    inside = agent.kernel

    @kernel
    def choose(observation, mask, streams):  # type: ignore[no-untyped-def]
        return inside(observation, mask, streams[0])

    return choose
