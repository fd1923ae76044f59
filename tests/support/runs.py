"""Training runs that take seconds."""

import numpy as np
import pytest

from sobremesa.training.config.classes import ConfigError, algorithms_with, from_dict

GAME = "ese_toro_enamorado"
FLAGS = {
    "steps": 3_000,
    "threads": 1,
    "tables": 32,
    "horizon": 16,
    "batch_size": 128,
    "learning_rate": 5e-4,
    "gamma": 0.995,
    "gae_lambda": 0.95,
    "entropy_last": 0.01,
    "epochs": 2,
    "hidden": [16],
    "snapshots": 2,
    "snapshot_every": 1_000,
    "opponents": {"self": 0.3, "snapshots": 0.3, "random": 0.4},
    "evaluate_every": 2_000,
    "evaluate_deals": 3,
    "evaluate_against": ["random"],
    "checkpoint_every": 1_000,
    "setup": {"max_rounds": 2},
}
KEPT = {"replay": 600, "reservoir": 400}  # of algorithms with a buffer


def tiny(**changes):
    """Return a configuration that trains in seconds."""
    algorithm = changes.get("algorithm", "ppo_selfplay")
    flags = {key: value for key, value in (FLAGS | KEPT).items() if algorithm in algorithms_with(key)}
    return from_dict({"game": GAME, **flags, **changes})


def check_refused(config, changes, why, folder):
    """Check that a run of `config(**changes)` is refused for a reason like `why`, before anything is written."""
    from sobremesa.training.trainer import train

    with pytest.raises(ConfigError, match=why):
        train(config(**changes), folder / "run")
    assert not (folder / "run").exists()


def learned_bot(training, folder):
    """Check that `training` learns and that its bot, in `folder`, plays as its network does; return the bot."""
    from sobremesa import agents
    from sobremesa.envs.core.api.vector import VectorEnv
    from sobremesa.envs.core.chance import STREAM
    from sobremesa.training.bots import export
    from sobremesa.training.networks.policy import load_weights
    from sobremesa.training.runs import run

    told = training.update()
    assert told["samples/new"] > 0
    assert all(np.isfinite(one) for one in told.values())
    run.create(folder / "run", training.config)
    training.write_checkpoint()
    training.ledger.save("interrupted", training.steps, training.learned)
    export(folder / "run", folder / "bot", "last")
    bot = agents.load(str(folder / "bot"), training.game)
    load_weights(folder / "run" / "last.safetensors", training.learned)
    tables = VectorEnv(training.game, 16, seed=5)
    for _ in range(6):
        seen = tables.step(tables.sample())
    streams, learner = np.zeros(16, STREAM), training.learned.agent("learner")
    assert (bot.act_batch(seen.observations, seen.masks, streams.copy())
            == learner.act_batch(seen.observations, seen.masks, streams)).all()  # fmt: skip
    return bot


def last_checkpoint(folder):
    """Return the file of arrays of the last checkpoint of the run in `folder`."""
    return max((folder / "checkpoints").glob("*.safetensors"))


def the_same_however(config, folder, stop_at=3):
    """Check that a run ends alike with three workers and an interrupt at report `stop_at`; return its record."""
    from sobremesa.training import trainer
    from sobremesa.training.runs import run

    whole, stopped = folder / "whole", folder / "stopped"
    trainer.train(config(), whole)
    trainer.train(config(workers=3), stopped, interrupt_at(stop_at))
    assert run.read(stopped)[1]["status"] == "interrupted"
    _, record = trainer.resume(stopped)
    assert (record["status"], record["evaluations"][-1]["steps"]) == ("finished", record["steps"])
    assert last_checkpoint(stopped).name == last_checkpoint(whole).name
    assert last_checkpoint(stopped).read_bytes() == last_checkpoint(whole).read_bytes()
    assert (stopped / "best.safetensors").read_bytes() == (whole / "best.safetensors").read_bytes()
    return record


def train_tiny(folder, progress=None, **changes):
    """Train by `tiny(**changes)` in `folder`, and return `folder`."""
    from sobremesa.training.trainer import train

    train(tiny(**changes), folder, progress)
    return folder


def weights(folder):
    return {name: (folder / f"{name}.safetensors").read_bytes() for name in ("last", "best")}


def same(folder, other):
    """Check that two runs have the same weights, evaluations, pools and states."""
    assert weights(folder) == weights(other)
    from sobremesa.training.runs import run

    records = [run.read(one)[1] for one in (folder, other)]
    for key in ("status", "steps", "evaluations", "best"):
        assert records[0][key] == records[1][key], key
    states = [last_checkpoint(one) for one in (folder, other)]
    assert states[0].name == states[1].name
    assert states[0].read_bytes() == states[1].read_bytes()
    pools = [{file.name: file.read_bytes() for file in (one / "pool").iterdir()} for one in (folder, other)]
    assert pools[0] == pools[1]
    return True


def stopped(folder, updates, **changes):
    """Train until an interrupt after so many updates."""
    return train_tiny(folder, interrupt_at(updates), **changes)


def interrupt_at(report):
    """Return a function for the reports of a run that interrupts it at one of them, counted from 1."""
    calls = []

    def stop(*_):
        calls.append(1)
        if len(calls) == report:
            raise KeyboardInterrupt

    return stop


TURNS = {"until": "round_number", "setup": {"seats": [2, 3], "max_rounds": 3}}


def tiny_counterfactual(**changes):
    """Return a configuration of counterfactual with a few updates."""
    values = {
        "game": "kuhn_poker", "algorithm": "counterfactual", "advised_by": "simple", "steps": 600, "threads": 1,
        "tables": 64, "batch_size": 128, "epochs": 2, "hidden": [8], "share": 0.5, "worlds": 1, "window": 500,
        "snapshots": 2, "snapshot_every": 150,
        "evaluate_every": 300, "evaluate_deals": 3, "evaluate_against": ["random"], "checkpoint_every": 200,
    }  # fmt: skip
    return from_dict(values | changes)


def tiny_toro(**changes):
    return tiny_counterfactual(game=GAME, advised_by="strong", stages="stage", candidates=4, **(TURNS | changes))
