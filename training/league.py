"""A small league: now and then an exploiter is trained against the learner as it is, and joins its opponents.

A learner that meets itself alone may be sure of what nobody has tried against it. An exploiter (Vinyals et al. 2019) is
trained against nothing but the learner, as `exploit` trains the response to a bot, and then sits in the pool among the
snapshots, met the more often the more it wins. By turns it begins as the learner, and as the rival: an exploiter that
goes on from where it was left, at first as the agent that advises, which plays in its own way and grows up beside the
learner. What an exploiter wins of the learner on deals held out is a lower bound of how exploitable the learner was
then, and is kept in the run's record: `exploiters`. All of it follows from the run's seed, so that a run that was
stopped comes to the same exploiters.
"""

import dataclasses
import shutil
from typing import Any

import torch

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seed_of
from sobremesa.training.config import SNAPSHOTS, ConfigError, SelfPlayConfig, default_for, default_of, played_setups
from sobremesa.training.evaluation import policy_parts
from sobremesa.training.exploit import STARTED, Exploit, measure, small_enough
from sobremesa.training.policy import PolicyAgent, PolicyNet

FOLDER = "league"  # in the run's, where an exploiter's own opponent lies while it is trained
SEED = "league"  # what an exploiter's seed is of
LEARNING = ("batch_size", "epochs", "learning_rate", "clip")  # as in the game's own configuration, for exploiters too


def check_league(config: SelfPlayConfig, game: Game) -> None:
    """Raise ConfigError where exploiters are asked for and could not be met, or have nothing to win."""
    if config.league_every and not config.opponents.get(SNAPSHOTS):
        raise ConfigError(
            f"league_every={config.league_every} is not allowed unless `{SNAPSHOTS}` are among the opponents"
        )
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
    config, learner, steps = training.config, training.learner, training.steps
    folder = training.folder / FOLDER / f"{steps:012}"
    folder.mkdir(parents=True, exist_ok=True)
    response = type(training)(_against(config, seed_of(SEED, config.seed, steps) % 2**31), folder, None)
    response.learner.policy.load_state_dict(begins.state_dict())
    response.learner.value.load_state_dict(learner.value.state_dict())
    response.pool.add(folder, 0, learner.policy, response.rng)
    try:
        while not response.over:
            if training.stopping:  # it is trained anew when the run goes on
                raise KeyboardInterrupt
            response.update()
    finally:
        shutil.rmtree(training.folder / FOLDER)
    policy: PolicyNet = response.learner.policy
    return policy


def won_from(training: Any, exploiter: PolicyNet) -> list[Exploit]:
    """Return what `exploiter` wins from the learner of `training` at each number of seats, on deals held out."""
    config, game = training.config, training.game
    response, learner = PolicyAgent("exploiter", exploiter), PolicyAgent("learner", training.learner.policy)
    spent = {"steps": config.league_steps, "seconds": 0.0}
    return [
        measure(game, response, learner, spent, config.evaluate_deals, setup) for setup in played_setups(config, game)
    ]


def _against(config: SelfPlayConfig, seed: int) -> SelfPlayConfig:
    """Return how an exploiter is trained: as the run is, but at the rates of a response that begins as a bot."""
    usual = default_for(config.game)
    learning = {name: usual.get(name, default_of(name)) for name in LEARNING}
    return small_enough(dataclasses.replace(
        config, **learning, **STARTED, seed=seed, steps=config.league_steps, minutes=0.0, opponents={SNAPSHOTS: 1.0},
        snapshots=1, pool_size=1, snapshot_every=config.league_steps + 1, league_every=0, magnet=0.0, teacher="",
        start="", value_first=0,
    ))  # fmt: skip
