"""Rate an agent against reference agents on the same deals, and place it on the ladder."""

import argparse
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

from sobremesa import agents, arguments as flags, envs
from sobremesa.agents.arena.leaderboard_file import interval_fields
from sobremesa.agents.arena.pairings import REHEARSED, rehearse
from sobremesa.agents.arena.rate import DEALS, MOST_DEALS, Placing, references_of, setups_of
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Score, for_json, nature
from sobremesa.agents.arena.sequential import AHEAD, NOT_AHEAD, OPEN
from sobremesa.agents.arena.shutouts import RARE
from sobremesa.agents.language.model import LanguageModel
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import forfeits, models as language_models
from sobremesa.report.ladder_words import interval, words_of
from sobremesa.report.tables import print_scores

_NOTES = {
    "competitive": "win rate among copies of the reference",
    "roles": "payoff compared with the reference in the same role, against the same opponents on the same deals",
    "cooperative": "success of teams of copies, on the same deals for all",
}
_DECIDED = {AHEAD: "ahead", NOT_AHEAD: "not ahead", OPEN: "open"}
_WORDS = {AHEAD: "is ahead of", NOT_AHEAD: "is not ahead of", OPEN: "may or may not be ahead of"}
EXAMPLE = "sobremesa rate ese_toro_enamorado bots/mine --deals 2000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    margin, errors = (flags.default(agents.ahead_of, name) for name in ("margin", "errors"))
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("agent", metavar="AGENT", help=f"agent to rate: {flags.AGENT_HELP}")
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help="reference agents, in the same formats (default: the scripted agents)",
    )  # fmt: skip
    parser.add_argument("--seats", nargs="+", type=flags.integer, help="numbers of seats (default: that of the game)")
    parser.add_argument("--json", type=Path, help="file for the scores (default: none)")
    parser.add_argument(
        "--dry-run", action="store_true", help=f"only play {REHEARSED} deals and print errors (default: off)"
    )
    parser.add_argument(
        "--than", metavar="AGENT", help="test sequentially whether the agent is ahead of this one (default: no test)"
    )
    parser.add_argument("--margin", type=flags.number, help=f"lead that --than must detect (default: {margin})")
    parser.add_argument("--errors", type=flags.number, help=f"error rate of --than (default: {errors})")
    parser.add_argument(
        "--width", type=flags.points, metavar="POINTS",
        help="play until the interval of the rating is at most this wide (default: fixed number of deals)",
    )  # fmt: skip
    parser.add_argument(
        "--deals", type=flags.count,
        help=f"deals, each in all seatings (default: {DEALS}; with --than or --width at most {MOST_DEALS})",
    )  # fmt: skip
    parser.add_argument("--seed", type=flags.whole, default=0, help="seed of the deals (default: 0)")
    flags.add_secret(parser)
    flags.add_engine(parser, "none, several threads")
    flags.add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the matches and print the scores."""
    game = envs.load(arguments.game)
    flags.check_folders(arguments, "json")
    _check_together(arguments)
    setup = flags.read_setup(game, arguments.setup, "--seats")
    if arguments.dry_run:
        return _dry_run(game, arguments, setup)
    flags.write_json(arguments, (_rate if arguments.than is None else _test)(game, arguments, setup))
    return 0


def _check_together(arguments: argparse.Namespace) -> None:
    """Raise ValueError for arguments that cannot be combined."""
    for name in ("width", "against", "dry_run") if arguments.than is not None else ():
        if getattr(arguments, name) not in (None, False):
            raise ValueError(f"--than and {flags.flag(name)} cannot be combined")
    if arguments.dry_run:
        played = ("against", "json", "width", "deals", "secret", "processes", "cluster", "piece")
        flags.refuse(arguments, (*played, *(["seed"] if arguments.seed else [])), "and --dry-run cannot be combined")
    if arguments.than is None:
        flags.refuse(arguments, ("margin", "errors"), "needs --than AGENT")


def _rate(game: Game, arguments: argparse.Namespace, setup: dict[str, Any]) -> dict[str, Any]:
    """Rate the agent, print its scores and its place on the ladder, and return both for JSON."""
    with progress("rate") as update:
        given = flags.given(arguments, agents.rate) | {"machines": flags.machines(arguments)}
        against = arguments.against or ()
        found = agents.rate(game, arguments.agent, against, **given, progress=update, tell=print, **setup)
    dealt = {"seed": arguments.seed, "secret": found.secret}
    print_scores(game, found.scores)
    played = " or ".join(str(one) for one in dict.fromkeys(one.deals for one in found.scores))
    note = _NOTES[nature(game).name]
    print(f"\n{played} deals each, {flags.seed_flags(**dealt)}; {note}; 95 % intervals over deals")
    _show_odd_results(game, found.scores, found.matches)
    models = _show_models(game, found.matches, found.agents)
    placings = _placed(game, found.placings)
    if placings:
        print(words_of(game, "en")["weighs"])
    if isinstance(found.agents[0], LanguageModel):
        models[0]["placings"] = _placed(game, found.placings_legal, "without forfeits, ")
    rows = for_json([{**one._asdict(), "beats": one.beats} for one in found.scores])
    lost = forfeits.found(found.matches)
    return {**dealt, "scores": rows, "placings": placings, "forfeits": lost, "models": models}


def _show_models(game: Game, matches: Sequence[Results], met: Sequence[Agent]) -> list[dict[str, Any]]:
    """Print the forfeits in `matches` and the figures of language models, and return these figures."""
    forfeits.show(matches)
    models = language_models.found(game, matches, language_models.models_of(met), apart=True)
    language_models.show(game, models)
    return models


def _show_odd_results(game: Game, scores: Sequence[Score], matches: Sequence[Results]) -> None:
    """Print where the first agent hardly ever wins, and where deals reached the limit of their length.

    In a cooperative game a candidate never meets the reference.
    """
    for one in () if game.cooperative else scores:
        if one.reference != one.candidate and one.baseline > 0 and one.value < RARE * one.baseline and not one.role:
            print(
                f"{one.candidate} hardly ever wins among {one.reference}, {one.seats} seats: {one.value:.3f}, equal "
                f"play {one.baseline:.3f}; if it is no weaker, watch a deal: an action may block it"
            )
    for match in matches:
        if match.too_long is not None and match.too_long.any():
            print(
                f"{match.too_long.sum():,} of {len(match.seeds):,} results of {' among '.join(match.agents)}, "
                f"{match.seating.shape[1]} seats, reached the limit of the game's length"
            )


def _placed(game: Game, placings: Sequence[Placing], before: str = "") -> list[dict[str, Any]]:
    """Print `placings`, the first line of each number of seats after the words `before`; return them for JSON."""
    rows: list[dict[str, Any]] = []
    for one, seats, against, deals in placings:
        begins = not rows or rows[-1]["seats"] != seats
        how = f", {deals} deals against each of {', '.join(against)}" if against else ""
        print(
            f"{before if begins else ''}{one.agent}: rating {one.rating:.0f} "
            f"({interval(one.low, one.high, '.0f', 'en')}) on the ladder of {game.id}, {seats} seats{how}"
        )
        ends = interval_fields(*one[1:4])
        rows.append({"agent": one.agent, "seats": seats, **ends, "against": list(against)})
    return rows


def _test(game: Game, arguments: argparse.Namespace, setup: dict[str, Any]) -> dict[str, Any]:
    """Test the agent against that of `--than`, print the results, and return them for JSON."""
    given = flags.given(arguments, agents.ahead_of)
    numbers = {name: given.get(name, flags.default(agents.ahead_of, name)) for name in ("margin", "errors")}
    with progress("rate") as update:
        more = {"machines": flags.machines(arguments), "progress": update, "tell": print, **setup}
        found = agents.ahead_of(game, arguments.agent, arguments.than, **given, **more)
    candidate, reference = (agent.name for agent in found.agents)
    tests = []
    for seats, one in found.tests:
        print(
            f"{candidate} {_WORDS[one.decided]} {reference} at {seats} seats: {one.lead:+.3f} "
            f"over {one.deals} deals (log likelihood ratio {one.ratio:+.2f} of ±{one.bound:.2f})"
        )
        tests.append({"seats": seats, **one._asdict(), "decided": _DECIDED[one.decided]})
    models = _show_models(game, found.matches, found.agents)
    dealt, most = {"seed": arguments.seed, "secret": found.secret}, arguments.deals or MOST_DEALS
    print(
        f"{flags.seed_flags(**dealt)}; a lead of {numbers['margin']:g} against none, errors of "
        f"{numbers['errors']:g}, at most {most} deals"
    )
    names = {"candidate": candidate, "reference": reference}
    lost = forfeits.found(found.matches)
    return {**dealt, **names, **numbers, "tests": tests, "forfeits": lost, "models": models}


def _dry_run(game: Game, arguments: argparse.Namespace, setup: dict[str, Any]) -> int:
    """Play a few deals and print errors; return 1 if the agent forfeits a deal, otherwise 0."""
    if not references_of(game, arguments.agent):
        raise ValueError(f"--against names only {arguments.agent} itself; give another agent")
    agent = agents.load(arguments.agent, game)
    setups = setups_of(game, arguments.seats or (), setup)
    found = [rehearse(game, agent, **setup) for setup in setups]
    for setup, results in zip(setups, found, strict=True):
        assert results.seconds is not None
        slowest = float(results.seconds[results.seating == 0].max())
        used = "" if isnan(slowest) else f", {slowest:.2f} s of its own in the slowest"  # not measured for kernels
        print(
            f"{agent.name}: {len(results.seeds)} deals of {game.id} at {setup['seats']} seats, {len(results.lost())} "
            f"forfeited{used}"
        )
    forfeits.show(found)
    return 1 if any(results.lost() for results in found) else 0
