"""Unknown files: they start no program, their content is bounded, and their text is shown escaped."""

import json
import shutil

import pytest
from command_line import one_line, sobremesa
from foreigners import GOOD, SHORT, function
from rooms import TORO
from runs import FLAGS, GAME, tiny

from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.arena.tournament import TournamentError
from sobremesa.agents.arena.workers import WorkerRefused, run_tasks
from sobremesa.agents.exported import load_bot
from sobremesa.agents.named import NotAllowed
from sobremesa.training.config.classes import ConfigError

# Programs.


@pytest.fixture
def mine(tmp_path):
    """The spec of an agent, and the file that is there once it was started."""
    mark = tmp_path / "started"
    return function(tmp_path, f"open({str(mark)!r}, 'w').close()\n{GOOD}"), mark


def small(spec):
    """Return how to train for moments against `spec`."""
    return {"steps": 64, "tables": 4, "horizon": 8, "batch_size": 32, "opponents": {spec: 1.0}, "setup": SHORT}


@pytest.mark.parametrize("key", ["opponents", "evaluate_against"])
def test_a_configuration_starts_no_program_unless_it_may(key, mine, tmp_path, capsys):
    spec, mark = mine
    lines = [f"{name} = {json.dumps(value)}" for name, value in FLAGS.items() if not isinstance(value, dict)]
    named = f"[opponents]\nself = 0.5\n{json.dumps(spec)} = 0.5\n" if key == "opponents" else ""
    against = [f"evaluate_against = {json.dumps([spec])}"] if key == "evaluate_against" else []
    kept = [line for line in lines if not line.startswith(("evaluate_against", *small(spec)))]
    few = [f"{name} = {value}" for name, value in small(spec).items() if isinstance(value, int)]
    file = tmp_path / "stranger.toml"
    file.write_text("\n".join([*kept, *few, *against, named]))
    words = ("train", GAME, "--config", file, "--out", tmp_path / "run", "--setup", "board=small", "max_rounds=1")
    assert sobremesa(*words) == 2
    error = one_line(capsys.readouterr().err)
    assert f"{file} would start {spec!r}" in error
    assert "--allow-commands" in error
    assert not mark.exists()
    assert not (tmp_path / "run").exists()
    assert sobremesa(*words, "--allow-commands", "--evaluate-deals", 1) == 0
    assert mark.exists()
    mark.unlink()
    folder = shutil.copytree(tmp_path / "run", tmp_path / "copy")
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    capsys.readouterr()
    assert sobremesa("train", "--resume", folder) == 2
    assert f"{folder} would start {spec!r}" in one_line(capsys.readouterr().err)
    assert not mark.exists()


def test_programs_on_the_command_line_are_allowed(mine, tmp_path):
    from sobremesa.training.trainer import train

    spec, mark = mine
    config = tiny(**small(spec), evaluate_deals=1)
    with pytest.raises(NotAllowed, match=r"the configuration would start 'python:.*allow_commands=True"):
        train(config, tmp_path / "run")
    assert not mark.exists()
    flags = ("--tables", 4, "--horizon", 8, "--batch-size", 32, "--steps", 32, "--hidden", 8, "--evaluate-deals", 1)
    setup = ("--setup", "board=small", "max_rounds=1", "--evaluate-against", "random")
    assert sobremesa("train", GAME, "--out", tmp_path / "run", "--opponents", f"{spec}=1", *flags, *setup) == 0
    assert mark.exists()


def test_a_resumed_tournament_starts_programs_only_if_allowed(mine, tmp_path, capsys):
    spec, mark = mine
    folder = tmp_path / "t"
    tournament.begin(folder, plan(TORO, ("random", spec), deals=1, **SHORT))
    assert sobremesa("arena", "--resume", folder) == 2
    assert f"{folder} would start {spec!r}" in one_line(capsys.readouterr().err)
    with pytest.raises(NotAllowed):
        tournament.play(folder)
    assert not mark.exists()
    assert sobremesa("arena", "--resume", folder, "--allow-commands", "--processes", 1) == 0
    assert mark.exists()


def test_a_command_that_is_refused_is_shown_escaped(tmp_path):
    folder = tmp_path / "t"
    tournament.begin(folder, plan(TORO, ("random", "command:true \x1b[2J"), deals=1, **SHORT))
    with pytest.raises(NotAllowed) as refused:
        tournament.play(folder)
    assert r"command:true \x1b[2J" in one_line(f"{refused.value}\n")


# Names and errors.


def test_a_terminal_is_told_nothing_by_names_in_files(tiny_bot, tmp_path, capsys):
    odd = tmp_path / "bot\x1b[2J\u202e"
    shutil.copytree(tiny_bot, odd)
    assert load_bot(odd).name == r"bot\x1b[2J\u202e"
    (odd / "policy.onnx").write_bytes(b"")
    assert sobremesa("rate", GAME, odd) == 2
    assert r"bot\x1b[2J\u202e: policy.onnx is not the graph" in one_line(capsys.readouterr().err)
    folder = tmp_path / "t"
    tournament.begin(folder, plan(TORO, ("random", "simple"), deals=1, **SHORT))
    sound = json.loads((folder / "arena.json").read_text())
    for damage in ({"\x1b[2J": 1}, {"x" * 100_000: 1}, {"game": "\x1b[2J"}, {"agents": ["\x1b[2J", "\x1b[2J"]}):
        (folder / "arena.json").write_text(json.dumps(sound | damage))
        assert sobremesa("arena", "--resume", folder) == 2
        assert str(folder) in one_line(capsys.readouterr().err)
        with pytest.raises(TournamentError) as refused:
            tournament.read_schedule(folder)
        one_line(f"{refused.value}\n")


def no_disk(folder, task):
    """Do a task as where the disk is full."""
    raise OSError(28, "No space left on device", f"{folder}/rows\x1b")


def test_a_full_disk_is_one_line_from_worker_processes_too(tmp_path):
    with pytest.raises(WorkerRefused, match=r"^task 0 failed in its worker process: OSError: .*No space left") as full:
        run_tasks(no_disk, str(tmp_path), range(1), 1, print)
    assert isinstance(full.value, ValueError)  # which the command line tells in a line
    one_line(f"{full.value}\n")


@pytest.mark.parametrize(
    "error", [MemoryError(), FloatingPointError("the losses are [nan]"), ValueError("x" * 100_000)]
)
def test_whatever_goes_wrong_in_a_command_is_a_short_line(error, monkeypatch, capsys):
    from sobremesa.commands import games

    def fail(_):
        raise error

    monkeypatch.setattr(games, "run", fail)
    assert sobremesa("games") == 2
    assert len(one_line(capsys.readouterr().err)) > len("sobremesa: ")


def test_networks_that_find_no_memory_are_told_in_a_line(monkeypatch, tmp_path):
    from sobremesa.training import trainer
    from sobremesa.training.algorithms import ppo_selfplay

    def full(*_, **__):
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")

    monkeypatch.setattr(ppo_selfplay, "Learner", full)
    with pytest.raises(ConfigError, match=r"^hidden=\[8\]: these networks need more memory than there is$"):
        trainer.train(tiny(hidden=[8]), tmp_path / "run")
    assert not (tmp_path / "run").exists()
