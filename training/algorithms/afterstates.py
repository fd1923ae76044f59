"""Train by TD(lambda) on afterstates: learn what is worth to have left, from games of all seats against themselves.

As TD-Gammon did (Tesauro 1995): a scripted agent lists the choices of a seat and what each would leave
(`Afterstates`), the best by the network's lights is taken, and the network is fitted to how the odds moved on from
there, and to how the deal ended. Where chance hardly ever wins, a teacher plays some of the deals at first. Read top to
bottom: a run deals a table for each of `tables`, plays all to the end, works out the targets backwards, and learns from
them `epochs` times. Letters: `r` choices, `f` numbers about each.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from sobremesa.agents.afterstates import action_worths, best_choices, list_choices
from sobremesa.agents.exported import pick_actions
from sobremesa.envs.core.agent import Afterstates, Agent, View
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import AfterstatesConfig, ConfigError
from sobremesa.training.data.teacher import Teacher
from sobremesa.training.networks.policy import Learned
from sobremesa.training.runs.evaluation import Progress, load_agent, setup_per_table
from sobremesa.training.runs.loop import Loop, weights_of

LARGEST_GRADIENT = 1.0
NO_ADVICE = -1  # instead of an action
SMALLEST_SPREAD = 0.1  # of a feature: what hardly changes at first may do so later


class WorthNet(Learned):
    """Features `(r, f)` float32 in, worth `(r,)` out: a natural logarithm of the odds of a win.

    Features are taken from their `mean`, in units of their `spread`, as `measure` found them.
    """

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, afterstates: Afterstates, hidden: Sequence[int]) -> None:
        super().__init__()
        self.afterstates = afterstates
        self.register_buffer("mean", torch.zeros(afterstates.size))
        self.register_buffer("spread", torch.ones(afterstates.size))
        layers: list[nn.Module] = []
        for size, following in pairwise([afterstates.size, *hidden]):
            layers += [nn.Linear(size, following), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Linear([afterstates.size, *hidden][-1], 1))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the worth of what choices leave."""
        return torch.as_tensor(self.body((features - self.mean) / self.spread)[:, 0])

    def measure(self, features: np.ndarray) -> None:
        """Take mean and spread of `features` `(r, f)` for those of all."""
        self.mean[:] = torch.from_numpy(features.mean(0))
        self.spread[:] = torch.from_numpy(features.std(0)).clamp(min=SMALLEST_SPREAD)

    def value(self, features: np.ndarray) -> np.ndarray:
        """Return the worth of `features` `(r, f)`, `(r,)`."""
        with torch.inference_mode():
            return self.forward(torch.from_numpy(features)).numpy()

    def agent(self, name: str) -> Agent:
        return AfterstateAgent(name, self)


