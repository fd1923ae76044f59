"""The arena: agents meet over the same deals in all cyclic seatings; ratings are functions of the rows it returns.

Letters: `R` rows (deals times seatings), `S` seats.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.chance import derive
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.match import Match
from sobremesa.envs.core.vector import check_seed

TABLES = 4096  # at once
RESAMPLES = 2000  # of the bootstrap
CONFIDENCE = 0.95
ROUNDING = 1e-6  # shares are sums of thirds and fifths


class Rows(NamedTuple):
    """What happened: one row for each deal and seating."""

    agents: tuple[str, ...]  # names
    seeds: np.ndarray  # (R,) int64, of the deals; a deal's seatings follow each other
    seating: np.ndarray  # (R, S) int64, which agent sat where
    payoffs: np.ndarray  # (R, S) float32, by seat
    plies: np.ndarray  # (R,) int32, decisions in the deal


class Score(NamedTuple):
    """How a candidate does at tables of `seats` against copies of one reference."""

    candidate: str
    reference: str
    seats: int
    deals: int
    share: float  # mean share of the win: 1 for a sole win, 1/k for a win shared by k, 0 for a loss
    low: float  # ends of the bootstrapped interval over deals
    high: float
    by_seat: tuple[float, ...]  # the candidate's share at each seat
    variance_ratio: float  # variance of a deal's mean over its seatings, to that of as many separate deals; < 1 saves
    plies: float  # mean length of a deal

    @property
    def fair(self) -> float:
        """The share of an agent as good as the reference."""
        return 1 / self.seats

    @property
    def beats(self) -> bool:
        """Whether the interval lies above the fair share."""
        return self.low > self.fair + ROUNDING


def play(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    *,
    seed: int = 0,
    seated: Sequence[int] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Rows:
    """Play `deals` deals, each in all cyclic seatings.

    Args:
        game: the game.
        agents: who takes part.
        deals: how many deals; there are `seats` rows for each.
        seed: a whole number; the same one gives the same rows.
        seated: for each seat who sits there at first, as places in `agents`; None seats all of them in order.
        progress: called with (rows done, rows in all) now and then.
        setup: the game's setup fields, one value each; `seats` defaults to the number seated.

    Raises:
        ValueError: `seated` does not fill the table or names nobody, an agent is none, or a setup field does not fit.
    """
    seated = list(range(len(agents)) if seated is None else seated)
    setup.setdefault("seats", len(seated))
    if setup["seats"] != len(seated):
        raise ValueError(f"{game.name}: {len(seated)} agents are seated at a table of {setup['seats']}")
    if not all(isinstance(agent, Agent) for agent in agents):
        raise ValueError(f"agents={agents!r} is not allowed; it takes agents, as agents.load makes them")
    if not all(place in range(len(agents)) for place in seated):
        raise ValueError(f"seated={seated!r} is not allowed; it takes places in agents, 0 to {len(agents) - 1}")
    if not isinstance(deals, (int, np.integer)) or deals < 1:
        raise ValueError(f"deals={deals!r} is not allowed; it takes a whole number from 1")
    seats, check = len(seated), check_seed(seed)
    seeds = np.repeat([derive(check, 0, deal) for deal in range(deals)], seats)
    cycle = np.array([np.roll(seated, turn) for turn in range(seats)])
    seating = np.tile(cycle, (deals, 1))
    ends, payoffs = play_out(game, agents, seeds, seating, setup, progress)
    return Rows(tuple(agent.name for agent in agents), seeds, seating, payoffs, ends["ply"].copy())


def play_out(
    game: Game,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    seating: np.ndarray,
    setup: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Play the deals of `seeds` `(R,)`, each seated as its row of `seating` `(R, S)` says.

    Returns the states in which they ended, `(R,)`, and what these pay, `(R, S)` float32.
    """
    total, seats = seating.shape
    ends, payoffs = np.zeros(total, game.state), np.zeros((total, seats), np.float32)
    tables = min(TABLES, total)
    match = Match(game, agents, game.new_tables(tables, setup))
    for low in range(0, total, tables):
        high = min(low + tables, total)
        rows = np.arange(high - low)
        match.seating[: high - low, :seats] = seating[low:high]
        match.states["over"] = 1
        match.deal(rows, seeds[low:high])
        match.settle()
        ends[low:high] = match.states[: high - low]
        payoffs[low:high] = match.payoffs[: high - low, :seats]
        if progress is not None:
            progress(high, total)
    return ends, payoffs


def compare(
    game: Game,
    candidate: Agent,
    reference: Agent,
    deals: int,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Score:
    """Play one `candidate` against copies of `reference` at every other seat, and score it; see `play` and `score`.

    Raises ValueError for a cooperative game: there is no win of which seats have shares.
    """
    if game.cooperative:
        raise ValueError(f"{game.name}: compare measures shares of a win, and this game is cooperative; use play")
    seats = setup.get("seats", game.default_seats)
    game.options[0].encode(seats)  # before it is used as a number
    rows = play(
        game, [candidate, reference], deals, seed=seed, seated=[0] + [1] * (seats - 1), progress=progress, **setup
    )
    return score(rows)


def score(rows: Rows, candidate: int = 0, seed: int = 0) -> Score:
    """Score agent number `candidate` of `rows`: its mean share of the win over deals, with a bootstrapped interval.

    The game is competitive: a payoff p at a table of n is a share ((n - 1) p + 1) / n of the win, since k winners get
    (n - k) / (k (n - 1)) each and the others -1 / (n - 1). Seats count alike, so roles that differ are averaged.
    """
    seats = rows.seating.shape[1]
    mine = rows.seating == candidate
    shares = ((seats - 1) * rows.payoffs.astype(float) + 1) / seats
    mine_only = (shares * mine).sum(1) / mine.sum(1)  # (R,)
    by_deal = mine_only.reshape(-1, seats).mean(1)  # (deals,)
    low, high = bootstrap(by_deal, seed)
    alone = mine_only.var() / seats
    others = [name for place, name in enumerate(rows.agents) if place != candidate]
    return Score(
        candidate=rows.agents[candidate],
        reference=" + ".join(others),
        seats=seats,
        deals=len(by_deal),
        share=float(by_deal.mean()),
        low=low,
        high=high,
        by_seat=tuple(float(shares[mine[:, seat], seat].mean()) for seat in range(seats)),
        variance_ratio=float(by_deal.var() / alone) if alone > 0 else 1.0,
        plies=float(rows.plies.mean()),
    )


def bootstrap(values: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean of `values` `(n,)`, from 2,000 resamples drawn with `seed`."""
    rng = np.random.default_rng(seed)
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)])
    tail = (1 - CONFIDENCE) / 2
    return float(np.quantile(means, tail)), float(np.quantile(means, 1 - tail))
