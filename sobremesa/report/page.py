"""Pages to read: one self-contained HTML file, light and dark, wide and narrow, and the charts that stand in it.

Everything that goes into a page as text is escaped here; what these functions return is HTML.
"""

import html
import math
from collections.abc import Iterable, Sequence
from string import Template
from typing import NamedTuple

_PAGE = Template("""<!doctype html>
<html lang="$language"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>$title</title>
<style>
 :root { --paper: #fbf6ec; --ink: #2a1a1f; --quiet: #7a6259; --line: #e4d6bf; --mark: #a8442a; --soft: #dfb09c;
  --good: 46 125 80; --bad: 190 70 45 }
 @media (prefers-color-scheme: dark) { :root { --paper: #10162f; --ink: #eee6da; --quiet: #a9adc4; --line: #2c3560;
  --mark: #f3c05a; --soft: #6f6340; --good: 70 170 115; --bad: 205 90 65 } }
 body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 "DejaVu Sans", Verdana, sans-serif }
 main { max-width: 860px; margin: 0 auto; padding: 20px 16px 48px } h1 { margin: 0; font-size: 26px; line-height: 1.25 }
 h2 { margin: 36px 0 6px; font-size: 19px }
 h3 { margin: 22px 0 4px; font-size: 16px } p { margin: 6px 0 } .quiet { color: var(--quiet); font-size: 14px }
 code { overflow-wrap: anywhere }
 .row { display: grid; grid-template-columns: minmax(90px, 24%) 1fr 245px; gap: 0 14px; align-items: center;
  padding: 5px 0; border-top: 1px solid var(--line) }
 .who { overflow-wrap: anywhere; font-weight: bold }
 .say { text-align: right; font-size: 14px; font-variant-numeric: tabular-nums }
 .track { position: relative; height: 22px } .track i { position: absolute; display: block }
 .track .bar { top: 6px; height: 10px; border-radius: 3px; background: var(--soft) }
 .track .dot { top: 2px; width: 4px; height: 18px; margin-left: -2px; border-radius: 2px; background: var(--mark) }
 .track .fair { top: 0; width: 0; height: 22px; border-left: 2px dashed var(--quiet) }
 .track .open-high { mask-image: linear-gradient(90deg, #000 40%, #0000) }
 .track .open-low { mask-image: linear-gradient(270deg, #000 40%, #0000) }
 .wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
 th, td { padding: 6px 12px; text-align: right; border: 1px solid var(--line) } th { font-weight: bold }
 th:first-child { text-align: left } table.heat td { text-align: center; min-width: 62px }
 .columns { display: flex; align-items: flex-end; gap: 2px; height: 120px; border-bottom: 1px solid var(--quiet) }
 .columns i { flex: 1; background: var(--mark); min-height: 1px; border-radius: 2px 2px 0 0 }
 .under { display: flex; justify-content: space-between; color: var(--quiet); font-size: 13px }
 iframe { width: 100%; height: calc(min(100vw, 860px) * var(--ratio) + 190px); border: 0; border-radius: 8px;
  margin: 4px 0 12px }
 @media (max-width: 640px) { .row { grid-template-columns: 1fr 1fr } .track { grid-column: 1 / 3; grid-row: 2 }
  h1 { font-size: 21px } th, td { padding: 5px 7px; font-size: 14px } table.heat td { min-width: 40px } }
</style>
<main><h1>$title</h1>
$body
</main></html>
""")

Ends = tuple[float, float]  # of a scale, low and high


class Bar(NamedTuple):
    """A value with its interval, as a row of a chart."""

    label: str
    value: float
    low: float  # -inf and inf where the interval is open
    high: float
    say: str  # what is said of it in words


def write(title: str, language: str, parts: Iterable[str]) -> str:
    """Return a page of `parts` (HTML) under `title`."""
    return _PAGE.substitute(title=text(title), language=text(language), body="\n".join(parts))


def text(words: object) -> str:
    """Return `words` as text in HTML."""
    return html.escape(str(words))


