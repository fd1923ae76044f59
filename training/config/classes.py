"""A training run as a dataclass, one for each algorithm, as `algorithm` says: its fields are the keys of TOML files,
all of them flat, and the flags of the command line."""

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from sobremesa import configs
from sobremesa.agents.stored import LARGEST
from sobremesa.envs.core.files import read_file
from sobremesa.envs.core.game import Game
from sobremesa.training.config.bases import ALGORITHM, ThinkingConfig
from sobremesa.training.config.bases import LoopConfig as LoopConfig
from sobremesa.training.config.bases import NetworkConfig as NetworkConfig
from sobremesa.training.config.bases import TaughtConfig as TaughtConfig
from sobremesa.training.config.bases import TrainConfig as TrainConfig
from sobremesa.training.config.bases import kinds as kinds
from sobremesa.training.config.keys import Chance, Count, Part, Positive, Weight, Whole, key, renamed, require, shown
from sobremesa.training.config.keys import ConfigError as ConfigError
from sobremesa.training.config.registry import Algorithm, register

SELF = "self"  # in `opponents`: the learner as it is, which learns from that seat too
SNAPSHOTS = "snapshots"  # in `opponents`: what the learner was before
MOST_EXPLOITERS = 1000  # that join a run of counterfactual, where all of them stay
ALL = "all"  # what a `critic` may see: what all seats see
WHY_MASKS = (
    "in these games most actions are forbidden most of the time, and an algorithm that takes no mask "
    "plays forbidden ones, or learns from choices that it never had"
)

_ADVISED = "a scripted agent whose choice is told to the networks: the policy begins as it; nobody if empty"
_BELIEF = (
    "the worlds that are played on: `truth`, the one that the deal is in, which self-play comes to as often as others' "
    "play makes it likely, or `redeal`, fair guesses, which know nothing of how others play"
)
_EXPLORE = (
    "part of choices made at random at first, falling linearly to `explore_last`, "
    "in afterstates and rollout_iteration to nothing; in counterfactual, part of the decisions thought about where "
    "another candidate is played, throughout"
)
_SNAPSHOTS = "how many snapshots of itself the learner meets at a time"
_SNAPSHOT_EVERY = "decisions between snapshots"
_SHARES = "kinds thought about, by number from 0, and which part of each; all, and `share` of them, if empty"
_AFTER = "decisions before any is thought about, which the value network learns from first"
_ENTROPY = (
    "weight of the entropy bonus at first; in counterfactual, of that among candidates, where `choice` is `sample`"
)
_ENTROPY_LAST = "weight of the entropy bonus at last; it changes linearly (maskable_ppo: it stays)"
_LEAGUE_EVERY = "decisions between exploiters, trained against the learner as it is, who join the snapshots; 0 for none"
_LEAGUE_STEPS = (
    "decisions to train an exploiter on, at the rates of `exploit --start`; in counterfactual at twice the run's"
)
_MAGNET = "how much the learner is drawn to the magnet, a slowly moving policy; 0 for none"
_MAGNET_RATE = "part of its way to the learner that the magnet, if any, goes at each update"
_GAMMA = "discount from one decision of mine to the next"
_LAMBDA = "of generalised advantage estimation; in afterstates and expert_iteration the lambda of TD(lambda)"


@dataclass
class PPOConfig(TrainConfig):
    """What proximal policy optimisation has."""

    opponents: dict[str, Weight] = key(
        {SELF: 0.7, SNAPSHOTS: 0.3},
        "who sits at the other seats and how often: names and folders of agents, `self` for the learner as it is, "
        "which learns from that seat too, `snapshots` for what it was before (in maskable_ppo `self` too)",
    )
    gae_lambda: Part = key(0.95, _LAMBDA)
    snapshots: Whole = key(4, _SNAPSHOTS)
    snapshot_every: Count = key(100_000, _SNAPSHOT_EVERY)
    horizon: Count = key(64, "decisions per table between updates")
    gamma: Part = key(0.995, _GAMMA)
    clip: Positive = key(0.2, "range of PPO's probability ratio")
    entropy: Weight = key(0.01, _ENTROPY)
    entropy_last: Weight = key(0.01, _ENTROPY_LAST)

    def _check(self) -> None:
        super()._check()
        fine = sum(self.opponents.values()) > 0
        require(fine, "opponents", self.opponents, "names with weights from 0, one above 0 at least")
        self._need_snapshots(SNAPSHOTS)

    def _need_snapshots(self, name: str) -> None:
        fine = self.snapshots > 0 or not self.opponents.get(name)
        require(fine, "snapshots", self.snapshots, f"1 or more when `{name}` is among the opponents")


