"""Approximate exploitability of a fixed bot (Timbers et al. 2022), by a trained response or by search.

A response trains only against the bot and is measured on held-out deals. A search that knows the bot's policy needs no
training. The payoff of either is a lower bound: a best response wins at least as much. In a competitive game a seat
that plays as all others do has a mean payoff of 0.

A bot that searches is slow, so that trainings against it are small. A response that was trained against another agent,
such as the one that the search improves, gives a lower bound too.
"""

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.pairings import play_among_copies
from sobremesa.agents.arena.score import PAYOFFS, estimate
from sobremesa.agents.named import check_allowed, is_search
from sobremesa.agents.search.improve import Budget, Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import ArgumentError
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import (
    ConfigError,
    CounterfactualConfig,
    SelfPlayConfig,
    algorithms_with,
    default_for,
    default_of,
    from_dict,
    named_agents,
    played_setups as played_setups,
    read_for,
)
from sobremesa.training.config.keys import require
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.networks.policy import PolicyAgent, PolicyNet, load_weights
from sobremesa.training.runs import run as run
from sobremesa.training.runs.evaluation import PARTS, Progress, check_networks, load_agent, policy_parts
from sobremesa.training.trainer import train

HELD_OUT_SEED = 2_000_003  # training and evaluations use other deals
EVALUATIONS = 8  # in a run, to find the best weights
DEFAULT_STEPS = 2_000_000
UPDATES = 16  # at least, in a training too short for two of the usual size
VALUE_FIRST = 100_000  # decisions at most, or a tenth, that train only the value network, with `start`
# With `start`: more entropy undoes what the bot knows, and frequent updates find more.
STARTED: dict[str, Any] = {"entropy": 0.001, "entropy_last": 0.0003, "tables": 128, "horizon": 32, "gamma": 1.0}
THINKING = {"evaluate_deals": 4}  # of the only evaluation in a training against an agent that searches


ResponseConfig = SelfPlayConfig | CounterfactualConfig


