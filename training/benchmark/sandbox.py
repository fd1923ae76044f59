"""Run a cell that names a program of another person in a process with limits (confine.py).

The process plays the deals too, so a hostile program can report any result. The limits protect this machine, not the
result.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from sobremesa.agents.external import keeper
from sobremesa.agents.external.conversation import Launch
from sobremesa.agents.stored import LARGEST, LONGEST_PROBLEM
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.training.benchmark import cells, confine
from sobremesa.training.benchmark.cells import Cell, CellError, Record

ASKED, REBUILT, CELL = "asked.json", "rebuilt.json", "cell"
_END = 10.0  # seconds for the keeper to end all processes
_TAIL = 4_000  # bytes of output that are searched for the reason of an end


class _Asked(msgspec.Struct, frozen=True):
    cell: Cell
    made: dict[str, str]


class Ran(NamedTuple):
    """A cell that has run in the sandbox."""

    record: Record
    rebuilt: tuple[str, ...]  # as `cells.rebuilt` returns it
    limits: tuple[str, ...]  # of confine.py that applied, in addition to those on memory, CPU time and files


class Ended(NamedTuple):
    """The end of a process in the sandbox."""

    how: str  # signal or exit status, and the last line of output
    limits: tuple[str, ...]  # as in `Ran`


def run(folder: Path, cell: Cell, made: dict[str, str]) -> Ran:
    """Run `cell` in a process with limits, whose files are in the empty `folder`.

    All processes of the program end with this call. Raises CellError if the process ends without a result.
    """
    write_whole(folder / ASKED, msgspec.json.encode(_Asked(cell, made)))
    ended = confined(folder, __name__, str(folder.resolve()))
    try:
        rebuilt = msgspec.json.decode(read_inside(folder, REBUILT, LARGEST), type=tuple[str, ...])
        record = cells.read(folder / CELL)
    except (OSError, ValueError):
        raise CellError(f"{cell.name}: ended in the sandbox by {ended.how}") from None
    if record.cell != cell or record.status == "running":
        raise CellError(f"{cell.name}: the sandbox left no finished record of this cell")
    return Ran(record, tuple(one_line(line, LONGEST_PROBLEM) for line in rebuilt), ended.limits)


def confined(folder: Path, module: str, *words: str) -> Ended:
    """Run a module of Python with `words` as its arguments; it writes in `folder` only. All its processes end."""
    place = str(folder.resolve())
    launch = Launch("command", (sys.executable, "-P", str(Path(confine.__file__)), place, module, *words))
    process, lifeline = launch.start("")
    try:
        process.wait()
    finally:
        os.close(lifeline)
        _end(process)
    how = f"signal {-process.returncode}" if process.returncode < 0 else f"exit status {process.returncode}"
    try:
        held = msgspec.json.decode(read_inside(folder, confine.LIMITS, LARGEST), type=tuple[str, ...])
    except (OSError, ValueError):
        held = ()
    line = _last_line(folder)
    return Ended(f"{how}: {line}" if line else how, tuple(n for n in (confine.NETWORK, confine.WRITING) if n in held))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Wait for the keeper, which the program may have stopped, and close its pipes."""
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        keeper.send(keeper.descendants(process.pid) | {process.pid}, 9)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def _last_line(folder: Path) -> str:
    """Return the last line that the process wrote."""
    try:
        content = read_inside(folder, confine.OUTPUT, confine.FILE)[-_TAIL:]
    except OSError:
        return ""
    lines = content.decode(errors="replace").strip().splitlines()
    return one_line(lines[-1], LONGEST_PROBLEM) if lines else ""


def _main(folder: Path) -> None:
    """Run the cell that `folder` asks for, in the process with limits."""
    asked = msgspec.json.decode(read_inside(folder, ASKED, LARGEST), type=_Asked)
    cells.run(folder / CELL, asked.cell, asked.made, allow_commands=True)
    write_whole(folder / REBUILT, msgspec.json.encode(cells.rebuilt(asked.cell)))


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
