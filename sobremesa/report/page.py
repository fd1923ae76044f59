"""Self-contained HTML pages from the folder `templates`; values are escaped, except Markup."""

import base64
import json
import math
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sobremesa.envs.core.game import SEAT_SIGNS

Ends = tuple[float, float]  # of a scale, low and high


class Bar(NamedTuple):
    """A value with its interval, as a row of a chart."""

    label: str
    value: float
    low: float  # -inf or inf: open interval; nan: no interval
    high: float
    say: str  # text next to the bar


def render(template: str, **values: object) -> str:
    """Return a page (HTML) from `template`, a file of `templates` without its ending, filled with `values`."""
    return _ENVIRONMENT.get_template(f"{template}.html.j2").render(values)


def scale(rows: Sequence[Bar], *others: float) -> Ends:
    """Return the ends of a scale that has all values of `rows`, their finite intervals, and `others`."""
    seen = [*others, *(value for row in rows for value in row[1:4] if math.isfinite(value))]
    room = 0.04 * (max(seen) - min(seen) or 1)
    return min(seen) - room, max(seen) + room


def _percent(value: float, ends: Ends) -> float:
    """Return the position of `value` between `ends` in percent, from 0 to 100."""
    low, high = ends
    return round(100 * min(max((value - low) / max(high - low, 1e-9), 0), 1), 2)


def _tint(value: float, fair: float, ends: Ends) -> str:
    """Return the colour (CSS) of a cell, stronger the farther `value` is from `fair`, relative to the end."""
    tone, end = ("good", ends[1]) if value >= fair else ("bad", ends[0])
    return f"rgb(var(--{tone}) / {0.75 * min((value - fair) / (end - fair), 1):.2f})"


def _script(value: object) -> Markup:
    """Return JSON that can neither end the script element it is in nor hide its end in a comment."""
    return Markup(json.dumps(value, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\u0021--"))


def _packed(value: object) -> str:
    """Return JSON compressed by zlib, in base64, which `unpack.js` reads."""
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()


def _split_at_seat_signs(text: str) -> list[str | int]:
    """Split a text at its seat signs, which some fonts lack, and return the number of each seat, from 0."""
    parts = re.split(f"([{SEAT_SIGNS}])", text)
    return [SEAT_SIGNS.index(part) if part and part in SEAT_SIGNS else part for part in parts if part]


def _attribute(page: str) -> Markup:
    """Return `page` (HTML) as an attribute between single quotes; only & and ' need an escape there."""
    return Markup(page.replace("&", "&amp;").replace("'", "&#39;"))


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ENVIRONMENT.filters |= {
    "along": _percent, "attribute": _attribute, "isinf": math.isinf, "packed": _packed, "script": _script,
    "shown": format, "signed": _split_at_seat_signs, "tint": _tint,
}  # fmt: skip
