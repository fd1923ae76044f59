"""Why a state of *Ese Toro enamorado* cannot be: every invariant of the record, for tests, checks and loaders."""

from collections.abc import Callable

import numpy as np

from sobremesa.envs.core.record import beyond
from sobremesa.envs.ese_toro_enamorado.board import (
    DEGREE,
    LILY,
    MAX_SEATS,
    NEAR,
    NO_MOUNTAIN,
    NO_NODE,
    NO_SHORE,
    NO_TILE,
    NUM_NODES,
    NUM_PHASES,
    OUTER,
    TILE_COUNTS,
    TILES_EACH,
    WATER,
)
from sobremesa.envs.ese_toro_enamorado.markers import SUPPLY
from sobremesa.envs.ese_toro_enamorado.rules import CHOOSE, DAY, EXTRA, MAX_PLIES, MAX_ROUNDS, NOBODY, all_there

# The largest number that a field may hold, where it does not depend on the table; the smallest is 0.
_LARGEST = {
    "stage": EXTRA,
    "phase": NUM_PHASES - 1,
    "moon": NO_SHORE,
    "met": 1,
    "home": NO_MOUNTAIN,
    "bull": NO_NODE,
    "tile": NO_TILE,
    "owner": NOBODY,
    "face_up": 1,
    "hand": TILES_EACH,
    "gone": max(TILE_COUNTS),
    "scored": 1,
    "markers": MAX_ROUNDS,
    "winner": 1,
    "over": 1,
    "ply": MAX_PLIES,
}


Check = Callable[[object, str], None]  # (what must hold, the reason why a state cannot be if it does not)


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` cannot come up in a deal; none for one that can."""
    state = table[0]
    found: list[str] = []
    seats = int(state.seats)

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    check(2 <= seats <= MAX_SEATS, f"{seats} seats")
    check(0 <= state.seat < seats, f"seat {state.seat} to act of {seats}")
    check(0 <= state.first < seats, f"seat {state.first} first of {seats}")
    check(0 <= state.turns < seats, f"{state.turns} turns taken")
    check(0 <= state.vuelta <= state.max_vueltas, f"vuelta {state.vuelta} of {state.max_vueltas}")
    check(0 <= state.round_number <= state.max_rounds, f"round {state.round_number} of {state.max_rounds}")
    found += beyond(table, _LARGEST)
    if found:  # the numbers below are looked up in tables
        return found
    check((state.moon == NO_SHORE) == (state.stage == CHOOSE), f"moon at {state.moon} in stage {state.stage}")
    check(state.met == state.scored.any(), "met does not say whether anybody scored")
    check(state.stage == DAY or not state.hand.any() or state.over, "tiles in hand by night")
    _check_pieces(state, seats, check)
    if state.stage != CHOOSE:
        _check_tiles(state, seats, check)
    return found


def _check_pieces(state: np.record, seats: int, check: Check) -> None:
    homes = [int(home) for home in state.home[:seats] if home != NO_MOUNTAIN]
    check(len(set(homes)) == len(homes), f"two bulls live on one mountain: {homes}")
    check(state.stage == CHOOSE or len(homes) == seats, "a seat has no mountain")
    for seat in range(MAX_SEATS):
        bull = int(state.bull[seat])
        on_board = bull < NUM_NODES and DEGREE[state.board, bull] > 0
        check(on_board if seat < len(homes) and state.stage != CHOOSE else True, f"bull {seat} on {bull}")
        check(seat < seats or state.home[seat] == NO_MOUNTAIN, f"a mountain for the missing seat {seat}")
        check(seat < seats or bull == NO_NODE, f"a bull on {bull} for the missing seat {seat}")
        check(seat < seats or not state.markers[seat].any(), f"markers for the missing seat {seat}")
    if state.duplicates == SUPPLY:
        check((state.markers.sum(axis=0) <= MAX_SEATS).all(), "more than four markers of a phase")
    check(state.over == state.winner.any(), "winners before the end, or none after it")


def _check_tiles(state: np.record, seats: int, check: Check) -> None:
    check(all_there(state), "a tile is missing, or there twice")
    check(((state.owner < seats) | (state.owner == NOBODY)).all(), "a tile of a missing seat")
    check(((state.tile == NO_TILE) == (state.owner == NOBODY)).all(), "a tile without owner, or an owner without tile")
    check(not state.face_up[state.tile == NO_TILE].any(), "a face without a tile")
    check((state.tile[:OUTER] == NO_TILE).all(), "a tile on a mountain")
    check((state.tile[:WATER] != LILY).all(), "the lily on land")
    check(np.isin(state.tile[WATER:], (LILY, NO_TILE)).all(), "another tile than the lily on water")
    absent = DEGREE[state.board] == 0
    check((state.tile[:NUM_NODES][absent] == NO_TILE).all(), "a tile on a crossing that this board lacks")
    if not state.gone.any():
        for home in state.home[:seats]:
            check((state.tile[NEAR[home]] == NO_TILE).any(), f"both crossings near mountain {home} hold tiles")
