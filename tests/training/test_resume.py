"""Interrupted and killed runs resume to the same weights."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from runs import same, stopped, tiny, train_tiny, weights
from safetensors.numpy import load

from sobremesa import cli
from sobremesa.training import trainer
from sobremesa.training.runs import checkpoint, run
from sobremesa.training.trainer import resume

RICH = {  # everything that a checkpoint must hold: memory, magnet, teacher, seats, annealing
    "memory": 8, "unroll": 4, "magnet": 0.05, "entropy_last": 0.001, "setup": {"max_rounds": 2, "seats": [2, 3, 4, 2]},
    "pool_size": 2, "snapshot_every": 500, "teacher": "simple",
}  # fmt: skip

KILLED = """
import json, os, signal, sys
from pathlib import Path
from runs import tiny
from sobremesa.training import trainer
from sobremesa.training.runs import checkpoint
from sobremesa.training.algorithms import ppo_selfplay
from sobremesa.training.algorithms.ppo_learner import Learner

folder, changes, where, when = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4])
places = {"learn": (Learner, "_descend"), "write": (checkpoint, "write_whole"), "play": (ppo_selfplay.Tables, "_end")}
owner, name = places[where]
plain, calls = getattr(owner, name), []

def deadly(*arguments):
    calls.append(1)
    if len(calls) == when:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(*arguments)

