"""Measure an agent against others."""

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena.leaderboard import LANGUAGE, Standings
from sobremesa.agents.arena.leaderboard_file import interval_fields
from sobremesa.agents.arena.pairings import meet_all
from sobremesa.agents.arena.play import Rows, play, score
from sobremesa.agents.arena.ratings import Rating, place
from sobremesa.agents.arena.roles import RoleLead, by_role, role_leads, role_name
from sobremesa.agents.arena.shares import lead, success
from sobremesa.arguments import AGENT_HELP, add_deals, add_setup, check_folders, read_setup
from sobremesa.commands.ladder import fitting, load_named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import forfeits
from sobremesa.report.ladder_words import interval
from sobremesa.report.tables import aligned, print_scores, short

EXAMPLE = "sobremesa rate ese_toro_enamorado bots/mine --deals 2000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("agent", metavar="AGENT", help=f"one of {AGENT_HELP}")
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help=f"references: {AGENT_HELP} (default: random and the scripted ones)",
    )  # fmt: skip
    parser.add_argument("--seats", nargs="+", type=int, help="numbers of seats to try (default: the game's own)")
    parser.add_argument("--json", type=Path, help="write the scores here as well")
    add_deals(parser, 1000)
    add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print how an agent does against others; return the exit code."""
    game = envs.load(arguments.game)
    check_folders(arguments, "json")
    named = dict.fromkeys(arguments.against or agents.scripted_names(game))
    others = [spec for spec in named if spec != arguments.agent]
    if not others:
        raise ValueError(f"{arguments.agent} is compared with others; --against names nobody else")
    setup = read_setup(game, arguments.setup, "--seats")
    setups = [{**setup, "seats": count} for count in dict.fromkeys(arguments.seats or [game.default_seats])]
    if game.cooperative or game.roles:
        met = load_named(game, [arguments.agent, *others])
        found = (_teams if game.cooperative else _roles)(game, met, setups, arguments)
    else:
        found = _shares(game, arguments.agent, others, setups, arguments)
    if arguments.json:
        write_whole(arguments.json, json.dumps({"seed": arguments.seed, **found}, indent=1, allow_nan=False))
    return 0


# Seats that are alike.


def _shares(
    game: Game, spec: str, specs: Sequence[str], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> dict[str, Any]:
    candidate, references = agents.load(spec, game), [agents.load(name, game) for name in specs]
    rows = among_copies(game, candidate, references, setups, arguments)
    print_scores([score(one) for one in rows])
    print(f"\n{arguments.deals} deals each, --seed {arguments.seed}; share of the win, 95 % intervals over deals")
    forfeits.tell(rows)
    placings = []
    for number, setup in enumerate(setups):
        own = rows[number * len(specs) : (number + 1) * len(specs)]
        known = [one for one, name in zip(own, specs, strict=True) if name in agents.names(game)]
        placings += _placed(game, spec, candidate.name, known, setup, arguments)
    scores = [score(one)._asdict() for one in rows]
    return {"scores": scores, "placings": placings, "forfeits": forfeits.found(rows)}


def among_copies(
    game: Game, candidate: Agent, references: list[Agent], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> list[Rows]:
    """Play the candidate among copies of each reference, at each setup; return the rows of each match."""
    found = []
    with progress("rate") as update:
        for setup, reference in itertools.product(setups, references):
            doing = f"against {reference.name} at {setup['seats']}"

            def moved(done: int, total: int, doing: str = doing) -> None:
                update(done, total, doing)

            game.options[0].encode(setup["seats"])  # before it is used as a number
            met, seated = [candidate, reference], [0] + [1] * (setup["seats"] - 1)
            rows = play(game, met, arguments.deals, seed=arguments.seed, seated=seated, progress=moved, **setup)
            found.append(rows)
    return found


# Where it stands on the ladder.

_NEW = "\0the candidate"  # in rows to be placed: nobody on a ladder is called so


def _placed(
    game: Game, spec: str, name: str, rows: Sequence[Rows], setup: dict[str, Any], arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Place the first agent of `rows`, whose others are agents of the library, on its ladder; tell and return it."""
    ladder = fitting(game, setup)
    if ladder is None:
        return []
    roles = game.roles[LANGUAGE] if game.roles else None
    if spec in agents.names(game):  # it stands there already
        own = {spec, *(role_name(spec, role) for role in roles or ())}
        ratings, against, how = [one for one in ladder.ladder.ratings if one.agent in own], [], ""
    else:
        new = [one._replace(agents=(_NEW, *one.agents[1:])) for one in rows]
        ratings = _ratings_by_role(new, name, ladder, roles) if roles else _ratings(new, name, ladder)
        against = sorted({other for one in rows for other in one.agents[1:]})
        how = f", {arguments.deals} deals against each of {', '.join(against)}"
    for one in ratings:
        print(
            f"{one.agent}: rating {one.rating:.0f} ({interval(one.low, one.high, '.0f', 'en')}) on the ladder of "
            f"{game.id}, {setup['seats']} seats{how}"
        )
    seats = setup["seats"]
    return [{"agent": one.agent, "seats": seats, **interval_fields(*one[1:4]), "against": against} for one in ratings]