@dataclass
class SelfPlayConfig(PPOConfig, TaughtConfig, NetworkConfig):
    """How to train by ppo_selfplay."""

    algorithm: Literal["ppo_selfplay"] = key("ppo_selfplay", ALGORITHM)
    pool_size: Count = key(16, "how many snapshots are kept; the one that the learner beats most surely makes room")
    league_every: Whole = key(0, _LEAGUE_EVERY)
    league_steps: Count = key(200_000, _LEAGUE_STEPS)
    magnet: Weight = key(0.0, _MAGNET)
    magnet_rate: Part = key(0.05, _MAGNET_RATE)
    critic: Literal["own", "all"] = key(
        "own",
        "what the value network is given, which never plays: `own`, what the seat sees, or `all`, what all seats see",
    )
    value_first: Whole = key(
        0, "decisions at first that the value network alone learns from, as it knows nothing where the policy is a bot"
    )
    shaping: Weight = key(
        0.0, "weight of a potential in the rewards that are learnt from, the value estimate of `shaping_by`; 0 for none"
    )
    shaping_by: str = key("", "a scripted agent whose value estimate is that potential")
    memory: Annotated[int, Meta(ge=0, le=16_384)] = key(0, "size of the memory (GRU) of a recurrent policy; 0 for none")
    device: Annotated[str, Meta(pattern=r"^(cpu|cuda(:\d+)?)$")] = key(
        "cpu", "where gradient steps are made, `cpu`, `cuda` or `cuda:1`; tables are played on the processor"
    )
    unroll: Count = key(16, "decisions over which gradients go back through the memory")
    advised_by: str = key("", _ADVISED)


@dataclass
class MaskablePPOConfig(PPOConfig):
    """How to train by maskable_ppo."""

    algorithm: Literal["maskable_ppo"] = key("maskable_ppo", ALGORITHM)

    def _check(self) -> None:
        super()._check()
        # A gradient step on one decision divides by the deviation of one advantage: every weight becomes NaN.
        fine = self.tables * self.horizon % self.batch_size != 1
        allowed = "a whole number from 2 that does not leave just 1 of the tables * horizon decisions over"
        require(fine, "batch_size", self.batch_size, allowed)
        self._need_snapshots(SELF)


@dataclass
class AfterstatesConfig(TaughtConfig):
    """How to train by afterstates."""

    algorithm: Literal["afterstates"] = key("afterstates", ALGORITHM)
    gae_lambda: Part = key(0.95, _LAMBDA)
    afterstates: str = key("", "a scripted agent that tells what choices leave")
    explore: Chance = key(0.05, _EXPLORE)

    def _check(self) -> None:
        super()._check()
        require(self.afterstates, "afterstates", self.afterstates, "a scripted agent of the game")


