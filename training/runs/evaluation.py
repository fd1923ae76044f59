"""Evaluations and records of runs, and the agents and networks that a configuration names."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.advice import Advisor, advisor
from sobremesa.agents.arena.pairings import Teams, compare_each
from sobremesa.agents.arena.score import Score, for_json
from sobremesa.agents.language.model import LanguageModel
from sobremesa.agents.search.ismcts import keeps_trees
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.training.config.classes import ConfigError, NetworkConfig, TrainConfig, played_setups
from sobremesa.training.config.keys import require
from sobremesa.training.networks.canonical_view import ways_of
from sobremesa.training.networks.pointers import pointing, pointing_grids
from sobremesa.training.networks.policy import Learned, PolicyNet, save_weights
from sobremesa.training.runs import processes, run

Progress = Callable[[int, int, str], None]  # (decisions or seconds so far, total, activity)

Measure = Callable[[int, Agent], list[Score]]  # (decisions so far, learner) to scores

EVALUATION_SEED = 1_000_003  # training uses other deals
PARTS = (  # of a network
    "hidden", "grids", "channels", "pointers", "memory", "roles", "advised_by", "kinds", "apart", "facing",
    "fair_votes",
)  # fmt: skip


def load_game(config: TrainConfig) -> Game:
    """Return the game of `config`; raise ConfigError if it does not exist."""
    try:
        return envs.load(config.game)
    except ValueError as error:
        raise ConfigError(f"game={config.game!r}: {error}") from None


def load_agent(key: str, name: str, game: Game) -> Agent:
    """Return the agent `name`; raise ConfigError naming `key` if it does not exist."""
    try:
        agent = agents.load(name, game)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None
    if isinstance(agent, LanguageModel):
        raise ConfigError(
            f"{key}: {agent.name} is a language model, which is too slow to train with; take another agent"
        )
    if key.startswith("opponents") and keeps_trees(agent):
        raise ConfigError(f"{key}: {agent.name} keeps search trees, which checkpoints do not hold; take search(AGENT)")
    return agent


def advisor_of(config: TrainConfig, game: Game) -> Advisor | None:
    """Return the advisor of the policy, or None; raise ConfigError if the agent cannot advise, or with a teacher."""
    name = getattr(config, "advised_by", "")
    try:
        if name and getattr(config, "teacher", ""):
            raise ValueError("the policy starts as that agent; leave teacher empty")
        return advisor(name, game) if name else None
    except ValueError as error:
        raise ConfigError(f"advised_by={name!r} is not allowed: {error}") from None


def references(config: TrainConfig, game: Game) -> list[Agent]:
    """Return the opponents in evaluations; raise ConfigError for one that does not exist."""
    names = config.evaluate_against or agents.scripted_names(game)
    return [load_agent("evaluate_against", name, game) for name in names]


def setup_per_table(config: TrainConfig) -> dict[str, Any]:
    """Spread lists of values over the tables: with `seats = [2, 3]` every other table has three seats.

    Returns the values of the tables of this process.
    """
    tables = processes.part_of(config.tables)
    return {
        name: [value[table % len(value)] for table in tables] if isinstance(value, list) else value
        for name, value in config.setup.items()
    }


def symmetries_of(config: TrainConfig, game: Game) -> tuple[Symmetry, ...]:
    """Return the symmetries of `game` that apply at all tables of `config`."""
    played = {option.name: option.default for option in game.options} | config.setup

    def holds(name: str, value: Any) -> bool:
        return all(one == value for one in (played[name] if isinstance(played[name], list) else [played[name]]))

    return tuple(one for one in game.symmetries if all(holds(*field) for field in one.setup.items()))


def policy_parts(config: TrainConfig) -> dict[str, Any]:
    """Return the network keys of `config`, as arguments of `PolicyNet`."""
    return {name: getattr(config, name) for name in PARTS if hasattr(config, name)}


def _check_apart(config: NetworkConfig, game: Game) -> None:
    numbers = next((block.size for block in game.layout if block.name == config.roles), 0)
    fine = len(set(config.apart)) == len(config.apart) and max(config.apart, default=-1) < numbers
    allowed = f"different numbers from 0 to {numbers - 1}" if numbers else "none without `roles`"
    require(fine, "apart", config.apart, allowed)


def _check_facing(config: NetworkConfig, game: Game) -> None:
    fits = [block.name for block in game.layout if ways_of(game, block.name)]
    allowed = f'{" or ".join(fits)}, or ""' if fits else f'"" in {game.name}'
    require(config.facing in ["", *fits], "facing", config.facing, allowed)
    wanted = {f"{name}={value!r}" for one in game.symmetries for name, value in one.setup.items()}
    fine = not config.facing or len(symmetries_of(config, game)) == len(game.symmetries)
    require(fine, "facing", config.facing, f'"" at these tables: orientations exist only with {", ".join(wanted)}')


def check_networks(config: NetworkConfig, game: Game) -> None:
    """Raise ConfigError unless the observation blocks that the networks use exist and fit."""
    for key in ("grids", "roles", "kinds", "facing"):
        names = getattr(config, key, "")
        try:
            for name in [names] * bool(names) if isinstance(names, str) else names:
                game.layout.start(name)
        except KeyError as error:
            raise ConfigError(f"{key}: {error.args[0]}") from None
    advisor_of(config, game)
    if getattr(config, "fair_votes", False) and game.fair_votes is None:
        raise ConfigError(f"fair_votes=True is not allowed; {game.name} has no votes: set fair_votes=False")
    if config.pointers and not (pointing(game) or pointing_grids(game, config.grids)):
        raise ConfigError(f"pointers=True is not allowed; {game.name} has no block with actions, nor has `grids`")
    _check_apart(config, game)
    _check_facing(config, game)
    try:
        PolicyNet(game, **policy_parts(config))
    except ValueError as error:
        raise ConfigError(f"grids: {error}") from None


_measure: ContextVar[Measure | None] = ContextVar("measure", default=None)


@contextmanager
def measured_by(measure: Measure) -> Iterator[None]:
    """Within this context runs are evaluated by `measure` instead of `evaluate_against`."""
    token = _measure.set(measure)
    try:
        yield
    finally:
        _measure.reset(token)


class Ledger:
    """The record of a run during training: evaluations, best and last weights."""

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        folder: Path,
        progress: Progress | None = None,
        record: dict[str, Any] | None = None,
    ) -> None:
        self.config, self.game, self.folder = config, game, folder
        self.progress: Progress = progress or (lambda *_: None)
        self.record = run.new_record() if record is None else record
        self._teams: Teams = {}  # results of the opponents' teams
        self._began = time.perf_counter() - self.record["seconds"]

    @property
    def seconds(self) -> float:
        """The run time so far, over all resumed parts."""
        return float(time.perf_counter() - self._began)

    def tell(self, steps: int, doing: str) -> None:
        """Report progress: decisions, or seconds if `minutes` will end the run before `steps`."""
        limit = 60 * getattr(self.config, "minutes", 0.0)
        if limit and self.seconds / limit >= steps / self.config.steps:
            seconds = min(round(self.seconds), round(limit))
            self.progress(seconds, round(limit), f"seconds, {steps:,} decisions, {doing}")
        else:
            self.progress(steps, self.config.steps, doing)

    def evaluate(self, steps: int, net: Learned) -> list[Score]:
        """Evaluate over fixed deals; keep the weights if their mean score is the best so far."""
        self.tell(steps, "evaluating")
        agent, measure = net.agent("learner"), _measure.get()
        scores = measure(steps, agent) if measure else evaluate(self.config, self.game, agent, self._teams)
        mean = float(np.mean([score.value for score in scores]))
        entry = {"steps": steps, "mean_share": mean, "scores": for_json([score._asdict() for score in scores])}
        self.record["evaluations"].append(entry)
        best = self.record["best"]
        if best is None or mean >= best["mean_share"]:
            self.record["best"] = entry
            save_weights(self.folder / "best.safetensors", net)
        return scores

    def evaluated(self, steps: int) -> bool:
        """Return whether the last evaluation was after `steps` decisions."""
        evaluations = self.record["evaluations"]
        return bool(evaluations) and evaluations[-1]["steps"] >= steps

    def save(self, status: str, steps: int, net: Learned | None) -> None:
        """Write the record and the last weights; with None, after an incomplete update, the old weights stay."""
        self.record |= {"status": status, "steps": steps, "seconds": round(self.seconds, 1)}
        if net is not None:
            save_weights(self.folder / "last.safetensors", net)
        write_whole(self.folder / run.RECORD, json.dumps(self.record, indent=1))


def evaluate(
    config: TrainConfig, game: Game, agent: Agent, teams: Teams | None = None, seed: int = EVALUATION_SEED
) -> list[Score]:
    """Score `agent` against each opponent at each number of seats of `config`, on the deals of `seed`.

    `teams` caches the results of the opponents' teams in a cooperative game.
    """
    return [
        score
        for setup in played_setups(config, game)
        for score in compare_each(
            game, agent, references(config, game), config.evaluate_deals, seed=seed, teams=teams, **setup
        )
    ]
