"""Pieces that can be followed from scene to scene: whatever a room draws with a name, which is its `data-piece`.

A name tells nothing that the scene does not show: bulls and runners have theirs by seat, what lies somewhere by its
place. `Words.followed` draws them; `Words.scene` is the same picture without the names.
"""

import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

MOVED, CHANGED, CAME, WENT = "moved", "changed", "came", "went"


class Piece(NamedTuple):
    """A piece as it is drawn."""

    place: str  # its `transform`
    drawn: str  # SVG


def pieces(svg: str) -> dict[str, Piece]:
    """Return the pieces of a scene by name; raise ValueError if one name is there twice."""
    found: dict[str, Piece] = {}
    for one in ElementTree.fromstring(svg).iter():
        name = one.get("data-piece")
        if name is not None:
            if name in found:
                raise ValueError(f"two pieces are called {name!r}; a name takes one in a scene")
            found[name] = Piece(one.attrib["transform"], ElementTree.tostring(one, encoding="unicode"))
    return found


def changes(before: str, after: str) -> dict[str, str]:
    """Return what became of the pieces between two scenes by their names: MOVED, CHANGED, CAME or WENT, if anything.

    What lies elsewhere has MOVED, also if it looks otherwise than before.
    """
    old, new = pieces(before), pieces(after)
    told = {}
    for name in {**old, **new}:
        if name not in old or name not in new:
            told[name] = CAME if name in new else WENT
        elif old[name] != new[name]:
            told[name] = CHANGED if old[name].place == new[name].place else MOVED
    return told
