"""The 69 cards of *Bandido Alcatraz* and its start tile, as a table (clause C1 of RULES.md).

A card is two cells wide. In rotation 0 its half a is in the west and its half b in the east; letters name the sides
where a half has a tunnel. The halves are joined, and all tunnels of a card meet. Rotation k turns it k quarters
clockwise. The rulebook counts the cards but does not show them; RULES.md (H1) gives the source of the shapes.
"""

from typing import NamedTuple

import numpy as np

NORTH, EAST, SOUTH, WEST = range(4)
SIDES = "NESW"
STEP_X = np.array([0, 1, 0, -1], np.int16)  # to the neighbour on each side; y grows to the south
STEP_Y = np.array([-1, 0, 1, 0], np.int16)

PLAIN, RAINCOAT, ROPE, EXIT = range(4)  # pictures
NO_HALF = 2
ROTATIONS = 4


class Card(NamedTuple):
    """A kind of card."""

    a: str  # tunnels of the half in the west: N, S, W
    b: str  # of the half in the east: N, E, S
    copies: int
    picture: int = PLAIN
    flooded: int = NO_HALF  # 0 if half a lies under water, 1 if half b does


CARDS = (
    Card("N", "", 2, RAINCOAT), Card("N", "", 1, ROPE), Card("S", "", 2, RAINCOAT), Card("S", "", 1, ROPE),
    Card("W", "", 1, RAINCOAT), Card("W", "", 1, ROPE), Card("W", "", 1, EXIT), Card("NS", "", 2, RAINCOAT),
    Card("NS", "", 1, ROPE), Card("WN", "", 2, RAINCOAT), Card("WN", "", 1, ROPE), Card("WS", "", 2, RAINCOAT),
    Card("WS", "", 1, ROPE), Card("WNS", "", 1, RAINCOAT), Card("WNS", "", 2, ROPE), Card("N", "N", 2),
    Card("N", "S", 1, flooded=1), Card("N", "S", 1), Card("S", "N", 2), Card("W", "E", 1, flooded=1),
    Card("W", "E", 1), Card("W", "N", 1, flooded=1), Card("W", "N", 1), Card("W", "S", 2), Card("N", "ES", 2),
    Card("N", "NE", 2), Card("N", "NS", 2), Card("S", "ES", 2), Card("S", "NE", 2), Card("S", "NS", 2),
    Card("W", "ES", 2), Card("W", "NE", 1, flooded=1), Card("W", "NE", 1), Card("W", "NS", 2), Card("N", "NES", 2),
    Card("NS", "NS", 2), Card("S", "NES", 2), Card("W", "NES", 2), Card("WN", "ES", 2), Card("WN", "NE", 2),
    Card("WN", "NS", 2), Card("WS", "NE", 2), Card("WS", "NS", 2),
)  # fmt: skip
NUM_KINDS = len(CARDS)  # also the value that means no card
NO_CARD = NUM_KINDS
EASY_TILE, NORMAL_TILE = NUM_KINDS + 1, NUM_KINDS + 2  # kinds too, for what lies on the table
_TILES = (Card("NS", "NES", 1), Card("WNS", "NES", 1))

COPIES = np.array([card.copies for card in CARDS], np.int8)
NUM_CARDS = int(COPIES.sum())
PICTURE = np.array([card.picture for card in CARDS], np.int8)
FLOODED = np.array([card.flooded for card in (*CARDS, Card("", "", 0), *_TILES)], np.int8)
EXIT_KIND = [card.picture for card in CARDS].index(EXIT)
NUM_FLOODS = int((COPIES * (FLOODED[:NUM_KINDS] != NO_HALF)).sum())


def _mask(sides: str) -> int:
    """Return the tunnels of a half as bits, 1 for the north, 2 for the east, 4, 8."""
    return sum(1 << SIDES.index(side) for side in sides)


def _turned(mask: int, quarters: int) -> int:
    """Return tunnels as bits after `quarters` quarters clockwise."""
    return (mask << quarters | mask >> (4 - quarters)) & 15


# (kind, rotation, half): the tunnels of a half on the table, with the one to the other half. Row NO_CARD is empty.
TUNNELS = np.array(
    [
        [[_turned(_mask(card.a + "E"), turn), _turned(_mask(card.b + "W"), turn)] for turn in range(ROTATIONS)]
        for card in (*CARDS, Card("", "", 0), *_TILES)
    ],
    np.uint8,
)
# (rotation, half): the side on which the other half lies.
OTHER_SIDE = np.array([[(EAST + turn) % 4, (WEST + turn) % 4] for turn in range(ROTATIONS)], np.int8)

# A way to lay a card on a given cell is half * 4 + rotation: that half on the cell, the card so turned.
NUM_WAYS = 2 * ROTATIONS


def _looks(card: Card, way: int) -> tuple[int, ...]:
    """Return the visible features of a card laid in a way."""
    half, turn = divmod(way, ROTATIONS)
    tunnels = [_turned(_mask(card.a + "E"), turn), _turned(_mask(card.b + "W"), turn)]
    side = (EAST + turn + 2 * half) % 4
    wet = NO_HALF if card.flooded == NO_HALF else card.flooded ^ half
    return side, tunnels[half], tunnels[1 - half], wet


# (kind, way): the first way that looks the same, and whether it is this one.
_LOOKS = [[_looks(card, way) for way in range(NUM_WAYS)] for card in CARDS]
FIRST_ALIKE = np.array([[looks.index(look) for look in looks] for looks in _LOOKS])
DISTINCT = np.arange(NUM_WAYS) == FIRST_ALIKE

RAINCOATS, ROPES = 3, 2  # to be gathered (C7.1)
# No more tunnels can be open: six of the tile, and each card with three or four tunnels adds one or two (C3.6).
ADDS = np.maximum(np.array([len(card.a + card.b) for card in CARDS]) - 2, 0)
MOST_ENDS = 6 + int((COPIES * ADDS).sum())
# Every card covers two new cells at most.
MOST_CELLS = 2 + 2 * NUM_CARDS
# The width and height of the network add up to at most this. Tunnels connect all cells, so a tree of tunnels joins a
# cell at each of the four sides of its bounding box. Such a tree has at least width + height - 1 cells. At most four of
# them are its leaves, and the others have two tunnels or more: the two cells of the tile and the halves counted here. A
# card that covers a half has the same tunnels there.
MOST_SPAN = 1 + 4 + 2 + sum(card.copies * (bool(card.a) + bool(card.b)) for card in CARDS)
