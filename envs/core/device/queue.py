"""A queue of rollouts by networks on a device: each row plays one, and takes the next one when it has ended."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.device.rollouts import CUT, RUNNING, queue_program
from sobremesa.envs.core.device.vector import padded
from sobremesa.envs.core.game import Game

TURNS = 4  # decisions of the running rows between two looks at those that have ended


class Jobs(NamedTuple):
    """Rollouts to play, `J` of them from `D` positions; tensors on the device."""

    positions: torch.Tensor  # (D, bytes of a state) uint8, in rows as `rows_of` makes them
    position: torch.Tensor  # (J,) int64, from which each one starts
    worlds: torch.Tensor  # (J,) int64, the seed of the determinization, or AS_IT_IS
    chances: torch.Tensor  # (J,) int64, the seed of all chance that follows
    actions: torch.Tensor  # (J,) int64, the first action
    seating: torch.Tensor | None = None  # (D, S) int64, the player of each seat, passed to the networks


class Ended(NamedTuple):
    """How `J` rollouts ended."""

    outcomes: torch.Tensor  # (J,) int8: OVER, CUT or ILLEGAL
    payoffs: torch.Tensor  # (J, S) float32, zeros unless over
    observations: torch.Tensor  # (J, W) uint8 where the rollouts were cut; (0, W) if none can be


class Views(NamedTuple):
    """What networks see of `R` rows."""

    codes: torch.Tensor  # (R, W) uint8
    masks: torch.Tensor  # (R, A) int8
    advice: torch.Tensor  # (R,) int64, the action of the advisor; 0 without one
    who: torch.Tensor  # (R,) int64, the player to act; 0 without a seating


class RolloutQueue:
    """Plays rollouts of `game` in `rows` rows together by `logits`, a function from `Views` to logits `(R, A)` float32.

    Rollouts end at the end of the deal, or where the field `until` of the state changes. `pick` is a kernel
    (logits, mask, stream, greedy) -> action; `advise` is the kernel of a scripted advisor, or None.
    """

    def __init__(
        self, game: Game, logits: Callable[[Views], torch.Tensor], device: torch.device, rows: int, *, pick: Any,
        greedy: bool, until: str = "", advise: Any = None,
    ) -> None:  # fmt: skip
        self._game, self._logits, self._device, self._most = game, logits, device, rows
        self._greedy, self._cuts = greedy, bool(until)
        self._program = queue_program(game, pick, until, advise, device)

    def play(self, jobs: Jobs) -> Ended:
        """Play all rollouts and return how they ended, in the order of `jobs`."""
        count, width = len(jobs.actions), self._game.layout.width
        zeros = self._zeros
        ended = Ended(
            zeros(torch.int8, count + 1), zeros(torch.float32, count + 1, self._game.max_seats),
            zeros(torch.uint8, count + 1 if self._cuts else 0, width),
        )  # fmt: skip
        rows = min(self._most, count)
        self._rows = self._new_rows(rows)
        self._job = torch.arange(rows, device=self._device)
        self._launch(jobs, torch.ones(rows, dtype=torch.bool, device=self._device))
        following = rows
        while rows:
            for _ in range(TURNS):
                self._advance()
            done = (self._rows["outcomes"] != RUNNING) & (self._job < count)
            self._keep(ended, done, count)
            following, rows = self._refill(jobs, done, following, count)
        return Ended(*(tensor[:count] for tensor in ended))

    def _zeros(self, dtype: torch.dtype, *shape: int) -> torch.Tensor:
        return torch.zeros(shape, dtype=dtype, device=self._device)

    def _new_rows(self, rows: int) -> dict[str, torch.Tensor]:
        game, zeros = self._game, self._zeros
        sizes = {"states": game.state.itemsize, "observations": game.layout.width, "masks": game.num_actions}
        kinds = {"masks": torch.int8}
        padded_rows = {name: zeros(kinds.get(name, torch.uint8), rows, padded(size)) for name, size in sizes.items()}
        whole = {name: zeros(torch.int64, rows) for name in ("parts", "advice")}
        small = {name: zeros(torch.int8, rows) for name in ("seats", "asked", "outcomes")}
        return padded_rows | whole | small | {
            "streams": zeros(torch.uint8, rows, STREAM.itemsize), "payoffs": zeros(torch.float32, rows, game.max_seats),
            "who": zeros(torch.int64, rows, game.max_seats),
        }  # fmt: skip

    def _columns(self) -> dict[str, torch.Tensor]:
        game, rows = self._game, self._rows
        sizes = {"states": game.state.itemsize, "observations": game.layout.width, "masks": game.num_actions}
        return rows | {name: rows[name][:, :size] for name, size in sizes.items()}

    def _launch(self, jobs: Jobs, chosen: torch.Tensor) -> None:
        """Start the rollout of each of the `chosen` rows."""
        job = self._job.clamp(max=len(jobs.actions) - 1)
        position = jobs.position[job]
        if jobs.seating is not None:
            self._rows["who"] = torch.where(chosen[:, None], jobs.seating[position], self._rows["who"])
        given = {
            "chosen": chosen, "roots": jobs.positions[position], "worlds": jobs.worlds[job],
            "chances": jobs.chances[job], "actions": jobs.actions[job],
        }  # fmt: skip
        self._program("launch", len(job), 0, self._columns() | given)

    def _advance(self) -> None:
        """Play one decision in each running row."""
        columns = self._columns()
        who = self._rows["who"].gather(1, columns["seats"].long()[:, None])[:, 0]
        logits = self._logits(Views(columns["observations"], columns["masks"], columns["advice"], who))
        given: dict[str, Any] = {"logits": logits.float().contiguous(), "greedy": self._greedy}
        self._program("advance", len(logits), 0, columns | given)

    def _keep(self, ended: Ended, done: torch.Tensor, count: int) -> None:
        """Write the results of the rows that are `done`; those of others go to the place behind all jobs."""
        place, rows = torch.where(done, self._job, count), self._rows
        ended.outcomes[place] = rows["outcomes"]
        ended.payoffs[place] = torch.where((rows["outcomes"] < CUT)[:, None], rows["payoffs"], 0.0)
        if self._cuts:
            ended.observations[place] = self._columns()["observations"]

    def _refill(self, jobs: Jobs, done: torch.Tensor, following: int, count: int) -> tuple[int, int]:
        """Give the rows that are `done` the jobs from `following` on; return the job after these, and the rows left.

        When no job is left, rows without one are dropped as soon as they are half of all.
        """
        self._job = torch.where(done, following - 1 + done.cumsum(0), self._job)
        started = done & (self._job < count)
        following = min(count, following + int(done.sum()))
        if following < count or bool(started.any()):
            self._launch(jobs, started)
        if following < count:
            return following, len(done)
        running = torch.nonzero(self._job < count)[:, 0]
        if 2 * len(running) <= len(done):
            self._rows = {name: tensor[running] for name, tensor in self._rows.items()}
            self._job = self._job[running]
        return following, len(running)


def rows_of(records: np.ndarray, device: torch.device) -> torch.Tensor:
    """Return `(D,)` records as `(D, bytes)` uint8 on the device, in rows that begin at multiples of 16 bytes."""
    size = records.dtype.itemsize
    padded_rows = np.zeros((len(records), padded(size)), np.uint8)
    padded_rows[:, :size] = np.ascontiguousarray(records).view(np.uint8).reshape(len(records), size)
    return torch.from_numpy(padded_rows).to(device)[:, :size]
