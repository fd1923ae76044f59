"""How much can be won against a bot that is fixed and known: train against nothing else, and measure on other deals.

Or think ahead against it (Timbers et al. 2022, "Approximate exploitability"): a search that knows the bot's policy, and
of the deal what its seat may know, needs no training. What either wins is a lower bound of how exploitable the bot is:
a best response wins at least as much. In a competitive game a seat that plays as all others do is paid nothing on
average, so what is won is won from mistakes.

A bot that thinks ahead takes long for a decision, so that a training against it has to be small. A response that
was trained against another agent, such as the one that the search asks, bounds it from below as well: what counts is
what it wins from the bot.
"""

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.pairings import among_copies
from sobremesa.agents.arena.score import PAYOFFS, estimate
from sobremesa.agents.named import check_allowed
from sobremesa.agents.search.improve import Budget, Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.agents.search.spec import is_search
from sobremesa.envs.core.agent import Agent
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
    played_setups,
)
from sobremesa.training.config.keys import require
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.networks.policy import PolicyAgent, PolicyNet, load_weights
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import PARTS, Progress, check_networks, load_agent, policy_parts
from sobremesa.training.trainer import train

HELD_OUT_SEED = 2_000_003  # deals to measure on are none that were trained or chosen on
EVALUATIONS = 8  # in a run, to keep the weights that do best
DEFAULT_STEPS = 2_000_000
UPDATES = 16  # that a training has at least which is too short for two of the usual size
VALUE_FIRST = 100_000  # decisions at most, or a tenth, for the value network alone where the policy begins as a bot
# There: more entropy undoes what the bot knows, and frequent updates find more.
STARTED: dict[str, Any] = {"entropy": 0.001, "entropy_last": 0.0003, "tables": 128, "horizon": 32, "gamma": 1.0}
THINKING = {"evaluate_deals": 4}  # of the one evaluation of a training against an agent that thinks ahead


class Exploit(NamedTuple):
    """What a response wins from a bot at tables of `seats`, of which the bot holds all others."""

    bot: str
    game: str  # with its version
    seats: int
    steps: int  # decisions that it was trained on
    seconds: float
    deals: int  # each in all cyclic seatings
    payoff: float  # mean of the response
    low: float  # ends of the 95 % interval over deals; nan where there is none
    high: float
    by_seat: tuple[float, ...]  # its mean payoff at each seat
    by: str = "training"  # or the name of the search

    @property
    def exploits(self) -> bool:
        """Whether it surely wins from the bot."""
        return self.low > 0


