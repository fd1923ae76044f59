"""Train by counterfactual rollouts: at some decisions, learn from what each of some actions would have brought.

A policy gradient learns from what was done and from how the whole deal ended, of which that one choice is a small part.
Here the same deal is played on after each of some candidates, by the policy at all seats (counterfactuals.py), and the
policy is made to bring more on average over all of them: the expectation over actions that a policy gradient only
samples (all-action or mean actor-critic, Allen et al. 2017; against what the seat did instead, Foerster et al. 2018),
with costs to go of the policy itself (Sun et al. 2017, Chang et al. 2015). Chance is the same for all candidates; where
rollouts take what the policy thinks best, nothing but their own doing sets them apart. The deal that is played on
is the true one, whose hidden part the policy is not shown: over many deals it learns the mean over what may be behind
its view. Where a game has rounds rollouts may end with theirs (`until`): a value network, fitted to how deals end,
judges what begins there, so that the luck of later rounds is none of this one's.

Who learns from itself alone learns to beat what it is today, and may forget what it beat before. So in a part of the
deals (`past`) the seat that learns meets snapshots of what it was, a fair sample of all since the beginning
(fictitious self-play, Heinrich et al. 2015). What it leaves open to others none of these may ask for, so exploiters,
trained as it is but against nothing but the learner of that moment, may join them (`league_every`, league.py), and so
may others that have learnt elsewhere (`rivals`).

A policy that always takes what it thinks best can be foreseen, and what learns against it does that, in circles. So it
may be drawn from instead (`choice`), in deals and rollouts alike, and be paid for what it leaves open at a decision
(`entropy`): where it rests, it is the softmax of gains over that weight (a quantal response equilibrium, McKelvey &
Palfrey 1998; Sokota et al. 2023 have shown a way there from which small enough steps do not stray). Drawing costs what
it leaves to chance; a `magnet`, what it was a while ago, slows its steps at no such price (Perolat et al. 2022).

Near a policy that is sure nothing is learnt of other actions, so it is softer where it learns, by a `temperature`; who
is drawn from then rests at `entropy` over `temperature`. So with both twice as high it plays as sharply, and learns of
actions that it is twice as sure not to take. Read top to bottom: a run plays a deal for each of `tables`, and takes
gradient steps on lessons that are kept. Letters: `n` views, `k` lessons, `C` candidates, `K` stages, as in
counterfactuals.py.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.agents.search.network import Untakeable
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training.algorithms.action_values import ActionValues, descend
from sobremesa.training.algorithms.ppo_learner import ADAM_FLOOR
from sobremesa.training.config.classes import REDEAL, ConfigError, CounterfactualConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data.counterfactuals import NOBODY, Begun, Lessons, Player, Wishes, value_parts
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.sample_buffer import SampleBuffer, shares_of
from sobremesa.training.league import check_league, exploiter_seed, tell_exploiter, trained_response
from sobremesa.training.networks.policy import Net, PolicyAgent, approach
from sobremesa.training.networks.views import Views
from sobremesa.training.runs.evaluation import Progress, check_networks, policy_parts, setup_per_table
from sobremesa.training.runs.loop import Loop, weights_of


class SampledPolicy(ActionValues):
    """A network whose numbers are no worths, but logits of a policy that is drawn from."""

    def agent(self, name: str) -> Agent:
        return PolicyAgent(name, self)


class Training(Loop):
    """A run: the networks, the setups of the tables, and the lessons that are kept."""

    config: CounterfactualConfig

    def __init__(
        self, config: CounterfactualConfig, folder: Path, progress: Progress | None, record: Any = None
    ) -> None:
        super().__init__(config, folder, progress, record)
        game, parts = self.game, policy_parts(config)
        check_networks(config, game)
        check_league(config, game, config.past > 0 and config.snapshots > 0, "`past` and `snapshots` are above 0")
        learns = config.learn_after < config.steps or record is not None
        require(learns, "learn_after", config.learn_after, f"less than steps={config.steps}: else no policy is learnt")
        self.stages = self._stages()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            kind = ActionValues if config.choice == "greedy" else SampledPolicy
            self.policy, self.value = kind(game, **parts), Net(game, "value", **value_parts(parts))
            self.magnet = kind(game, **parts).requires_grad_(False) if config.magnet else None
            rivals = [self._rival(spec, kind(game, **parts)) for spec in config.rivals if record is None]
        self.learned = self.policy
        weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.spent = False  # the budget of steps, but for less than a deal
        codes, most = np.zeros((0, game.layout.width), np.uint8), min(config.candidates, game.num_actions)
        self.kept = SampleBuffer(
            config.window, codes=codes, advice=np.zeros(0, np.int16), candidates=np.zeros((0, most), np.int16),
            gains=np.zeros((0, most), np.float32),
        )  # fmt: skip
        self.begun = SampleBuffer(config.window if config.until else 1, codes=codes, paid=np.zeros(0, np.float32))
        if config.start and record is None:
            begin_as(self.policy, config.start, config, game)
        if self.magnet:
            self.magnet.load_state_dict(self.policy.state_dict())
        try:
            self.player = Player(game, parts, config.until, config.workers, config.choice == "greedy")
            numbers = self.player.numbers_of(self.policy)
            exploiters = -(-config.steps // config.league_every) if config.league_every else 0
            met = len(config.rivals) + config.snapshots + exploiters
            self.pool = np.zeros((met, len(numbers)), np.float32)  # in this order
            self.taken = self.joined = 0  # snapshots, and exploiters, so far
            for place, rival in enumerate(rivals):
                self.pool[place] = self.player.numbers_of(rival)
            self.player.take_over(self.policy, self.value, self.pool)
            self.tables = game.new_tables(config.tables, setup_per_table(config))
        except Untakeable as error:
            raise ConfigError(f"hidden={config.hidden}: such networks cannot play inside kernels: {error}") from None
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        if config.league_every:
            self.next["league"] = config.league_every

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from them, as far as the budget of steps reaches."""
        if self.steps >= self.taken * self.config.snapshot_every:
            self._take_snapshot()
        self.player.take_over(self.policy, self.value, self.pool)
        there = np.arange(self.game.max_seats) < self.tables["seats"][:, None]
        seeds, seating = self.rng.integers(2**62, size=len(self.tables)), self._seating()
        deals = self.player.play(self.tables, seeds, seating, self.config.candidates, self._wishes())
        within = np.cumsum(deals.lengths) <= self.config.steps - self.steps
        self.spent = not within.all()
        if not within.any():
            return {}
        lessons, begun = self._keep(deals.lessons, deals.begun, within)
        told = self._learn(lessons, begun)
        if self.magnet:
            approach(self.magnet, self.policy, self.config.magnet_rate)
        self.steps += int(deals.lengths[within].sum())
        return told | {
            "lessons/new": lessons,
            "deals/payoff": float(deals.payoffs[(seating == 0) & there & within[:, None]].mean()),
            "deals/plies": float(deals.lengths[within].mean()),
        }

    def do_what_is_due(self) -> None:
        """Have an exploiter join the pool, too."""
        if self.config.league_every and self.steps >= self.next["league"] and not self.over:
            self.ledger.tell(self.steps, "training an exploiter")
            response = trained_response(self, _against(self.config, exploiter_seed(self)), self._meet)
            exploiter = response.policy
            tell_exploiter(self, exploiter)
            place = len(self.config.rivals) + self.config.snapshots + self.joined
            self.pool[place] = self.player.numbers_of(exploiter)
            self.joined += 1
            self.put_off("league", self.config.league_every)
        super().do_what_is_due()

    def _meet(self, response: "Training") -> None:
        """Have `response`, a run that has learnt nothing, begin as this one is, and meet nobody but it."""
        response.policy.load_state_dict(self.policy.state_dict())
        response.value.load_state_dict(self.value.state_dict())
        response.pool[0], response.taken = self.player.numbers_of(self.policy), 1

    def _rival(self, spec: str, net: ActionValues) -> ActionValues:
        """Return `net`, which has learnt nothing, as the rival `spec`."""
        if spec != self.config.advised_by:
            begin_as(net, spec, self.config, self.game, "rivals")
        return net

    def _stages(self) -> tuple[int, np.ndarray]:
        """Return where the stages lie in an observation, and which part of each is thought about, `(K,)`.

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
        told = layout.decode(codes)[:, first : first + count]
        fine = not config.stages or (((told == 0) | (told == 1)).all() and (told.sum(1) == 1).all())
        require(fine, "stages", config.stages, "a block with one 1 and 0 elsewhere")
        return first, shares_of(config.shares, config.share, count)

    def _take_snapshot(self) -> None:
        """Let the policy as it is into the pool, whose members are a fair sample of all snapshots so far."""
        size = self.config.snapshots
        place = self.taken if self.taken < size else int(self.rng.integers(self.taken + 1))
        if place < size:
            self.pool[len(self.config.rivals) + place] = self.player.numbers_of(self.policy)
        self.taken += 1

    def _seating(self) -> np.ndarray:
        """Return who sits where, `(n, S)`: the learner everywhere, or at one seat and of the pool at the others."""
        shape, seats = (len(self.tables), self.game.max_seats), self.tables["seats"].astype(np.int64)
        snapshots = min(max(self.taken, 1), self.config.snapshots)
        there, room = (len(self.config.rivals) + count for count in (snapshots, self.config.snapshots))
        seating = 1 + self.rng.integers(there + self.joined or 1, size=shape)
        seating[seating > there] += room - there  # exploiters lie behind places yet free
        seating[np.arange(len(seating)), self.rng.integers(seats)] = 0
        seating[self.rng.random(len(seating)) >= self.config.past] = 0
        return seating

    def _wishes(self) -> Wishes:
        """Return what is thought about now, and how."""
        config, (first, shares) = self.config, self.stages
        shares = shares * (self.steps >= config.think_after)
        redealt = config.belief == REDEAL
        return Wishes(shares, first, config.explore, config.temperature, config.worlds, redealt)

    def _keep(self, lessons: Lessons, begun: Begun, within: np.ndarray) -> tuple[int, int]:
        """Keep what is of the deals `within` the budget; return how many lessons and beginnings that are."""
        taught, seen = within[lessons.table], within[begun.table]
        self.kept.add(**{name: one[taught] for name, one in lessons._asdict().items() if name != "table"})
        self.begun.add(codes=begun.codes[seen], paid=begun.paid[seen])
        return int(taught.sum()), int(seen.sum())

    def _learn(self, lessons: int, begun: int) -> dict[str, float]:
        """Take as many gradient steps as new `lessons` and beginnings are worth; return the mean losses."""
        config, losses = self.config, []
        for _ in range(-(-max(lessons, begun) * config.epochs // config.batch_size)):
            policy, value = self._policy_loss(), self._value_loss()
            if (loss := policy + value).requires_grad:  # there is something to learn
                descend(self.optimizer, loss, config.learning_rate, self.done)
            losses.append((policy.item(), value.item()))
        means = np.mean(losses, 0) if losses else np.zeros(2)
        return {"loss/policy": float(means[0]), "loss/value": float(means[1])}

    def _policy_loss(self) -> torch.Tensor:
        """Return what the policy falls short of what it did at lessons drawn by lot; 0 where it learns of none yet.

        That is -E[gain - entropy * log p - magnet * log(p / m)] over candidates as often as the softened policy p would
        choose each among them; the second term where it is drawn from, the third where there is a magnet m.
        """
        if not self.kept.count or self.steps < self.config.learn_after:
            return torch.zeros(())
        codes, advice, candidates, gains = self.kept.take(self._drawn(self.kept))
        told, nobody = self._told(codes, advice), torch.from_numpy(candidates == NOBODY)
        logits, worth = self._softened(self.policy, told, candidates), torch.from_numpy(gains)
        logs = logits.log_softmax(1).masked_fill(nobody, 0)
        if self.config.choice == "sample":
            worth = worth - self._entropy_weight() * logs
        if self.magnet:
            with torch.no_grad():
                drawn_to = self._softened(self.magnet, told, candidates).log_softmax(1).masked_fill(nobody, 0)
            worth = worth - self.config.magnet * (logs - drawn_to)
        return -(logits.softmax(1) * worth).sum(1).mean()

    def _softened(self, policy: ActionValues, told: np.ndarray, candidates: np.ndarray) -> torch.Tensor:
        """Return the logits `(k, C)` of `candidates` over the temperature, -inf of nobody."""
        logits = policy.value(told).gather(1, torch.from_numpy(np.maximum(candidates, 0)).long())
        return (logits / self.config.temperature).masked_fill(torch.from_numpy(candidates == NOBODY), -np.inf)

    def _entropy_weight(self) -> float:
        return self.config.entropy + (self.config.entropy_last - self.config.entropy) * self.done

    def _value_loss(self) -> torch.Tensor:
        """Return the mean square of what the value network is off, at beginnings drawn by lot; 0 if there are none."""
        if not self.begun.count:
            return torch.zeros(())
        codes, paid = self.begun.take(self._drawn(self.begun))
        views = Views(torch.from_numpy(self.game.layout.decode(codes)))
        return (self.value.run(views, views.matrix[:, :0])[0][:, 0] - torch.from_numpy(paid)).square().mean()

    def _drawn(self, kept: SampleBuffer) -> np.ndarray:
        return self.rng.integers(kept.count, size=self.config.batch_size)

    def _told(self, codes: np.ndarray, advice: np.ndarray) -> np.ndarray:
        """Return what the policy is given of views `codes` `(k, W)`, and of the `advice` `(k,)` where it is advised."""
        observations = self.game.layout.decode(codes)
        if self.policy.advisor is None:
            return observations
        return np.concatenate([observations, np.eye(self.game.num_actions, dtype=np.float32)[advice]], 1)

    @property
    def over(self) -> bool:
        """Whether the next deal would go beyond the budget, too."""
        return self.spent or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the weights of the networks and of the pool, and what is kept."""
        kept = {"lessons": self.kept.arrays(), "begun": self.begun.arrays()}
        drawn_to = {"magnet": weights_of(self.magnet)} if self.magnet else {}
        pool = {"pool": {"all": self.pool}}
        return {"policy": weights_of(self.policy), "value": weights_of(self.value)} | drawn_to | pool | kept

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, how much there has been to keep, how many snapshots and exploiters."""
        return {
            "spent": self.spent, "lessons": self.kept.added, "begun": self.begun.added, "taken": self.taken,
            "joined": self.joined,
        }  # fmt: skip

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore these, too."""
        super().restore(arrays, numbers)
        self.spent = bool(numbers["spent"])
        self.kept.added, self.begun.added = int(numbers["lessons"]), int(numbers["begun"])
        self.taken, self.joined = int(numbers["taken"]), int(numbers.get("joined", 0))  # older ones had no exploiters


def _against(config: CounterfactualConfig, seed: int) -> CounterfactualConfig:
    """Return how an exploiter is trained: as the run is, against one opponent that stays, in larger steps and more."""
    return dataclasses.replace(
        config, learning_rate=2 * config.learning_rate, seed=seed, steps=config.league_steps, minutes=0.0, start="",
        past=1.0, snapshots=1, snapshot_every=config.league_steps + 1, rivals=[], league_every=0, magnet=0.0,
        think_after=0, learn_after=0, tables=max(1, config.tables // 4),
        window=min(config.window, config.league_steps),
    )  # fmt: skip
