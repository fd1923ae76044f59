"""Exact exploitability of agents in small games, next to the lower bounds that `exploit` finds.

The files are written by `sobremesa exploit AGENT --exact --by both --json FILE`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from sobremesa import envs
from sobremesa.agents.exact.tree import table_name
from sobremesa.agents.stored import LARGEST, structured
from sobremesa.envs.core.files import read_file, text_of
from sobremesa.training.benchmark.cells import CellError, without_places
from sobremesa.training.benchmark.published import FOLDER

HEAD = ("table", "agent", "exact", "by training", "of it", "by search", "of it")


class Bound(msgspec.Struct, frozen=True):
    """The payoff of a response that `exploit` found."""

    by: str  # "training", or the name of a search
    steps: int  # decisions of training
    deals: int
    payoff: float
    low: float
    high: float


class Exact(msgspec.Struct, frozen=True):
    """The exact exploitability of an agent, and the bounds that were found."""

    bot: str
    game: str  # with its version
    setup: dict[str, Any]
    exploitability: float
    bounds: list[Bound]
    made: dict[str, str]  # commit and command


def records(folder: Path = FOLDER / "exact") -> list[Exact]:
    """Return the records in the files of `folder`; raise CellError for an invalid file."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = msgspec.json.decode(text_of(read_file(path, LARGEST)))
        except OSError as error:
            raise CellError(f"{path}: cannot be read: {error.strerror}") from None
        except msgspec.DecodeError as error:
            raise CellError(f"{path}: no JSON: {error}") from None
        found.append(structured(content, Exact, path, CellError))
    return found


def table(found: Sequence[Exact]) -> list[list[str]]:
    """Return `found` as table rows with a head, the least exploitable first in each game."""
    rows = [list(HEAD)]
    for one in sorted(found, key=lambda one: (one.game, len(str(one.setup)), one.exploitability)):
        game = envs.load(one.game.rpartition("-v")[0])
        bounds = [*_bound_and_share(one, trained=True), *_bound_and_share(one, trained=False)]
        rows.append([table_name(game, one.setup), f"`{one.bot}`", f"{one.exploitability:z.3f}", *bounds])
    return rows


def _bound_and_share(one: Exact, trained: bool) -> tuple[str, str]:
    """Return the bound of training or search (`trained`), and its part of the exact figure."""
    for bound in one.bounds:
        if (bound.by == "training") == trained:
            found = f"{bound.payoff:+.3f} ({bound.low:+.3f} to {bound.high:+.3f})"
            return found, part(bound.payoff, one.exploitability) if one.exploitability > 0 else ""
    return "", ""


def part(payoff: float, exact: float) -> str:
    """Return the part of `payoff` in `exact`, which is above 0."""
    return f"{max(0.0, payoff) / exact:.0%}"


def made(found: Sequence[Exact]) -> list[str]:
    """Return the commands that made `found`, with their commits."""
    return [f"{without_places(one.made)['command']} (commit {one.made['commit']})" for one in found]
