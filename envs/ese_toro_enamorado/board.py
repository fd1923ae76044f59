"""Boards and pieces of *Ese Toro enamorado*: constants, names, lookup tables. Clauses: RULES.md.

Standard board, a corner of four alike (the moon goes round the lake W clockwise, with rising numbers):

    M0----O0----O1----M1        M  mountains, where the bulls start
    |      |     |     |        O  outer crossings
    O7-I7 I0----I1 I2-O2        I  inner crossings
    |   | /       \\ |  |        S  shores
        S7 S0--S1 S2            W  water, W_k next to S_k

Small board: the 5 x 5 lattice without its centre. O0..O7 are next to the mountains, I0..I3 in the middle of the sides,
S0..S7 around the lake; I4..I7 do not exist.
"""

import numpy as np

MAX_SEATS = 4
NUM_MOUNTAINS, NUM_SHORES = 4, 8
NUM_NODES = 28
NUM_CROSSINGS = NUM_NODES - NUM_MOUNTAINS  # all nodes but the mountains may hold tiles
NUM_PLACES = NUM_NODES + NUM_SHORES  # nodes, then water
MOUNTAIN, OUTER, INNER, SHORE, WATER = 0, 4, 12, 20, 28  # where each kind of place begins
NO_NODE = NUM_NODES  # past the end, as every "none" here
NO_MOUNTAIN = NUM_MOUNTAINS
NO_SHORE = NUM_SHORES
MAX_DEGREE = 4

STANDARD, SMALL = 0, 1

FENCE, POPPY, ROSEMARY, LILY, NO_TILE = 0, 1, 2, 3, 4
NUM_KINDS = 4
LAND_KINDS = (FENCE, POPPY, ROSEMARY)  # lie on crossings; the lily lies on water alone (C4.2)
NUM_LAND_KINDS = len(LAND_KINDS)
TILE_COUNTS = np.array([3, 2, 2, 1], np.int8)  # by kind; 8 in all
NUM_TILES = 8
TILES_EACH = 2

CRESCENT, FULL, WANING, NEW = 0, 1, 2, 3  # the phases of the moon, in the order of play
NUM_PHASES = 4

NODE_NAMES = tuple(
    f"{letter}{number}" for letter, count in (("M", 4), ("O", 8), ("I", 8), ("S", 8)) for number in range(count)
)
PLACE_NAMES = NODE_NAMES + tuple(f"W{number}" for number in range(NUM_SHORES))
TILE_NAMES = {"es": ("cerca", "amapola", "romero", "nenúfar"), "en": ("fence", "poppy", "rosemary", "lily")}
PHASE_NAMES = {"es": ("creciente", "llena", "menguante", "nueva"), "en": ("waxing", "full", "waning", "new")}

