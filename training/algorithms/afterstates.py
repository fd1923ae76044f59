"""TD(lambda) on afterstates in self-play, as in TD-Gammon (Tesauro 1995).

A scripted agent lists the choices of a seat and the features of the state that each leaves (`Afterstates`). The network
estimates their odds of a win, each seat takes the best choice, and the network is fitted to later estimates and to the
end of the deal. Where random play hardly ever wins, a teacher plays some of the deals at first.

Each update plays a deal at each table, computes the targets backwards, and learns for `epochs` epochs. Letters: `r`
choices, `f` features.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from sobremesa.agents.afterstates import action_worths, afterstates_named, best_choices, list_choices
from sobremesa.agents.exported import AfterstateBot, pick_actions
from sobremesa.envs.core.agent import Afterstates, Agent, View
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import AfterstateRolloutsConfig, AfterstatesConfig, ConfigError
from sobremesa.training.data.deals import play_deals
from sobremesa.training.data.teacher import Teacher
from sobremesa.training.networks.policy import Learned
from sobremesa.training.runs.evaluation import load_agent, setup_per_table
from sobremesa.training.runs.loop import DealsLoop, weights_of

LARGEST_GRADIENT = 1.0
NO_ADVICE = -1  # instead of an action
SMALLEST_SPREAD = 0.1  # of a feature, which may vary more later
GROUP_LAYERS = (64, 32)  # of the network of groups of features
GROUP_SCALE = 4.0  # sums over groups are divided by this


def dense(sizes: Sequence[int]) -> list[nn.Module]:
    """Return layers of these `sizes`, each with a rectifier behind it."""
    layers: list[nn.Module] = []
    for size, following in pairwise(sizes):
        layers += [nn.Linear(size, following), nn.ReLU()]
    return layers


class WorthNet(Learned):
    """Features `(r, f)` float32 in, log odds of a win `(r,)` out.

    Features are normalized by the mean and standard deviation that `measure` found. Groups of features
    (`Afterstates.groups`) go through a network of their own; its sums and maxima over the groups take their place. With
    a `base`, which takes the first features, the network starts as the base and learns what to add.
    """

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, afterstates: Afterstates, hidden: Sequence[int], base: "WorthNet | None" = None) -> None:
        super().__init__()
        self.afterstates = afterstates
        self.base = base
        count, size = afterstates.groups
        self.whole = afterstates.size - count * size  # features that are in no group
        self.register_buffer("mean", torch.zeros(self.whole))
        self.register_buffer("spread", torch.ones(self.whole))
        if count:
            self.groups = nn.Sequential(*dense([size, *GROUP_LAYERS]))
        sizes = [self.whole + 2 * GROUP_LAYERS[-1] * (count > 0), *hidden]
        self.body = nn.Sequential(*dense(sizes), last := nn.Linear(sizes[-1], 1))
        if base is not None:
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
            shared = base.whole
            self.mean[:shared], self.spread[:shared] = base.mean, base.spread

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the log odds of a win."""
        whole = (features[:, : self.whole] - self.mean) / self.spread
        count, size = self.afterstates.groups
        if count:
            parts = features[:, self.whole :].reshape(-1, count, size)
            found = self.groups(parts) * parts[:, :, :1]
            whole = torch.cat([whole, found.sum(1) / GROUP_SCALE, found.amax(1)], 1)
        odds = torch.as_tensor(self.body(whole)[:, 0])
        return odds if self.base is None else odds + self.base(features[:, : self.base.afterstates.size])

    def measure(self, features: np.ndarray) -> None:
        """Normalize by the mean and standard deviation of `features` `(r, f)`."""
        features = features[:, : self.whole]
        self.mean[:] = torch.from_numpy(features.mean(0))
        self.spread[:] = torch.from_numpy(features.std(0)).clamp(min=SMALLEST_SPREAD)

    def value(self, features: np.ndarray) -> np.ndarray:
        """Return the log odds of a win for `features` `(r, f)`, `(r,)`."""
        with torch.inference_mode():
            return self.forward(torch.from_numpy(features)).numpy()

    def agent(self, name: str) -> Agent:
        return AfterstateAgent(name, self)


class AfterstateAgent:
    """Agent that takes the choice with the best odds."""

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
    """The choices in a batch of deals, in order of time."""

    table: np.ndarray  # (r,) int64
    seat: np.ndarray  # (r,) int64
    features: np.ndarray  # (r, f) float32, of the choice
    whole: np.ndarray  # (r,) bool: the features are of the afterstate; else the seat first has another decision
    open: np.ndarray  # (r,) bool: the deal is not yet decided
    best: np.ndarray  # (r,) float64, chance of a win after the best choice
    explored: np.ndarray  # (r,) bool: the choice was another one, at random


