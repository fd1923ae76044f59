"""Every reason why a state of *Bandido Alcatraz* cannot be."""

from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import (
    COPIES,
    MOST_CELLS,
    MOST_ENDS,
    NO_CARD,
    NORMAL_TILE,
    NUM_CARDS,
    NUM_FLOODS,
    NUM_KINDS,
    PICTURE,
    RAINCOAT,
    RAINCOATS,
    ROPE,
    ROPES,
)
from sobremesa.envs.bandido_alcatraz.fits import can_play, write_fits
from sobremesa.envs.bandido_alcatraz.state import (
    GO_ON,
    HOW,
    IMPOSSIBLE,
    MAX_PLIES,
    MAX_SEATS,
    MOST_LAID,
    NEWS_LENGTH,
    NO_CELL,
    NOBODY,
    NORMAL,
    NOT_CHOSEN,
    NUM_SIGNALS,
    beside,
    is_flooded,
    tunnels_of,
)
from sobremesa.envs.core.record import beyond

# The largest number that a field may hold; the smallest is 0.
_LARGEST = {
    "seats": MAX_SEATS, "seat": MAX_SEATS - 1, "difficulty": NORMAL, "solo_hand": 1, "early_stop": 1, "signals": 1,
    "first": MAX_SEATS - 1, "stage": GO_ON, "where": NOT_CHOSEN, "passes": MAX_SEATS, "laid": MOST_LAID,
    "laid_kind": NORMAL_TILE, "laid_turn": 3, "cells": MOST_CELLS, "cell_laid": MOST_LAID - 1, "cell_half": 1,
    "end_cell": NO_CELL, "end_side": 3, "ends": MOST_ENDS, "flood": NO_CELL, "hand": NO_CARD, "pile": NO_CARD,
    "pile_size": NUM_CARDS, "put_under": NOBODY, "aside": NO_CARD, "aside_by": NOBODY, "raincoats": RAINCOATS,
    "ropes": ROPES, "exit_laid": 1, "said": NUM_SIGNALS - 1, "news_count": NEWS_LENGTH, "ending": IMPOSSIBLE, "won": 1,
    "over": 1, "ply": MAX_PLIES,
}  # fmt: skip


def problems(states: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `states` cannot be, none if it can."""
    if found := beyond(states, _LARGEST):  # the numbers below are looked up in tables
        return found
    state = states[0]
    checks = _cards(state) + _network(states) + _question(states)
    return [reason for holds, reason in checks if not holds]


def count_cards(state: Any) -> np.ndarray:
    """Return how many cards of each kind there are, wherever they lie, `(NUM_KINDS,)` int64."""
    counts = np.array(state.played, np.int64)
    for cards in (state.hand.ravel(), state.pile, state.aside):
        np.add.at(counts, cards[cards != NO_CARD], 1)
    return counts


def _cards(state: Any) -> list[tuple[bool, str]]:
    size = int(state.pile_size)
    kinds = state.laid_kind[1 : state.laid]
    on_table = np.bincount(kinds[kinds < NUM_KINDS], minlength=NUM_KINDS)
    gathered = state.played - on_table
    return [
        (bool((count_cards(state) == COPIES).all()), f"there are {COPIES} cards, here {count_cards(state)}"),
        (bool((state.pile[:size] != NO_CARD).all() and (state.pile[size:] == NO_CARD).all()), "gaps in the pile"),
        (bool((state.put_under[size:] == NOBODY).all()), "somebody put a card where none is"),
        (gathered[PICTURE == RAINCOAT].sum() == state.raincoats, f"{state.raincoats} raincoats were gathered"),
        (gathered[PICTURE == ROPE].sum() == state.ropes, f"{state.ropes} ropes were gathered"),
        (bool((gathered >= 0).all()), "a card lies on the table that was not played"),
        ((state.aside_by == NOBODY) == bool((state.aside == NO_CARD).all()), "cards set aside by nobody"),
        (bool((state.hand[state.seats :] == NO_CARD).all()), "a missing seat holds cards"),
    ]


def _network(states: np.ndarray) -> list[tuple[bool, str]]:
    state = states[0]
    seen, fits, floods = set(), True, set()
    for cell in range(state.cells):
        if is_flooded(state, cell):
            floods.add(cell)
        for side in range(4):
            other = beside(state, cell, side)
            tunnel = bool(tunnels_of(state, cell) >> side & 1)
            if other != NO_CELL:
                fits = fits and tunnel == bool(tunnels_of(state, other) >> (side + 2) % 4 & 1)
            elif tunnel:
                seen.add((cell, side))
    listed = [
        (int(cell), int(side)) for cell, side in zip(state.end_cell, state.end_side, strict=True) if cell != NO_CELL
    ]
    return [
        (fits, "a tunnel meets earth"),
        (sorted(listed) == sorted(seen) and len(listed) == state.ends, f"open ends {sorted(seen)}, listed {listed}"),
        (
            sorted(floods) == sorted(int(cell) for cell in state.flood if cell != NO_CELL),
            "floods and their list differ",
        ),
        (len(floods) <= NUM_FLOODS, f"{len(floods)} floods"),
    ]


def _question(states: np.ndarray) -> list[tuple[bool, str]]:
    state = states[0]
    chosen = state.where != NOT_CHOSEN
    if state.over:
        return [(state.ending > 0 and not chosen, "over without an ending")]
    again = states.copy()
    write_fits(again[0], state.seat)
    return [
        (state.seats >= 1 and state.seat < state.seats, f"seat {state.seat} of {state.seats} to act"),
        (state.stage != GO_ON, "nobody is asked anything"),
        (chosen == (state.stage == HOW), f"stage {state.stage} with {state.where} chosen"),
        (state.ending == 0 and not state.won, "an ending before the end"),
        (state.ends > 0, "all is closed"),
        (bool(can_play(state)), "a seat is asked that can play nothing"),
        (bool((again[0].fits == state.fits).all()), "the ways to lay cards are not those of the hand"),
    ]
