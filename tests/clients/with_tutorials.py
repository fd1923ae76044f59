"""Training speed of our algorithms beside the tutorials of RLCard, Tianshou, OpenSpiel and PettingZoo.

    make clients CLIENTS=tutorials                                                     # makes the environment
    .clients/tutorials/bin/python tests/clients/with_tutorials.py ese_toro_enamorado   # longer rounds: --seconds 1

The measure is the learners' decisions a CPU second of playing and learning, without evaluations. Only seats that learn
count. A tutorial keeps its library's own settings and game; ours use the settings of the benchmark, in the games named.
All run on one thread of PyTorch after a warm-up, and alternate in one run.
"""

import argparse
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from functools import partial
from importlib import import_module
from os import devnull
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from sobremesa import envs
from sobremesa.arguments import seconds
from sobremesa.bench.peers import SEED, Burst
from sobremesa.bench.speed import alternate
from sobremesa.commit import commit
from sobremesa.configs import benchmark
from sobremesa.training.config.classes import from_dict, read
from sobremesa.training.config.registry import find, resolved

WARM_UP = 20_000  # decisions before the first round: buffers hold enough to learn from by then, OpenSpiel's the last
MANY_STEPS = 10**12  # no limit
DEALS = 20  # of a burst
GAMES = ["leduc_poker", "ese_toro_enamorado"]
TABLES, BATCH = 10, 64  # of Tianshou's tutorial: a gradient step after a move at each table


class Tutorial(NamedTuple):
    """A tutorial of another library and our algorithm of the same kind."""

    title: str
    kind: str
    make: Callable[[], Burst]  # a burst trains for a moment and returns the learners' decisions
    warm_up: int = WARM_UP


def rlcard_dqn() -> Burst:
    """Train RLCard's DQN at one seat of its Leduc hold'em, a random player at the other."""
    rlcard, players = import_module("rlcard"), import_module("rlcard.agents")
    env = rlcard.make("leduc-holdem", config={"seed": SEED})
    learner = players.DQNAgent(num_actions=env.num_actions, state_shape=env.state_shape[0], mlp_layers=[64, 64])
    return _rlcard_burst(env, learner, players)


def rlcard_nfsp() -> Burst:
    """Train RLCard's NFSP in the same way; it draws its policy before each deal."""
    rlcard, players = import_module("rlcard"), import_module("rlcard.agents")
    env = rlcard.make("leduc-holdem", config={"seed": SEED})
    layers = [64, 64]
    learner = players.NFSPAgent(
        num_actions=env.num_actions, state_shape=env.state_shape[0], hidden_layers_sizes=layers, q_mlp_layers=layers
    )
    return _rlcard_burst(env, learner, players)


def _rlcard_burst(env: Any, learner: Any, players: Any) -> Burst:
    reorganize = import_module("rlcard.utils").reorganize
    import_module("rlcard.utils").set_seed(SEED)
    others = [players.RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players - 1)]
    env.set_agents([learner, *others])
    draws = getattr(learner, "sample_episode_policy", None)

    def burst() -> int:
        decisions = 0
        with (
            open(devnull, "w", encoding="utf-8") as nowhere,
            redirect_stdout(nowhere),
        ):  # it prints every gradient step
            for _ in range(DEALS):
                if draws is not None:
                    draws()
                transitions = reorganize(*env.run(is_training=True))[0]
                for transition in transitions:
                    learner.feed(transition)
                decisions += len(transitions)
        return decisions

    return burst


def open_spiel_nfsp() -> Burst:
    """Train OpenSpiel's NFSP in PyTorch at both seats of its Leduc poker, with the settings of its example."""
    env = import_module("open_spiel.python.rl_environment").Environment("leduc_poker", players=2)
    nfsp = import_module("open_spiel.python.pytorch.nfsp")
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    settings = {
        "hidden_layers_sizes": [128], "reservoir_buffer_capacity": 2_000_000, "anticipatory_param": 0.1,
        "replay_buffer_capacity": 200_000, "min_buffer_size_to_learn": 1_000, "batch_size": 128, "learn_every": 64,
        "rl_learning_rate": 0.01, "sl_learning_rate": 0.01, "optimizer_str": "sgd", "loss_str": "mse",
        "update_target_network_every": 19_200, "discount_factor": 1.0, "epsilon_decay_duration": 20_000_000,
        "epsilon_start": 0.06, "epsilon_end": 0.001,
    }  # fmt: skip
    learners = [nfsp.NFSP(seat, size, actions, **settings) for seat in range(2)]

    def burst() -> int:
        decisions = 0
        for _ in range(DEALS):
            moment = env.reset()
            while not moment.last():
                chosen = learners[moment.observations["current_player"]].step(moment)
                moment = env.step([chosen.action])
                decisions += 1
            for learner in learners:
                learner.step(moment)
        return decisions

    return burst


