"""PPO updates on closed trajectories: networks, losses and epochs (Schulman et al. 2017), with action masks.

`Learner` learns on the processor; device/learner.py has the gradient step on a device.

An optional reference policy (`magnet`), which follows the learner slowly, regularises the policy for games of imperfect
information (magnetic mirror descent, Sokota et al. 2023; Rudolph et al. 2025). Letters as in data/rollout_buffer.py.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import SelfPlayConfig
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.teacher import Teacher
from sobremesa.training.networks.policy import Net, PolicyNet, approach, forbid
from sobremesa.training.networks.ppo_loss import Known, Weights, descend
from sobremesa.training.networks.views import Views
from sobremesa.training.runs import processes
from sobremesa.training.runs.evaluation import policy_parts

VALUE_WEIGHT = 0.5
LARGEST_GRADIENT = 0.5  # norm over all weights
LAST_RATE = 0.1  # the learning rate falls to this part of itself
ADAM_FLOOR = 1e-5


class Losses(NamedTuple):
    """Means over all gradient steps of an update."""

    policy: float
    value: float
    entropy: float
    magnet: float  # divergence from the reference policy
    teacher: float  # cross-entropy of the teacher's choices
    change: float  # estimated divergence from the policy that played
    clipped: float  # part of the decisions with a clipped ratio


class Batch:
    """A closed batch as tensors, which share its arrays."""

    def __init__(self, buffer: RolloutBuffer, config: SelfPlayConfig) -> None:
        self.masks = torch.from_numpy(buffer.masks)
        self.views = Views(torch.from_numpy(buffer.codes), self.masks, buffer.layout)
        self.actions = torch.from_numpy(buffer.actions)
        self.log_probs = torch.from_numpy(buffer.log_probs)
        self.memories = torch.from_numpy(buffer.memories)
        self.returns = torch.from_numpy(buffer.advantages + buffer.values)
        ready = buffer.advantages[buffer.ready]
        mean, deviation = processes.moments(ready.mean(), ready.std(), len(ready))
        self.advantages = torch.from_numpy((buffer.advantages - mean) / (deviation + 1e-8)).float()
        self.units = buffer.pieces(config.unroll) if config.memory else np.flatnonzero(buffer.ready)
        sizes = np.array(processes.gather([len(ready), len(self.units)]))
        self.parts = int(min(-(-sizes[:, 0].sum() // config.batch_size), sizes[:, 1].min()))
        self.magnet: torch.Tensor | None = None  # (R, A), log probabilities of the reference policy
        self.lessons: torch.Tensor | None = None  # (R,), the teacher's actions

    def minibatches(self, rng: np.random.Generator) -> Iterator[torch.Tensor]:
        """Yield the units in random order, in equal parts."""
        for part in np.array_split(rng.permutation(len(self.units)), self.parts):
            yield torch.from_numpy(self.units[part])


class Learner:
    """Policy, value network, reference policy and optimizer."""

    teacher: Teacher | None = None

    def __init__(self, config: SelfPlayConfig, game: Game, begins: bool = True) -> None:
        self.config = config
        parts = policy_parts(config)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy, self.value = PolicyNet(game, **parts), Net(game, "value", **parts)
            self.magnet = PolicyNet(game, **parts).requires_grad_(False) if config.magnet > 0 else None
        if config.start and begins:  # else a checkpoint has the weights
            begin_as(self.policy, config.start, config, game)
        if config.teacher:
            self.teacher = Teacher(config, game)
        if self.magnet is not None:
            self.magnet.load_state_dict(self.policy.state_dict())
        advisor = self.policy.advisor
        self.layout = (advisor.game if advisor else game).layout  # of the policy's input
        nets: dict[str, Net | None] = {"policy": self.policy, "value": self.value, "reference": self.magnet}
        self._nets = {name: net for name, net in nets.items() if net is not None}  # on the processor
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)

    def fetched(self) -> dict[str, Net]:
        """Return the networks on the processor, with the current weights, by their names in files."""
        return self._nets

    def send(self) -> None:
        """Learn on from the weights of the networks on the processor."""

    @property
    def memory(self) -> int:
        """The size M of the memory: the policy's, then the value network's."""
        return 2 * self.config.memory

    def look(
        self, codes: np.ndarray, masks: np.ndarray, memory: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return logits `(n, A)` before the mask, values `(n,)` and the memory `(n, M)` after the decision.

        codes: (n, W) uint8 observations, with any advice.
        """
        views = Views(torch.from_numpy(codes), torch.from_numpy(masks), self.layout)
        before = torch.from_numpy(memory)
        half = self.config.memory
        with torch.inference_mode():
            logits, after = self.policy.run(views, before[:, :half])
            values, value_after = self.value.run(views, before[:, half:])
        both = torch.cat([after, value_after], 1) if half else after
        return logits.numpy(), values[:, 0].numpy(), both.numpy()

    def learn(self, buffer: Any, done: float, rng: np.random.Generator, value_alone: bool = False) -> Losses:
        """Run `config.epochs` epochs over the ready decisions in `buffer`, after the part `done` of the run.

        With `value_alone` the policy does not change. Raises FloatingPointError if a loss is not finite.
        """
        if min(processes.gather(int(buffer.ready.sum()))) < 2:  # in a very short batch all may wait for successors
            return Losses(*[0.0] * len(Losses._fields))
        config, batch = self.config, self._batch(buffer)
        if self.teacher is not None and (taught := self.teacher.weight(done)) > 0:
            batch.lessons = torch.from_numpy(self.teacher.choices(buffer, rng))
        else:
            taught = 0.0
        entropy = config.entropy + (config.entropy_last - config.entropy) * done
        weights = Weights(config.clip, entropy, config.magnet, taught, float(not value_alone), VALUE_WEIGHT)
        self._schedule(config.learning_rate * (1 + (LAST_RATE - 1) * done), weights)
        losses = [self._step(batch, part) for _ in range(config.epochs) for part in batch.minibatches(rng)]
        if self.magnet is not None:
            approach(self.magnet, self.policy, config.magnet_rate)
        means = torch.stack(losses).mean(0).tolist()
        if not np.isfinite(means).all():
            raise FloatingPointError(f"the losses are {means}; lower learning_rate={config.learning_rate}")
        return Losses(*means)

    def _batch(self, buffer: Any) -> Any:
        batch = Batch(buffer, self.config)
        batch.magnet = self._magnet_log_probs(batch)
        return batch

    def _schedule(self, rate: float, weights: Weights) -> None:
        """Set the learning rate and the weights of the loss."""
        self._weights = weights
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def _step(self, batch: Any, part: torch.Tensor) -> torch.Tensor:
        """Take a gradient step on the units `part` of `batch`; return the losses in the order of `Losses`."""
        for weight in self.weights:
            weight.grad = None
        losses = processes.average_gradients(self.weights, self._descend(batch, part), int((part >= 0).sum()))
        self._clip_gradients()
        self.optimizer.step()
        return losses

    def _descend(self, batch: Any, units: torch.Tensor) -> torch.Tensor:
        """Compute the gradients of all weights for `units`; return the losses in the order of `Losses`."""
        seen = _View.of(batch, units)
        indices, config = seen.indices, self.config
        logits = seen.judge(self.policy, 0)
        values = seen.judge(self.value, config.memory)[:, 0]
        known = Known(
            batch.actions[indices],
            batch.log_probs[indices],
            batch.advantages[indices],
            batch.returns[indices],
            None if batch.magnet is None else batch.magnet[indices],
            None if batch.lessons is None else batch.lessons[indices],
        )
        return descend(logits, values, seen.there, known, self._weights)

    def _clip_gradients(self) -> None:
        """Clip gradients as `torch.nn.utils.clip_grad_norm_` does, without its checks of device and dtype."""
        gradients = [weight.grad for weight in self.weights if weight.grad is not None]
        norms = torch._foreach_norm(gradients)
        scale = LARGEST_GRADIENT / (torch.linalg.vector_norm(torch.stack(norms)) + 1e-6)
        torch._foreach_mul_(gradients, scale.clamp(max=1.0))

    def _magnet_log_probs(self, batch: Batch) -> torch.Tensor | None:
        """Return the reference policy's log probabilities at each transition `(R, A)`; None without one."""
        if self.magnet is None:
            return None
        found = torch.zeros(batch.masks.shape)
        with torch.no_grad():
            for part in np.array_split(batch.units, batch.parts):
                seen = _View.of(batch, torch.from_numpy(part))
                logits = forbid(seen.judge(self.magnet, 0), batch.masks[seen.indices])
                found[seen.indices] = logits.log_softmax(1)
        return found


