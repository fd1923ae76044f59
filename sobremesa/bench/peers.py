"""Other libraries' games under random legal play, for `sobremesa bench`; nothing here is needed to play or train.

What each function makes is a *burst*: a function that plays on for a moment and returns how many steps it took.
Everything is ready when it returns (imported, compiled, dealt); a library that is missing raises ImportError.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

import gymnasium
import numpy as np

SEED = 0
TABLES = 4096  # of the vector environments, ours and Pgx's
AIMED_AT = "ese_toro_enamorado"  # the game that most aims were set for

Burst = Callable[[], int]


class Peer(NamedTuple):
    """A game of another library, and what we mean to reach beside it."""

    title: str
    make: Callable[[], Burst]
    aims: Mapping[str, float] = {}  # by game: our steps/s over its steps/s


def choose_with(seed: int) -> Callable[[np.ndarray], int]:
    """Return the sampler of every AEC loop: a function from a mask to one of its actions, each equally likely."""
    random = Random(seed).random

    def choose(mask: np.ndarray) -> int:
        allowed = mask.nonzero()[0]
        return int(allowed[int(random() * len(allowed))])

    return choose


def aec_burst(env: Any) -> Burst:
    """Play deals in `env`, a PettingZoo AEC environment; a step is a turn of the loop, also of agents that are done."""
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
    """Play `game` of PettingZoo's classic games, made by `constructor`, "raw_env" or "env"."""
    return aec_burst(getattr(import_module(f"pettingzoo.classic.{game}"), constructor)())


def rlcard_burst(game: str) -> Burst:
    """Play `game` of RLCard, whose states hold the observation and the legal actions."""
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
    """Play `game` of OpenSpiel from Python; a step is a decision, and chance is played in passing."""
    first = import_module("pyspiel").load_game(game)
    random = Random(SEED).random

    def draw(outcomes: list[tuple[int, float]]) -> int:
        left = random()
        for action, odds in outcomes:
            left -= odds
            if left <= 0:
                return action
        return outcomes[-1][0]  # the odds summed to a little less than 1

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
    """Play `game` of Pgx on the processor, `TABLES` at once, each starting again by itself."""
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


class OneLearner(gymnasium.Env[np.ndarray, int]):
    """An AEC environment as Stable-Baselines3 takes one: whoever is to act is the learner.

    This is the arrangement that PettingZoo's tutorial for Stable-Baselines3 describes.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        env.reset(seed=SEED)
        self.observation_space = env.observation_space(env.agent_selection)["observation"]
        self.action_space = env.action_space(env.agent_selection)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        self.env.reset(seed)
        return self._look(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.env.step(int(action))
        view, reward, terminated, truncated, _ = self.env.last()
        self.mask = view["action_mask"]
        return view["observation"], float(reward), terminated, truncated, {}

    def _look(self) -> np.ndarray:
        view = self.env.observe(self.env.agent_selection)
        self.mask = view["action_mask"]
        observation: np.ndarray = view["observation"]
        return observation


def tutorial_training(steps: int) -> Callable[[], object]:
    """Return a function that trains a MaskablePPO with default settings for `steps` on PettingZoo's connect four."""
    ppo, mask = import_module("sb3_contrib"), import_module("sb3_contrib.common.wrappers")
    env = import_module("pettingzoo.classic.connect_four_v3").env()
    masked = mask.ActionMasker(OneLearner(env), lambda one: one.mask)
    model = ppo.MaskablePPO("MlpPolicy", masked, seed=SEED, device="cpu")
    return lambda: model.learn(total_timesteps=steps)


BESIDE_VECTOR = (
    Peer("OpenSpiel Leduc", lambda: open_spiel_burst("leduc_poker"), {AIMED_AT: 15}),
    Peer("OpenSpiel crazy eights", lambda: open_spiel_burst("crazy_eights")),
    Peer(
        "Pgx sparrow mahjong",
        lambda: pgx_burst("sparrow_mahjong"),
        {AIMED_AT: 50, "bandido_alcatraz": 10, "erase_una_vez": 10},
    ),
    Peer("Pgx backgammon", lambda: pgx_burst("backgammon")),
    Peer("Pgx tic-tac-toe", lambda: pgx_burst("tic_tac_toe")),
)
BESIDE_RAW_ENV = (
    Peer("PettingZoo tic-tac-toe raw_env", lambda: pettingzoo_burst("tictactoe_v3", "raw_env"), {AIMED_AT: 1.8}),
    Peer("PettingZoo connect four raw_env", lambda: pettingzoo_burst("connect_four_v3", "raw_env")),
    Peer("RLCard Leduc", lambda: rlcard_burst("leduc-holdem")),
    Peer("RLCard UNO", lambda: rlcard_burst("uno")),
)
BESIDE_ENV = (
    Peer("PettingZoo tic-tac-toe env", lambda: pettingzoo_burst("tictactoe_v3", "env"), {AIMED_AT: 1.3}),
    Peer("PettingZoo connect four env", lambda: pettingzoo_burst("connect_four_v3", "env")),
)
