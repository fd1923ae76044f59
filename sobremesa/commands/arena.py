"""Play a tournament between agents and rate them."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from sobremesa import __version__, agents, arguments as flags, envs
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.arena.score import for_json, nature
from sobremesa.agents.arena.standings import Standings, Table
from sobremesa.agents.arena.workers import WorkerRefused
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.language.model import load_model
from sobremesa.agents.named import Model, named, programs
from sobremesa.commit import commit
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import forfeits, models as language_models
from sobremesa.report.ladder_words import interval, words_of

EXAMPLE = "sobremesa arena ese_toro_enamorado random simple strong python:mine.py:act --deals 200"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    deals, time_limit, start_limit = (flags.default(plan, name) for name in ("deals", "time_limit", "start_limit"))
    parser.add_argument("game", metavar="GAME", nargs="?", help="name of the game")
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=flags.AGENT_HELP)
    parser.add_argument("--seats", nargs="+", type=flags.integer, help="numbers of seats (default: that of the game)")
    parser.add_argument("--deals", type=flags.count, help=f"deals of a match, each in all seatings (default: {deals})")
    parser.add_argument("--seed", type=flags.whole, help="seed of the deals (default: 0)")
    flags.add_secret(parser)
    parser.add_argument(
        "--mixed", action="store_true", default=None,
        help="add tables where all agents differ; in cooperative games, teams of two agents (default: off)",
    )  # fmt: skip
    flags.add_engine(
        parser, "1 with several threads if all agents are kernels or one is a language model, otherwise one per core"
    )
    parser.add_argument(
        "--time-limit", type=flags.seconds, metavar="SECONDS",
        help=f"time limit for a move of an external agent (default: {time_limit:g})",
    )  # fmt: skip
    parser.add_argument(
        "--start-limit", type=flags.seconds, metavar="SECONDS",
        help=f"time limit for the start of an external agent (default: {start_limit:g})",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results (default: runs/arena-<number>)")
    parser.add_argument(
        "--resume", type=Path, metavar="DIR", help="folder of an interrupted tournament to resume (default: none)"
    )
    parser.add_argument("--json", type=Path, help="file for the results (default: none)")
    flags.add_allowing(parser, "the folder to resume")
    flags.add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play or resume a tournament and print its results."""
    flags.check_folders(arguments, "json")
    _check_together(arguments)
    with flags.folder_for(arguments.resume or arguments.out, "arena") as folder, progress("arena") as update:
        telling = partial(print, f"Playing in {folder}; Ctrl-C stops and keeps the results so far.", flush=True)
        try:
            found = _play(arguments, folder, {"progress": update, "accepted": telling})
        except KeyboardInterrupt:
            if not (folder / tournament.SCHEDULE).exists():
                raise
            print(f"stopped; to resume: {_resuming(folder)}")
            return 130
        except (WorkerRefused, EndpointFailed) as error:
            raise WorkerRefused(f"{error} (to retry: {_resuming(folder)})") from None
    game = envs.load(found.schedule.game)
    results = results_of(game, found)
    print("\n".join(lines_of(game, found, results)))
    flags.write_json(arguments, results)
    return 0


def _check_together(arguments: argparse.Namespace) -> None:
    """Raise ValueError without a game and a folder, and for arguments that cannot be combined."""
    if arguments.resume is None:
        if arguments.game is None:
            raise ValueError(f"arena needs a GAME ({', '.join(envs.all_games())}) and agents, or --resume DIR")
        return
    for name in flags.given(arguments, plan):  # also if it is 0
        raise ValueError(f"{flags.flag(name)} and --resume cannot be combined; the schedule is fixed")
    flags.refuse(arguments, ("setup", "out"), "and --resume cannot be combined; the schedule is fixed")
    if arguments.game is not None:
        raise ValueError(f"GAME and --resume cannot be combined; {arguments.resume} contains the game and the agents")


def _play(arguments: argparse.Namespace, folder: Path, reports: dict[str, Any]) -> Standings:
    engine = {"machines": agents.Machines(processes=arguments.processes, cluster=arguments.cluster), **reports}
    if arguments.resume is not None:
        return agents.resume_tournament(folder, allow_commands=arguments.allow_commands, **engine)
    game = envs.load(arguments.game)
    schedule = flags.given(arguments, plan) | flags.read_setup(game, arguments.setup, "--seats")
    made = {"sobremesa": __version__, "commit": commit()}
    return agents.tournament(game, arguments.agents, folder, made=made, **engine, **schedule)


