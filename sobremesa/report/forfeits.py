"""Deals forfeited by external agents and language models, with reasons."""

import itertools
from collections.abc import Iterable
from typing import Any

from sobremesa.agents.arena.results import Results
from sobremesa.agents.external.agent import is_timeout


def found(matches: Iterable[Results]) -> list[dict[str, Any]]:
    """Return the number of forfeited results by agent and kind of reason, with the first reason of each kind."""
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for agent, why in itertools.chain.from_iterable(match.lost() for match in matches):
        kind = why.partition(":")[0]
        one = kinds.setdefault(
            (agent, kind), {"agent": agent, "kind": kind, "rows": 0, "lost_to_time": 0, "first": why}
        )
        one["rows"] += 1
        one["lost_to_time"] += is_timeout(why)
    return sorted(kinds.values(), key=lambda one: -one["rows"])


def lines_of(forfeits: list[dict[str, Any]]) -> list[str]:
    """Return the lines to print for `forfeits`; an empty list if there are no forfeits."""
    if not forfeits:
        return []
    lines = ["", f"{sum(one['rows'] for one in forfeits):,} results were forfeited, by kind with the first reason:"]
    lines += [f"{one['rows']:6,}  {one['agent']}  {one['first']}" for one in forfeits]
    if late := sum(one["lost_to_time"] for one in forfeits):
        lines.append(f"{late:,} of them exceeded a time limit, so the results depend on the machine")
    return lines


def show(matches: Iterable[Results]) -> None:
    """Print the forfeits in `matches`."""
    for line in lines_of(found(matches)):
        print(line)