class Exploit(NamedTuple):
    """The payoff of a response at tables of `seats` where a bot plays all other seats."""

    bot: str
    game: str  #: with its version
    seats: int
    steps: int  #: decisions of training; 0 for a search
    seconds: float  #: seconds of training; 0 for a search
    deals: int  #: each in all cyclic seatings
    payoff: float  #: mean payoff of the response
    low: float  #: lower end of the 95 % interval of `payoff` over deals, or nan
    high: float  #: upper end
    by_seat: tuple[float, ...]  #: its mean payoff at each seat
    by: str = "training"  #: "training", or the name of the search

    @property
    def exploits(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low > 0


def recipe_of(game: Game, config: str | None, allow_commands: bool) -> dict[str, Any] | None:
    """Return the keys of the configuration `config`, None without one.

    Raises NotAllowed for an external agent in it without `allow_commands`.
    """
    if config is None:
        if allow_commands:
            raise ArgumentError("{allow_commands} needs {config}", allow_commands=None, config=None)
        return None
    recipe = read_for(game.name, config)
    if not allow_commands:
        check_allowed(named_agents(from_dict(recipe)) if recipe else [], config)
    return recipe


def response_config(
    game: Game, spec: str, changes: dict[str, Any], recipe: dict[str, Any] | None = None
) -> ResponseConfig:
    """Return the configuration of a response to the agent `spec`; raise ConfigError if it is invalid.

    Args:
        game: the game.
        spec: the agent, the only opponent.
        changes: keys and values that override `recipe`.
        recipe: keys and values of a configuration of ppo_selfplay or counterfactual; by default the game's own, with
            changes for responses. By ppo_selfplay a response with `start` or `advised_by` has no teacher. By
            counterfactual it starts as `spec` unless `changes` name another agent, and sees and chooses as `spec` does.
    """
    _check_competitive(game)
    algorithm = (recipe or {}).get("algorithm", SelfPlayConfig.algorithm)
    if recipe and algorithm == CounterfactualConfig.algorithm:
        return _rollout_config(game, spec, changes, recipe)
    if algorithm != SelfPlayConfig.algorithm:
        allowed = f"{SelfPlayConfig.algorithm} or {CounterfactualConfig.algorithm}"
        raise ConfigError(f"algorithm={algorithm!r} is not allowed for a response; it takes {allowed}")
    better = (THINKING if is_search(spec) else {}) | (STARTED if changes.get("start") else {})
    usual = default_for(game.name) | better if recipe is None else better | recipe
    begun = {"start": ""} if changes.get("advised_by") else {}
    values = {"steps": DEFAULT_STEPS} | usual | begun | changes | {"algorithm": SelfPlayConfig.algorithm}
    values |= {"opponents": {spec: 1.0}, "evaluate_against": [spec], "league_every": 0}
    if values.get("start"):
        values |= _network_keys(values["start"], game) | {"value_first": min(VALUE_FIRST, values["steps"] // 10)}
    if values.get("advised_by") or values.get("start"):
        values["teacher"] = ""
    config = from_dict(values)
    assert isinstance(config, SelfPlayConfig)
    check_networks(config, game)
    if config.start:
        begin_as(PolicyNet(game, **policy_parts(config)), config.start, config, game)
    config = with_small_updates(config)
    if not config.minutes:
        config.evaluate_every = max(1, config.steps // (1 if is_search(spec) else EVALUATIONS))
    return config


def _rollout_config(game: Game, spec: str, changes: dict[str, Any], recipe: dict[str, Any]) -> CounterfactualConfig:
    """Return the configuration of a response to `spec`, a bot or the advisor, by counterfactual rollouts."""
    begun = "" if "advised_by" in changes or spec == recipe.get("advised_by") else spec
    met = {"rivals": [spec], "past": 1.0, "snapshots": 0, "league_every": 0, "magnet": 0.0, "evaluate_against": [spec]}
    config = from_dict(recipe | {"start": begun} | changes | met | _view_and_choice_keys(spec, game))
    assert isinstance(config, CounterfactualConfig)
    check_networks(config, game)
    for key in ("think_after", "learn_after"):
        value = getattr(config, key)
        require(value < config.steps, key, value, f"less than steps={config.steps}, or the policy never learns")
    if spec != config.advised_by:
        begin_as(PolicyNet(game, **policy_parts(config)), spec, config, game, "bot")
    if config.start:
        begin_as(PolicyNet(game, **policy_parts(config)), config.start, config, game)
    return config


def _view_and_choice_keys(spec: str, game: Game) -> dict[str, Any]:
    """Return the keys for canonical views and choice of `spec`: all policies of a pool have the same."""
    manifest = getattr(agents.load(spec, game), "manifest", {})
    made = manifest.get("config")
    seen = {"facing": made.get("facing", default_of("facing"))} if isinstance(made, dict) else {}
    if manifest.get("choice") == "sample":
        return seen | {"choice": "sample"}
    return seen | {"choice": "greedy", "entropy": 0.0, "entropy_last": 0.0}


def _network_keys(spec: str, game: Game) -> dict[str, Any]:
    """Return the network keys of the bot `spec`, with defaults for missing ones."""
    made = getattr(load_agent("start", spec, game), "manifest", {}).get("config")
    said = made if isinstance(made, dict) else {}
    return {
        name: said.get(name, default_of(name)) for name in PARTS if SelfPlayConfig.algorithm in algorithms_with(name)
    }


def with_small_updates(config: SelfPlayConfig) -> SelfPlayConfig:
    """Return `config` with updates small enough for its steps."""
    tables, horizon = config.tables, config.horizon
    if config.steps >= 2 * tables * horizon:
        return config
    while tables * horizon * UPDATES > config.steps and tables * horizon > 2:  # the minimum of a gradient step
        tables, horizon = (tables // 2, horizon) if tables > horizon or horizon == 1 else (tables, horizon // 2)
    batch_size = min(config.batch_size, tables * horizon)
    return dataclasses.replace(config, tables=tables, horizon=horizon, batch_size=batch_size)


def exploit(
    config: ResponseConfig,
    game: Game,
    spec: str,
    folder: Path,
    deals: int,
    progress: Progress | None = None,
    *,
    greedy: bool = False,
    allow_commands: bool = False,
) -> list[Exploit]:
    """Train a response in a new `folder`, and measure its payoff against `spec` at each number of seats.

    The response samples from its policy, or takes the likeliest actions if `greedy`. On Ctrl-C it is measured as it is
    then. External agents in `config` other than `spec` start only with `allow_commands`. Raises ConfigError, RunError
    or NotAllowed, as `train` does.

    Args:
        config: as `response_config` returns it.
        game: the game.
        spec: the bot.
        folder: of the training run.
        deals: held-out deals at each number of seats, each in all seatings.
        progress: as in `train`.
        greedy: whether the response is greedy.
        allow_commands: whether external agents in `config` may start.
    """
    if not allow_commands:
        check_allowed([name for name in named_agents(config) if name != spec], "the configuration")
    bot = agents.load(spec, game)
    record = train(config, folder, progress, allow_commands=True)  # the caller named `spec`
    enough = record["steps"] or record["status"] != "finished"
    require(enough, "steps", config.steps, "at least the decisions of one deal")
    net = PolicyNet(game, **policy_parts(config))
    load_weights(run.checkpoint(folder, "best" if record["best"] else "last"), net)
    response = PolicyAgent("response", net)
    response.greedy = greedy
    return [measure(game, response, bot, record, deals, setup) for setup in played_setups(config, game)]


def think(game: Game, spec: str, setups: list[dict[str, Any]], deals: int, worlds: int) -> list[Exploit]:
    """Measure the payoff of a search against the agent `spec` in each of `setups`, with `worlds` at each decision.

    The search improves on the bot by rollouts (agents/search/improve.py). A bot that searches is rolled out by its own
    rollout agent. Raises ConfigError in a cooperative game.
    """
    _check_competitive(game)
    bot = agents.load(spec, game)
    plays_on = bot.rollout if isinstance(bot, Improve | Ismcts) else bot
    name = f"search({bot.name}, worlds={worlds}, rollout={plays_on.name})"
    response = Improve(name, game, bot, plays_on, Budget(worlds))
    nothing_learnt = {"steps": 0, "seconds": 0.0}
    found = (measure(game, response, bot, nothing_learnt, deals, setup) for setup in setups)
    return [one._replace(by=response.name) for one in found]


def _check_competitive(game: Game) -> None:
    if game.cooperative:
        raise ConfigError(f"{game.name} is cooperative; choose a competitive game")


def measure(
    game: Game, response: Agent, bot: Agent, record: dict[str, Any], deals: int, setup: dict[str, Any]
) -> Exploit:
    """Play `response` at one seat against `bot` at all others, over held-out deals."""
    seats = int(setup["seats"])
    rows = play_among_copies(game, response, bot, deals, seed=HELD_OUT_SEED, **setup)
    mine = rows.seating == 0
    payoffs = (rows.payoffs * mine).sum(1).astype(float)
    by_deal = payoffs.reshape(-1, seats).mean(1)
    payoff, low, high = estimate(by_deal, PAYOFFS)
    return Exploit(
        bot=bot.name,
        game=game.id,
        seats=seats,
        steps=record["steps"],
        seconds=record["seconds"],
        deals=deals,
        payoff=payoff,
        low=low,
        high=high,
        by_seat=tuple(float(np.mean(payoffs[mine[:, seat]])) for seat in range(seats)),
    )
