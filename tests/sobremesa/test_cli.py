"""The command line: output, written files, and errors."""

import argparse
import dataclasses
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
from command_line import RULES, SHORT, plies_of, sobremesa
from kuhn import GAME as KUHN, observe
from pages import pieces_and_sights, scenes_of
from PIL import Image
from runs import FLAGS, GAME

from sobremesa import __version__, agents, cli, configs, envs, progress as bars
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between, outcome
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.report import terminal
from sobremesa.training.config.bases import config_classes
from sobremesa.training.config.classes import read


def commands():
    """Return the parser of every subcommand by its name."""
    actions = cli._build()._actions
    return next(action for action in actions if isinstance(action, argparse._SubParsersAction)).choices


@pytest.mark.parametrize("name", commands())
def test_help_has_an_example_and_explains_every_argument(name, capsys):
    parser = commands()[name]
    assert all(action.help for action in parser._actions)
    assert parser.description.endswith(".")
    assert sobremesa(name, "--help") == 0
    out = capsys.readouterr().out
    example = re.search(r"^example: (sobremesa .*)$", out, re.MULTILINE).group(1)
    words = shlex.split(example)[1:]
    assert words[0] == name
    assert cli._build().parse_args(words).run
    if name == "train":  # the options of an algorithm are listed with its name
        for kind in config_classes():
            assert sobremesa(name, "--algorithm", kind.algorithm, "--help") == 0
        out += capsys.readouterr().out
    for action in parser._actions:
        assert all(flag in out for flag in action.option_strings)


def test_help_lists_every_command(capsys):
    assert sobremesa("--help") == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"^ +{name} +\w", out, re.MULTILINE) for name in commands())


def test_help_loads_nothing_heavy():
    code = "import sys; from sobremesa import cli; cli._build(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "sobremesa.commands.train" in loaded
    assert not {
        "torch",
        "onnxruntime",
        "matplotlib",
        "pygame",
        "PIL",
        "sobremesa.training.algorithms.ppo_learner",
    } & set(loaded)


def test_a_file_in_the_folder_of_commands_is_a_command(tmp_path, monkeypatch, capsys):
    code = '"""Dance a jota."""\nEXAMPLE = "sobremesa dance"\ndef add_arguments(_): ...\ndef run(_): return 7\n'
    (tmp_path / "dance.py").write_text(code)
    monkeypatch.setattr("sobremesa.commands.__path__", [*cli.commands.__path__, str(tmp_path)])
    assert sobremesa("--help") == 0
    assert re.search(r"^ +check (.*\n)+ +dance +dance a jota$", capsys.readouterr().out, re.MULTILINE)
    assert sobremesa("dance") == 7


def test_version(capsys):
    assert sobremesa("--version") == 0
    assert capsys.readouterr().out == f"sobremesa {__version__}\n"


def test_games_lists_seats_and_agents(capsys):
    assert sobremesa("games") == 0
    lines = capsys.readouterr().out.splitlines()
    assert " 2 seats; " in next(line for line in lines if line.startswith("kuhn_poker"))
    line = next(line for line in lines if line.startswith(GAME))
    assert RULES.words.title["es"] in line
    assert "2-4 seats" in line
    assert line.endswith("agents: random, simple, strong, champion, trained")


def test_games_tells_all_about_one(capsys):
    assert sobremesa("games", GAME) == 0
    out = capsys.readouterr().out
    for option in RULES.options:
        assert re.search(rf"^  {option.name} +{re.escape(option.doc)}; .*default", out, re.MULTILINE)
    assert RULES.words.help("en") in out
    assert f"actions {RULES.num_actions}, observation {RULES.layout.size}" in out


@pytest.mark.parametrize("plain", [(), ("--plain",)])
def test_watch_prints_the_events_and_the_last_table(capsys, monkeypatch, plain):
    monkeypatch.setattr("sys.stdout.isatty", lambda: bool(plain))
    assert sobremesa("watch", GAME, "simple", "random", "--seed", 5, *SHORT, *plain) == 0
    out = capsys.readouterr().out
    plies = plies_of("simple", "random", seed=5, max_rounds=1)
    tables = [RULES.words.describe(ply.states, None, "en") in out for ply in plies]
    assert tables == [False] * (len(plies) - 1) + [True]
    assert len(out.splitlines()) < len(plies) + 60
    numbered = [line for line in out.splitlines() if re.match(rf"\d+\. [{SEAT_SIGNS}]", line)]
    assert len(numbered) == len(plies) - 1
    assert "chooses mountain" in numbered[0]
    assert out.rstrip().endswith("--seed 5")


