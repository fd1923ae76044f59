"""Kinds of names: decided before any import, and no file starts a program without consent."""

import dataclasses
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from command_line import one_line, sobremesa
from rooms import TORO
from serving import opening

from sobremesa import agents
from sobremesa.agents.arena import leaderboard_file, replay, tournament
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.exact.solved import load_solved
from sobremesa.agents.exported import BotError, load_bot
from sobremesa.agents.external.agent import find_module, load_external
from sobremesa.agents.language.model import load_model
from sobremesa.agents.named import (
    AgentName,
    BotFolder,
    Command,
    Configuration,
    Function,
    Model,
    NotAllowed,
    Python,
    Sampled,
    Search,
    SolvedFile,
    check_allowed,
    is_call,
    named,
    programs,
)
from sobremesa.serve.opponents import Bench
from sobremesa.serve.store import Store
from sobremesa.serve.table import Table, open_table
from sobremesa.training.benchmark import cells, published
from sobremesa.training.benchmark.candidates import CandidateError, candidate, learning
from sobremesa.training.config.classes import from_dict, named_agents

SHORT = {"board": "small", "max_rounds": 1}


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A folder with `evil.py` and the package `evil_package`, and the file that exists once any of it was run."""
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').close()\ndef learn(task, budget, seed):\n    yield 0, None\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil_package").mkdir()
    for name in ("evil.py", "evil_package/__init__.py", "evil_package/inner.py"):
        (tmp_path / name).write_text(code)
    return SimpleNamespace(folder=tmp_path, mark=mark)


# Names.


@pytest.mark.parametrize(
    ("spec", "kind", "found"),
    [
        ("strong", AgentName, []),
        ("python:evil.py:learn", Python, ["python:evil.py:learn"]),
        ("command:./evil", Command, ["command:./evil"]),
        ("llm:a@http://b", Model, ["llm:a@http://b"]),
        ("evil.py:learn", Function, ["evil.py:learn"]),
        ("evil_package.inner:learn", Function, ["evil_package.inner:learn"]),
        ("solved:policy.npz", SolvedFile, []),
        ("solved:evil.py:learn", SolvedFile, []),
        ("search(strong, worlds=2)", Search, []),
        ("search(evil.py:learn)", Search, ["evil.py:learn"]),
        ("ismcts(strong, rollout=search(python:evil.py:learn))", Search, ["python:evil.py:learn"]),
        ("sampled(champion, temperature=2)", Sampled, []),
        ("sampled(python:evil.py:learn)", Sampled, ["python:evil.py:learn"]),
        ("search(sampled(evil.py:learn))", Search, ["evil.py:learn"]),
        ("mine.toml", Configuration, []),
        ("ppo_selfplay", Configuration, []),
        ("bots/a:b", BotFolder, []),
        ("x" * 5_000, AgentName, []),
        ("a\0b", AgentName, []),
        ("", AgentName, []),
    ],
)
def test_a_name_stands_for_one_thing_and_nothing_runs(spec, kind, found, evil):
    (evil.folder / "mine.toml").write_text("")
    (evil.folder / "bots" / "a:b").mkdir(parents=True)
    (evil.folder / "bots" / "a:b" / "bot.json").write_text("{}")
    (evil.folder / "strong").mkdir()
    one = named(spec, ["strong"], {"ppo_selfplay": evil.folder / "ppo_selfplay.toml"})
    assert type(one) is kind
    assert [program.spec for program in programs(one)] == found
    assert not evil.mark.exists()


def test_a_folder_stands_for_no_agent_that_comes_with_the_game(evil):
    strong = agents.load("strong", TORO)
    _folder_of_a_bot(evil.folder / "strong")
    assert type(agents.load("strong", TORO)) is type(strong)
    assert type(agents.load("search(strong, worlds=2)", TORO).base) is type(strong)
    with pytest.raises(BotError):  # a path is a folder
        agents.load(Path("strong"), TORO)


@pytest.mark.parametrize("loader", [load_external, load_model, load_solved, learning])
def test_loaders_take_no_text(loader, evil):
    with pytest.raises(AttributeError):
        loader("evil.py:learn")
    assert not evil.mark.exists()


def test_a_module_is_found_without_importing_its_packages(evil):
    assert find_module("evil_package.inner") == evil.folder / "evil_package" / "inner.py"
    assert find_module("sobremesa.agents.named") is not None
    assert [find_module(name) for name in ("evil_package.none", "nowhere.inner", "sys")] == [None, None, None]
    assert candidate("evil_package.inner:learn").kind == "outside"
    (evil.folder / "spread" / "deep").mkdir(parents=True)  # packages without __init__.py
    (evil.folder / "spread" / "deep" / "inner.py").write_text("")
    assert find_module("spread.deep.inner") == evil.folder / "spread" / "deep" / "inner.py"
    assert find_module("spread.deep") is None
    assert not evil.mark.exists()


@pytest.mark.parametrize(
    "spec", ["search(strong", "search(strong, 1)", "search(" * 9 + "strong" + ")" * 9, "sampled(" * 9 + ")" * 9]
)
def test_a_search_that_cannot_be_read_is_not_allowed(spec):
    if is_call(spec):
        with pytest.raises(ValueError, match=r"search|sampled"):
            check_allowed([spec], "the file")
    with pytest.raises(ValueError, match=r"search|sampled"):
        agents.load(spec, TORO)


# Files.

PROGRAMS = ["python:evil.py:learn", "command:python3 evil.py", "search(python:evil.py:learn)"]


def _folder_of_a_bot(path):
    path.mkdir()
    (path / "bot.json").write_text("{}")


COLLIDING = {  # by a name that was once read in two ways: what lies beside evil.py
    "solved:x": lambda folder: shutil.copy(folder / "evil.py", folder / "solved.py"),
    "solved:evil.py:learn": lambda folder: (folder / "solved:evil.py:learn").touch(),
    "evil.py:x.toml": lambda folder: (folder / "evil.py:x.toml").touch(),
    "evil.py:learn": lambda folder: _folder_of_a_bot(folder / "evil.py:learn"),
}


def _cell(folder, kind, spec):
    """Write a published cell of an agent with another kind and spec and a seal that fits, and return its record."""
    record = next(one for one in published.records() if one.cell.candidate.kind == "agent")
    changed = msgspec.structs.replace(record.cell.candidate, kind=kind, spec=spec)
    record.cell = msgspec.structs.replace(record.cell, candidate=changed)
    record.seal = record.sealed()
    folder.mkdir()
    cells._write(folder, record)
    return record


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("agent", "evil.py:learn"),
        ("agent", "evil_package.inner:learn"),
        ("agent", "search(evil.py:learn)"),
        ("outside", "evil.py:learn"),
        ("outside", "evil_package.inner:learn"),
        *(("agent", spec) for spec in PROGRAMS),
    ],
)
@pytest.mark.parametrize("place", ["folder", "results"])
def test_a_cell_of_a_stranger_starts_nothing(kind, spec, place, evil, monkeypatch, capsys):
    record = _cell(evil.folder / "cell", kind, spec)
    monkeypatch.setattr(published, "records", lambda: [record])
    name = "cell" if place == "folder" else record.cell.name
    assert sobremesa("benchmark", "verify", name) == 2
    assert "would start" in (error := one_line(capsys.readouterr().err))
    assert "--allow-commands" in error
    assert not evil.mark.exists()


@pytest.mark.parametrize("allowed", [[], ["--allow-commands"]])
def test_a_library_cell_that_names_programs_is_refused(allowed, evil, monkeypatch, capsys):
    record = next(one for one in published.records() if one.cell.candidate.kind == "library")
    keys = {**record.cell.candidate.keys, "opponents": {"python:evil.py:learn": 1.0}}
    record.cell = msgspec.structs.replace(
        record.cell, candidate=msgspec.structs.replace(record.cell.candidate, keys=keys)
    )
    record.seal = record.sealed()
    monkeypatch.setattr(published, "records", lambda: [record])
    assert sobremesa("benchmark", "verify", record.cell.name, *allowed) == 2
    assert "an external program, which the benchmark does not allow" in one_line(capsys.readouterr().err)
    assert not evil.mark.exists()


def test_a_cell_never_runs_an_agent_that_is_a_function(evil, capsys):
    _cell(evil.folder / "cell", "agent", "evil.py:learn")
    assert sobremesa("benchmark", "verify", "cell", "--allow-commands") == 2
    assert "should be an agent, and is a learning function" in one_line(capsys.readouterr().err)
    assert not evil.mark.exists()


@pytest.mark.parametrize("allowed", [[], ["--allow-commands"]])
@pytest.mark.parametrize("name", COLLIDING)
def test_a_cell_runs_what_its_name_stands_for(name, allowed, evil, capsys):
    """The kind that the file states, and files of the same name beside it, change nothing."""
    COLLIDING[name](evil.folder)
    _cell(evil.folder / "cell", "outside", name)
    assert sobremesa("benchmark", "verify", "cell", *allowed) == 2
    assert "should be a learning function, and is" in one_line(capsys.readouterr().err)
    assert not evil.mark.exists()


def test_a_configuration_of_the_benchmark_meets_no_programs(evil):
    (evil.folder / "mine.toml").write_text('algorithm = "ppo_selfplay"\nteacher = "python:evil.py:learn"\n')
    with pytest.raises(CandidateError, match=r"names 'python:evil.py:learn', an external program"):
        candidate("mine.toml")


def test_names_are_found_at_any_depth_of_a_configuration():
    values = {"a": {"b": {"c": ["python:x.py:f", 1]}}, "d": [["e", {"f": "g"}]], "game": "h", "setup": {"i": "j"}}
    assert set(named_agents(values)) == {"b", "c", "python:x.py:f", "e", "f", "g"}


@pytest.mark.parametrize(
    ("algorithm", "key", "value"),
    [
        ("ppo_selfplay", "opponents", {"self": 1.0, PROGRAMS[0]: 1.0}),
        ("ppo_selfplay", "evaluate_against", [PROGRAMS[2]]),
        *(("ppo_selfplay", key, PROGRAMS[0]) for key in ("teacher", "shaping_by", "start", "advised_by")),
        ("afterstates", "afterstates", PROGRAMS[0]),
        ("counterfactual", "start", PROGRAMS[1]),
        ("rollout_iteration", "advised_by", PROGRAMS[1]),
        ("counterfactual", "rivals", [PROGRAMS[0]]),
    ],
)
def test_every_key_of_a_configuration_is_looked_at(algorithm, key, value, evil, capsys):
    config = from_dict({"game": "ese_toro_enamorado", "algorithm": algorithm, key: value})
    with pytest.raises(NotAllowed):
        check_allowed(named_agents(config), "the configuration")
    text = json.dumps(value).replace(": 1.0", " = 1.0")
    (evil.folder / "bad.toml").write_text(f'algorithm = "{algorithm}"\n{key} = {text}\n')
    assert sobremesa("train", "ese_toro_enamorado", "--config", "bad.toml", "--out", "run") == 2
    assert "bad.toml would start" in one_line(capsys.readouterr().err)
    if algorithm in ("ppo_selfplay", "counterfactual"):
        assert sobremesa("exploit", "simple", "--game", "ese_toro_enamorado", "--config", "bad.toml") == 2
        assert "bad.toml would start" in one_line(capsys.readouterr().err)
    assert not (evil.folder / "run").exists()
    assert not evil.mark.exists()


def test_a_run_of_a_stranger_starts_nothing(tiny_run, evil, capsys):
    folder = shutil.copytree(tiny_run, evil.folder / "run")
    text = (folder / "config.toml").read_text().replace("evaluate_against = [", 'evaluate_against = ["evil.py:learn",')
    (folder / "config.toml").write_text(text)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    assert sobremesa("train", "--resume", folder) == 2
    assert f"{folder} would start 'evil.py:learn'" in one_line(capsys.readouterr().err)
    assert sobremesa("export", folder, "-o", "bot") == 0  # asks nobody
    assert not evil.mark.exists()


@pytest.mark.parametrize("spec", [*PROGRAMS, "evil.py:learn"])
@pytest.mark.parametrize("cluster", [None, object()])
def test_an_unknown_tournament_starts_no_program(spec, cluster, evil):
    tournament.begin(evil.folder / "t", plan(TORO, ("random", "simple"), deals=1, **SHORT))
    file = evil.folder / "t" / "arena.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"specs": ["random", spec]}))
    with pytest.raises(NotAllowed, match="would start"):
        tournament.play(evil.folder / "t", cluster=cluster)
    assert not evil.mark.exists()


@pytest.mark.parametrize("key", ["afterstates", "advised_by"])
@pytest.mark.parametrize("spec", [*PROGRAMS, "evil.py:learn"])
def test_the_manifest_of_a_bot_starts_nothing(key, spec, tiny_bot, evil):
    bot = shutil.copytree(tiny_bot, evil.folder / "bot")
    manifest = json.loads((bot / "bot.json").read_text())
    (bot / "bot.json").write_text(json.dumps(manifest | {key: spec}))
    with pytest.raises(BotError):
        load_bot(bot)
    assert not evil.mark.exists()


def test_names_in_a_ladder_are_not_loaded(evil, monkeypatch, capsys):
    file = evil.folder / "ladder.json"
    text = leaderboard_file.frozen_file(TORO).read_text().replace('"trained"', '"python:evil.py:learn"')
    file.write_text(text)
    monkeypatch.setattr(leaderboard_file, "frozen_file", lambda _: file)
    assert sobremesa("ladder", TORO.name) == 0
    assert "python:evil.py:learn" in capsys.readouterr().out  # a name in a table, and no more
    assert not evil.mark.exists()


def test_names_in_a_replay_are_not_loaded(evil, capsys):
    simple = agents.load("simple", TORO)
    found = replay.record(TORO, [simple] * 2, 1, seats=2, **SHORT)
    names = ("python:evil.py:learn", "evil.py:learn")
    replay.write(evil.folder / "deal.json", dataclasses.replace(found, agents=names))
    assert sobremesa("watch", "deal.json", "--out", "deal.html") == 0
    assert sobremesa("dataset", "deal.json", "-o", "deals.npz") == 0
    assert not evil.mark.exists()


@pytest.mark.parametrize("spec", [*PROGRAMS, "evil.py:learn"])
def test_a_stored_table_starts_only_offered_agents(spec, evil):
    store = Store(evil.folder / "tables.sqlite")
    table = Table(store, open_table(store, opening(TORO, people=0, agent=spec, **SHORT)).name)
    with pytest.raises(NotAllowed, match=r"offer it with --bot"):
        Bench(table).ask(table.deal.seat, table.version)
    assert not evil.mark.exists()


def test_a_table_plays_an_external_agent_of_the_server(evil):
    (evil.folder / "good.py").write_text("def act(view):\n    return view.legal[0]\n")
    spec, store = "python:good.py:act", Store(evil.folder / "tables.sqlite")
    table = Table(store, open_table(store, opening(TORO, people=0, agent=spec, **SHORT)).name)
    bench = Bench(table, [spec])
    seat = table.deal.seat
    assert table.view(seat).mask[bench.ask(seat, table.version)]
    bench.close()
