"""Opponent pool: named agents and snapshots of the learner.

Snapshots are files, `pool/<decisions>.safetensors`; `pool/pool.json` has the learner's win rates. The learner meets
strong snapshots more often: a snapshot that it beats at the rate p has the weight (1 - p)^2, the "hard" priority of
prioritised fictitious self-play (Vinyals et al. 2019).
"""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import SELF, SNAPSHOTS, SelfPlayConfig
from sobremesa.training.networks.policy import PolicyAgent, PolicyNet, load_weights, save_weights
from sobremesa.training.runs import processes
from sobremesa.training.runs.evaluation import load_agent, policy_parts

FOLDER, INDEX = "pool", "pool.json"
LEARNER = 0  # index of the learner among the players
MEMORY_OF_RESULTS = 0.02  # weight of one deal in the win rate against a snapshot
LOWEST_PRIORITY = 0.01


@dataclass
class Snapshot:
    """The learner after `steps` decisions, and the current learner's win rate against it."""

    steps: int
    win_rate: float = 0.5  # of the learner against it, an exponential average
    deals: int = 0  # with both at tables of this process, counted by seat
    exploiter: bool = False  # not a snapshot, but an exploiter of the learner (league.py)

    @property
    def priority(self) -> float:
        """The weight with which it is drawn."""
        return float((1 - self.win_rate) ** 2 + LOWEST_PRIORITY)

    def add_results(self, deals: int, won: float) -> None:
        """Update the win rate after `deals` more deals, of which the learner won the part `won`."""
        kept = (1 - MEMORY_OF_RESULTS) ** deals
        self.win_rate = float(kept * self.win_rate + (1 - kept) * won)
        self.deals += deals

    @property
    def file(self) -> str:
        """The name of its file of weights."""
        return f"{self.steps:012}{'x' * self.exploiter}.safetensors"

    @classmethod
    def read(cls, saved: dict[str, Any]) -> "Snapshot":
        """Return the snapshot that `saved` describes."""
        if type(saved["steps"]) is not int:  # part of the file name
            raise TypeError(f"a snapshot after {saved['steps']!r:.100} decisions")
        return cls(saved["steps"], saved["share"], saved["meetings"], saved.get("exploiter", False))

    def saved(self) -> dict[str, Any]:
        """Return its fields for JSON."""
        what = {"exploiter": True} if self.exploiter else {}
        return {"steps": self.steps, "share": self.win_rate, "meetings": self.deals} | what


