"""Validation of states of *Bandido Alcatraz*."""

from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.fits import can_play, exists, write_fits
from sobremesa.envs.bandido_alcatraz.halves import STEPS, halves_of, open_ends
from sobremesa.envs.bandido_alcatraz.rules import legal
from sobremesa.envs.bandido_alcatraz.state import is_complete, lay_again
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


# Fields that follow from the cards on the table, in the order in which they were laid.
_NETWORK = (
    "laid", "laid_kind", "laid_x", "laid_y", "laid_turn", "cells", "cell_x", "cell_y", "cell_laid", "cell_half",
    "index", "end_cell", "end_side", "ends", "flood",
)  # fmt: skip


def problems(states: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `states` is invalid; an empty list if it is valid."""
    if found := beyond(states, _LARGEST):  # the numbers below are looked up in tables
        return found
    if found := [reason for holds, reason in _cards(states[0]) + _table(states[0]) if not holds]:
        return found  # the cards can be laid
    if differ := _differences(states):
        return [f"the cards on the table make other {', '.join(differ)}"]
    return [reason for holds, reason in _network(states[0]) + _question(states) if not holds]


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


def _table(state: Any) -> list[tuple[bool, str]]:
    """Check the things on the table, and the news."""
    laid, cells = int(state.laid), int(state.cells)
    tile = c.EASY_TILE if state.difficulty == s.EASY else c.NORMAL_TILE
    news, packets = state.news[: state.news_count], state.packet[state.pile_size :]
    span = sum(int(axis.max()) - int(axis.min()) + 1 for axis in (state.cell_x[:cells], state.cell_y[:cells]) if cells)
    return [
        (laid > 0 and (state.laid_kind[0], state.laid_x[0], state.laid_y[0]) == (tile, 0, 0), "no tile in the middle"),
        (bool((state.laid_kind[1:laid] < c.NUM_KINDS).all()), "something lies there that is no card"),
        (not packets.any() and not state.news[state.news_count :].any(), "something behind the end of a list"),
        (span <= c.MOST_SPAN, "cells lie too far apart"),
        (bool((news[:, 0] <= s.E_ENDS).all() and (news[:, 1] < s.MAX_SEATS).all()), "news of nothing"),
        (bool((news[np.isin(news[:, 0], _WITH_CARD), 2] < c.NUM_KINDS).all()), "news of no card"),
        (bool((news[news[:, 0] == s.E_SIGNALS, 2] < s.NUM_SIGNALS).all()), "news of no signal"),
    ]


def _differences(states: np.ndarray) -> list[str]:
    """Return the fields of the network that are not as the cards make it, laid again one by one."""
    state, again = states[0], states.copy()[0]
    for name in _NETWORK:
        again[name] = 0
    lay_again(state, again)
    return [name for name in _NETWORK if (again[name] != state[name]).any()]


def _network(state: Any) -> list[tuple[bool, str]]:
    tunnels = {(half.x, half.y): half.tunnels for half in halves_of(state)}
    beyond_sides = [
        (cell, side, dug >> side & 1, tunnels.get((x + step_x, y + step_y)))
        for cell, ((x, y), dug) in enumerate(tunnels.items())
        for side, (step_x, step_y) in enumerate(STEPS)
    ]
    fits = all(other is None or dug == other >> (side ^ 2) & 1 for _, side, dug, other in beyond_sides)
    ends = sorted((cell, side) for cell, side, dug, other in beyond_sides if other is None and dug)
    listed = sorted(open_ends(state).values())
    more = int(((c.COPIES - state.played) * c.ADDS).sum())
    return [
        (fits, "a tunnel meets earth"),
        (len(ends) + more <= c.MOST_ENDS, f"{len(ends)} ends with {more} to come"),
        (listed == ends, f"open ends {ends}, listed {listed}"),
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
