"""The art of *Érase una vez*, from the SVG files next to this one: emblems of things, and marks."""

from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import symbols
from sobremesa.envs.erase_una_vez.tables import THINGS

INK = "#2b1a10"
_FOLDER = Path(__file__).parent
MARKS = symbols(_FOLDER / "marks.svg")
EMBLEMS = {  # by the id of a thing
    one: emblem
    for name in ("people", "objects", "places", "aspects", "events", "concepts")
    for one, emblem in symbols(_FOLDER / f"{name}.svg").items()
}
# Concepts drawn with the emblem of another thing.
ALIKE = {"C04": "O10", "C08": "P23", "C09": "O11", "C11": "P01", "C13": "A13", "C15": "L01"}


@cache
def emblem(thing: int) -> str:
    """Draw the emblem of a thing, 100 by 100 around the origin."""
    one = THINGS[thing].id
    return (
        f'<g stroke="{INK}" stroke-width="2.2" stroke-linejoin="round" stroke-linecap="round">'
        f"{EMBLEMS[ALIKE.get(one, one)]}</g>"
    )
