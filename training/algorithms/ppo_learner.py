"""PPO updates on closed trajectories: networks, losses and epochs (Schulman et al. 2017), with action masks.

An optional reference policy (`magnet`), which follows the learner slowly, regularises the policy for games of imperfect
information (magnetic mirror descent, Sokota et al. 2023; Rudolph et al. 2025). Letters as in data/rollout_buffer.py.
"""

from typing import NamedTuple

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

    def __init__(self, buffer: RolloutBuffer) -> None:
        self.masks = torch.from_numpy(buffer.masks)
        self.views = Views(torch.from_numpy(buffer.codes), self.masks, buffer.layout)
        self.actions = torch.from_numpy(buffer.actions)
        self.log_probs = torch.from_numpy(buffer.log_probs)
        self.memories = torch.from_numpy(buffer.memories)
        self.returns = torch.from_numpy(buffer.advantages + buffer.values)
        ready = buffer.advantages[buffer.ready]
        self.advantages = torch.from_numpy((buffer.advantages - ready.mean()) / (ready.std() + 1e-8))


class Learner:
    """Policy, value network, reference policy and optimizer."""

    def __init__(self, config: SelfPlayConfig, game: Game, begins: bool = True) -> None:
        self.config = config
        parts = policy_parts(config)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy, self.value = PolicyNet(game, **parts), Net(game, "value", **parts)
            self.magnet = PolicyNet(game, **parts).requires_grad_(False) if config.magnet > 0 else None
        if config.start and begins:  # else a checkpoint has the weights
            begin_as(self.policy, config.start, config, game)
        self.teacher = Teacher(config, game) if config.teacher else None
        if self.magnet is not None:
            self.magnet.load_state_dict(self.policy.state_dict())
        advisor = self.policy.advisor
        self.layout = (advisor.game if advisor else game).layout  # of the policy's input
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)

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

    def learn(self, buffer: RolloutBuffer, done: float, rng: np.random.Generator, value_alone: bool = False) -> Losses:
        """Run `config.epochs` epochs over the ready decisions in `buffer`, after the part `done` of the run.

        With `value_alone` the policy does not change. Raises FloatingPointError if a loss is not finite.
        """
        if buffer.ready.sum() < 2:  # all decisions of a very short batch may wait for their successors
            return Losses(*[0.0] * len(Losses._fields))
        config, batch = self.config, Batch(buffer)
        units = buffer.pieces(config.unroll) if config.memory else np.flatnonzero(buffer.ready)
        parts = max(1, -(-int(buffer.ready.sum()) // config.batch_size))
        magnet = self._magnet_log_probs(batch, units, parts)
        taught = self._taught(buffer, done, rng)
        entropy = config.entropy + (config.entropy_last - config.entropy) * done
        teacher_weight = 0.0 if taught is None else taught.weight
        weights = Weights(config.clip, entropy, config.magnet, teacher_weight, float(not value_alone), VALUE_WEIGHT)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1 + (LAST_RATE - 1) * done)
        losses = []
        for _ in range(config.epochs):
            for part in np.array_split(rng.permutation(len(units)), parts):
                for weight in self.weights:
                    weight.grad = None
                losses.append(self._descend(batch, torch.from_numpy(units[part]), magnet, taught, weights))
                self._clip_gradients()
                self.optimizer.step()
        if self.magnet is not None:
            approach(self.magnet, self.policy, config.magnet_rate)
        means = torch.stack(losses).mean(0).tolist()
        if not np.isfinite(means).all():
            raise FloatingPointError(f"the losses are {means}; lower learning_rate={config.learning_rate}")
        return Losses(*means)

    def _taught(self, buffer: RolloutBuffer, done: float, rng: np.random.Generator) -> "_Taught | None":
        """Return the teacher's actions; None without a teacher, or once its weight is 0."""
        weight = self.teacher.weight(done) if self.teacher is not None else 0.0
        if self.teacher is None or weight == 0:
            return None
        return _Taught(torch.from_numpy(self.teacher.choices(buffer, rng)), weight)

    def _descend(
        self,
        batch: Batch,
        units: torch.Tensor,
        magnet: torch.Tensor | None,
        taught: "_Taught | None",
        weights: Weights,
    ) -> torch.Tensor:
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
            None if magnet is None else magnet[indices],
            None if taught is None else taught.actions[indices],
        )
        return descend(logits, values, seen.there, known, weights)

    def _clip_gradients(self) -> None:
        """Clip gradients as `torch.nn.utils.clip_grad_norm_` does, without its checks of device and dtype."""
        gradients = [weight.grad for weight in self.weights if weight.grad is not None]
        norms = torch._foreach_norm(gradients)
        scale = LARGEST_GRADIENT / (torch.linalg.vector_norm(torch.stack(norms)) + 1e-6)
        torch._foreach_mul_(gradients, scale.clamp(max=1.0))

    def _magnet_log_probs(self, batch: Batch, units: np.ndarray, parts: int) -> torch.Tensor | None:
        """Return the reference policy's log probabilities at each transition `(R, A)`; None without one."""
        if self.magnet is None:
            return None
        found = torch.zeros(batch.masks.shape)
        with torch.no_grad():
            for part in np.array_split(units, parts):
                seen = _View.of(batch, torch.from_numpy(part))
                logits = forbid(seen.judge(self.magnet, 0), batch.masks[seen.indices])
                found[seen.indices] = logits.log_softmax(1)
        return found


class _Taught(NamedTuple):
    """The teacher's action at each transition."""

    actions: torch.Tensor  # (R,)
    weight: float


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
        return net.along(self.views, memories, self.kept.shape[1])[self.kept]
