"""The report of a run: a self-contained page with its learning curve, its scores, and a link to a replay."""

import dataclasses
import html
import io
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import matplotlib
import tomli_w

from sobremesa.agents.arena.play import Score
from sobremesa.agents.arena.teams import TeamScore
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.training.config import TrainConfig

REPORT, REPLAY = "report.html", "replay.html"

_PAGE = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
 body { margin: 0; background: #fbf6ec; color: #2a1a1f; font: 16px/1.6 "DejaVu Sans", Verdana, sans-serif }
 main { max-width: 900px; margin: 0 auto; padding: 24px } h1 { margin: 0 } h2 { margin: 32px 0 8px; font-size: 20px }
 table { border-collapse: collapse; width: 100% } th, td { padding: 4px 10px; text-align: right }
 th { border-bottom: 2px solid #8a5a44 } td { border-bottom: 1px solid #e4d6bf } th:first-child, td:first-child
 { text-align: left } svg { max-width: 100%; height: auto } pre { background: #f1e7d5; padding: 12px; overflow: auto }
 iframe { width: 100%; height: 860px; border: 0; border-radius: 8px } .yes { color: #1c6b3a; font-weight: bold }
</style>
<main><h1>$title</h1><p>$summary</p>
<h2>Learning curve</h2>$curve
<h2>$beside the agents that come with the game</h2>
<table><tr>$head</tr>$rows</table>
<p>$method</p>
<h2>A deal</h2><iframe src="$replay" title="a deal"></iframe>
<h2>Configuration</h2><pre>$config</pre><p>$versions</p></main></html>
""")


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
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    page = _PAGE.substitute(
        title=html.escape(f"{game.title['es']}: a bot learns"),
        summary=f"{record['steps']:,} decisions in {record['seconds']:.0f} seconds ({rate:,.0f} a second), "
        f"seed {config.seed}, {record['status']}.",
        curve=_curve(record["evaluations"], words["share"]),
        beside=words["beside"],
        head="".join(f"<th>{title}</th>" for title in words["head"]),
        rows="".join(_row(score) for score in scores),
        method=f"{deals:,} deals each (seed {seed}), {words['method']} Intervals are bootstrapped over deals. "
        f"{words['trained']} are in the configuration below.",
        replay=REPLAY,
        config=html.escape(tomli_w.dumps(dataclasses.asdict(config))),
        versions=html.escape(versions),
    )
    write_whole(folder / REPORT, page)


def _row(score: Score | TeamScore) -> str:
    verdict = '<span class="yes">yes</span>' if score.beats else "no"
    cells = [html.escape(score.reference), score.seats, f"{score.share:.3f}", f"{score.low:.3f} to {score.high:.3f}"]
    if isinstance(score, TeamScore):
        cells += [f"{score.lead:+.3f}", f"{score.lead_low:+.3f} to {score.lead_high:+.3f}", verdict]
    else:
        cells += [f"{score.fair:.3f}", verdict, " ".join(f"{share:.2f}" for share in score.by_seat)]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _curve(evaluations: Sequence[dict[str, Any]], share: str) -> str:
    """Return an SVG of the share won, called `share`, beside each reference over the decisions trained on."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    if not evaluations:
        return "<p>The run ended before its first evaluation.</p>"
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
    return svg[svg.index("<svg") :]
