"""How long training takes until it beats an agent: CPU minutes and decisions, seed by seed.

    python -m sobremesa.bench.beating ese_toro_enamorado --agent strong --seeds 0 1 2 3 4
    python -m sobremesa.bench.beating ese_toro_enamorado --steps 6000000 --every 50000
    python -m sobremesa.bench.beating erase_una_vez --config erase_una_vez_advised

A run is that of `sobremesa train GAME`, with the game's own configuration or another and one thread. It ends at the
first evaluation in which the agent is beaten at every table that is trained on (the interval of the lead lies above 0),
or when its decisions are spent. CPU time is that of playing and learning, without evaluations; a busy machine stretches
it, so what is compared is measured in turns on one machine.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sobremesa.agents.arena.score import Score
from sobremesa.arguments import count
from sobremesa.commit import commit
from sobremesa.progress import progress
from sobremesa.training import run
from sobremesa.training.config import ConfigError, TrainConfig, default_for, from_dict, read
from sobremesa.training.config import find as find_config
from sobremesa.training.loop import Loop
from sobremesa.training.registry import find, resolved

DEALS = 400  # of an evaluation, each in all seatings


class Beaten(NamedTuple):
    """What one run took."""

    seed: int
    beaten: bool
    steps: int  # decisions, at its last evaluation
    cpu_seconds: float  # of playing and learning up to there
    score: Score  # of that evaluation, where it was the least ahead


def configure(game: str, agent: str, seed: int, config: str | None = None, **changes: Any) -> TrainConfig:
    """Return how `game` is trained, by `config` or by its own configuration, evaluated against `agent` alone."""
    values = default_for(game) if config is None else read(find_config(config))
    if values.setdefault("game", game) != game:
        raise ConfigError(f"{config} is a configuration of {values['game']}, not of {game}")
    fixed = {"evaluate_against": [agent], "evaluate_deals": DEALS, "threads": 1, "seed": seed}
    return from_dict(values | fixed | changes)


def time_to_beat(config: TrainConfig, told: Any = None) -> Beaten:
    """Train as `config` says until its one agent is beaten at every table that is trained on, or all steps are done."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        training: Loop = resolved(find(config.algorithm).loop)(config, folder, told)
        run.create(folder, config)
        evaluate, found, spent = training.ledger.evaluate, [], 0.0
        began = time.process_time()

        def watched(*arguments: Any) -> list[Score]:
            nonlocal spent
            before = time.process_time()
            scores = evaluate(*arguments)
            worst = min(scores, key=lambda score: score.lead_low)
            found.append(Beaten(config.seed, worst.beats, arguments[0], before - began - spent, worst))
            training.stopping |= worst.beats
            spent += time.process_time() - before
            return scores

        training.ledger.evaluate = watched  # type: ignore
        training.go_on()
    return next((one for one in found if one.beaten), found[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each seed."""
    parser = argparse.ArgumentParser(prog="python -m sobremesa.bench.beating", description=__doc__.splitlines()[0])
    parser.add_argument("game", help="the game, as `sobremesa games` lists it")
    parser.add_argument("--agent", default="strong", help="who is to be beaten (default: %(default)s)")
    parser.add_argument("--config", help="a TOML file, or one that comes with the library (default: the game's own)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--every", type=count, default=100_000, help="decisions between evaluations")
    parser.add_argument("--steps", type=count, help="decisions, at most (default: the configuration's)")
    given = parser.parse_args(arguments)
    changes = {"evaluate_every": given.every} | ({"steps": given.steps} if given.steps else {})
    print(f"commit {commit()}; {DEALS} deals an evaluation, one every {given.every:,} decisions; one thread")
    for seed in given.seeds:
        try:
            config = configure(given.game, given.agent, seed, given.config, **changes)
        except ConfigError as error:
            parser.error(str(error))
        with progress(f"seed {seed}") as update:
            one = time_to_beat(config, update)
        verdict = "beaten" if one.beaten else "not beaten"
        score = f"{one.score.value:.3f} ({one.score.low:.3f} to {one.score.high:.3f})"
        minutes = f"{one.cpu_seconds / 60:.2f} CPU minutes"
        print(f"seed {seed}: {verdict} after {one.steps:,} decisions, {minutes}, {score}", flush=True)


if __name__ == "__main__":
    main()
