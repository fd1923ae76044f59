"""Run a module of Python within limits of the system: `confine.py FOLDER MODULE WORD...`.

The module has limits on memory, CPU time and the size of files. Its output goes to the file `output` in FOLDER. With
`-` as MODULE the words are a program, which keeps its standard files. On Linux the process also has no network and
writes below FOLDER only, as far as the kernel lets an ordinary user drop these rights (user namespaces, Landlock). Not
limited are reading files and the environment, sockets of this machine that have a path, modes and times of the user's
files, and `/dev/shm`. `limits.json` in FOLDER states the limits that apply.

This file is run by its path. It imports the standard library only, since a process with threads keeps its network.
"""

import contextlib
import ctypes
import json
import os
import runpy
import struct
import sys
from pathlib import Path

MEMORY = 16 * 2**30  # bytes of address space, on top of those taken at the start
SECONDS = 86_400  # of CPU
FILE = 2 * 2**30  # bytes
LIMITS, OUTPUT = "limits.json", "output"
PROGRAM = "-"
NETWORK, WRITING = "without network", "without writing elsewhere"
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of unshare
_CREATE, _ADD, _RESTRICT, _NO_NEW_RIGHTS = 444, 445, 446, 38  # calls of Landlock, and an option of prctl
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14  # rights of files
_CHANGES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # also to make and remove files and folders
_REFER = 1 << 13
_TCP, _SCOPES = 3, 3  # to bind and to connect; signals and abstract sockets


def main(folder: Path, module: str, words: list[str]) -> None:
    """Drop rights and run `module`, with `words` as its arguments, or the program `words`."""
    os.environ["TMPDIR"] = str(folder)
    sys.dont_write_bytecode = True
    _limit()
    held = [name for name, drop in ((NETWORK, _drop_network), (WRITING, lambda: _restrict_writes(folder))) if drop()]
    (folder / LIMITS).write_text(json.dumps(held), encoding="utf-8")
    if module == PROGRAM:
        os.execvp(words[0], words)
    output = os.open(folder / OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number in (1, 2):
        os.dup2(output, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv[1:] = words
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, SECONDS),
            (resource.RLIMIT_FSIZE, FILE),
            (resource.RLIMIT_AS, taken + MEMORY),
        ):
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


def _drop_network() -> bool:
    """Move this process to a network namespace without interfaces; return whether that worked."""
    user, group = os.getuid(), os.getgid()
    try:
        if ctypes.CDLL(None).unshare(_NEW_USER | _NEW_NETWORK):
            return False
        with contextlib.suppress(OSError):  # files keep the names of their owners
            Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    except (OSError, AttributeError):  # another system
        return False
    return True


def _restrict_writes(folder: Path) -> bool:
    """Drop the rights to change files outside `folder` and to open TCP connections; return whether that worked."""
    if sys.platform != "linux":
        return False
    system = ctypes.CDLL(None)
    version = system.syscall(_CREATE, None, 0, 1)
    if version < 3:  # earlier ones allow to cut files short
        return False
    handled = _CHANGES | _REFER | _TRUNCATE
    asked = struct.pack("QQQ", handled, _TCP, _SCOPES)
    rules = system.syscall(_CREATE, asked, 24 if version >= 6 else 16 if version >= 4 else 8, 0)
    if rules < 0:
        return False
    for place, rights in (
        (folder, handled),
        (Path("/dev/shm"), handled),  # locks of processes
        (Path(os.devnull), _WRITE_FILE | _TRUNCATE),
    ):
        with contextlib.suppress(OSError):
            below = os.open(place, os.O_PATH)
            system.syscall(_ADD, rules, 1, struct.pack("=Qi", rights, below), 0)
            os.close(below)
    return bool(system.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0) == 0 and system.syscall(_RESTRICT, rules, 0) == 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
