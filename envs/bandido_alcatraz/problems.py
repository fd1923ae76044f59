"""Validation of states of *Bandido Alcatraz*."""

from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.fits import can_play, exists, write_fits
from sobremesa.envs.bandido_alcatraz.halves import STEPS, floods, halves_of, open_ends
from sobremesa.envs.bandido_alcatraz.rules import legal
from sobremesa.envs.bandido_alcatraz.state import find, is_complete
from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.record import beyond

_WITH_CARD = (s.E_LAYS, s.E_COVERS, s.E_GATHERS)
# After each of the cards that are played every seat may pass once, and all may pass before the end.
MOST_TURNS = (c.NUM_CARDS + 1) * s.MAX_SEATS

# The largest number that a field may hold; the smallest is 0.
_LARGEST = {
    "seats": s.MAX_SEATS, "seat": s.MAX_SEATS - 1, "difficulty": s.NORMAL, "solo_hand": 1, "early_stop": 1,
    "signals": 1, "first": s.MAX_SEATS - 1, "stage": s.GO_ON, "where": s.NOT_CHOSEN, "passes": s.MAX_SEATS,
    "laid": s.MOST_LAID, "laid_kind": c.NORMAL_TILE, "laid_turn": 3, "cells": c.MOST_CELLS,
    "cell_laid": s.MOST_LAID - 1, "cell_half": 1, "end_cell": s.NO_CELL, "end_side": 3, "ends": c.MOST_ENDS,
    "flood": s.NO_CELL, "hand": c.NO_CARD, "pile": c.NO_CARD, "pile_size": c.NUM_CARDS, "put_under": s.NOBODY,
    "aside": c.NO_CARD, "aside_by": s.NOBODY, "raincoats": c.RAINCOATS, "ropes": c.ROPES, "exit_laid": 1,
    "said": s.NUM_SIGNALS - 1, "news_count": s.NEWS_LENGTH, "ending": s.IMPOSSIBLE, "won": 1, "over": 1,
    "ply": s.MAX_PLIES, "turns": MOST_TURNS, "packet": 1, "news": 127, "index": s.EMPTY,
}  # fmt: skip


