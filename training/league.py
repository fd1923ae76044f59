"""A small league: exploiters of the learner, which join its opponents (Vinyals et al. 2019).

An exploiter trains only against the current learner, then plays in the pool among the snapshots. In counterfactual it
starts as the learner, trains in the same way, and stays. In ppo_selfplay it trains as `exploit` trains a response, and
is met more often the more it wins; every second exploiter is the rival, which continues from its own last weights (at
first the scripted advisor). The record (`exploiters`) has the payoff of each on held-out deals, a lower bound of the
learner's exploitability. A resumed run trains the same exploiters.
"""

import dataclasses
import shutil
from collections.abc import Callable
from typing import Any

import torch

from sobremesa.agents.arena.score import for_json
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seed_of
from sobremesa.training.config.classes import (
    SNAPSHOTS,
    ConfigError,
    SelfPlayConfig,
    default_for,
    default_of,
    played_setups,
)
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.responses import STARTED, measure, with_small_updates
from sobremesa.training.runs.evaluation import policy_parts

FOLDER = "league"  # in the run's folder, for an exploiter in training
SEED = "league"  # stream of the exploiters' seeds
# Keys of the game's own configuration that exploiters use; on a GPU, where batches are larger, those of the run.
LEARNING = ("batch_size", "epochs", "learning_rate", "clip")


def check_league(config: Any, game: Game, meets: bool, how: str) -> None:
    """Raise ConfigError for exploiters in a cooperative game, or unless the learner `meets` them."""
    if config.league_every and not meets:
        raise ConfigError(f"league_every={config.league_every} is not allowed unless {how}")
    if config.league_every and game.cooperative:
        raise ConfigError(f"league_every={config.league_every} is not allowed; {game.name} is cooperative")


def first_rival(config: SelfPlayConfig, game: Game, learner: PolicyNet) -> PolicyNet:
    """Return the first rival of a run: an untrained residual policy, or a copy of `learner` without an advisor."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        rival = PolicyNet(game, **policy_parts(config)).requires_grad_(False)
    if rival.advisor is None:
        rival.load_state_dict(learner.state_dict())
    return rival


def train_exploiter(training: Any, begins: PolicyNet) -> PolicyNet:
    """Train a policy from `begins` against the learner of `training`, a run of ppo_selfplay, and return it.

    Raises KeyboardInterrupt, with the run unchanged, on a request to stop.
    """
    learner = training.learner

    def begin(response: Any) -> None:
        response.learner.policy.load_state_dict(begins.state_dict())
        response.learner.value.load_state_dict(learner.value.state_dict())
        response.add_to_pool(learner.policy)

    response = trained_response(training, _against(training.config, exploiter_seed(training)), begin)
    policy: PolicyNet = response.learned
    return policy


def exploiter_seed(training: Any) -> int:
    """Return the seed of the exploiter at this point of the run."""
    return int(seed_of(SEED, training.config.seed, training.steps) % 2**31)


def trained_response(training: Any, config: Any, begin: Callable[[Any], None]) -> Any:
    """Train a run by `config` next to `training`, after `begin(run)`, and return it; its folder is deleted.

    Raises KeyboardInterrupt, with `training` unchanged, on a request to stop.
    """
    folder = training.folder / FOLDER / f"{training.steps:012}"
    folder.mkdir(parents=True, exist_ok=True)
    response = type(training)(config, folder, None)
    begin(response)
    try:
        while not response.over:
            if training.asked_to_stop():  # the resumed run trains it again
                raise KeyboardInterrupt
            response.update()
    finally:
        shutil.rmtree(training.folder / FOLDER)
    return response


def record_exploiter(training: Any, exploiter: PolicyNet, **more: Any) -> None:
    """Measure the payoff of `exploiter` against the learner of `training` on held-out deals, at each number of seats.

    The result goes to the run's record, with `more`, and to TensorBoard.
    """
    config, game = training.config, training.game
    response, learner = exploiter.agent("exploiter"), training.learned.agent("learner")
    spent = {"steps": config.league_steps, "seconds": 0.0}
    won = [
        measure(game, response, learner, spent, config.evaluate_deals, setup) for setup in played_setups(config, game)
    ]
    for found in won:
        training.writer.add_scalar(f"exploiters/payoff at {found.seats}", found.payoff, training.steps)
        entry = {"at": training.steps, **more, **for_json(found._asdict())}
        del entry["seconds"], entry["bot"]
        training.ledger.record.setdefault("exploiters", []).append(entry)


def _against(config: SelfPlayConfig, seed: int) -> SelfPlayConfig:
    """Return the configuration of an exploiter: the run's, with the learning rates of a response."""
    usual, learning = default_for(config.game), dict[str, Any]()
    if config.device == "cpu":
        learning = {name: usual.get(name, default_of(name)) for name in LEARNING} | STARTED
    return with_small_updates(dataclasses.replace(
        config, **learning, seed=seed, steps=config.league_steps, minutes=0.0, opponents={SNAPSHOTS: 1.0},
        snapshots=1, pool_size=1, snapshot_every=config.league_steps + 1, league_every=0, magnet=0.0, teacher="",
        start="", value_first=0,
    ))  # fmt: skip
