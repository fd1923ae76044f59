"""Follow README.md on a slow machine, as a newcomer: `python tests/tools/follow_readme.py`, as root on Linux.

In an empty folder are a clone of the last commit and a virtual environment. Each command and each block of Python runs
alone, as a user without rights and without a home, in control groups with little processor time, memory and disk. The
first round has no PyTorch, so commands that train have to state the extra that they need; the second has it. The two
commands of make are left out, and training ends after an hour. Exit code 1 if a step ended in another way than it
should. A limit of time by the clock that ends a command is such a fault.
"""

import argparse
import os
import pwd
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
GROUPS = Path("/sys/fs/cgroup")
FENCE = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = ("make test", "make demo")  # make demo sets up an environment of its own; its commands run by themselves
TRAINS = re.compile(r"sobremesa (train|export|report)\b|sb3_contrib")  # needs the extra `train`
NEEDS = "bots/mine"  # is made by a command that trains
# Enter the control groups, and become another user.
STARTS = (
    'for one in $1; do echo $$ > $one/cgroup.procs; done && exec setpriv --reuid $2 --regid $3 --clear-groups "${@:4}"'
)


class Ended(NamedTuple):
    """The end of a command."""

    code: int
    seconds: float
    cpu: float  # seconds of processor time
    output: str


class Place:
    """A clone in a control group, and the user that works there."""

    def __init__(self, folder: Path, user: str, quota: int, memory: float, disk: int) -> None:
        self.clone, self.folder, self.user = folder / "sobremesa", folder, pwd.getpwnam(user)
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, self.clone], check=True)
        shutil.rmtree(self.clone / ".git")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        self.groups = []
        for group, limits in limits_of(folder, quota, int(memory * 2**30), disk * 2**20).items():
            self.groups.append(group)
            group.mkdir()
            for name, value in limits.items():
                (group / name).write_text(value)

    def run(self, *words: str) -> Ended:
        """Run a program in the clone, without any limit of time."""
        environ = {
            "PATH": f"{self.folder}/venv/bin:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
        }
        start = ["bash", "-c", STARTS, "bash", " ".join(map(str, self.groups)), str(self.user.pw_uid)]
        start += [str(self.user.pw_gid), *words]
        began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            start, cwd=self.clone, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        return Ended(ended.returncode, time.monotonic() - began, cpu, ended.stdout)

    def size(self) -> float:
        """Return the size of the environment in GB."""
        files = (self.folder / "venv").rglob("*")
        return sum(path.lstat().st_blocks * 512 for path in files if not path.is_symlink()) / 1e9


def limits_of(folder: Path, quota: int, memory: int, disk: int) -> dict[Path, dict[str, str]]:
    """Return the control groups to make, with the files and values of their limits, for version 2 or 1.

    `quota` is in percent of a core, `memory` in bytes, `disk` in bytes a second, of the disk with `folder`.
    """
    device = f"{os.major(folder.stat().st_dev)}:{os.minor(folder.stat().st_dev) & ~15}"
    if (GROUPS / "cgroup.controllers").is_file():
        limits = {"cpu.max": f"{quota * 1000} 100000", "memory.max": str(memory), "memory.swap.max": "0"}
        return {GROUPS / folder.name: limits | {"io.max": f"{device} rbps={disk} wbps={disk}"}}
    slow = {f"blkio.throttle.{way}_bps_device": f"{device} {disk}" for way in ("read", "write")}
    of = {
        "cpu": {"cpu.cfs_quota_us": str(quota * 1000)},
        "memory": {"memory.limit_in_bytes": str(memory)},
        "blkio": slow,
    }
    return {GROUPS / kind / folder.name: limits for kind, limits in of.items()}


def steps(text: str, minutes: int) -> list[list[str]]:
    """Return the words of each command, and of each block of Python, in a page; training gets `minutes`."""
    found = []
    for language, block in FENCE.findall(text):
        if language == "python":
            found.append(["python", "-c", block])
        else:
            lines = [line.partition("  #")[0].strip() for line in block.splitlines()]
            lines = [f"{line} --minutes {minutes}" if line.startswith("sobremesa train ") else line for line in lines]
            found += [["bash", "-c", line] for line in lines if line and not line.startswith(LEFT_OUT)]
    return found


def fault(words: list[str], ended: Ended, trains: bool) -> str:
    """Return what is wrong with the end of a step; "" if it ended as it should. `trains`: training is installed."""
    told = ended.output.strip().splitlines()
    last = told[-1] if told else "no output"
    if trains or not (TRAINS.search(words[-1]) or NEEDS in words[-1]):
        return f"exit {ended.code}: {last:.200}" if ended.code else ""
    if not ended.code:
        return "it ends well without the extra that it needs"
    if words[0] == "bash" and "Traceback" in ended.output:
        return f"a traceback in place of an error: {last:.200}"
    return "" if words[0] == "python" or "train" in last or NEEDS in last else f"it names no extra: {last:.200}"


def follow(place: Place, page: Path, trains: bool, minutes: int) -> int:
    """Run each step of a page, print how it ended, and return the number of faults."""
    faults = 0
    for words in steps(page.read_text(encoding="utf-8"), minutes):
        ended = place.run(*words)
        wrong = fault(words, ended, trains)
        faults += bool(wrong)
        shown = words[-1].strip().splitlines()[0] if words[0] == "bash" else "a block of Python"
        print(f"{ended.seconds:7.0f} s, {ended.cpu:6.0f} s of CPU, exit {ended.code:3}: {shown:.90}", flush=True)
        if wrong:
            print(f"  FAULT: {wrong}\n{ended.output[-2000:]}", flush=True)
    return faults


def main() -> int:
    """Run both rounds; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--quota", type=int, default=10, help="of one core, in percent (default: %(default)s)")
    parser.add_argument("--memory", type=float, default=2, help="GB (default: %(default)s)")
    parser.add_argument("--disk", type=int, default=20, help="MB/s of reading and writing (default: %(default)s)")
    parser.add_argument("--minutes", type=int, default=60, help="of training, which takes hours (default: %(default)s)")
    parser.add_argument("--user", default="nobody", help="without rights (default: %(default)s)")
    parser.add_argument("--python", default="python3", help="of the environment (default: %(default)s)")
    asked = parser.parse_args()
    if os.geteuid() or not GROUPS.is_dir():
        sys.exit("run it as root on Linux: it makes control groups and becomes another user")
    folder, faults = Path(tempfile.mkdtemp(prefix="newcomer-", dir="/var/tmp")), 0
    place = Place(folder, asked.user, asked.quota, asked.memory, asked.disk)
    try:
        for extras in ("bots,render", "train,render"):
            install = f"python -m pip install --quiet --no-cache-dir -c constraints.txt '.[{extras}]'"
            if not (folder / "venv").exists():
                install = f"{asked.python} -m venv {folder}/venv && {install}"
            done = place.run("bash", "-c", install)
            print(f"{done.seconds:7.0f} s, exit {done.code}: {install}, {place.size():.2f} GB", flush=True)
            if done.code:
                sys.exit(f"the installation failed:\n{done.output[-2000:]}")
            faults += follow(place, ROOT / "README.md", "train" in extras, asked.minutes)
    finally:
        for group in place.groups:
            group.rmdir()
        shutil.rmtree(folder)
    print(f"faults: {faults}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
