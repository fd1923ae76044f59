"""Texts of Leduc poker: names of actions, the table, events and help."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.picture.words import Names
from sobremesa.envs.leduc_poker.rules import CALL, NO_CARD, NONE, NUM_ACTIONS, NUM_SEATS, shown

CARDS = ("J♠", "J♥", "Q♠", "Q♥", "K♠", "K♥")
_NAMES = {"en": ("fold", "call", "raise"), "es": ("retirarse", "igualar", "subir")}
_TOLD = {"en": ("folds", "calls", "raises"), "es": ("se retira", "iguala", "sube")}
_CHECKS = {"en": "checks", "es": "pasa"}
_WORDS = {
    "en": {
        "round": "Round {} of 2", "public": "public card {}", "over": "the deal is over", "seat": "Seat {}",
        "holds": "holds {}", "chips": "put in {}", "turn": "to act", "bets": "Bets: {}", "turned": "{} is turned up.",
    },
    "es": {
        "round": "Ronda {} de 2", "public": "carta común {}", "over": "se acabó", "seat": "Asiento {}",
        "holds": "tiene {}", "chips": "ha puesto {}", "turn": "le toca", "bets": "Apuestas: {}",
        "turned": "Se descubre {}.",
    },
}  # fmt: skip
_HELP = {
    "en": """\
Two jacks, two queens and two kings. Each seat antes a chip and gets a card; bets
of 2 follow, then a public card is turned up, and bets of 4 follow. A pair with
the public card wins, otherwise the higher rank; equal ranks share. In a round
two raises are allowed in all. To check is to call when nothing is due.
Type fold, call or raise.""",
    "es": """\
Dos sotas (J), dos reinas (Q) y dos reyes (K). Cada asiento pone una ficha y recibe
una carta; se apuesta de 2 en 2, se descubre una carta común y se apuesta de 4 en
4. Gana la pareja con la carta común; si no, la carta más alta, y si son iguales
se reparte. En una ronda se sube dos veces en total. Pasar es igualar cuando no
se debe nada. Escribe retirarse, igualar o subir.""",
}

_SIGNS = [("JQK", r"\b@\b"), ("♠♥", "@")]
RENAMED = {
    "en": {"words": "leduc jack queen king", "signs": _SIGNS},
    "es": {"words": "leduc sota reina rey reyes", "signs": _SIGNS},
}

_REFUSALS = {one: {"no_such_move": f"{{!r}} is no action; it takes {' or '.join(_NAMES[one])}"} for one in _NAMES}
NAMES = Names(NUM_ACTIONS, lambda language: zip(_NAMES[language], range(NUM_ACTIONS), strict=True), _REFUSALS)
action_name, parse_action = NAMES.name, NAMES.parse


def card_seen(state: Any, owner: int, seat: int | None) -> str:
    """Return the sign of the card of `owner` if `seat` (None: all) sees it, otherwise "" (L5)."""
    return CARDS[state.card[owner]] if seat in (None, owner) or shown(state) else ""


def seat_line(state: Any, seat: int, language: str) -> str:
    """Return the name of a seat, marked if it is to act."""
    named = _WORDS[check_language(language)]["seat"].format(seat)
    return f"{named}, {_WORDS[language]['turn']}" if state.seat == seat and not state.over else named


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as text; None shows everything (L5)."""
    return "\n".join(_lines(table[0], seat, check_language(language)))


def headline(state: Any, language: str) -> str:
    """Return the round and the public card in words."""
    words = _WORDS[check_language(language)]
    parts = [words["round"].format(int(state.betting_round) + 1)]
    if state.public != NO_CARD:
        parts.append(words["public"].format(CARDS[state.public]))
    return ", ".join([*parts, words["over"]] if state.over else parts)


def _lines(state: Any, seat: int | None, language: str) -> Iterator[str]:
    words = _WORDS[language]
    yield headline(state, language)
    for owner in range(NUM_SEATS):
        card = card_seen(state, owner, seat) or "?"
        parts = [words["seat"].format(owner), words["holds"].format(card), words["chips"].format(state.pot[owner])]
        yield ", ".join([*parts, words["turn"]] if state.seat == owner and not state.over else parts)
    rounds = [", ".join(_NAMES[language][action] for action in one if action != NONE) for one in state.history]
    yield words["bets"].format("; ".join(one for one in rounds if one) or "–")


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the action and its effects in sentences; all are public (L2, L3)."""
    state, then = before[0], after[0]
    checks = action == CALL and state.pot[0] == state.pot[1]
    told = _CHECKS[check_language(language)] if checks else _TOLD[language][action]
    sentences = [f"{SEAT_SIGNS[state.seat]} {told}."]
    if then.public != state.public:
        sentences.append(_WORDS[language]["turned"].format(CARDS[then.public]))
    return sentences


def help_text(language: str) -> str:
    """Return the rules in short and how to type moves."""
    return _HELP[check_language(language)]
