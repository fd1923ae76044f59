"""The state of *Ese Toro enamorado* as a record, and the numbers of actions and events."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import news
from sobremesa.envs.core.record import record
from sobremesa.envs.ese_toro_enamorado import board

NOBODY = board.MAX_SEATS
CHOOSE, DAY, NIGHT, EXTRA = 0, 1, 2, 3  # stages: choose a mountain, lay a tile, move a bull, move on after rosemary
CHOSEN, FIXED, BY_NIGHT = 0, 1, 2  # option mountains
MOON_STEPS, MOON_WAITS, FULL_LAP = 0, 1, 2  # option round_end
ONE_STEP, ANYWHERE = 0, 1  # option rosemary
TURN_ENDS, TRY_AGAIN = 0, 1  # option fence_bounce
SUPPLY, UNLIMITED, FORBIDDEN = 0, 1, 2  # option duplicates
MAX_ROUNDS, MAX_VUELTAS = 48, 24

# Actions, by block: choose mountain m; lay kind k on crossing c; lay the lily on water w; go to node n; stay.
A_CHOOSE = 0
A_LAY = A_CHOOSE + board.NUM_MOUNTAINS
A_LILY = A_LAY + board.NUM_LAND_KINDS * board.NUM_CROSSINGS
A_GO = A_LILY + board.NUM_SHORES
A_STAY = A_GO + board.NUM_NODES
NUM_ACTIONS = A_STAY + 1

# Choosing, then in each round: two tiles a seat, a move a seat and vuelta, two extra moves, three bounces.
MAX_PLIES = board.MAX_SEATS + MAX_ROUNDS * (board.MAX_SEATS * (board.TILES_EACH + MAX_VUELTAS) + 2 + 3)

# Events of the news: lines (event, seat, and two numbers).
(
    E_CHOOSES,  # a mountain
    E_GOES,  # to a node
    E_STAYS,
    E_BOUNCES,  # off a fence on a node
    E_FINDS,  # on a node, a kind of tile that lay face down
    E_MEETS,  # the moon in a phase; 1 for a marker, 0 where none is left
    E_ROUND,  # of a number and a phase begins, opened by the seat
) = range(7)
NEWS_LENGTH = 32  # further events of one ply are dropped

STATE = record(
    # setup, see RULES.md (O1 to O9)
    ("board", np.int8),  # STANDARD or SMALL
    ("mountains", np.int8),  # CHOSEN, FIXED or BY_NIGHT
    ("round_end", np.int8),  # MOON_STEPS, MOON_WAITS or FULL_LAP
    ("rosemary", np.int8),  # ONE_STEP or ANYWHERE
    ("rosemary_chain", np.int8),  # 1: an extra move may win another
    ("fence_bounce", np.int8),  # TURN_ENDS or TRY_AGAIN
    ("shore_tiles", np.int8),  # 1: tiles may lie on shores
    ("duplicates", np.int8),  # SUPPLY, UNLIMITED or FORBIDDEN
    ("max_vueltas", np.int8),  # the night's cap, 1..24
    ("max_rounds", np.int8),  # the deal's cap, 1..48
    # where the deal stands
    ("stage", np.int8),  # CHOOSE, DAY, NIGHT or EXTRA
    ("round_number", np.int8),  # 1..48; 0 while mountains are chosen
    ("phase", np.int8),  # CRESCENT..NEW
    ("first", np.int8),  # the seat that opens this round
    ("turns", np.int8),  # turns taken in this lap of the table, 0..seats - 1
    ("vuelta", np.int8),  # turns of the table completed this night, 0..24
    ("moon", np.int8),  # the shore it lies at; NO_SHORE while mountains are chosen
    ("met", np.uint8),  # 1 once somebody has met the moon this round
    # the pieces
    ("home", np.int8, board.MAX_SEATS),  # each seat's mountain; NO_MOUNTAIN before it has one
    ("bull", np.int8, board.MAX_SEATS),  # the node each bull is on; NO_NODE before it has one
    ("tile", np.int8, board.NUM_PLACES),  # kind of tile on each place; NO_TILE
    ("owner", np.int8, board.NUM_PLACES),  # the seat that laid it; NOBODY
    ("face_up", np.uint8, board.NUM_PLACES),  # 1 if everybody sees its kind
    ("hand", np.int8, (board.MAX_SEATS, board.NUM_KINDS)),  # tiles not yet laid, by kind
    ("gone", np.int8, board.NUM_KINDS),  # tiles eaten or trodden on this round, by kind
    ("scored", np.uint8, board.MAX_SEATS),  # 1 if the seat has met the moon this round
    ("markers", np.int8, (board.MAX_SEATS, board.NUM_PHASES)),  # moon markers won
    ("winner", np.uint8, board.MAX_SEATS),  # 1 for winners, once over
    *news(NEWS_LENGTH),  # events since the last decision, for the story
)


@kernel
def is_complete(state):
    """Return whether each tile dealt this round is exactly once in a hand, on the board or gone (C4.1)."""
    total = 0
    for kind in range(board.NUM_KINDS):
        count = int(state.gone[kind])
        for seat in range(board.MAX_SEATS):
            count += int(state.hand[seat, kind])
        for place in range(board.NUM_PLACES):
            count += state.tile[place] == kind
        if count > board.TILE_COUNTS[kind]:
            return False
        total += count
    return total == (0 if state.stage == CHOOSE else board.TILES_EACH * state.seats)