def _resuming(folder: Path) -> str:
    specs = tournament.read_schedule(folder).specs
    also = " --allow-commands" if any(programs(named(spec)) for spec in specs) else ""
    return f"sobremesa arena --resume {folder}{also}"


def results_of(game: Game, found: Standings) -> dict[str, Any]:
    """Return the results of a tournament for `--json`: win rates, ratings, forfeits and models."""
    schedule, matches = found.schedule, found.matches
    results: dict[str, Any] = {
        "game": game.id,
        "agents": list(schedule.agents),
        "deals": schedule.deals,
        "seed": schedule.seed,
        "secret": schedule.secret,
        "rows": sum(len(match.seeds) for match in matches),
        "forfeits": forfeits.found(matches),
    }
    named_by = zip(schedule.agents, schedule.specs, strict=True)
    models = {name: load_model(one) for name, spec in named_by if isinstance(one := named(spec), Model)}
    if not nature(game).rated:
        teams = for_json([one._asdict() for one in found.teams])
        return results | {"teams": teams, "models": language_models.found(game, matches, models)}
    tables = {
        str(seats): {"agents": one.pairs.agents, "share": for_json(one.pairs.rate.tolist()), "by_seat": one.by_seat}
        for seats, one in found.tables.items()
    }
    ratings = for_json([one._asdict() for one in found.ratings])
    results |= {"tables": tables, "anchor": found.anchor, "ratings": ratings}
    return results | {"models": language_models.found(game, matches, models, found.rate)}


def lines_of(game: Game, found: Standings, results: dict[str, Any]) -> list[str]:
    """Return the lines that `sobremesa arena` prints."""
    lines = []
    if found.teams:
        lines += ["", "success of teams            95 % interval   deals"]
        for team in found.teams:
            lines.append(f"{team.rate:5.3f}  {interval(team.low, team.high, '.3f', 'en'):14}  {team.deals:6,}  "
                         f"{' + '.join(team.team)}")  # fmt: skip
    else:
        for seats, table in found.tables.items():
            title = f"{seats} seats: mean win rate of the row's agent against the column's; equal is {1 / seats:.3f}"
            lines += ["", title, *_matrix(game, table)]
        lines += ["", f"Ratings, {found.anchor} = 0, fitted to all deals:"]
        lines += [_rating(one, found.anchor) for one in results["ratings"]]
        lines.append(words_of(game, "en")["weighs"])
    lines += language_models.lines_of(game, results["models"])
    lines += forfeits.lines_of(results["forfeits"])
    schedule = found.schedule
    setup = "".join(f" {name}={value}" for name, value in schedule.setup.items())
    lines.append("")
    lines.append(
        f"{game.id}{setup}: {results['rows']:,} results, {schedule.deals:,} deals a match, each in all seatings, "
        f"{flags.seed_flags(schedule.seed, schedule.secret)}; 95 % intervals over deals"
    )
    return lines


def _matrix(game: Game, table: Table) -> list[str]:
    """Return the lines of a matrix of win rates, with columns for roles if the game has them."""
    names, roles = table.pairs.agents, nature(game).roles.get("en", ())
    wide = max(len(name) for name in names)
    heads = [f"{number:>5}" for number in range(1, len(names) + 1)] + [f"  as {role}" for role in roles]
    lines = [" " * (wide + 4) + " ".join(heads)]
    for number, (name, row, by_seat) in enumerate(zip(names, table.pairs.rate, table.by_seat, strict=True), 1):
        cells = ["    -" if rate != rate else f"{rate:5.3f}" for rate in row]
        cells += [f"{rate:>{len(role) + 5}.3f}" for rate, role in zip(by_seat, roles, strict=False)]
        lines.append(f"{number:>2}  {name:{wide}} {' '.join(cells)}")
    return lines


def _rating(one: dict[str, Any], anchor: str) -> str:
    low, high = ("open" if one[end] is None else f"{one[end]:+.0f}" for end in ("low", "high"))
    ends = "no interval" if low == high == "open" else f"{low} to {high}"
    ends = "fixed" if one["agent"] == anchor else ends
    return f"{one['rating']:+7.0f}  {ends:18} {one['deals']:7,} deals  {one['agent']}"
