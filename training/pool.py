"""Who sits at the seats that the learner does not hold: agents that were named, and snapshots of the learner.

Snapshots are files, `pool/<decisions>.safetensors`, and `pool/pool.json` says how the learner does against each. Those
that beat it are met more often: a snapshot of which the learner wins the share p is drawn with weight (1 - p)^2, the
"hard" priority of prioritised fictitious self-play (Vinyals et al. 2019).
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.training.config import SELF, SNAPSHOTS, TrainConfig
from sobremesa.training.evaluation import load_agent, policy_parts
from sobremesa.training.policy import PolicyAgent, PolicyNet, load_weights, save_weights

FOLDER, INDEX = "pool", "pool.json"
LEARNER = 0  # the learner's place among those who sit at the tables
MEMORY_OF_RESULTS = 0.02  # how much one meeting counts in the share of a snapshot
LOWEST_PRIORITY = 0.01


@dataclass
class Snapshot:
    """What the learner was after `steps` decisions, and how it has done against it since."""

    steps: int
    share: float = 0.5  # of the meetings that the learner won, late ones counting more
    meetings: int = 0

    @property
    def priority(self) -> float:
        """How much there is to learn from it."""
        return float((1 - self.share) ** 2 + LOWEST_PRIORITY)

    @property
    def file(self) -> str:
        """The name of its file of weights."""
        return f"{self.steps:012}.safetensors"


class Pool:
    """The opponents of a run. Places: 0 is the learner, then the named agents, then `config.pool` for snapshots.

    Raises ConfigError for an opponent that does not exist.
    """

    def __init__(self, config: TrainConfig, game: Game) -> None:
        self.config, self.cooperative = config, game.cooperative
        named = {name: weight for name, weight in config.opponents.items() if name not in (SELF, SNAPSHOTS)}
        self.named = [load_agent(f"opponents.{name}", name, game) for name in named]
        self._named_weights = list(named.values())
        self.first = 1 + len(self.named)  # place of the first snapshot
        count = config.pool if config.opponents.get(SNAPSHOTS, 0) > 0 else 0
        parts = policy_parts(config)
        self.nets = [PolicyNet(game, **parts).requires_grad_(False) for _ in range(count)]
        self.members: list[Snapshot | None] = [None] * count
        self.active: list[int] = []  # members that are met in new deals

    @property
    def agents(self) -> list[Agent]:
        """The agents at places 1 and following."""
        snapshots = [PolicyAgent(f"snapshot {number}", net) for number, net in enumerate(self.nets)]
        return [*self.named, *snapshots]

    def odds(self) -> np.ndarray:
        """Return how likely each place is to be drawn for a seat; while there are no snapshots, the learner sits in."""
        odds = np.zeros(self.first + len(self.members))
        odds[LEARNER] = self.config.opponents.get(SELF, 0.0)
        odds[1 : self.first] = self._named_weights
        share = self.config.opponents.get(SNAPSHOTS, 0.0)
        for number in self.active:
            odds[self.first + number] = share / len(self.active)
        if not self.active:
            odds[LEARNER] += share
        return np.asarray(odds / odds.sum())

    def add(self, folder: Path, steps: int, net: PolicyNet, rng: np.random.Generator) -> None:
        """Keep `net` as a snapshot, in the place of the least worthwhile one if the pool is full, and draw who is met.

        The deals in which a snapshot that makes room sits go on with the new one.
        """
        if not self.members:
            return
        priorities = [np.inf if one is None else -one.priority for one in self.members]
        place = int(np.argmax(priorities))
        snapshot = Snapshot(steps)
        (folder / FOLDER).mkdir(exist_ok=True)
        save_weights(folder / FOLDER / snapshot.file, net)
        self.nets[place].load_state_dict(net.state_dict())
        self.members[place] = snapshot
        self._draw_active(rng)
        write_whole(folder / FOLDER / INDEX, json.dumps(self.state(), indent=1))

    def _draw_active(self, rng: np.random.Generator) -> None:
        there = [number for number, one in enumerate(self.members) if one is not None]
        weights = np.array([one.priority for one in self.members if one is not None])
        size = min(self.config.snapshots, len(there))
        self.active = sorted(int(one) for one in rng.choice(there, size, replace=False, p=weights / weights.sum()))

    def count(self, places: np.ndarray, payoffs: np.ndarray) -> None:
        """Learn from finished deals how the learner does: `places (n, S)` who sat where, NOBODY elsewhere, and payoffs.

        The learner wins a meeting with a snapshot if its seats were paid more than that snapshot's seat on average; in
        a cooperative game as far as both were paid.
        """
        if not self.members or not (places >= self.first).any():
            return
        mine = places == LEARNER
        paid = (payoffs * mine).sum(1) / mine.sum(1)
        for number, member in enumerate(self.members):
            rows, seats = np.nonzero(places == self.first + number)
            if member is not None and len(rows):
                won = 0.5 + 0.5 * np.sign(paid[rows] - payoffs[rows, seats])
                results = paid[rows] if self.cooperative else won
                kept = (1 - MEMORY_OF_RESULTS) ** len(rows)
                member.share = float(kept * member.share + (1 - kept) * results.mean())
                member.meetings += len(rows)

    def state(self) -> dict[str, Any]:
        """Return all but the weights, fit for JSON."""
        return {"members": [None if one is None else asdict(one) for one in self.members], "active": self.active}

    def files(self) -> set[str]:
        """Return the names of the files of the snapshots that are in the pool."""
        return {one.file for one in self.members if one is not None}

    def restore(self, folder: Path, state: dict[str, Any]) -> None:
        """Take over what `state` returned, and the weights of the snapshots; raise ValueError if a file is damaged."""
        self.members = [None if one is None else Snapshot(**one) for one in state["members"]]
        self.active = list(state["active"])
        for member, net in zip(self.members, self.nets, strict=True):
            if member is not None:
                load_weights(folder / FOLDER / member.file, net)