def test_the_text_of_a_deal_has_every_table(tmp_path):
    file = tmp_path / "deal.txt"
    assert sobremesa("watch", GAME, "simple", "random", "--seed", 5, "--out", file, *SHORT) == 0
    text = file.read_text(encoding="utf-8")
    assert all(
        RULES.words.describe(ply.states, None, "en") in text
        for ply in plies_of("simple", "random", seed=5, max_rounds=1)
    )


def test_watch_redraws_the_table_on_a_terminal(monkeypatch, capsys):
    slept = []
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(terminal.shutil, "get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    monkeypatch.setattr(terminal.replay, "__defaults__", (None, 1.0, print, slept.append))
    assert sobremesa("watch", GAME, "simple", "random", "--seed", 5, "--seconds", 0.5, *SHORT) == 0
    plies = plies_of("simple", "random", seed=5, max_rounds=1)
    first, *screens = capsys.readouterr().out.split(terminal.CLEAR)
    assert first == ""
    assert len(screens) == len(plies)
    assert slept == [0.5] * (len(plies) - 1)
    assert all(len(one.rstrip("\n").splitlines()) < 24 for one in screens[:-1])
    assert "1. ⓪ chooses mountain" in screens[1]
    assert RULES.words.describe(plies[-1].states, None, "en") in screens[-1]
    assert "wins" in screens[-1]


def test_watch_is_repeated_by_the_seed_that_it_prints(capsys):
    sobremesa("watch", GAME, "simple", "random", *SHORT)
    out = capsys.readouterr().out
    sobremesa("watch", GAME, "simple", "random", "--seed", re.search(r"--seed (\d+)", out).group(1), *SHORT)
    assert capsys.readouterr().out == out


def test_watch_through_a_seat_joins_the_events_between_decisions(capsys):
    game = envs.load("corre_el_encierro")
    assert sobremesa("watch", game.name, "simple", "strong", "simple", "--seed", 3, "--viewer", 0) == 0
    out = capsys.readouterr().out
    numbered = [line for line in out.splitlines() if re.match(r"\d+\. ", line)]
    seated = [agents.load(name, game) for name in ("simple", "strong", "simple")]
    plies = list(deal_between(game, seated, 3))
    mine = sum(ply.seat == 0 for ply in plies)
    assert mine <= len(numbered) <= mine + 1 < len(plies) - 1
    told = [" ".join(game.words.tell(ply.states, ply.action, outcome(game, ply), 0, "en")) for ply in plies[:-1]]
    assert " ".join(line.split(". ", 1)[1] for line in numbered) == " ".join(filter(None, told))


def test_setup_fields_may_be_given_one_by_one_but_none_twice(capsys):
    words = ("stats", "corre_el_encierro", "random", "--deals", 2, "--seats", 2)
    assert sobremesa(*words, "--setup", "deck=conflict") == 0
    assert sobremesa(*words, "--setup", "deck=conflict", "--setup", "deck=standard") == 2
    assert "deck is given twice" in capsys.readouterr().err
    for both in (["deck=conflict", "variant=1"], ["variant=1", "deck=conflict"]):
        assert sobremesa(*words, "--setup", *both) == 2
        assert "deck is given twice" in capsys.readouterr().err


def test_watch_through_a_seat_hides_what_it_cannot_know(tmp_path):
    file = tmp_path / "deal.txt"
    words = ("--seed", 5, "--viewer", 0, "--language", "es", "--out", file)
    assert sobremesa("watch", GAME, "simple", "random", *words, *SHORT) == 0
    text = file.read_text(encoding="utf-8")
    plies = plies_of("simple", "random", seed=5, max_rounds=1)
    assert all(RULES.words.describe(ply.states, 0, "es") in text for ply in plies)
    hidden = 0
    for ply in plies[:-1]:
        after = outcome(RULES, ply)
        true, seen = (RULES.words.tell(ply.states, ply.action, after, viewer, "es") for viewer in (None, 0))
        assert f". {' '.join(seen)}\n" in text
        if true != seen:
            hidden += 1
            assert f". {true[0]}" not in text
    assert hidden


@pytest.mark.parametrize(("viewer", "language"), [(None, "en"), (1, "es")])
def test_a_film_is_a_page_that_needs_nothing_but_itself(tmp_path, capsys, viewer, language):
    file = tmp_path / "new" / "deal.html"
    words = () if viewer is None else ("--viewer", viewer)
    words = ("watch", GAME, "simple", "random", "--seed", 5, "--language", language, "--out", file, *words, *SHORT)
    assert sobremesa(*words) == 0
    plies = plies_of("simple", "random", seed=5, max_rounds=1)
    assert f"{file}: {len(plies) - 1} plies, --seed 5" in capsys.readouterr().out
    page = file.read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r'\bsrc\s*=|href\s*=\s*\\?"[^#]|url\([^#]|@import', page)
    pieces, sights = pieces_and_sights(page)
    assert len(sights) == (1 if viewer is not None else 3)
    assert ("<select" in page) == (len(sights) > 1)
    captions, scenes = sights[0]["captions"], scenes_of(pieces, sights[0])
    assert scenes == [RULES.words.scene(ply.states, viewer, language) for ply in plies]
    assert len(captions) == len(plies)
    for number, (ply, caption) in enumerate(zip(plies[:-1], captions[:-1], strict=True), 1):
        assert (
            caption
            == f"{number}. {' '.join(RULES.words.tell(ply.states, ply.action, outcome(RULES, ply), viewer, language))}"
        )
    assert page.count("<script") == page.count("</script>") == 1
    assert f'max="{len(plies) - 1}"' in page
    assert sum(map(len, pieces)) < len(sights) * sum(map(len, scenes)) / 2


