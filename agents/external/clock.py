"""Time limits of external agents, in the time that an agent itself uses.

An agent that computes is charged its processor time, and an agent that sleeps the time by the clock. Time in which it
waits for a processor or a disk is not its own: on a busy machine it could not answer sooner.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from sobremesa.agents.external.keeper import descendants

PATIENCE = 20.0  # most time by the clock, in times of the limit: an agent can look as if it waited
TICK = 0.25  # seconds of one wait at most; a process of ours that is suspended meanwhile loses so many at most
SHORTEST = 0.02  # seconds of one wait at least
LOOKS = 16  # into /proc, in the time of a limit
_WAITING = (b"R", b"D")  # states in /proc of a process that waits for a processor, or runs, or waits for a disk


class Limit:
    """A time limit of `seconds` for the process `pid` and its descendants; some are `left`.

    Without /proc all time by the clock is charged.
    """

    def __init__(self, seconds: float, pid: int) -> None:
        self.seconds = self.left = seconds
        self._patience = PATIENCE * seconds
        self._pid, self._apart = pid, max(TICK, seconds / LOOKS)
        self._passed = 0.0  # since the last look into /proc
        self._used: float | None = None  # processor time at that look

    def wait(self, listen: Callable[[float], object]) -> None:
        """Call `listen(seconds)`, which waits for so long at most, and charge the time that it takes."""
        began = monotonic()
        listen(moment := max(SHORTEST, min(self.left - self._passed, TICK)))
        passed = min(monotonic() - began, moment)
        self._passed += passed
        self._patience -= passed
        if self._passed >= min(self.left, self._apart):
            before, passed, self._passed = self._used, self._passed, 0.0
            waits, self._used = _state(self._pid)
            own = passed if before is None or not waits else min(passed, self._used - before)
            self.left = min(self.left - own, self._patience)


def _state(pid: int) -> tuple[bool, float]:
    """Return whether a thread of the tree of `pid` waits or runs, and the processor time of the tree in seconds."""
    waits, ticks = False, 0
    for one in (pid, *descendants(pid)):
        with contextlib.suppress(OSError, ValueError, IndexError):
            place = Path("/proc", str(one))
            ticks += sum(map(int, _stat(place)[11:15]))  # also of its children that ended, in user and system mode
            waits = waits or any(_stat(thread)[0] in _WAITING for thread in (place / "task").iterdir())
    return waits, ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def _stat(place: Path) -> list[bytes]:
    """Return the fields of a process or a thread in /proc from its state on."""
    return (place / "stat").read_bytes().rpartition(b")")[2].split()
