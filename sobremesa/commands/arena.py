"""Play a tournament between agents and rate them."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import __version__, agents, envs
from sobremesa.agents.arena import ratings as rating
from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.cluster import Cluster, joined
from sobremesa.agents.arena.leaderboard import pair_rates, seat_values
from sobremesa.agents.arena.parcels import check_travels
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.schedule import Schedule, plan
from sobremesa.agents.arena.score import for_json, nature, success
from sobremesa.agents.arena.workers import WorkerRefused
from sobremesa.agents.external.agent import START_LIMIT, TIME_LIMIT
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.language.model import load_model
from sobremesa.agents.named import Model, named, programs
from sobremesa.arguments import (
    AGENT_HELP,
    add_allowing,
    add_engine,
    add_secret,
    add_setup,
    check_engine,
    check_folders,
    count,
    folder_for,
    integer,
    read_setup,
    seconds,
    seed_flags,
    whole,
)
from sobremesa.commit import commit
from sobremesa.envs.core.compile.threads import cores
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import forfeits
from sobremesa.report import models as language_models
from sobremesa.report.ladder_words import interval, words_of

EXAMPLE = "sobremesa arena ese_toro_enamorado random simple strong python:mine.py:act --deals 200"

_OF_A_SCHEDULE = ("seats", "deals", "seed", "secret", "mixed", "time_limit", "start_limit", "piece")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", nargs="?", help="name of the game")
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=AGENT_HELP)
    parser.add_argument("--seats", nargs="+", type=integer, help="numbers of seats (default: that of the game)")
    parser.add_argument("--deals", type=count, help="deals of a match, each in all seatings (default: 1000)")
    parser.add_argument("--seed", type=whole, help="seed of the deals (default: 0)")
    add_secret(parser)
    parser.add_argument(
        "--mixed", action="store_true", default=None,
        help="add tables where all agents differ; in cooperative games, teams of two agents (default: off)",
    )  # fmt: skip
    add_engine(
        parser, "1 with several threads if all agents are kernels or one is a language model, otherwise one per core"
    )
    parser.add_argument(
        "--time-limit", type=seconds, metavar="SECONDS",
        help=f"time limit for a move of an external agent (default: {TIME_LIMIT:g})",
    )  # fmt: skip
    parser.add_argument(
        "--start-limit", type=seconds, metavar="SECONDS",
        help=f"time limit for the start of an external agent (default: {START_LIMIT:g})",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results (default: runs/arena-<number>)")
    parser.add_argument(
        "--resume", type=Path, metavar="DIR", help="folder of an interrupted tournament to resume (default: none)"
    )
    parser.add_argument("--json", type=Path, help="file for the results (default: none)")
    add_allowing(parser, "the folder to resume")
    add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play or resume a tournament and print its results."""
    check_folders(arguments, "json")
    check_engine(arguments)
    check_travels(arguments.agents if arguments.cluster else ())
    with joined(arguments.cluster) as cluster:
        folder = _begin(arguments) if arguments.resume is None else _resumed(arguments)
        schedule = tournament.read_schedule(folder)
        print(f"Playing in {folder}; Ctrl-C stops and keeps the results so far.", flush=True)
        try:
            _play(folder, schedule, arguments, cluster)
        except KeyboardInterrupt:
            print(f"stopped; to resume: {_resuming(folder, schedule)}")
            return 130
    rows = tournament.read(folder)
    game = envs.load(schedule.game)
    results = results_of(game, schedule, rows)
    print("\n".join(lines_of(game, schedule, results)))
    if arguments.json:
        write_whole(arguments.json, json.dumps(results, indent=1))
    return 0


def _play(folder: Path, schedule: Schedule, arguments: argparse.Namespace, cluster: Cluster | None) -> None:
    processes = arguments.processes or (cores() if _plays_in_python(schedule) else 1)
    allowed = arguments.resume is None or arguments.allow_commands
    with progress("arena") as update:

        def moved(done: int, total: int) -> None:
            update(done, total, cluster.told() if cluster else "")

        try:
            tournament.play(folder, processes, moved, allow_commands=allowed, cluster=cluster)
        except (WorkerRefused, EndpointFailed) as error:
            raise WorkerRefused(f"{error} (to retry: {_resuming(folder, schedule)})") from None


def _resuming(folder: Path, schedule: Schedule) -> str:
    also = " --allow-commands" if any(programs(named(spec)) for spec in schedule.specs) else ""
    return f"sobremesa arena --resume {folder}{also}"


def _begin(arguments: argparse.Namespace) -> Path:
    if arguments.game is None:
        raise ValueError(f"arena needs a GAME ({', '.join(envs.all_games())}) and agents, or --resume DIR")
    game = envs.load(arguments.game)
    given = {name: getattr(arguments, name) for name in _OF_A_SCHEDULE}
    given = {name: value for name, value in given.items() if value is not None}
    setup = read_setup(game, arguments.setup, "--seats")
    made = {"sobremesa": __version__, "commit": commit()}
    schedule = plan(game, arguments.agents, made=made, **given, **setup)
    with folder_for(arguments.out, "arena") as folder:
        tournament.begin(folder, schedule)
        return folder


