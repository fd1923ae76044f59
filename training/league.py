"""A small league: now and then an exploiter is trained against the learner as it is, and joins its opponents.

A learner that meets itself alone may be sure of what nobody has tried against it. An exploiter (Vinyals et al. 2019) is
trained against nothing but the learner, and then sits in the pool among the snapshots. In counterfactual it begins as
the learner, is trained in the same way, and stays. In ppo_selfplay it is trained as `exploit` trains the response to a
bot, and met the more often the more it wins; by turns it begins as the learner, and as the rival: an exploiter that
goes on from where it was left, at first as the agent that advises, which plays in its own way and grows up beside the
learner. What an exploiter wins of the learner on deals held out is a lower bound of how exploitable the learner was
then, and is kept in the run's record: `exploiters`. All of it follows from the run's seed, so that a run that was
stopped comes to the same exploiters.
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
from sobremesa.training.responses import STARTED, measure, small_enough
from sobremesa.training.runs.evaluation import policy_parts

FOLDER = "league"  # in the run's, where an exploiter's own opponent lies while it is trained
SEED = "league"  # what an exploiter's seed is of
LEARNING = ("batch_size", "epochs", "learning_rate", "clip")  # as in the game's own configuration, for exploiters too


def check_league(config: Any, game: Game, meets: bool, how: str) -> None:
    """Raise ConfigError where exploiters are asked for and have nothing to win, or unless the learner `meets` them."""
    if config.league_every and not meets:
        raise ConfigError(f"league_every={config.league_every} is not allowed unless {how}")
    if config.league_every and game.cooperative:
        raise ConfigError(
            f"league_every={config.league_every} is not allowed; nothing is won from anybody in {game.name}"
        )


def first_rival(config: SelfPlayConfig, game: Game, learner: PolicyNet) -> PolicyNet:
    """Return the rival of a run that begins with `learner`: as the agent that advises, or as the learner if none does.

    The network of an advised policy that has learnt nothing plays as the agent does.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        rival = PolicyNet(game, **policy_parts(config)).requires_grad_(False)
    if rival.advisor is None:
        rival.load_state_dict(learner.state_dict())
    return rival


def train_exploiter(training: Any, begins: PolicyNet) -> PolicyNet:
    """Return a policy that began as `begins` and was trained against the learner of `training`, a run of ppo_selfplay.

    Raises KeyboardInterrupt, with the run as it was, once it is asked to stop.
    """
    learner = training.learner

    def begin(response: Any) -> None:
        response.learner.policy.load_state_dict(begins.state_dict())
        response.learner.value.load_state_dict(learner.value.state_dict())
        response.pool.add(response.folder, 0, learner.policy, response.rng)

    policy: PolicyNet = trained_response(training, _against(training.config, exploiter_seed(training)), begin).learned
    return policy


def exploiter_seed(training: Any) -> int:
    """Return the seed of the exploiter that is trained now."""
    return int(seed_of(SEED, training.config.seed, training.steps) % 2**31)


def trained_response(training: Any, config: Any, begin: Callable[[Any], None]) -> Any:
    """Return a run beside `training`, by `config`, after its last update, whose folder is gone; `begin` prepares it.

    Raises KeyboardInterrupt, with `training` as it was, once that is asked to stop.
    """
    folder = training.folder / FOLDER / f"{training.steps:012}"
    folder.mkdir(parents=True, exist_ok=True)
    response = type(training)(config, folder, None)
    begin(response)
    try:
        while not response.over:
            if training.stopping:  # it is trained anew when the run goes on
                raise KeyboardInterrupt
            response.update()
    finally:
        shutil.rmtree(training.folder / FOLDER)
    return response


def tell_exploiter(training: Any, exploiter: PolicyNet, **more: Any) -> None:
    """Measure what `exploiter` wins from the learner of `training` on deals held out, at each number of seats.

    It is kept in the run's record, with `more`, and written for TensorBoard.
    """
    config, game = training.config, training.game
    response, learner = exploiter.agent("exploiter"), training.learned.agent("learner")
    spent = {"steps": config.league_steps, "seconds": 0.0}
    won = [
        measure(game, response, learner, spent, config.evaluate_deals, setup) for setup in played_setups(config, game)
    ]
    for found in won:
        training.writer.add_scalar(f"exploiters/payoff at {found.seats}", found.payoff, training.steps)
        told = {"at": training.steps, **more, **for_json(found._asdict())}
        del told["seconds"], told["bot"]
        training.ledger.record.setdefault("exploiters", []).append(told)


def _against(config: SelfPlayConfig, seed: int) -> SelfPlayConfig:
    """Return how an exploiter is trained: as the run is, but at the rates of a response that begins as a bot."""
    usual = default_for(config.game)
    learning = {name: usual.get(name, default_of(name)) for name in LEARNING}
    return small_enough(dataclasses.replace(
        config, **learning, **STARTED, seed=seed, steps=config.league_steps, minutes=0.0, opponents={SNAPSHOTS: 1.0},
        snapshots=1, pool_size=1, snapshot_every=config.league_steps + 1, league_every=0, magnet=0.0, teacher="",
        start="", value_first=0,
    ))  # fmt: skip
