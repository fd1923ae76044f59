"""Figures about deals between given agents, for the design of games.

- Branching: the number of legal actions at a decision.
- Decision entropy, in bits: the uncertainty of an agent's choice. For an agent with `chances`, such as a bot, it is
  the entropy of its policy. Any other agent chooses `ANSWERS` times, each time with fresh chance and another
  determinization; the entropy of these answers has the correction of Miller and Madow (Miller 1955). 0 means that the
  agent always does the same, not that there is one legal action.
- Lead: the same agents play the deal to its end `ROLLOUTS` times. Each rollout resamples the order of cards that no
  player has seen, and the agents' chance; the other cards stay as they are. The chance of a seat is its win rate there.
  A seat leads if its chance exceeds all others by more than two standard errors; otherwise the previous
  leader keeps the claim. A deal is decided from the look on at which a later winner leads for good. In a cooperative
  game the team plays against the table. If every look has only one future, there is no lead.

Each deal is looked at `LOOKS` times, at even parts of its plies, beginning with the first. Each deal is played once, so
the figures also apply for agents that do not draw from their seeds.

Letters: `D` deals, `F` deals with looks, `L` looks, `S` seats, `A` actions.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.play import TABLES, deal_seeds, fresh_seed
from sobremesa.agents.arena.score import Estimate, estimate, nature
from sobremesa.agents.arena.statistics import Lead, Spread, Statistics, lead_of, spread, summarise
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.envs.core.agent import Agent, StochasticAgent, check_without_history, memory_size
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seed_of, seeds_of
from sobremesa.envs.core.table import reshuffled

LOOKS, ROLLOUTS, ANSWERS = 16, 32, 32
FOLLOWED = 200  # deals
PARTS = 10  # parts of a deal, for figures along its way
MANY_ASKED = 100_000  # moves of external agents, above which `analyse` warns

CHOICES, FUTURES = "choice", "future"  # labels of seeds, next to deals

Progress = Callable[[int, int, str], None]  # (done, in all, what is going on)


class Branching(NamedTuple):
    """How many actions there are to choose from."""

    actions: Spread  #: over decisions
    parts: tuple[float, ...]  #: mean in each tenth of the deal's plies


class Entropy(NamedTuple):
    """How far decisions are from resolved, in bits."""

    bits: Estimate  #: mean over looks, with its interval over deals
    most: float  #: entropy of a uniform choice among legal actions
    looks: tuple[float, ...]  #: mean at each look


class Analysis(NamedTuple):
    """All figures about deals between agents."""

    agents: tuple[str, ...]  #: by seat, in the first deal (see `analyse`)
    followed: int  #: deals looked at for entropy and lead
    looks: int  #: looks at each followed deal
    rollouts: int  #: rollouts from each look
    answers: int  #: choices for the entropy of an agent without `chances`
    statistics: Statistics
    lengths: tuple[tuple[int, int], ...]  #: (plies, deals), a histogram: `plies` is the least of its column
    branching: Branching
    entropy: Entropy
    settled: float  #: share of looks with one result in all rollouts: chances of 0 or 1, or all share the win
    single: float  #: share of looks with one future: all of their rollouts end alike
    lead: Lead | None  #: None if all looks have one future
    won: tuple[tuple[str, Estimate], ...]  #: each agent's part of the win in a seat; empty for one agent or a team


class _Looks(NamedTuple):
    states: np.ndarray  # (F, L)
    memory: np.ndarray  # (F, L, S, M) memories of recurrent agents
    seating: np.ndarray  # (F, S)
    left: np.ndarray  # (F, L) plies from there to the end


class _Futures(NamedTuple):
    """The results of the rollouts from each look."""

    chances: np.ndarray  # (F, L, S) of winning, of each side
    errors: np.ndarray  # (F, L) standard error of the difference between the two best
    settled: np.ndarray  # (F, L) bool, whether all rollouts had one result
    single: np.ndarray  # (F, L) bool, whether all rollouts ended alike


class _Deals(NamedTuple):
    ends: np.ndarray  # (D,) states in which they ended
    payoffs: np.ndarray  # (D, S)
    branching: Branching
    seen: _Looks


def analyse(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    *,
    seed: int = 0,
    followed: int = FOLLOWED,
    looks: int = LOOKS,
    rollouts: int = ROLLOUTS,
    answers: int = ANSWERS,
    progress: Progress | None = None,
    **setup: Any,
) -> Analysis:
    """Play `deals` deals between `agents`, one per seat, and summarise them.

    Agents move on by one seat from deal to deal, so that seats weigh alike; where seats have roles, agents keep theirs.

    Args:
        game: the game.
        agents: the agents by seat; one agent alone plays all seats.
        deals: number of deals.
        seed: the same seed gives the same figures, except with an external agent (`play.fresh_seed`).
        followed: the first deals, this many, have entropy and lead.
        looks, rollouts: moments of a deal at which the lead is estimated, and rollouts of each.
        answers: choices that estimate the entropy of an agent without `chances`.
        progress: called with (done, total, description).
        setup: the game's setup fields; `seats` defaults to the number of agents, the game's own for one agent.

    Warns if rollouts need more than `MANY_ASKED` moves of external agents, which are slow.
    Raises ValueError for a number below 1, or agents or a setup that do not fit; Fault, also a ValueError, for a fault
    of an external agent, which cannot forfeit here.
    """
    _check_counts(followed=followed, looks=looks, rollouts=rollouts, answers=answers)
    seeds = deal_seeds(deals, seed := fresh_seed(agents, seed))
    seats = setup.setdefault("seats", len(agents) if len(agents) > 1 else game.default_seats)
    game.options[0].encode(seats)  # before it is used as a number
    turns = _turns(game, agents, seats, deals)
    report = progress or (lambda done, total, doing: None)
    with _ended(agents):
        played = _play(game, agents, seeds, turns, setup, min(followed, deals), looks, report)
        _warn_of_many_moves(agents, played.seen, rollouts, answers)
        bits, most = _entropy(game, agents, played.seen, seed_of(CHOICES, seed), answers, report)
        futures = _rollouts(game, agents, played.seen, seed_of(FUTURES, seed), rollouts, report)
    names = tuple(agents[index].name for index in turns[0])
    by_agents = ", ".join(dict.fromkeys(names))
    return Analysis(
        agents=names,
        followed=len(played.seen.seating),
        looks=looks,
        rollouts=rollouts,
        answers=answers,
        statistics=summarise(game, by_agents, played.ends, played.payoffs),
        lengths=_histogram(played.ends["ply"]),
        branching=played.branching,
        entropy=_entropy_of(game, bits, most),
        settled=float(futures.settled.mean()),
        single=float(futures.single.mean()),
        lead=_lead(game, futures, played.payoffs),
        won=_won(game, agents, turns, played.payoffs),
    )


def _turns(game: Game, agents: Sequence[Agent], seats: int, deals: int) -> np.ndarray:
    """Return the agent at each seat of each deal, `(D, S)`; raise ValueError if the agents do not fit."""
    for agent in agents:
        check_without_history(agent, "agents")
    if len(agents) not in (1, seats):
        raise ValueError(f"{game.name}: {len(agents)} agents are given for a table of {seats}; it takes 1 or {seats}")
    turn = np.zeros(deals, np.int64) if nature(game).roles else np.arange(deals)  # roles stay as they were named
    turns: np.ndarray = (np.arange(seats) + turn[:, None]) % len(agents)
    return turns


def _won(
    game: Game, agents: Sequence[Agent], turns: np.ndarray, payoffs: np.ndarray
) -> tuple[tuple[str, Estimate], ...]:
    """Return each agent's name and its mean part of the win over the seats that it has in a deal."""
    names = np.array([agent.name for agent in agents])
    if len(set(names.tolist())) == 1 or not nature(game).rated:
        return ()
    worth, seated = nature(game).worth(payoffs), names[turns]
    found = []
    for name in dict.fromkeys(names.tolist()):
        mine = seated == name
        found.append((name, estimate((worth * mine).sum(1) / mine.sum(1))))
    return tuple(found)


