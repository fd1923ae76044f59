"""Table of `sobremesa stats`."""

from collections.abc import Sequence

from sobremesa.agents.arena.statistics import Spread, Statistics
from sobremesa.report.ladder_words import interval


def rows_of(found: Sequence[Statistics], roles: Sequence[str] | None = None) -> list[list[str]]:
    """Return the figures as rows, one column for each number of seats; `roles` are names of the seats."""
    rows = [["seats", *(str(one.seats) for one in found)]]
    for name in dict.fromkeys(name for one in found for name in one.spreads):
        rows.append([f"{name} (5 % to 95 %)", *(spread(one.spreads[name]) for one in found)])
    for figure in dict.fromkeys(name for one in found for name in one.counts):
        for value in dict.fromkeys(value for one in found for value in one.counts[figure]):
            rows.append([f"{figure}: {value}", *(f"{one.counts[figure].get(value, 0):.1%}" for one in found)])
    for place, name in enumerate(win_names(max(one.seats for one in found), roles)):
        rows.append([f"wins, {name}", *(_win(one, place) for one in found)])
    return rows


def win_names(seats: int, roles: Sequence[str] | None) -> list[str]:
    """Return the names of the seats: roles, or the order of play."""
    return list(roles) if roles else [f"seat {place + 1} in order of play" for place in range(seats)]


def spread(one: Spread) -> str:
    """Return a spread in words."""
    return f"{one.mean:.1f} ({one.low:.0f} to {one.high:.0f})"


def _win(one: Statistics, place: int) -> str:
    if place >= one.seats:
        return ""
    rate = one.wins[place]
    return f"{rate.mean:z.3f} ({interval(rate.low, rate.high, '.3f', 'en')})"