def response_config(
    game: Game, spec: str, changes: dict[str, Any], recipe: dict[str, Any] | None = None
) -> SelfPlayConfig | CounterfactualConfig:
    """Return how to train against the agent `spec`, which is all that it meets; raise ConfigError if that is bad.

    Args:
        game: what is played.
        spec: an agent.
        changes: keys and values in place of those of `recipe`.
        recipe: those of a configuration of ppo_selfplay or counterfactual; by default those that the game is trained by
            otherwise, but for what a response is better trained by. By ppo_selfplay a policy that begins as the agent
            that advises it, or as a bot, has no teacher; by counterfactual it begins as `spec` unless `changes` name
            another agent to begin as, and both see and choose as `spec` does, a scripted one as it advises.
    """
    _check_competitive(game)
    algorithm = (recipe or {}).get("algorithm", SelfPlayConfig.algorithm)
    if recipe and algorithm == CounterfactualConfig.algorithm:
        return _by_rollouts(game, spec, changes, recipe)
    if algorithm != SelfPlayConfig.algorithm:
        told = f"{SelfPlayConfig.algorithm} or {CounterfactualConfig.algorithm}"
        raise ConfigError(f"algorithm={algorithm!r} is not allowed where a bot is exploited; it takes {told}")
    better = (THINKING if is_search(spec) else {}) | (STARTED if changes.get("start") else {})
    usual = default_for(game.name) | better if recipe is None else better | recipe
    begun = {"start": ""} if changes.get("advised_by") else {}
    values = {"steps": DEFAULT_STEPS} | usual | begun | changes | {"algorithm": SelfPlayConfig.algorithm}
    values |= {"opponents": {spec: 1.0}, "evaluate_against": [spec], "league_every": 0}
    if values.get("start"):
        values |= _like(values["start"], game) | {"value_first": min(VALUE_FIRST, values["steps"] // 10)}
    if values.get("advised_by") or values.get("start"):
        values["teacher"] = ""
    config = from_dict(values)
    assert isinstance(config, SelfPlayConfig)
    check_networks(config, game)
    if config.start:
        begin_as(PolicyNet(game, **policy_parts(config)), config.start, config, game)
    config = small_enough(config)
    if not config.minutes:
        config.evaluate_every = max(1, config.steps // (1 if is_search(spec) else EVALUATIONS))
    return config


def _by_rollouts(game: Game, spec: str, changes: dict[str, Any], recipe: dict[str, Any]) -> CounterfactualConfig:
    """Return how to train against `spec`, a bot or the agent that advises, by counterfactual rollouts."""
    begun = "" if "advised_by" in changes or spec == recipe.get("advised_by") else spec
    met = {"rivals": [spec], "past": 1.0, "snapshots": 0, "league_every": 0, "magnet": 0.0, "evaluate_against": [spec]}
    config = from_dict(recipe | {"start": begun} | changes | met | _seen_and_done(spec, game))
    assert isinstance(config, CounterfactualConfig)
    check_networks(config, game)
    for key in ("think_after", "learn_after"):
        value = getattr(config, key)
        require(value < config.steps, key, value, f"less than steps={config.steps}: else no policy is learnt")
    if spec != config.advised_by:
        begin_as(PolicyNet(game, **policy_parts(config)), spec, config, game, "bot")
    if config.start:
        begin_as(PolicyNet(game, **policy_parts(config)), config.start, config, game)
    return config


def _seen_and_done(spec: str, game: Game) -> dict[str, Any]:
    """Return how `spec` sees its views and chooses, as keys: in a pool all do so alike."""
    manifest = getattr(agents.load(spec, game), "manifest", {})
    made = manifest.get("config")
    seen = {"facing": made.get("facing", default_of("facing"))} if isinstance(made, dict) else {}
    if manifest.get("choice") == "sample":
        return seen | {"choice": "sample"}
    return seen | {"choice": "greedy", "entropy": 0.0, "entropy_last": 0.0}


def _like(spec: str, game: Game) -> dict[str, Any]:
    """Return the network of the bot `spec`, as keys; what it does not say is as usual, or it is no bot to begin as."""
    made = getattr(load_agent("start", spec, game), "manifest", {}).get("config")
    said = made if isinstance(made, dict) else {}
    return {
        name: said.get(name, default_of(name)) for name in PARTS if SelfPlayConfig.algorithm in algorithms_with(name)
    }


def small_enough(config: SelfPlayConfig) -> SelfPlayConfig:
    """Return `config` with updates that are small enough for its steps."""
    tables, horizon = config.tables, config.horizon
    if config.steps >= 2 * tables * horizon:
        return config
    while tables * horizon * UPDATES > config.steps and tables * horizon > 2:  # the least that a gradient step takes
        tables, horizon = (tables // 2, horizon) if tables > horizon or horizon == 1 else (tables, horizon // 2)
    batch_size = min(config.batch_size, tables * horizon)
    return dataclasses.replace(config, tables=tables, horizon=horizon, batch_size=batch_size)


def exploit(
    config: SelfPlayConfig | CounterfactualConfig,
    game: Game,
    spec: str,
    folder: Path,
    deals: int,
    progress: Progress | None = None,
    *,
    greedy: bool = False,
    allow_commands: bool = False,
) -> list[Exploit]:
    """Train as `response_config` says in a new `folder`, and measure what that wins from `spec` at each number of seats.

    It is measured while it draws from its policy, or where it is `greedy` by its likeliest actions. Interrupted by
    Ctrl-C, it measures what was learnt by then. External agents that `config` names beside `spec` are started only if
    `allow_commands` is true. Raises ConfigError, RunError or NotAllowed, as `train` does.
    """
    if not allow_commands:
        check_allowed([name for name in named_agents(config) if name != spec], "the configuration")
    bot = agents.load(spec, game)
    record = train(config, folder, progress, allow_commands=True)  # the caller named `spec`
    enough = record["steps"] or record["status"] != "finished"
    require(enough, "steps", config.steps, "as many decisions as a deal takes at least, and these are none")
    net = PolicyNet(game, **policy_parts(config))
    load_weights(run.checkpoint(folder, "best" if record["best"] else "last"), net)
    response = PolicyAgent("response", net)
    response.greedy = greedy
    return [measure(game, response, bot, record, deals, setup) for setup in played_setups(config, game)]


def think(game: Game, spec: str, setups: list[dict[str, Any]], deals: int, worlds: int) -> list[Exploit]:
    """Measure what a search wins from the agent `spec` in each of `setups`: it plays as the bot does but for better.

    `worlds` is the budget of each decision (agents/search/improve.py). A bot that thinks ahead is played on in thought
    by whom it takes for that itself: it would never be done otherwise. Raises ConfigError if nothing can be won there.
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
        raise ConfigError(f"{game.name} is cooperative: nothing can be won from a bot there, only with it")


def measure(
    game: Game, response: Agent, bot: Agent, record: dict[str, Any], deals: int, setup: dict[str, Any]
) -> Exploit:
    """Play `response` at one seat against `bot` at all others, over deals held out."""
    seats = int(setup["seats"])
    rows = among_copies(game, response, bot, deals, seed=HELD_OUT_SEED, **setup)
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
