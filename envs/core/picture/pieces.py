"""Pieces that a page animates from scene to scene: elements with a name, `data-piece`.

A name contains only facts that the scene shows: bulls and runners are named by seat, other pieces by place.
`PictureWords.followed` draws the names; `Words.scene` is the same picture without them.
"""

import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

MOVED, CHANGED, CAME, WENT = "moved", "changed", "came", "went"


class Piece(NamedTuple):
    """A drawn piece."""

    place: str  # its `transform`
    drawn: str  # SVG


def pieces(svg: str) -> dict[str, Piece]:
    """Return the pieces of a scene by name; raise ValueError for a name that is used twice."""
    found: dict[str, Piece] = {}
    for one in ElementTree.fromstring(svg).iter():
        name = one.get("data-piece")
        if name is not None:
            if name in found:
                raise ValueError(f"two pieces are called {name!r}; a name must be unique in a scene")
            found[name] = Piece(one.attrib["transform"], ElementTree.tostring(one, encoding="unicode"))
    return found


def changes(before: str, after: str) -> dict[str, str]:
    """Return the change of each piece between two scenes by name: MOVED, CHANGED, CAME or WENT.

    A piece at another place has MOVED, also if it looks different.
    """
    old, new = pieces(before), pieces(after)
    told = {}
    for name in {**old, **new}:
        if name not in old or name not in new:
            told[name] = CAME if name in new else WENT
        elif old[name] != new[name]:
            told[name] = CHANGED if old[name].place == new[name].place else MOVED
    return told
