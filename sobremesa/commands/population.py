"""Test a champion over a population: each member among copies of it, and it among copies of each member."""

import argparse
from pathlib import Path
from typing import Any

from sobremesa import agents, arguments as flags, envs
from sobremesa.agents.arena.population import ERRORS, Cell, Population
from sobremesa.agents.arena.score import for_json, nature
from sobremesa.commit import made_now
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.progress import progress
from sobremesa.report import forfeits
from sobremesa.report.ladder_words import interval
from sobremesa.report.results import digest_of
from sobremesa.report.tables import aligned, short

_WORDS = {
    "competitive": "win rate of one among copies of the other",
    "roles": "payoff of one among copies of the other, and its lead over the other in its place",
    "cooperative": "success of teams, and of one among copies of the other; its lead over a team of the other",
}
EXAMPLE = "sobremesa population ese_toro_enamorado bots/mine --out runs/population"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    deals, search_deals = (flags.default(agents.population, name) for name in ("deals", "search_deals"))
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "candidate", metavar="CANDIDATE", nargs="?", help=f"{flags.AGENT_HELP} (default: the champion of the game)"
    )
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help="names of members, or other agents (default: all members, from home/population.toml of the game)",
    )  # fmt: skip
    parser.add_argument("--seats", nargs="+", type=flags.integer, help="numbers of seats (default: all of the game)")
    parser.add_argument("--deals", type=flags.count, help=f"deals of a match, each in all seatings (default: {deals})")
    parser.add_argument(
        "--search-deals", type=flags.count, metavar="N",
        help=f"deals of a match with a search or a language model (default: {search_deals})",
    )  # fmt: skip
    parser.add_argument("--seed", type=flags.whole, default=0, help="seed of the deals (default: 0)")
    flags.add_secret(parser)
    parser.add_argument("--processes", type=flags.count, help="worker processes (default: none)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="folder of the rows, for all candidates and seeds of a game; it resumes (default: runs/population)",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="file for the result (default: none)")
    flags.add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the matches, print the matrix, and return 1 if the candidate fails."""
    game = envs.load(arguments.game)
    flags.check_folders(arguments, "json")
    setup = flags.read_setup(game, arguments.setup, "--seats")
    given = flags.given(arguments, agents.population) | {"out": arguments.out or Path("runs/population")}
    with progress("population") as update:
        found = agents.population(game, arguments.candidate, **given, progress=update, **setup)
    print("\n".join(lines_of(game, found, arguments.seed)))
    flags.write_json(arguments, figures_of(game, found, arguments.seed))
    return 1 if found.failures else 0


def lines_of(game: Game, found: Population, seed: int) -> list[str]:
    """Return the printed lines: the matrix, the steps of the levels, what is odd, and the verdict."""
    candidate, deals = found.plan.candidate, sorted({one.deals for one in found.cells})
    lines = [f"{candidate} over its population, {game.id}: {_WORDS[nature(game).name]}"]
    for seats, place in dict.fromkeys((one.seats, one.place) for one in found.cells):
        lines += ["", f"{seats} seats{f', {place}' if place else ''}", *aligned(matrix(found, seats, place))]
    if found.steps:
        lines += ["", "Levels, one among copies of the next lower one", *aligned(levels(found))]
    lines += ["", *(f"odd: {one}" for one in found.odd)] if found.odd else []
    lines += forfeits.lines_of(forfeits.found(found.matches))
    played = " or ".join(f"{one:,}" for one in deals)
    lines += ["", f"{played} deals, {flags.seed_flags(seed, found.secret)}; 95 % intervals over deals"]
    sure = f"{found.claims} claims, each at the level {ERRORS:g} / {found.claims}"
    if not found.failures:
        return [*lines, f"{candidate} passes ({sure})"]
    lines.append(f"{candidate} fails (failures: {len(found.failures)}; {sure}):")
    return [*lines, *(f"- {one.sentence}" for one in found.failures)]


def matrix(found: Population, seats: int, place: str) -> list[list[str]]:
    """Return the matrix of one table and place, with its head: a row for each member."""
    cells = {(one.agent, one.among): one for one in found.cells if (one.seats, one.place) == (seats, place)}
    candidate, references = found.plan.candidate, found.plan.references
    head = ["member", "deals", *(f"{short(one)} among it" for one in (candidate, *references))]
    rows = [[*head, f"it among {short(candidate)}"]]
    for member in found.plan.members:
        row = [cells.get(pair) for pair in [(one, member) for one in (candidate, *references)] + [(member, candidate)]]
        deals = max(one.deals for one in row if one is not None)
        rows.append([short(member), f"{deals:,}", *("" if one is None else _shown(one) for one in row)])
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    return [list(row) for row in zip(*columns, strict=True)]


def _shown(cell: Cell) -> str:
    """Return the value of `cell`, and unless equal play has a fixed value its lead; with the interval."""
    if not cell.place:
        return f"{cell.value.mean:.3f} ({interval(cell.value.low, cell.value.high, '.3f', 'en')})"
    lead = interval(cell.lead.low, cell.lead.high, "+.3f", "en")
    return f"{cell.value.mean:.3f}, lead {cell.lead.mean:+.3f} ({lead})"


def levels(found: Population) -> list[list[str]]:
    """Return the rows of the table of levels, with its head."""
    rows = []
    for level, above, cell, points in found.steps:
        lead = f"{cell.lead.mean:+.3f} ({interval(cell.lead.low, cell.lead.high, '+.3f', 'en')})"
        gain = "" if points is None else f"{points.mean:+.0f} ({interval(points.low, points.high, '+.0f', 'en')})"
        step = f"{level} ({short(cell.agent)}) over {above} ({short(cell.among)})"
        rows.append([step, str(cell.seats), cell.place, f"{cell.value.mean:.3f}", f"{cell.baseline:.3f}", lead, gain])
    head = ["step", "seats", "place", "value", "baseline", "lead", "points"]
    columns = [column for column in zip(head, *rows, strict=True) if any(column[1:])]
    return [list(row) for row in zip(*columns, strict=True)]


def figures_of(game: Game, found: Population, seed: int) -> dict[str, Any]:
    """Return the result for `--json`."""
    figures = {
        "game": game.id, **made_now(),
        "games": {game.id: rules_hash(game)},
        "digests": {name: digest_of(agent, game) for name, agent in found.plan.agents.items()},
        "seed": seed, "secret": found.secret, **found.plan._asdict(),
        "cells": [_figures(one) for one in found.cells],
        "steps": [
            {"level": one.level, "above": one.above, **_figures(one.cell),
             "points": None if one.points is None else one.points._asdict()}
            for one in found.steps
        ],
        "failures": [one._asdict() for one in found.failures],
        "odd": found.odd,
        "claims": found.claims,
        "passes": not found.failures,
    }  # fmt: skip
    return dict(for_json(figures))


def _figures(cell: Cell) -> dict[str, Any]:
    return {**cell._asdict(), "value": cell.value._asdict(), "lead": cell.lead._asdict()}
