"""Symmetries of *Ese Toro enamorado*: the standard board, turned by quarters, so that another mountain is M0.

Mirror images are excluded, because the moon goes clockwise, and so is the small board with its four inner crossings. By
night without tiles on shores (O2, O7) chance lays the first tiles on I0 to I3, which is not turned with the board; what
is played from there on is.
"""

import numpy as np

from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT
from sobremesa.envs.ese_toro_enamorado.state import A_CHOOSE, A_GO, A_LAY, A_LILY, NUM_ACTIONS


def turns() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the images of mountains `(4,)`, nodes `(28,)` and shores `(8,)` that make M1, M2 and M3 the new M0."""
    found = []
    for quarters in range(1, b.NUM_MOUNTAINS):
        mountains = (np.arange(b.NUM_MOUNTAINS) - quarters) % b.NUM_MOUNTAINS
        ring = (np.arange(b.NUM_SHORES) - 2 * quarters) % b.NUM_SHORES
        found.append((mountains, np.concatenate([mountains, b.OUTER + ring, b.INNER + ring, b.SHORE + ring]), ring))
    return found


def _symmetry(mountains: np.ndarray, nodes: np.ndarray, shores: np.ndarray) -> Symmetry:
    seen, actions = np.arange(LAYOUT.size), np.arange(NUM_ACTIONS)
    places = {
        "bulls": nodes, "known_tiles": nodes, "tile_owners": nodes, "hidden_tiles": nodes, "moon": shores,
        "lily": shores, "homes": mountains,
    }  # fmt: skip
    for block in LAYOUT:
        if (goes := places.get(block.name)) is not None:
            rows = np.arange(LAYOUT.start(block.name), LAYOUT.start(block.name) + block.size).reshape(-1, len(goes))
            seen[rows[:, goes]] = rows
    actions[A_CHOOSE : A_CHOOSE + b.NUM_MOUNTAINS] = A_CHOOSE + mountains
    for first in range(A_LAY, A_LILY, b.NUM_CROSSINGS):
        actions[first : first + b.NUM_CROSSINGS] = first + nodes[b.OUTER :] - b.OUTER
    actions[A_LILY : A_LILY + b.NUM_SHORES] = A_LILY + shores
    actions[A_GO : A_GO + b.NUM_NODES] = A_GO + nodes
    return Symmetry(seen, actions, {"board": "standard"})


SYMMETRIES = tuple(_symmetry(*turn) for turn in turns())
