"""Search distilled into values of afterstates, by rollouts at the positions of the learner.

At sampled decisions the run evaluates the most promising choices, and some others, in the same determinizations: the
scripted agent that lists them plays on for some decisions, and its value estimate ends the rollout. That is a one-ply
search. The network learns the differences between the choices of a decision (approximate policy iteration by rollouts,
Lagoudakis and Parr 2003), at the positions where its own play leads (DAgger, Ross et al. 2011).

The network may start from a bot of afterstates (`start`), whose estimate it corrects.

Letters: `k` samples, `C` candidates, `W` worlds, `r` choices, `f` features.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.agents.afterstates import Choices, best_choices, list_choices
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds
from sobremesa.envs.core.agent import View, new_stream
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import table_kernels
from sobremesa.training.algorithms.action_values import descend
from sobremesa.training.algorithms.afterstates import worth_net
from sobremesa.training.config.classes import AfterstateRolloutsConfig, ConfigError
from sobremesa.training.data.deals import play_deals
from sobremesa.training.data.sample_buffer import SampleBuffer
from sobremesa.training.runs.evaluation import load_agent, setup_per_table
from sobremesa.training.runs.loop import DealsLoop, weights_of

NO_CANDIDATE = -1
AT_RANDOM = 0.25  # part of the candidates that are drawn from the less promising choices
TEMPERATURE = 0.02  # win chance that counts for a factor of e where choices are compared
# Weights of the parts of the loss: differences between choices, their mean, and the softmax of the choices.
DIFFERENCES, MEANS, SOFTMAX = 100.0, 10.0, 0.05


class Sampled(NamedTuple):
    """Sampled decisions, before their rollouts."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8 observations
    masks: np.ndarray  # (k, A) int8
    candidates: np.ndarray  # (k, C) int16, numbers of choices, NO_CANDIDATE behind them
    states: np.ndarray  # (k,) tables
    seeds: np.ndarray  # (k,) int64, of worlds and chance


