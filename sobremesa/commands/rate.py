"""Rate an agent against reference agents on the same deals, and place it on the ladder."""

import argparse
import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.arena.cluster import joined
from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.leaderboard_file import interval_fields
from sobremesa.agents.arena.pairings import REHEARSED, check_plays, meet_all, rehearse, who_meets
from sobremesa.agents.arena.parcels import check_travels
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.ratings import Rating, place
from sobremesa.agents.arena.results import Results, join
from sobremesa.agents.arena.score import Score, for_json, nature, score
from sobremesa.agents.arena.sequential import AHEAD, NOT_AHEAD, OPEN, decide, leads
from sobremesa.agents.arena.sequential import meet as meet_two
from sobremesa.agents.arena.shutouts import RARE
from sobremesa.agents.arena.tournament import Meet
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.language.model import LanguageModel
from sobremesa.arguments import (
    AGENT_HELP,
    add_engine,
    add_secret,
    add_setup,
    check_engine,
    check_folders,
    count,
    integer,
    number,
    points,
    read_setup,
    seed_flags,
    whole,
)
from sobremesa.commands.ladder import fitting, load_named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.matches import Meetings
from sobremesa.progress import Progress, progress
from sobremesa.report import forfeits
from sobremesa.report import models as language_models
from sobremesa.report.ladder_words import interval, words_of
from sobremesa.report.tables import print_scores

_NOTES = {
    "competitive": "win rate among copies of the reference",
    "roles": "payoff compared with the reference in the same role, against the same opponents on the same deals",
    "cooperative": "success of teams of copies, on the same deals for all",
}
DEALS, MOST_DEALS = 1000, 20_000  # deals of each pair: fixed, and the limit of sequential tests
MARGIN, ERRORS = 0.02, 0.05
EXAMPLE = "sobremesa rate ese_toro_enamorado bots/mine --deals 2000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("agent", metavar="AGENT", help=f"agent to rate: {AGENT_HELP}")
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help="reference agents, in the same formats (default: the scripted agents)",
    )  # fmt: skip
    parser.add_argument("--seats", nargs="+", type=integer, help="numbers of seats (default: that of the game)")
    parser.add_argument("--json", type=Path, help="file for the scores (default: none)")
    parser.add_argument(
        "--dry-run", action="store_true", help=f"only play {REHEARSED} deals and print errors (default: off)"
    )
    parser.add_argument(
        "--than", metavar="AGENT", help="test sequentially whether the agent is ahead of this one (default: no test)"
    )
    parser.add_argument("--margin", type=number, help=f"lead that --than must detect (default: {MARGIN})")
    parser.add_argument("--errors", type=number, help=f"error rate of --than (default: {ERRORS})")
    parser.add_argument(
        "--width", type=points, metavar="POINTS",
        help="play until the interval of the rating is at most this wide (default: fixed number of deals)",
    )  # fmt: skip
    parser.add_argument(
        "--deals", type=count,
        help=f"deals, each in all seatings (default: {DEALS}; with --than or --width at most {MOST_DEALS})",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole, default=0, help="seed of the deals (default: 0)")
    add_secret(parser)
    add_engine(parser, "none, several threads")
    add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play the matches and print the scores."""
    game = envs.load(arguments.game)
    check_folders(arguments, "json")
    _check_together(arguments)
    check_engine(arguments, "piece")
    setup = read_setup(game, arguments.setup, "--seats")
    setups = [{**setup, "seats": count} for count in dict.fromkeys(arguments.seats or [game.default_seats])]
    test = arguments.than is not None
    named = [arguments.than] if test else arguments.against or agents.scripted_names(game)
    others = [spec for spec in dict.fromkeys(named) if spec != arguments.agent]
    if not others:
        option = "--than" if test else "--against"
        raise ValueError(f"{option} names only {arguments.agent} itself; give another agent")
    if arguments.dry_run:
        return _dry_run(game, agents.load(arguments.agent, game), setups)
    specs = [arguments.agent, *others]
    check_travels(specs if arguments.cluster else ())
    met = load_named(game, specs)
    for agent, setup in itertools.product(met, setups):
        if isinstance(agent, ExternalAgent):
            check_plays(game, agent, **setup)
    dealt = {"seed": arguments.seed, "secret": secret_for(met, arguments.secret)}
    with joined(arguments.cluster) as cluster:
        meetings = Meetings("rate", game, specs, met, dealt, arguments, cluster)
        content = (_test if test else _rate)(meetings, setups)
    if arguments.json:
        write_whole(arguments.json, json.dumps({**dealt, **content}, indent=1, allow_nan=False))
    return 0


def _check_together(arguments: argparse.Namespace) -> None:
    """Raise ValueError for arguments that cannot be combined."""
    given = [name for name in ("than", "width", "against", "dry_run") if getattr(arguments, name) not in (None, False)]
    if arguments.than is not None and len(given) > 1:
        raise ValueError(f"--than and --{given[1].replace('_', '-')} cannot be combined")
    for name in ("against", "json", "width", "deals", "seed", "secret", "processes", "cluster"):
        if arguments.dry_run and getattr(arguments, name):
            raise ValueError(f"--{name} and --dry-run cannot be combined")
    for name in ("margin", "errors"):
        if getattr(arguments, name) is not None and arguments.than is None:
            raise ValueError(f"--{name} needs --than AGENT")


def _rate(meetings: Meetings, setups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Play, print the scores and the place on the ladder, and return both for JSON."""
    game, met, dealt, arguments = meetings.game, meetings.met, meetings.dealt, meetings.arguments
    candidate, *references = (agent.name for agent in met)
    known, matches, placed = agents.names(game), [], []
    scores: list[Score] = []
    for setup in setups:
        if arguments.width:
            found = _until_placed(meetings, setup)
        else:
            with progress("rate") as update, _beside(meetings, setup, arguments.deals or DEALS, update) as meet:
                found = meet(range(arguments.deals or DEALS))
        for reference in references:
            scores += score(game, found, candidate, reference, arguments.seed)
        own = [one for one in found if one.agents[0] == candidate and one.agents[-1] in known]
        placed.append((setup, [one for one in own if len(one.agents) > 1]))
        matches += found
    print_scores(game, scores)
    note = _NOTES[nature(game).name]
    played = " or ".join(str(one) for one in dict.fromkeys(one.deals for one in scores))
    print(f"\n{played} deals each, {seed_flags(**dealt)}; {note}; 95 % intervals over deals")
    _show_odd_results(game, scores, matches)
    forfeits.show(matches)
    models = language_models.found(game, matches, language_models.models_of(met), apart=True)
    language_models.show(game, models)
    placings = [one for setup, own in placed for one in _placed(game, arguments.agent, candidate, own, setup)]
    if placings:
        print(words_of(game, "en")["weighs"])
    rows = for_json([{**one._asdict(), "beats": one.beats} for one in scores])
    if isinstance(met[0], LanguageModel):
        models[0]["placings"] = _placed_legally(game, arguments.agent, candidate, placed)
    return {"scores": rows, "placings": placings, "forfeits": forfeits.found(matches), "models": models}


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