class AfterstateAgent:
    """A worth network at the table, taking the best choice."""

    def __init__(self, name: str, net: WorthNet) -> None:
        self.name = name
        self.net = net

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return the action that begins the best choice of each row."""
        choices = list_choices(self.net.afterstates, observations, masks)
        actions = np.zeros(len(observations), np.int64)
        worths = action_worths(choices, choices.worths(self.net.value), masks)
        pick_actions(worths, masks, streams, True, actions)
        return actions

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


class Batch(NamedTuple):
    """What was decided in a batch of deals, in the order of time."""

    table: np.ndarray  # (r,) int64
    seat: np.ndarray  # (r,) int64
    features: np.ndarray  # (r, f) float32, of what was chosen
    whole: np.ndarray  # (r,) bool: that is what was left; otherwise the seat had more to say first
    open: np.ndarray  # (r,) bool: it settled nothing yet
    best: np.ndarray  # (r,) float64, the chance to win after the best choice there was
    explored: np.ndarray  # (r,) bool: something else was chosen, at random


class Training(Loop):
    """A run: the network and the tables where all seats play by it."""

    config: AfterstatesConfig

    def __init__(
        self, config: AfterstatesConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        super().__init__(config, folder, progress, record)
        self.afterstates = told_by(config, self.game)
        torch.manual_seed(config.seed)
        self.learned = self.net = WorthNet(self.afterstates, config.hidden)
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.spent = False  # the budget of steps, but for less than a deal
        self.teacher = Teacher(config, self.game) if config.teacher else None
        try:
            self.game.new_tables(config.tables, setup := setup_per_table(config))
            self.tables = VectorEnv(self.game, config.tables, copy=False, **setup)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from them, as far as the budget of steps reaches."""
        batch, payoffs, lengths = self._play()
        within = np.cumsum(lengths) <= self.config.steps - self.steps
        self.spent = not within.all()
        if not within.any():
            return {}
        batch = Batch(*(column[within[batch.table]] for column in batch))
        left = batch.whole & batch.open
        if self.steps == 0:
            self.net.measure(batch.features[left])
        loss = self._learn(batch.features[left], targets_of(batch, payoffs, self.config.gae_lambda)[left])
        self.steps += int(lengths[within].sum())
        paid, plies = float(payoffs[within, 0].mean()), float(lengths[within].mean())
        return {"loss/value": loss, "deals/payoff": paid, "deals/plies": plies}

    @property
    def over(self) -> bool:
        """Whether the next deal would go beyond the budget, too."""
        return self.spent or super().over

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent."""
        return {"spent": self.spent}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore whether the budget is spent, too."""
        super().restore(arrays, numbers)
        self.spent = bool(numbers.get("spent", False))

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        return {"value": weights_of(self.net)}

    def _play(self) -> tuple[Batch, np.ndarray, np.ndarray]:
        """Play a deal at each table; return what was chosen, payoffs `(N, seats)` and the plies of each deal `(N,)`."""
        seen = self.tables.reset(int(self.rng.integers(2**62)))
        count = self.tables.num_envs
        payoffs = np.zeros((count, self.game.max_seats), np.float32)
        playing = np.ones(count, bool)
        taught = self.rng.random(count) < (self.teacher.weight(self.done) if self.teacher else 0.0)
        chosen, plies = [], np.zeros(count, np.int64)
        while playing.any():
            rows = np.flatnonzero(playing)
            advice = np.full(count, NO_ADVICE)
            if self.teacher and taught.any():
                self.teacher.advise(rows[taught[rows]], seen.observations, seen.masks, self.rng, advice)
            part, actions = self._choose(seen.observations[rows], seen.masks[rows], advice[rows])
            chosen.append(part._replace(table=rows[part.table], seat=seen.seats[rows[part.table]].astype(np.int64)))
            everybody = seen.masks.argmax(1)  # tables whose deal is over play on, unheeded
            everybody[rows] = actions
            plies[rows] += 1
            seen = self.tables.step(everybody)
            ended = playing & seen.dones
            payoffs[ended] = seen.payoffs[ended]
            playing &= ~seen.dones
        return Batch(*(np.concatenate(parts) for parts in zip(*chosen, strict=True))), payoffs, plies

    def _choose(self, observations: np.ndarray, masks: np.ndarray, advice: np.ndarray) -> tuple[Batch, np.ndarray]:
        """Return what is chosen in each view that has a choice (`table` is its row, no seat yet), and all actions.

        advice: (n,) actions that are taken whatever they are worth, or NO_ADVICE.
        """
        choices = list_choices(self.afterstates, observations, masks)
        worths = choices.worths(self.net.value)
        best = best_choices(choices, worths, len(masks))
        advised = advice[choices.view]
        fitting = (advised == NO_ADVICE) | (choices.actions == advised)
        taken = best_choices(choices, np.where(fitting, worths, -np.inf), len(masks))
        taken[taken >= 0] = np.where(fitting[taken[taken >= 0]], taken[taken >= 0], -1)
        rows = np.flatnonzero(taken >= 0)
        explored = (self.rng.random(len(rows)) < self.config.explore * (1 - self.done)) & (advice[rows] == NO_ADVICE)
        counts = np.bincount(choices.view, minlength=len(masks))
        drawn = (np.cumsum(counts) - counts)[rows] + self.rng.integers(counts[rows])
        chosen = np.where(explored, drawn, taken[rows])
        actions = np.where(advice == NO_ADVICE, masks.argmax(1), advice)
        actions[rows] = choices.actions[chosen]
        odds = worths[best[rows]].astype(float).clip(-50, 50)
        batch = Batch(
            table=rows,
            seat=rows,
            features=choices.features[chosen],
            whole=choices.whole[chosen] == 1,
            open=choices.settled[chosen] == 0,
            best=1 / (1 + np.exp(-odds)),
            explored=explored & (chosen != taken[rows]),
        )
        return batch, actions

    def _learn(self, features: np.ndarray, targets: np.ndarray) -> float:
        """Fit the network to `targets` `(r,)`; return the mean loss of the last epoch.

        Raises FloatingPointError, with the weights as they are by then, if that is not finite.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.9 * self.done)
        inputs, wanted = torch.from_numpy(features), torch.from_numpy(targets.astype(np.float32))
        losses: list[float] = []
        for _ in range(self.config.epochs):
            losses = []
            order = self.rng.permutation(len(features))
            for rows in np.array_split(order, max(1, -(-len(order) // self.config.batch_size))):
                self.optimizer.zero_grad(set_to_none=True)
                loss = nn.functional.binary_cross_entropy_with_logits(self.net(inputs[rows]), wanted[rows])
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.net.parameters(), LARGEST_GRADIENT)
                self.optimizer.step()
                losses.append(loss.item())
        mean = float(np.mean(losses)) if losses else 0.0
        if not np.isfinite(mean):
            raise FloatingPointError(f"the loss is {mean}; lower learning_rate={self.config.learning_rate}")
        return mean


def told_by(config: AfterstatesConfig, game: Game) -> Afterstates:
    """Return what the agent `config.afterstates` tells of choices; raise ConfigError if it tells nothing."""
    found: Afterstates | None = getattr(load_agent("afterstates", config.afterstates, game), "afterstates", None)
    if found is None:
        raise ConfigError(
            f"afterstates={config.afterstates!r} is not allowed; it takes an agent of {game.name} that tells what "
            "choices leave"
        )
    if not game.cooperative:
        raise ConfigError(f"{game.name} is not cooperative; what is learnt is how likely all win together")
    return found


def targets_of(batch: Batch, payoffs: np.ndarray, decay: float) -> np.ndarray:
    """Return what the worth of each choice of `batch` is to be fitted to, `(r,)`: TD(lambda) with lambda = `decay`.

    It is the payoff after a seat's last choice; else what the seat came to next: the best that it could do there, and,
    unless it then did something else at random (Watkins 1989), what came of it, as lambda mixes them. Where it had more
    to say before anything was left, lambda does not count twice.
    """
    targets = np.zeros(len(batch.table))
    after: dict[tuple[int, int], int] = {}
    for row in range(len(batch.table) - 1, -1, -1):
        whose = int(batch.table[row]), int(batch.seat[row])
        later = after.get(whose)
        if later is None:
            targets[row] = payoffs[whose]
        elif batch.explored[later]:
            targets[row] = batch.best[later]
        else:
            kept = decay if batch.whole[row] else 1.0
            targets[row] = (1 - kept) * batch.best[later] + kept * targets[later]
        after[whose] = row
    return targets