# x to the right, y down, as in the picture; place -> coordinates, per board
_STANDARD_PLACES = {
    "M0": (0, 0), "M1": (6, 0), "M2": (6, 6), "M3": (0, 6),
    "O0": (2, 0), "O1": (4, 0), "O2": (6, 2), "O3": (6, 4), "O4": (4, 6), "O5": (2, 6), "O6": (0, 4), "O7": (0, 2),
    "I0": (2, 1), "I1": (4, 1), "I2": (5, 2), "I3": (5, 4), "I4": (4, 5), "I5": (2, 5), "I6": (1, 4), "I7": (1, 2),
    "S0": (2.5, 2), "S1": (3.5, 2), "S2": (4, 2.5), "S3": (4, 3.5),
    "S4": (3.5, 4), "S5": (2.5, 4), "S6": (2, 3.5), "S7": (2, 2.5),
}  # fmt: skip
_SMALL_PLACES = {
    "M0": (0, 0), "M1": (4, 0), "M2": (4, 4), "M3": (0, 4),
    "O0": (1, 0), "O1": (3, 0), "O2": (4, 1), "O3": (4, 3), "O4": (3, 4), "O5": (1, 4), "O6": (0, 3), "O7": (0, 1),
    "I0": (2, 0), "I1": (4, 2), "I2": (2, 4), "I3": (0, 2),
    "S0": (1, 1), "S1": (2, 1), "S2": (3, 1), "S3": (3, 2), "S4": (3, 3), "S5": (2, 3), "S6": (1, 3), "S7": (1, 2),
}  # fmt: skip
_STANDARD_PATHS = (
    "M0-O0 M0-O7 M1-O1 M1-O2 M2-O3 M2-O4 M3-O5 M3-O6 O0-O1 O2-O3 O4-O5 O6-O7 "
    "O0-I0 O1-I1 O2-I2 O3-I3 O4-I4 O5-I5 O6-I6 O7-I7 I0-I1 I1-I2 I2-I3 I3-I4 I4-I5 I5-I6 I6-I7 I7-I0 "
    "I0-S0 I1-S1 I2-S2 I3-S3 I4-S4 I5-S5 I6-S6 I7-S7 S0-S1 S1-S2 S2-S3 S3-S4 S4-S5 S5-S6 S6-S7 S7-S0"
)
_SMALL_PATHS = " ".join(
    f"{one}-{other}"
    for one, (x, y) in _SMALL_PLACES.items()
    for other, (u, v) in _SMALL_PLACES.items()
    if (u - x, v - y) in ((1, 0), (0, 1))
)

POSITIONS = (_STANDARD_PLACES, _SMALL_PLACES)  # board -> node name -> (x, y)
PATHS = tuple(
    tuple((NODE_NAMES.index(path[:2]), NODE_NAMES.index(path[3:])) for path in paths.split())
    for paths in (_STANDARD_PATHS, _SMALL_PATHS)
)  # board -> pairs of nodes


def _neighbours() -> tuple[np.ndarray, np.ndarray]:
    near = np.full((len(PATHS), NUM_NODES, MAX_DEGREE), NO_NODE, np.int8)
    degree = np.zeros((len(PATHS), NUM_NODES), np.int8)
    for board, paths in enumerate(PATHS):
        for path in paths:
            for one, other in (path, path[::-1]):
                near[board, one, degree[board, one]] = other
                degree[board, one] += 1
    return near, degree


NEIGHBOURS, DEGREE = _neighbours()  # (boards, nodes, MAX_DEGREE), NO_NODE past the end; (boards, nodes)
# The two crossings next to mountain m, the same on both boards: O(2m) and O(2m - 1).
NEAR = np.array([[OUTER + 2 * m, OUTER + (2 * m + 7) % 8] for m in range(NUM_MOUNTAINS)], np.int8)
# For each node, the mountain that it is near to, and the other crossing near to that one.
NEAR_MOUNTAIN = np.full(NUM_NODES, NO_MOUNTAIN, np.int8)
NEAR_TWIN = np.full(NUM_NODES, NO_NODE, np.int8)
for _mountain in range(NUM_MOUNTAINS):
    for _side in range(2):
        NEAR_MOUNTAIN[NEAR[_mountain, _side]] = _mountain
        NEAR_TWIN[NEAR[_mountain, _side]] = NEAR[_mountain, 1 - _side]

# Sets of nodes as bits, node n being bit n.
NEAR_SET = np.array([*(sum(1 << int(node) for node in pair) for pair in NEAR), 0])  # by mountain; NO_MOUNTAIN has none
NEIGHBOUR_SET = np.array(
    [[sum(1 << int(node) for node in near if node != NO_NODE) for near in of_board] for of_board in NEIGHBOURS]
)  # (boards, nodes)
CROSSING_SET = np.array(
    [sum(1 << node for node in range(OUTER, NUM_NODES) if of_board[node]) for of_board in DEGREE]
)  # of a board: its nodes but the mountains
SHORE_SET = sum(1 << node for node in range(SHORE, NUM_NODES))