_DECIDED = {AHEAD: "ahead", NOT_AHEAD: "not ahead", OPEN: "open"}
_WORDS = {AHEAD: "is ahead of", NOT_AHEAD: "is not ahead of", OPEN: "may or may not be ahead of"}


def _test(meetings: Meetings, setups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Run a sequential test of the first agent against the second, print it, and return it for JSON."""
    game, met, dealt, arguments = meetings.game, meetings.met, meetings.dealt, meetings.arguments
    margin = MARGIN if arguments.margin is None else arguments.margin
    errors = ERRORS if arguments.errors is None else arguments.errors
    candidate, reference = met
    most, tests, played = arguments.deals or MOST_DEALS, [], list[Results]()
    wanted: list[tuple[int, ...]] = [(0, 1)] if nature(game).rated else [(0,), (1,)]
    for setup in setups:
        here = partial(meet_two, game, candidate, reference, **dealt, **setup)
        with progress("rate") as update, meetings.at(setup, wanted, most, here, _silent) as meet:

            def play(deals: range, meet: Meet = meet, update: Progress = update) -> np.ndarray:
                update(deals.stop, most, "at most; the test ends when it is decided")
                played.extend(meet(deals))
                return leads(game, played[-1:] if nature(game).rated else played[-2:])

            found = decide(play, margin, errors, most)
        print(
            f"{candidate.name} {_WORDS[found.decided]} {reference.name} at {setup['seats']} seats: {found.lead:+.3f} "
            f"over {found.deals} deals (log likelihood ratio {found.ratio:+.2f} of ±{found.bound:.2f})"
        )
        tests.append({"seats": setup["seats"], **found._asdict(), "decided": _DECIDED[found.decided]})
    forfeits.show(played)
    models = language_models.found(game, played, language_models.models_of(met))
    language_models.show(game, models)
    print(f"{seed_flags(**dealt)}; a lead of {margin:g} against none, errors of {errors:g}, at most {most} deals")
    names = {"candidate": candidate.name, "reference": reference.name}
    return {**names, "margin": margin, "errors": errors, "tests": tests, "forfeits": forfeits.found(played),
            "models": models}  # fmt: skip


@contextmanager
def _beside(meetings: Meetings, setup: dict[str, Any], most: int, update: Progress) -> Iterator[Meet]:
    """Yield a function that plays the first agent against each of the others."""
    game, met = meetings.game, meetings.met
    here = partial(meet_all, game, met, **meetings.dealt, first=True, progress=update, **setup)
    with meetings.at(setup, who_meets(game, len(met), setup["seats"], first=True), most, here, update) as meet:
        yield meet


def _silent(*_: Any) -> None:
    """Ignore progress, which the caller reports."""


def _dry_run(game: Game, agent: Agent, setups: Sequence[dict[str, Any]]) -> int:
    """Play a few deals and print errors; return 1 if `agent` forfeits a deal, otherwise 0."""
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


_FIRST_LOOK, _PART = 64, 4  # deals before the first interval; after each interval a quarter more
_NEW = "\0the candidate"  # name of the rated agent, different from all names on a ladder


def _until_placed(meetings: Meetings, setup: dict[str, Any]) -> list[Results]:
    """Play until the interval of the first agent's rating is at most `--width` wide, or the deals are used up."""
    game, met, arguments = meetings.game, meetings.met, meetings.arguments
    ladder = fitting(game, setup) if nature(game).rated else None
    if ladder is None or arguments.agent in agents.names(game):
        why = f"{arguments.agent} is already on the ladder" if ladder else f"{game.name} has no ladder for {setup}"
        raise ValueError(f"--width {arguments.width:g} is not allowed: {why}")
    name, most, parts = met[0].name, arguments.deals or MOST_DEALS, list[list[Results]]()
    known = set(agents.names(game))
    if not known & {agent.name for agent in met[1:]}:
        raise ValueError(
            f"--width {arguments.width:g}: no agent of --against is on the ladder; add one, such as strong"
        )
    deals = range(min(_FIRST_LOOK, most))
    with progress("rate") as update, _beside(meetings, setup, most, _silent) as meet:
        while True:
            parts.append(meet(deals))
            found = [join(match) for match in zip(*parts, strict=True)]
            own = [one for one in found if len(one.agents) > 1 and one.agents[0] == name and one.agents[1] in known]
            widest = max(one.high - one.low for one in _ratings(game, _as_new(own), name, ladder))
            update(deals.stop, most, f"to within {widest:.0f} points")
            if widest <= arguments.width or deals.stop >= most:
                return found
            deals = range(deals.stop, min(deals.stop + max(_FIRST_LOOK, deals.stop // _PART), most))


def _as_new(matches: Sequence[Results]) -> list[Results]:
    return [one._replace(agents=(_NEW, *one.agents[1:])) for one in matches]


def _placed(
    game: Game, spec: str, name: str, matches: Sequence[Results], setup: dict[str, Any]
) -> list[dict[str, Any]]:
    """Place the first agent of `matches` on the published ladder; print and return its ratings."""
    ladder = fitting(game, setup)
    if ladder is None or not nature(game).rated:
        return []
    if spec in agents.names(game):  # already on the ladder
        own = nature(game).called(spec)
        ratings, against, how = [one for one in ladder.ladder.ratings if one.agent in own], [], ""
    else:
        ratings = _ratings(game, _as_new(matches), name, ladder)
        against = sorted({other for one in matches for other in one.agents[1:]})
        deals = max((len(set(one.seeds.tolist())) for one in matches), default=0)
        how = f", {deals} deals against each of {', '.join(against)}"
    for one in ratings:
        print(
            f"{one.agent}: rating {one.rating:.0f} ({interval(one.low, one.high, '.0f', 'en')}) on the ladder of "
            f"{game.id}, {setup['seats']} seats{how}"
        )
    seats = setup["seats"]
    return [{"agent": one.agent, "seats": seats, **interval_fields(*one[1:4]), "against": against} for one in ratings]


def _placed_legally(game: Game, spec: str, name: str, placed: Sequence[Any]) -> list[dict[str, Any]]:
    """As `_placed` for each setup and its matches in `placed`, over the episodes without a forfeit."""
    found = []
    for setup, own in placed:
        kept = [one for one in map(language_models.legal, own) if len(one.seeds)]
        if kept and any(one.forfeited() for one in own) and fitting(game, setup):
            print("without forfeits, ", end="")
            found += _placed(game, spec, name, kept, setup)
    return found


def _ratings(game: Game, matches: Sequence[Results], name: str, ladder: Leaderboard) -> list[Rating]:
    """Rate the candidate, separately for each role of the game."""
    kind, found = nature(game), []
    for seat, called in enumerate(kind.called(name)):
        own = [kind.apart(one.where(one.seating[:, seat] == 0)) if kind.roles else one for one in matches]
        known = [one for one in own if set(one.agents[1:]) <= set(ladder.agents)]
        found += [place(known, ladder.ladder)._replace(agent=called)] if known else []
    return found
