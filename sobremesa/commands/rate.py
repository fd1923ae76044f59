"""Measure an agent against others."""

import argparse
import itertools
import json
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena import rehearsal
from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.leaderboard_file import interval_fields
from sobremesa.agents.arena.pairings import meet_all
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.ratings import Rating, place
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Score, nature, score
from sobremesa.agents.foreign.agent import Foreign
from sobremesa.arguments import AGENT_HELP, add_deals, add_secret, add_setup, check_folders, read_setup, told_seed
from sobremesa.commands.ladder import fitting, load_named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import forfeits
from sobremesa.report.ladder_words import interval
from sobremesa.report.tables import print_scores

_NOTES = {
    "competitive": "win rate among copies of the reference",
    "roles": "payoff beside the reference's in the same role, against the same opponents on the same deals",
    "cooperative": "success of teams of copies, on the same deals for all",
}
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
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help=f"play {rehearsal.DEALS} deals and say what goes wrong, instead of a rating",
    )
    add_deals(parser, 1000)
    add_secret(parser)
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
    if arguments.dry_run:
        return _dry_run(game, agents.load(arguments.agent, game), setups)
    met = load_named(game, [arguments.agent, *others])
    for agent, setup in itertools.product(met, setups):
        if isinstance(agent, Foreign):
            rehearsal.check_plays(game, agent, **setup)
    secret = secret_for(met, arguments.secret)
    dealt = {"seed": arguments.seed, "secret": secret}
    candidate, *references = (agent.name for agent in met)
    known, matches, placed = agents.names(game), [], []
    scores: list[Score] = []
    for setup in setups:
        with progress("rate") as update:
            found = meet_all(game, met, arguments.deals, **dealt, first=True, progress=update, **setup)
        for reference in references:
            scores += score(game, found, candidate, reference, arguments.seed)
        own = [one for one in found if one.agents[0] == candidate and one.agents[-1] in known]
        placed.append((setup, [one for one in own if len(one.agents) > 1]))
        matches += found
    print_scores(game, scores)
    note = _NOTES[nature(game).name]
    seed = told_seed(arguments.seed, secret)
    print(f"\n{arguments.deals} deals each, {seed}; {note}; 95 % intervals over deals")
    forfeits.tell(matches)
    spec = arguments.agent
    placings = [one for setup, own in placed for one in _placed(game, spec, candidate, own, setup, arguments)]
    if arguments.json:
        told = [{**one._asdict(), "beats": one.beats} for one in scores]
        content = {**dealt, "scores": told, "placings": placings, "forfeits": forfeits.found(matches)}
        write_whole(arguments.json, json.dumps(content, indent=1, allow_nan=False))
    return 0


def _dry_run(game: Game, agent: Agent, setups: Sequence[dict[str, Any]]) -> int:
    """Say how `agent` plays a few deals; return the exit code, 1 if it forfeits one."""
    found = [rehearsal.rehearse(game, agent, **setup) for setup in setups]
    for setup, results in zip(setups, found, strict=True):
        assert results.seconds is not None
        slowest = float(results.seconds[results.seating == 0].max())
        used = "" if isnan(slowest) else f", {slowest:.2f} s of its own in the slowest"  # what kernels use is not known
        print(
            f"{agent.name}: {len(results.seeds)} deals of {game.id} at {setup['seats']} seats, {len(results.lost())} "
            f"forfeited{used}"
        )
    forfeits.tell(found)
    return 1 if any(results.lost() for results in found) else 0


# Where it stands on the ladder.

_NEW = "\0the candidate"  # in results to be placed: nobody on a ladder is called so


def _placed(
    game: Game, spec: str, name: str, matches: Sequence[Results], setup: dict[str, Any], arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Place the first agent of `matches`, whose others are agents of the library, on its ladder; tell and return it."""
    ladder = fitting(game, setup)
    if ladder is None or not nature(game).rated:
        return []
    if spec in agents.names(game):  # it stands there already
        own = nature(game).called(spec)
        ratings, against, how = [one for one in ladder.ladder.ratings if one.agent in own], [], ""
    else:
        new = [one._replace(agents=(_NEW, *one.agents[1:])) for one in matches]
        ratings = _ratings(game, new, name, ladder)
        against = sorted({other for one in matches for other in one.agents[1:]})
        how = f", {arguments.deals} deals against each of {', '.join(against)}"
    for one in ratings:
        print(
            f"{one.agent}: rating {one.rating:.0f} ({interval(one.low, one.high, '.0f', 'en')}) on the ladder of "
            f"{game.id}, {setup['seats']} seats{how}"
        )
    seats = setup["seats"]
    return [{"agent": one.agent, "seats": seats, **interval_fields(*one[1:4]), "against": against} for one in ratings]


def _ratings(game: Game, matches: Sequence[Results], name: str, ladder: Leaderboard) -> list[Rating]:
    """Rate the candidate, each role on its own: from the results in which it has that role."""
    kind, found = nature(game), []
    for seat, called in enumerate(kind.called(name)):
        own = [kind.apart(one.where(one.seating[:, seat] == 0)) if kind.roles else one for one in matches]
        known = [one for one in own if set(one.agents[1:]) <= set(ladder.agents)]
        found += [place(known, ladder.ladder)._replace(agent=called)] if known else []
    return found
