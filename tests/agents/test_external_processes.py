"""Processes of external agents: all of them end, in whatever way the agent or its caller ends."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from foreigners import SHORT, command, crowded, function, state_of, wait_until
from rooms import TORO

from sobremesa import agents
from sobremesa.agents.arena.play import play
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.external import clock, conversation
from sobremesa.agents.external.conversation import Conversation, Launch

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")

# Starts children in sessions of their own, one that has lost its parent, and one that takes no signal but SIGKILL;
# `pids` names all of them, and the agent itself.
STARTS = """
import os, signal, subprocess, sys
PIDS = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pids"), "a")
def note(pid):
    print(pid, file=PIDS, flush=True)
note(os.getpid())
for _ in range(3):
    note(subprocess.Popen(["sleep", "600"], start_new_session=True).pid)
deaf = "import signal, time\\nfor one in (1, 2, 15): signal.signal(one, signal.SIG_IGN)\\ntime.sleep(600)"
note(subprocess.Popen([sys.executable, "-c", deaf]).pid)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note(os.getpid())
        signal.pause()
    os._exit(0)
os.wait()
def act(view):
    return view.legal[0]
"""
STARTED = 6


def started(folder):
    file = Path(folder) / "pids"
    return file.read_text().split() if file.exists() else []


def all_gone(folder):
    return all(state_of(pid) in (None, "Z") for pid in started(folder))


@pytest.fixture
def loaded(tmp_path):
    """An external agent that starts much; nothing of it is left after the test, however that ends."""
    yield agents.load(function(tmp_path, STARTS))
    subprocess.run(["kill", "-9", *started(tmp_path)], capture_output=True, check=False)


def test_children_in_sessions_of_their_own_end_with_the_agent(loaded, tmp_path):
    assert not play(TORO, [loaded, RANDOM], 1, **SHORT).lost()
    assert len(started(tmp_path)) == 2 * STARTED  # a process for each seat
    assert all_gone(tmp_path)


def test_they_end_when_the_agent_crashes_too(tmp_path, loaded):
    spec = function(tmp_path, STARTS.replace("return view.legal[0]", "os._exit(3)"))
    rows = play(TORO, [agents.load(spec), RANDOM], 1, **SHORT)
    assert [why.partition(";")[0] for _, why in rows.lost()] == ["crash: exit status 3"] * 2
    assert all_gone(tmp_path)


def test_they_end_when_who_plays_is_killed(tmp_path, loaded):
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1] / "support")!r})
from foreigners import SHORT
from rooms import TORO
from sobremesa import agents
agent = agents.load({loaded.spec!r})
for seat in range(2):
    agent.ready(TORO, seat)
print("ready", flush=True)
input()
"""
    arena = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert arena.stdout.readline() == "ready\n"
    assert len(started(tmp_path)) == 2 * STARTED
    assert not all_gone(tmp_path)
    arena.kill()
    arena.communicate()
    assert wait_until(lambda: all_gone(tmp_path))


def test_killing_the_keeper_ends_the_agent_and_its_children(tmp_path, loaded):
    kills = "os.kill(os.getppid(), 9)\n    signal.pause()"
    agent = agents.load(function(tmp_path, STARTS.replace("return view.legal[0]", kills)))
    agent.time_limit = 1.0  # what it has started holds its output open
    assert len(play(TORO, [agent, RANDOM], 1, **SHORT).lost()) == 2
    assert len(started(tmp_path)) == 2 * STARTED
    assert wait_until(lambda: all_gone(tmp_path))


def test_stopping_the_keeper_repeatedly_causes_no_delay(tmp_path, loaded, monkeypatch):
    monkeypatch.setattr(conversation, "_KEEPER", 100.0)  # seconds that it would wait for each keeper
    stops = (
        "import threading\n    def stop(keeper=os.getppid()):\n        while True:\n            os.kill(keeper, 19)\n"
        "    threading.Thread(target=stop, daemon=True).start()\n"
        "    note(subprocess.Popen(['sleep', '600'], env={}, start_new_session=True).pid)\n    return -1"
    )
    agent = agents.load(function(tmp_path, STARTS.replace("return view.legal[0]", stops)))
    began = time.monotonic()
    assert len(play(TORO, [agent, RANDOM], 1, **SHORT).lost()) == 2
    assert time.monotonic() - began < 2 * conversation._KEEPER
    assert len(started(tmp_path)) >= 2 * (STARTED + 1)
    assert all_gone(tmp_path)


BURNS = "end = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"


@pytest.mark.parametrize("threaded", [False, True])
def test_waiting_for_a_processor_is_not_charged(threaded, tmp_path, monkeypatch):
    """At a start and at a move it needs a quarter of its limit, of a processor that it shares with five others."""
    burn = BURNS.format(seconds=0.5)
    if threaded:  # its first thread sleeps meanwhile
        burn = f"import threading\ndef burn():\n    {burn.strip().replace(chr(10), chr(10) + '    ')}\n" \
               "one = threading.Thread(target=burn)\none.start()\none.join()\n"  # fmt: skip
    first = min(os.sched_getaffinity(0))
    code = f"os.sched_setaffinity(0, [{first}])\n{burn}say(protocol=1)\nread()\n{burn}say(action=7)\nread()"
    spec = command(tmp_path, code)
    monkeypatch.setattr(clock, "PATIENCE", 1e6)  # however busy the machine is
    with crowded(first, 5):
        asked = Conversation(Launch("command", tuple(shlex.split(spec.partition(":")[2]))))
        try:
            assert asked.ask({}, 2.0) == {"protocol": 1}
            assert asked.ask({}, 2.0) == {"action": 7}
        finally:
            asked.end(0)


@pytest.mark.parametrize(("state", "used", "waits"), [
    ("it sleeps", lambda passed: (False, 0.0), 4), ("it computes", lambda passed: (True, passed), 4),
    ("four threads compute", lambda passed: (True, 4 * passed), 4),
    ("it gets a tenth", lambda passed: (True, 0.1 * passed), 31),
    ("it waits for a disk", lambda passed: (True, 0.0), 80),
])  # fmt: skip
def test_an_agent_is_charged_what_it_uses(state, used, waits, monkeypatch):
    passed = [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: passed[0])
    monkeypatch.setattr(clock, "_state", lambda pid: used(passed[0]))
    limit, count = clock.Limit(4 * clock.TICK, 1), 0
    while limit.left > 1e-6:
        limit.wait(lambda seconds: passed.__setitem__(0, passed[0] + clock.TICK))
        count += 1
    assert count == waits


def test_time_for_which_who_plays_is_suspended_is_not_the_agents(tmp_path):
    spec = command(tmp_path, "say(protocol=2)\ntime.sleep(1.5)\nread()\nsay(action=1)\ntime.sleep(600)")
    code = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {str(Path(__file__).parents[1] / "support")!r})
from sobremesa.agents.external.conversation import Conversation, Launch
asked = Conversation(Launch("command", tuple({shlex.split(spec.partition(":")[2])!r})))
print(asked.ask({{}}, 60.0))
print("asking", flush=True)
print(asked.ask({{}}, 3.0), flush=True)
asked.end(0)
"""
    who = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while who.stdout.readline() != "asking\n":
        pass
    who.send_signal(signal.SIGSTOP)
    time.sleep(4)
    who.send_signal(signal.SIGCONT)
    assert who.communicate()[0] == "{'action': 1}\n"
