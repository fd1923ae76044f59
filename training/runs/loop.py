"""Training loop of all algorithms: updates, and between them evaluations and checkpoints.

Between two updates the state of a run is arrays and numbers, which a checkpoint stores. So an interrupted or killed run
resumes from its last checkpoint and reaches the same weights (on the same machine, with the same versions and number of
threads, and without `minutes`).
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from sobremesa.training.config.classes import LoopConfig
from sobremesa.training.networks.policy import Learned
from sobremesa.training.runs import checkpoint, processes, run
from sobremesa.training.runs.averaging import Mean
from sobremesa.training.runs.evaluation import Ledger, Progress, load_game, references


class Loop:
    """A run; subclasses define what they `begin` with, the network (`learned`), `update`, and a checkpoint's state.

    Raises ConfigError, before any file is written, for a game or an opponent that does not exist.
    """

    learned: Learned  #: the network that plays
    optimizer: torch.optim.Optimizer
    rng: np.random.Generator
    in_parallel = False  #: whether several processes can train a run
    parts_here = ("tables", "streams")  #: those parts of `arrays` that belong to this process alone

    def __init__(
        self, config: LoopConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        self.config, self.folder = config, folder
        self.game = load_game(config)
        references(config, self.game)
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # which deterministic products on a GPU need
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # all is written
        torch.set_num_threads(config.threads)
        self.ledger = Ledger(config, self.game, folder, progress, record)
        self.steps = 0
        self.next = {name: getattr(config, f"{name}_every") for name in ("evaluate", "checkpoint")}
        self.stopping = False
        self.begin(record is None)

    def begin(self, new: bool) -> None:
        """Make the networks, the optimizer and the tables; a run that is not `new` gets a checkpoint's state next."""

    @cached_property
    def mean(self) -> Mean:
        """The mean of the weights over the last part of the run (`average`)."""
        return Mean(weights_of(self.learned))

    def update(self) -> Any:
        """Play a batch and learn from it; return the input of `metrics`."""
        raise NotImplementedError

    def metrics(self, outcome: Any) -> dict[str, float]:
        """Return the metrics to log after an update; by default the result of `update`."""
        numbers: dict[str, float] = outcome
        return numbers

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return all arrays of the state without the optimizer's, by part and name."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Return the other numbers of the state, for JSON."""
        return {}

    def beside(self) -> list[str]:
        """Return other files in the run's folder that a resumed run needs."""
        return []

    @property
    def done(self) -> float:
        """The part of the run that is done, 0 to 1."""
        limit = 60 * self.config.minutes
        part = self.ledger.seconds / limit if limit else 0.0
        return min(1.0, max(part, self.steps / self.config.steps))

    @property
    def over(self) -> bool:
        """Whether the run is finished."""
        return self.done >= 1

    def go_on(self) -> dict[str, Any]:
        """Train to the end or to an interrupt; return the record."""
        self.writer = SummaryWriter(str(self.folder / run.TENSORBOARD), purge_step=self.steps)
        self._save("running")
        self._written = time.perf_counter()
        if self.steps == 0 and not checkpoint.apart():
            self.write_checkpoint()
        status, whole = "finished", True
        try:
            with self._finishing_updates():
                self.run_scheduled_work()
                while not self.over:
                    whole = False
                    outcome = self.update()
                    if self.done > 1 - self.config.average:
                        self.mean.add(weights_of(self.learned))
                    whole = True
                    self._log(self.metrics(outcome))
                    self.ledger.tell(self.steps, "training")
                    if self.asked_to_stop():
                        raise KeyboardInterrupt
                    self.run_scheduled_work()
                if not self.ledger.evaluated(self.steps):
                    self._evaluate()
        except KeyboardInterrupt:
            status = "interrupted"
        if whole and not (status == "finished" and checkpoint.apart()):
            self.write_checkpoint()
        if whole and status != "finished":
            self.finalize_weights()
        self._save(status, whole)
        self.writer.close()
        return self.ledger.record

    def run_scheduled_work(self) -> None:
        """Evaluate and write checkpoints when they are due."""
        evaluated = self.steps >= self.next["evaluate"]
        if evaluated:
            self._evaluate()
            self.postpone("evaluate", self.config.evaluate_every)
        if evaluated or self.steps >= self.next["checkpoint"]:
            self.postpone("checkpoint", self.config.checkpoint_every)
            if time.perf_counter() - self._written >= checkpoint.apart():
                self.write_checkpoint()
            self._save("running")

    def postpone(self, name: str, every: int) -> None:
        """Advance the schedule of `name` to the next multiple of `every`."""
        self.next[name] += max(0, (self.steps - self.next[name]) // every + 1) * every

    def asked_to_stop(self) -> bool:
        """Return whether a process of the run has got a signal to stop."""
        return any(processes.gather(self.stopping))

    def _evaluate(self) -> None:
        if processes.number():  # the first one evaluates
            return
        for score in self.ledger.evaluate(self.steps, self.learned):
            self.writer.add_scalar(f"share/{score.reference} at {score.seats}", score.value, self.steps)

    def finalize_weights(self) -> None:
        """Prepare the weights that an interrupted run saves; its checkpoint is already written."""

    def _save(self, status: str, whole: bool = True) -> None:
        """Write the record and, unless an update is incomplete, the weights."""
        self.ledger.save(status, self.steps, self.learned if whole else None)
        if whole:
            self.mean.save(self.folder / "average.safetensors")

    def _log(self, metrics: dict[str, float]) -> None:
        metrics["speed/decisions a second"] = self.steps / self.ledger.seconds
        for name, value in processes.mean_metrics(metrics).items():
            self.writer.add_scalar(name, value, self.steps)

    def write_checkpoint(self) -> None:
        """Write a checkpoint."""
        arrays = {f"{part}.{name}": array for part, named in self._state().items() for name, array in named.items()}
        self.ledger.record |= {"steps": self.steps, "seconds": round(self.ledger.seconds, 1)}
        here = {"random": self.rng.bit_generator.state, **self.numbers()}
        numbers = {"next": self.next, "record": self.ledger.record, "averaged": self.mean.count, **here}
        arrays, numbers["others"] = checkpoint.of_all(arrays, here, self.parts_here)
        beside = self.beside()
        if processes.number() == 0:
            checkpoint.write(self.folder, self.steps, arrays, numbers, beside)
        self._written = time.perf_counter()

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the state of a checkpoint; raise RunError or ValueError if it does not fit."""
        held = {name.split(".")[1] for name in arrays if name.startswith("adam.")}
        weights = (weight for group in self.optimizer.param_groups for weight in group["params"])
        for number, weight in enumerate(weights):  # Adam has no state of weights without a gradient
            weight.grad = torch.zeros_like(weight) if str(number) in held else None
        self.optimizer.step()
        state = self._state()
        for part, named in state.items():
            checkpoint.write_back(named, arrays, part)
        moments = self.optimizer.state_dict()["state"]
        for name, array in state["adam"].items():  # on a GPU these are copies
            weight_number, moment = name.split(".")
            moments[int(weight_number)][moment].copy_(torch.from_numpy(array))
        self.accept(state)
        self.steps, self.next = numbers["steps"], numbers["next"]
        self.rng.bit_generator.state = numbers["random"]
        self.mean.count = int(numbers["averaged"])

    def accept(self, state: dict[str, dict[str, np.ndarray]]) -> None:
        """Take the restored `state`, which has the parts of `arrays`, where it is only a copy."""

    def _state(self) -> dict[str, dict[str, np.ndarray]]:
        moments = self.optimizer.state_dict()["state"]
        mean = {"mean": self.mean.weights} if self.config.average else {}
        adam = {
            "adam": {
                f"{number}.{name}": one.cpu().numpy() for number in moments for name, one in moments[number].items()
            }
        }
        return self.arrays() | mean | adam

    @contextmanager
    def _finishing_updates(self) -> Iterator[None]:
        """Finish the current update on the first SIGINT or unhandled SIGTERM; stop immediately on the second."""

        def ask(*_: Any) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handled = signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL  # by a worker, which exits at once
        asking = [signal.SIGINT] if handled else [signal.SIGINT, signal.SIGTERM]
        before = {one: signal.signal(one, ask) for one in asking}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


class DealsLoop(Loop):
    """A loop whose updates play whole deals; it is over when the next deal would exceed the budget of steps."""

    spent = False  #: whether the last deals exceeded it

    def within(self, lengths: np.ndarray) -> np.ndarray:
        """Return which deals of `lengths` `(n,)`, in decisions, the budget covers, `(n,)` bool."""
        found = np.cumsum(lengths) <= self.config.steps - self.steps
        self.spent = not found.all()
        return np.asarray(found)

    @property
    def over(self) -> bool:
        """Whether the budget is spent, or the run is over."""
        return self.spent or super().over

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent."""
        return {"spent": self.spent}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore whether the budget is spent, too."""
        super().restore(arrays, numbers)
        self.spent = bool(numbers["spent"])


def weights_of(net: torch.nn.Module) -> dict[str, np.ndarray]:
    """Return the weights of `net` by name, as arrays that share its memory."""
    return {name: weight.numpy() for name, weight in net.state_dict().items()}
