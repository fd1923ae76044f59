"""Lines and page of `sobremesa analyse`."""

from collections.abc import Callable, Sequence
from typing import Any

from sobremesa.agents.arena.analysis import Analysis
from sobremesa.agents.arena.score import Estimate, nature
from sobremesa.agents.arena.statistics import Lead
from sobremesa.envs.core.game import Game
from sobremesa.report.figures import rows_of, spread, win_names
from sobremesa.report.ladder_words import interval
from sobremesa.report.page import Bar, render, scale
from sobremesa.report.tables import markdown

BLOCKS = "▁▂▃▄▅▆▇█"
NO_LEAD = "not available: every rollout is the same future"
NOTES = (
    "Length, branching and wins are of all deals; entropy and lead of those that are followed, each looked at {looks} "
    "times, at even parts of its plies.",
    "Decision entropy: how far a choice is from settled, from the policy of an agent that tells it, otherwise from "
    "{answers} answers to the same question; 0 is an agent that would always do the same.",
    "Chances are win rates in {rollouts} rollouts by the same agents, over orders of the cards that no player has seen "
    "and the agents' own chance; what a player holds or has seen stays as it is. A seat leads where its chance is "
    "above the others' by more than two standard errors; a deal is decided where a later winner leads and keeps the "
    "lead.",
    "A look has one future where all of its rollouts end alike, so that nothing was varied: a 0 or 1 there is an "
    "outcome, not a chance.",
)


def head(one: Analysis) -> str:
    """Return one line with the agents and the number of deals."""
    who = " ".join(one.agents) + ", moving on by a seat each deal" if len(set(one.agents)) > 1 else one.agents[0]
    return f"{who}; {one.statistics.deals:,} deals, {one.followed:,} of them followed"


def lines_of(game: Game, found: Sequence[Analysis]) -> list[str]:
    """Return a Markdown table with a column for each number of seats, and notes on the figures."""
    rows = rows_of([one.statistics for one in found], nature(game).roles.get("en"))
    rows.insert(2, ["length of deals", *("".join(blocks([count for _, count in one.lengths])) for one in found)])
    rows += [[name, *(say(one) for one in found)] for name, say in _FIGURES.items()]
    return [*markdown(rows), "", *(note.format(**found[0]._asdict()) for note in NOTES)]


def blocks(values: Sequence[float]) -> list[str]:
    """Return a block character for each of `values`, scaled to the largest; a blank for 0."""
    top = max(values, default=0) or 1
    return [BLOCKS[min(int(len(BLOCKS) * value / top), len(BLOCKS) - 1)] if value else " " for value in values]


def _said(share: Estimate, form: str = ".2f") -> str:
    return f"{share.mean:{form}} ({interval(share.low, share.high, form, 'en')})"


def _of_lead(one: Analysis, say: Callable[[Lead], str]) -> str:
    return NO_LEAD if one.lead is None else say(one.lead)


_FIGURES: dict[str, Callable[[Analysis], str]] = {
    "actions to choose from (5 % to 95 %)": lambda one: spread(one.branching.actions),
    "actions by tenth of the deal": lambda one: " ".join(f"{value:.1f}" for value in one.branching.parts),
    "decision entropy, bits": lambda one: f"{_said(one.entropy.bits)}; all alike would be {one.entropy.most:.2f}",
    "looks with one result in all rollouts": lambda one: f"{one.settled:.1%}",
    "looks with one future": lambda one: f"{one.single:.1%}",
    "changes of the lead in a deal": lambda one: _of_lead(one, lambda lead: _said(lead.changes)),
    "deals without a change of it": lambda one: _of_lead(one, lambda lead: f"{lead.none:.1%}"),
    "decided after (5 % to 95 %)": lambda one: _of_lead(
        one, lambda lead: "{:.0%} of the deal ({:.0%} to {:.0%})".format(*lead.decided)
    ),
    "decided by half time": lambda one: _of_lead(one, lambda lead: _said(lead.half, ".1%")),
    "winner's chance on the way": lambda one: _of_lead(
        one, lambda lead: " ".join(f"{value:.2f}" for value in lead.winner[::3])
    ),
}


def report(game: Game, found: Sequence[Analysis], seed: int) -> str:
    """Return a page (HTML) with the figures as charts, a part for each number of seats."""
    return render(
        "analysis",
        title=f"Deals of {game.words.title['en']}",
        language="en",
        line=f"{game.id}: {head(found[0])}, --seed {seed}",
        tables=[_charts(game, one) for one in found],
        notes=[note.format(**found[0]._asdict()) for note in NOTES],
    )


def _charts(game: Game, one: Analysis) -> dict[str, Any]:
    """Return the chart data of one number of seats."""
    statistics = one.statistics
    names = win_names(statistics.seats, nature(game).roles.get("en"))
    wins = [Bar(name, *share, _said(share, ".3f")) for name, share in zip(names, statistics.wins, strict=True)]
    fair = nature(game).baseline(statistics.seats)
    length = [f"{spread(statistics.spreads['plies'])} plies"]
    length += [f"{name} {value}: {share:.1%}" for name, of in statistics.counts.items() for value, share in of.items()]
    return {
        "seats": statistics.seats,
        "figures": [["figure", "mean"], *([name, say(one)] for name, say in _FIGURES.items())],
        "length": f"{'; '.join(length)}.",
        "lengths": [count for _, count in one.lengths],
        "plies": [one.lengths[place][0] for place in (0, len(one.lengths) // 2, -1)],
        "actions": one.branching.parts,
        "bits": one.entropy.looks,
        "most_bits": one.entropy.most,
        "winner": None if one.lead is None else one.lead.winner,
        "wins": wins,
        "win_ends": (0, 1) if fair is None else scale(wins, 0.8 * fair, 1.2 * fair),
        "fair": fair,
    }
