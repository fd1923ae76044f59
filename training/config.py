"""A training run as a dataclass: its fields are the keys of the TOML files and the flags of the command line."""

import dataclasses
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from sobremesa import configs
from sobremesa.envs.core.game import Game

SELF = "self"  # in `opponents`: the learner as it is, which learns from that seat too
SNAPSHOTS = "snapshots"  # in `opponents`: what the learner was before
PPO_SELFPLAY, MASKABLE_PPO, AFTERSTATES = "ppo_selfplay", "maskable_ppo", "afterstates"
ALGORITHMS = (PPO_SELFPLAY, MASKABLE_PPO, AFTERSTATES)
WHY_MASKS = (
    "in these games most actions are forbidden most of the time, and an algorithm that takes no mask "
    "plays forbidden ones, or learns from choices that it never had"
)


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the key."""


def _key(default: Any, doc: str) -> Any:
    if isinstance(default, (dict, list)):
        return field(default_factory=default.copy, metadata={"doc": doc})
    return field(default=default, metadata={"doc": doc})


@dataclass
class TrainConfig:
    """How to train: every key, its default and what it means."""

    game: str = _key("", "the game, as `sobremesa games` lists it")
    algorithm: str = _key(
        PPO_SELFPLAY,
        "ppo_selfplay, this library's own; maskable_ppo, sb3-contrib's; "
        "or afterstates, TD(lambda) on what each choice would leave",
    )
    seed: int = _key(0, "of the run: the same seed gives the same run on the same machine and versions")
    steps: int = _key(2_000_000, "decisions of the learner to train on")
    minutes: float = _key(0.0, "stop after so many minutes, if `steps` are not done by then; 0 for no such limit")
    threads: int = _key(2, "of PyTorch; another number gives another run")
    tables: int = _key(256, "tables played at once")
    setup: dict[str, Any] = _key({}, "setup fields of the game; a list of values is dealt out over the tables")
    opponents: dict[str, float] = _key(
        {SELF: 0.7, SNAPSHOTS: 0.3},
        "who sits at the other seats and how often: names and folders of agents, `self` for the learner as it is, "
        "which learns from that seat too, `snapshots` for what it was before (in maskable_ppo `self` too)",
    )
    snapshots: int = _key(4, "how many snapshots of itself the learner meets at a time")
    snapshot_every: int = _key(100_000, "decisions between snapshots")
    pool: int = _key(16, "how many snapshots are kept; the one that the learner beats most surely makes room")
    horizon: int = _key(64, "decisions per table between updates")
    batch_size: int = _key(2048, "decisions in a gradient step")
    epochs: int = _key(4, "times each decision is learnt from")
    learning_rate: float = _key(5e-4, "of Adam, falling linearly to a tenth")
    gamma: float = _key(0.995, "discount from one decision of mine to the next")
    gae_lambda: float = _key(0.95, "of generalised advantage estimation; in afterstates the lambda of TD(lambda)")
    clip: float = _key(0.2, "range of PPO's probability ratio")
    entropy: float = _key(0.01, "weight of the entropy bonus at first")
    entropy_last: float = _key(
        0.01, "weight of the entropy bonus at last; it changes linearly (maskable_ppo: it stays)"
    )
    pull: float = _key(0.0, "weight of the pull towards a slowly moving reference policy; 0 for none")
    reference_rate: float = _key(0.05, "part of its way to the learner that the reference policy goes at each update")
    teacher: str = _key(
        "",
        "a scripted agent whose choices the policy is drawn to at first, or (afterstates) that plays deals at first; "
        "none if empty",
    )
    teacher_weight: float = _key(
        1.0, "weight of these choices, or part of the deals, at first, falling linearly to nothing"
    )
    teacher_until: float = _key(0.5, "part of the run after which they weigh nothing")
    shaping: float = _key(
        0.0, "weight of a potential in the rewards that are learnt from, the outlook of `shaping_by`; 0 for none"
    )
    shaping_by: str = _key("", "a scripted agent whose outlook is that potential")
    hidden: list[int] = _key([128, 128], "sizes of the layers of policy and value network")
    grids: list[str] = _key([], "blocks of the observation, with height and width, that go through convolutions first")
    channels: int = _key(16, "of these convolutions")
    pointers: bool = _key(
        False,
        "score actions that are about a row of a block (a card, an end) by weights that all rows share",
    )
    memory: int = _key(0, "size of the memory (GRU) of a recurrent policy; 0 for none")
    unroll: int = _key(16, "decisions over which gradients go back through the memory")
    roles: str = _key("", "block of the observation that names a role (one-hot); each role gets networks of its own")
    afterstates: str = _key("", "a scripted agent that tells what choices leave, for the algorithm of that name")
    explore: float = _key(0.05, "part of choices made at random at first, falling linearly to nothing (afterstates)")
    evaluate_every: int = _key(500_000, "decisions between evaluations")
    evaluate_deals: int = _key(200, "deals in an evaluation, each in all seatings")
    evaluate_against: list[str] = _key([], "agents to evaluate against; none for `random` and the scripted ones")
    checkpoint_every: int = _key(200_000, "decisions between checkpoints to resume from; two are kept")

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for one in dataclasses.fields(self):
            setattr(self, one.name, _fit(one.name, getattr(self, one.name), hints[one.name]))
        self._check()

    def _check(self) -> None:
        _require(self.algorithm in ALGORITHMS, "algorithm", self.algorithm, f"{' or '.join(ALGORITHMS)}: {WHY_MASKS}")
        for name in (
            "steps", "tables", "horizon", "epochs", "snapshot_every", "pool", "channels", "unroll",
            "evaluate_every", "evaluate_deals", "checkpoint_every",
        ):  # fmt: skip
            _require(getattr(self, name) > 0, name, getattr(self, name), "a whole number from 1")
        for name in ("snapshots", "memory"):
            _require(getattr(self, name) >= 0, name, getattr(self, name), "a whole number from 0")
        _require(1 <= self.threads <= 64, "threads", self.threads, "a whole number from 1 to 64")
        _require(self.batch_size > 1, "batch_size", self.batch_size, "a whole number from 2")
        _require(0 <= self.seed < 2**31, "seed", self.seed, "a whole number from 0 to 2**31 - 1")
        for name in ("learning_rate", "clip"):
            _require(getattr(self, name) > 0, name, getattr(self, name), "a number above 0")
        for name in ("gamma", "gae_lambda", "reference_rate", "teacher_until"):
            _require(0 < getattr(self, name) <= 1, name, getattr(self, name), "a number above 0, up to 1")
        for name in ("entropy", "entropy_last", "pull", "minutes", "teacher_weight", "shaping"):
            _require(getattr(self, name) >= 0, name, getattr(self, name), "a number from 0")
        _require(all(size > 0 for size in self.hidden), "hidden", self.hidden, "sizes above 0")
        for name, value in self.setup.items():
            _require(value != [], f"setup.{name}", value, "a value, or a list of one at least")
        weights = list(self.opponents.values())
        fine = bool(weights) and min(weights) >= 0 and sum(weights) > 0
        _require(fine, "opponents", self.opponents, "names with weights from 0, one above 0 at least")
        if self.opponents.get(SNAPSHOTS, 0) > 0:
            _require(self.snapshots > 0, "snapshots", self.snapshots, f"1 or more when `{SNAPSHOTS}` are opponents")
        _require(0 <= self.explore <= 1, "explore", self.explore, "a number from 0 to 1")
        if self.algorithm == MASKABLE_PPO:
            self._check_maskable()
        elif self.algorithm == AFTERSTATES:
            self._check_plain(_NOT_FOR_AFTERSTATES)
            _require(self.afterstates, "afterstates", self.afterstates, "a scripted agent of the game")
        else:
            self._check_plain(("afterstates", "explore"))

    def _check_plain(self, names: Sequence[str]) -> None:
        """Raise ConfigError unless keys that mean nothing to the algorithm are left as they are."""
        asked = [name for name in names if getattr(self, name) != _default(name)]
        if asked:
            given = ", ".join(f"{name}={getattr(self, name)!r}" for name in asked)
            raise ConfigError(f"{given} is not allowed with algorithm={self.algorithm!r}, which has no such thing")

    def _check_maskable(self) -> None:
        self._check_plain(_NOT_FOR_MASKABLE)
        # A gradient step on one decision divides by the deviation of one advantage: every weight becomes NaN.
        fine = self.tables * self.horizon % self.batch_size != 1
        allowed = "a whole number from 2 that does not leave just 1 of the tables * horizon decisions over"
        _require(fine, "batch_size", self.batch_size, allowed)
        if self.opponents.get(SELF, 0) > 0:
            _require(self.snapshots > 0, "snapshots", self.snapshots, f"1 or more when `{SELF}` is among the opponents")


_NETWORKS = ("pull", "shaping", "shaping_by", "grids", "pointers", "memory", "roles")
_NOT_FOR_MASKABLE = (
    *_NETWORKS, "minutes", "teacher", "teacher_weight", "teacher_until", "reference_rate", "channels", "unroll", "pool",
    "checkpoint_every", "afterstates", "explore",
)  # fmt: skip
_NOT_FOR_AFTERSTATES = (
    *_NETWORKS, "opponents", "snapshots", "snapshot_every", "pool", "horizon", "gamma", "clip", "entropy",
    "entropy_last", "reference_rate", "channels", "unroll",
)  # fmt: skip


def _default(name: str) -> Any:
    """Return what a key is when nothing is said."""
    (key,) = (one for one in dataclasses.fields(TrainConfig) if one.name == name)
    return key.default if key.default_factory is dataclasses.MISSING else key.default_factory()


def played_setups(config: TrainConfig, game: Game) -> list[dict[str, Any]]:
    """Return the setups to measure at: each number of seats trained on, with the first of other listed values."""
    setup = {name: value[0] if isinstance(value, list) else value for name, value in config.setup.items()}
    seats = config.setup.get("seats", game.default_seats)
    return [{**setup, "seats": count} for count in (sorted(set(seats)) if isinstance(seats, list) else [seats])]


def _require(holds: Any, key: str, value: Any, allowed: str) -> None:
    if not holds:
        raise ConfigError(f"{key}={value!r} is not allowed; it takes {allowed}")


def _fit(key: str, value: Any, kind: Any) -> Any:
    """Return `value` as `kind`, ints passing for floats; raise ConfigError naming `key`."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return float(value)
    if origin is float and isinstance(value, float) and math.isinf(value):
        raise ConfigError(f"{key}={value!r} is not allowed; it takes a finite number")
    if not isinstance(value, origin) or (isinstance(value, bool) and origin is not bool):
        raise ConfigError(f"{key}={value!r} is not allowed; it takes {_type_name(kind)}")
    if origin is list:
        return [_fit(key, one, inner[0]) for one in value]
    if origin is dict and inner[1] is not Any:
        return {name: _fit(f"{key}.{name}", one, inner[1]) for name, one in value.items()}
    return value


def _type_name(kind: Any) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}
    if get_origin(kind) is list:
        return f"a list, each {_type_name(get_args(kind)[0])}"
    return names.get(kind, "a table of names and values")


def from_dict(values: dict[str, Any]) -> TrainConfig:
    """Make a configuration from `values`; raise ConfigError naming an unknown key or a value of the wrong type."""
    known = [one.name for one in dataclasses.fields(TrainConfig)]
    for key in values:
        if key not in known:
            raise ConfigError(f"unknown key {key!r}; there are {', '.join(known)}")
    return TrainConfig(**values)


def read(path: Path) -> dict[str, Any]:
    """Return the keys and values of a TOML file; raise ConfigError if it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; there are {', '.join(configs.names())}, or a file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None


def default_for(game: str) -> dict[str, Any]:
    """Return the keys and values to train `game` with when nothing else is said: its own file, if it has one."""
    return read(configs.path(game)) if game in configs.names() else {"game": game}


def find(name: str) -> Path:
    """Return the file of the configuration `name`: one that comes with the library, or a path."""
    return configs.path(name) if name in configs.names() else Path(name)
