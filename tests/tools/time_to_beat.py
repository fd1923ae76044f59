"""CPU minutes and decisions until training beats an agent, for each seed.

    python tests/tools/time_to_beat.py ese_toro_enamorado --agent strong --seeds 0 1 2 3 4
    python tests/tools/time_to_beat.py ese_toro_enamorado --steps 6000000 --every 50000
    python tests/tools/time_to_beat.py erase_una_vez --config erase_una_vez_advised --setup seats=3 --choice greedy

A run trains like `sobremesa train GAME` with one thread. Every `--every` decisions it plays against the agent at every
training table. If it is ahead at each (the interval of the lead lies above 0), it plays more deals, all new to it. The
run ends if it is ahead on these too: many evaluations on the same deals would show a lead by luck. Otherwise it
trains on, up to its number of decisions.

CPU time covers playing and learning, without evaluations and without loading kernels. A busy machine increases it, so
compare runs in turns on one machine. Each seed is stored in its own file (`--out`); the same commit does not repeat it.
"""

import argparse
import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from sobremesa import envs
from sobremesa.agents.arena.score import Score
from sobremesa.agents.stored import LARGEST
from sobremesa.arguments import add_setup, count, setup_fields, whole
from sobremesa.commit import commit
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.progress import progress
from sobremesa.training.config.classes import (
    ConfigError,
    TrainConfig,
    default_for,
    find as find_config,
    from_dict,
    read,
)
from sobremesa.training.runs import checkpoint
from sobremesa.training.runs.evaluation import EVALUATION_SEED, Progress, evaluate, load_game, measured_by
from sobremesa.training.trainer import train

DEALS = 500  # of an evaluation, each in all seatings
AGAIN = 2  # times as many new deals, on which a lead must hold
APART = 1_000_000  # between the seeds of two evaluations on new deals
FOLDER = Path("runs/beating")
CHOICES = ("sample", "greedy")


