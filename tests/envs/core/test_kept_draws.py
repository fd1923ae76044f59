"""Records keep choices made from random draws, never the bits of a draw.

Who saw enough bits of draws could work out the seed of a generator weaker than ours, and what is secret with it. So
every number that changes at a step is held against the draws made in it, their first and last 8 to 32 bits.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from rooms import ALL
from scale import scaled

from sobremesa.envs.core.chance import STREAM, draw
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal

pytestmark = pytest.mark.kernels

MOST_DRAWS, MOST_CHANGES = 8, 3  # by more a match by accident would be likely
ENOUGH, OFTEN = 8, 0.5  # steps that say something of a field, and the share of them that no accident matches
WIDTHS = (8, 16, 24, 32)


@kernel
def _draw(streams):
    return draw(streams[0])


def draws_between(before, after):
    """Return what was drawn between two states of a deal, if that is little; else nothing."""
    one, drawn = np.zeros(1, STREAM), []
    one["stream"] = before["stream"]
    while (one["stream"] != after["stream"]).any() and len(drawn) <= MOST_DRAWS:
        drawn.append(int(_draw(one)))
    return drawn if len(drawn) <= MOST_DRAWS else []


def bits_of(drawn):
    """Return the numbers that the first and the last bits of some draws are."""
    first = {word >> (32 - width) for word in drawn for width in WIDTHS}
    return first | {word & ((1 << width) - 1) for word in drawn for width in WIDTHS}


def changes(before, after):
    """Give the numbers that two states differ in: by field, and by column where rows are told apart."""
    for field in before.dtype.names:
        old, new = before[field][0], after[field][0]
        if field == "stream" or np.array_equal(old, new) or not np.issubdtype(new.dtype, np.integer):
            continue
        if new.ndim < 2:
            yield field, [int(value) for value in np.atleast_1d(new)[np.atleast_1d(old != new)]]
        else:
            for column in range(new.shape[-1]):
                changed = new[..., column] != old[..., column]
                if changed.any():
                    yield f"{field}[{column}]", [int(value) for value in new[..., column][changed]]


def kept(pairs):
    """Return the fields that keep bits of draws, by pairs of states before and after a step."""
    tried, matched = Counter(), Counter()
    for before, after in pairs:
        drawn = draws_between(before, after)
        if not drawn:
            continue
        bits = bits_of(drawn)
        for field, values in changes(before, after):
            if len(values) <= MOST_CHANGES:
                tried[field] += 1
                matched[field] += any(value in bits or value % 256 in bits for value in values)
    return sorted(field for field in tried if tried[field] >= ENOUGH and matched[field] > OFTEN * tried[field])


def steps(game):
    """Give pairs of states before and after the steps of some random deals."""
    for seed in range(scaled(4)):
        plies = list(random_deal(game, seed, {}))
        yield from ((one.states, other.states) for one, other in pairwise(plies))


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_no_record_keeps_what_was_drawn(game):
    assert kept(steps(game)) == []


@pytest.mark.parametrize("keep", [lambda word: word >> 24, lambda word: word & 255, lambda word: word])
def test_a_kept_draw_is_caught(keep):
    """A record like that of a room, in which a card is chosen, rightly, and a draw is kept beside it."""
    record = np.dtype([("stream", STREAM["stream"]), ("card", np.int8), ("log", np.int64, (40, 2))])
    pairs, one = [], np.zeros(1, STREAM)
    one["stream"] = next(iter(random_deal(ALL[0], 3, {}))).states["stream"]
    now = np.zeros(1, record)
    for row in range(40):
        before, before["stream"] = now.copy(), one["stream"]
        word, kept_word = int(_draw(one)), int(_draw(one))
        now["card"], now["log"][0, row] = word * 105 >> 32, (row % 5, keep(kept_word))
        now["stream"] = one["stream"]
        pairs.append((before, now.copy()))
    assert kept(pairs) == ["log[1]"]