def _entropy_of(game: Game, bits: np.ndarray, most: np.ndarray) -> Entropy:
    limits = 0.0, float(np.log2(game.num_actions))
    return Entropy(estimate(bits.mean(1), limits), float(most.mean()), tuple(bits.mean(0).tolist()))


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name}={value!r} is not allowed; it takes a whole number from 1")


@contextmanager
def _ended(agents: Sequence[Agent]) -> Iterator[None]:
    """End the processes of external agents afterwards."""
    try:
        yield
    finally:
        for agent in agents:
            if isinstance(agent, ExternalAgent):
                agent.stop()


def _play(
    game: Game, agents: Sequence[Agent], seeds: np.ndarray, seating: np.ndarray, setup: dict[str, Any],
    followed: int, looks: int, report: Progress,
) -> _Deals:  # fmt: skip
    """Play the deals of `seeds` `(D,)`, seated by `seating` `(D, S)`, decision by decision."""
    ends, payoffs = np.zeros(len(seeds), game.state), np.zeros(seating.shape, np.float32)
    states = np.zeros((followed, looks), game.state)
    memory = np.zeros((followed, looks, game.max_seats, max(map(memory_size, agents))), np.float32)
    left = np.zeros((followed, looks), np.int64)
    numbers, parts = [], []
    for low in range(0, len(seeds), TABLES):
        rows = np.arange(min(TABLES, len(seeds) - low))
        own = slice(low, low + len(rows))
        match = Match(game, agents, game.new_tables(len(rows), setup), stepwise=True)
        match.seating[:, : seating.shape[1]] = seating[own]
        match.deal(rows, seeds[own])
        asked, counts = [], []  # at each decision: the tables, and how many actions were allowed there
        kept = []  # and of those that are followed the tables, their states and memory: looks are chosen at the end
        while len(rows := np.flatnonzero(~match.over)):
            asked.append(rows)
            counts.append(match.masks[rows].sum(1, dtype=np.int64))
            if len(near := rows[rows < followed - low]):
                kept.append((near, match.states[near], match.arrays()["memory"][near]))
            match.step(rows, match.decide(rows))
            report(low + int(match.over.sum()), len(seeds), "deals")
        ends[own], payoffs[own] = match.states, match.payoffs[:, : seating.shape[1]]
        plies = np.bincount(np.concatenate(asked), minlength=len(match.states))
        numbers += counts
        parts += [PARTS * ply // plies[rows] for ply, rows in enumerate(asked)]
        mine = plies[: max(followed - low, 0), None]
        at = np.arange(looks) * mine // looks  # (f, L)
        left[own] = mine - at
        for ply, (near, then, carried) in enumerate(kept):
            deal, look = np.nonzero(at == ply)
            index = np.searchsorted(near, deal)
            states[low + deal, look], memory[low + deal, look] = then[index], carried[index]
    number, part = np.concatenate(numbers), np.concatenate(parts)
    sums, cases = np.bincount(part, number, PARTS), np.bincount(part, minlength=PARTS)
    branching = Branching(spread(number), tuple((sums / np.maximum(cases, 1)).tolist()))
    return _Deals(ends, payoffs, branching, _Looks(states, memory, seating[:followed], left))


def _warn_of_many_moves(agents: Sequence[Agent], seen: _Looks, rollouts: int, answers: int) -> None:
    """Warn if external agents will play very many moves."""
    external = np.array([isinstance(agent, ExternalAgent) for agent in agents])
    share = external[seen.seating].mean(1)[:, None]  # of the moves of each deal
    times = int((share * (rollouts * seen.left + answers)).sum())
    if times > MANY_ASKED:
        warnings.warn(
            f"external agents will play about {times:,} moves, at {seen.left.size:,} looks at "
            f"{len(seen.left):,} followed deals; with fewer followed it is quicker",
            stacklevel=3,
        )


def _again(
    game: Game,
    agents: Sequence[Agent],
    seen: _Looks,
    seed: int,
    times: int,
    anew: bool,
    report: Callable[[int], None],
) -> Any:
    """Yield (indices, match): tables that continue from each look, `times` of them, with their own chance.

    `indices` `(N,)` number the looks of all deals. With `anew`, each table resamples the information that no player
    has; without it the match stops at every decision.
    """
    deals, looks = seen.states.shape
    indices = np.repeat(np.arange(deals * looks), times)
    states, memory = seen.states.reshape(-1), seen.memory.reshape(deals * looks, *seen.memory.shape[2:])
    for low in range(0, len(indices), TABLES):
        mine = indices[low : low + TABLES]
        rows = np.arange(len(mine))
        match = Match(game, agents, states[mine], stepwise=not anew)
        match.seating[:, : seen.seating.shape[1]] = seen.seating[mine // looks]
        seeds = seeds_of(DEAL, seed, range(low, low + len(mine)))
        match.put(rows, resampled_states(game, states[mine], seeds) if anew else states[mine], seeds, memory[mine])
        yield mine, match
        report(low + len(mine))


def _entropy(
    game: Game, agents: Sequence[Agent], seen: _Looks, seed: int, answers: int, report: Progress
) -> tuple[np.ndarray, np.ndarray]:
    """Return the entropy of the choice at each look, and its maximum, `(F, L)`, in bits."""
    shape = seen.states.shape
    total = seen.states.size * answers
    given = np.zeros((seen.states.size, game.num_actions), np.int32)  # how often each action was the answer
    bits, most = np.full(seen.states.size, np.nan), np.zeros(seen.states.size)
    for indices, match in _again(game, agents, seen, seed, answers, False, lambda done: report(done, total, "choices")):
        waiting, memory = match.waiting(), match.arrays()["memory"]
        most[indices] = np.log2(match.masks.sum(1, dtype=np.int64))
        for number, agent in enumerate(agents):
            rows = np.flatnonzero(waiting == number)
            if not len(rows):
                continue
            if isinstance(agent, StochasticAgent):
                rows = rows[np.unique(indices[rows], return_index=True)[1]]  # one call per look is enough
                carried = memory[rows, match.seats[rows], : memory_size(agent)]
                bits[indices[rows]] = _bits(agent.chances(match.observations[rows], match.masks[rows], carried))
            else:
                np.add.at(given, (indices[rows], match.decide(rows)), 1)
    asked = np.isnan(bits)
    counts = given[asked].astype(float)
    times = counts.sum(1)
    correction = ((counts > 0).sum(1) - 1) / (2 * times * np.log(2))
    bits[asked] = np.minimum(_bits(counts / times[:, None]) + correction, most[asked])
    return bits.reshape(shape), most.reshape(shape)


def _bits(chances: np.ndarray) -> np.ndarray:
    """Return the entropy of each row of `chances` `(n, A)`, in bits."""
    logs = np.log2(chances, where=chances > 0, out=np.zeros(chances.shape))
    return np.asarray(-(chances * logs).sum(1)) + 0.0


def _rollouts(
    game: Game, agents: Sequence[Agent], seen: _Looks, seed: int, rollouts: int, report: Progress
) -> _Futures:
    """Play `rollouts` times from each look, and return the results."""
    total = seen.states.size * rollouts
    paid = np.zeros((total, seen.seating.shape[1]), np.float32)
    marks = np.zeros(total, np.uint64)
    done = 0
    for indices, match in _again(game, agents, seen, seed, rollouts, True, lambda at: report(at, total, "rollouts")):
        match.advance()
        paid[done : done + len(indices)] = match.payoffs[:, : paid.shape[1]]
        marks[done : done + len(indices)] = marks_of(match.states)
        done += len(indices)
    worth = _worth(game, paid).reshape(*seen.states.shape, rollouts, -1)  # (F, L, rollouts, S)
    chances = worth.mean(2)
    best = np.argsort(-chances, axis=2)[:, :, :2]
    two = np.take_along_axis(worth, best[:, :, None, :], axis=3)
    return _Futures(
        chances,
        errors=(two[..., 0] - two[..., 1]).std(2) / np.sqrt(rollouts),
        settled=(worth == worth[:, :, :1]).all((2, 3)),
        single=single(marks.reshape(*seen.states.shape, rollouts)),
    )


def _lead(game: Game, futures: _Futures, payoffs: np.ndarray) -> Lead | None:
    """Return the lead in deals with these `payoffs` `(D, S)`; None if every look has one future."""
    if futures.single.all():
        return None
    return lead_of(futures.chances, futures.errors, _worth(game, payoffs[: len(futures.chances)]))


def _worth(game: Game, payoffs: np.ndarray) -> np.ndarray:
    """Return win rates `(R, S)`, or in a cooperative game those of team and table, `(R, 2)`."""
    worth = nature(game).worth(payoffs)
    return worth if nature(game).rated else np.stack([worth[:, 0], 1 - worth[:, 0]], axis=1)


def _histogram(plies: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Return at most 24 columns of equal, integral width."""
    low, high = int(plies.min()), int(plies.max())
    width = max(1, -(-(high - low + 1) // 24))
    counts = np.bincount((plies.astype(np.int64) - low) // width)
    return tuple((low + width * index, int(count)) for index, count in enumerate(counts))


ORDER = "order"  # label of seeds


def resampled_states(game: Game, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Return copies of `states` `(N,)` for rollouts: cards that no player has seen are drawn from `seeds` `(N,)`."""
    return reshuffled(game, states, np.array([seed_of(ORDER, seed) for seed in seeds], np.int64))


def marks_of(ends: np.ndarray) -> np.ndarray:
    """Return `(N,)` uint64, equal for `ends` `(N,)` that are equal apart from their random streams."""
    ends = ends.copy()
    ends["stream"] = 0
    digests = [hashlib.blake2b(one.tobytes(), digest_size=8).digest() for one in ends]
    return np.frombuffer(b"".join(digests), np.uint64)


def single(marks: np.ndarray) -> np.ndarray:
    """Return `(..., )` bool, true if all rollouts `(..., R)` with these marks ended alike."""
    alike: np.ndarray = (marks == marks[..., :1]).all(-1)
    return alike
