"""Tell what deals between agents are like to play."""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.arena import analysis
from sobremesa.agents.arena.analysis import Analysis
from sobremesa.agents.arena.statistics import Share
from sobremesa.arguments import AGENT_HELP, add_deals, add_setup, check_folders, count, read_setup
from sobremesa.commands import stats
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import page
from sobremesa.report.page import Bar

EXAMPLE = "sobremesa analyse ese_toro_enamorado strong simple -o deals.html"

BLOCKS = "▁▂▃▄▅▆▇█"
NOTES = (
    "Length, branching and wins are of all deals; entropy and lead of those that are followed, each looked at {looks} "
    "times, at even parts of its plies.",
    "Decision entropy: how far a choice is from settled, from the policy of an agent that tells it, otherwise from "
    "{answers} answers to the same question; 0 is an agent that would always do the same.",
    "Chances are shares of the win in {rollouts} rollouts by the same agents from the true table, what is hidden "
    "included. A seat leads where its chance is above the others' by more than two standard errors; a deal is decided "
    "where a later winner leads and keeps the lead.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*",
        help=f"one a seat, or one for all seats: {AGENT_HELP} (default: the best scripted one at all)",
    )  # fmt: skip
    parser.add_argument(
        "--seats", type=int, nargs="+", help="players at the table (default: one for each AGENT, or the game's own)"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    parser.add_argument("-o", "--out", type=Path, help="write a page (.html) here")
    add_setup(parser)
    add_deals(parser, 2000, "at each number of seats")
    parser.add_argument(
        "--followed", type=count, default=analysis.FOLLOWED,
        help=f"of them, for entropy and lead (default: {analysis.FOLLOWED})",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print what deals between agents are like, and write it where the arguments say; return the exit code."""
    game = envs.load(arguments.game)
    check_folders(arguments, "out", "json")
    if arguments.out and arguments.out.suffix != ".html":
        raise ValueError(f"--out {arguments.out}: the ending is .html")
    seated = [agents.load(spec, game) for spec in arguments.agents or agents.scripted_names(game)[-1:]]
    setup = read_setup(game, arguments.setup, "--seats")
    usual = game.default_seats if len(seated) == 1 else len(seated)
    found = []
    for seats in arguments.seats or [usual]:
        with progress(f"{seats} seats") as update, warnings.catch_warnings():
            warnings.showwarning = lambda told, *_: print(f"sobremesa: {told}", file=sys.stderr)
            table = {**setup, "seats": seats}
            found.append(
                analysis.analyse(
                    game, seated, arguments.deals, seed=arguments.seed, followed=arguments.followed, progress=update,
                    **table,
                )
            )  # fmt: skip
    print(f"{game.id}: {head(found[0])}, --seed {arguments.seed}\n")
    print("\n".join(lines_of(game, found)))
    if arguments.json:
        tables = [{**one._asdict(), "statistics": one.statistics._asdict()} for one in found]
        fields = {"game": game.id, "seed": arguments.seed, "setup": setup, "tables": tables}
        write_whole(arguments.json, json.dumps(fields, indent=1, allow_nan=False))
    if arguments.out:
        write_whole(arguments.out, report(game, found, arguments.seed))
        print(f"report: {arguments.out}")
    return 0


def head(one: Analysis) -> str:
    """Return one line on who plays and how many deals there are."""
    who = " ".join(one.agents) + ", moving on by a seat each deal" if len(set(one.agents)) > 1 else one.agents[0]
    return f"{who}; {one.statistics.deals:,} deals, {one.followed:,} of them followed"


def lines_of(game: Game, found: Sequence[Analysis]) -> list[str]:
    """Return the lines of a Markdown table, one column for each number of seats, and what the figures mean."""
    rows = stats.rows_of([one.statistics for one in found], game.roles["en"] if game.roles else None)
    rows.insert(2, ["length of deals", *("".join(blocks([count for _, count in one.lengths])) for one in found)])
    rows += [[name, *(say(one) for one in found)] for name, say in _FIGURES.items()]
    return [*stats.markdown(rows), "", *(note.format(**found[0]._asdict()) for note in NOTES)]


def blocks(values: Sequence[float]) -> list[str]:
    """Return a little column for each of `values`, the tallest for the largest; a blank for nothing."""
    top = max(values, default=0) or 1
    return [BLOCKS[min(int(len(BLOCKS) * value / top), len(BLOCKS) - 1)] if value else " " for value in values]


def _said(share: Share, form: str = ".2f") -> str:
    return f"{share.mean:{form}} ({share.low:{form}} to {share.high:{form}})"


_FIGURES: dict[str, Callable[[Analysis], str]] = {
    "actions to choose from (5 % to 95 %)": lambda one: stats.spread(one.branching.actions),
    "actions by tenth of the deal": lambda one: " ".join(f"{value:.1f}" for value in one.branching.parts),
    "decision entropy, bits": lambda one: f"{_said(one.entropy.bits)}; all alike would be {one.entropy.most:.2f}",
    "changes of the lead in a deal": lambda one: _said(one.lead.changes),
    "deals without a change of it": lambda one: f"{one.lead.none:.1%}",
    "decided after (5 % to 95 %)": lambda one: "{:.0%} of the deal ({:.0%} to {:.0%})".format(*one.lead.decided),
    "decided by half time": lambda one: _said(one.lead.half, ".1%"),
    "winner's chance on the way": lambda one: " ".join(f"{value:.2f}" for value in one.lead.winner[::3]),
}


def report(game: Game, found: Sequence[Analysis], seed: int) -> str:
    """Return a page (HTML) with the figures as charts, a part for each number of seats."""
    parts = [f'<p class="quiet">{page.text(f"{game.id}: {head(found[0])}, --seed {seed}")}</p>']
    for one in found:
        parts += _charts(game, one)
    parts += [page.heading("What the figures mean")]
    parts += [f"<p>{page.text(note.format(**found[0]._asdict()))}</p>" for note in NOTES]
    return page.write(f"Deals of {game.title['en']}", "en", parts)


def _charts(game: Game, one: Analysis) -> list[str]:
    figures, lead = one.statistics, one.lead
    names = stats.win_names(figures.seats, game.roles["en"] if game.roles else None)
    wins = [Bar(name, *share, _said(share, ".3f")) for name, share in zip(names, figures.wins, strict=True)]
    fair = None if game.cooperative else 1 / figures.seats
    length = [f"{stats.spread(figures.spreads['plies'])} plies"]
    length += [f"{name} {value}: {share:.1%}" for name, of in figures.counts.items() for value, share in of.items()]
    low, high = min(one.branching.parts), max(one.branching.parts)
    plies = [str(one.lengths[place][0]) for place in (0, len(one.lengths) // 2, -1)]
    course = ["beginning", "end"]
    return [
        page.heading(f"{figures.seats} seats"),
        page.table([["figure", "mean"], *([name, say(one)] for name, say in _FIGURES.items())]),
        page.heading("Length", f"{'; '.join(length)}.", 3),
        page.columns([count for _, count in one.lengths], plies),
        page.heading("Actions to choose from", f"Mean in each tenth of the deal, {low:.1f} to {high:.1f}.", 3),
        page.columns(one.branching.parts, course),
        page.heading("Decision entropy", f"Mean at each look; the whole height is {one.entropy.most:.2f} bits.", 3),
        page.columns(one.entropy.looks, course, max(one.entropy.most, *one.entropy.looks)),
        page.heading("Chance of those who win in the end", "At each look; the whole height is certainty.", 3),
        page.columns(lead.winner, course, 1.0),
        page.heading("Balance", "Success of the team." if fair is None else "Share of the win. Dashed: fair.", 3),
        page.bars(wins, (0, 1) if fair is None else page.scale(wins, 0.8 * fair, 1.2 * fair), fair),
    ]
