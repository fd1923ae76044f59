"""How near what `exploit` looks for comes to what it is: agents at tables that are small enough to be solved.

A file is what `sobremesa exploit AGENT --exact --by both --json FILE` writes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from sobremesa import envs
from sobremesa.agents.exact.tree import table_name
from sobremesa.agents.stored import LARGEST, structured
from sobremesa.envs.core.files import read_file
from sobremesa.training.benchmark.cells import CellError, told
from sobremesa.training.benchmark.published import FOLDER

HEAD = ("table", "agent", "exact", "by training", "of it", "by search", "of it")


class Bound(msgspec.Struct, frozen=True):
    """What a response that was looked for wins."""

    by: str  # "training", or the name of a search
    steps: int  # that it was trained on
    deals: int
    payoff: float
    low: float
    high: float


class Exact(msgspec.Struct, frozen=True):
    """What a best response to an agent wins, and what was found of that."""

    bot: str
    game: str  # with its version
    setup: dict[str, Any]
    exploitability: float
    bounds: list[Bound]
    made: dict[str, str]  # commit and command


def records(folder: Path = FOLDER / "exact") -> list[Exact]:
    """Return what the files of `folder` hold; raise CellError for one that holds something else."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = msgspec.json.decode(read_file(path, LARGEST))
        except OSError as error:
            raise CellError(f"{path}: cannot be read: {error.strerror}") from None
        except msgspec.DecodeError as error:
            raise CellError(f"{path}: no JSON: {error}") from None
        found.append(structured(content, Exact, path, CellError))
    return found


def table(found: Sequence[Exact]) -> list[list[str]]:
    """Return `found` as rows of words under a head, by table, the least exploitable first."""
    rows = [list(HEAD)]
    for one in sorted(found, key=lambda one: (one.game, len(str(one.setup)), one.exploitability)):
        game = envs.load(one.game.rpartition("-v")[0])
        bounds = [*_told(one, trained=True), *_told(one, trained=False)]
        rows.append([table_name(game, one.setup), f"`{one.bot}`", f"{one.exploitability:z.3f}", *bounds])
    return rows


def _told(one: Exact, trained: bool) -> tuple[str, str]:
    """Return the bound that was `trained`, or else that of a search, and which part of the exact figure it is."""
    for bound in one.bounds:
        if (bound.by == "training") == trained:
            found = f"{bound.payoff:+.3f} ({bound.low:+.3f} to {bound.high:+.3f})"
            return found, part(bound.payoff, one.exploitability) if one.exploitability > 0 else ""
    return "", ""


def part(payoff: float, exact: float) -> str:
    """Return which part `payoff` is of `exact`, which is above 0: at an equilibrium there is nothing to find."""
    return f"{max(0.0, payoff) / exact:.0%}"


def made(found: Sequence[Exact]) -> list[str]:
    """Return the commands that made `found`, with their commits."""
    return [f"{told(one.made)['command']} (commit {one.made['commit']})" for one in found]