def test_a_film_is_a_gif(tmp_path):
    file = tmp_path / "deal.gif"
    assert sobremesa("watch", GAME, "simple", "random", "--seed", 5, "--out", file, *SHORT) == 0
    with Image.open(file) as film:
        assert film.size[0] == 640
        assert film.n_frames == len(plies_of("simple", "random", seed=5, max_rounds=1))
        first = np.asarray(film.convert("RGB"))
        film.seek(film.n_frames - 1)
        assert (np.asarray(film.convert("RGB")) != first).any()
        assert film.info["duration"] > 1000
    assert [one.name for one in tmp_path.iterdir()] == ["deal.gif"]


def test_rate_prints_and_writes_scores(tmp_path, capsys):
    file = tmp_path / "scores.json"
    words = (
        "--against",
        "random",
        "simple",
        "strong",
        "random",
        "--seats",
        2,
        3,
        2,
        "--deals",
        6,
        "--seed",
        4,
        "--json",
        file,
        *SHORT,
    )
    assert sobremesa("rate", GAME, "strong", *words) == 0
    out = capsys.readouterr().out
    written = json.loads(file.read_text())
    assert written["seed"] == 4
    kinds = [(row["candidate"], row["reference"], row["seats"], row["deals"]) for row in written["scores"]]
    assert kinds == [("strong", name, seats, 6) for seats in (2, 3) for name in ("random", "simple")]
    expected = agents.compare(
        RULES, agents.load("strong", RULES), agents.load("random", RULES), 6, seed=4, seats=3, max_rounds=1
    )
    assert written["scores"][2] == json.loads(json.dumps({**expected._asdict(), "beats": expected.beats}))
    lines = out.splitlines()
    assert lines[3].split()[:4] == ["strong", "random", "3", f"{expected.value:.3f}"]
    assert any("6 deals each, --seed 4" in line for line in lines)


@pytest.fixture
def kuhn(monkeypatch):
    """Kuhn poker among the games, or a broken one in its place."""

    def install(**broken):
        monkeypatch.setitem(envs._REGISTERED, KUHN.name, dataclasses.replace(KUHN, **broken))

    return install


@kernel
def generous_payoff(state, out):
    out[:] = state.over


@kernel
def leaky_observe(state, seat, out):
    observe(state, seat, out)
    out[3 + int(state.deck[1 - seat])] = 1


