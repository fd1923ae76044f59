"""Pairings: the matches of agents on the same deals, and scores of one agent next to another.

At tables of two every pair meets. At larger tables each agent sits alone among copies of each other one. Where seats
have roles (`Game.roles`), agents also meet themselves, to compare the roles. The teams of a cooperative game are copies
of one agent.
"""

import secrets
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any

from sobremesa.agents.arena.play import check_agents, play, play_seated, secret_for
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Score, nature, team_score, win_rate
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

Progress = Callable[[int, int, str], None]  # (rows done, rows in all, description)
Teams = dict[tuple[int, str, str], Results]  # by number of seats, name of the agent, and secret of the deals


def play_matches(
    game: Game,
    agents: Sequence[Agent],
    deals: int | range,
    *,
    seed: int = 0,
    secret: str | None = None,
    first: bool = False,
    wanted: Sequence[tuple[int, ...]] | None = None,
    progress: Progress | None = None,
    **setup: Any,
) -> list[Results]:
    """Play all matches of `agents`, each on the same `deals`, and return the results of each match.

    With `first`, only the matches that compare the first agent with each other one (`score.score`); with `wanted`, only
    these, in the form of `matchups`. The deals come from `seed` and, if there is one, `secret` (`play.secret_for`).
    `progress` is called with (rows done, rows in all, description). Raises ValueError for equal names, a number of
    deals below 1, or a setup that does not fit.
    """
    check_names([agent.name for agent in agents])
    seats = setup.setdefault("seats", game.default_seats)
    game.options[0].encode(seats)  # checked before it is used as a number
    secret = secret_for(agents, secret)
    matches = matchups(game, len(agents), seats, first) if wanted is None else wanted
    if not matches:
        raise ValueError(f"{game.name}: a match needs two agents or more, got {len(agents)}")
    many = len(deals) if isinstance(deals, range) else deals
    costs = [many * (1 if len(match) == 1 else seats) for match in matches]
    found: list[Results] = []
    for number, match in enumerate(matches):
        met = [agents[index] for index in match]
        doing = " against ".join(agent.name for agent in met)

        def moved(done: int, _: int, before: int = sum(costs[:number]), doing: str = doing) -> None:
            if progress is not None:
                progress(before + done, sum(costs), doing)

        if len(met) == 1:
            found.append(copies(game, met[0], deals, seed=seed, secret=secret, progress=moved, **setup))
        else:
            given = {"seed": seed, "secret": secret, "progress": moved, **setup}
            found.append(play_among_copies(game, met[0], met[1], deals, **given))
    return found


def check_names(names: Sequence[str]) -> None:
    """Raise ValueError if two agents have one name: results identify agents by name."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two agents have the name {name!r}; give each agent its own")


def matchups(game: Game, count: int, seats: int, first: bool = False) -> list[tuple[int, ...]]:
    """Return the matches among `count` agents: (one, the others), or (one,) for copies of one at all seats.

    With `first`, only the matches that compare agent 0 with each other one.
    """
    kind = nature(game)
    alone: list[tuple[int, ...]] = [(index,) for index in range(count)]
    if not kind.rated or seats == 1:
        return alone
    if kind.alone:
        return [*alone[first:], *pairs(count, seats)]  # agent 0 is compared with others, not with itself
    return [match for match in pairs(count, seats) if not first or match[0] == 0]


def pairs(count: int, seats: int) -> list[tuple[int, ...]]:
    """Return each of `count` agents against each other one, at a table of two only once, since seatings are cyclic."""
    return list(combinations(range(count), 2) if seats == 2 else permutations(range(count), 2))


def play_among_copies(game: Game, candidate: Agent, reference: Agent, deals: int | range, **arguments: Any) -> Results:
    """Play one `candidate` against copies of `reference` at every other seat; `arguments` are those of `play`."""
    seats = arguments.setdefault("seats", game.default_seats)
    game.options[0].encode(seats)  # checked before it is used as a number
    return play(game, [candidate, reference], deals, seated=[0] + [1] * (seats - 1), **arguments)


def copies(
    game: Game,
    agent: Agent,
    deals: int | range,
    *,
    seed: int = 0,
    secret: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Results:
    """Play `agent` at every seat, on the deals of `play`: one row per deal, since all seatings are alike."""
    check_agents([agent])
    seats = setup.setdefault("seats", game.default_seats)
    game.options[0].encode(seats)  # checked before it is used as a number
    return play_seated(game, [agent], deals, [[0] * seats], seed, secret, setup, progress)


def compare(game: Game, candidate: Agent, reference: Agent, deals: int, **arguments: Any) -> Score:
    """Play `candidate` and `reference` by the kind of the game, and score the candidate.

    In a competitive game one candidate meets copies of the reference at every other seat, in all cyclic seatings. In a
    cooperative game copies of each fill the table, on the same deals.

    Args:
        game: the game.
        candidate: the agent to score.
        reference: the agent to compare it with.
        deals: number of deals.
        arguments: `seed`, `secret`, `progress`, called with (rows done, rows in all), and the setup fields, as in
            `play`.

    Raises ValueError for a number of deals below 1, or a setup that does not fit.
    """
    return compare_each(game, candidate, [reference], deals, **arguments)[0]


def compare_each(
    game: Game, candidate: Agent, references: Sequence[Agent], deals: int, *, teams: Teams | None = None,
    **arguments: Any,
) -> list[Score]:  # fmt: skip
    """Score `candidate` against each of `references` as `compare` does; no team plays the same deals twice.

    `teams` stores the results of the references' teams for the next candidate.
    """
    check_agents([candidate, *references])
    secret = arguments["secret"] = secret_for([candidate, *references], arguments.get("secret"))
    if nature(game).rated:
        return [win_rate(play_among_copies(game, candidate, other, deals, **arguments)) for other in references]
    mine = copies(game, candidate, deals, **arguments)
    known = {} if teams is None else teams
    found = []
    for other in references:
        key = mine.seating.shape[1], other.name, secret
        if key not in known:
            known[key] = copies(game, other, deals, **arguments)
        found.append(team_score(mine, known[key]))
    return found


REHEARSED = 3  # deals


class CannotPlay(ValueError):
    """An agent that forfeits all of its first deals; the message has the reason."""


def rehearse(game: Game, agent: Agent, seats: int, **setup: object) -> Results:
    """Return the results of REHEARSED deals of `agent` among random agents at a table of `seats`, in all seatings.

    The deals differ each time, so that the agent does not learn the deals of a rating.
    """
    return play_among_copies(game, agent, RANDOM, REHEARSED, seed=secrets.randbelow(2**62), seats=seats, **setup)


def check_plays(game: Game, agent: Agent, seats: int, **setup: object) -> None:
    """Raise CannotPlay if `agent` forfeits every deal of a rehearsal."""
    results = rehearse(game, agent, seats, **setup)
    lost = results.lost()
    if len(lost) == len(results.seeds):
        raise CannotPlay(
            f"{agent.name} is not rated: it forfeited all of its first {len(lost)} deals at {seats} seats, the first "
            f"with {lost[0][1]}"
        )
