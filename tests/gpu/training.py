"""Training from nothing on a GPU, for each game: decisions a second, their shares, and the result against `strong`."""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch
from tests.gpu.timing import milliseconds, say

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import compare_each
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.config.classes import SelfPlayConfig, from_dict, read
from sobremesa.training.runs import run

RECIPE = Path(__file__).parents[2] / "configs" / "recipes" / "gpu.toml"
DEALS = 400  # of the evaluation, each in all seatings
SETUPS: dict[str, dict[str, Any]] = {"ese_toro_enamorado": {"seats": 2}}  # other games: their usual table


def warm(name: str, device: str) -> None:
    """Compile what training and evaluating a game needs."""
    game = envs.load(name)
    TensorEnv(game, 64, device=device)
    strong = agents.load("strong", game)
    compare_each(game, strong, [agents.load("random", game)], 2, seed=0)


def warm_all(names: list[str], device: str, *tasks: str) -> None:
    """Run the functions `tasks`, such as "tests.gpu.training:warm", for all games at once, in processes of their own.

    They fill the kernel cache.
    """
    code = "import sys, importlib; getattr(importlib.import_module(sys.argv[1]), sys.argv[2])(*sys.argv[3:])"
    found = [
        subprocess.Popen([sys.executable, "-P", "-c", code, *task.split(":"), name, device])
        for task in tasks or ("tests.gpu.training:warm",) for name in names
    ]  # fmt: skip
    for process in found:
        process.wait()


def train(name: str, device: str, seconds: float, seed: int, folder: Path, **more: Any) -> dict[str, Any]:
    """Train a policy of `name` from nothing, with `more` keys of the configuration; return what came out."""
    shutil.rmtree(folder, ignore_errors=True)
    given = {
        "game": name, "algorithm": "ppo_selfplay", "device": device, "minutes": seconds / 60, "seed": seed,
        "steps": 10**12, "evaluate_every": 10**12, "checkpoint_every": 10**12, "evaluate_deals": DEALS,
        "setup": SETUPS.get(name, {}),
    }  # fmt: skip
    config = from_dict(read(RECIPE) | given | more)
    assert isinstance(config, SelfPlayConfig)
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
    with run.begun(folder, config):
        began = time.perf_counter()
        training = Training(config, folder, None)
        made = time.perf_counter() - began
        training.ledger._began = time.perf_counter()  # the minutes are those of training
        updates = timed_updates(training)
        record = training.go_on()
    shares, spent = shares_of(training), sum(updates)
    score = record["evaluations"][-1]["scores"][0]
    row = {
        "game": name, "seats": score["seats"], "seed": seed, "seconds": round(spent, 1),
        "decisions": record["steps"], "share": round(score["value"], 3),
        "interval": f"{score['low']:.3f} to {score['high']:.3f}", "level": round(score["baseline"], 3),
        "decisions_a_second": round(record["steps"] / spent), "compile_seconds": round(made, 1), **shares,
    }  # fmt: skip
    say(f"{name:20s} seed {seed}: {row['decisions'] / 1e6:6.1f} M decisions in {row['seconds']:5.1f} s, "
        f"{row['decisions_a_second'] / 1e6:5.2f} M/s; share against strong {row['share']} ({row['interval']}), "
        f"level {row['level']}; {shares}")  # fmt: skip
    return row


def timed_updates(training: Training) -> list[float]:
    """Return a list to which each update of `training` adds its seconds."""
    seconds, update = list[float](), training.update

    def timed() -> Any:
        began = time.perf_counter()
        losses = update()
        seconds.append(time.perf_counter() - began)
        return losses

    training.update = timed  # type: ignore[method-assign]
    return seconds


def shares_of(training: Training) -> dict[str, float]:
    """Return the milliseconds of a rollout, of its environment alone, and of an update."""
    tables, buffer, learner, env = training.tables, training.buffer, training.learner, training.tables.env

    def rollout() -> None:
        tables.play(learner.look, buffer)
        buffer.close(training.config.gamma, training.config.gae_lambda)

    play = milliseconds(rollout, 1)
    learn = milliseconds(lambda: learner.learn(buffer, 1.0, training.rng), 1)

    def alone() -> None:
        for _ in range(buffer.horizon):
            env.step(env.sample())

    alone()
    game = milliseconds(alone, 1)
    memory = torch.cuda.max_memory_allocated() / 1e9 if training.device.type == "cuda" else 0.0
    return {"rollout_ms": round(play, 1), "environment_ms": round(game, 1), "update_ms": round(learn, 1),
            "memory_gb": round(memory, 1)}  # fmt: skip