def test_check_says_what_it_tried(kuhn, capsys):
    kuhn()
    assert sobremesa("check", "kuhn", "--deals", 60, "--seed", 1) == 0
    out = capsys.readouterr().out
    assert re.search(r"^contract: [\d,]+ checks at [\d,]+ plies of 60 random deals in 1 setup$", out, re.MULTILINE)
    views = r"^secrets: [\d,]+ views \(observation, mask, .*\) and \d+ events in words are the same in \d+ resampled"
    assert re.search(views, out, re.MULTILINE)
    assert "kuhn-v1 passes all checks, rules " in out


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"payoff": generous_payoff}, "ContractBroken: kuhn-v1, .*do not sum to zero"),
        ({"observe": leaky_observe}, "SecretLeaked: .*observation"),
    ],
)
def test_check_fails_for_a_broken_game(kuhn, capsys, broken, told):
    kuhn(**broken)
    assert sobremesa("check", "kuhn", "--deals", 60) == 1
    captured = capsys.readouterr()
    assert re.search(told, captured.err)
    assert "clean" not in captured.out


def flags(folder):
    """Return the words that train a tiny run in `folder`."""
    words = ["train", GAME, "--out", folder]
    for key, value in FLAGS.items():
        pairs = [f"{name}={one}" for name, one in value.items()] if isinstance(value, dict) else value
        words += ["--" + key.replace("_", "-"), *(pairs if isinstance(pairs, list) else [pairs])]
    return words


def test_a_missing_device_is_refused_before_all_else(tmp_path, capsys):
    assert sobremesa("train", GAME, "--device", "cuda:99", "--out", tmp_path / "run") == 2
    captured = capsys.readouterr()
    assert "device='cuda:99'" in captured.err
    assert captured.out == ""


