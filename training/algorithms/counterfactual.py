"""Counterfactual rollouts: a policy gradient over the payoffs of several actions in the same deal.

A usual policy gradient learns from one action and the result of the whole deal. Here, at sampled decisions, the same
deal is played on after each of some candidates by the policy at all seats (data/counterfactuals.py), and the policy
increases its expected gain over all candidates (all-action policy gradient, Allen et al. 2017; counterfactual
baselines, Foerster et al. 2018; cost to go of the policy itself, Sun et al. 2017, Chang et al. 2015). Chance is the
same for all candidates. The rollouts use the true deal, whose hidden part the policy does not see: over many deals it
learns the mean over the hidden part. In games with rounds, rollouts may end with the round (`until`), where a
value network, fitted to final payoffs, replaces the luck of later rounds.

- Opponents: in a part of the deals (`past`) one seat learns against snapshots, a uniform sample of all earlier policies
  (fictitious self-play, Heinrich et al. 2015), exploiters (`league_every`, league.py) and other bots (`rivals`).
- A greedy policy can be predicted, and two of them may cycle. With `choice = "sample"` the policy is stochastic in
  deals and rollouts, with an entropy bonus; it rests at the softmax of gains over that weight (quantal response
  equilibrium, McKelvey and Palfrey 1998; Sokota et al. 2023). A reference policy (`magnet`) slows its steps (Perolat et
  al. 2022).
- Gradients vanish near a deterministic policy, so the policy learns at a softmax `temperature`. A stochastic policy
  then rests at `entropy` over `temperature`.

On a GPU deals, rollouts and gradients are computed there (device/player.py). Between two updates all state is on the
processor, so checkpoints have the same form. Choices and chance are the same from the same seeds; sums are rounded
otherwise (matrix products are in bfloat16), so the weights come to differ.

Letters: `n` views, `k` samples, `C` candidates, `K` stages, as in data/counterfactuals.py.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from sobremesa.agents.networks.compiler import UnsupportedGraph
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training.algorithms.action_values import ActionValues, descend
from sobremesa.training.algorithms.device.player import DevicePlayer
from sobremesa.training.algorithms.ppo_learner import ADAM_FLOOR
from sobremesa.training.config.classes import REDEAL, ConfigError, CounterfactualConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data.counterfactuals import NOBODY, Begun, Player, RolloutSettings, Samples, value_parts
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.sample_buffer import SampleBuffer, shares_of
from sobremesa.training.league import check_league, exploiter_seed, record_exploiter, trained_response
from sobremesa.training.networks.policy import Net, PolicyAgent, approach
from sobremesa.training.networks.reader import Reader
from sobremesa.training.runs.evaluation import check_networks, policy_parts, setup_per_table
from sobremesa.training.runs.loop import DealsLoop, weights_of


class SampledPolicy(ActionValues):
    """A network whose outputs are logits of a stochastic policy."""

    def agent(self, name: str) -> Agent:
        return PolicyAgent(name, self)


class Training(DealsLoop):
    """A run: the networks, the setups of the tables, and samples.

    Raises ConfigError for a device that is not there.
    """

    config: CounterfactualConfig

    def begin(self, new: bool) -> None:
        config, game, parts = self.config, self.game, policy_parts(self.config)
        self.device = config.torch_device()  # where it plays and learns
        check_networks(config, game)
        check_league(config, game, config.past > 0 and config.snapshots > 0, "`past` and `snapshots` are above 0")
        learns = config.learn_after < config.steps or not new
        require(learns, "learn_after", config.learn_after, f"less than steps={config.steps}")
        self.stages, self.reader = self._stages(), Reader(game.layout, self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            kind = ActionValues if config.choice == "greedy" else SampledPolicy
            self.policy, self.value = kind(game, **parts), Net(game, "value", **value_parts(parts))
            self.magnet = kind(game, **parts).requires_grad_(False) if config.magnet else None
            rivals = [self._rival_network(spec, kind(game, **parts)) for spec in config.rivals if new]
        self.learned = self.policy
        weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)
        self.rng = np.random.default_rng(config.seed)
        codes, most = np.zeros((0, game.layout.width), np.uint8), min(config.candidates, game.num_actions)
        self.kept = SampleBuffer(
            config.window, codes=codes, advice=np.zeros(0, np.int16), candidates=np.zeros((0, most), np.int16),
            gains=np.zeros((0, most), np.float32),
        )  # fmt: skip
        self.begun = SampleBuffer(config.window if config.until else 1, codes=codes, paid=np.zeros(0, np.float32))
        if config.start and new:
            begin_as(self.policy, config.start, config, game)
        if self.magnet:
            self.magnet.load_state_dict(self.policy.state_dict())
        try:
            greedy = config.choice == "greedy"
            self.player: Player | DevicePlayer = (
                Player(game, parts, config.until, config.workers, greedy)
                if config.device == "cpu"
                else DevicePlayer(game, config.until, self.device, greedy)
            )
            numbers = self.player.numbers_of(self.policy)
            exploiters = -(-config.steps // config.league_every) if config.league_every else 0
            met = len(config.rivals) + config.snapshots + exploiters
            self.pool = np.zeros((met, len(numbers)), np.float32)  # in this order
            self.taken = self.joined = 0  # snapshots, and exploiters, so far
            for place, rival in enumerate(rivals):
                self.pool[place] = self.player.numbers_of(rival)
            self.player.take_over(self.policy, self.value, self.pool)
            self.tables = game.new_tables(config.tables, setup_per_table(config))
        except UnsupportedGraph as error:
            raise ConfigError(f"hidden={config.hidden}: such networks cannot play inside kernels: {error}") from None
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        if config.league_every:
            self.next["league"] = config.league_every

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from the deals within the budget of steps."""
        if self.steps >= self.taken * self.config.snapshot_every:
            self._take_snapshot()
        self.player.take_over(self.policy, self.value, self.pool)
        there = np.arange(self.game.max_seats) < self.tables["seats"][:, None]
        seeds, seating = self.rng.integers(2**62, size=len(self.tables)), self._seating()
        deals = self.player.play(self.tables, seeds, seating, self.config.candidates, self._wishes())
        within = self.within(deals.lengths)
        if not within.any():
            return {}
        samples, begun = self._keep(deals.samples, deals.begun, within)
        metrics = self._learn(samples, begun)
        if self.magnet:
            approach(self.magnet, self.policy, self.config.magnet_rate)
        self.steps += int(deals.lengths[within].sum())
        return metrics | {
            "samples/new": samples,
            "deals/payoff": float(deals.payoffs[(seating == 0) & there & within[:, None]].mean()),
            "deals/plies": float(deals.lengths[within].mean()),
        }

    def run_scheduled_work(self) -> None:
        """Add an exploiter to the pool when it is due, too."""
        if self.config.league_every and self.steps >= self.next["league"] and not self.over:
            self.ledger.tell(self.steps, "training an exploiter")
            response = trained_response(self, _against(self.config, exploiter_seed(self)), self._meet)
            exploiter = response.policy
            record_exploiter(self, exploiter)
            place = len(self.config.rivals) + self.config.snapshots + self.joined
            self.pool[place] = self.player.numbers_of(exploiter)
            self.joined += 1
            self.postpone("league", self.config.league_every)
        super().run_scheduled_work()

    def _meet(self, response: "Training") -> None:
        """Make `response`, a new run, start as this one and play only against it."""
        response.policy.load_state_dict(self.policy.state_dict())
        response.value.load_state_dict(self.value.state_dict())
        response.pool[0], response.taken = self.player.numbers_of(self.policy), 1

    def _rival_network(self, spec: str, net: ActionValues) -> ActionValues:
        """Return `net`, which is untrained, with the weights of the rival `spec`."""
        if spec != self.config.advised_by:
            begin_as(net, spec, self.config, self.game, "rivals")
        return net

    def _stages(self) -> tuple[int, np.ndarray]:
        """Return the start of the block `stages` in an observation, and the part to sample of each stage `(K,)`.

        Raises ConfigError for a block, a field or a share that does not fit the game.
        """
        config, layout, record = self.config, self.game.layout, self.game.state
        fields = [name for name in record.names or () if record[name].shape == () and record[name].kind in "iu"]
        require(config.until in ["", *fields], "until", config.until, " or ".join(fields))
        names = [block.name for block in layout]
        require(config.stages in ["", *names], "stages", config.stages, " or ".join(names))
        count = next((block.size for block in layout if block.name == config.stages), 1)
        first = layout.start(config.stages) if config.stages else 0
        codes = VectorEnv(self.game, 8, dtype="uint8", threads=1).reset(config.seed).observations
        block = layout.decode(codes)[:, first : first + count]
        fine = not config.stages or (((block == 0) | (block == 1)).all() and (block.sum(1) == 1).all())
        require(fine, "stages", config.stages, "a block with one 1 and 0 elsewhere")
        return first, shares_of(config.shares, config.share, count)

    def _take_snapshot(self) -> None:
        """Add the policy to the pool, whose snapshots are a uniform sample of all so far."""
        size = self.config.snapshots
        place = self.taken if self.taken < size else int(self.rng.integers(self.taken + 1))
        if place < size:
            self.pool[len(self.config.rivals) + place] = self.player.numbers_of(self.policy)
        self.taken += 1

    def _seating(self) -> np.ndarray:
        """Return the player at each seat, `(n, S)`: 0, the learner, everywhere, or at one seat among the pool."""
        shape, seats = (len(self.tables), self.game.max_seats), self.tables["seats"].astype(np.int64)
        snapshots = min(max(self.taken, 1), self.config.snapshots)
        there, room = (len(self.config.rivals) + count for count in (snapshots, self.config.snapshots))
        seating = 1 + self.rng.integers(there + self.joined or 1, size=shape)
        seating[seating > there] += room - there  # exploiters come after the free places of snapshots
        seating[np.arange(len(seating)), self.rng.integers(seats)] = 0
        seating[self.rng.random(len(seating)) >= self.config.past] = 0
        return seating

    def _wishes(self) -> RolloutSettings:
        """Return the settings of rollouts at this point of the run."""
        config, (first, shares) = self.config, self.stages
        shares = shares * (self.steps >= config.think_after)
        redealt = config.belief == REDEAL
        return RolloutSettings(shares, first, config.explore, config.temperature, config.worlds, redealt)

    def _keep(self, samples: Samples, begun: Begun, within: np.ndarray) -> tuple[int, int]:
        """Add the samples of the deals `within` the budget; return the numbers of samples and round starts."""
        taught, seen = within[samples.table], within[begun.table]
        self.kept.add(**{name: one[taught] for name, one in samples._asdict().items() if name != "table"})
        self.begun.add(codes=begun.codes[seen], paid=begun.paid[seen])
        return int(taught.sum()), int(seen.sum())

    def _learn(self, samples: int, begun: int) -> dict[str, float]:
        """Take gradient steps for the new samples, each `epochs` times on average; return the mean losses."""
        config, losses = self.config, []
        with self._on_device():
            for _ in range(-(-max(samples, begun) * config.epochs // config.batch_size)):
                policy, value = self._policy_loss(), self._value_loss()
                if (loss := policy + value).requires_grad:  # there is something to learn
                    descend(self.optimizer, loss, config.learning_rate, self.done)
                losses.append((policy.item(), value.item()))
        means = np.mean(losses, 0) if losses else np.zeros(2)
        return {"loss/policy": float(means[0]), "loss/value": float(means[1])}

    @contextmanager
    def _on_device(self) -> Iterator[None]:
        """Within this context the networks and the state of the optimizer are on the device."""
        self._move(self.device)
        try:
            yield
        finally:
            self._move(torch.device("cpu"))

    def _move(self, place: torch.device) -> None:
        for net in (self.policy, self.value, self.magnet):
            if net is not None:
                net.to(place)
        for moments in self.optimizer.state.values():
            moments |= {name: one.to(place) for name, one in moments.items()}

    def _policy_loss(self) -> torch.Tensor:
        """Return the policy loss on a random minibatch of samples; 0 before the policy learns.

        It is -E[gain - entropy * log p - magnet * log(p / m)] over candidates under p, the policy at the temperature;
        the second term with `choice = "sample"`, the third with a reference policy m.
        """
        if not self.kept.count or self.steps < self.config.learn_after:
            return torch.zeros(())
        codes, advice, candidates, gains = self.kept.take(self._drawn(self.kept))
        absent, chosen = self._tensor(candidates == NOBODY), self._tensor(np.maximum(candidates, 0).astype(np.int64))

        def softened(policy: ActionValues) -> torch.Tensor:
            """Return the logits `(k, C)` of the candidates over the temperature, -inf where there is no candidate."""
            logits = self._forward(policy, codes, advice).gather(1, chosen) / self.config.temperature
            return logits.masked_fill(absent, -np.inf)

        logits, worth = softened(self.policy), self._tensor(gains)
        logs = logits.log_softmax(1).masked_fill(absent, 0)
        if self.config.choice == "sample":
            worth = worth - self._entropy_weight() * logs
        if self.magnet:
            with torch.no_grad():
                drawn_to = softened(self.magnet).log_softmax(1).masked_fill(absent, 0)
            worth = worth - self.config.magnet * (logs - drawn_to)
        return -(logits.softmax(1) * worth).sum(1).mean()

    def _entropy_weight(self) -> float:
        return self.config.entropy + (self.config.entropy_last - self.config.entropy) * self.done

    def _value_loss(self) -> torch.Tensor:
        """Return the value loss (MSE) on a random minibatch of round starts; 0 if there are none."""
        if not self.begun.count:
            return torch.zeros(())
        codes, paid = self.begun.take(self._drawn(self.begun))
        return (self._forward(self.value, codes)[:, 0] - self._tensor(paid)).square().mean()

    def _drawn(self, kept: SampleBuffer) -> np.ndarray:
        return self.rng.integers(kept.count, size=self.config.batch_size)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _forward(self, net: Net, codes: np.ndarray, advice: np.ndarray | None = None) -> torch.Tensor:
        """Return the outputs `(k, outputs)` of `net` for observations `codes` `(k, W)`.

        `advice` `(k,)` are the scripted choices, for a policy with an advisor.
        """
        return self.reader.outputs(net, self._tensor(codes), None if advice is None else self._tensor(advice).long())

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the weights of the networks and of the pool, and the samples."""
        kept = {"samples": self.kept.arrays(), "begun": self.begun.arrays()}
        drawn_to = {"magnet": weights_of(self.magnet)} if self.magnet else {}
        pool = {"pool": {"all": self.pool}}
        return {"policy": weights_of(self.policy), "value": weights_of(self.value)} | drawn_to | pool | kept

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, and the numbers of samples, snapshots and exploiters so far."""
        own = {"samples": self.kept.added, "begun": self.begun.added, "taken": self.taken, "joined": self.joined}
        return super().numbers() | own

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the numbers, too."""
        super().restore(arrays, numbers)
        self.kept.added, self.begun.added = int(numbers["samples"]), int(numbers["begun"])
        self.taken, self.joined = int(numbers["taken"]), int(numbers["joined"])


def _against(config: CounterfactualConfig, seed: int) -> CounterfactualConfig:
    """Return the configuration of an exploiter: this run's, against one fixed opponent, at twice the learning rate."""
    return dataclasses.replace(
        config, learning_rate=2 * config.learning_rate, seed=seed, steps=config.league_steps, minutes=0.0, start="",
        past=1.0, snapshots=1, snapshot_every=config.league_steps + 1, rivals=[], league_every=0, magnet=0.0,
        think_after=0, learn_after=0, tables=max(1, config.tables // 4),
        window=min(config.window, config.league_steps),
    )  # fmt: skip
