"""Learning curves as SVG, drawn by Matplotlib; equal points give equal bytes."""

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from markupsafe import Markup

_WIDTH = 3  # panels in a row
_PANEL, _LABEL = 2.6, 0.25  # height in inches of a row of panels, and of a row of labels or the axis title
_LETTERS, _MARK = 110, 7  # characters in a row of labels, and those that the mark of a label takes
_COLOURS, _DASHES = 10, ("-", "--", "-.")  # of matplotlib; dashes when the colours are used up


class Line(NamedTuple):
    """A curve with a band; without points a horizontal line."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


class Panel(NamedTuple):
    """A small chart of several lines."""

    title: str
    lines: Sequence[Line]


@contextmanager
def drawing() -> Iterator[Any]:
    """Yield Matplotlib's pyplot with settings for reproducible SVG."""
    import matplotlib  # optional: tables need no Matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": "sobremesa", "font.size": 11, "svg.fonttype": "none"}):
        yield pyplot


def svg(figure: Any) -> Markup:
    """Return a figure of pyplot's as SVG for a page, and close it."""
    from matplotlib import pyplot

    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    pyplot.close(figure)
    text = out.getvalue()
    return Markup(text[text.index("<svg") :])


def grid(panels: Sequence[Panel], xlabel: str, ylabel: str, levels: Sequence[float] = ()) -> Markup:
    """Return `panels` in rows as one SVG, with one line style per label and dashed grey `levels`."""
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    rows = -(-len(panels) // _WIDTH)
    with drawing() as pyplot:
        width, columns = min(_WIDTH, len(panels)), _columns(labels)
        height = _PANEL * rows + _LABEL * (1 + math.ceil(len(labels) / columns))
        figure, axes = pyplot.subplots(rows, width, figsize=(9, height), layout="constrained", squeeze=False)
        for place, axis in enumerate(axes.flat):
            if place < len(panels):
                _draw(axis, panels[place], labels, levels)
            else:
                axis.set_visible(False)
        figure.supxlabel(xlabel, fontsize=11)
        figure.supylabel(ylabel, fontsize=11)
        marks = [pyplot.Line2D([], [], **_look(number), label=label) for number, label in enumerate(labels)]
        figure.legend(handles=marks, loc="outside upper center", ncols=columns, frameon=False)
        return svg(figure)


def _short(value: float) -> str:
    """Return a number of an axis: 1.5M, 250k, 40."""
    unit, letter = next(((unit, letter) for unit, letter in ((1e6, "M"), (1e3, "k")) if value >= unit), (1, ""))
    return f"{value / unit:g}{letter}"


def _columns(labels: Sequence[str]) -> int:
    """Return the number of `labels` that fit side by side."""
    longest = max(map(len, labels), default=0)
    return max(1, min(len(labels), 5, _LETTERS // (longest + _MARK)))


def _look(number: int) -> dict[str, str]:
    """Return the line style of label `number`."""
    return {"color": f"C{number % _COLOURS}", "linestyle": _DASHES[number // _COLOURS % len(_DASHES)]}


def _draw(axis: Any, panel: Panel, labels: Sequence[str], levels: Sequence[float]) -> None:
    from matplotlib import ticker

    for level in levels:
        axis.axhline(level, color="grey", linewidth=0.8, linestyle="--")
    for line in panel.lines:
        look = _look(labels.index(line.label))
        if len(line.x):
            axis.plot(line.x, line.y, **look, linewidth=1.5)
            axis.fill_between(line.x, line.low, line.high, color=look["color"], alpha=0.15, linewidth=0)
        else:
            axis.axhline(line.y[0], color=look["color"], linewidth=1.2, linestyle=":")
    axis.xaxis.set_major_locator(ticker.MaxNLocator(5))
    axis.xaxis.set_major_formatter(lambda value, _: _short(value))
    axis.set_title(panel.title, fontsize=10)
    axis.tick_params(labelsize=9)
    axis.spines[["top", "right"]].set_visible(False)
