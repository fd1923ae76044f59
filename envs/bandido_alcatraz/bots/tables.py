"""Tables of the kinds of cards that fit a free cell and its neighbour in *Bandido Alcatraz*.

A side of a cell is OPEN if nothing is beyond it, EARTH or TUNNEL if the half there has earth or a tunnel towards it.
A card on a cell and its neighbour to side d meets three sides of each; three sides make a code from 0 to 26, in base 3.
A set of kinds is a number, one bit for each of the 43 kinds.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c

OPEN, EARTH, TUNNEL = range(3)  # what lies beyond a side
CODES = 27
# How many open ends a card adds at most: any number, none, -1 or -2.
ANY, LEVEL, CLOSES, JOINS = range(4)
NUM_GRADES = 4
_NEVER = 99


def _ends_added(tunnels: np.ndarray, sides: tuple[int, int, int]) -> np.ndarray:
    """Return how many ends halves `(kinds,)` add on three sides, by kind and code; _NEVER where one does not fit."""
    added = np.zeros((len(tunnels), CODES), np.int64)
    for code in range(CODES):
        for side, beyond in zip(sides, (code % 3, code // 3 % 3, code // 9), strict=True):
            digs = (tunnels >> side & 1).astype(bool)
            if beyond == OPEN:
                added[:, code] += digs
            else:
                added[:, code] += np.where(digs == (beyond == TUNNEL), -1 * digs, _NEVER)
    return added


def _added() -> np.ndarray:
    """Return how many ends a kind adds in its better way: (kind, code of the cell, code of the cell east of it)."""
    ways = []
    for turn, half in ((0, 0), (2, 1)):
        here = _ends_added(c.TUNNELS[: c.NUM_KINDS, turn, half], (c.SOUTH, c.WEST, c.NORTH))
        there = _ends_added(c.TUNNELS[: c.NUM_KINDS, turn, 1 - half], (c.EAST, c.SOUTH, c.NORTH))
        ways.append(here[:, :, None] + there[:, None, :])
    added: np.ndarray = np.minimum(ways[0], ways[1])
    return added


def _kinds(chosen: np.ndarray) -> np.ndarray:
    """Return sets of kinds from flags `chosen` `(kind, ...)`."""
    bits = np.left_shift(np.int64(1), np.arange(c.NUM_KINDS, dtype=np.int64))
    return np.asarray(np.tensordot(bits, chosen.astype(np.int64), 1))


_ADDED = _added()
_LIMITS = (_NEVER // 2, 0, -1, -2)
_PLAIN = np.arange(c.NUM_KINDS) != c.EXIT_KIND
# (code of the cell, code of its neighbour, grade): the kinds that fit there and add so many ends at most, EXIT apart.
FITTING = np.stack([_kinds((limit >= _ADDED) & _PLAIN[:, None, None]) for limit in _LIMITS], axis=-1)
EXIT_FITS = _ADDED[c.EXIT_KIND] < _NEVER // 2  # (code of the cell, code of its neighbour)

RAINCOAT_KINDS = int(_kinds(c.PICTURE == c.RAINCOAT))
ROPE_KINDS = int(_kinds(c.PICTURE == c.ROPE))
FLOOD_KINDS = int(_kinds(c.FLOODED[: c.NUM_KINDS] != c.NO_HALF))
OPENINGS = np.array([len(card.a + card.b) for card in c.CARDS], np.int64)  # of each kind
CAPS = int(_kinds(np.array([card.b == "" for card in c.CARDS]) & _PLAIN))  # raincoats and ropes
