"""Deals with rollouts of several actions at sampled decisions, on a device: see data/counterfactuals.py.

All deals of an update run side by side, then all rollouts from their sampled decisions, each in a row of a queue. The
networks play all rows together.

Letters: as in data/counterfactuals.py; `R` rows.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.agents.exported import pick_action
from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.device.queue import Jobs, RolloutQueue, Views, rows_of
from sobremesa.envs.core.device.rollouts import AS_IT_IS, CUT, RUNNING
from sobremesa.envs.core.device.vector import padded
from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms.device.deals import deals_program, world_seeds
from sobremesa.training.data.counterfactuals import MOST_VIEWS, NOBODY, Begun, Deals, RolloutSettings, Samples
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.reader import Reader

ROWS = {"cuda": 2**17, "cpu": 2**10}  # rollouts at once
VALUES_AT_ONCE = 2**16  # views


class _Taken(NamedTuple):
    """The sampled decisions of one step of all deals."""

    deal: torch.Tensor  # (k,) int64
    states: torch.Tensor  # (k, bytes)
    codes: torch.Tensor  # (k, W) uint8
    advice: torch.Tensor  # (k,) int64
    candidates: torch.Tensor  # (k, C) int64
    chances: torch.Tensor  # (k,) int64


class _Starts(NamedTuple):
    """The deals where a part begins at one step."""

    deal: torch.Tensor  # (k,) int64
    views: torch.Tensor  # (k, S * W) uint8, of all seats


class DevicePlayer:
    """Plays deals of `game` on a device; see `data.counterfactuals.Player`, which has the same methods."""

    def __init__(self, game: Game, until: str, device: torch.device, greedy: bool) -> None:
        self._game, self._until, self._device, self._greedy = game, until, device, greedy
        self._reader = Reader(game.layout, device)
        self._nets: list[PolicyNet] = []
        self.rollouts = 0  # played so far

    def take_over(self, policy: PolicyNet, value: Net, others: np.ndarray) -> None:
        """Set the weights of the policies; `others` `(P, M)` are as `numbers_of` returns them."""
        self._nets = [deepcopy(policy).requires_grad_(False).to(self._device)]
        self._value = deepcopy(value).requires_grad_(False).to(self._device)
        self._others, self._loaded = others, dict[int, PolicyNet]()
        self._advise = policy.advisor.kernel if policy.advisor else None
        self._queue = RolloutQueue(
            self._game, self._logits, self._device, ROWS[self._device.type], pick=pick_action, greedy=self._greedy,
            until=self._until, advise=self._advise,
        )  # fmt: skip

    @staticmethod
    def numbers_of(policy: PolicyNet) -> np.ndarray:
        """Return the weights of `policy` in one row, `(M,)` float32."""
        return np.concatenate([one.detach().cpu().numpy().reshape(-1) for one in policy.state_dict().values()])

    def play(
        self, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int, wishes: RolloutSettings
    ) -> Deals:
        """Play a deal at each of `tables` `(n,)` from `seeds` `(n,)`; see `data.counterfactuals.Player.play`."""
        with torch.no_grad(), _any_order():
            self._load(seating)
            table = _Tables(self, tables, seeds, seating, min(candidates, self._game.num_actions), wishes)
            taken, begun = table.play(self._logits)
            payoffs, plies = table.rows["payoffs"].cpu().numpy(), table.rows["plies"].cpu().numpy()
            samples = self._samples(taken, table.seating, wishes)
            starts = self._begun(begun, payoffs, seating, tables["seats"].astype(np.int64))
            return Deals(samples, starts, payoffs, plies)

    def _load(self, seating: np.ndarray) -> None:
        """Make a network of each of the others that plays."""
        for who in np.unique(seating[seating > 0]).tolist():
            if who not in self._loaded:
                net, row, place = deepcopy(self._nets[0]), torch.from_numpy(self._others[who - 1]), 0
                weights = {}
                for name, weight in net.state_dict().items():
                    weights[name] = row[place : place + weight.numel()].reshape(weight.shape)
                    place += weight.numel()
                net.load_state_dict(weights)
                self._loaded[who] = net

    def _logits(self, views: Views) -> torch.Tensor:
        """Return the logits of the player to act in each row, `(R, A)`."""
        found = self._run(self._nets[0], views)
        for who, net in self._loaded.items():
            rows = torch.nonzero(views.who == who)[:, 0]
            if len(rows):
                found[rows] = self._run(net, Views(*(one[rows] for one in views)))
        return found

    def _run(self, net: PolicyNet, views: Views) -> torch.Tensor:
        return self._reader.outputs(net, views.codes, views.advice)

    def _samples(self, taken: Sequence[_Taken], seating: torch.Tensor, wishes: RolloutSettings) -> Samples:
        """Play the rollouts of all samples; return these, deal by deal."""
        every = _Taken(*(torch.cat(column) for column in zip(*taken, strict=True)))
        every = _Taken(*(column[torch.argsort(every.deal, stable=True)] for column in every))
        count, most = every.candidates.shape
        chosen = every.candidates >= 0
        sample, place = torch.nonzero(chosen, as_tuple=True)
        gains = torch.zeros(count, most, device=self._device)
        chances = every.chances.cpu().numpy()
        for world in range(wishes.worlds):
            seeds, lucks = np.zeros((2, count), np.int64)
            world_seeds(chances, world, seeds, lucks)
            if not wishes.redealt:
                seeds[:] = AS_IT_IS
            worlds, after = (torch.from_numpy(one).to(self._device)[sample] for one in (seeds, lucks))
            jobs = Jobs(every.states, sample, worlds, after, every.candidates[sample, place], seating[every.deal])
            gains[sample, place] += self._payoffs(jobs) / wishes.worlds
            self.rollouts += len(sample)
        gains = torch.where(chosen, gains - gains[:, :1], 0.0)
        advice = every.advice if self._advise is not None else torch.full_like(every.advice, NOBODY)
        kinds = (np.int64, np.uint8, np.int16, np.int16, np.float32)
        columns = (every.deal, every.codes, advice, every.candidates, gains)
        return Samples(*(one.cpu().numpy().astype(kind) for one, kind in zip(columns, kinds, strict=True)))

    def _payoffs(self, jobs: Jobs) -> torch.Tensor:
        """Return the payoff of the seat that acts first in each rollout, or its value estimate where it was cut."""
        ended, seat = self._queue.play(jobs), self._seats(jobs.positions)[jobs.position]
        paid = ended.payoffs.gather(1, seat[:, None])[:, 0]
        cut = torch.nonzero(ended.outcomes == CUT)[:, 0]
        for low in range(0, len(cut), VALUES_AT_ONCE):
            rows = cut[low : low + VALUES_AT_ONCE]
            paid[rows] = self._reader.outputs(self._value, ended.observations[rows])[:, 0]
        return paid

    def _seats(self, states: torch.Tensor) -> torch.Tensor:
        """Return the seats to act in `states`, `(k,)` int64."""
        kind, offset = self._game.state.fields["seat"][:2]  # type: ignore[index]
        assert kind.itemsize == 1
        return states[:, offset].long()

    def _begun(self, begun: Sequence[_Starts], paid: np.ndarray, seating: np.ndarray, seats: np.ndarray) -> Begun:
        """Return the views of the learner's seats at the starts of parts, deal by deal."""
        width = self._game.layout.width
        if not begun:
            return Begun(np.zeros(0, np.int64), np.zeros((0, width), np.uint8), np.zeros(0, np.float32))
        deals = torch.cat([one.deal for one in begun]).cpu().numpy()
        codes = torch.cat([one.views for one in begun]).cpu().numpy().reshape(len(deals), -1, width)
        there = (np.arange(codes.shape[1]) < seats[deals][:, None]) & (seating[deals] == 0)
        row, seat = np.nonzero(there)
        order = np.argsort(deals[row], kind="stable")
        row, seat = row[order], seat[order]
        starts = np.searchsorted(deals[row], deals[row])
        kept = np.arange(len(row)) - starts < MOST_VIEWS
        row, seat = row[kept], seat[kept]
        return Begun(deals[row], codes[row, seat], paid[deals[row], seat])


