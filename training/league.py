"""A small league: now and then an exploiter is trained against the learner as it is, and joins its opponents.

A learner that meets itself alone may be sure of what nobody has tried against it. An exploiter (Vinyals et al. 2019)
begins as the learner, is trained against nothing but the learner, and then sits in the pool among the snapshots, met
the more often the more it wins. What it wins of the learner on deals held out is a lower bound of how exploitable the
learner was then, and is kept in the run's record: `exploiters`. All of it follows from the run's seed, so that a run
that was stopped comes to the same exploiters.
"""

import dataclasses
import shutil
from typing import Any

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seed_of
from sobremesa.training.config import SNAPSHOTS, ConfigError, SelfPlayConfig, played_setups
from sobremesa.training.exploit import Exploit, measure
from sobremesa.training.policy import PolicyAgent, PolicyNet

FOLDER = "league"  # in the run's, where an exploiter's own opponent lies while it is trained
SEED = "league"  # what an exploiter's seed is of


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


def train_exploiter(training: Any) -> PolicyNet:
    """Return a policy that was trained against the learner of `training`, a run of ppo_selfplay, as it is now.

    Raises KeyboardInterrupt, with the run as it was, once it is asked to stop.
    """
    config, learner, steps = training.config, training.learner, training.steps
    folder = training.folder / FOLDER / f"{steps:012}"
    folder.mkdir(parents=True, exist_ok=True)
    against = _against(config, seed_of(SEED, config.seed, steps) % 2**31)
    response = type(training)(against, folder, None)
    for mine, theirs in ((response.learner.policy, learner.policy), (response.learner.value, learner.value)):
        mine.load_state_dict(theirs.state_dict())
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
    """Return how an exploiter is trained: as the learner is, but for its opponents and what draws it elsewhere."""
    return dataclasses.replace(
        config, seed=seed, steps=config.league_steps, minutes=0.0, opponents={SNAPSHOTS: 1.0}, snapshots=1, pool_size=1,
        snapshot_every=config.league_steps + 1, league_every=0, magnet=0.0, teacher="", start="", value_first=0,
    )  # fmt: skip
