"""Every command and server in dirty surroundings: they print and return what they do in clean ones.

The packages, the variables and the commands come from the library, so a new one is tried too.
"""

import io
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
from contextlib import suppress

import pytest
import surroundings
from command_line import sobremesa
from foreigners import wait_until
from runs import GAME as TORO, train_tiny
from surroundings import DRIVER, closed, dirty, install, python

from sobremesa import cli

GAME = "kuhn_poker"
PAIR = (GAME, "random", "simple")
STATED = ("--name", "mine", "--author", "me", "--licence", "MIT", "--made", "by hand", "--budget", "0", "--cpu-minutes",
          "0", "--gpu-minutes", "0", "--tokens", "0")  # fmt: skip
# A short line of each command; `{}` is a new folder.
QUICK = {
    "games": ((), (GAME,)),
    "play": ((GAME, "--against", "random", "--seed", "1"),),
    "watch": ((*PAIR, "--seed", "1"),),
    "dataset": ((*PAIR, "--deals", "3", "-o", "{}/deals.npz"),),
    "new-bot": ((GAME, "{}/bot"),),
    "rate": ((GAME, "simple", "--against", "random", "--deals", "5"),),
    "stats": ((GAME, "--deals", "5"),),
    "arena": ((*PAIR, "--deals", "5", "--out", "{}/arena"),),
    "solve": ((GAME, "--iterations", "9", "--out", "{}/solved.npz"),),
    "benchmark": (("plan", "--out", "{}/sweep"),),
}
SLOW = {
    "analyse": ((*PAIR, "--deals", "3", "-o", "{}/deals.html"),),
    "blunders": ((GAME, "simple", "--decisions", "4", "--json", "{}/blunders.json"),),
    "check": ((GAME, "--deals", "2"),),
    "ladder": ((*PAIR, "--deals", "5", "-o", "{}/ladder.html"),),
    "population": ((GAME, "strong", "--against", "simple", "--deals", "2", "--out", "{}/population"),),
    "exploit": (("random", "--game", GAME, "--exact"),),
    "export": (("{run}", "-o", "{}/exported"),),
    "report": (("{run}", "{}/exported", "--deals", "2"),),
    "train": ((TORO, "--steps", "600", "--tables", "16", "--horizon", "16", "--batch-size", "64", "--evaluate-deals",
               "1", "--setup", "max_rounds=1", "--out", "{}/run"),),
    "bench": ((GAME, "--seconds", "0.01"),),
    "results": (("rerun", "ese_toro_enamorado/scripted/1", "--folder", os.path.abspath("docs/results")),),
    "submit": (("strong", "--game", GAME, "--against", "simple", "--deals", "2", "--out", "{}/mine", *STATED),),
    "verify": ((os.path.abspath("submissions/strong-bandido"),),),
}  # fmt: skip
SERVERS = ("serve", "mcp")  # tried as processes, below


def lines(commands, folder, run=""):
    """Return the lines of `commands` as words, with files in `folder`."""
    return [
        [name, *(word.replace("{run}", str(run)).replace("{}", str(folder)) for word in words)]
        for name, several in commands.items()
        for words in several
    ]


def plain(text, folder):
    """Return what a command printed without the folder, and without measured times and their widths."""
    return re.sub(r"\s+", " ", re.sub(r"[\d.,]+", "0", text.replace(str(folder), "")))


def test_every_command_is_tried():
    assert sorted((*QUICK, *SLOW, *SERVERS)) == sorted(cli.command_names())


# Standard files of a program that calls `main`.


def ended():
    stream = io.TextIOWrapper(io.BytesIO())
    stream.close()
    return stream


def begun(encoding="utf-8"):
    stream = io.TextIOWrapper(io.BytesIO(b"one\ntwo\nthree\n"), encoding=encoding)
    stream.readline()
    return stream