def problems(states: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `states` is invalid; an empty list if it is valid."""
    if found := beyond(states, _LARGEST):  # the numbers below are looked up in tables
        return found
    if found := [reason for holds, reason in _cards(states[0]) + _cells(states[0]) if not holds]:
        return found  # the checks below need cells
    return [reason for holds, reason in _network(states) + _question(states) if not holds]


def _cards(state: Any) -> list[tuple[bool, str]]:
    size = int(state.pile_size)
    kinds = state.laid_kind[1 : state.laid]
    on_table = np.bincount(kinds[kinds < c.NUM_KINDS], minlength=c.NUM_KINDS)
    gathered = state.played - on_table
    return [
        (bool(is_complete(state)), "a card is missing, or there twice"),
        (bool((state.pile[:size] != c.NO_CARD).all() and (state.pile[size:] == c.NO_CARD).all()), "gaps in the pile"),
        (bool((state.put_under[size:] == s.NOBODY).all()), "somebody put a card where none is"),
        (gathered[c.PICTURE == c.RAINCOAT].sum() == state.raincoats, f"{state.raincoats} raincoats were gathered"),
        (gathered[c.PICTURE == c.ROPE].sum() == state.ropes, f"{state.ropes} ropes were gathered"),
        (bool((gathered >= 0).all()), "a card lies on the table that was not played"),
        (not gathered[(c.PICTURE == c.PLAIN) | (c.PICTURE == c.EXIT)].any(), "a card was played that lies nowhere"),
        (state.exit_laid <= on_table[c.EXIT_KIND], "EXIT does not lie on the table"),
        ((state.aside_by == s.NOBODY) == bool((state.aside == c.NO_CARD).all()), "cards set aside by nobody"),
        (bool((state.hand[state.seats :] == c.NO_CARD).all()), "a missing seat holds cards"),
    ]


def _cells(state: Any) -> list[tuple[bool, str]]:
    """Check the cells and their hash table against the cards on the table."""
    laid, cells = int(state.laid), int(state.cells)
    places = list(zip(state.cell_x[:cells].tolist(), state.cell_y[:cells].tolist(), strict=True))
    tops = list(zip(state.cell_laid[:cells].tolist(), state.cell_half[:cells].tolist(), strict=True))
    numbers = [*range(1, laid), 0]  # the tile is never covered
    last = {_place_of(state, number, half): (number, half) for number in numbers for half in range(2)}
    tile = c.EASY_TILE if state.difficulty == s.EASY else c.NORMAL_TILE
    news = state.news[: state.news_count]
    behind = [state.laid_x[laid:], state.laid_y[laid:], state.laid_turn[laid:], state.packet[state.pile_size :]]
    behind += [state.cell_x[cells:], state.cell_y[cells:], state.cell_laid[cells:], state.cell_half[cells:]]
    behind += [state.news[state.news_count :]]
    return [
        (laid > 0 and (state.laid_kind[0], state.laid_x[0], state.laid_y[0]) == (tile, 0, 0), "no tile in the middle"),
        (bool((state.laid_kind[1:laid] < c.NUM_KINDS).all()), "something lies there that is no card"),
        (bool((state.laid_kind[laid:] == c.NO_CARD).all()), "cards behind those that were laid"),
        (not any(part.any() for part in behind), "something is left behind a list"),
        (len(set(places)) == cells, "two cells in one place"),
        (places == [_place_of(state, *top) for top in tops], "a half lies where its card does not"),
        (dict(zip(places, tops, strict=True)) == last, "what was laid last in a place does not lie on top"),
        (
            sum(max(axis) - min(axis) + 1 for axis in zip(*places, strict=True)) <= c.MOST_SPAN,
            "cells lie too far apart",
        ),
        (_finds_all(state, places), "the index does not find the cells"),
        (bool((news[:, 0] <= s.E_ENDS).all() and (news[:, 1] < s.MAX_SEATS).all()), "news of nothing"),
        (bool((news[np.isin(news[:, 0], _WITH_CARD), 2] < c.NUM_KINDS).all()), "news of no card"),
        (bool((news[news[:, 0] == s.E_SIGNALS, 2] < s.NUM_SIGNALS).all()), "news of no signal"),
    ]


def _place_of(state: Any, number: int, half: int) -> tuple[int, int]:
    """Return the place of a half of a card on the table."""
    x, y, side = int(state.laid_x[number]), int(state.laid_y[number]), int(c.OTHER_SIDE[state.laid_turn[number], 0])
    return x + half * int(c.STEP_X[side]), y + half * int(c.STEP_Y[side])


def _finds_all(state: Any, places: list[tuple[int, int]]) -> bool:
    """Return whether the index has every cell under its place, and no other entry."""
    if sorted(state.index[state.index != s.EMPTY].tolist()) != list(range(len(places))):
        return False
    return all(as_python(find)(state, x, y) == cell for cell, (x, y) in enumerate(places))


def _network(states: np.ndarray) -> list[tuple[bool, str]]:
    state = states[0]
    tunnels = {(half.x, half.y): half.tunnels for half in halves_of(state)}
    wet = [cell for cell, half in enumerate(halves_of(state)) if half.flooded]
    seen, fits = set(), True
    for cell, ((x, y), dug) in enumerate(tunnels.items()):
        for side, (step_x, step_y) in enumerate(STEPS):
            other, tunnel = tunnels.get((x + step_x, y + step_y)), dug >> side & 1
            if other is not None:
                fits = fits and tunnel == other >> (side ^ 2) & 1
            elif tunnel:
                seen.add((cell, side))
    listed = sorted(open_ends(state).values())
    more = int(((c.COPIES - state.played) * c.ADDS).sum())
    return [
        (fits, "a tunnel meets earth"),
        (len(seen) + more <= c.MOST_ENDS, f"{len(seen)} ends with {more} to come"),
        (listed == sorted(seen) and len(listed) == state.ends, f"open ends {sorted(seen)}, listed {listed}"),
        (wet == sorted(floods(state).values()), "floods and their list differ"),
        (len(wet) <= c.NUM_FLOODS, f"{len(wet)} floods"),
    ]


def _question(states: np.ndarray) -> list[tuple[bool, str]]:
    state = states[0]
    chosen = state.where != s.NOT_CHOSEN
    if state.over:
        material = state.raincoats == c.RAINCOATS and state.ropes == c.ROPES
        escaped = state.ends == 0 and state.exit_laid and material and (state.flood == s.NO_CELL).all()
        return [
            (state.ending > 0 and not chosen, "over without an ending"),
            (bool(state.won) == bool(escaped), "Bandido has escaped, or not"),
            (state.ending != s.CLOSED or state.ends == 0, "closed with open ends"),
        ]
    if chosen and not exists(state, state.where):
        return [(False, f"a card is to be laid at {state.where}, where nothing is")]
    mask = np.zeros(s.NUM_ACTIONS, np.int8)
    legal(state, mask)
    again = states.copy()
    write_fits(again[0], state.seat)
    return [
        (state.seats >= 1 and state.seat < state.seats, f"seat {state.seat} of {state.seats} to act"),
        (state.stage != s.GO_ON, "nobody is asked anything"),
        (chosen == (state.stage == s.HOW), f"stage {state.stage} with {state.where} chosen"),
        (state.ending == 0 and not state.won, "an ending before the end"),
        (state.ends > 0, "all is closed"),
        (bool(can_play(state)), "a seat is asked that can play nothing"),
        (state.stage != s.HOW or bool(mask.any()), "no card fits where one is to be laid"),
        (state.stage != s.SIGNAL or bool(state.signals and state.seats > 1), "a signal is asked for that nobody hears"),
        (bool((again[0].fits == state.fits).all()), "the ways to lay cards are not those of the hand"),
    ]
