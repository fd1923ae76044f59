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
    "Length, branching and wins are over all deals. Entropy and lead are over the followed deals, measured {looks} "
    "times in each, at equal distances.",
    "Decision entropy is the entropy of the policy if the agent returns one, and otherwise of {answers} actions for "
    "the same view; 0 means that the agent always chooses the same action.",
    "Chances are win rates in {rollouts} rollouts by the same agents. Rollouts vary the order of the cards that no "
    "player has seen and the agents' own randomness; hands and seen cards stay the same. A seat leads if its chance is "
    "above the others' by more than two standard errors. A deal is decided when a winner takes the lead and keeps it.",
    "A point has one future if the rollouts vary nothing and all end alike: a 0 or 1 there is an outcome, not a "
    "chance.",
)


def head(one: Analysis) -> str:
    """Return one line with the agents and the number of deals."""
    agents = " ".join(one.agents) + ", moved by one seat each deal" if len(set(one.agents)) > 1 else one.agents[0]
    return f"{agents}; {one.statistics.deals:,} deals, {one.followed:,} of them followed"


def lines_of(game: Game, found: Sequence[Analysis]) -> list[str]:
    """Return a Markdown table with a column for each number of seats, and notes on the figures."""
    rows = rows_of([one.statistics for one in found], nature(game).roles.get("en"))
    rows.insert(2, ["length of deals, in plies", *(_lengths(one) for one in found)])
    for name in dict.fromkeys(name for one in found for name, _ in one.won):
        rows.append([f"wins, {name}", *(_said(dict(one.won)[name], ".3f") for one in found)])
    rows += [[name, *(say(one) for one in found)] for name, say in _FIGURES.items()]
    return [*markdown(rows), "", *(note.format(**found[0]._asdict()) for note in NOTES)]


def _lengths(one: Analysis) -> str:
    """Return the histogram of lengths between the least plies of its first and of its last column."""
    return f"{one.lengths[0][0]} {''.join(blocks([count for _, count in one.lengths]))} {one.lengths[-1][0]}"


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
    "decision entropy, bits": lambda one: f"{_said(one.entropy.bits)}; at most {one.entropy.most:.2f}",
    "points with one result in all rollouts": lambda one: f"{one.settled:.1%}",
    "points with one future": lambda one: f"{one.single:.1%}",
    "lead changes in a deal": lambda one: _of_lead(one, lambda lead: _said(lead.changes)),
    "deals without a lead change": lambda one: _of_lead(one, lambda lead: f"{lead.none:.1%}"),
    "decided after (5 % to 95 %)": lambda one: _of_lead(
        one, lambda lead: "{:.0%} of the deal ({:.0%} to {:.0%})".format(*lead.decided)
    ),
    "decided by half time": lambda one: _of_lead(one, lambda lead: _said(lead.half, ".1%")),
    "winner's chance during the deal": lambda one: _of_lead(
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
    won = [Bar(name, *share, _said(share, ".3f")) for name, share in one.won]
    fair = nature(game).baseline(statistics.seats)
    length = [f"{spread(statistics.spreads['plies'])} plies"]
    length += [f"{name} {value}: {share:.1%}" for name, of in statistics.counts.items() for value, share in of.items()]
    return {
        "seats": statistics.seats,
        "figures": [["figure", "mean"], *([name, say(one)] for name, say in _FIGURES.items())],
        "length": f"{'; '.join(length)}.",
        "lengths": [count for _, count in one.lengths],
        "plies": [f"{one.lengths[place][0]} plies" for place in (0, len(one.lengths) // 2, -1)],
        "actions": one.branching.parts,
        "bits": one.entropy.looks,
        "most_bits": one.entropy.most,
        "winner": None if one.lead is None else one.lead.winner,
        "wins": wins,
        "won": won,
        "won_ends": (0, 1),
        "win_ends": (0, 1) if fair is None else scale(wins, 0.8 * fair, 1.2 * fair),
        "fair": fair,
    }
