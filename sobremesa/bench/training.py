"""`sobremesa bench --training`: training end to end, beside what PyTorch alone could do, and beside a known tutorial.

The *ceiling* is the gradient steps alone: views of random play, for what is 0 is not multiplied, the same networks,
minibatches and number of passes, a plain loss; nothing is played. A step is a decision of the learner, everywhere.
"""

import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sobremesa import envs
from sobremesa.configs import benchmark
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import SelfPlayConfig, default_for, from_dict, read
from sobremesa.training.config.registry import find, resolved

WARM_UP = 3  # updates before the first that counts
ROUND = 4  # updates
LONG_ROUND = 20_000  # decisions, of algorithms that are compared; deals have ended by then
MANY_STEPS = 10**12  # more than are measured: no batch is cut short
MEMORY = 64  # of the recurrent policy that is measured
SMALLEST_GRID = 3  # height and width of a block that is worth a convolution


class Bench:
    """One run that is trained a little at a time, with the time that its parts take."""

    def __init__(self, config: SelfPlayConfig, folder: Path) -> None:
        from sobremesa.training.algorithms.ppo_selfplay import Training

        self.training = Training(replace(config, steps=MANY_STEPS), folder, None)
        self.spent: dict[str, float] = {}
        learner, tables, buffer = self.training.learner, self.training.tables, self.training.buffer
        self._time("acting", learner, "look")
        self._time("rules and scripted agents", tables.match, "step")
        self._time("snapshots", tables.match, "settle")
        self._time("dealing", tables, "_end")
        self._time("advantages", buffer, "close")
        self._time("learning", learner, "learn")
        for _ in range(WARM_UP):
            self.training.update()
        self.training.pool.add(folder, self.training.steps, learner.policy, tables.rng)
        self.training.update()
        self.spent.clear()

    def rate(self) -> float:
        """Train for a round; return the steps a second."""
        before, start = self.training.steps, time.perf_counter()
        for _ in range(ROUND):
            self.training.update()
        spent = time.perf_counter() - start
        self.spent["all"] = self.spent.get("all", 0.0) + spent
        return (self.training.steps - before) / spent

    def profile(self) -> list[tuple[str, float]]:
        """Return the share of the time that each part took; what is left is the rest of the loop."""
        total = self.spent["all"]
        shares = [(name, spent / total) for name, spent in self.spent.items() if name != "all"]
        return [*shares, ("all else", 1 - sum(share for _, share in shares))]

    def _time(self, part: str, owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def timed(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter()
            inside = self._inner
            try:
                return work(*arguments, **named)
            finally:
                spent = time.perf_counter() - start
                self.spent[part] = self.spent.get(part, 0.0) + spent - (self._inner - inside)
                self._inner = inside + spent

        setattr(owner, name, timed)

    _inner = 0.0  # spent in parts that were called by other parts


def ceiling(config: SelfPlayConfig, game: Game) -> Callable[[], float]:
    """Return a function that does the gradient steps of some updates, and returns steps a second."""
    import torch

    from sobremesa.training.algorithms.ppo_learner import Learner
    from sobremesa.training.networks.onnx_graphs import real_views
    from sobremesa.training.networks.views import Views

    learner = Learner(config, game)
    rows, chance = config.batch_size, torch.Generator().manual_seed(0)
    numbers, masks = map(torch.from_numpy, real_views(game))
    seen, nothing = Views(numbers, masks), torch.zeros(rows, 0)
    actions = torch.randint(game.num_actions, (rows, 1), generator=chance)
    returns = torch.rand(rows, generator=chance)
    count = ROUND * config.epochs * config.tables * config.horizon // rows

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(count):
            views = seen.take(torch.randint(len(seen), (rows,), generator=chance))
            log_policy = learner.policy.run(views, nothing)[0].log_softmax(1)
            values = learner.value.run(views, nothing)[0][:, 0]
            loss = (values - returns).square().mean() - log_policy.gather(1, actions).mean()
            learner.optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            learner.optimizer.step()
        return count * rows / config.epochs / (time.perf_counter() - start)

    measure()
    return measure


def configuration(game: str) -> SelfPlayConfig:
    """Return how `sobremesa train` trains `game`, but by self-play, with the default network and four passes."""
    plain = SelfPlayConfig()
    kept = ("algorithm", "hidden", "epochs", "batch_size", "memory", "grids")
    fixed = {name: getattr(plain, name) for name in kept}
    values = {key: value for key, value in default_for(game).items() if hasattr(plain, key)}
    return SelfPlayConfig(**(values | fixed | {"evaluate_against": ["random"]}))


def variants(game: Game, config: SelfPlayConfig) -> dict[str, SelfPlayConfig]:
    """Return other networks to measure: recurrent, and with convolutions where the game has grids."""
    found = {f"recurrent, memory {MEMORY}": replace(config, memory=MEMORY)}
    grids = [
        block.name for block in game.layout if len(block.shape) > 1 and min(block.shape[-2:]) >= SMALLEST_GRID
    ]  # fmt: skip
    if grids:
        found[f"convolutions over {', '.join(grids)}"] = replace(config, grids=grids)
    return found


def measures(game: str, folder: Path) -> tuple[SelfPlayConfig, Bench, Callable[[], float]]:
    """Return the configuration measured, a bench of our training in `folder`, and the measure of its ceiling."""
    config = configuration(game)
    return config, Bench(config, folder), ceiling(config, envs.load(game))


def variant_rates(game: str, config: SelfPlayConfig) -> dict[str, float]:
    """Return the steps a second of each of `variants`, the median of three rounds."""
    rates = {}
    for name, other in variants(envs.load(game), config).items():
        with TemporaryDirectory() as folder, redirect_stderr(StringIO()):
            bench = Bench(other, Path(folder))
            rates[name] = float(np.median([bench.rate() for _ in range(3)]))
    return rates


def algorithms(game: str, folder: Path) -> dict[str, Callable[[], float]]:
    """Return for each algorithm that trains by our loop a function that trains for a round and returns steps a second.

    They are configured as in the benchmark, and no snapshot, evaluation or checkpoint comes between.
    """
    found = {}
    for name in benchmark.names():
        values = read(benchmark.path(name))
        loop = find(values["algorithm"]).loop
        if loop and game in values.pop("games", [game]):
            fixed = {"game": game, "steps": MANY_STEPS, "threads": 1, "evaluate_against": ["random"]}
            found[name] = _rounds(resolved(loop)(from_dict(values | fixed), folder, None, None))
    return found


def _rounds(training: Any) -> Callable[[], float]:
    def measure() -> float:
        before, start = training.steps, time.perf_counter()
        while training.steps - before < LONG_ROUND:
            training.update()
        return float((training.steps - before) / (time.perf_counter() - start))

    measure()
    return measure
