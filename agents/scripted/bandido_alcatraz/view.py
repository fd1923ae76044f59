"""What the bots of *Bandido Alcatraz* read from an observation: the network on a grid, my hand, what may come."""

import numpy as np

from sobremesa.agents.scripted.bandido_alcatraz.tables import KIND_OF, OPENINGS
from sobremesa.envs.bandido_alcatraz.cards import (
    COPIES,
    MOST_ENDS,
    NO_CARD,
    NUM_CARDS,
    NUM_KINDS,
    RAINCOATS,
    ROPES,
)
from sobremesa.envs.bandido_alcatraz.observe import CROP, LAYOUT, NUM_FEATURES
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND, MAX_SEATS, NUM_QUESTIONS, NUM_WHERES
from sobremesa.envs.core.blocks import which
from sobremesa.envs.core.kernel import kernel

(
    _HAND, _ASKED, _CHOSEN, _PRESENT, _ENDS, _FLOODS, _MAP, _OPEN, _GATHERED, _EXIT, _HAND_SIZES, _PILE, _UNSEEN,
    _UNDER,
) = (
    LAYOUT.start(name)
    for name in (
        "hand", "asked", "chosen", "present", "ends", "floods", "map", "open", "gathered", "exit", "hand_sizes",
        "pile", "unseen", "under",
    )
)  # fmt: skip
_PER_END = next(block.shape[1] for block in LAYOUT if block.name == "ends")
_WAYS = _PER_END - BIG_HAND  # where the ways to lay each of my cards begin among the numbers about an end

WIDE = 33  # cells across the grid, with the middle of the map in its middle
MARGIN = 4  # cells along its edge where no end is followed up
FAR = -1  # off the grid
COVERED, WET = 16, 32  # what a cell holds: its tunnels as bits and these; 0 if nothing lies there
STEP = np.array([-WIDE, 1, WIDE, -1], np.int64)  # to the neighbour on each side

VIEW = np.dtype(
    (
        np.record,
        [
            ("asked", np.int64),
            ("chosen", np.int64),  # where I am about to lay a card; NUM_WHERES for nowhere
            ("grid", np.int64, WIDE * WIDE),
            ("at", np.int64, NUM_WHERES),  # the cell to be covered there; FAR also for none
            (
                "fits",
                np.int64,
                (NUM_WHERES, BIG_HAND),
            ),  # 1 if the card can be laid there; of equal cards the first alone
            ("hand", np.int64, BIG_HAND),  # kinds; NO_CARD
            ("seats", np.int64),
            ("cards", np.int64),  # in all hands
            ("pile", np.int64),
            ("raincoats", np.int64),  # still needed
            ("ropes", np.int64),
            ("exit_laid", np.int64),
            ("left", np.int64, NUM_KINDS),  # cards of each kind that may still come to anybody, my hand apart
            ("ones", np.int64),  # the set of kinds of which at least one is left
            ("twos", np.int64),  # of which two are
            ("total", np.int64),  # cards left
            ("openings", np.int64),  # on them
            ("ends", np.int64),  # open ends
            ("floods", np.int64),  # flooded halves in sight
        ],
    )
)


@kernel
def read(observation, view):
    """Fill `view`, given as zeros."""
    view.asked = which(observation, _ASKED, NUM_QUESTIONS)
    view.chosen = which(observation, _CHOSEN, NUM_WHERES)
    for slot in range(BIG_HAND):
        at = _HAND + slot * NUM_FEATURES
        code = 0
        for feature in range(NUM_FEATURES - 1):
            code |= int(observation[at + feature] > 0) << feature
        view.hand[slot] = KIND_OF[code] if observation[at + NUM_FEATURES - 1] > 0 else NO_CARD
    cards = 0.0
    for seat in range(MAX_SEATS):
        view.seats += int(observation[_PRESENT + seat] > 0)
        cards += observation[_HAND_SIZES + seat]
    view.cards = round(cards * BIG_HAND)
    view.pile = round(observation[_PILE] * NUM_CARDS)
    view.raincoats = RAINCOATS - round(observation[_GATHERED] * RAINCOATS)
    view.ropes = ROPES - round(observation[_GATHERED + 1] * ROPES)
    view.ends = round(observation[_OPEN] * MOST_ENDS)
    view.exit_laid = int(observation[_EXIT] > 0)
    for kind in range(NUM_KINDS):
        count = round((observation[_UNSEEN + kind] + observation[_UNDER + kind]) * COPIES[kind])
        view.left[kind] = count
        view.total += count
        view.openings += count * OPENINGS[kind]
        view.ones |= int(count > 0) << kind
        view.twos |= int(count > 1) << kind
    _read_map(observation, view.grid)
    for where in range(NUM_WHERES):
        _read_where(observation, view, where)


@kernel
def _read_map(observation, grid):
    for row in range(CROP):
        for column in range(CROP):
            at = _MAP + row * CROP + column
            if observation[at] > 0:
                cell = COVERED
                for side in range(4):
                    cell |= int(observation[at + (1 + side) * CROP * CROP] > 0) << side
                if observation[at + 5 * CROP * CROP] > 0:
                    cell |= WET
                grid[(row + (WIDE - CROP) // 2) * WIDE + column + (WIDE - CROP) // 2] = cell


@kernel
def _read_where(observation, view, where):
    """Find an end or a flood on the grid, and mark there what is known around it."""
    view.at[where] = FAR
    flooded = where >= MOST_ENDS
    at = _FLOODS + (where - MOST_ENDS) * _PER_END if flooded else _ENDS + where * _PER_END
    if observation[at] == 0:
        return
    view.floods += flooded
    for slot in range(BIG_HAND):
        view.fits[where, slot] = int(observation[at + _PER_END - BIG_HAND + slot] > 0)
    column = round(observation[at + 1] * CROP) + WIDE // 2
    row = round(observation[at + 2] * CROP) + WIDE // 2
    if min(column, row) < MARGIN or max(column, row) >= WIDE - MARGIN:
        return
    place = row * WIDE + column
    view.at[where] = place
    tunnels = 0
    for side in range(4):
        digs = int(observation[at + 7 + side] > 0)
        tunnels |= digs << side
        if not flooded and observation[at + 3 + side] > 0 and view.grid[place + STEP[side]] == 0:
            view.grid[place + STEP[side]] = COVERED | digs << (side + 2) % 4
    if flooded:
        view.grid[place] = COVERED | WET | tunnels
