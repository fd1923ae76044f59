"""Several processes train one run."""

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tomli_w
from runs import GAME, interrupt_at, same, stopped, tiny, train_tiny
from safetensors.numpy import load_file
from scale import COMPILED_ONLY
from torch import distributed

from sobremesa import agents, cli
from sobremesa.commands import train
from sobremesa.training import trainer
from sobremesa.training.algorithms.device.rollout import DeviceTables
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.runs import checkpoint, processes, run

pytestmark = COMPILED_ONLY

SUPPORT = Path(__file__).parents[1] / "support"
# Self-play alone, and one minibatch an epoch: no random number is drawn for all tables together.
ALONE = {"opponents": {"self": 1.0}, "batch_size": 4_096, "steps": 2_480, "tables": 31}
LEAGUE = {"league_every": 1_000, "league_steps": 300, "magnet": 0.1, "average": 0.5, "snapshot_every": 700}
RUNS = {  # name: changes of the configuration
    "alone": ALONE,
    "recurrent": ALONE | {"memory": 8, "unroll": 4},
    "league": LEAGUE,
    "roles": {"roles": "stage", "batch_size": 2, "steps": 600, "epochs": 1},
    "device": LEAGUE | {"device": "cpu:0", "steps": 1_500},
}

FORKED = """
import json, os, signal, sys, traceback
from pathlib import Path
from runs import tiny
from tests.gpu.resume import digest
from torch import distributed
from sobremesa.training import trainer
from sobremesa.training.algorithms import ppo_selfplay
from sobremesa.training.runs.loop import Loop

plain = Loop.go_on, ppo_selfplay.Training.update

def train(rank, attempt, port, folder, changes, name, at):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "TORCHELASTIC_RESTART_COUNT": str(attempt)}
    os.environ |= {"TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True"}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}

    def go_on(self):
        record = plain[0](self)
        Path(f"{folder}.{rank}").write_text(digest(self))
        return record

    def update(self):
        if rank == 1 and attempt == 0 and name and self.steps >= at:
            signal.raise_signal(signal.Signals[name])
        return plain[1](self)

    Loop.go_on, ppo_selfplay.Training.update = go_on, update
    if (folder / "run.json").exists() and attempt == 0:
        trainer.resume(folder)
    else:
        trainer.train(tiny(**changes), folder)

def fork(*arguments):
    if child := os.fork():
        return child
    try:
        train(*arguments)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)

def succeeds(attempt, port, *job):
    children = [fork(rank, attempt, port, *job) for rank in range(2)]
    return [os.waitpid(child, 0)[1] for child in children] == [0, 0]

jobs = [(Path(folder), *job) for folder, *job in json.loads(sys.argv[1])]
for folder, changes, *_ in jobs:  # load kernels once, for all processes
    training = ppo_selfplay.Training(tiny(**changes), folder, None)
    training.tables.play(training.learner.look, training.buffer)
for job in jobs:
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # as torchrun has one
    if succeeds(0, store.port, *job) == (job[2] == "SIGKILL"):
        sys.exit(f"{job[0]}: it must fail only where a process is killed")
    if job[2] == "SIGKILL" and not succeeds(1, store.port, *job):
        sys.exit(f"{job[0]} failed again")
"""


def train_pairs(*jobs):
    """Train runs in two processes each: folder, changes of the configuration, signal to the second one, decisions."""
    given = json.dumps([(str(folder), *rest) for folder, *rest in jobs])
    words, environment = [sys.executable, "-c", FORKED, given], os.environ | {"PYTHONPATH": str(SUPPORT.parents[1])}
    done = subprocess.run(words, cwd=SUPPORT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Return the folder of runs of two processes, by name; one was stopped and resumed, one killed and restarted."""
    folder = tmp_path_factory.mktemp("pairs")
    whole = [(folder / name, changes, "", 0) for name, changes in RUNS.items()]
    stopped, killed = (folder / "stopped", RUNS["league"]), (folder / "killed", RUNS["league"])
    train_pairs(*whole, (*stopped, "SIGTERM", 1_100), (*stopped, "", 0), (*killed, "SIGKILL", 2_000))
    return folder


@pytest.mark.parametrize("name", ["alone", "recurrent"])
def test_two_processes_learn_what_one_does(name, pairs, tmp_path):
    train_tiny(tmp_path / "run", **RUNS[name])
    ours, theirs = (load_file(folder / "last.safetensors") for folder in (tmp_path / "run", pairs / name))
    records = [run.read(folder)[1] for folder in (tmp_path / "run", pairs / name)]
    assert records[0]["steps"] == records[1]["steps"] == 2_480
    begun = load_file(min((tmp_path / "run" / "checkpoints").glob("*.safetensors")))
    moved = max(np.abs(one - begun[f"policy.{part}"]).max() for part, one in ours.items())
    assert max(np.abs(one - theirs[part]).max() for part, one in ours.items()) < 1e-3 * moved


@pytest.mark.parametrize("name", RUNS)
def test_all_processes_end_with_the_same_weights(name, pairs):
    ends = [(pairs / f"{name}.{rank}").read_text() for rank in range(2)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize("name", ["stopped", "killed"])
def test_a_run_of_two_processes_resumes_to_the_bit(name, pairs):
    assert same(pairs / "league", pairs / name)
    assert len(run.read(pairs / "league")[1]["exploiters"]) > 1


def test_a_run_resumes_with_as_many_processes(pairs):
    with pytest.raises(run.RunError, match="was trained by 2 processes, not 1; start as many"):
        checkpoint.of_process(pairs, *checkpoint.read_latest(pairs / "league")[:2])


def test_a_process_has_no_files_or_record_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "count", lambda: 2)
    monkeypatch.setattr(processes, "number", lambda: 1)
    numbers = {"steps": 5, "beside": {}, "record": {}, "random": {}}
    other = {"steps": 6, "beside": {"../outside": ""}, "record": 1, "random": {"state": 2}, "pool": 3}
    found = checkpoint.of_process(tmp_path, {}, numbers | {"others": [other]})[1]
    assert found == numbers | {"others": [other], "random": {"state": 2}, "pool": 3}


KILLED = """
import os, signal, sys
from sobremesa import cli
from sobremesa.training.algorithms.ppo_selfplay import Training

plain = Training.update

def update(self):
    if self.steps >= 2_000 and os.environ["RANK"] == "1" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self)