@dataclass
class ReplayConfig(LoopConfig):
    """What self-play with a replay buffer has (replay_buffer.py)."""

    explore: Chance = key(0.05, _EXPLORE)
    explore_last: Chance = key(0.01, "part of choices made at random at last")
    replay: Count = key(50_000, "decisions that are kept to be learnt from, the latest, in checkpoints too")

    def _check(self) -> None:
        super()._check()
        require(self.steps >= self.tables, "steps", self.steps, "no fewer than there are tables")
        fine = self.replay >= max(self.tables, self.batch_size)
        require(fine, "replay", self.replay, "no fewer than there are tables, and decisions in a gradient step")

    def exploring(self, done: float) -> float:
        """Return the part of choices made at random once the part `done` of a run is over."""
        return self.explore + (self.explore_last - self.explore) * done

    def plies(self, steps: int) -> int:
        """Return how many decisions each table makes before it is learnt from them, after `steps` of the run.

        They are about as many as a gradient step takes, and none that the budget does not reach for at every table.
        """
        return min(max(1, self.batch_size // self.tables), (self.steps - steps) // self.tables)


@dataclass
class DMCConfig(ReplayConfig):
    """How to train by dmc."""

    algorithm: Literal["dmc"] = key("dmc", ALGORITHM)


@dataclass
class BootstrapConfig(ReplayConfig):
    """What is learnt from estimates of later decisions (dqn.py)."""

    gamma: Part = key(0.995, _GAMMA)
    n_steps: Count = key(1, "decisions of a seat between a decision and the later one that it is learnt from")
    target_every: Count = key(2_000, "decisions between copies of the network to its target")


@dataclass
class DQNConfig(BootstrapConfig):
    """How to train by dqn."""

    algorithm: Literal["dqn"] = key("dqn", ALGORITHM)


@dataclass
class NFSPConfig(BootstrapConfig):
    """How to train by nfsp."""

    algorithm: Literal["nfsp"] = key("nfsp", ALGORITHM)
    anticipatory: Part = key(0.1, "chance that a seat plays its best response in a deal, not its average policy")
    reservoir: Count = key(100_000, "decisions by best responses that are kept, a fair sample of all")

    def _check(self) -> None:
        super()._check()
        require(self.reservoir >= self.batch_size, "reservoir", self.reservoir, "no fewer than a gradient step")


@dataclass
class ExpertIterationConfig(TaughtConfig, ThinkingConfig):
    """How to train by expert_iteration."""

    algorithm: Literal["expert_iteration"] = key("expert_iteration", ALGORITHM)
    gae_lambda: Part = key(0.95, _LAMBDA)
    belief: Literal["truth", "redeal"] = key("truth", _BELIEF)
    ahead: Whole = key(
        2, "own decisions that are played on to, the last of which the value network judges; 0 for the end of the deal"
    )
    tau: Positive = key(0.1, "payoff that makes up for a factor of e in the policy")
    gate: Weight = key(0.0, "standard errors by which what a candidate gains is brought nearer to nothing")
    think_after: Whole = key(0, _AFTER)


@dataclass
class RolloutIterationConfig(LoopConfig, ThinkingConfig):
    """How to train by rollout_iteration."""

    algorithm: Literal["rollout_iteration"] = key("rollout_iteration", ALGORITHM)
    explore: Chance = key(0.05, _EXPLORE)
    advised_by: str = key("", _ADVISED)
    rollout: str = key("", "the agent that plays on after each candidate; the one that advises if empty")
    follow: Chance = key(0.5, "chance that a seat plays as advised in a deal, and not by the policy")
    belief: Literal["truth", "redeal"] = key("truth", _BELIEF)
    margin: Positive = key(
        0.1,
        "payoff by which the policy thinks better of what is advised before it has learnt; candidates that are thought "
        "so much worse than others are drawn e times as rarely",
    )
    kinds: str = key("", "block of the observation (one-hot) that tells kinds of decisions apart, each doubted apart")
    surely: Weight = key(2.0, "standard errors by which lessons held back must speak for leaving what is advised")
    shares: dict[str, Part] = key({}, _SHARES)
    symmetries: bool = key(True, "whether views are turned and mirrored by lot to learn from, where the game can be")

    def _check(self) -> None:
        super()._check()
        require(self.advised_by, "advised_by", self.advised_by, "a scripted agent of the game")


@dataclass
class CounterfactualConfig(LoopConfig, ThinkingConfig):
    """How to train by counterfactual."""

    algorithm: Literal["counterfactual"] = key("counterfactual", ALGORITHM)
    explore: Chance = key(0.05, _EXPLORE)
    advised_by: str = key("", _ADVISED)
    belief: Literal["truth", "redeal"] = key("truth", _BELIEF)
    until: str = key(
        "",
        "field of the game's record at whose next change rollouts end, as where a round is over; the value network "
        "judges there. They go to the end of the deal if empty",
    )
    stages: str = key("", "block of the observation (one-hot) that tells kinds of decisions apart, for `shares`")
    shares: dict[str, Part] = key({}, _SHARES)
    temperature: Positive = key(
        2.0,
        "of the policy where candidates are drawn from it, and where it learns: the higher, the more alike; what is "
        "drawn from (`choice`) comes to weigh what it leaves open by `entropy` over this",
    )
    think_after: Whole = key(0, _AFTER)
    learn_after: Whole = key(0, "decisions before the policy learns, whose lessons are kept; the value network learns")
    past: Chance = key(0.5, "part of the deals in which one seat learns, among snapshots, exploiters and rivals")
    snapshots: Whole = key(4, _SNAPSHOTS)
    snapshot_every: Count = key(100_000, _SNAPSHOT_EVERY)
    rivals: list[str] = key(
        [],
        "bots of a network like this that are met beside the snapshots, from the beginning on, and choose as those do; "
        "the agent that advises stands for a network that has learnt nothing yet",
    )
    choice: Literal["greedy", "sample"] = key(
        "greedy",
        "how seats choose, in deals and rollouts, and the bot: what they think best (`greedy`), or drawn from the "
        "policy (`sample`)",
    )
    entropy: Weight = key(0.01, _ENTROPY)
    entropy_last: Weight = key(0.01, _ENTROPY_LAST)
    magnet: Weight = key(0.0, _MAGNET)
    magnet_rate: Part = key(0.05, _MAGNET_RATE)
    league_every: Whole = key(0, _LEAGUE_EVERY)
    league_steps: Count = key(200_000, _LEAGUE_STEPS)

    def _check(self) -> None:
        super()._check()
        met = self.snapshots or self.rivals or not self.past
        require(met, "snapshots", self.snapshots, "1 or more, or `past` 0, unless there are `rivals`")
        require(all(self.rivals), "rivals", self.rivals, "names of bots")
        require(self.past or not self.rivals, "rivals", self.rivals, "none where `past` is 0, which meets nobody")
        if self.league_every:
            least = -(-self.steps // MOST_EXPLOITERS)
            require(
                self.league_every >= least, "league_every", self.league_every, f"{least} or more, as exploiters stay"
            )
            fine = self.league_steps >= self.tables
            require(fine, "league_steps", self.league_steps, f"a decision for each of tables={self.tables} at least")
        for name in ("entropy", "entropy_last"):
            given, usual = getattr(self, name), self.__dataclass_fields__[name].default
            fine = self.choice == "sample" or given in (0, usual)
            require(fine, name, given, f"0 or {usual}, which both count for nothing, unless `choice` is `sample`")


register(Algorithm(SelfPlayConfig, loop="sobremesa.training.algorithms.ppo_selfplay:Training"))
register(Algorithm(MaskablePPOConfig, train="sobremesa.training.algorithms.maskable_ppo:train"))
register(
    Algorithm(
        AfterstatesConfig,
        loop="sobremesa.training.algorithms.afterstates:Training",
        graph="sobremesa.training.export:worth_graph",
        choice="greedy",
    )
)
register(Algorithm(DMCConfig, loop="sobremesa.training.algorithms.dmc:Training", choice="greedy"))
register(Algorithm(DQNConfig, loop="sobremesa.training.algorithms.dqn:Training", choice="greedy"))
register(Algorithm(NFSPConfig, loop="sobremesa.training.algorithms.nfsp:Training"))
register(Algorithm(ExpertIterationConfig, loop="sobremesa.training.algorithms.expert_iteration:Training"))
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
    for kind in kinds():
        found |= {one.name: one for one in dataclasses.fields(kind) if one.name not in found}
    return found


def takers(key: str) -> list[str]:
    """Return the algorithms that have `key`."""
    return [kind.algorithm for kind in kinds() if key in kind.__dataclass_fields__]


def default_of(key: str) -> Any:
    """Return what `key` is when nothing is said."""
    one = keys()[key]
    return one.default if one.default_factory is dataclasses.MISSING else one.default_factory()


_NO_AGENTS = ("game", "algorithm", "setup", "device")  # keys whose texts name something else: cuda:0 is no function


def named_agents(config: TrainConfig | dict[str, Any]) -> list[str]:
    """Return every text in `config`, or in its keys and values, that could name an agent: those of other keys, too.

    So an algorithm that a package brings cannot have a key that is overlooked.
    """
    values = config if isinstance(config, dict) else dataclasses.asdict(config)
    left: list[Any] = [value for name, value in values.items() if name not in _NO_AGENTS]
    for value in left:  # it grows meanwhile
        if isinstance(value, (dict, list, tuple)):
            left += [*value, *(value.values() if isinstance(value, dict) else ())]
    return [value for value in left if isinstance(value, str)]


def played_setups(config: TrainConfig, game: Game) -> list[dict[str, Any]]:
    """Return the setups to measure at: each number of seats trained on, with the first of other listed values."""
    setup = {name: value[0] if isinstance(value, list) else value for name, value in config.setup.items()}
    seats = config.setup.get("seats", game.default_seats)
    return [{**setup, "seats": count} for count in (sorted(set(seats)) if isinstance(seats, list) else [seats])]


def from_dict(values: dict[str, Any]) -> TrainConfig:
    """Make the configuration that `values` are of; `algorithm` says which, ppo_selfplay if it is not there.

    Raises ConfigError for an unknown key, a value that is not allowed, or a key of another algorithm; as it is by
    default that may stand there, as in files that were written when all algorithms had all keys.
    """
    values = renamed(values)
    algorithm = values.get("algorithm", SelfPlayConfig.algorithm)
    kind = next((one for one in kinds() if one.algorithm == algorithm), None)
    if kind is None:
        names = " or ".join(one.algorithm for one in kinds())
        raise ConfigError(f"algorithm={shown(algorithm)} is not allowed; it takes {names}: {WHY_MASKS}")
    known = [one.name for one in dataclasses.fields(kind)]
    everywhere = keys()
    for name in values:
        if name not in everywhere:
            raise ConfigError(f"unknown key {shown(name)}; there are {', '.join(known)}")
    others = {name: value for name, value in values.items() if name not in known and value != default_of(name)}
    foreign = [f"{name}={shown(value)}" for name, value in others.items()]
    if foreign:
        raise ConfigError(
            f"{', '.join(foreign)} is not allowed with algorithm={algorithm!r}, which has no such thing; "
            f"it takes {', '.join(known)}"
        )
    return kind(**{key: value for key, value in values.items() if key in known})


def read(path: Path) -> dict[str, Any]:
    """Return the keys and values of a TOML file, by their new names; raise ConfigError if it cannot be read."""
    try:
        found = tomllib.loads(read_file(path, LARGEST).decode())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; there are {', '.join(configs.names())}, or a file") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    return renamed(found)


def default_for(game: str, algorithm: str | None = None) -> dict[str, Any]:
    """Return the keys and values to train `game` with when nothing else is said: its own file, if it has one.

    Where `algorithm` is another than that of the file, and lacks some of its keys, only the setup is taken of it.
    """
    if game not in configs.names():
        return {"game": game}
    found = read(configs.path(game))
    if algorithm is None or all(algorithm in takers(key) for key in found):
        return found
    return {"game": game, "setup": found.get("setup", {})}


def find(name: str) -> Path:
    """Return the file of the configuration `name`: one that comes with the library, or a path."""
    return configs.path(name) if name in configs.names() else Path(name)


def read_for(game: str, name: str) -> dict[str, Any]:
    """Return the keys and values of the configuration `name`; raise ConfigError if it is none, or for another game."""
    if not name:
        raise ConfigError(f"--config '' is not allowed; it takes {', '.join(configs.names())}, or a file")
    values = read(find(name))
    if values.setdefault("game", game) != game:
        raise ConfigError(f"the configuration {name!r} is for {values['game']}, not for {game}")
    return values
