"""External agents as files, good and bad, and a list of their remaining processes."""

import contextlib
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

SHORT = {"board": "small", "max_rounds": 1}  # of Ese Toro enamorado

GOOD = "def act(view):\n    return view.legal[0]\n"

# A command that says hello and then does as it is told by HERE.
COMMAND = """
import json, os, sys, time
def read():
    return json.loads(sys.stdin.readline())
def say(**answer):
    print(json.dumps(answer), flush=True)
read()
HERE
"""


def function(folder, code, name="act"):
    """Write `code` into `folder` and return the spec of its function `name`."""
    file = Path(folder) / f"agent_{len(list(Path(folder).iterdir()))}.py"
    file.write_text(code, encoding="utf-8")
    return f"python:{file}:{name}"


def command(folder, here):
    """Return the spec of a command that does `here` once it was told hello."""
    spec = function(folder, COMMAND.replace("HERE", here))
    return f"command:{shlex.join([sys.executable, spec.split(':')[1]])}"


def state_of(pid):
    """Return the letter of a process's state, Z for a zombie; None if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None


def children():
    """Return the processes that this one has started and not waited for."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == os.getpid():
                found.add(int(entry.name))
    return found


@contextlib.contextmanager
def crowded(processor, count):
    """Within this context `count` processes, each in a session of its own, keep a processor busy."""
    code = f"import os\nos.sched_setaffinity(0, [{processor}])\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def wait_until(true, seconds=300.0):
    """Wait until `true()` is so, on however busy a machine; say whether it came to be."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
