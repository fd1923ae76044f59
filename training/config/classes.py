"""Configurations: a dataclass for each algorithm, whose fields are keys of TOML files and flags of `train`."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from sobremesa import configs
from sobremesa.agents.stored import LARGEST
from sobremesa.envs.core.files import read_file, toml_of
from sobremesa.envs.core.game import Game
from sobremesa.training.config.bases import (
    ALGORITHM,
    DeviceConfig,
    LoopConfig as LoopConfig,
    NetworkConfig as NetworkConfig,
    RolloutConfig,
    TaughtConfig as TaughtConfig,
    TrainConfig as TrainConfig,
    config_classes as config_classes,
)
from sobremesa.training.config.keys import (
    NETWORK,
    OPPONENTS,
    RUN,
    Chance,
    ConfigError as ConfigError,
    Count,
    Part,
    Positive,
    Weight,
    Whole,
    key,
    require,
    shown,
)
from sobremesa.training.config.registry import Algorithm, register

SELF = "self"  # in `opponents`: the current learner, which learns from that seat too
SNAPSHOTS = "snapshots"  # in `opponents`: earlier versions of the learner
REDEAL = "redeal"  # as `belief`
MOST_EXPLOITERS = 1000  # in a run of counterfactual, which keeps all of them
WHY_MASKS = "an algorithm without action masks would choose illegal actions, which are most actions in these games"

_ADVISED = "scripted agent whose choice the networks see; the policy starts as that agent"
_BELIEF = "worlds of the rollouts: `truth`, the deal itself, or `redeal`, determinizations"
_SNAPSHOTS = "snapshots among the opponents at a time"
_SNAPSHOT_EVERY = "decisions between snapshots"
_SHARES = "part of the decisions of each kind to sample, by its number from 0; none: `share` of all kinds"
_ENTROPY = "weight of the entropy bonus at the start"
_ENTROPY_LAST = "weight of the entropy bonus at the end; it changes linearly"
_LEAGUE_EVERY = "decisions between exploiters, which join the snapshots; 0: no exploiters"
_LEAGUE_STEPS = "decisions to train an exploiter on"
_MAGNET = "strength of the pull to the reference policy (magnetic mirror descent); 0: no reference"
_MAGNET_RATE = "part of the way that the reference policy moves to the learner at each update"
_GAMMA = "discount from one decision of a player to the next"
_DEVICE = "where to play and learn: `cpu`, or `cuda` (also `cuda:1` ...) for everything on that GPU"
_EXPLORE = "share of random actions (epsilon) at the start; it falls linearly to 0"


@dataclass
class PPOConfig(TrainConfig):
    """Keys of proximal policy optimisation."""

    opponents: dict[str, Weight] = key(
        {SELF: 0.7, SNAPSHOTS: 0.3},
        "how often each agent plays the other seats; `self`: the learner, `snapshots`: earlier versions of it",
        OPPONENTS,
    )
    snapshots: Whole = key(4, _SNAPSHOTS, OPPONENTS)
    snapshot_every: Count = key(100_000, _SNAPSHOT_EVERY, OPPONENTS)
    horizon: Count = key(64, "decisions per table between updates")
    gamma: Part = key(0.995, _GAMMA)
    gae_lambda: Part = key(0.95, "lambda of generalised advantage estimation")
    clip: Positive = key(0.2, "clip range of the probability ratio")
    entropy: Weight = key(0.01, _ENTROPY)
    entropy_last: Weight = key(0.01, _ENTROPY_LAST)

    def _check(self) -> None:
        super()._check()
        fine = sum(self.opponents.values()) > 0
        require(fine, "opponents", self.opponents, "names with weights from 0, at least one above 0")
        self._need_snapshots(SNAPSHOTS)

    def _need_snapshots(self, name: str) -> None:
        fine = self.snapshots > 0 or not self.opponents.get(name)
        require(fine, "snapshots", self.snapshots, f"1 or more when `{name}` is among the opponents")


@dataclass
class SelfPlayConfig(PPOConfig, TaughtConfig, NetworkConfig, DeviceConfig):
    """PPO with self-play, the default: it learns from every seat of the learner."""

    algorithm: Literal["ppo_selfplay"] = key("ppo_selfplay", ALGORITHM, RUN)
    pool_size: Count = key(16, "snapshots to keep; the one that the learner beats most makes room", OPPONENTS)
    league_every: Whole = key(0, _LEAGUE_EVERY, OPPONENTS)
    league_steps: Count = key(200_000, _LEAGUE_STEPS, OPPONENTS)
    magnet: Weight = key(0.0, _MAGNET)
    magnet_rate: Part = key(0.05, _MAGNET_RATE)
    value_first: Whole = key(0, "decisions at first that train the value network only")
    shaping: Weight = key(0.0, "weight of potential-based reward shaping by `shaping_by`; 0: none")
    shaping_by: str = key("", "scripted agent whose value estimate is the potential")
    memory: Annotated[int, Meta(ge=0, le=16_384)] = key(0, "size of the GRU of a recurrent policy; 0: none", NETWORK)
    unroll: Count = key(16, "decisions of backpropagation through time", NETWORK)
    advised_by: str = key("", _ADVISED, NETWORK)
    fair_votes: bool = key(False, "vote on the cases of others as a fair player would, by a fixed term", NETWORK)
    device: str = key("cpu", _DEVICE, RUN)


@dataclass
class MaskablePPOConfig(PPOConfig):
    """MaskablePPO of sb3-contrib: one seat of each table learns; cannot resume."""

    algorithm: Literal["maskable_ppo"] = key("maskable_ppo", ALGORITHM, RUN)

    def _check(self) -> None:
        super()._check()
        # A gradient step on one decision divides by the deviation of one advantage: every weight becomes NaN.
        fine = self.tables * self.horizon % self.batch_size != 1
        allowed = "a whole number from 2 that does not leave a remainder of 1 in tables * horizon"
        require(fine, "batch_size", self.batch_size, allowed)
        self._need_snapshots(SELF)


@dataclass
class AfterstatesConfig(TaughtConfig):
    """TD(lambda) on afterstates, as in TD-Gammon."""

    algorithm: Literal["afterstates"] = key("afterstates", ALGORITHM, RUN)
    gae_lambda: Part = key(0.95, "lambda of TD(lambda)")
    afterstates: str = key("", "scripted agent that lists choices and afterstates")
    explore: Chance = key(0.05, _EXPLORE)

    def _check(self) -> None:
        super()._check()
        require(self.afterstates, "afterstates", self.afterstates, "a scripted agent of the game")


@dataclass
class AfterstateRolloutsConfig(LoopConfig):
    """Search distilled into values of afterstates, by rollouts of several choices at the same decision."""

    algorithm: Literal["afterstate_rollouts"] = key("afterstate_rollouts", ALGORITHM, RUN)
    afterstates: str = key("", "scripted agent that lists choices and afterstates")
    start: str = key("", "bot of afterstates whose estimates the network corrects", NETWORK)
    share: Part = key(1.0, "part of the decisions to sample; the policy learns from these only")
    worlds: Annotated[int, Meta(ge=1, le=10_000)] = key(8, "rollouts of each candidate")
    candidates: Annotated[int, Meta(ge=2, le=10_000)] = key(16, "largest number of actions to compare at a decision")
    plies: Count = key(8, "decisions after which the value estimate of the scripted agent ends a rollout")
    window: Count = key(65_536, "latest samples to learn from")

    def _check(self) -> None:
        super()._check()
        require(self.afterstates, "afterstates", self.afterstates, "a scripted agent of the game")


@dataclass
class ReplayConfig(LoopConfig):
    """Keys of self-play with a replay buffer (data/replay_buffer.py)."""

    explore: Chance = key(0.05, "share of random actions (epsilon) at the start; it changes linearly")
    explore_last: Chance = key(0.01, "share of random actions at the end")
    replay: Count = key(50_000, "size of the replay buffer in decisions; checkpoints contain it")

    def _check(self) -> None:
        super()._check()
        require(self.steps >= self.tables, "steps", self.steps, "at least the number of tables")
        fine = self.replay >= max(self.tables, self.batch_size)
        require(fine, "replay", self.replay, "at least `tables` and at least `batch_size`")

    def exploring(self, done: float) -> float:
        """Return the share of random actions after the part `done` of the run."""
        return self.explore + (self.explore_last - self.explore) * done

    def plies(self, steps: int) -> int:
        """Return the decisions of each table between two updates: about a batch, and within the budget of steps."""
        return min(max(1, self.batch_size // self.tables), (self.steps - steps) // self.tables)


@dataclass
class DMCConfig(ReplayConfig):
    """Deep Monte Carlo."""

    algorithm: Literal["dmc"] = key("dmc", ALGORITHM, RUN)


@dataclass
class BootstrapConfig(ReplayConfig):
    """Keys of algorithms that bootstrap (algorithms/dqn.py)."""

    gamma: Part = key(0.995, _GAMMA)
    n_steps: Count = key(1, "n of n-step returns, in decisions of one player")
    target_every: Count = key(2_000, "decisions between updates of the target network")


@dataclass
class DQNConfig(BootstrapConfig):
    """Masked double DQN."""

    algorithm: Literal["dqn"] = key("dqn", ALGORITHM, RUN)


@dataclass
class NFSPConfig(BootstrapConfig):
    """Neural fictitious self-play."""

    algorithm: Literal["nfsp"] = key("nfsp", ALGORITHM, RUN)
    anticipatory: Part = key(0.1, "chance that a seat plays its best response in a deal, not its average policy")
    reservoir: Count = key(100_000, "size of the reservoir of best-response decisions")

    def _check(self) -> None:
        super()._check()
        require(self.reservoir >= self.batch_size, "reservoir", self.reservoir, "at least `batch_size`")


@dataclass
class RolloutIterationConfig(LoopConfig, RolloutConfig, DeviceConfig):
    """Rollout policy iteration: improves on a scripted agent by its rollouts."""

    algorithm: Literal["rollout_iteration"] = key("rollout_iteration", ALGORITHM, RUN)
    explore: Chance = key(0.05, _EXPLORE)
    advised_by: str = key("", _ADVISED, NETWORK)
    belief: Literal["truth", "redeal"] = key("truth", _BELIEF)
    margin: Positive = key(0.1, "payoff in favour of the scripted agent's action before learning")
    kinds: str = key("", "one-hot observation block; each of its values has a threshold of its own")
    surely: Weight = key(2.0, "standard errors by which held-out samples must favour another action")
    thresholds: dict[str, Weight] = key({}, "override thresholds (payoff) of kinds, by number from 0; of others fitted")
    shares: dict[str, Part] = key({}, _SHARES)
    device: str = key("cpu", "where to play rollouts: `cpu`, or `cuda` (also `cuda:1` ...) for that GPU", RUN)

    def _check(self) -> None:
        super()._check()
        require(self.advised_by, "advised_by", self.advised_by, "a scripted agent of the game")


@dataclass
class CounterfactualConfig(LoopConfig, RolloutConfig, DeviceConfig):
    """Policy gradient over rollouts of several actions at the same decision."""

    algorithm: Literal["counterfactual"] = key("counterfactual", ALGORITHM, RUN)
    explore: Chance = key(0.05, "part of the sampled decisions where another candidate is played")
    advised_by: str = key("", _ADVISED, NETWORK)
    belief: Literal["truth", "redeal"] = key("truth", _BELIEF)
    until: str = key("", "field of the state (such as the round) at whose change the value network ends rollouts")
    stages: str = key("", "one-hot observation block that gives the kind of a decision, for `shares`")
    shares: dict[str, Part] = key({}, _SHARES)
    temperature: Positive = key(2.0, "softmax temperature where candidates are drawn and where the policy learns")
    think_after: Whole = key(0, "decisions before the first rollout; the value network learns from them")
    learn_after: Whole = key(0, "decisions before the policy learns; the value network learns from the start")
    past: Chance = key(0.5, "part of the deals where one seat meets snapshots, exploiters and rivals", OPPONENTS)
    snapshots: Whole = key(4, _SNAPSHOTS, OPPONENTS)
    snapshot_every: Count = key(100_000, _SNAPSHOT_EVERY, OPPONENTS)
    rivals: list[str] = key([], "bots with the same network to meet beside the snapshots", OPPONENTS)
    choice: Literal["greedy", "sample"] = key("greedy", "how seats and the bot choose: the best action, or a sample")
    entropy: Weight = key(0.01, _ENTROPY)
    entropy_last: Weight = key(0.01, _ENTROPY_LAST)
    magnet: Weight = key(0.0, _MAGNET)
    magnet_rate: Part = key(0.05, _MAGNET_RATE)
    league_every: Whole = key(0, _LEAGUE_EVERY, OPPONENTS)
    league_steps: Count = key(200_000, _LEAGUE_STEPS, OPPONENTS)
    device: str = key("cpu", _DEVICE, RUN)

    def _check(self) -> None:
        super()._check()
        met = self.snapshots or self.rivals or not self.past
        require(met, "snapshots", self.snapshots, "1 or more, or `past` 0, unless there are `rivals`")
        require(all(self.rivals), "rivals", self.rivals, "names of bots")
        require(self.past or not self.rivals, "rivals", self.rivals, "none where `past` is 0")
        if self.league_every:
            least = -(-self.steps // MOST_EXPLOITERS)
            require(self.league_every >= least, "league_every", self.league_every, f"{least} or more")
            fine = self.league_steps >= self.tables
            require(fine, "league_steps", self.league_steps, f"at least the number of tables, {self.tables}")
        for name in ("entropy", "entropy_last"):
            given, usual = getattr(self, name), self.__dataclass_fields__[name].default
            fine = self.choice == "sample" or given in (0, usual)
            require(fine, name, given, f"0 or {usual}, which both mean no bonus, unless `choice` is `sample`")


register(Algorithm(SelfPlayConfig, loop="sobremesa.training.algorithms.ppo_selfplay:Training"))
register(Algorithm(MaskablePPOConfig, train="sobremesa.training.algorithms.maskable_ppo:train"))
register(
    Algorithm(
        AfterstateRolloutsConfig,
        loop="sobremesa.training.algorithms.afterstate_rollouts:Training",
        graph="sobremesa.training.bots:worth_graph",
        choice="greedy",
    )
)
register(
    Algorithm(
        AfterstatesConfig,
        loop="sobremesa.training.algorithms.afterstates:Training",
        graph="sobremesa.training.bots:worth_graph",
        choice="greedy",
    )
)
register(Algorithm(DMCConfig, loop="sobremesa.training.algorithms.dmc:Training", choice="greedy"))
register(Algorithm(DQNConfig, loop="sobremesa.training.algorithms.dqn:Training", choice="greedy"))
register(Algorithm(NFSPConfig, loop="sobremesa.training.algorithms.nfsp:Training"))
register(
    Algorithm(RolloutIterationConfig, loop="sobremesa.training.algorithms.rollout_iteration:Training", choice="greedy")
)
register(
    Algorithm(
        CounterfactualConfig,
        loop="sobremesa.training.algorithms.counterfactual:Training",
        choice=lambda config: config.choice,
    )
)


def keys() -> dict[str, dataclasses.Field[Any]]:
    """Return the keys of all algorithms by name."""
    found: dict[str, dataclasses.Field[Any]] = {}
    for kind in config_classes():
        found |= {one.name: one for one in dataclasses.fields(kind) if one.name not in found}
    return found


def algorithms_with(key: str) -> list[str]:
    """Return the algorithms that have `key`."""
    return [kind.algorithm for kind in config_classes() if key in kind.__dataclass_fields__]


def default_of(key: str) -> Any:
    """Return the default of `key`, in the first algorithm that has it."""
    one = keys()[key]
    return one.default if one.default_factory is dataclasses.MISSING else one.default_factory()


_NO_AGENTS = ("game", "algorithm", "setup", "device")  # keys whose texts are no agents


def named_agents(config: TrainConfig | dict[str, Any]) -> list[str]:
    """Return every text in the values of `config` that could name an agent, also under keys of other packages."""
    values = config if isinstance(config, dict) else dataclasses.asdict(config)
    left: list[Any] = [value for name, value in values.items() if name not in _NO_AGENTS]
    for value in left:  # it grows meanwhile
        if isinstance(value, (dict, list, tuple)):
            left += [*value, *(value.values() if isinstance(value, dict) else ())]
    return [value for value in left if isinstance(value, str)]


def played_setups(config: TrainConfig, game: Game) -> list[dict[str, Any]]:
    """Return the setups to measure at: each number of seats in `setup`, and the first value of other lists."""
    setup = {name: value[0] if isinstance(value, list) else value for name, value in config.setup.items()}
    seats = config.setup.get("seats", game.default_seats)
    return [{**setup, "seats": count} for count in (sorted(set(seats)) if isinstance(seats, list) else [seats])]


def class_of(algorithm: str) -> type[TrainConfig]:
    """Return the configuration class of `algorithm`; raise ConfigError with the known names if there is none."""
    for kind in config_classes():
        if kind.algorithm == algorithm:
            return kind
    names = " or ".join(kind.algorithm for kind in config_classes())
    raise ConfigError(f"algorithm={shown(algorithm)} is not allowed; it takes {names}: {WHY_MASKS}")


def from_dict(values: dict[str, Any]) -> TrainConfig:
    """Make a configuration from keys and values; `algorithm` chooses the class (default: ppo_selfplay).

    Raises ConfigError for an unknown key, a key that the algorithm does not have, or an invalid value.
    """
    algorithm = values.get("algorithm", SelfPlayConfig.algorithm)
    kind = class_of(algorithm)
    known = [one.name for one in dataclasses.fields(kind)]
    for name in values:
        if name not in keys():
            raise ConfigError(f"unknown key {shown(name)}; {algorithm} takes {', '.join(known)}")
    if foreign := [name for name in values if name not in known]:
        given = ", ".join(f"{name}={shown(values[name])}" for name in foreign)
        raise ConfigError(
            f"{given} is not allowed with algorithm={algorithm!r} ({foreign[0]} is a key of "
            f"{', '.join(algorithms_with(foreign[0]))}); it takes {', '.join(known)}"
        )
    return kind(**values)


def read(path: Path) -> dict[str, Any]:
    """Return the keys and values of a TOML file; raise ConfigError if it cannot be read."""
    try:
        return toml_of(read_file(path, LARGEST))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; there are {', '.join(configs.names())}, or a file") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None


def default_for(game: str, algorithm: str | None = None) -> dict[str, Any]:
    """Return the default keys and values for `game`: those of its own configuration, if it has one.

    If `algorithm` lacks some of these keys, only the setup is taken.
    """
    if game not in configs.names():
        return {"game": game}
    found = read(configs.path(game))
    if algorithm is None or all(algorithm in algorithms_with(key) for key in found):
        return found
    return {"game": game, "setup": found.get("setup", {})}


def find(name: str) -> Path:
    """Return the file of the configuration `name`: a shipped one, or a path."""
    return configs.path(name) if name in configs.names() else Path(name)


def read_for(game: str, name: str) -> dict[str, Any]:
    """Return the keys and values of the configuration `name`; raise ConfigError if it is for another game."""
    if not name:
        raise ConfigError(f"--config '' is not allowed; it takes {', '.join(configs.names())}, or a file")
    values = read(find(name))
    if values.setdefault("game", game) != game:
        raise ConfigError(f"the configuration {name!r} is for {values['game']}, not for {game}")
    return values


def load(name: str | Path) -> TrainConfig:
    """Return the configuration `name`, a shipped one or a TOML file; raise ConfigError if it is invalid."""
    return from_dict(read(find(str(name))))
