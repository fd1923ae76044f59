"""The report of a run: a self-contained page with its learning curve, its scores, and a link to a replay."""

import dataclasses
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import tomli_w
from markupsafe import Markup

from sobremesa.agents.arena.play import Score
from sobremesa.agents.arena.teams import TeamScore
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.report.page import render
from sobremesa.training.config import TrainConfig

REPORT, REPLAY = "report.html", "replay.html"

_OF_SEATS: dict[str, Any] = {
    "share": "share of the win",
    "beside": "Against",
    "head": ("reference", "seats", "share of the win", "95 % interval", "fair share", "beats it", "by seat"),
    "method": "every deal in all cyclic seatings: the bot at one seat, copies of the reference at the others. A sole "
    "win counts 1, a win shared by k counts 1/k.",
    "trained": "The opponents trained against",
}
_OF_TEAMS: dict[str, Any] = {
    "share": "deals won",
    "beside": "Beside",
    "head": ("reference", "seats", "deals won", "95 % interval", "ahead by", "95 % interval", "beats it"),
    "method": "the same for copies of the bot at all seats and for copies of the reference.",
    "trained": "The partners trained with",
}


def write(
    folder: Path,
    game: Game,
    config: TrainConfig,
    record: dict[str, Any],
    scores: Sequence[Score] | Sequence[TeamScore],
    deals: int,
    seed: int,
) -> None:
    """Write `report.html` into the run `folder`."""
    words = _OF_TEAMS if game.cooperative else _OF_SEATS
    rate = record["steps"] / max(record["seconds"], 1e-9)
    page = render(
        "run",
        title=f"{game.title['es']}: a bot learns",
        language="en",
        words=words,
        summary=f"{record['steps']:,} decisions in {record['seconds']:.0f} seconds ({rate:,.0f} a second), "
        f"seed {config.seed}, {record['status']}.",
        curve=_curve(record["evaluations"], words["share"]) if record["evaluations"] else None,
        scores=[_cells(score) for score in scores],
        method=f"{deals:,} deals each (seed {seed}), {words['method']} Intervals are bootstrapped over deals. "
        f"{words['trained']} are in the configuration below.",
        replay=REPLAY,
        config=tomli_w.dumps(dataclasses.asdict(config)),
        versions=", ".join(f"{name} {version}" for name, version in record["versions"].items()),
    )
    write_whole(folder / REPORT, page)


def _cells(score: Score | TeamScore) -> list[str]:
    cells = [score.reference, str(score.seats), f"{score.share:.3f}", f"{score.low:.3f} to {score.high:.3f}"]
    verdict = "yes" if score.beats else "no"
    if isinstance(score, TeamScore):
        return [*cells, f"{score.lead:+.3f}", f"{score.lead_low:+.3f} to {score.lead_high:+.3f}", verdict]
    return [*cells, f"{score.fair:.3f}", verdict, " ".join(f"{share:.2f}" for share in score.by_seat)]


def _curve(evaluations: Sequence[dict[str, Any]], share: str) -> Markup:
    """Return an SVG of the win rate, called `share`, beside each reference over the decisions trained on."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines: dict[str, list[tuple[int, float, float, float]]] = {}
    for evaluation in evaluations:
        for score in evaluation["scores"]:
            point = (evaluation["steps"], score["share"], score["low"], score["high"])
            team = "lead" in score  # whose deals are the same whomever it is compared with
            points = lines.setdefault(f"{'' if team else score['reference'] + ', '}{score['seats']} seats", [])
            if point not in points:
                points.append(point)
    with matplotlib.rc_context({"svg.hashsalt": "sobremesa", "font.size": 11, "svg.fonttype": "none"}):
        figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
        for label, points in lines.items():
            steps, shares, lows, highs = zip(*points, strict=True)
            axes.plot(steps, shares, marker="o", markersize=4, label=label)
            axes.fill_between(steps, lows, highs, alpha=0.15)
        axes.set(xlabel="decisions trained on", ylabel=share, ylim=(0, 1.02))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M")
        axes.legend(frameon=False, loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
        pyplot.close(figure)
    svg = out.getvalue()
    return Markup(svg[svg.index("<svg") :])
