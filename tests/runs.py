"""Training runs so small that they take seconds."""

from sobremesa.training.config.classes import from_dict, takers

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
KEPT = {"replay": 600, "reservoir": 400}  # of algorithms that keep what they learn from


def tiny(**changes):
    """Return a configuration that trains in seconds, and learns as much."""
    algorithm = changes.get("algorithm", "ppo_selfplay")
    flags = {key: value for key, value in (FLAGS | KEPT).items() if algorithm in takers(key)}
    return from_dict({"game": GAME, **flags, **changes})


def last_checkpoint(folder):
    """Return the weights of the last checkpoint of the run in `folder`, a file."""
    return max((folder / "checkpoints").glob("*.safetensors"))


def the_same_however(config, folder, stop_at=3):
    """Train as `config()` says at one go, and with three workers and a stop at the `stop_at`th report, after which it
    goes on; check that both end alike to the bit, and return the record."""
    from sobremesa.training import trainer
    from sobremesa.training.runs import run

    whole, stopped, calls = folder / "whole", folder / "stopped", []

    def stop(*_):
        calls.append(1)
        if len(calls) == stop_at:
            raise KeyboardInterrupt

    trainer.train(config(), whole)
    trainer.train(config(workers=3), stopped, stop)
    assert run.read(stopped)[1]["status"] == "interrupted"
    _, record = trainer.resume(stopped)
    assert (record["status"], record["evaluations"][-1]["steps"]) == ("finished", record["steps"])
    assert last_checkpoint(stopped).name == last_checkpoint(whole).name
    assert last_checkpoint(stopped).read_bytes() == last_checkpoint(whole).read_bytes()
    assert (stopped / "best.safetensors").read_bytes() == (whole / "best.safetensors").read_bytes()
    return record


def train_tiny(folder, progress=None, **changes):
    """Train as `tiny(**changes)` says in `folder`, which is returned."""
    from sobremesa.training.trainer import train

    train(tiny(**changes), folder, progress)
    return folder
