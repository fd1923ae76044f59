"""Measure the first step of each game: `python tests/tools/first_step.py`, with the Python of any environment.

The output is a row of a table for each game, and one for the import: processor seconds in the first process, which
compiles the kernels into an empty folder, and the median of later processes, which load them; then the seconds by the
clock. The library is imported before the clock of a game starts. Files are in the memory of the system.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

LATER = 3  # processes
IMPORT = """import time
begun = time.process_time(), time.perf_counter()
import sobremesa
"""
STEP = """import sobremesa, time
begun = time.process_time(), time.perf_counter()
env = sobremesa.make({game!r})
env.reset(seed=1)
env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
"""
PRINT = "print(time.process_time() - begun[0], time.perf_counter() - begun[1])\n"
GAMES = "from sobremesa import envs; print(*envs.all_games())"


class Seconds(NamedTuple):
    """The processor time and the time by the clock of a process."""

    cpu: float
    clock: float


def printed(code: str, cache: Path) -> str:
    """Return what `code` prints in a new process that works in `cache` and keeps its kernels there."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = known | {"SOBREMESA_CACHE_DIR": str(cache), "SOBREMESA_QUIET": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=cache, capture_output=True, text=True, check=True
    ).stdout


def row(title: str, code: str, cache: Path) -> str:
    """Return the row of `code`: its first process, and the median of the later ones."""
    runs = [Seconds(*map(float, printed(code + PRINT, cache).split())) for _ in range(1 + LATER)]
    later = [median(one[place] for one in runs[1:]) for place in range(2)]
    return f"| {title} | {runs[0].cpu:.1f} | {later[0]:.1f} | {runs[0].clock:.1f} | {later[1]:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    given = parser.parse_args().games
    print("| | cpu: first | later | clock: first | later |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        print(row("import sobremesa", IMPORT, Path(folder)), flush=True)
        for game in given or printed(GAMES, Path(folder)).split():
            print(row(game, STEP.format(game=game), Path(folder)), flush=True)


if __name__ == "__main__":
    main()
