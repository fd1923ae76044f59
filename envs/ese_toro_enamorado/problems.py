"""Invariants of the state of *Ese Toro enamorado*, for tests, checks and loaders."""

from collections.abc import Callable

import numpy as np

from sobremesa.envs.core.record import beyond
from sobremesa.envs.ese_toro_enamorado import board as b, state as s
from sobremesa.envs.ese_toro_enamorado.state import is_complete

# The largest number that a field may hold, where it does not depend on the table; the smallest is 0.
_LARGEST = {
    "stage": s.EXTRA,
    "phase": b.NUM_PHASES - 1,
    "moon": b.NO_SHORE,
    "met": 1,
    "home": b.NO_MOUNTAIN,
    "bull": b.NO_NODE,
    "tile": b.NO_TILE,
    "owner": s.NOBODY,
    "face_up": 1,
    "hand": b.TILES_EACH,
    "gone": max(b.TILE_COUNTS),
    "scored": 1,
    "markers": s.MAX_ROUNDS,
    "winner": 1,
    "over": 1,
    "ply": s.MAX_PLIES,
    "news": s.MAX_ROUNDS,
    "news_count": s.NEWS_LENGTH,
}


Check = Callable[[object, str], None]  # (condition, reason why a state without it is impossible)


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is impossible; empty for a possible state."""
    state = table[0]
    found: list[str] = []
    seats = int(state.seats)

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    check(2 <= seats <= b.MAX_SEATS, f"{seats} seats")
    check(0 <= state.seat < seats, f"seat {state.seat} to act of {seats}")
    check(0 <= state.first < seats, f"seat {state.first} first of {seats}")
    check(0 <= state.turns < seats, f"{state.turns} turns taken")
    check(0 <= state.vuelta <= state.max_vueltas, f"vuelta {state.vuelta} of {state.max_vueltas}")
    check(0 <= state.round_number <= state.max_rounds, f"round {state.round_number} of {state.max_rounds}")
    found += beyond(table, _LARGEST)
    if found:  # the numbers below are looked up in tables
        return found
    check(state.met == state.scored.any(), "met does not return whether anybody scored")
    _check_turn(state, seats, check)
    _check_bulls(state, seats, check)
    _check_tiles(state, seats, check)
    _check_hands(state, seats, check)
    _check_markers(state, seats, check)
    _check_news(state, check)
    return found


def _check_turn(state: np.record, seats: int, check: Check) -> None:
    choosing, night = state.stage == s.CHOOSE, state.stage in (s.NIGHT, s.EXTRA)
    at = f"in stage {state.stage}"
    check((state.moon == b.NO_SHORE) == choosing, f"moon at {state.moon} {at}")
    check((state.round_number == 0) == choosing, f"round {state.round_number} {at}")
    check(not choosing or state.mountains == s.CHOSEN, "mountains are chosen that are fixed")
    first = b.NEW if state.mountains == s.BY_NIGHT else b.CRESCENT
    check(
        state.phase == (first + max(state.round_number - 1, 0)) % b.NUM_PHASES, f"phase {state.phase} in another round"
    )
    check(night or state.mountains != s.BY_NIGHT or state.round_number > 1, "day before the first night")
    check(state.seat == (state.first + state.turns) % seats, f"seat {state.seat} to act after {state.turns} turns")
    check(night or not (state.vuelta or state.met or state.over), "a night's end by day")
    check(state.over or state.vuelta < state.max_vueltas, f"vuelta {state.vuelta} of {state.max_vueltas}")
    check(state.stage != s.EXTRA or state.gone[b.ROSEMARY] > 0, "an extra move without rosemary")


def _check_bulls(state: np.record, seats: int, check: Check) -> None:
    settled = [(state.first + turn) % seats for turn in range(state.turns if state.stage == s.CHOOSE else seats)]
    homes = [int(home) for home in state.home if home != b.NO_MOUNTAIN]
    check(len(set(homes)) == len(homes), f"two bulls live on one mountain: {homes}")
    for seat in range(b.MAX_SEATS):
        home, bull = int(state.home[seat]), int(state.bull[seat])
        if seat not in settled:
            check(
                home == b.NO_MOUNTAIN and bull == b.NO_NODE, f"a mountain or a bull for seat {seat}, which has none yet"
            )
        elif state.stage in (s.CHOOSE, s.DAY):
            check(home != b.NO_MOUNTAIN and bull == b.MOUNTAIN + home, f"bull {seat} on {bull} by day")
        else:
            there = home != b.NO_MOUNTAIN and bull < b.NUM_NODES and b.DEGREE[state.board, bull] > 0
            check(there, f"bull {seat} on {bull}")


def _check_tiles(state: np.record, seats: int, check: Check) -> None:
    lies = state.tile != b.NO_TILE
    check(is_complete(state), "a tile is missing, or there twice")
    check(((state.owner < seats) | (state.owner == s.NOBODY)).all(), "a tile of a missing seat")
    check((lies == (state.owner != s.NOBODY)).all(), "a tile without owner, or an owner without tile")
    check(not lies[: b.OUTER].any(), "a tile on a mountain")
    check((state.tile[: b.WATER] != b.LILY).all(), "the lily on land")
    check(np.isin(state.tile[b.WATER :], (b.LILY, b.NO_TILE)).all(), "another tile than the lily on water")
    check(not lies[: b.NUM_NODES][b.DEGREE[state.board] == 0].any(), "a tile on a crossing that this board lacks")
    check(state.shore_tiles or not lies[b.SHORE : b.WATER].any(), "a tile on a shore")
    if state.stage in (s.CHOOSE, s.DAY):
        check(not state.face_up.any() and not state.gone.any(), "tiles turned up or gone by day")
    elif state.phase == b.NEW:
        check(not state.face_up[state.tile != b.FENCE].any(), "another tile than a fence was turned up in new moon")
    else:
        check((state.face_up == lies).all(), "a tile that lies face down by night, or a face without a tile")
    if not state.gone.any():
        for home in state.home[state.home != b.NO_MOUNTAIN]:
            check(not lies[b.NEAR[home]].all(), f"both crossings near mountain {home} hold tiles")


def _check_hands(state: np.record, seats: int, check: Check) -> None:
    """Check that in each lap of the day every seat lays one tile (C4.2)."""
    held = state.hand.sum(axis=1)
    if state.stage != s.DAY:
        check(not held.any(), "tiles in hand before or after the day")
        return
    check(not held[seats:].any(), "a missing seat holds tiles")
    lap = b.TILES_EACH - int(held[state.seat])
    for turn in range(seats):
        seat = (state.first + turn) % seats
        left = b.TILES_EACH - lap - (turn < state.turns)
        laid = int((state.owner == seat).sum())
        check(
            b.TILES_EACH - lap > 0 and (held[seat], laid) == (left, b.TILES_EACH - left),
            f"seat {seat} laid {laid} tiles",
        )


def _check_markers(state: np.record, seats: int, check: Check) -> None:
    markers, held = state.markers[:seats], (state.markers[:seats] > 0).sum(axis=1)
    check(not state.markers[seats:].any() and not state.scored[seats:].any(), "markers for a missing seat")
    if state.duplicates == s.SUPPLY:  # as many are left as seats lack one (C7.4)
        check((b.MAX_SEATS - markers.sum(axis=0) >= (markers == 0).sum(axis=0)).all(), "too few markers are left over")
    check(state.duplicates != s.FORBIDDEN or (markers < 2).all(), "a second marker of a phase")
    best = held.max()
    if not state.over:
        check(not state.winner.any(), "winners before the end")
        check(not (held[state.scored[:seats] == 0] == b.NUM_PHASES).any(), "a seat has all phases, and it is not over")
        return
    check(best == b.NUM_PHASES or state.round_number == state.max_rounds, "over without an end")
    most = (markers.sum(axis=1) * (held == best)).max()
    won = (held == best) & (markers.sum(axis=1) == most)
    check((state.winner[:seats] == won).all() and not state.winner[seats:].any(), "others have won")


def _check_news(state: np.record, check: Check) -> None:
    news = state.news[: state.news_count]
    check(not state.news[state.news_count :].any(), "something is left behind the news")
    check((news[:, 0] <= s.E_ROUND).all() and (news[:, 1] < b.MAX_SEATS).all(), "news of nothing")
    most = np.select([news[:, 0] == s.E_CHOOSES, news[:, 0] == s.E_MEETS], [len(b.NEAR), b.NUM_PHASES], b.NUM_NODES)
    check((news[:, 2] < np.where(news[:, 0] == s.E_ROUND, s.MAX_ROUNDS + 1, most)).all(), "news of nowhere")
    check((news[:, 3] < b.NUM_PHASES).all(), "news of no phase or tile")
