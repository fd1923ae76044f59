"""Whether a run on a device that resumes from a checkpoint reaches the same weights, to the bit."""

import hashlib
from pathlib import Path
from typing import Any

from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.config.classes import SelfPlayConfig
from sobremesa.training.runs import checkpoint, run

TABLES, HORIZON = 64, 32
UPDATES = 6
EVERY = TABLES * HORIZON  # decisions between checkpoints


def digest(training: Any) -> str:
    """Return a digest of the policy's weights."""
    weights = training.learned.state_dict().values()
    return hashlib.sha256(b"".join(weight.cpu().numpy().tobytes() for weight in weights)).hexdigest()[:16]


def resumed(
    game: str, device: str, folder: Path, kind: Any = Training, config: Any = None, **given: Any
) -> tuple[str, str, int]:
    """Return the digests of a whole run and of its end resumed from the checkpoint before the last, and where it began.

    `given` are further keys of the configuration, unless there is a `config`; `kind` is the class of the run.
    """
    keys: dict[str, Any] = {
        "game": game, "device": device, "tables": TABLES, "horizon": HORIZON, "steps": UPDATES * EVERY,
        "batch_size": 256, "epochs": 2, "hidden": [32, 32], "opponents": {"self": 0.5, "snapshots": 0.5},
        "snapshots": 2, "snapshot_every": 2 * EVERY, "checkpoint_every": 2 * EVERY, "evaluate_every": 10**9,
        "evaluate_deals": 2, "evaluate_against": ["random"], "magnet": 0.1,
    }  # fmt: skip
    config = config or SelfPlayConfig(**keys | given)
    with run.begun(folder, config):
        whole = kind(config, folder, None)
        whole.go_on()
    last = max((folder / checkpoint.FOLDER).glob("*.json"))
    for file in (last, last.with_suffix(".safetensors")):
        file.unlink()
    arrays, numbers, _ = checkpoint.read_latest(folder)
    again = kind(config, folder, None, run.check_record(folder, numbers["record"]))
    again.restore(arrays, numbers)
    began = again.steps
    again.go_on()
    return digest(whole), digest(again), began
