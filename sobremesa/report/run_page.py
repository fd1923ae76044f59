"""Report of a training run: learning curve, scores, and a replay."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w
from markupsafe import Markup

from sobremesa.agents.arena.score import Score, nature, read_score
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.report.curves import drawing, svg
from sobremesa.report.ladder_words import interval
from sobremesa.report.page import render
from sobremesa.training.config.classes import TrainConfig

REPORT, REPLAY = "report.html", "replay.html"

_AGAINST: dict[str, Any] = {
    "beside": "Against",
    "baseline": "among equals",
    "method": "every deal in all cyclic seatings: the bot at one seat, copies of the reference at the others. A sole "
    "win counts 1, a win shared by k counts 1/k.",
    "trained": "The opponents trained against",
}
_TOGETHER: dict[str, Any] = {
    "beside": "Beside",
    "baseline": "of the reference",
    "method": "the same for copies of the bot at all seats and for copies of the reference.",
    "trained": "The partners trained with",
}


def write(
    folder: Path,
    game: Game,
    config: TrainConfig,
    record: dict[str, Any],
    scores: Sequence[Score],
    deals: int,
    seed: int,
) -> None:
    """Write `report.html` into the run `folder`."""
    kind = nature(game)
    words = _AGAINST if kind.rated else _TOGETHER
    head = ["reference", "seats", kind.value, "95 % interval", words["baseline"], "ahead by", "95 % interval"]
    rate = record["steps"] / max(record["seconds"], 1e-9)
    page = render(
        "run",
        title=f"{game.words.title['es']}: a bot learns",
        language="en",
        beside=words["beside"],
        summary=f"{record['steps']:,} decisions in {record['seconds']:.0f} seconds ({rate:,.0f} a second), "
        f"seed {config.seed}, {record['status']}.",
        curve=_curve(record["evaluations"], kind.value, each=kind.rated) if record["evaluations"] else None,
        scores=[[*head, "beats it", "by seat"], *map(_cells, scores)],
        method=f"{deals:,} deals each (seed {seed}), {words['method']} Intervals are over deals. "
        f"{words['trained']} are in the configuration below.",
        replay=REPLAY,
        config=tomli_w.dumps(dataclasses.asdict(config)),
        versions=", ".join(f"{name} {version}" for name, version in record["versions"].items()),
    )
    write_whole(folder / REPORT, page)


def _cells(score: Score) -> list[str]:
    return [
        score.reference, str(score.seats), f"{score.value:.3f}", interval(score.low, score.high, ".3f", "en"),
        f"{score.baseline:.3f}", f"{score.lead:+.3f}", interval(score.lead_low, score.lead_high, "+.3f", "en"),
        "yes" if score.beats else "no", " ".join(f"{rate:.2f}" for rate in score.by_seat),
    ]  # fmt: skip


def _curve(evaluations: Sequence[dict[str, Any]], value: str, each: bool) -> Markup:
    """Return an SVG of the score, called `value`, over the training decisions; with `each`, a line for each reference.

    In cooperative games the team plays the same deals for every reference, so one line is enough.
    """
    lines: dict[str, list[tuple[int, float, float, float]]] = {}
    for evaluation in evaluations:
        for score in map(read_score, evaluation["scores"]):
            point = (evaluation["steps"], score.value, score.low, score.high)
            points = lines.setdefault(f"{score.reference + ', ' if each else ''}{score.seats} seats", [])
            if point not in points:
                points.append(point)
    with drawing() as pyplot:
        figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
        for label, points in lines.items():
            steps, values, lows, highs = zip(*points, strict=True)
            axes.plot(steps, values, marker="o", markersize=4, label=label)
            axes.fill_between(steps, lows, highs, alpha=0.15)
        axes.set(xlabel="decisions trained on", ylabel=value, ylim=(0, 1.02))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M")
        axes.legend(frameon=False, loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
        return svg(figure)