setattr(owner, name, deadly)
trainer.train(tiny(**changes), folder)
"""
OTHER_MOMENTS = ("learn", 3), ("write", 2), ("play", 70)  # at which a run is killed in make test-all


@pytest.fixture(scope="module")
def rich_run(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("rich") / "run", **RICH)


@pytest.mark.parametrize("updates", [1, 4, 5])  # the fourth is followed by an evaluation
def test_a_run_that_was_stopped_goes_on_to_the_same_weights(tiny_run, tmp_path, updates):
    folder = stopped(tmp_path / "run", updates)
    assert run.read(folder)[1]["status"] == "interrupted"
    config, record = resume(folder)
    assert config == tiny()
    assert record["status"] == "finished"
    assert same(folder, tiny_run)


def test_spaced_checkpoints_are_written_on_interrupts(tiny_run, tmp_path):
    with checkpoint.spaced(3600):
        folder, other = train_tiny(tmp_path / "whole"), stopped(tmp_path / "run", 5)
    assert not checkpoint.kept(folder)
    assert len(checkpoint.kept(other)) == 1
    resume(other)
    assert weights(folder) == weights(tiny_run)
    assert same(other, tiny_run)


@pytest.mark.parametrize("one", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_who_asks_it_to_stop_lets_the_update_in_hand_be_finished(one, tiny_run, tmp_path):
    def press(done, *_):
        if done == 512:
            signal.raise_signal(one)

    folder, before = tmp_path / "run", signal.getsignal(one)
    train_tiny(folder, press)
    assert signal.getsignal(one) is before
    record = run.read(folder)[1]
    assert (record["status"], record["steps"]) == ("interrupted", 512)
    resume(folder)
    assert same(folder, tiny_run)


def test_a_worker_that_heeds_sigterm_itself_goes_on_heeding_it(tmp_path):
    def leave(*_):
        raise SystemExit(1)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        with pytest.raises(SystemExit):
            train_tiny(tmp_path / "run", lambda done, *_: done and signal.raise_signal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_run_may_be_stopped_again_and_again(rich_run, tmp_path):
    folder = stopped(tmp_path / "run", 2, **RICH)
    for _ in range(2):
        calls = []

        def stop(*_, calls=calls):
            calls.append(1)
            if len(calls) == 1:
                raise KeyboardInterrupt

        assert resume(folder, stop)[1]["status"] == "interrupted"
    assert resume(folder)[1]["status"] == "finished"
    assert same(folder, rich_run)


@pytest.mark.parametrize(
    ("where", "when"),
    [("learn", 30), ("write", 6), *(pytest.param(*moment, marks=pytest.mark.thorough) for moment in OTHER_MOMENTS)],
)
def test_a_run_that_was_killed_goes_on_to_the_same_weights(rich_run, tmp_path, where, when):
    folder = tmp_path / "run"
    words = [sys.executable, "-c", KILLED, str(folder), json.dumps(RICH), where, str(when)]
    done = subprocess.run(words, cwd=Path(__file__).parents[1] / "support", capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    if (where, when) == ("write", 2):  # before anything was whole
        with pytest.raises(run.RunError, match="no checkpoint to resume from: it has written none yet"):
            resume(folder)
        return
    assert run.read(folder)[1]["status"] == "running"
    assert resume(folder)[1]["steps"] == 3000
    assert same(folder, rich_run)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("ending", "told"), [("safetensors", "was cut short or damaged"), ("json", "refused, "), (None, "No such file")]
)
def test_a_truncated_checkpoint_is_skipped(tiny_run, tmp_path, ending, told, capsys):
    folder = stopped(tmp_path / "run", 5)
    latest = sorted((folder / "checkpoints").glob("*.json"))[-1]
    if ending is None:
        latest.with_suffix(".safetensors").unlink()
    else:
        cut(latest.with_suffix(f".{ending}"))
    resume(folder)
    err = capsys.readouterr().err
    assert told in err
    assert "resuming from the previous one" in err
    assert err.count("\n") == 1
    assert same(folder, tiny_run)


def test_where_no_checkpoint_is_whole_the_reasons_are_told(tmp_path):
    folder = stopped(tmp_path / "run", 5)
    files = sorted((folder / "checkpoints").glob("*.safetensors"))
    assert len(files) == 2
    for file in files:
        cut(file)
    with pytest.raises(run.RunError, match=r"no checkpoint to resume from: .*2048.*cut short.*") as told:
        resume(folder)
    assert str(told.value).count("refused") == 2


def test_a_snapshot_that_was_damaged_is_told(tmp_path):
    folder = stopped(tmp_path / "run", 5)
    cut(min((folder / "pool").glob("*.safetensors")))
    with pytest.raises(
        run.RunError, match=r"refused, pool/.*\.safetensors, which goes with it, was changed or damaged"
    ):
        resume(folder)


def numbers_of(path, **changes):
    """Return what a checkpoint says in numbers, with `changes`, and write that; None takes a number away."""
    numbers = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in numbers.items() if value is not None}))
    return numbers


def test_a_changed_digit_in_a_checkpoint_is_noticed(tiny_run, tmp_path, capsys):
    folder = stopped(tmp_path / "run", 5)
    latest = max((folder / "checkpoints").glob("*.json"))
    random = numbers_of(latest)["random"]
    random["state"]["state"] += 1
    numbers_of(latest, random=random)
    resume(folder)
    assert "was changed or damaged: its seal does not fit it; resuming from the previous one" in capsys.readouterr().err
    assert same(folder, tiny_run)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"steps": 2**53}, r"Expected `int` <= 10+ - at `\$.steps`"),
        ({"steps": 10**9}, "is of 1,000,000,000 decisions"),
        ({"next": {"checkpoint": 1 << 70}}, "next"),
        ({"random": None}, "Object missing required field `random`"),
        ({"format": 2}, "is of another format; this version of Sobremesa reads 3"),
    ],
)
def test_numbers_that_cannot_be_are_refused_with_a_seal_too(changes, told, tmp_path):
    arrays = {"policy.weights": np.zeros(3, np.float32)}
    checkpoint.write(tmp_path, 7, arrays, {"next": {"checkpoint": 9}, "random": {}, "record": {}})
    (path,) = (tmp_path / "checkpoints").glob("*.json")
    assert checkpoint.read_latest(tmp_path)[1]["steps"] == 7
    numbers = numbers_of(path, **changes, seal=None)
    del numbers["seal"]
    numbers_of(path, seal=checkpoint._seal({name: value for name, value in numbers.items() if value is not None}))
    with pytest.raises(run.RunError, match=f"refused, .*{told}"):
        checkpoint.read_latest(tmp_path)


def test_two_checkpoints_and_their_snapshots_are_kept(rich_run):
    found = checkpoint.kept(rich_run)
    assert len(found) == 2
    pools = [numbers["pool"] for numbers in found]
    snapshots = [one for pool in pools for one in (*pool["members"], *pool.get("leaving", {}).values())]
    named = {f"{one['steps']:012}.safetensors" for one in snapshots}
    assert {file.name for file in (rich_run / "pool").glob("*.safetensors")} == named
    assert not list(rich_run.rglob("*.partial"))
    arrays = load(sorted((rich_run / "checkpoints").glob("*.safetensors"))[-1].read_bytes())
    assert {name.partition(".")[0] for name in arrays} == {
        "policy", "value", "reference", "adam", "tables", "streams"
    }  # fmt: skip


def test_what_cannot_be_resumed_is_told(tiny_run, tmp_path):
    with pytest.raises(run.RunError, match="has finished its 3,000 decisions and cannot resume"):
        trainer.resume(tiny_run)
    maskable = tiny(algorithm="maskable_ppo")
    trainer.train(maskable, tmp_path / "run")
    with pytest.raises(run.RunError, match="was trained by maskable_ppo, which cannot resume"):
        trainer.resume(tmp_path / "run")


def test_a_run_is_resumed_from_the_command_line(tiny_run, tmp_path, capsys):
    folder = stopped(tmp_path / "run", 2)
    assert cli.main(["train", "--resume", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "finished after 3,000 decisions" in out
    assert same(folder, tiny_run)
    assert cli.main(["train", "--resume", str(folder)]) == 2
    assert "has finished its" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--steps", "9"], "--steps and --resume cannot be combined"),
        (["--out", "new"], "--out and --resume cannot be combined"),
        (["kuhn"], "the run trains ese_toro_enamorado, not kuhn"),
    ],
)
def test_a_resumed_run_keeps_its_configuration(tiny_run, words, told, capsys):
    assert cli.main(["train", "--resume", str(tiny_run), *words]) == 2
    assert told in capsys.readouterr().err


def test_a_checkpoint_of_another_run_is_refused(tiny_run, rich_run, tmp_path):
    folder = Path(shutil.copytree(tiny_run, tmp_path / "run"))
    shutil.rmtree(folder / "checkpoints")
    shutil.copytree(rich_run / "checkpoints", folder / "checkpoints")
    shutil.copytree(rich_run / "pool", folder / "pool", dirs_exist_ok=True)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    with pytest.raises(run.RunError, match="the checkpoint holds"):
        resume(folder)


HOLDS_AND_DIES = """
import os, sys
from pathlib import Path
from sobremesa.envs.core.files import locked
with locked(Path(sys.argv[1]), SystemExit("taken")):
    os.kill(os.getpid(), 9)
"""


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path):
    folder = stopped(tmp_path / "run", 5)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with run.held(folder), pytest.raises(run.RunError, match="run: another process trains there"):
        resume(folder)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    for algorithm in ("ppo_selfplay", "maskable_ppo"):
        new = tmp_path / algorithm
        with run.held(new), pytest.raises(run.RunError, match="another process trains there"):
            trainer.train(tiny(algorithm=algorithm, opponents={"random": 1.0}), new)
        assert [file.name for file in new.iterdir()] == [run.LOCK]
    with run.held(folder), pytest.raises(run.RunError, match="another process trains there"):
        trainer.train(tiny(), folder)  # which must not say that it may be removed
    subprocess.run([sys.executable, "-c", HOLDS_AND_DIES, folder / run.LOCK], check=False)
    resume(folder)
