"""Verification of a learning function of another person: it runs in a process with limits."""

import os
import socket

import pytest
from benchmark_cells import GUESS

from sobremesa.training.benchmark import cells, confine, sweep
from sobremesa.training.benchmark.cells import CellError
from sobremesa.training.benchmark.sweep import Verdict

LEARNER = f"""
import os, socket
{GUESS}

def tried(work):
    try:
        work()
    except OSError as error:
        return type(error).__name__
    return "done"


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", ("192.0.2.1", 9))


def connect():
    socket.create_connection(("127.0.0.1", PORT), 1).close()


def learn(task, budget, seed):
    with open(os.environ["TMPDIR"] + "/mine", "w"):
        pass
    raise ValueError(" ".join(tried(work) for work in (
        lambda: open("written", "w"), lambda: os.remove("kept"), lambda: os.truncate("kept", 0),
        lambda: os.kill(PARENT, 0), lambda: open("/proc/PARENT/environ"), send, connect,
    )))
    yield 0, Guess()


def fine(task, budget, seed):
    yield 0, Guess()


def grabber(task, budget, seed):
    yield len(bytearray(2**35)), Guess()


def leaver(task, budget, seed):
    os._exit(7)
    yield 0, Guess()
"""


@pytest.fixture
def verified(tmp_path, monkeypatch):
    """Verify a cell of a function of LEARNER, as if it had been finished elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").write_text("mine")

    def verify(function, port=9):
        (tmp_path / "mine.py").write_text(LEARNER.replace("PARENT", str(os.getpid())).replace("PORT", str(port)))
        cell = sweep.plan([f"mine.py:{function}"], ["estafado-crow"], [0], 100, 1)[0]
        return sweep.verify(cells.Record(cell=cell, made={}, status="finished"), {}, allow_commands=True)

    return verify


def test_a_function_reaches_nothing_outside(verified, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        verdict = verified("learn", server.getsockname()[1])
    said = verdict.record.why.removeprefix("ValueError: ").split()
    assert len(said) == 7
    if confine.WRITING in verdict.limits:
        assert said[:3] == ["PermissionError"] * 3
        assert (tmp_path / "kept").read_text() == "mine"
        assert not (tmp_path / "written").exists()
        assert said[4] == "PermissionError"
    if confine.NETWORK in verdict.limits:
        assert "done" not in said[5:]
    if not verdict.limits:
        pytest.skip("this kernel lets no process drop its rights")


def test_a_sound_function_is_scored_in_the_sandbox(verified, monkeypatch):
    monkeypatch.setattr(sweep, "_compared", lambda record, again, rebuilt, made: Verdict(True, rebuilt, again))
    verdict = verified("fine")
    assert (verdict.record.status, verdict.differences) == ("finished", ())
    assert verdict.record.rows


def test_a_function_that_ends_its_process_is_one_error(verified):
    with pytest.raises(CellError, match=r"ended in the sandbox by exit status 7"):
        verified("leaver")


def test_a_function_that_asks_for_too_much_memory_fails(verified):
    with pytest.raises(CellError, match=r"ended in the sandbox by .*MemoryError"):
        verified("grabber")
