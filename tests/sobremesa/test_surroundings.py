"""Every command and server in dirty surroundings: they print and return what they do in clean ones.

The packages, the variables and the commands come from the library, so a new one is tried too.
"""

import io
import itertools
import json
import os
import re
import subprocess

import pytest
import surroundings
from command_line import sobremesa
from runs import GAME as TORO
from runs import train_tiny
from surroundings import DRIVER, closed, dirty, install, python

from sobremesa import cli

GAME = "kuhn_poker"
PAIR = (GAME, "random", "simple")
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
    "check": ((GAME, "--deals", "2"),),
    "ladder": ((*PAIR, "--deals", "5", "-o", "{}/ladder.html"),),
    "exploit": (("random", "--game", GAME, "--exact"),),
    "export": (("{run}", "-o", "{}/exported"),),
    "report": (("{run}", "--out", "{}/report.html"),),
    "train": ((TORO, "--steps", "600", "--tables", "16", "--horizon", "16", "--batch-size", "64", "--evaluate-deals",
               "1", "--setup", "max_rounds=1", "--out", "{}/run"),),
    "bench": ((GAME, "--seconds", "0.01"),),
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
    """Return what a command printed without the folder, and without measured times."""
    return re.sub(r"[\d.,]+", "0", text.replace(str(folder), ""))


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
    told = python("-c", DRIVER, json.dumps(lines(commands, folder, run)), folder / "found.json")
    done = subprocess.run(closed(told), capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""  # what others print is not on it
    found = json.loads((folder / "found.json").read_text())
    return [(code, plain(out, folder)) for code, out in found], done.stderr


def test_dirty_surroundings_change_no_command(tmp_path):
    try_all(QUICK, tmp_path)


@pytest.mark.thorough
def test_dirty_surroundings_change_no_slow_command(tmp_path):
    try_all(SLOW, tmp_path, train_tiny(tmp_path / "run"))


def try_all(commands, tmp_path, run=""):
    clean = {name: value for name, value in os.environ.items() if name not in surroundings.variables()}
    wanted, _ = driven(commands, tmp_path / "clean", clean | {"SOBREMESA_QUIET": "1"}, run)
    assert all(code == 0 for code, _ in wanted), wanted
    (site := tmp_path / "site").mkdir()
    points = install(site)
    clean.pop("HOME", None)
    found, told = driven(commands, tmp_path / "dirty", clean | dirty(site, tmp_path / "nowhere"), run)
    assert found == wanted
    left_out = [line for line in told.splitlines() if "is left out" in line]
    assert len(left_out) == points
    assert all(line.isprintable() and len(line) < 500 for line in left_out)
    assert "Traceback" not in told


@pytest.mark.thorough
def test_each_variable_alone_changes_no_command(tmp_path):
    """As above, one variable after another, each with each value."""
    few = {name: QUICK[name] for name in ("games", "rate")}
    wanted, _ = driven(few, tmp_path / "clean", os.environ)
    names = [name for name in surroundings.variables() if name not in ("SOBREMESA_CACHE_DIR", "XDG_CACHE_HOME")]
    for name in names:
        for number, value in enumerate(surroundings.VALUES):
            found, told = driven(few, tmp_path / f"{name}{number}", os.environ | {name: value})
            assert found == wanted
            assert "Traceback" not in told