def test_from_training_to_a_report(tiny_run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sobremesa(*flags("runs/mine")) == 0
    out = capsys.readouterr().out
    assert "Training in runs/mine; Ctrl-C stops" in out
    assert "finished after 3,000 decisions" in out
    following = re.search(r"^next: sobremesa (.*)$", out, re.MULTILINE).group(1)
    for name in ("last", "best"):  # the same as through Python
        weights = [(folder / f"{name}.safetensors").read_bytes() for folder in (tmp_path / "runs/mine", tiny_run)]
        assert weights[0] == weights[1]

    assert sobremesa(*shlex.split(following)) == 0
    assert "torch and onnxruntime agree to" in capsys.readouterr().out
    bot = "runs/mine/bot"

    assert sobremesa("rate", GAME, bot, "--against", "random", "--deals", 3, *SHORT) == 0
    assert re.search(r"^bot +random +2 ", capsys.readouterr().out, re.MULTILINE)

    assert sobremesa("report", "runs/mine", bot, "--deals", 3) == 0
    out = capsys.readouterr().out
    assert "report: runs/mine/report.html" in out
    page = (tmp_path / "runs/mine/report.html").read_text(encoding="utf-8")
    assert 'src="replay.html"' in page
    assert page.count("<svg") == 1
    assert re.findall(r"<tr><th>(\w+)</th><td>2</td>", page) == ["random", "simple", "strong"]
    assert "max_rounds = 2" in page
    replay = (tmp_path / "runs/mine/replay.html").read_text(encoding="utf-8")
    assert "⓪ bot · ① strong" in replay
    seated = [agents.load(tmp_path / bot), agents.load("strong", RULES)]
    plies = list(deal_between(RULES, seated, 0, max_rounds=2))  # as the run was set up
    assert f'max="{len(plies) - 1}"' in replay
    again = re.search(r"^play against it: sobremesa (.*)$", out, re.MULTILINE).group(1)
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert sobremesa(*shlex.split(again)) == 0
    assert "Until next time." in capsys.readouterr().out


def test_an_interrupted_training_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    from sobremesa.training import trainer

    train = trainer.train

    def ctrl_c(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "train", lambda config, folder, _, **also: train(config, folder, ctrl_c, **also))
    assert sobremesa(*flags(tmp_path / "run")) == 130
    out = capsys.readouterr().out
    assert "interrupted after 512 decisions" in out
    assert f"next: sobremesa export {tmp_path / 'run'} -o {tmp_path / 'run' / 'bot'} --checkpoint last" in out


@pytest.mark.parametrize(("module", "extra"), [("safetensors", "train"), ("torch", "train"), ("resvg_py", "render")])
def test_a_missing_extra_is_named(module, extra, monkeypatch, capsys):
    from sobremesa.commands import games

    def run(_):
        raise ModuleNotFoundError(f"No module named '{module}'", name=f"{module}.torch")

    monkeypatch.setattr(games, "run", run)
    assert sobremesa("games") == 2
    told = f"sobremesa: sobremesa games has no module '{module}.torch': it needs the '{extra}' extra; run pip "
    assert capsys.readouterr().err.startswith(told)


def test_flags_are_the_keys_of_the_configuration(tmp_path, monkeypatch):
    from sobremesa.training import trainer

    seen = []

    def keep(config, folder, progress, **_):
        seen.append((config, folder))
        return {"best": None, "status": "finished", "steps": 0, "seconds": 0}

    monkeypatch.setattr(trainer, "train", keep)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("steps = 7\nseed = 3\n[opponents]\nrandom = 1\n")
    setup = ("--setup", "seats=2,3", "board=small", "shore_tiles=false")
    assert sobremesa("train", GAME, "--config", "mine.toml", "--seed", 4, "--gamma", 1, *setup) == 0
    config, folder = seen[0]
    assert (config.steps, config.seed, config.gamma, config.opponents) == (7, 4, 1.0, {"random": 1.0})
    assert config.setup == {"seats": [2, 3], "board": "small", "shore_tiles": False}
    assert str(folder) == f"runs/{GAME}-1"
    (tmp_path / "runs" / f"{GAME}-1").mkdir(parents=True)
    assert sobremesa("train", GAME) == 0
    assert str(seen[1][1]) == f"runs/{GAME}-2"
    assert seen[1][0].setup == {"seats": 2}  # of the configuration that comes with the game
    advised = ("--algorithm", "rollout_iteration", "--advised-by", "strong")
    assert sobremesa("train", GAME, *advised, "--shares", "0=0.5", "11=1") == 0
    assert seen[2][0].shares == {"0": 0.5, "11": 1.0}
    assert sobremesa("train", GAME, "--opponents", "self=0.5", "search(strong, worlds=4)=0.5") == 0
    assert seen[3][0].opponents == {"self": 0.5, "search(strong, worlds=4)": 0.5}
    (tmp_path / "mine.toml").write_text("hidden = [64]\nevaluate_against = ['strong']\n[setup]\nseats = 3\n")
    assert sobremesa("train", GAME, "--config", "mine.toml", "--evaluate-against", "--hidden", "--setup") == 0
    assert (seen[4][0].hidden, seen[4][0].evaluate_against, seen[4][0].setup) == ([], [], {})


def test_help_shows_the_defaults_of_training(capsys):
    assert sobremesa("train", "--algorithm", "ppo_selfplay", "--help") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "(default: 0)" in out
    assert "(default: self=0.7 snapshots=0.3)" in out
    assert "Train an agent with a configuration, which flags override." in out


def test_help_may_come_before_the_algorithm(capsys):
    assert sobremesa("train", "--help", "--algorithm", "dqn") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "--target-every X" in out
    assert "the learning algorithm (default: ppo_selfplay)" in out


def test_help_of_a_game_shows_the_values_of_its_configuration(capsys):
    values = read(configs.path(GAME))
    assert sobremesa("train", GAME, "--help") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"learning rate of Adam; it falls linearly to a tenth (default: {values['learning_rate']})" in out
    assert "seats=2" in out


def test_a_reader_who_stops_early_is_no_error():
    command = f"{shlex.quote(sys.executable)} -m sobremesa watch {GAME} random random --seed 1"
    done = subprocess.run(f"{command} | head -n 1", shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_a_damaged_bot_is_refused_by_the_command(tiny_bot, tmp_path, capsys):
    shutil.copytree(tiny_bot, tmp_path / "bot")
    graph = (tmp_path / "bot" / "policy.onnx").read_bytes()
    (tmp_path / "bot" / "policy.onnx").write_bytes(graph[:-1])
    assert sobremesa("play", GAME, "--against", tmp_path / "bot") == 2
    err = capsys.readouterr().err
    assert "it was damaged or replaced" in err
    assert err.count("\n") == 1


def test_progress_estimates_the_time_left(capsys, monkeypatch):
    clock = iter([0.0])
    monkeypatch.setattr(bars.time, "monotonic", lambda: next(clock, 10.0))
    with bars.progress("work") as update:
        update(50, 100)
        update(60, 100)
    assert capsys.readouterr().err.splitlines() == ["work: 50 of 100", "work: 60 of 100, about 40 s left"]
