"""Deals that foreign agents forfeited: how many, and why."""

import itertools
from collections.abc import Iterable
from typing import Any

from sobremesa.agents.arena.results import Results
from sobremesa.agents.external.agent import by_time


def found(matches: Iterable[Results]) -> list[dict[str, Any]]:
    """Return how many rows each agent forfeited for each kind of reason, with the first of these reasons."""
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for agent, why in itertools.chain.from_iterable(match.lost() for match in matches):
        kind = why.partition(":")[0]
        one = kinds.setdefault(
            (agent, kind), {"agent": agent, "kind": kind, "rows": 0, "lost_to_time": 0, "first": why}
        )
        one["rows"] += 1
        one["lost_to_time"] += by_time(why)
    return sorted(kinds.values(), key=lambda one: -one["rows"])


def lines_of(forfeits: list[dict[str, Any]]) -> list[str]:
    """Return what is printed of forfeits; nothing if there are none."""
    if not forfeits:
        return []
    lines = ["", f"{sum(one['rows'] for one in forfeits):,} results were forfeited, the first of each kind so:"]
    lines += [f"{one['rows']:6,}  {one['agent']}  {one['first']}" for one in forfeits]
    if late := sum(one["lost_to_time"] for one in forfeits):
        lines.append(f"{late:,} of them were lost to a time limit: these figures depend on the machine")
    return lines


def tell(matches: Iterable[Results]) -> None:
    """Print what was forfeited in `matches`; nothing if nothing was."""
    for line in lines_of(found(matches)):
        print(line)
