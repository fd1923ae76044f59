"""Play: agents meet over the same deals in all cyclic seatings.

Letters: `R` rows (deals times seatings), `S` seats.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sobremesa.agents.arena.apart import Deals, Keep, play_apart
from sobremesa.agents.arena.results import Played, Results
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.language.model import LanguageModel
from sobremesa.envs.core.agent import Agent, DealAgent, LimitedAgent
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import AGENT, DEAL, check_secret, new_secret, seed_of, seeds_of

TABLES = 4096  # at once

Progress = Callable[[int, int], None]  # (rows done, rows in all)


def play(
    game: Game,
    agents: Sequence[Agent],
    deals: int | range,
    *,
    seed: int = 0,
    secret: str | None = None,
    seated: Sequence[int] | None = None,
    progress: Progress | None = None,
    **setup: Any,
) -> Results:
    """Play `deals` deals, each in all cyclic seatings; a `Fault` of an agent forfeits the deal.

    Args:
        game: the game.
        agents: the agents.
        deals: number of deals, or the numbers of some; there are `seats` rows for each.
        seed: a whole number; the same seed gives the same results.
        secret: the second source of deals (`secret_for`), stored in the results.
        seated: the first seating, as indices into `agents`; None seats all of them in order.
        progress: called with (rows done, rows in all) now and then.
        setup: the game's setup fields, one value each; `seats` defaults to the number seated.

    Raises:
        ValueError: `seated` does not fill the table or has an index out of range, an agent is none, or a setup field
            does not fit.
        EndpointFailed: the endpoint of a language model failed in each play of a deal.
    """
    seated = list(range(len(agents)) if seated is None else seated)
    setup.setdefault("seats", len(seated))
    if setup["seats"] != len(seated):
        raise ValueError(f"{game.name}: {len(seated)} agents are seated at a table of {setup['seats']}")
    check_agents(agents)
    if not all(index in range(len(agents)) for index in seated):
        raise ValueError(f"seated={seated!r} is not allowed; it takes indices into agents, 0 to {len(agents) - 1}")
    seatings = [np.roll(seated, turn) for turn in range(len(seated))]
    return play_seated(game, agents, deals, seatings, seed, secret, setup, progress)


def check_agents(agents: Sequence[object]) -> None:
    """Raise ValueError if one of `agents` is none."""
    if not all(isinstance(agent, Agent) for agent in agents):
        raise ValueError(f"agents={agents!r} is not allowed; it takes agents, as agents.load makes them")


def play_seated(
    game: Game,
    agents: Sequence[Agent],
    deals: int | range,
    seatings: Sequence[Any],
    seed: int,
    secret: str | None,
    setup: Mapping[str, Any],
    progress: Progress | None,
) -> Results:
    """Play `deals` deals, each in all `seatings` `(n, S)`; the other arguments are those of `play`."""
    secret = secret_for(agents, secret)
    seeds = np.repeat(deal_seeds(deals, seed, secret), len(seatings))
    numbers = deals if isinstance(deals, range) else range(deals)
    keys = agent_keys(seed, numbers, secret, len(seatings))
    seating = np.tile(seatings, (len(numbers), 1))
    played = play_out(game, agents, seeds, seating, setup, progress, keys=keys)
    return played.results(game, agents, seeds, seating)._replace(secret=secret)


def secret_for(agents: Sequence[Agent], secret: str | None) -> str:
    """Return the secret of deals between `agents`; "" for none.

    None draws one if an external agent or a language model takes part: its program or endpoint could find the deals of
    a small seed by trying. Raises ValueError for a malformed secret.
    """
    if secret is not None:
        return check_secret(secret)
    return new_secret() if any(isinstance(agent, ExternalAgent | LanguageModel) for agent in agents) else ""


def fresh_seed(agents: Sequence[Agent], seed: int) -> int:
    """Return `seed`, or where `secret_for` draws a secret, a seed drawn from it and a new secret."""
    secret = secret_for(agents, None)
    return seed_of(DEAL, check_seed(seed), secret=secret) if secret else seed


def deal_seeds(deals: int | range, seed: int, secret: str = "") -> np.ndarray:
    """Return the seeds `(deals,)` of the deals of `play` for `seed` and `secret`."""
    if isinstance(deals, range):
        return seeds_of(DEAL, check_seed(seed), deals, secret)
    if not isinstance(deals, (int, np.integer)) or deals < 1:
        raise ValueError(f"deals={deals!r} is not allowed; it takes a whole number from 1")
    return seeds_of(DEAL, check_seed(seed), range(deals), secret)


def agent_keys(seed: int, deals: Iterable[int], secret: str, times: int) -> np.ndarray | None:
    """Return the keys of the agents' seeds in each of `deals`, repeated `times`; None to use the seeds of the deals.

    With a secret, keys are independent of the deals: an agent's seed reveals no information about the deal.
    """
    return np.repeat(seeds_of(AGENT, seed, deals, secret), times) if secret else None


def play_out(
    game: Game,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    seating: np.ndarray,
    setup: Mapping[str, Any],
    progress: Progress | None = None,
    threads: int | None = None,
    keys: np.ndarray | None = None,
    keep: Keep | None = None,
) -> Played:
    """Play the deals of `seeds` `(R,)`, each seated by its row of `seating` `(R, S)`.

    Deals of external agents and language models are played apart (`apart.play_apart`), and `keep` is called after each.
    `threads` is the most threads to use; None chooses. The agents' seeds come from `keys` `(R,)`; None takes the seeds
    of the deals.
    """
    keys = seeds if keys is None else keys
    total, seats = seating.shape
    played = Played.empty(game, seating.shape)
    if any(isinstance(agent, ExternalAgent | LanguageModel) for agent in agents):
        return play_apart(game, agents, Deals(seeds, keys, seating), setup, played, progress, keep)
    tables = min(total, TABLES, *(agent.tables // seats for agent in agents if isinstance(agent, LimitedAgent)))
    match, done = Match(game, agents, game.new_tables(tables, setup), threads), 0
    for rows in _batches(keys, tables, apart=any(isinstance(agent, DealAgent) for agent in agents)):
        many = len(rows)
        match.seating[:many, :seats] = seating[rows]
        match.states["over"] = 1
        match.deal(np.arange(many), seeds[rows], keys[rows])
        match.advance()
        played.ends[rows] = match.states[:many]
        played.payoffs[rows] = match.payoffs[:many, :seats]
        played.seconds[rows] = match.seconds[:many, :seats]
        done += many
        if progress is not None:
            progress(done, total)
    return played


def _batches(keys: np.ndarray, most: int, apart: bool) -> Iterator[np.ndarray]:
    """Yield the rows of `keys` `(R,)` in batches of `most`; if `apart`, no batch has a key twice.

    An agent that stores information about a deal knows it by its stream, which is the same in all seatings of a deal.
    """
    before: Counter[int] = Counter()
    rounds = np.zeros(len(keys), np.int64)
    for row, key in enumerate(keys.tolist() if apart else ()):
        rounds[row] = before[key]
        before[key] += 1
    for number in range(int(rounds.max(initial=0)) + 1):
        rows = np.flatnonzero(rounds == number)
        for low in range(0, len(rows), most):
            yield rows[low : low + most]
