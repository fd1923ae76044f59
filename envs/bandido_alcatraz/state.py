"""State of *Bandido Alcatraz*: constants, fields, and functions on the network.

The grid has no edge. At most MOST_CELLS cells are covered and the network is connected, so no coordinate exceeds
MOST_CELLS. The state lists the covered cells and finds them by a hash table, at most 28 % full.
Clause numbers in brackets refer to RULES.md.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS
from sobremesa.envs.core.compile.bits import lowest_bit, rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import news
from sobremesa.envs.core.record import record

MAX_SEATS = 4
NOBODY = MAX_SEATS
HAND, BIG_HAND = 3, 6  # cards; the big one is for the easy solitaire (C9.1)
EASY, NORMAL = 0, 1  # option difficulty
MOST_LAID = c.NUM_CARDS + 1  # cards and the tile
NO_CELL = c.MOST_CELLS
INDEX = 512  # places of the hash table, a power of two
EMPTY = 255  # none of them

# Where a card may go: the open ends, then the flooded halves. Each keeps its number while it is there.
NUM_WHERES = MOST_ENDS + c.NUM_FLOODS
NOT_CHOSEN = NUM_WHERES

# The decision of the seat to act; with GO_ON the game continues without a decision.
SIGNAL, WHERE, HOW, GO_ON = range(4)
NUM_QUESTIONS = GO_ON
SILENCE = 0  # then: I can close a tunnel, join two, cover water, will give a raincoat, a rope, have nothing good (O4)
NUM_SIGNALS = 7

# Actions, by block.
A_WHERE = 0  # + open end or flooded half
A_GATHER = A_WHERE + NUM_WHERES  # + slot of the hand
A_LAY = A_GATHER + BIG_HAND  # + slot * 8 + half * 4 + rotation: that half there, the card so turned
A_SIGNAL = A_LAY + BIG_HAND * c.NUM_WAYS  # + signal
NUM_ACTIONS = A_SIGNAL + NUM_SIGNALS

# Events in the news: (event, seat, and two numbers)
(
    E_TURN, E_LAYS, E_COVERS, E_GATHERS, E_DRAWS, E_EXCHANGES, E_TAKES_ALL, E_PASSES, E_SIGNALS, E_ENDS,
) = range(10)  # fmt: skip
NEWS_LENGTH = 40  # further events of a ply are dropped
CLOSED, NO_CARDS, IMPOSSIBLE = 1, 2, 3  # endings: no open end, no player can play, stopped early (O3)

# Each turn plays one of the 69 cards and takes three plies at most.
MAX_PLIES = 3 * c.NUM_CARDS

STATE = record(
    ("difficulty", np.int8),  # setup: EASY or NORMAL, the side of the tile (C2.1)
    ("solo_hand", np.int8),  # setup: 0 for three cards, 1 for six, at a table of one (C9.1)
    ("early_stop", np.uint8),  # setup: 1 to stop when victory is impossible (O3)
    ("signals", np.uint8),  # setup: 1 to speak before playing (O4)
    ("first", np.int8),  # who began
    ("turns", np.int16),  # turns begun
    ("stage", np.int8),  # what `seat` is asked
    ("where", np.int8),  # the end or flood chosen; NOT_CHOSEN. For the seat to act alone
    ("passes", np.int8),  # turns in a row without a playable card
    # the network
    ("laid", np.int8),  # things on the table, the tile first, 1..70
    ("laid_kind", np.int8, MOST_LAID),  # NO_CARD behind them
    ("laid_x", np.int16, MOST_LAID),  # of half a
    ("laid_y", np.int16, MOST_LAID),
    ("laid_turn", np.int8, MOST_LAID),  # rotation
    ("cells", np.int16),  # that are covered, 2..140
    ("cell_x", np.int16, c.MOST_CELLS),
    ("cell_y", np.int16, c.MOST_CELLS),
    ("cell_laid", np.uint8, c.MOST_CELLS),  # the card on top there
    ("cell_half", np.uint8, c.MOST_CELLS),  # which half of it
    ("index", np.uint8, INDEX),  # numbers of cells by hash of their place; EMPTY
    ("end_cell", np.uint8, MOST_ENDS),  # open ends: the cell that they leave; NO_CELL for no end
    ("end_side", np.uint8, MOST_ENDS),  # and by which side
    ("ends", np.int8),  # how many, 0..63
    ("flood", np.uint8, c.NUM_FLOODS),  # flooded halves in sight: their cells; NO_CELL
    ("fits", np.uint8, (NUM_WHERES, BIG_HAND)),  # ways to lay each card of the seat to act, one bit each
    # the cards
    ("hand", np.int8, (MAX_SEATS, BIG_HAND)),  # kinds by slot; NO_CARD
    ("pile", np.int8, c.NUM_CARDS),  # kinds, the one at the bottom first; NO_CARD behind them
    ("pile_size", np.int8),
    ("put_under", np.int8, c.NUM_CARDS),  # who put the card there under the pile and knows it; NOBODY
    ("packet", np.uint8, c.NUM_CARDS),  # 0 or 1, unlike in neighbouring packets that one seat put there
    ("played", np.int8, c.NUM_KINDS),  # cards laid or gathered, by kind
    ("aside", np.int8, BIG_HAND),  # cards out of the game, face-down; NO_CARD
    ("aside_by", np.int8),  # whose they were; NOBODY
    ("raincoats", np.int8),  # gathered, 0..3
    ("ropes", np.int8),  # gathered, 0..2
    ("exit_laid", np.uint8),  # 1 once EXIT lies on the table
    ("said", np.int8, MAX_SEATS),  # each seat's last signal
    # events since the last decision
    *news(NEWS_LENGTH),
    ("ending", np.int8),  # CLOSED, NO_CARDS or IMPOSSIBLE, once over
    ("won", np.uint8),  # 1 if Bandido has escaped, once over
)

ends_equal, floods_equal = rows_of(MOST_ENDS).equal, rows_of(c.NUM_FLOODS).equal
_ALL_ENDS, _ALL_FLOODS = (1 << MOST_ENDS) - 1, (1 << c.NUM_FLOODS) - 1


@kernel
def open_ends_at(state):
    """Return which open ends there are, as bits."""
    return ends_equal(state.end_cell, 0, NO_CELL) ^ _ALL_ENDS


@kernel
def floods_there(state):
    """Return which flooded halves there are, as bits."""
    return floods_equal(state.flood, 0, NO_CELL) ^ _ALL_FLOODS


@kernel
def first_place(x, y):
    """Return the first entry of the hash table for the cell at a place."""
    return (int(x) * 37 + int(y) * 101) & (INDEX - 1)


@kernel
def find(state, x, y):
    """Return the number of the cell at a place, or NO_CELL if it is empty."""
    place = first_place(x, y)
    while state.index[place] != EMPTY:
        cell = state.index[place]
        if state.cell_x[cell] == x and state.cell_y[cell] == y:
            return int(cell)
        place = (place + 1) & (INDEX - 1)
    return NO_CELL


@kernel
def tunnels_of(state, cell):
    """Return the tunnels of the half that is on top of a cell, as bits."""
    laid = state.cell_laid[cell]
    return int(c.TUNNELS[state.laid_kind[laid], state.laid_turn[laid], state.cell_half[cell]])


@kernel
def is_flooded(state, cell):
    """Return whether the half on top of a cell is under water."""
    return c.FLOODED[state.laid_kind[state.cell_laid[cell]]] == state.cell_half[cell]


@kernel
def neighbour_of(state, cell, side):
    """Return the number of the cell next to a cell, or NO_CELL."""
    return find(state, state.cell_x[cell] + c.STEP_X[side], state.cell_y[cell] + c.STEP_Y[side])


@kernel
def lay(state, kind, x, y, turn):
    """Lay a card with half a at a place, without checking that it fits, and update ends and floods."""
    laid = state.laid
    state.laid_kind[laid] = kind
    state.laid_x[laid] = x
    state.laid_y[laid] = y
    state.laid_turn[laid] = turn
    state.laid += 1
    side = c.OTHER_SIDE[turn, 0]
    one = _cover(state, x, y, laid, 0)
    other = _cover(state, x + c.STEP_X[side], y + c.STEP_Y[side], laid, 1)
    ends = open_ends_at(state)
    while ends:  # no end leads to a cell that was covered before
        slot = lowest_bit(ends)
        ends &= ends - 1
        if _leads_to(state, slot, one, other):
            state.end_cell[slot] = NO_CELL
            state.end_side[slot] = 0
            state.ends -= 1
    _open_ends(state, one)
    _open_ends(state, other)


@kernel
def _leads_to(state, slot, one, other):
    """Return whether an open end leads to one of two cells."""
    cell, side = state.end_cell[slot], state.end_side[slot]
    x, y = int(state.cell_x[cell]) + int(c.STEP_X[side]), int(state.cell_y[cell]) + int(c.STEP_Y[side])
    at_one = (x == state.cell_x[one]) & (y == state.cell_y[one])
    return at_one | ((x == state.cell_x[other]) & (y == state.cell_y[other]))


@kernel
def _cover(state, x, y, laid, half):
    """Put a half on top of a cell, new or flooded, and return the cell's number."""
    cell = find(state, x, y)
    if cell == NO_CELL:
        cell = int(state.cells)
        state.cells += 1
        state.cell_x[cell] = x
        state.cell_y[cell] = y
        place = first_place(x, y)
        while state.index[place] != EMPTY:
            place = (place + 1) & (INDEX - 1)
        state.index[place] = cell
    else:
        for slot in range(c.NUM_FLOODS):
            if state.flood[slot] == cell:
                state.flood[slot] = NO_CELL
    state.cell_laid[cell] = laid
    state.cell_half[cell] = half
    if is_flooded(state, cell):
        slot = 0
        while state.flood[slot] != NO_CELL:
            slot += 1
        state.flood[slot] = cell
    return cell


