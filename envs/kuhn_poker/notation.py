"""Texts of Kuhn poker: names of actions, the table, events and help."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.picture.words import Names
from sobremesa.envs.kuhn_poker.rules import BET, NUM_ACTIONS, NUM_SEATS, shown

CARDS = "JQK"
_NAMES = {"en": ("pass", "bet"), "es": ("pasar", "apostar")}
_LINES = {
    "en": ("Seat {}", "holds {}", "put in {}", "to act", "the deal is over"),
    "es": ("Asiento {}", "tiene {}", "ha puesto {}", "le toca", "se acabó"),
}
_TOLD = {
    "en": ("passes", "bets a chip", "folds", "calls"),
    "es": ("pasa", "apuesta una ficha", "se retira", "iguala"),
}
_HELP = {
    "en": "Three cards, J < Q < K. Pass or bet a chip; the higher card wins. Type pass or bet.",
    "es": "Tres cartas, J < Q < K. Pasa o apuesta una ficha; gana la carta mayor. Escribe pasar o apostar.",
}


_REFUSALS = {one: {"no_such_move": f"{{!r}} is no action; it takes {' or '.join(_NAMES[one])}"} for one in _NAMES}
NAMES = Names(NUM_ACTIONS, lambda language: zip(_NAMES[language], range(NUM_ACTIONS), strict=True), _REFUSALS)
action_name, parse_action = NAMES.name, NAMES.parse


def card_seen(state: Any, owner: int, seat: int | None) -> str:
    """Return the sign of the card of `owner` if `seat` (None: all) sees it, otherwise "" (K4)."""
    return CARDS[state.deck[owner]] if seat in (None, owner) or shown(state) else ""


def seat_line(state: Any, seat: int, language: str) -> str:
    """Return the name of a seat, marked if it is to act."""
    named = _LINES[check_language(language)][0].format(seat)
    return f"{named}, {_LINES[language][3]}" if state.seat == seat and not state.over else named


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as text; None shows everything (K4)."""
    return "\n".join(_lines(table[0], seat, check_language(language)))


def _lines(state: Any, seat: int | None, language: str) -> Iterator[str]:
    name, holds, put_in, to_act, over = _LINES[language]
    for owner in range(NUM_SEATS):
        card = card_seen(state, owner, seat) or "?"
        parts = [name.format(owner), holds.format(card), put_in.format(state.pot[owner])]
        yield ", ".join([*parts, to_act] if state.seat == owner and not state.over else parts)
    if state.over:
        yield over


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the action as a sentence; all actions are public (K2)."""
    facing_bet = int(before[0].last == BET)
    return [f"{SEAT_SIGNS[before[0].seat]} {_TOLD[check_language(language)][2 * facing_bet + action]}."]


def help_text(language: str) -> str:
    """Return the rules in short and how to type moves."""
    return _HELP[check_language(language)]