class _Tables:
    """The deals of one update, one in a row, until all are over."""

    def __init__(
        self, player: DevicePlayer, tables: np.ndarray, seeds: np.ndarray, seating: np.ndarray, candidates: int,
        wishes: RolloutSettings,
    ) -> None:  # fmt: skip
        game, device = player._game, player._device
        self._game, self._device, self._greedy, self._cuts = game, device, player._greedy, bool(player._until)
        count, stages = len(tables), len(wishes.shares)
        self.seating = torch.from_numpy(seating.astype(np.int64)).to(device)

        def zeros(dtype: torch.dtype, *shape: int) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        numbers = ("samples", "plies", "chances", "actions", "parts", "advice")
        whole = {name: zeros(torch.int64, count) for name in numbers}
        flags = {name: zeros(torch.bool, count) for name in ("sampled", "begins")}
        small = {name: zeros(torch.int8, count) for name in ("seats", "outcomes")}
        self.rows = whole | flags | small | {
            "setups": rows_of(tables, device), "seeds": torch.from_numpy(seeds.astype(np.int64)).to(device),
            "states": _padded(zeros, torch.uint8, count, game.state.itemsize),
            "observations": _padded(zeros, torch.uint8, count, game.layout.width),
            "masks": _padded(zeros, torch.int8, count, game.num_actions),
            "streams": zeros(torch.uint8, count, STREAM.itemsize),
            "payoffs": zeros(torch.float32, count, game.max_seats),
            "candidates": zeros(torch.int64, count, candidates),
            "views": zeros(torch.uint8, count, game.max_seats * game.layout.width),
            "shares": torch.tensor(wishes.shares, dtype=torch.float64, device=device).expand(count, -1),
            "explore": torch.tensor([wishes.explore], dtype=torch.float64, device=device).expand(count),
            "temperature": torch.tensor([wishes.temperature], dtype=torch.float64, device=device).expand(count),
        }  # fmt: skip
        self._numbers = {"greedy": self._greedy, "stage": wishes.stage}
        self._program = deals_program(game, player._until, player._advise, candidates, stages, device)

    def play(self, logits: Callable[[Views], torch.Tensor]) -> tuple[list[_Taken], list[_Starts]]:
        """Play all deals; return the sampled decisions and the starts of parts."""
        rows, taken, begun = self.rows, list[_Taken](), list[_Starts]()
        self._run("deal")
        while bool((rows["outcomes"] == RUNNING).any()):
            if self._cuts:
                new = torch.nonzero(rows["begins"])[:, 0]
                begun.append(_Starts(new, rows["views"][new]))
            who = self.seating.gather(1, rows["seats"].long()[:, None])[:, 0]
            views = Views(rows["observations"], rows["masks"], rows["advice"], who)
            self._run("decide", who=who, logits=logits(views).float().contiguous())
            here = torch.nonzero(rows["sampled"])[:, 0]
            names = ("states", "observations", "advice", "candidates", "chances")
            taken.append(_Taken(here, *(rows[name][here] for name in names)))
            self._run("move")
        return taken, begun

    def _run(self, name: str, **given: Any) -> None:
        self._program(name, len(self.seating), 0, self.rows | self._numbers | given)


def _padded(zeros: Callable[..., torch.Tensor], dtype: torch.dtype, count: int, size: int) -> torch.Tensor:
    """Return `(count, size)` zeros in rows that begin at multiples of 16 bytes."""
    return zeros(dtype, count, padded(size))[:, :size]


@contextmanager
def _any_order() -> Iterator[None]:
    """Let PyTorch write to indices in any order, which is faster; here each index is written once."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(False)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