class Beaten(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one run."""

    game: str
    agent: str
    seed: int
    beaten: bool
    steps: int  # decisions, at its last evaluation
    cpu_seconds: float  # of playing and learning until then
    scores: list[Score]  # at each table; on new deals if the agent was beaten
    looks: int  # evaluations
    undone: int  # leads that did not hold on new deals
    commit: str

    @property
    def worst(self) -> Score:
        """The score with the lowest lead."""
        return min(self.scores, key=lambda score: score.lead_low)

    def told(self) -> str:
        """Return the result as a line."""
        verdict = "beaten" if self.beaten else "not beaten"
        one, minutes = self.worst, f"{self.cpu_seconds / 60:.2f} CPU minutes"
        score = f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f}) at {one.seats}, lead {one.lead:+.3f}"
        return f"seed {self.seed}: {verdict} after {self.steps:,} decisions, {minutes}, {score}"


def configure(
    game: str, agent: str, seed: int, config: str | None = None, setup: dict[str, Any] | None = None, **changes: Any
) -> TrainConfig:
    """Return the training configuration of `game` (`config`, or its default), evaluated against `agent` only.

    `setup` overrides fields of the configuration's setup.
    """
    values = default_for(game) if config is None else read(find_config(config))
    if values.setdefault("game", game) != game:
        raise ConfigError(f"{config} is a configuration of {values['game']}, not of {game}")
    fixed = {"evaluate_against": [agent], "evaluate_deals": DEALS, "threads": 1, "seed": seed}
    return from_dict(values | fixed | {"setup": values.get("setup", {}) | (setup or {})} | changes)


class Looks:
    """Evaluations of one run; they end it when the agent is beaten."""

    def __init__(self, config: TrainConfig, greedy: bool) -> None:
        self.config, self.greedy = config, greedy
        self.game, self.known, self.spent = load_game(config), {}, 0.0  # type: ignore[var-annotated]
        self.found: Beaten | None = None
        self.began = time.process_time()

    def look(self, steps: int, learner: Agent) -> list[Score]:
        """Play against the agent, after a lead again on new deals; raise KeyboardInterrupt if that lead holds."""
        before = time.process_time()
        learnt = before - self.began - self.spent
        if self.greedy and hasattr(learner, "greedy"):
            learner.greedy = True
        looks, undone = (self.found.looks + 1, self.found.undone) if self.found else (1, 0)
        first = scores = evaluate(self.config, self.game, learner, self.known)
        beaten = all(score.beats for score in scores)
        if beaten:
            more = dataclasses.replace(self.config, evaluate_deals=AGAIN * self.config.evaluate_deals)
            scores = evaluate(more, self.game, learner, seed=EVALUATION_SEED + looks * APART)
            beaten = all(score.beats for score in scores)
            undone += not beaten
        name, (agent,) = self.config.game, self.config.evaluate_against
        self.found = Beaten(
            name, agent, self.config.seed, beaten, steps, round(learnt, 2), scores, looks, undone, commit()
        )
        self.spent += time.process_time() - before
        if beaten:
            raise KeyboardInterrupt  # ends the run of any algorithm
        return first


def time_to_beat(config: TrainConfig, told: Progress | None = None, greedy: bool = False) -> Beaten:
    """Train by `config` until the agent is beaten at every training table, or all steps are done.

    With `greedy`, evaluations use the likeliest action instead of a sample. Raises KeyboardInterrupt if the run is
    interrupted earlier.
    """
    looks = Looks(config, greedy)
    with _in_passing(looks.look) as folder:
        record = train(config, folder, told)
    if looks.found is None or (record["status"] == "interrupted" and not looks.found.beaten):
        raise KeyboardInterrupt
    return looks.found


def warm_up(config: TrainConfig) -> None:
    """Train for one update, to load the kernels; its time counts for no run.

    Raises KeyboardInterrupt if it is interrupted.
    """
    updated = False

    def stop(steps: int, learner: Agent) -> list[Score]:
        nonlocal updated
        updated = True
        raise KeyboardInterrupt

    with _in_passing(stop) as folder:
        train(dataclasses.replace(config, evaluate_every=1), folder)
    if not updated:
        raise KeyboardInterrupt


@contextmanager
def _in_passing(measure: Any) -> Iterator[Path]:
    """Yield a temporary folder for a run that is evaluated by `measure` and writes no checkpoints."""
    with TemporaryDirectory() as scratch, measured_by(measure), checkpoint.spaced(math.inf):
        yield Path(scratch) / "run"


def summary(found: Sequence[Beaten]) -> str:
    """Return the medians and ranges of minutes and decisions; runs that did not beat the agent count as longest."""
    beaten = sum(one.beaten for one in found)
    told = f"beaten by {beaten} of {len(found)} seeds"
    if not beaten:
        return f"{told}, in {min(one.cpu_seconds for one in found) / 60:.2f} CPU minutes or more"
    minutes = [one.cpu_seconds / 60 if one.beaten else math.inf for one in found]
    steps = [one.steps if one.beaten else math.inf for one in found]
    parts = [
        f"{median(values):{form}} {unit} ({min(values):{form}} to {max(values):{form}})"
        for values, form, unit in ((minutes, ".2f", "CPU minutes"), (steps, ",.0f", "decisions"))
    ]
    return f"{told}; median {', '.join(parts)}".replace("inf", "never")


def _file(folder: Path, config: TrainConfig, greedy: bool) -> Path:
    key = json.dumps([dataclasses.asdict(config), config.algorithm, greedy, AGAIN, commit()], sort_keys=True)
    return folder / config.game / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def _read(path: Path) -> Beaten | None:
    """Return the result in `path`; None if it is missing or cut short."""
    try:
        return msgspec.json.decode(read_inside(path.parent, path.name, LARGEST), type=Beaten)
    except (OSError, msgspec.DecodeError):
        return None


def _configured(given: argparse.Namespace) -> list[TrainConfig]:
    """Return the configuration of each seed; raise ValueError for invalid arguments."""
    changes = {"evaluate_every": given.every, "evaluate_deals": given.deals} | (
        {"steps": given.steps} if given.steps else {}
    )
    setup = setup_fields(envs.load(given.game), given.setup)
    return [configure(given.game, given.agent, seed, given.config, setup, **changes) for seed in given.seeds]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each seed, and a summary."""
    parser = argparse.ArgumentParser(prog="python tests/tools/time_to_beat.py", description=__doc__.splitlines()[0])
    parser.add_argument("game", help="the game, as `sobremesa games` lists it")
    parser.add_argument("--agent", default="strong", help="agent to beat (default: %(default)s)")
    parser.add_argument("--config", help="TOML file or shipped configuration (default: the game's own)")
    parser.add_argument("--seeds", type=whole, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--every", type=count, default=100_000, help="decisions between evaluations")
    parser.add_argument("--deals", type=count, default=DEALS, help="deals of an evaluation (default: %(default)s)")
    parser.add_argument("--steps", type=count, help="most decisions (default: the configuration's)")
    parser.add_argument(
        "--choice", choices=CHOICES, default="sample", help="of the evaluated policy (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of results (default: %(default)s)")
    add_setup(parser)
    given = parser.parse_args(arguments)
    try:
        configs, greedy = _configured(given), given.choice == "greedy"
        waiting = [config for config in configs if _read(_file(given.out, config, greedy)) is None]
        deals = f"{given.deals:,} deals every {given.every:,} decisions, {AGAIN * given.deals:,} to confirm a lead"
        print(f"commit {commit()}; {deals}; one thread")
        if waiting:
            warm_up(waiting[0])
        for config in configs:
            path = _file(given.out, config, greedy)
            if (one := _read(path)) is None:
                with progress(f"seed {config.seed}") as update:
                    one = time_to_beat(config, update, greedy)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, json.dumps(msgspec.to_builtins(one), indent=1))
            print(one.told(), flush=True)
        print(summary([one for config in configs if (one := _read(_file(given.out, config, greedy)))]))
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print(f"stopped; repeat the command to run the seeds that are missing in {given.out}")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
