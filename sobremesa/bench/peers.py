"""Other libraries' games under random legal play, for `sobremesa bench`.

Each function returns a *burst*: a function that plays for a moment and returns the number of steps. It imports,
compiles and deals before it returns, and raises ImportError if the library is not installed.
"""

from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

import numpy as np

SEED = 0
TABLES = 4096  # in a vector environment, ours and Pgx's

Burst = Callable[[], int]


class Peer(NamedTuple):
    """A game of another library."""

    title: str
    make: Callable[[], Burst]


def choose_with(seed: int) -> Callable[[np.ndarray], int]:
    """Return a function that draws a uniformly random allowed action from a mask."""
    random = Random(seed).random

    def choose(mask: np.ndarray) -> int:
        allowed = mask.nonzero()[0]
        return int(allowed[int(random() * len(allowed))])

    return choose


def aec_burst(env: Any) -> Burst:
    """Play `env`, a PettingZoo AEC environment; every turn of the loop is a step, also of agents that are done."""
    choose = choose_with(SEED)
    env.reset(seed=SEED)

    def burst() -> int:
        steps = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else choose(observation["action_mask"]))
            steps += 1
        env.reset()
        return steps

    return burst


def pettingzoo_burst(game: str, constructor: str) -> Burst:
    """Play one of PettingZoo's classic games, made by `constructor`, "raw_env" or "env"."""
    return aec_burst(getattr(import_module(f"pettingzoo.classic.{game}"), constructor)())


def rlcard_burst(game: str) -> Burst:
    """Play an RLCard game; its states have the observation and the legal actions."""
    env = import_module("rlcard").make(game, config={"seed": SEED})
    random = Random(SEED).random

    def burst() -> int:
        steps = 0
        state, _ = env.reset()
        while not env.is_over():
            allowed = list(state["legal_actions"])
            state, _ = env.step(allowed[int(random() * len(allowed))])
            steps += 1
        return steps

    return burst


def open_spiel_burst(game: str) -> Burst:
    """Play an OpenSpiel game from Python; a step is a decision, chance nodes do not count."""
    first = import_module("pyspiel").load_game(game)
    random = Random(SEED).random

    def draw(outcomes: list[tuple[int, float]]) -> int:
        left = random()
        for action, odds in outcomes:
            left -= odds
            if left <= 0:
                return action
        return outcomes[-1][0]  # the odds may sum to slightly less than 1

    def burst() -> int:
        steps = 0
        state = first.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                action = draw(state.chance_outcomes())
            else:
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                allowed = state.legal_actions()
                action = allowed[int(random() * len(allowed))]
                steps += 1
            state.apply_action(action)
        return steps

    return burst


def pgx_burst(game: str) -> Burst:
    """Play `TABLES` tables of a Pgx game on the CPU with automatic reset."""
    pgx, jax = import_module("pgx"), import_module("jax")
    again = import_module("pgx.experimental")
    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(game)
    step = jax.vmap(again.auto_reset(env.step, env.init))

    def advance(state: Any, key: Any) -> Any:
        key, choice, chance = jax.random.split(key, 3)
        actions = again.act_randomly(choice, state.legal_action_mask)
        return step(state, actions, jax.random.split(chance, TABLES)), key

    compiled = jax.jit(advance)
    key = jax.random.PRNGKey(SEED)
    held = [(jax.jit(jax.vmap(env.init))(jax.random.split(key, TABLES)), key)]

    def burst() -> int:
        for _ in range(4):
            held[0] = compiled(*held[0])
        jax.block_until_ready(held[0])
        return 4 * TABLES

    burst()
    return burst


BESIDE_ONE_THREAD = (
    Peer("OpenSpiel Leduc", lambda: open_spiel_burst("leduc_poker")),
    Peer("OpenSpiel crazy eights", lambda: open_spiel_burst("crazy_eights")),
)
BESIDE_ALL_CORES = (
    Peer("Pgx sparrow mahjong", lambda: pgx_burst("sparrow_mahjong")),
    Peer("Pgx backgammon", lambda: pgx_burst("backgammon")),
    Peer("Pgx tic-tac-toe", lambda: pgx_burst("tic_tac_toe")),
)
BESIDE_RAW_ENV = (
    Peer("PettingZoo tic-tac-toe raw_env", lambda: pettingzoo_burst("tictactoe_v3", "raw_env")),
    Peer("PettingZoo connect four raw_env", lambda: pettingzoo_burst("connect_four_v3", "raw_env")),
    Peer("RLCard Leduc", lambda: rlcard_burst("leduc-holdem")),
    Peer("RLCard UNO", lambda: rlcard_burst("uno")),
)
BESIDE_ENV = (
    Peer("PettingZoo tic-tac-toe env", lambda: pettingzoo_burst("tictactoe_v3", "env")),
    Peer("PettingZoo connect four env", lambda: pettingzoo_burst("connect_four_v3", "env")),
)
