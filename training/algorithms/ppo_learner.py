"""Proximal policy optimisation on closed trajectories: the networks, the loss and the passes over a batch.

Schulman et al. 2017, with a mask on every policy, and optionally drawn to a magnet, a slowly moving policy: the
regularisation under which plain policy gradients hold their own in games of imperfect information (magnetic mirror
descent, Sokota et al. 2023; Rudolph et al. 2025). Letters as in rollout_buffer.py.
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
    magnet: float  # divergence from the magnet
    teacher: float  # cross-entropy of the teacher's choices
    change: float  # estimated divergence from the policy that played
    clipped: float  # part of the decisions whose ratio was clipped


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
        if config.start and begins:  # else a checkpoint has the weights, and nobody needs the bot
            begin_as(self.policy, config.start, config, game)
        self.teacher = Teacher(config, game) if config.teacher else None
        if self.magnet is not None:
            self.magnet.load_state_dict(self.policy.state_dict())
        advisor = self.policy.advisor
        self.layout = (advisor.game if advisor else game).layout  # of what the policy is given
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)

    @property
    def memory(self) -> int:
        """M: the policy's memory, then the value network's."""
        return 2 * self.config.memory

    def look(
        self, codes: np.ndarray, masks: np.ndarray, memory: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return logits `(n, A)`, any number where masked, values `(n,)` and the memory `(n, M)` after the decision.

        codes: (n, W) uint8, what the seats see as bytes, with the advice if there is any.
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
        """Learn from what is ready in `buffer`, `config.epochs` times; `done` is the part of the run that is over.

        With `value_alone` the policy stays what it is.
        Raises FloatingPointError, with the weights as they are by then, if a loss is not finite.
        """
        if buffer.ready.sum() < 2:  # a batch may be so short that all its decisions wait for their successors
            return Losses(*[0.0] * len(Losses._fields))
        config, batch = self.config, Batch(buffer)
        units = buffer.pieces(config.unroll) if config.memory else np.flatnonzero(buffer.ready)
        parts = max(1, -(-int(buffer.ready.sum()) // config.batch_size))
        magnet = self._magnet_log_probs(batch, units, parts)
        taught = self._taught(buffer, done, rng)
        entropy = config.entropy + (config.entropy_last - config.entropy) * done
        lessons = 0.0 if taught is None else taught.weight
        weights = Weights(config.clip, entropy, config.magnet, lessons, 0.0 if value_alone else 1.0, VALUE_WEIGHT)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1 + (LAST_RATE - 1) * done)
        told = []
        for _ in range(config.epochs):
            for part in np.array_split(rng.permutation(len(units)), parts):
                for weight in self.weights:
                    weight.grad = None
                told.append(self._descend(batch, torch.from_numpy(units[part]), magnet, taught, weights))
                self._clip_gradients()
                self.optimizer.step()
        if self.magnet is not None:
            approach(self.magnet, self.policy, config.magnet_rate)
        means = torch.stack(told).mean(0).tolist()
        if not np.isfinite(means).all():
            raise FloatingPointError(f"the losses are {means}; lower learning_rate={config.learning_rate}")
        return Losses(*means)

    def _taught(self, buffer: RolloutBuffer, done: float, rng: np.random.Generator) -> "_Taught | None":
        """Return what the teacher would have done; None where there is none, or none any more."""
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
        """Have all weights hold their gradients for `units`; return what they are told as, `Losses`."""
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
        """Do what `torch.nn.utils.clip_grad_norm_` does, without asking of each weight where it is and of what type."""
        gradients = [weight.grad for weight in self.weights if weight.grad is not None]
        norms = torch._foreach_norm(gradients)
        scale = LARGEST_GRADIENT / (torch.linalg.vector_norm(torch.stack(norms)) + 1e-6)
        torch._foreach_mul_(gradients, scale.clamp(max=1.0))

    def _magnet_log_probs(self, batch: Batch, units: np.ndarray, parts: int) -> torch.Tensor | None:
        """Return what the magnet holds of each transition `(R, A)`; None where there is none."""
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
    """What the teacher would have done at each transition."""

    actions: torch.Tensor  # (R,)
    weight: float


class _View(NamedTuple):
    """What a batch holds of `n` transitions, or of `k` pieces of trajectories, for networks to look at."""

    indices: torch.Tensor  # (n,) int64, of those that are there
    there: Views  # these
    views: Views  # the same, or all k L of the pieces, one piece's after another's
    memories: torch.Tensor  # (n, 0), or (k, M) at the beginning of each piece
    kept: torch.Tensor | None  # None, or (k, L) which decisions of the pieces there are

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
        """Return what `net` makes of `views`, which are these, `(n, outputs)`.

        `start` is where its part of the memories begins.
        """
        if self.kept is None:
            return net.run(self.views, self.memories)[0]
        memories = self.memories[:, start : start + net.memory]
        return net.along(self.views, memories, self.kept.shape[1])[self.kept]