INPUTS = {"none": lambda: None, "closed": ended, "read": begun, "text": lambda: io.StringIO("one\ntwo\n")}
OUTPUTS = {
    "none": lambda: None, "ascii": lambda: io.TextIOWrapper(io.BytesIO(), encoding="ascii"), "text": io.StringIO,
    "utf-16": lambda: io.TextIOWrapper(io.BytesIO(), encoding="utf-16"),
}  # fmt: skip


@pytest.mark.parametrize("given", INPUTS)
def test_commands_run_whatever_the_standard_files_are(given, monkeypatch, tmp_path):
    for number, (out, err) in enumerate(itertools.product(OUTPUTS, repeat=2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for words in lines({"games": ((),), **QUICK} if number == 0 else {"games": ((),)}, folder):
            monkeypatch.setattr("sys.stdin", INPUTS[given]())
            monkeypatch.setattr("sys.stdout", OUTPUTS[out]())
            monkeypatch.setattr("sys.stderr", OUTPUTS[err]())
            assert sobremesa(*words) == 0, words
            assert sobremesa("games", "no_such_game") == 2


def test_files_do_not_get_the_number_of_a_closed_standard_file(tmp_path):
    code = f"import os\nfrom sobremesa import cli\ncli.main(['games', '{GAME}'])\n" \
           f"file = open({str(tmp_path / 'file')!r}, 'w')\nassert file.fileno() > 2\n"  # fmt: skip
    subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *python("-c", code)], check=True)


# Packages, variables, a folder that cannot be written.