@kernel
def _open_ends(state, cell):
    """Number the open ends of a new half; the ends of a covered half keep their numbers."""
    new = np.int64(tunnels_of(state, cell))
    known = ends_equal(state.end_cell, 0, cell)
    while known:
        new &= ~(1 << np.int64(state.end_side[lowest_bit(known)]))
        known &= known - 1
    for side in range(4):
        if new >> side & 1 and neighbour_of(state, cell, side) == NO_CELL:
            slot = lowest_bit(ends_equal(state.end_cell, 0, NO_CELL))
            if slot < MOST_ENDS:  # which it is: C3.6
                state.end_cell[slot] = cell
                state.end_side[slot] = side
                state.ends += 1


@kernel
def lay_tile(state):
    """Clear the table and lay the start tile in the middle (C2.1)."""
    state.laid_kind[:] = c.NO_CARD
    state.index[:] = EMPTY
    state.end_cell[:] = NO_CELL
    state.flood[:] = NO_CELL
    lay(state, c.EASY_TILE if state.difficulty == EASY else c.NORMAL_TILE, 0, 0, 0)


@kernel
def hand_limit(state):
    """Return how many cards a hand has at first (C2.3, C9.1)."""
    return BIG_HAND if state.seats == 1 and state.solo_hand else HAND


@kernel
def is_complete(state):
    """Return whether each card is in exactly one place (C1.2)."""
    counts = np.zeros(c.NUM_KINDS + 1, np.int64)  # the last is NO_CARD
    for kind in range(c.NUM_KINDS):
        counts[kind] = state.played[kind]
    for seat in range(MAX_SEATS):
        for slot in range(BIG_HAND):
            counts[state.hand[seat, slot]] += 1
    for slot in range(BIG_HAND):
        counts[state.aside[slot]] += 1
    for slot in range(state.pile_size):
        counts[state.pile[slot]] += 1
    return not (counts[: c.NUM_KINDS] - c.COPIES).any()