class OpponentPool:
    """The opponents of a run. Indices: 0 is the learner, then the named agents, then `config.pool_size` snapshots.

    Raises ConfigError for an opponent that does not exist.
    """

    def __init__(self, config: SelfPlayConfig, game: Game) -> None:
        self.config, self.nature = config, nature(game)
        named = {name: weight for name, weight in config.opponents.items() if name not in (SELF, SNAPSHOTS)}
        self.named = [load_agent(f"opponents.{name}", name, game) for name in named]
        self._named_weights = list(named.values())
        self.first = 1 + len(self.named)  # index of the first snapshot
        count = config.pool_size if config.opponents.get(SNAPSHOTS, 0) > 0 else 0
        self.new_net = partial(PolicyNet, game, **policy_parts(config))
        self.nets = [self.new_net().requires_grad_(False) for _ in range(count)]
        self.members: list[Snapshot | None] = [None] * count
        self.active: list[int] = []  # members in new deals
        self.match: Match | None = None  # the tables, once they exist
        self.leaving: dict[int, Snapshot] = {}  # replaced snapshots that still finish deals, by index

    @property
    def agents(self) -> list[Agent]:
        """The agents at indices 1 and following."""
        snapshots = [PolicyAgent(f"snapshot {number}", net) for number, net in enumerate(self.nets)]
        return [*self.named, *snapshots]

    def odds(self) -> np.ndarray:
        """Return the probability of each index at a seat; without snapshots the learner takes their part."""
        odds = np.zeros(self.first + len(self.members))
        odds[LEARNER] = self.config.opponents.get(SELF, 0.0)
        odds[1 : self.first] = self._named_weights
        weight = self.config.opponents.get(SNAPSHOTS, 0.0)
        for number in self.active:
            odds[self.first + number] = weight / len(self.active)
        if not self.active:
            odds[LEARNER] += weight
        return np.asarray(odds / odds.sum())

    def add(self, folder: Path, steps: int, net: PolicyNet, rng: np.random.Generator, exploiter: bool = False) -> None:
        """Add `net` as a snapshot or `exploiter`, in place of the lowest priority if the pool is full; draw the active
        ones.

        A replaced snapshot finishes the deals that it is in, and they count for it.
        """
        if not self.members:
            return
        priorities = [np.inf if one is None else -one.priority for one in self.members]
        index = int(np.argmax(priorities))
        snapshot = Snapshot(steps, exploiter=exploiter)
        (folder / FOLDER).mkdir(exist_ok=True)
        save_weights(folder / FOLDER / snapshot.file, net)
        self._make_room(index)
        self.nets[index].load_state_dict(net.state_dict())
        self.members[index] = snapshot
        self._draw_active(rng)
        write_whole(folder / FOLDER / INDEX, json.dumps(self.state(), indent=1))

    def _make_room(self, index: int) -> None:
        """Move snapshot `index` to another place, where it finishes its deals."""
        member = self.members[index]
        if self.match is not None and member is not None:
            place = self.match.replace_agent(self.first + index, self._leaving_agent(self.nets[index]))
            if place >= 0:
                self.leaving[place] = member

    def copied(self, net: PolicyNet) -> PolicyNet:
        """Return a network like `net` that does not learn."""
        with torch.random.fork_rng(devices=[]):  # initial weights must not advance the global stream
            made = self.new_net().requires_grad_(False)
        made.load_state_dict(net.state_dict())
        return made

    def _leaving_agent(self, net: PolicyNet) -> PolicyAgent:
        return PolicyAgent("snapshot that made room", self.copied(net))

    def _active_replaced(self) -> dict[int, Snapshot]:
        """Return the replaced snapshots that still play."""
        seated = set() if self.match is None else set(self.match.seating.ravel().tolist())
        return {place: one for place, one in self.leaving.items() if place in seated}

    def _draw_active(self, rng: np.random.Generator) -> None:
        there = [number for number, one in enumerate(self.members) if one is not None]
        weights = np.array([one.priority for one in self.members if one is not None])
        size = min(self.config.snapshots, len(there))
        self.active = sorted(int(one) for one in rng.choice(there, size, replace=False, p=weights / weights.sum()))

    def count(self, seating: np.ndarray, payoffs: np.ndarray) -> None:
        """Update win rates from finished deals: `seating` and `payoffs` `(n, S)`, `NOBODY` at empty seats.

        The learner wins if its seats were paid more on average than the snapshot's seat; in a cooperative game the
        result is the payoff of both.
        """
        if not self.members or not (seating >= self.first).any():
            return
        mine = seating == LEARNER
        paid = (payoffs * mine).sum(1) / mine.sum(1)
        for place, member in (*enumerate(self.members, self.first), *self.leaving.items()):
            deals, seats = np.nonzero(seating == place)
            if member is not None and len(deals):
                member.add_results(len(deals), float(self.nature.won(paid[deals], payoffs[deals, seats]).mean()))

    def share_win_rates(self) -> None:
        """Set each win rate to its mean over the processes of the run."""
        rates = processes.gather([one and one.win_rate for one in self.members])
        for member, *found in zip(self.members, *rates, strict=True):
            if member is not None:
                member.win_rate = float(np.mean(found))

    def win_rates(self) -> dict[str, float]:
        """Return the learner's win rate against each snapshot that it has met, by name."""
        met = (one for one in self.members if one is not None and one.deals)
        return {f"snapshots/{one.file.removesuffix('.safetensors')}": one.win_rate for one in met}

    def state(self) -> dict[str, Any]:
        """Return the state without weights, for JSON."""
        leaving = {str(place): one.saved() for place, one in self._active_replaced().items()}
        members = [None if one is None else one.saved() for one in self.members]
        return {"members": members, "active": self.active} | ({"leaving": leaving} if leaving else {})

    def files(self) -> set[str]:
        """Return the file names of the snapshots in the pool or with unfinished deals."""
        return files_of(self.state())

    def restore(self, folder: Path, state: dict[str, Any]) -> None:
        """Restore `state` and the weights of the snapshots; raise ValueError if a file is damaged.

        `match` has the deals in progress.
        """
        self.members = [None if one is None else Snapshot.read(one) for one in state["members"]]
        self.active = list(state["active"])
        for member, net in zip(self.members, self.nets, strict=True):
            if member is not None:
                load_weights(folder / FOLDER / member.file, net)
        self.leaving = {int(place): Snapshot.read(one) for place, one in state.get("leaving", {}).items()}
        for place, one in self.leaving.items():
            assert self.match is not None
            agent = self._leaving_agent(self.nets[0])
            load_weights(folder / FOLDER / one.file, agent.net)
            while len(self.match.agents) <= place:
                self.match.add(agent)
            self.match.agents[place] = agent


def files_of(state: dict[str, Any]) -> set[str]:
    """Return the file names of the weights that belong to a state of the pool."""
    there = [*state["members"], *state.get("leaving", {}).values()]
    return {Snapshot.read(one).file for one in there if one is not None}