class Training(DealsLoop):
    """A run: the network, and tables where all seats play by it."""

    config: AfterstatesConfig

    def begin(self, new: bool) -> None:
        config = self.config
        self.afterstates = afterstates_of(config, self.game)
        torch.manual_seed(config.seed)
        self.learned = self.net = worth_net(config, self.game)
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.teacher = Teacher(config, self.game) if config.teacher else None
        try:
            self.game.new_tables(config.tables, setup := setup_per_table(config))
            self.tables = VectorEnv(self.game, config.tables, copy=False, **setup)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from the deals within the budget of steps."""
        batch, payoffs, lengths = self._play()
        within = self.within(lengths)
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

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        return {"value": weights_of(self.net)}

    def _play(self) -> tuple[Batch, np.ndarray, np.ndarray]:
        """Play a deal at each table; return the choices, payoffs `(N, seats)` and lengths `(N,)`."""
        seed, count = int(self.rng.integers(2**62)), self.tables.num_envs
        taught = self.rng.random(count) < (self.teacher.weight(self.done) if self.teacher else 0.0)
        chosen: list[Batch] = []

        def choose(rows: np.ndarray, seen: VectorStep) -> np.ndarray:
            advice = np.full(count, NO_ADVICE)
            if self.teacher and taught.any():
                self.teacher.advise(rows[taught[rows]], seen.observations, seen.masks, self.rng, advice)
            part, actions = self._choose(seen.observations[rows], seen.masks[rows], advice[rows])
            chosen.append(part._replace(table=rows[part.table], seat=seen.seats[rows[part.table]].astype(np.int64)))
            return actions

        payoffs, lengths = play_deals(self.tables, seed, choose)
        return Batch(*(np.concatenate(parts) for parts in zip(*chosen, strict=True))), payoffs, lengths

    def _choose(self, observations: np.ndarray, masks: np.ndarray, advice: np.ndarray) -> tuple[Batch, np.ndarray]:
        """Return the choice in each view that has one (`table` and `seat` are its row), and all actions.

        advice: (n,) actions to take in any case, or NO_ADVICE.
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
        """Fit the network to `targets` `(r,)` and return the mean loss of the last epoch.

        Raises FloatingPointError if it is not finite.
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


def worth_net(config: AfterstatesConfig | AfterstateRolloutsConfig, game: Game) -> WorthNet:
    """Return the network of `config` before training; raise ConfigError if it cannot start from the bot `start`."""
    afterstates, start = afterstates_of(config, game), getattr(config, "start", "")
    return WorthNet(afterstates, config.hidden, _bot_net(start, afterstates, game) if start else None)


def _bot_net(spec: str, afterstates: Afterstates, game: Game) -> WorthNet:
    """Return the network of the bot `spec`, which takes the first of the features of `afterstates`."""
    bot = load_agent("start", spec, game)
    if not isinstance(bot, AfterstateBot) or bot.afterstates.size > afterstates.size or bot.afterstates.groups[0]:
        raise ConfigError(f"start={spec!r} is not allowed; it takes a bot of afterstates without groups of features")
    graph = onnx.load_model_from_string(bot.graph.content).graph
    weights = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    layers = [len(weights[name]) for name in sorted(weights) if name.startswith("body.") and name.endswith(".bias")]
    net = WorthNet(bot.afterstates, layers[:-1])
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
    return net


def afterstates_of(config: AfterstatesConfig | AfterstateRolloutsConfig, game: Game) -> Afterstates:
    """Return the afterstates of the agent `config.afterstates`; raise ConfigError if it has none."""
    load_agent("afterstates", config.afterstates.partition(".")[0], game)
    found = afterstates_named(config.afterstates, game)
    if found is None:
        raise ConfigError(
            f"afterstates={config.afterstates!r} is not allowed; it takes an agent of {game.name} that lists "
            "afterstates"
        )
    if not game.cooperative:
        raise ConfigError(f"{game.name} is not cooperative; afterstates learns the chance that all win together")
    return found


def targets_of(batch: Batch, payoffs: np.ndarray, decay: float) -> np.ndarray:
    """Return the TD(lambda) targets of the choices of `batch`, `(r,)`, with lambda = `decay`.

    The target of a seat's last choice is its payoff. Other targets mix the best estimate at the seat's next decision
    and the target there, or take only the former if the next choice was random (Watkins 1989). Lambda counts once where
    a choice takes several decisions.
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
