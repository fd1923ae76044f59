"""Games whose seats have roles: what rows say of an agent in each role.

A role is a seat (`Game.roles`). Who plays one role well may play another badly, so that agents are rated by role, and
compared in the same role against the same opponents on the same deals.

Letters: `R` rows, `S` seats.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.choices import matches_of
from sobremesa.agents.arena.play import bootstrap
from sobremesa.agents.arena.results import ROUNDING, Results


class RoleLead(NamedTuple):
    """By how much a candidate does better than a reference in one role, against the same opponents."""

    role: str
    candidate: str
    reference: str
    opponents: tuple[str, ...]  # at the other seats, in order
    deals: int
    lead: float  # mean difference of their payoffs
    low: float  # ends of the bootstrapped 95 % interval over deals
    high: float

    @property
    def beats(self) -> bool:
        """Whether the interval lies above zero."""
        return self.low > ROUNDING


def role_name(agent: str, role: str) -> str:
    """Return what an agent is called in a role."""
    return f"{agent} ({role})"


def by_role(rows: Results, roles: Sequence[str]) -> Results:
    """Return `rows` with agents told apart by the role that they play, "simple (Fox)": one fit rates all roles.

    `roles` are the names by seat. Raises ValueError where their number is not that of the seats.
    """
    seats = rows.seating.shape[1]
    if len(roles) != seats:
        raise ValueError(f"roles {', '.join(roles)} are not allowed at a table of {seats}; it takes one for each seat")
    held, seating = np.unique(rows.seating * seats + np.arange(seats), return_inverse=True)
    names = [role_name(rows.agents[place // seats], roles[place % seats]) for place in held]
    return rows._replace(agents=tuple(names), seating=seating.reshape(rows.seating.shape))


def role_leads(
    rows: Results | Iterable[Results], candidate: str, reference: str, roles: Sequence[str], seed: int = 0
) -> tuple[RoleLead, ...]:
    """Compare two agents in every role, against all opponents that both met there, on the deals that both played.

    `roles` are the names by seat; `seed` is of the bootstrap. Raises ValueError where they have no deal in common.
    """
    paid: dict[tuple[str, int, tuple[str, ...]], dict[int, float]] = {}
    for match in matches_of(rows):
        if match.seating.shape[1] != len(roles):
            raise ValueError(f"roles {', '.join(roles)} are not those of a table of {match.seating.shape[1]}")
        for deal, seating, payoffs in zip(match.seeds.tolist(), match.seating, match.payoffs.tolist(), strict=True):
            names = [match.agents[place] for place in seating]
            for seat, name in enumerate(names):
                others = (*names[:seat], *names[seat + 1 :])
                paid.setdefault((name, seat, others), {})[deal] = payoffs[seat]  # a deal played again is the same
    found = []
    for (name, seat, others), mine in paid.items():
        theirs = paid.get((reference, seat, others), {})
        common = sorted(mine.keys() & theirs.keys())
        if name == candidate and common:
            values = np.array([mine[deal] - theirs[deal] for deal in common])
            lead = float(values.mean())
            ends = bootstrap(values, seed)
            found.append(RoleLead(roles[seat], candidate, reference, others, len(common), lead, *ends))
    if not found:
        raise ValueError(f"{candidate} and {reference} played no role against the same opponents on the same deals")
    return tuple(sorted(found, key=lambda one: (roles.index(one.role), one.opponents)))