def tianshou_dqn() -> Burst:
    """Train Tianshou's DQN at one seat of PettingZoo's tic-tac-toe, a random player at the other."""
    import torch

    dqn, players = import_module("tianshou.algorithm.modelfree.dqn"), import_module("tianshou.algorithm.random")
    holds, tables = import_module("tianshou.data"), import_module("tianshou.env")
    marl, optim = import_module("tianshou.algorithm.multiagent.marl"), import_module("tianshou.algorithm.optim")
    common, steps = import_module("tianshou.utils.net.common"), import_module("tianshou.utils.torch_utils")
    tictactoe = import_module("pettingzoo.classic.tictactoe_v3")
    torch.manual_seed(SEED)
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns at every collection
    made = [0]

    def make() -> Any:
        env = tables.PettingZooEnv(tictactoe.env())
        step = env.step

        def counted(action: Any) -> Any:
            made[0] += env.env.agent_selection == env.agents[1]
            return step(action)

        env.step = counted
        return env

    one, many = make(), tables.DummyVectorEnv([make for _ in range(TABLES)])
    many.seed(SEED)
    size, actions = one.observation_space["observation"].shape, one.action_space
    policy = dqn.DiscreteQLearningPolicy(
        model=common.Net(state_shape=size, action_shape=actions.n, hidden_sizes=[128] * 4),
        action_space=actions, observation_space=one.observation_space, eps_training=0.1,
    )  # fmt: skip
    learner = dqn.DQN(
        policy=policy, optim=optim.AdamOptimizerFactory(lr=1e-4), gamma=0.9, n_step_return_horizon=3,
        target_update_freq=320,
    )  # fmt: skip
    other = players.MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=actions)
    both = marl.MultiAgentOffPolicyAlgorithm(algorithms=[other, learner], env=one)
    buffer = holds.VectorReplayBuffer(20_000, TABLES)
    collector = holds.Collector(both, many, buffer, exploration_noise=True)
    collector.reset()
    with steps.policy_within_training_step(both.policy):
        collector.collect(n_step=BATCH * TABLES)

    def burst() -> int:
        before = made[0]
        for _ in range(DEALS):
            with steps.policy_within_training_step(both.policy):
                collector.collect(n_step=TABLES)
                with steps.torch_train_mode(both.policy):
                    both.update(buffer, BATCH)
        return made[0] - before

    return burst


def pettingzoo_ppo(steps: int = 2048) -> Burst:
    """Train MaskablePPO on connect four, all seats, by PettingZoo's tutorial for Stable-Baselines3."""
    learn = tutorial_training(steps)

    def burst() -> int:
        learn()
        return steps

    return burst


class OneLearner(gymnasium.Env[np.ndarray, int]):
    """An AEC environment for Stable-Baselines3, as in PettingZoo's tutorial: the learner plays every seat."""

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


TUTORIALS = (
    Tutorial("RLCard's DQN, Leduc hold'em", "dqn", rlcard_dqn),
    Tutorial("Tianshou's DQN, tic-tac-toe", "dqn", tianshou_dqn, 1_000),
    Tutorial("RLCard's NFSP, Leduc hold'em", "nfsp", rlcard_nfsp),
    Tutorial("OpenSpiel's NFSP, Leduc poker", "nfsp", open_spiel_nfsp),
    Tutorial("PettingZoo's MaskablePPO, connect four", "ppo_selfplay", pettingzoo_ppo, 2_048),
)


def ours(game: str, name: str, folder: Path) -> Burst:
    """Train our algorithm `name` in `game` with the settings of the benchmark; a burst is one update."""
    fixed = {"game": game, "steps": MANY_STEPS, "threads": 1, "evaluate_against": ["random"]}
    config = from_dict(read(benchmark.path(name)) | fixed)
    training = resolved(find(config.algorithm).loop)(config, folder, None, None)

    def burst() -> int:
        before: int = training.steps
        training.update()
        return int(training.steps) - before

    return burst


def warmed(burst: Burst, decisions: int = WARM_UP) -> Burst:
    """Train `burst` for that many decisions; return it."""
    while decisions > 0:
        decisions -= burst()
    return burst


def rate(burst: Burst, seconds: float, repeats: bool) -> float:
    """Return the decisions a CPU second of `burst` over that many CPU seconds.

    `repeats` turns on deterministic algorithms of PyTorch, which ours need and the tutorials do not use.
    """
    import torch

    torch.use_deterministic_algorithms(repeats)
    decisions, start = 0, time.process_time()
    while True:
        decisions += burst()
        spent = time.process_time() - start
        if spent >= seconds:
            return decisions / spent


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each tutorial; return the number of missing libraries."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES, help="games of ours (default: %(default)s)")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="CPU seconds of a round (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        for game in given.games:
            envs.load(game)
    except ValueError as error:
        parser.error(str(error))
    import torch

    print(f"commit {commit()}; seed {SEED}; decisions of learners a CPU second, one thread; medians of rounds in turns")
    print("| tutorial | decisions/s | ours | " + " | ".join(f"`{game}` | ratio" for game in given.games) + " |")
    torch.set_num_threads(1)
    missing = 0
    for tutorial in TUTORIALS:
        try:
            row = _row(tutorial, given.games, given.seconds)
        except ImportError as error:
            row = [f"not installed: {error}"]
            missing += 1
        print(" | ".join([f"| {tutorial.title}", *row]), "|", flush=True)
    return missing


def _row(tutorial: Tutorial, games: Sequence[str], seconds: float) -> list[str]:
    """Measure `tutorial` and our algorithm in `games`, alternating; return the rest of its row."""
    theirs = warmed(tutorial.make(), tutorial.warm_up)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in games]
        mine = [warmed(ours(game, tutorial.kind, folder)) for game, folder in zip(games, folders, strict=True)]
        rates = alternate(*(partial(rate, burst, seconds, burst is not theirs) for burst in (theirs, *mine)))
    return [f"{median(rates[0]):,.0f}", f"`{tutorial.kind}`", *_beside(rates)]


def _beside(rates: list[list[float]]) -> list[str]:
    """Return the median rate and the median ratio to theirs for each of ours."""
    theirs, *mine = rates
    found = []
    for one in mine:
        ratio = median(here / there for here, there in zip(one, theirs, strict=True))
        found.append(f"{median(one):,.0f} | {ratio:.1f}")
    return found


if __name__ == "__main__":
    raise SystemExit(main())
