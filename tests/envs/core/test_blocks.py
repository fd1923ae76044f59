"""`decode` and SEEN, made from the codings of a layout."""

import numpy as np
import pytest

from sobremesa.envs.core.blocks import Coding, each, members, numbers, one_of, reader, share, up_to
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import FLOAT, Block, Layout

pytestmark = pytest.mark.kernels


@kernel
def backwards(observation, start, count):
    """Return the index of the last entry set, -1 if there is none."""
    for place in range(count - 1, -1, -1):
        if observation[start + place] > 0:
            return place
    return -1


LAYOUT = Layout(
    Block("pieces", (3, 5), "the cell of each piece", seen=one_of("cell")),
    Block("card", (4,), "a card, numbered from 10 on", seen=one_of("card", 10, -1)),
    Block("not_read", (2,), "no field tells of it"),
    Block("sets", (2, 6), "members of two sets", seen=members("sets")),
    Block("hearts", (2, 4), "how many hearts each seat has", seen=up_to("hearts")),
    Block("grid", (2, 2, 3), "two planes, in thirds and in quarters", per=np.array([3, 4])[:, None, None],
          seen=(numbers("thirds"), numbers("quarters"))),
    Block("table", (2, 3), "by row and column, in its own parts", per=((1, 2, 4), (8, 1, 1)), seen=numbers("table")),
    Block("parts", (2,), "in sixths", per=FLOAT, seen=numbers("sixths", 6)),
    Block("odds", (2,), "chances", per=FLOAT, seen=share("odds")),
    Block("offset", (1,), "from the middle, in fifths", -1, 1, per=5, seen=each("offset")),
    Block("flags", (3,), "two flags, and one that is not read", seen=(*each("one", "other"), None)),
    Block("last", (4,), "the last one", seen=Coding("last", backwards)),
)  # fmt: skip
SEEN, decode = reader(LAYOUT, ("own", np.float64))

TOLD = {
    "pieces": [[0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
    "card": [0, 0, 1, 0],
    "not_read": [1, 1],
    "sets": [[1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]],
    "hearts": [[1, 1, 1, 0], [0, 0, 0, 0]],
    "grid": [[[1 / 3, 0, 1], [2 / 3, 0, 0]], [[0.25, 0.5, 0.75], [0, 1, 0]]],
    "table": [[1, 0.5, 0.75], [0.375, 1, 0]],
    "parts": [5 / 6, 1 / 6],
    "odds": [0.3, 0.7],
    "offset": [-0.6],
    "flags": [0, 1, 1],
    "last": [0, 1, 1, 0],
}
FOUND = {
    "cell": [1, 5, 4], "card": 12, "sets": [0b1001, 0b100000], "hearts": [3, 0], "thirds": [1, 0, 3, 2, 0, 0],
    "quarters": [1, 2, 3, 0, 4, 0], "table": [[1, 1, 3], [3, 1, 0]], "sixths": [5, 1],
    "odds": [np.float32(0.3), np.float32(0.7)], "offset": -3, "one": 0, "other": 1, "last": 2,
}  # fmt: skip


def test_each_coding_is_read_back():
    observation = np.concatenate([np.ravel(TOLD[block.name]) for block in LAYOUT]).astype(np.float32)
    seen = np.ones(1, SEEN)
    decode(observation, seen[0])
    assert {name: seen[name][0].tolist() for name in SEEN.names} == {**FOUND, "own": 1}


def test_of_zeros_no_choice_is_read():
    seen = np.ones(1, SEEN)
    decode(np.zeros(LAYOUT.size, np.float32), seen[0])
    assert (seen["cell"][0].tolist(), seen["card"][0], seen["last"][0]) == ([5, 5, 5], -1, -1)
    others = set(SEEN.names) - {"cell", "card", "last", "own"}
    assert all(not seen[name].any() for name in others)