def _resumed(arguments: argparse.Namespace) -> Path:
    for name in (*_OF_A_SCHEDULE, "setup", "out"):
        if getattr(arguments, name) not in (None, []):
            raise ValueError(f"--{name.replace('_', '-')} and --resume cannot be combined; the schedule is fixed")
    if arguments.game is not None:
        raise ValueError(f"GAME and --resume cannot be combined; {arguments.resume} contains the game and the agents")
    folder: Path = arguments.resume
    return folder


def _plays_in_python(schedule: Schedule) -> bool:
    """Return whether an agent is not a compiled kernel; with a language model, most of the time is waiting."""
    compiled = set(schedule.specs) <= set(agents.scripted_names(envs.load(schedule.game)))
    return not compiled and not any(isinstance(named(spec), Model) for spec in schedule.specs)


def results_of(game: Game, schedule: Schedule, matches: list[Results]) -> dict[str, Any]:
    """Return the results of a tournament for `--json`: win rates, ratings, forfeits and models."""
    kind = nature(game)
    found: dict[str, Any] = {
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
    if not kind.rated:
        teams = for_json([one._asdict() for one in success(matches)])
        return found | {"teams": teams, "models": language_models.found(game, matches, models)}
    tables = {}
    for seats in schedule.seats:
        played = [match for match in matches if match.seating.shape[1] == seats]
        pairs = pair_rates(played)
        by_seat = [[float(values.mean()) for values in seat_values(played, name)] for name in pairs.agents]
        rates = [[None if np.isnan(one) else one for one in row] for row in pairs.rate.tolist()]
        tables[str(seats)] = {"agents": list(pairs.agents), "share": rates, "by_seat": by_seat}
    anchor = next((name for name in schedule.agents if name.startswith("random#")), schedule.agents[0])
    anchor = kind.called(anchor)[0]

    def rate(matches: list[Results]) -> Sequence[rating.Rating]:
        return rating.fit([kind.apart(match) for match in matches], {anchor: 0.0}).ratings

    ratings = [for_json(one._asdict()) for one in rate(matches)]
    found |= {"tables": tables, "anchor": anchor, "ratings": ratings}
    return found | {"models": language_models.found(game, matches, models, rate)}


def lines_of(game: Game, schedule: Schedule, results: dict[str, Any]) -> list[str]:
    """Return the lines that `sobremesa arena` prints."""
    lines = []
    if "teams" in results:
        lines += ["", "success of teams            95 % interval   deals"]
        for one in results["teams"]:
            low, high = (np.nan if one[end] is None else one[end] for end in ("low", "high"))
            lines.append(f"{one['rate']:5.3f}  {interval(low, high, '.3f', 'en'):14}  {one['deals']:6,}  "
                         f"{' + '.join(one['team'])}")  # fmt: skip
    else:
        for seats, table in results["tables"].items():
            equal = 1 / int(seats)
            title = f"{seats} seats: mean win rate of the row's agent against the column's; equal is {equal:.3f}"
            lines += ["", title, *_matrix(game, table)]
        lines += ["", f"Ratings, {results['anchor']} = 0, fitted to all deals:"]
        lines += [_rating(one, results["anchor"]) for one in results["ratings"]]
        lines.append(words_of(game, "en")["weighs"])
    lines += language_models.lines_of(game, results["models"])
    lines += forfeits.lines_of(results["forfeits"])
    setup = "".join(f" {name}={value}" for name, value in schedule.setup.items())
    lines.append("")
    lines.append(
        f"{game.id}{setup}: {results['rows']:,} results, {schedule.deals:,} deals a match, each in all seatings, "
        f"{seed_flags(schedule.seed, schedule.secret)}; 95 % intervals over deals"
    )
    return lines


def _matrix(game: Game, table: dict[str, Any]) -> list[str]:
    """Return the lines of a matrix of win rates, with columns for roles if the game has them."""
    names, roles = table["agents"], nature(game).roles.get("en", ())
    wide = max(len(name) for name in names)
    heads = [f"{number:>5}" for number in range(1, len(names) + 1)] + [f"  as {role}" for role in roles]
    lines = [" " * (wide + 4) + " ".join(heads)]
    for number, (name, row, by_seat) in enumerate(zip(names, table["share"], table["by_seat"], strict=True), 1):
        cells = ["    -" if rate is None else f"{rate:5.3f}" for rate in row]
        cells += [f"{rate:>{len(role) + 5}.3f}" for rate, role in zip(by_seat, roles, strict=False)]
        lines.append(f"{number:>2}  {name:{wide}} {' '.join(cells)}")
    return lines


def _rating(one: dict[str, Any], anchor: str) -> str:
    low, high = ("open" if one[end] is None else f"{one[end]:+.0f}" for end in ("low", "high"))
    ends = "no interval" if low == high == "open" else f"{low} to {high}"
    ends = "fixed" if one["agent"] == anchor else ends
    return f"{one['rating']:+7.0f}  {ends:18} {one['deals']:7,} deals  {one['agent']}"
