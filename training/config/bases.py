"""What the configurations of all algorithms, or of some, have in common: dataclasses whose fields are keys."""

from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

from msgspec import Meta

from sobremesa.training.config.keys import (
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

ALGORITHM = (
    "ppo_selfplay, this library's own; maskable_ppo, sb3-contrib's; "
    "afterstates, TD(lambda) on what each choice would leave; dmc, deep Monte Carlo; "
    "dqn, masked double DQN; nfsp, neural fictitious self-play; "
    "expert_iteration, the policy learns what thinking ahead makes of it; "
    "rollout_iteration, it learns what pays more than what an agent does, who plays on; "
    "counterfactual, it learns what would have paid more than what it did; or one that was registered"
)


@dataclass
class TrainConfig:
    """What every algorithm has: each key, its default and what it means. Raises ConfigError for what cannot be."""

    game: str = key("", "the game, as `sobremesa games` lists it")
    algorithm: str = key("", ALGORITHM)
    seed: Seed = key(0, "of the run: the same seed gives the same run on the same machine and versions")
    steps: Annotated[int, Meta(ge=1, le=10**15)] = key(
        2_000_000, "decisions of the learner to train on, no more (maskable_ppo stops at whole rounds of its tables)"
    )
    threads: Annotated[int, Meta(ge=1, le=64)] = key(2, "of PyTorch; another number gives another run")
    tables: Count = key(256, "tables played at once")
    setup: dict[str, Any] = key({}, "setup fields of the game; a list of values is dealt out over the tables")
    batch_size: Annotated[int, Meta(ge=2)] = key(2048, "decisions in a gradient step")
    epochs: Count = key(4, "times each decision is learnt from (from a replay buffer: on average)")
    learning_rate: Positive = key(5e-4, "of Adam, falling linearly to a tenth")
    hidden: Widths = key([128, 128], "sizes of the layers of policy and value network")
    evaluate_every: Count = key(500_000, "decisions between evaluations")
    evaluate_deals: Count = key(200, "deals in an evaluation, each in all seatings")
    evaluate_against: list[str] = key([], "agents to evaluate against; none for `random` and the scripted ones")

    def __post_init__(self) -> None:
        if type(self) not in kinds():
            names = " or ".join(kind.__name__ for kind in kinds())
            raise ConfigError(f"{type(self).__name__} is a part of configurations; take {names}, or register it")
        for name, kind in get_type_hints(type(self), include_extras=True).items():
            setattr(self, name, fit(name, getattr(self, name), kind))
        self._check()

    def _check(self) -> None:
        """Raise ConfigError for values that are no use together."""
        for name, value in self.setup.items():
            require(value != [], f"setup.{name}", value, "a value, or a list of one at least")


@dataclass
class LoopConfig(TrainConfig):
    """What runs of our own loop have (loop.py)."""

    minutes: Weight = key(0.0, "stop after so many minutes, if `steps` are not done by then; 0 for no such limit")
    checkpoint_every: Count = key(200_000, "decisions between checkpoints to resume from; two are kept")
    average: Chance = key(
        0.0,
        "part of the run, at its end, over which the mean of the weights is kept, for `--checkpoint average`; 0: none",
    )


@dataclass
class TaughtConfig(LoopConfig):
    """What runs with a teacher have (teacher.py)."""

    teacher: str = key(
        "",
        "a scripted agent whose choices the policy is drawn to at first, or (afterstates, expert_iteration) that plays "
        "deals at first; none if empty",
    )
    teacher_weight: Weight = key(
        1.0, "weight of these choices, or part of the deals, at first, falling linearly to nothing"
    )
    teacher_until: Part = key(0.5, "part of the run after which they weigh nothing")


@dataclass
class NetworkConfig(TrainConfig):
    """What networks have that treat some blocks of the observation apart."""

    grids: list[str] = key([], "blocks of the observation, with height and width, that go through convolutions first")
    channels: Width = key(16, "of these convolutions")
    pointers: bool = key(
        False,
        "score actions that are about a row of a block (a card, an end), or a cell of `grids`, by weights "
        "that all of them share",
    )
    roles: str = key("", "block of the observation that names a role (one-hot); each role gets networks of its own")
    apart: list[Whole] = key([], "numbers of `roles` that have such networks, the others share theirs; all if empty")
    facing: str = key(
        "",
        "block of the observation whose first numbers tell (one-hot) from which side the seat looks, such as `homes`; "
        "networks see views turned to the first side, and as they are if empty; refused where a game cannot be turned",
    )
    start: str = key("", "a bot of a network like this with whose weights the policy begins; none if empty")


@dataclass
class ThinkingConfig(NetworkConfig):
    """What algorithms have that learn from thinking ahead."""

    share: Part = key(0.1, "part of the decisions that are thought about; the policy learns from these alone")
    worlds: Annotated[int, Meta(ge=1, le=10_000)] = key(16, "worlds in which each candidate is played on")
    candidates: Annotated[int, Meta(ge=2, le=10_000)] = key(
        12, "the most actions that are thought about; more are drawn from the policy without putting back"
    )
    window: Count = key(8192, "decisions that were thought about and are kept to learn from, the latest")
    workers: Annotated[int, Meta(ge=1, le=256)] = key(1, "threads that think; any number gives the same run")


def kinds() -> list[type["TrainConfig"]]:
    """Return the configurations of all algorithms."""
    return [algorithm.config for algorithm in registered()]