def _ratings(rows: Sequence[Rows], name: str, ladder: Standings) -> list[Rating]:
    known = [one for one in rows if set(one.agents[1:]) <= set(ladder.agents)]
    return [place(known, ladder.ladder)._replace(agent=name)] if known else []


def _ratings_by_role(rows: Sequence[Rows], name: str, ladder: Standings, roles: Sequence[str]) -> list[Rating]:
    """Rate each role on its own, from the rows in which the candidate has it."""
    found = []
    for seat, role in enumerate(roles):
        own = [by_role(one.where(one.seating[:, seat] == 0), roles) for one in rows]
        found += _ratings(own, role_name(name, role), ladder)
    return found


# Roles, and teams.


def _roles(
    game: Game, met: Sequence[Agent], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> dict[str, Any]:
    candidate, *references = (agent.name for agent in met)
    roles = game.roles[LANGUAGE] if game.roles else ()
    known = agents.names(game)
    leads, placings, lost = [], [], []
    for setup in setups:
        rows = _tournament(game, met, setup, arguments)
        for reference in references:
            found = role_leads(rows, candidate, reference, roles, arguments.seed)
            leads += [one for one in found if candidate not in one.opponents]
        own = [one for one in rows if one.agents[0] == candidate and one.agents[1:] and one.agents[1] in known]
        placings.append((setup, own))
        lost += rows
    print("\n".join(_role_lines(leads)))
    print(
        f"\n{arguments.deals} deals each, --seed {arguments.seed}; payoff of the candidate minus the reference's, in "
        "the same role against the same opponent on the same deals, 95 % intervals over deals"
    )
    forfeits.tell(lost)
    placed = [
        one for setup, own in placings for one in _placed(game, arguments.agent, candidate, own, setup, arguments)
    ]
    told = [{**one._asdict(), "beats": one.beats} for one in leads]
    return {"leads": told, "placings": placed, "forfeits": forfeits.found(lost)}


def _role_lines(leads: Sequence[RoleLead]) -> list[str]:
    head = ["candidate", "role", "reference", "opponent", "lead", "95 % interval", "beats"]
    rows = [
        [short(one.candidate), one.role, short(one.reference), " + ".join(map(short, one.opponents)),
         f"{one.lead:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}", "yes" if one.beats else "no"]
        for one in leads
    ]  # fmt: skip
    return aligned([head, *rows])


def _teams(
    game: Game, met: Sequence[Agent], setups: list[dict[str, Any]], arguments: argparse.Namespace
) -> dict[str, Any]:
    candidate = met[0].name
    teams, leads, lost = [], [], []
    rows = [["team", "seats", "success", "95 % interval", f"{short(candidate)} is ahead by", "95 % interval"]]
    for setup in setups:
        seats = setup["seats"]
        played = _tournament(game, met, setup, arguments)
        lost += played
        for one in success(played, arguments.seed):
            name = one.team[0]
            cells = [short(name), str(seats), f"{one.rate:.3f}", f"{one.low:.3f} to {one.high:.3f}"]
            teams.append({"agent": name, "seats": seats, **one._asdict()})
            if name != candidate:
                gap = lead(played, [candidate] * seats, one.team, arguments.seed)
                leads.append({"agent": candidate, "reference": name, "seats": seats, **gap._asdict()})
                cells += [f"{gap.lead:+.3f}", f"{gap.low:+.3f} to {gap.high:+.3f}"]
            rows.append(cells + [""] * (len(rows[0]) - len(cells)))
    print("\n".join(aligned(rows)))
    print(f"\n{arguments.deals} deals, the same for all teams, --seed {arguments.seed}; 95 % intervals over deals")
    forfeits.tell(lost)
    return {"teams": teams, "leads": leads, "forfeits": forfeits.found(lost)}


def _tournament(game: Game, met: Sequence[Agent], setup: dict[str, Any], arguments: argparse.Namespace) -> list[Rows]:
    with progress("rate") as update:
        return meet_all(game, met, arguments.deals, seed=arguments.seed, progress=update, **setup)