class Training(DealsLoop):
    """A run: the network, the tables, and the latest samples."""

    config: AfterstateRolloutsConfig

    def begin(self, new: bool) -> None:
        config = self.config
        torch.manual_seed(config.seed)
        self.learned = self.net = worth_net(config, self.game)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), 0.0, fused=True)
        self.rng = np.random.default_rng(config.seed)
        agent = load_agent("afterstates", config.afterstates.partition(".")[0], self.game)
        try:
            self.rollouts = Rollouts(self.game, agent, config.plies)
            self.tables = VectorEnv(self.game, config.tables, copy=False, dtype="uint8", **setup_per_table(config))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"plies or setup: {error}") from None
        self.kept = SampleBuffer(
            config.window,
            codes=np.zeros((0, self.game.layout.width), np.uint8),
            masks=np.zeros((0, self.game.num_actions), np.int8),
            candidates=np.zeros((0, config.candidates), np.int16),
            worths=np.zeros((0, config.candidates), np.float32),
        )

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from the deals within the budget of steps."""
        sampled, payoffs, lengths = self._play()
        within = self.within(lengths)
        if not within.any():
            return {}
        sampled = Sampled(*(column[within[sampled.table]] for column in sampled))
        worths = np.array([self._values(sampled, one) for one in range(len(sampled.table))], np.float32)
        self.kept.add(codes=sampled.codes, masks=sampled.masks, candidates=sampled.candidates, worths=worths)
        metrics = self._learn(len(worths))
        self.steps += int(lengths[within].sum())
        return metrics | {
            "samples/new": len(worths),
            "deals/payoff": float(payoffs[within, 0].mean()),
            "deals/plies": float(lengths[within].mean()),
        }

    def _play(self) -> tuple[Sampled, np.ndarray, np.ndarray]:
        """Play a deal at each table; return samples, payoffs `(N, seats)` and lengths `(N,)`."""
        seed, sampled = int(self.rng.integers(2**62)), list[Sampled]()

        def choose(rows: np.ndarray, seen: VectorStep) -> np.ndarray:
            codes, masks = seen.observations[rows], seen.masks[rows]
            choices = list_choices(self.net.afterstates, self.game.layout.decode(codes), masks)
            worths = choices.worths(self.net.value)
            taken = best_choices(choices, worths, len(rows))
            some, candidates = self._candidates(choices, worths, len(rows))
            seeds = self.rng.integers(2**62, size=len(some))
            states = self.tables.states[rows[some]]
            sampled.append(Sampled(rows[some], codes[some], masks[some], candidates, states, seeds))
            actions: np.ndarray = masks.argmax(1)
            actions[taken >= 0] = choices.actions[taken[taken >= 0]]
            return actions

        payoffs, lengths = play_deals(self.tables, seed, choose)
        return Sampled(*(np.concatenate(part) for part in zip(*sampled, strict=True))), payoffs, lengths

    def _candidates(self, choices: Choices, worths: np.ndarray, views: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the sampled views `(k,)`, where a whole turn is chosen, and the candidates of each `(k, C)`."""
        most = self.config.candidates
        counts = np.bincount(choices.view, minlength=views)
        turns = np.bincount(choices.view[choices.whole == 0], minlength=views) > 0
        some = np.flatnonzero((self.rng.random(views) < self.config.share) & turns & (counts > 1))
        found = np.full((len(some), most), NO_CANDIDATE, np.int16)
        first = np.cumsum(counts) - counts
        for row, view in enumerate(some):
            order = np.argsort(-worths[first[view] : first[view] + counts[view]], kind="stable")
            best = order[: most - int(most * AT_RANDOM)]
            others = self.rng.permutation(order[len(best) :])[: most - len(best)]
            found[row, : len(best) + len(others)] = np.concatenate([best, others])
        return some, found

    def _values(self, sampled: Sampled, one: int) -> np.ndarray:
        """Return the mean payoff of each candidate of sample `one`, `(C,)`; 0 where there is none."""
        state, seed, count = sampled.states[one : one + 1], int(sampled.seeds[one]), self.config.worlds
        mask, there = sampled.masks[one], sampled.candidates[one] != NO_CANDIDATE
        observation = self.game.layout.decode(sampled.codes[one : one + 1])
        choices = list_choices(self.net.afterstates, observation, mask[None])
        view = View(self.game, int(state["seat"][0]), observation[0], mask, state, new_stream(seed))
        worlds, chances = sample_worlds(view, seed, 0, count), seeds_of(CHANCE, seed, range(count))
        rows = sampled.candidates[one][there]
        worths = np.where(choices.settled[rows] > 0, 1.0, 0.0).astype(np.float32)
        for action in np.unique(choices.actions[rows]):
            group = (choices.actions[rows] == action) & (choices.settled[rows] == 0)
            if group.any():
                worths[group] = self._rollouts(state, worlds, chances, int(action), choices.features[rows[group]])
        found = np.zeros(len(there), np.float32)
        found[there] = worths
        return found

    def _rollouts(
        self, state: np.ndarray, worlds: np.ndarray, chances: np.ndarray, action: int, features: np.ndarray
    ) -> np.ndarray:
        """Return the mean payoffs `(n,)` of the choices with these `features` `(n, f)` that begin with `action`.

        A choice of two decisions is continued by the choice with the same afterstate.
        """
        seat, step = int(state["seat"][0]), table_kernels(self.game).step
        observation, mask = np.zeros(self.game.layout.size, np.float32), np.zeros(self.game.num_actions, np.int8)
        step(after := state.copy(), action, observation, mask)
        following = list_choices(self.net.afterstates, observation[None], mask[None])
        same = (following.features[None] == features[:, None]).all(2) & (following.whole == 1)
        if after["over"][0] or after["seat"][0] != seat or not same.any(1).all():  # the choice was one decision
            return np.repeat(self.rollouts.payoffs(worlds, np.array([action]), chances)[:, 0, seat].mean(), len(same))
        begun = worlds.copy()
        for world in range(len(begun)):
            step(begun[world : world + 1], action, observation, mask)
        candidates, place = np.unique(following.actions[same.argmax(1)], return_inverse=True)
        found: np.ndarray = self.rollouts.payoffs(begun, candidates, chances)[:, :, seat].mean(0)[place]
        return found

    def _learn(self, new: int) -> dict[str, float]:
        """Take gradient steps for `new` samples, each `epochs` times on average; return the mean loss."""
        config, losses = self.config, []
        for _ in range(-(-new * config.epochs // config.batch_size) if self.kept.count else 0):
            loss = self.loss(*self.kept.take(self.rng.integers(self.kept.count, size=config.batch_size)))
            losses.append(descend(self.optimizer, loss, config.learning_rate, self.done))
        return {"loss/value": float(np.mean(losses))} if losses else {}

    def loss(self, codes: np.ndarray, masks: np.ndarray, candidates: np.ndarray, worths: np.ndarray) -> torch.Tensor:
        """Return the loss of a batch of samples, `worths` `(k, C)` being the payoffs of `candidates` `(k, C)`."""
        choices = list_choices(self.net.afterstates, self.game.layout.decode(codes), masks)
        first = np.searchsorted(choices.view, np.arange(len(masks)))
        there = candidates != NO_CANDIDATE
        rows = (first[:, None] + candidates)[there]
        odds = self.net(torch.from_numpy(choices.features[rows]))
        settled = torch.from_numpy(choices.settled[rows].astype(np.float32))
        found = torch.zeros(there.shape)
        found[torch.from_numpy(there)] = torch.where(settled == 0, torch.sigmoid(odds), (settled > 0).float())
        return difference(found, torch.from_numpy(worths), torch.from_numpy(there))

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights and samples."""
        return {"value": weights_of(self.net), "samples": self.kept.arrays()}

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, and the number of samples so far."""
        return super().numbers() | {"samples": self.kept.added}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the number of samples, too."""
        super().restore(arrays, numbers)
        self.kept.added = int(numbers["samples"])


def difference(found: torch.Tensor, wanted: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """Return the loss of estimates `found` `(k, C)` of win chances `wanted`, of the candidates that are `there`."""
    count, none = there.sum(1), ~there
    off = (found - wanted).masked_fill(none, 0.0)
    mean = off.sum(1) / count
    between = (off - mean[:, None]).masked_fill(none, 0.0).square().sum() / count.sum()
    logs = (found / TEMPERATURE).masked_fill(none, -torch.inf).log_softmax(1).masked_fill(none, 0.0)
    policy = (wanted / TEMPERATURE).masked_fill(none, -torch.inf).softmax(1)
    return DIFFERENCES * between + MEANS * mean.square().mean() - SOFTMAX * (policy * logs).sum(1).mean()
