"""CPU time and decisions until training beats an agent, for each seed.

    python tests/tools/time_to_beat.py ese_toro_enamorado
    python tests/tools/time_to_beat.py ese_toro_enamorado --set epochs=2 hidden=[128] --every 250_000
    python tests/tools/time_to_beat.py corre_el_encierro --config corre_el_encierro_advised --choice greedy

A run trains as `sobremesa train GAME` does, on one thread. Every `--every` decisions the learner plays against the
agent at every training table. If the interval of its lead is above 0 at each, it plays twice as many deals, all new to
it. The run ends if it leads there too: many evaluations on the same deals would show a lead by luck.

CPU time is that of playing and learning, without evaluations and without loading kernels. Other load on the machine
increases it, so compare settings in turns on a quiet machine. Each result is a line of the file `--out`; the same
command at the same commit plays only the seeds that are missing.
"""

import argparse
import ast
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from sobremesa.agents.arena.score import Score
from sobremesa.arguments import count, whole
from sobremesa.commit import commit
from sobremesa.envs.core.agent import Agent
from sobremesa.progress import progress
from sobremesa.training.config.classes import TrainConfig, default_for, from_dict, read_for
from sobremesa.training.runs import checkpoint
from sobremesa.training.runs.evaluation import EVALUATION_SEED, Progress, evaluate, load_game, measured_by
from sobremesa.training.trainer import train

AGAIN = 2  # times as many new deals, on which a lead must hold
APART = 1_000_000  # between the seeds of two evaluations on new deals


class Looks:
    """The evaluations of one run; they end it when the agent is beaten."""

    def __init__(self, config: TrainConfig, greedy: bool) -> None:
        self.config, self.greedy, self.game = config, greedy, load_game(config)
        self.known: dict[Any, Any] = {}
        self.looks, self.spent, self.began = 0, 0.0, time.process_time()
        self.beaten, self.steps, self.seconds, self.scores = False, 0, 0.0, list[Score]()

    def look(self, steps: int, learner: Agent) -> list[Score]:
        """Play against the agent, after a lead again on new deals; raise KeyboardInterrupt if that lead holds."""
        before = time.process_time()
        self.looks, self.steps, self.seconds = self.looks + 1, steps, before - self.began - self.spent
        if self.greedy:
            learner.greedy = True  # type: ignore[attr-defined]
        first = self.scores = evaluate(self.config, self.game, learner, self.known)
        if all(score.beats for score in first):
            more = replace(self.config, evaluate_deals=AGAIN * self.config.evaluate_deals)
            self.scores = evaluate(more, self.game, learner, seed=EVALUATION_SEED + self.looks * APART)
            self.beaten = all(score.beats for score in self.scores)
        self.spent += time.process_time() - before
        if self.beaten:
            raise KeyboardInterrupt  # ends the run of any algorithm
        return first


def time_to_beat(config: TrainConfig, greedy: bool, told: Progress | None = None) -> dict[str, Any]:
    """Train by `config` until the agent is beaten at every training table, or all steps are done.

    Raises KeyboardInterrupt if the run is interrupted earlier.
    """
    looks = Looks(config, greedy)
    with _in_passing(looks.look) as folder:
        record = train(config, folder, told)
    if record["status"] == "interrupted" and not looks.beaten:
        raise KeyboardInterrupt
    worst = min(looks.scores, key=lambda one: one.lead_low)
    score = {name: round(getattr(worst, name), 4) for name in ("value", "low", "high", "lead", "seats")}
    return {"beaten": looks.beaten, "steps": looks.steps, "cpu_seconds": round(looks.seconds, 1), "worst": score}


def warm_up(config: TrainConfig) -> None:
    """Train for one update, to load the kernels."""

    def stop(steps: int, learner: Agent) -> list[Score]:
        raise KeyboardInterrupt

    with _in_passing(stop) as folder:
        train(replace(config, evaluate_every=1), folder)


@contextmanager
def _in_passing(measure: Any) -> Iterator[Path]:
    """Yield a temporary folder for a run that is evaluated by `measure` and writes no checkpoints."""
    with TemporaryDirectory() as scratch, measured_by(measure), checkpoint.spaced(inf):
        yield Path(scratch) / "run"


def line_of(row: dict[str, Any]) -> str:
    """Return a result as text."""
    worst, verdict = row["worst"], "beaten" if row["beaten"] else "not beaten"
    score = "{value:.3f} ({low:.3f} to {high:.3f}) at {seats} seats, lead {lead:+.3f}".format(**worst)
    return f"seed {row['seed']}: {verdict} after {row['steps']:,} decisions, {row['cpu_seconds']:.0f} CPU s; {score}"


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return the median and the range of time and decisions; a run that did not beat the agent counts as infinite."""
    parts = [f"beaten by {sum(row['beaten'] for row in rows)} of {len(rows)} seeds"]
    for key, unit in (("cpu_seconds", "CPU s"), ("steps", "decisions")):
        values = [row[key] if row["beaten"] else inf for row in rows]
        parts.append(f"{median(values):,.0f} {unit} ({min(values):,.0f} to {max(values):,.0f})")
    return ", ".join(parts).replace("inf", "never")


def _settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Return keys of a configuration from texts such as `epochs=2` or `setup={"seats": 2}`."""
    found = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        try:
            found[name] = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            found[name] = text
        if not sign:
            raise ValueError(f"--set {pair!r} is not allowed; write NAME=VALUE, for example epochs=2")
    return found


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python tests/tools/time_to_beat.py", description=__doc__.splitlines()[0])
    parser.add_argument("game", help="the game, as `sobremesa games` lists it")
    parser.add_argument("--agent", default="strong", help="agent to beat (default: %(default)s)")
    parser.add_argument("--config", help="TOML file or shipped configuration (default: the game's own)")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="other keys of the configuration")
    parser.add_argument("--seeds", type=whole, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--every", type=count, default=100_000, help="decisions between evaluations")
    parser.add_argument("--deals", type=count, default=500, help="deals of an evaluation (default: %(default)s)")
    parser.add_argument("--choice", choices=("sample", "greedy"), default="sample", help="of the evaluated policy")
    parser.add_argument("--out", type=Path, default=Path("runs/beating.jsonl"), help="results (default: %(default)s)")
    return parser


def main() -> None:
    """Print a line for each seed, and a summary."""
    parser = _arguments()
    given = parser.parse_args()
    try:
        values = read_for(given.game, given.config) if given.config else default_for(given.game)
        fixed = {"evaluate_against": [given.agent], "evaluate_deals": given.deals, "evaluate_every": given.every}
        values |= {"threads": 1} | fixed | _settings(given.set)
        configs = [from_dict(values | {"seed": seed}) for seed in given.seeds]
    except ValueError as error:
        parser.error(str(error))
    key = json.dumps([values, given.choice, commit()], sort_keys=True)
    known = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    rows = {row["seed"]: row for row in known if row["key"] == key}
    if any(config.seed not in rows for config in configs):
        warm_up(configs[0])
    given.out.parent.mkdir(parents=True, exist_ok=True)
    for config in configs:
        if config.seed not in rows:
            with progress(f"seed {config.seed}") as told:
                found = time_to_beat(config, given.choice == "greedy", told)
            rows[config.seed] = {"key": key, "seed": config.seed} | found
            with given.out.open("a") as file:
                file.write(json.dumps(rows[config.seed]) + "\n")
        print(line_of(rows[config.seed]), flush=True)
    print(summary([rows[config.seed] for config in configs]))


if __name__ == "__main__":
    main()
