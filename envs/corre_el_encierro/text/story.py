"""Events of *Corre el encierro* in sentences."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.news import event_names
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_fall
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.words import NAMES, STORY, WORDS

KEYS = event_names(s) | {s.E_SHOWS: "shows_bull"}
_PLACED, _DRESSED = (s.E_ADVANCES, s.E_RETREATS, s.E_CLOSES), (s.E_RECOVERS, s.E_LOSES)
_RUN_WITH = {  # cards of an advance by its bonus
    c.NO_CARD: (c.AVANZAR,),
    c.CARRERA: (c.AVANZAR, c.CARRERA),
    c.ZAPATILLAS: (c.AVANZAR, c.ZAPATILLAS),
    c.SANTO_PATRON: (c.SANTO_PATRON, c.HEMINGWAY),
}


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` (None: all) sees, a sentence each (C11).

    A decision that leaves no trace on the table, such as not to react, only appears for the seat that took it, so that
    the sentences do not reveal which seats were asked (C11.2). A card drawn is named for its drawer, a
    stolen one for the robber and the robbed (C6.4).
    """
    check_language(language)
    old, new = before[0], after[0]
    told = _decision(old, action, language) if seat in (None, int(old.seat)) else []
    for event, one, card, other in new.news[: new.news_count].tolist():
        if event == s.E_WINS:
            continue
        if event == s.E_DRAWS and seat in (None, one):
            card = _drawn(old, new, one, action)
        elif event == s.E_ROBBED and seat in (None, one, other):
            card = _stolen(old, new, one, other, seat)
        told.append(_sentence(old, event, one, card, other, language))
    return told + (won(new, None, language) if new.over else [])


def won(state: Any, reader: int | None, language: str) -> list[str]:
    """Return a sentence for each winner of a finished deal (C10)."""
    words = WORDS[language]
    seats = np.flatnonzero(state.winner).tolist()
    winners = [SEAT_SIGNS[seat] + (words["you"] if seat == reader else "") for seat in seats]
    key = "shared" if len(winners) > 1 else f"ending{int(state.ending)}"
    return [words[key].format(winner) for winner in winners]


def _decision(old: Any, action: int, language: str) -> list[str]:
    """Return the sentence of a decision that is no news."""
    if action == s.A_DONE:
        key = "done_playing" if old.stage == s.PLAY else "done_discarding"
    elif action in (s.A_STOP, s.A_NOTHING):
        key = "stops" if action == s.A_STOP else "nothing"
    else:
        return []
    return [STORY[language][key].format(seat=SEAT_SIGNS[old.seat])]


def _sentence(old: Any, event: int, one: int, card: int, other: int, language: str) -> str:
    key = KEYS[event]
    cards: tuple[int, ...] = _RUN_WITH[card] if event == s.E_ADVANCES else (card,) if card != c.NO_CARD else ()
    words = {"seat": SEAT_SIGNS[one], "card": " + ".join(card_name(kind, language) for kind in cards)}
    if event in _PLACED:
        words["place"] = NAMES[language]["locations"][other - 1]
    elif event in _DRESSED:
        words["object"] = NAMES[language]["objects"][other]
    else:
        words["other"] = SEAT_SIGNS[other]
    if event == s.E_LAYS and old.special[one] != c.NO_CARD:
        key, words["old"] = "lays_anew", card_name(int(old.special[one]), language)
    elif event == s.E_DRAWS and cards:
        key = "draws_card"
    elif event == s.E_ROBBED and cards:
        key = "robbed_of"
    elif event == s.E_SHOWS and is_fall(card):
        key = "shows_fall"
    elif event == s.E_SENDS and other == old.sender:
        key = "sends_back"
    return STORY[language][key].format(**words)


def _drawn(old: Any, new: Any, seat: int, action: int) -> int:
    """Return the card that came into a hand in this ply, from the view of its owner.

    NO_CARD if the owner was swept away in the same ply.
    """
    if new.status[seat] == s.OUT:
        return c.NO_CARD
    held, gained = np.flatnonzero(new.hand[seat]), np.flatnonzero(new.hand[seat] > old.hand[seat])
    if gained.size:
        return int(gained[0])
    if old.seat == seat and s.A_DISCARD <= action < s.A_ADVANCE:  # the runner drew a card of the kind just discarded
        return action - s.A_DISCARD
    return int(held[0])  # the runner drew a card of the kind just played as the last one


def _stolen(old: Any, new: Any, victim: int, thief: int, seat: int | None) -> int:
    """Return the stolen card from the hand of `seat`, the robber or the robbed."""
    if seat == thief:  # a robber who takes an El Pillo has just played one
        gained = np.flatnonzero(new.hand[thief] > old.hand[thief])
        return int(gained[0]) if gained.size else c.PILLO
    return int(np.flatnonzero(new.hand[victim] < old.hand[victim])[0])
