"""Registers and memory of the code for GPUs, without a GPU: `python -m tests.gpu.registers` writes the golden table.

The code of `step`, `reset`, `sample` and `show` of each game is assembled by `ptxas` for three kinds of cards. A thread
with more registers or local memory leaves fewer threads for a multiprocessor, so a change of the rules that costs speed
on a card shows here. Figures follow from the versions of llvmlite and ptxas, which constraints.txt fixes.
"""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sobremesa import envs
from sobremesa.envs.core.compile import retarget
from sobremesa.envs.core.device.entries import vector_entries
from sobremesa.progress import progress

CHIPS = ("sm_80", "sm_90", "sm_120")  # A100, H100 and H200, GeForce 50
GOLDEN = Path(__file__).parents[1] / "golden" / "gpu_registers.md"
PACKAGE = "nvidia-cuda-nvcc-cu12"
_TITLE = "# Registers and memory of the code for GPUs\n\n"
_HEAD = ("game", "chip", "entry", "registers", "bytes of local memory", "bytes spilled")
_ENTRY = re.compile(r"Compiling entry function '(\w+)' for '\w+'\n(.*?)(?=ptxas info    : Compiling|\Z)", re.DOTALL)


class Row(NamedTuple):
    """The needs of a thread of one entry."""

    game: str
    chip: str
    entry: str
    registers: int
    local: int  # bytes, of all calls together
    spilled: int  # bytes that are stored for lack of registers


def assembler() -> Path | None:
    """Return the file of `ptxas` in the package of the extra `ptxas`, or None without it."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.name == "ptxas"), None)


@cache
def linked(game: str) -> str:
    """Return the code of `game` for any GPU."""
    return str(retarget.link(vector_entries(envs.load(game))))


def ptx_of(game: str, chip: str) -> str:
    """Return the PTX of `game` for `chip`, such as "sm_90"."""
    return str(retarget.ptx(retarget.optimized(linked(game), chip), chip))


def rows_of(game: str, chip: str) -> list[Row]:
    """Return a row for each entry of `game`, by name; it takes tens of CPU seconds."""
    found = assembled(ptx_of(game, chip), chip)
    return [Row(game, chip, entry, *found[entry]) for entry in sorted(found)]


def assembled(ptx: str, chip: str) -> dict[str, tuple[int, int, int]]:
    """Return registers, bytes of local memory and spilled bytes of each entry; raise RuntimeError without `ptxas`."""
    if (found := assembler()) is None:
        raise RuntimeError("there is no ptxas; pip install -c constraints.txt -e '.[ptxas]'")
    with TemporaryDirectory() as folder:
        source = Path(folder) / "it.ptx"
        source.write_text(ptx, encoding="utf-8")
        command = [found, f"-arch={chip}", "-v", source, "-o", source.with_suffix(".cubin")]
        printed = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr
    return {entry: _needs(lines) for entry, lines in _ENTRY.findall(printed)}


def _needs(lines: str) -> tuple[int, int, int]:
    """Return registers, bytes of local memory and spilled bytes from the lines of one entry."""
    registers, local, spilled = (
        [int(number) for number in re.findall(pattern, lines)]
        for pattern in (r"Used (\d+) registers", r"(\d+) bytes cumulative stack", r"(\d+) bytes spill stores")
    )
    return registers[0], sum(local), sum(spilled)


def read() -> Iterator[Row]:
    """Yield the rows of the golden table."""
    for line in GOLDEN.read_text(encoding="utf-8").splitlines()[4:]:
        game, chip, entry, *numbers = (cell.strip() for cell in line.strip("|").split("|"))
        yield Row(game, chip, entry, *map(int, numbers))


def main() -> None:
    """Write the golden table, and print the rows that have changed."""
    pairs = [(game, chip) for game in envs.games() for chip in CHIPS]
    rows: list[Row] = []
    with progress("registers") as update:
        for number, (game, chip) in enumerate(pairs):
            update(number, len(pairs), f"{game}, {chip}")
            rows += rows_of(game, chip)
    before = set(read()) if GOLDEN.exists() else set()
    lines = [_HEAD, ("---",) * len(_HEAD), *rows]
    table = "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
    GOLDEN.write_text(_TITLE + table, encoding="utf-8")
    print("\n".join(" ".join(map(str, row)) for row in rows if row not in before) or "nothing changed")


if __name__ == "__main__":
    main()
