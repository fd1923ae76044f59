"""Base classes of configurations: keys that all algorithms share, or several."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from msgspec import Meta

from sobremesa.envs.core.device.names import check_name, device_of
from sobremesa.training.config.keys import (
    EVALUATION,
    LEARNING,
    NETWORK,
    RUN,
    Chance,
    ConfigError,
    Count,
    Part,
    Positive,
    Seed,
    Weight,
    Whole,
    Width,
    Widths,
    fit,
    key,
    require,
)
from sobremesa.training.config.registry import registered

if TYPE_CHECKING:
    import torch

ALGORITHM = "the learning algorithm"


@dataclass
class TrainConfig:
    """Keys that every algorithm has. Raises ConfigError for an invalid value."""

    game: str = key("", "the game, as `sobremesa games` lists it", RUN)
    algorithm: str = key("", ALGORITHM, RUN)
    seed: Seed = key(0, "seed of the run; the same seed, machine and versions give the same weights", RUN)
    steps: Annotated[int, Meta(ge=1, le=10**15)] = key(2_000_000, "decisions of the learner to train on", RUN)
    threads: Annotated[int, Meta(ge=1, le=64)] = key(2, "threads of PyTorch; another number gives other weights", RUN)
    tables: Count = key(256, "tables played at once", RUN)
    setup: dict[str, Any] = key({}, "setup fields of the game; lists are spread over the tables", RUN)
    batch_size: Annotated[int, Meta(ge=2)] = key(2048, "decisions in a gradient step", LEARNING)
    epochs: Count = key(4, "passes over each decision (with a replay buffer: on average)", LEARNING)
    learning_rate: Positive = key(5e-4, "learning rate of Adam; it falls linearly to a tenth", LEARNING)
    hidden: Widths = key([128, 128], "sizes of the hidden layers", NETWORK)
    evaluate_every: Count = key(500_000, "decisions between evaluations", EVALUATION)
    evaluate_deals: Count = key(200, "deals in an evaluation, each in all seatings", EVALUATION)
    evaluate_against: list[str] = key([], "opponents in evaluations; none: all scripted agents", EVALUATION)

    def __post_init__(self) -> None:
        if type(self) not in config_classes():
            names = " or ".join(kind.__name__ for kind in config_classes())
            raise ConfigError(f"{type(self).__name__} is a base class; use {names}, or register it")
        for name, kind in get_type_hints(type(self), include_extras=True).items():
            setattr(self, name, fit(name, getattr(self, name), kind))
        self._check()

    def _check(self) -> None:
        """Raise ConfigError for values that do not go together."""
        for name, value in self.setup.items():
            require(value != [], f"setup.{name}", value, "a value, or a list of at least one")

    def check_machine(self) -> None:
        """Raise ConfigError if this machine lacks a device that the configuration names."""


class DeviceConfig(TrainConfig):
    """A configuration with the key `device`."""

    device: str

    def _check(self) -> None:
        super()._check()
        try:
            check_name(self.device)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def check_machine(self) -> None:
        if self.device != "cpu":
            self.torch_device()

    def torch_device(self) -> "torch.device":
        """Return the device; raise ConfigError if it is not there, MissingExtra without PyTorch."""
        try:
            return device_of(self.device)
        except (ValueError, RuntimeError) as error:
            raise ConfigError(str(error)) from None


@dataclass
class LoopConfig(TrainConfig):
    """Keys of runs that can resume (runs/loop.py)."""

    minutes: Weight = key(0.0, "time limit of the run; 0: no limit", RUN)
    checkpoint_every: Count = key(200_000, "decisions between checkpoints; the latest two are kept", RUN)
    average: Chance = key(0.0, "last part of the run over which to average the weights; 0: no average", RUN)


@dataclass
class TaughtConfig(LoopConfig):
    """Keys of runs with a teacher (data/teacher.py)."""

    teacher: str = key("", "scripted agent to imitate at first (afterstates: that plays some deals at first)", LEARNING)
    teacher_until: Part = key(0.5, "part of the run after which the teacher's weight has fallen to 0", LEARNING)


@dataclass
class NetworkConfig(TrainConfig):
    """Keys of networks that treat some blocks of the observation separately."""

    grids: list[str] = key([], "observation blocks with height and width to put through convolutions", NETWORK)
    channels: Width = key(16, "channels of the convolutions", NETWORK)
    pointers: bool = key(False, "score actions on a card, a tunnel end or a cell by shared weights", NETWORK)
    roles: str = key("", "one-hot observation block; each of its values has a network of its own", NETWORK)
    apart: list[Whole] = key([], "values of `roles` with a network of their own; none: all of them", NETWORK)
    facing: str = key("", "one-hot observation block of the orientation; networks see a canonical view", NETWORK)
    start: str = key("", "bot with the same network whose weights the policy starts from", NETWORK)


@dataclass
class RolloutConfig(NetworkConfig):
    """Keys of algorithms that learn from rollouts."""

    share: Part = key(0.1, "part of the decisions to sample; the policy learns from these only")
    worlds: Annotated[int, Meta(ge=1, le=10_000)] = key(16, "rollouts of each candidate")
    candidates: Annotated[int, Meta(ge=2, le=10_000)] = key(12, "largest number of actions to compare at a decision")
    window: Count = key(8192, "latest samples to learn from")
    workers: Annotated[int, Meta(ge=1, le=256)] = key(1, "rollout threads; any number gives the same weights")


def config_classes() -> list[type["TrainConfig"]]:
    """Return the configuration classes of all algorithms."""
    return [algorithm.config for algorithm in registered()]
