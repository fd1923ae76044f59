"""The command line under Ctrl-C, without Unicode, and with a full disk."""

import errno
import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import resource_tracker
from pathlib import Path

import pytest
from rooms import TORO

from sobremesa import cli, envs
from sobremesa.agents.arena import workers
from sobremesa.arguments import folder_for
from sobremesa.training.runs import run

# Ctrl-C as the module WHERE is looked for; "atexit" is the end of the process.
INTERRUPTED = """
import atexit, os, signal, sys
WHERE, *sys.argv = sys.argv[1:]
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == WHERE:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
if WHERE == "atexit":
    atexit.register(os.kill, os.getpid(), signal.SIGINT)
from sobremesa.cli import main
sys.exit(main())
"""


def heed():
    """Have a new process heed Ctrl-C, although this one may have been started in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("numba", ["games"]), ("sobremesa.commands.train", ["--help"]), ("atexit", ["--version"]),
        ("torch", ["train", "kuhn_poker", "--steps", "9"]),
    ],
)  # fmt: skip
def test_ctrl_c_during_imports_ends_silently_with_130(where, words, tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, where, "sobremesa", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=heed)
    assert (done.returncode, done.stderr) == (130, "")


def test_another_program_keeps_its_own_ctrl_c():
    code = "import signal, sobremesa; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    subprocess.run([sys.executable, "-c", code], check=True, preexec_fn=heed)


@pytest.mark.thorough
@pytest.mark.parametrize("words", [["games"], ["train", "--help"]], ids=" ".join)
def test_ctrl_c_at_any_moment_leaves_no_traceback(words):
    command, rng, codes = [sys.executable, "-m", "sobremesa", *words], random.Random(1), []
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    lasts = time.monotonic() - began
    for _ in range(12):
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, preexec_fn=heed, **pipes)
        time.sleep(rng.uniform(0.1, 1) * lasts)  # before that Python itself starts, and has its own words
        process.send_signal(signal.SIGINT)
        codes.append(process.wait())
        assert process.stderr.read() == ""
        process.stderr.close()
    assert set(codes) <= {0, 130, -signal.SIGINT}  # Python itself ends so at its very end; a shell calls that 130, too
    assert 130 in codes


def test_workers_do_not_heed_ctrl_c_while_they_start():
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with workers._ignoring_interrupts():
        resource_tracker.ensure_running()
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=heed)
    assert (done.stdout, done.stderr) == ("alive\n", "")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def shown_by(monkeypatch, encoding, *words):
    """Return the exit code of a command at a terminal of `encoding`, and what it prints there."""
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", terminal)
    code = cli.main(words)
    return code, terminal.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_every_game_is_watched_at_a_terminal_without_unicode(encoding, monkeypatch):
    for name in envs.games():
        for language in ("es", "en"):
            words = ["watch", name, *["random"] * envs.load(name).default_seats, "--seed", "3", "--language", language]
            code, shown = shown_by(monkeypatch, encoding, *words)
            assert code == 0
            assert len(shown) > 200
            assert shown.count("?") < len(shown) / 100


def test_a_name_that_is_not_in_the_encoding_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new-bot", TORO.name, "bot\udcf1"]) == 2
    assert "bot\\udcf1' cannot be encoded on this system; use another name" in capsys.readouterr().err


def test_signs_that_a_terminal_lacks_become_plainer(monkeypatch):
    for encoding, plain in (("ascii", 'Erase "a" que...-3 h?'), ("latin-1", "Érase «a» ¿qué...-3 h?"), ("utf-8", None)):
        terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", terminal)
        cli._replace_unencodable()
        text = "Érase «a» ¿qué…─③ ♥\udcff" if plain else "Érase «a» ¿qué…─③ ♥"
        terminal.write(text)
        terminal.flush()
        assert terminal.buffer.getvalue().decode(encoding) == (plain or text)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["stats", TORO.name, "random", "--deals", "2", "--json", "it.json"], "it.json"),
        (["watch", TORO.name, "random", "random", "--out", "it.html"], "it.html"),
        (["arena", "kuhn_poker", "random", "simple", "--deals", "2"], "runs/arena-1/arena.json"),
        (["solve", "kuhn_poker", "--iterations", "9", "--out", "it.npz"], "it.npz"),
        (["new-bot", TORO.name, "bot"], "bot/bot.py"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_full_disk_names_the_file_and_what_to_do(words, file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("numpy.savez", full)
    assert cli.main(words) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"sobremesa: {file}: No space left on device; make room on that disk, or name a place on another one"
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not (tmp_path / "runs").exists()


def test_a_full_disk_while_training_names_the_run(tmp_path):
    with pytest.raises(OSError, match="No space") as told, run.held(tmp_path / "mine"):
        full()  # as the writer of TensorBoard's files does
    assert told.value.filename == str(tmp_path / "mine")


def test_a_thread_that_meets_a_full_disk_is_one_line(monkeypatch, capsys):
    def run(_):
        thread = threading.Thread(target=full)
        thread.start()
        thread.join()
        return 0

    monkeypatch.setattr("sobremesa.commands.games.run", run)
    before = threading.excepthook
    assert cli.main(["games"]) == 0
    assert capsys.readouterr().err.startswith("sobremesa: No space left on device; make room")
    assert threading.excepthook is before


def test_output_that_cannot_be_written_is_named(monkeypatch, capsys):
    with open("/dev/full", "wb", buffering=0) as raw:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8", write_through=True))
        assert cli.main(["games"]) == 2
    assert capsys.readouterr().err.startswith("sobremesa: standard output: No space left on device; ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["watch", TORO.name, "random", "random", "--out", f"{'x' * 300}.html"], "File name too long; give a shorter"),
        (["arena", TORO.name, "random", "simple", "--out", "file/arena"], "; name a"),
    ],
)
def test_errors_of_files_say_what_to_do(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert cli.main(words) == 2
    assert told in capsys.readouterr().err


def test_two_commands_that_choose_a_folder_at_once_have_two(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with folder_for(None, "toro") as one, folder_for(None, "toro") as other, folder_for(Path("mine"), "toro") as mine:
        assert [str(folder) for folder in (one, other, mine)] == ["runs/toro-1", "runs/toro-2", "mine"]
        (other / "config.toml").touch()
    assert [folder.name for folder in (tmp_path / "runs").iterdir()] == ["toro-2"]  # an empty one vanishes
    (tmp_path / "runs" / "arena-1").symlink_to("nowhere")
    with folder_for(None, "arena") as third:
        assert third.name == "arena-2"