class _View(NamedTuple):
    """Network inputs of `n` transitions, or of `k` pieces of trajectories, of a batch."""

    indices: torch.Tensor  # (n,) int64, of the transitions that exist
    there: Views  # of these
    views: Views  # the same, or all k L of the pieces, piece by piece
    memories: torch.Tensor  # (n, 0), or (k, M) at the beginning of each piece
    kept: torch.Tensor | None  # None, or (k, L) bool: decisions of the pieces that exist

    @classmethod
    def of(cls, batch: Batch, units: torch.Tensor) -> "_View":
        """Take the transitions `units` `(n,)`, or the pieces `units` `(k, L)`."""
        if units.ndim == 1:
            views = batch.views.take(units)
            return cls(units, views, views, batch.memories[units, :0], None)
        kept, pieces = units >= 0, units.clamp(min=0).flatten()
        views, there = batch.views.take(pieces), batch.views.take(units[kept])
        return cls(units[kept], there, views, batch.memories[units[:, 0]], kept)

    def judge(self, net: Net, start: int) -> torch.Tensor:
        """Return the outputs of `net`, `(n, outputs)`; its part of the memories begins at `start`."""
        if self.kept is None:
            return net.run(self.views, self.memories)[0]
        memories = self.memories[:, start : start + net.memory]
        return net.over_sequence(self.views, memories, self.kept.shape[1])[self.kept]