def driven(commands, folder, environment, run=""):
    """Return exit codes and outputs of `commands`, from a process without standard input; and its standard error."""
    folder.mkdir()
    messages = python("-c", DRIVER, json.dumps(lines(commands, folder, run)), folder / "found.json")
    done = subprocess.run(closed(messages), capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""  # what others print is not on it
    found = json.loads((folder / "found.json").read_text())
    return [(code, plain(out, folder)) for code, out in found], done.stderr


def test_dirty_surroundings_change_no_command(tmp_path):
    try_all(QUICK, tmp_path)


@pytest.mark.thorough
def test_dirty_surroundings_change_no_slow_command(tmp_path):
    try_all(SLOW, tmp_path, train_tiny(tmp_path / "run"))


@pytest.mark.thorough
@pytest.mark.parametrize("turn", range(1, len(surroundings.VALUES)))
def test_other_values_of_the_variables_change_no_command(turn, tmp_path):
    """As above; each variable gets each value once."""
    try_all({name: QUICK[name] for name in ("games", "rate", "watch")}, tmp_path, turn=turn)


def clean():
    """Return the environment without the variables that the library reads."""
    kept = {name: value for name, value in os.environ.items() if name not in surroundings.variables()}
    return kept | {"SOBREMESA_QUIET": "1"}


def polluted(tmp_path, turn=0):
    """Return an environment with packages and values that misbehave, and the number of their entry points."""
    (site := tmp_path / "site").mkdir()
    points, kept = install(site), clean()
    kept.pop("HOME", None)
    return kept | dirty(site, turn), points


def check_messages(messages, points, trains):
    """Check that standard error names entry points once, in lines of their own, and has no traceback.

    Half of them are games, which each command looks up, and half are algorithms, which a command looks up that trains.
    """
    left_out = [line for line in messages.splitlines() if "is left out" in line]
    assert len(set(left_out)) == len(left_out) == (points if trains else points // 2)
    assert sum("sobremesa: game " in line for line in left_out) == points // 2
    assert all(line.isprintable() and len(line) < 500 for line in left_out)
    assert "Traceback" not in messages


def try_all(commands, tmp_path, run="", turn=0):
    """Check that `commands` print and return the same in clean and in dirty surroundings."""
    wanted, _ = driven(commands, tmp_path / "clean", clean(), run)
    assert all(code == 0 for code, _ in wanted), wanted
    environment, points = polluted(tmp_path, turn)
    found, messages = driven(commands, tmp_path / "dirty", environment, run)
    assert found == wanted
    check_messages(messages, points, "train" in commands)


@pytest.mark.thorough
@pytest.mark.parametrize("heard", [True, False])
def test_the_browser_table_serves_in_dirty_surroundings(heard, tmp_path):
    """Also with standard output closed."""
    environment, _ = polluted(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = closed(python("-m", "sobremesa", "serve", "--port", port, "--folder", tmp_path / "tables"), out=heard)
    server = subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def answers():
        with suppress(OSError):
            return direct.open(f"http://127.0.0.1:{port}/", timeout=60).status == 200
        return server.poll() is not None

    assert wait_until(answers)
    server.send_signal(signal.SIGINT)
    out, messages = server.communicate()
    assert server.returncode == 130, messages
    assert out == (f"http://127.0.0.1:{port}/\n" if heard else "")
    assert "Traceback" not in messages


@pytest.mark.thorough
def test_the_model_server_answers_in_dirty_surroundings(tmp_path):
    environment, _ = polluted(tmp_path)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_games", "arguments": {}}},
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*map(str, python("-m", "sobremesa", "mcp"))], env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as server:
        server.stdin.writelines(json.dumps(one) + "\n" for one in asked)
        server.stdin.flush()
        found = [json.loads(server.stdout.readline()) for _ in range(2)]
        out, messages = server.communicate()
    assert [one["id"] for one in found] == [0, 1]
    assert GAME in json.dumps(found[1])
    assert (server.returncode, out) == (0, "")
    assert "Traceback" not in messages


# Text files.

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}".encode()


def test_text_files_may_begin_with_a_byte_order_mark(tiny_run, tiny_bot, tmp_path, capsys):
    run, bot, arena, deal = tmp_path / "run", tmp_path / "bot", tmp_path / "arena", tmp_path / "deal.json"
    shutil.copytree(tiny_run, run)
    shutil.copytree(tiny_bot, bot)
    assert sobremesa("arena", *PAIR, "--deals", 2, "--out", arena) == 0
    assert sobremesa("watch", *PAIR, "--seed", 1, "--out", deal) == 0
    config = tmp_path / "mine.toml"
    config.write_text('steps = "many"\n')
    marked = [file for file in tmp_path.rglob("*") if file.suffix in (".json", ".toml", ".csv", ".jsonl")]
    assert {file.name for file in marked} >= {"config.toml", "bot.json", "deal.json", "mine.toml", "arena.json"}
    for file in marked:
        file.write_bytes(MARK + file.read_bytes())
    assert sobremesa("export", run, "-o", tmp_path / "again") == 0
    assert sobremesa("rate", TORO, bot, "--against", "random", "--deals", 1) == 0
    assert sobremesa("arena", "--resume", arena) == 0
    assert sobremesa("watch", deal) == 0
    capsys.readouterr()
    assert sobremesa("train", TORO, "--config", config, "--out", tmp_path / "new") == 2
    assert "steps='many' is not allowed" in capsys.readouterr().err  # it was read
    for file, words in ((config, ("train", TORO, "--config", config)), (deal, ("watch", deal))):
        file.write_text("steps = 1", encoding="utf-16")
        assert sobremesa(*words) == 2
        assert "save it as UTF-8" in capsys.readouterr().err


def test_endings_of_files_may_be_in_capitals(tmp_path):
    for ending in (".HTML", ".Txt", ".JSON"):
        assert sobremesa("watch", *PAIR, "--seed", 1, "--out", tmp_path / f"deal{ending}") == 0
    assert (tmp_path / "deal.HTML").read_text(encoding="utf-8").startswith("<!")
    assert sobremesa("watch", tmp_path / "deal.JSON") == 0
    assert sobremesa("dataset", *PAIR, "--deals", 1, "-o", tmp_path / "deals.NPZ") == 0
