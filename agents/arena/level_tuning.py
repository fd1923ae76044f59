"""Find the temperatures of the levels of a game, and measure the steps between neighbouring levels.

    python -m sobremesa.agents.arena.level_tuning corre_el_encierro --seats 2 3
    python -m sobremesa.agents.arena.level_tuning corre_el_encierro --seats 2 3 --measure

The first command starts at the agents `--top`, from strong to weak. Each further level is `sampled(BASE,
temperature=T)`. T is the least one of TRIED at which the smallest step from the level above is as large as `--target`,
over all tables and roles. The command prints the lines of `home/levels.toml` and the steps. The second command only
measures the levels of that file.

A step is the lead of one agent of the upper level among copies of the lower one, on the same deals in all seatings.
It is a lead over equal play, in a role over the lower agent in that role, in a cooperative game of a team over a team,
in points of a ladder. In a cooperative game the output also has the success of one agent of each level among copies of
the partner `strong`.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sobremesa import envs
from sobremesa.agents.arena.members import champion_of
from sobremesa.agents.arena.pairings import play_among_copies, play_matches
from sobremesa.agents.arena.ratings import points_of_lead
from sobremesa.agents.arena.score import Estimate, Score, estimate, nature, score
from sobremesa.agents.levels import LEVELS, levels
from sobremesa.agents.loading import load
from sobremesa.agents.named import is_search
from sobremesa.envs.core.game import Game

TRIED = tuple(float(f"{0.01 * 1.1**power:.2g}") for power in range(122))  # temperatures, 0.01 to 1000
TARGET = 175.0  # points
PARTNER = "strong"


class Step(NamedTuple):
    """A level compared with the next lower one at one table, in one role if there are roles."""

    above: str  # agents
    below: str
    score: Score
    points: Estimate


def measure(game: Game, above: str, below: str, counts: Sequence[int], deals: int, seed: int) -> Iterator[Step]:
    """Yield the steps from the agent `below` to the agent `above` at tables of `counts` seats, in each role."""
    upper, lower = load(above, game), load(below, game)
    for seats in counts:
        met = play_matches(game, [upper, lower], deals, seed=seed, first=True, seats=seats)
        for one in score(game, met, upper.name, lower.name, seed):
            yield Step(above, below, one, points_of(one))


def points_of(one: Score) -> Estimate:
    """Return the lead of a score in points of a ladder."""
    lead = Estimate(one.lead, one.lead_low, one.lead_high)
    return points_of_lead(one.value, one.baseline, lead, one.seats, in_role=bool(one.role))


def find_below(
    game: Game, above: str, base: str, counts: Sequence[int], *, target: float, deals: int, seed: int, first: int = 0
) -> int | None:
    """Return the index in TRIED, from `first` on, of the temperature of the level below the agent `above`.

    It is the least one at which all steps have `target` points, found by bisection; None if not even the last one has.
    """

    def far(index: int) -> bool:
        steps = measure(game, above, _sampled(base, index), counts, deals, seed)
        return all(one.points.mean >= target for one in steps)

    low, high = first, len(TRIED) - 1
    if first > high or not far(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if far(middle) else (middle + 1, high)
    return low


def _sampled(base: str, index: int) -> str:
    return f"sampled({base}, temperature={TRIED[index]:g})"


def find_levels(
    game: Game, top: Sequence[str], base: str, counts: Sequence[int], *, target: float, deals: int, seed: int
) -> dict[str, str]:
    """Return the agents of the levels, from strong to weak; fewer of them if no temperature is far enough below."""
    found, first = list(top), 0
    while len(found) < len(LEVELS):
        below = find_below(game, found[-1], base, counts, target=target, deals=deals, seed=seed, first=first)
        if below is None:
            print(f"# no temperature up to {TRIED[-1]:g} makes a level {target:g} points below {found[-1]}", flush=True)
            break
        first = below + 1
        found.append(_sampled(base, below))
        print(f"# {LEVELS[-len(found)]}: {found[-1]}", flush=True)
    return dict(zip(reversed(LEVELS), found, strict=False))


def partner(game: Game, agent: str, seats: int, deals: int, seed: int) -> Estimate:
    """Return the success of `agent` among copies of PARTNER in a cooperative game."""
    met = play_among_copies(game, load(agent, game), load(PARTNER, game), deals, seed=seed, seats=seats)
    return estimate(met.payoffs[:, 0].astype(float).reshape(-1, seats).mean(1))


def table(
    game: Game, agents: dict[str, str], counts: Sequence[int], deals: int, search_deals: int, seed: int
) -> Iterator[str]:
    """Yield the lines of a table in Markdown of the steps between `agents`, from strong to weak by level."""
    role, team = bool(nature(game).roles), not nature(game).rated
    head = [
        "step",
        "seats",
        *["role"] * role,
        "deals",
        "payoff" if role else nature(game).value,
        "of the lower level",
        "points",
    ]
    yield from _rows([head, ["---"] * len(head)])
    for (upper, above), (lower, below) in pairwise(agents.items()):
        many = search_deals if is_search(above) or is_search(below) else deals
        for step in measure(game, above, below, counts, many, seed):
            one, points = step.score, step.points
            cells = [f"{upper} over {lower}", str(one.seats), *[one.role] * role]
            yield from _rows([[*cells, str(one.deals), f"{one.value:.3f}", f"{one.baseline:.3f}", _shown(points)]])
    if team:
        yield from ("", *_rows([["level", "seats", f"one among {PARTNER}"], ["---"] * 3]))
        for level, agent in agents.items():
            many = search_deals if is_search(agent) else deals
            for seats in counts:
                if seats > 1:
                    found = partner(game, agent, seats, many, seed)
                    yield from _rows([[level, str(seats), f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"]])


def _shown(points: Estimate) -> str:
    """Return points with their interval; of two agents that both always or never win there are none."""
    if np.isnan(points.mean):
        return "not measurable"
    ends = ("open" if np.isnan(end) else f"{end:+.0f}" for end in (points.low, points.high))
    return f"{points.mean:+.0f} ({' to '.join(ends)})"


def _rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return (f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Find the levels unless they are only measured; print their lines and steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=envs.games())
    parser.add_argument(
        "--top", nargs="+", help="agents of the strongest levels, the best first (default: the champion of the game)"
    )
    parser.add_argument("--base", help="bot of the other levels (default: the champion of the game)")
    parser.add_argument("--seats", nargs="+", type=int, help="numbers of players")
    parser.add_argument("--target", type=float, default=TARGET, help="points of the smallest step")
    parser.add_argument("--deals", type=int, default=1000, help="of a step that is printed")
    parser.add_argument("--search-deals", type=int, default=60, help="of such a step with a searching agent")
    parser.add_argument("--tuning-deals", type=int, default=300, help="of a step at each temperature tried")
    parser.add_argument("--seed", type=int, default=0, help="of the temperatures; the printed steps have the next one")
    parser.add_argument("--measure", action="store_true", help="measure the levels of home/levels.toml")
    words = parser.parse_args()
    if words.measure and (words.top or words.base):
        parser.error("--measure takes the levels of home/levels.toml; leave --top and --base out")
    if not words.target > 0:
        parser.error(f"--target {words.target:g} is not allowed; it takes points above 0")
    for name in ("deals", "search_deals", "tuning_deals"):
        if getattr(words, name) < 1:
            flag = name.replace("_", "-")
            parser.error(f"--{flag} {getattr(words, name)} is not allowed; it takes a whole number from 1")
    try:
        _run(envs.load(words.game), words)
    except ValueError as error:
        parser.error(str(error))


def _run(game: Game, words: argparse.Namespace) -> None:
    counts = words.seats or [game.default_seats]
    if words.measure:
        found = dict(reversed(levels(game).items()))
    else:
        given = {"target": words.target, "deals": words.tuning_deals, "seed": words.seed}
        champion = champion_of(game)
        found = find_levels(game, words.top or [champion], words.base or champion, counts, **given)
        print(*(f'{level} = "{found[level]}"' for level in LEVELS if level in found), "", sep="\n", flush=True)
    for line in table(game, found, counts, words.deals, words.search_deals, words.seed + 1):
        print(line, flush=True)


if __name__ == "__main__":
    main()