def heading(words: str, below: str = "", level: int = 2) -> str:
    """Return a heading, and a quiet line that says how to read what follows."""
    return f"<h{level}>{text(words)}</h{level}>" + (f'<p class="quiet">{text(below)}</p>' if below else "")


def bars(rows: Sequence[Bar], ends: Ends, fair: float | None = None) -> str:
    """Return a chart of `rows` on a scale between `ends`, with a mark at the `fair` value."""
    low, high = ends
    span = max(high - low, 1e-9)

    def at(value: float) -> float:
        return 100 * min(max((value - low) / span, 0), 1)

    lines = []
    for row in rows:
        start, stop = (at(end) for end in row[2:4])
        opened = " open-low" * math.isinf(row.low) + " open-high" * math.isinf(row.high)
        mark = "" if fair is None else f'<i class="fair" style="left:{at(fair):.2f}%"></i>'
        lines.append(
            f'<div class="row"><span class="who">{text(row.label)}</span><span class="track">{mark}'
            f'<i class="bar{opened}" style="left:{start:.2f}%;width:{stop - start:.2f}%"></i>'
            f'<i class="dot" style="left:{at(row.value):.2f}%"></i></span>'
            f'<span class="say">{text(row.say)}</span></div>'
        )
    return "\n".join(lines)


def scale(rows: Sequence[Bar], *others: float) -> Ends:
    """Return the ends of a scale that holds all values of `rows`, their finite intervals, and `others`."""
    seen = [*others, *(value for row in rows for value in row[1:4] if math.isfinite(value))]
    room = 0.04 * (max(seen) - min(seen) or 1)
    return min(seen) - room, max(seen) + room


def heat(names: Sequence[str], cells: Sequence[Sequence[float]], fair: float, ends: Ends, form: str) -> str:
    """Return a table of `cells`, nan for none, coloured by how far they lie from `fair` on the way to the `ends`."""
    head = "".join(f"<th>{text(name)}</th>" for name in ("", *names))
    rows = []
    for name, row in zip(names, cells, strict=True):
        shown = "".join(_cell(value, fair, ends, form) for value in row)
        rows.append(f"<tr><th>{text(name)}</th>{shown}</tr>")
    return f'<div class="wide"><table class="heat"><tr>{head}</tr>\n' + "\n".join(rows) + "</table></div>"


def _cell(value: float, fair: float, ends: Ends, form: str) -> str:
    if math.isnan(value):
        return "<td></td>"
    tone, end = ("good", ends[1]) if value >= fair else ("bad", ends[0])
    strength = 0.75 * min((value - fair) / (end - fair), 1)
    return f'<td style="background:rgb(var(--{tone}) / {strength:.2f})">{value:{form}}</td>'


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return a table whose first row and first column are heads."""
    lines = []
    for number, row in enumerate(rows):
        tags = ["th" if number == 0 or place == 0 else "td" for place in range(len(row))]
        lines.append(
            "<tr>" + "".join(f"<{tag}>{text(one)}</{tag}>" for tag, one in zip(tags, row, strict=True)) + "</tr>"
        )
    return '<div class="wide"><table>' + "\n".join(lines) + "</table></div>"


def columns(values: Sequence[float], labels: Sequence[str], most: float | None = None) -> str:
    """Return a column chart of `values` from 0, up to `most`, with `labels` spread out below."""
    top = most or max(values, default=0) or 1
    bodies = "".join(f'<i style="height:{100 * value / top:.1f}%" title="{value:.3g}"></i>' for value in values)
    return (
        f'<div class="columns">{bodies}</div><div class="under">'
        + "".join(f"<span>{text(label)}</span>" for label in labels)
        + "</div>"
    )


def frame(page: str, title: str, ratio: float) -> str:
    """Return a frame that holds a whole `page` (HTML) of its own; its scripts reach nothing outside it.

    `ratio` is the height of its picture for a width of 1.
    """
    inside = page.replace("&", "&amp;").replace("'", "&#39;")  # all that an attribute in such marks needs
    return (
        f'<iframe title="{text(title)}" sandbox="allow-scripts" loading="lazy" style="--ratio:{ratio:.3f}" '
        f"srcdoc='{inside}'></iframe>"
    )
