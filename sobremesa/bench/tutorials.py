"""How fast algorithms train beside what other libraries' own tutorials do, in turns in one run.

    python -m sobremesa.bench.tutorials leduc_poker ese_toro_enamorado

What is counted is the learners' decisions a CPU second of playing and learning, without evaluations: of all seats that
learn, none of those where somebody else sits. A tutorial has the settings of its library's own text, and the game that
it has there; ours are configured as in the benchmark, in the games that are named. All have one thread of PyTorch, and
each has learnt for a while before the first round. `make clients CLIENTS=tutorials` makes an environment with the other
libraries, and runs it there.
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

from sobremesa import envs
from sobremesa.arguments import seconds
from sobremesa.bench.peers import SEED, Burst, tutorial_training
from sobremesa.bench.speed import in_turns
from sobremesa.commit import commit
from sobremesa.configs import benchmark
from sobremesa.training.config.classes import from_dict, read
from sobremesa.training.config.registry import find, resolved

WARM_UP = 20_000  # decisions before the first round: buffers hold enough to learn from by then, OpenSpiel's the last
MANY_STEPS = 10**12  # more than are measured
DEALS = 20  # of a burst
TABLES, BATCH = 10, 64  # of Tianshou's tutorial: a gradient step whenever each table has made a move


class Tutorial(NamedTuple):
    """What a library's own text trains, and which of our algorithms is the same kind."""

    title: str
    kind: str
    make: Callable[[], Burst]  # a burst trains for a moment, and returns the learners' decisions in it
    warm_up: int = WARM_UP


def rlcard_dqn() -> Burst:
    """Train RLCard's DQN at one seat of its Leduc hold'em, a random player at the other."""
    rlcard, players = import_module("rlcard"), import_module("rlcard.agents")
    env = rlcard.make("leduc-holdem", config={"seed": SEED})
    learner = players.DQNAgent(num_actions=env.num_actions, state_shape=env.state_shape[0], mlp_layers=[64, 64])
    return _rlcard_burst(env, learner, players)


def rlcard_nfsp() -> Burst:
    """Train RLCard's NFSP in the same way; before each deal it draws by which policy it plays."""
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
        ):  # it tells of each gradient step
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
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns whenever it has collected
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
    """Train by PettingZoo's tutorial for Stable-Baselines3: MaskablePPO makes all decisions of connect four."""
    learn = tutorial_training(steps)

    def burst() -> int:
        learn()
        return steps

    return burst


TUTORIALS = (
    Tutorial("RLCard's DQN, Leduc hold'em", "dqn", rlcard_dqn),
    Tutorial("Tianshou's DQN, tic-tac-toe", "dqn", tianshou_dqn, 1_000),
    Tutorial("RLCard's NFSP, Leduc hold'em", "nfsp", rlcard_nfsp),
    Tutorial("OpenSpiel's NFSP, Leduc poker", "nfsp", open_spiel_nfsp),
    Tutorial("PettingZoo's MaskablePPO, connect four", "ppo_selfplay", pettingzoo_ppo, 2_048),
)


def ours(game: str, name: str, folder: Path) -> Burst:
    """Train by our algorithm `name` in `game` as in the benchmark, an update at a time; nothing else comes between."""
    fixed = {"game": game, "steps": MANY_STEPS, "threads": 1, "evaluate_against": ["random"]}
    config = from_dict(read(benchmark.path(name)) | fixed)
    training = resolved(find(config.algorithm).loop)(config, folder, None, None)

    def burst() -> int:
        before: int = training.steps
        training.update()
        return int(training.steps) - before

    return burst


def warmed(burst: Burst, decisions: int = WARM_UP) -> Burst:
    """Return `burst` once it has trained for so many decisions."""
    while decisions > 0:
        decisions -= burst()
    return burst


def rate(burst: Burst, seconds: float, repeats: bool) -> float:
    """Return the decisions a CPU second of `burst`, called until so many of them have passed.

    With `repeats` PyTorch is to come to the same to the bit each time, which ours ask of it and tutorials do not.
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
    """Print a line for each tutorial; return how many libraries are not there."""
    parser = argparse.ArgumentParser(prog="python -m sobremesa.bench.tutorials", description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="+", metavar="GAME", help="games that ours are trained in")
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
            told = _told(tutorial, given.games, given.seconds)
        except ImportError as error:
            told = [f"not installed: {error}"]
            missing += 1
        print(" | ".join([f"| {tutorial.title}", *told]), "|", flush=True)
    return missing


def _told(tutorial: Tutorial, games: Sequence[str], seconds: float) -> list[str]:
    """Measure `tutorial` and ours of its kind in `games`, in turns; return the rest of its row."""
    theirs = warmed(tutorial.make(), tutorial.warm_up)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in games]
        mine = [warmed(ours(game, tutorial.kind, folder)) for game, folder in zip(games, folders, strict=True)]
        rates = in_turns(*(partial(rate, burst, seconds, burst is not theirs) for burst in (theirs, *mine)))
    return [f"{median(rates[0]):,.0f}", f"`{tutorial.kind}`", *_beside(rates)]


def _beside(rates: list[list[float]]) -> list[str]:
    """Return, of each of ours, the median rate and the median of its ratios to theirs, round by round."""
    theirs, *mine = rates
    found = []
    for one in mine:
        ratio = median(here / there for here, there in zip(one, theirs, strict=True))
        found.append(f"{median(one):,.0f} | {ratio:.1f}")
    return found


if __name__ == "__main__":
    raise SystemExit(main())
