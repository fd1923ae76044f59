"""Curves as SVG, drawn by matplotlib: the same points give the same bytes."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from markupsafe import Markup

_WIDTH = 3  # panels beside each other


class Line(NamedTuple):
    """A curve with a band around it; without points a level."""

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
    """Give matplotlib's pyplot, set so that the same figure gives the same SVG."""
    import matplotlib  # which tables do without

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
    """Return `panels` in rows as one SVG, a colour for each label, with dashed `levels`."""
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    rows = -(-len(panels) // _WIDTH)
    with drawing() as pyplot:
        width = min(_WIDTH, len(panels))
        figure, axes = pyplot.subplots(rows, width, figsize=(9, 2.6 * rows + 0.5), layout="constrained", squeeze=False)
        for place, axis in enumerate(axes.flat):
            if place < len(panels):
                _draw(axis, panels[place], labels, levels)
            else:
                axis.set_visible(False)
        figure.supxlabel(xlabel, fontsize=11)
        figure.supylabel(ylabel, fontsize=11)
        marks = [pyplot.Line2D([], [], color=f"C{number}", label=label) for number, label in enumerate(labels)]
        figure.legend(handles=marks, loc="outside upper center", ncols=min(len(labels), 5), frameon=False)
        return svg(figure)


def _draw(axis: Any, panel: Panel, labels: Sequence[str], levels: Sequence[float]) -> None:
    from matplotlib import ticker

    for level in levels:
        axis.axhline(level, color="grey", linewidth=0.8, linestyle="--")
    for line in panel.lines:
        colour = f"C{labels.index(line.label)}"
        if len(line.x):
            axis.plot(line.x, line.y, color=colour, linewidth=1.5)
            axis.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
        else:
            axis.axhline(line.y[0], color=colour, linewidth=1.2, linestyle=":")
    axis.xaxis.set_major_locator(ticker.MaxNLocator(5))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k" if value >= 1000 else f"{value:g}")
    axis.set_title(panel.title, fontsize=10)
    axis.tick_params(labelsize=9)
    axis.spines[["top", "right"]].set_visible(False)