Training.update = update
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.thorough
def test_torchrun_restarts_from_the_last_checkpoint(pairs, tmp_path):
    config, script, folder = tmp_path / "tiny.toml", tmp_path / "killed.py", tmp_path / "run"
    script.write_text(KILLED)
    config.write_text(tomli_w.dumps(dataclasses.asdict(tiny(**RUNS["league"]))))
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--max-restarts", "1"]
    words = [sys.executable, *start, script, "train", GAME, "--config", config, "--out", folder]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "exitcode: -9" in done.stderr
    assert done.stdout.count("Training in") == 2
    assert done.stdout.count("finished after 3,000 decisions") == 1
    assert done.stderr.count("train: 512 of 3,000") == 1  # it went on later
    assert same(folder, pairs / "league")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"algorithm": "dmc"}, "^algorithm='dmc' is not allowed; it takes 'ppo_selfplay' in a run of 2 processes"),
        ({"algorithm": "maskable_ppo"}, "^algorithm='maskable_ppo' is not allowed"),
        ({"minutes": 1.0}, "^minutes=1.0 is not allowed; it takes 0, since their clocks differ"),
        ({"tables": 1}, "^tables=1 is not allowed; it takes 2 or more"),
        ({"device": "cuda:1"}, "^device='cuda:1' is not allowed; it takes 'cuda', a card for each, or 'cpu'"),
    ],
)
def test_several_processes_refuse_other_configurations(changes, why, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match=why):
        trainer.train(tiny(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.fixture
def by_torchrun(monkeypatch):
    """Set the environment of a process that torchrun has started alone; return its store."""
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    given = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port)}
    given |= {"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RUN_ID": "none"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    yield store
    if distributed.is_initialized():
        distributed.destroy_process_group()


def test_a_restart_goes_on_only_with_a_run_of_its_own(by_torchrun, tmp_path, monkeypatch):
    stopped(tmp_path / "ours", 3)
    shutil.copytree(tmp_path / "ours", tmp_path / "other")
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    with pytest.raises(run.RunError, match="other: not empty; choose another folder"):
        trainer.train(tiny(), tmp_path / "other")
    distributed.destroy_process_group()
    assert trainer.train(tiny(), tmp_path / "ours")["status"] == "finished"


def test_a_process_group_of_the_caller_is_not_joined(by_torchrun, tmp_path, monkeypatch):
    distributed.init_process_group("gloo", store=distributed.PrefixStore("own", by_torchrun), rank=0, world_size=1)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(distributed, "get_world_size", lambda: 2)
    train_tiny(tmp_path / "run", steps=500)
    assert run.read(tmp_path / "run")[1]["status"] == "finished"
    assert processes.count() == 1


def test_processes_that_find_different_checkpoints_stop(tmp_path, monkeypatch):
    stopped(tmp_path / "run", 3)
    monkeypatch.setattr(processes, "gather", lambda value: [value, "of another folder"])
    with pytest.raises(run.RunError, match="run: the processes find different checkpoints there"):
        trainer.resume(tmp_path / "run")


@pytest.mark.parametrize(
    ("machines", "command"),
    [
        ("1", "torchrun --standalone --nproc-per-node 1 -m sobremesa"),
        ("3", "torchrun --nnodes 3 --rdzv-backend c10d --rdzv-endpoint HOST:PORT --nproc-per-node 1 -m sobremesa"),
    ],
)
def test_an_interrupted_run_names_the_command_to_resume(machines, command, by_torchrun, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GROUP_WORLD_SIZE", machines)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "1")
    monkeypatch.setattr(train, "progress", lambda _: contextlib.nullcontext(interrupt_at(2)))
    config = tmp_path / "tiny.toml"
    config.write_text(tomli_w.dumps(dataclasses.asdict(tiny())))
    assert cli.main(["train", GAME, "--config", str(config), "--out", str(tmp_path / "run")]) == 130
    assert f"to resume: {command} train --resume {tmp_path / 'run'}\n" in capsys.readouterr().out


def test_small_shares_are_rounded_over_all_processes(monkeypatch):
    config, strong = tiny(tables=12, opponents={"self": 0.9, "strong": 0.1}), agents.load("strong", GAME)
    parts = []
    monkeypatch.setattr(processes, "count", lambda: 4)
    for number in range(4):
        monkeypatch.setattr(processes, "number", lambda number=number: number)
        tables = SimpleNamespace(config=config, rivals=[], pool=SimpleNamespace(named=[strong]))
        parts.append(sum(block.high - block.low for block in DeviceTables._divided(tables) if block.opponent))
    assert sum(parts) == round(12 * 0.1) == 1


def test_several_processes_need_a_folder(monkeypatch, capsys):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("RANK", "1")
    assert cli.main(["train", GAME]) == 2
    assert "several processes need --out RUN, the same for all" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["2", "two", ""])
def test_numbers_of_other_launchers_are_not_read(number, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", number)
    assert processes.started() == 0
