"""Events of *Corre el encierro* in sentences."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.corre_el_encierro.cards import (
    AVANZAR,
    CARRERA,
    HEMINGWAY,
    NO_CARD,
    PILLO,
    SANTO_PATRON,
    ZAPATILLAS,
    is_fall,
)
from sobremesa.envs.corre_el_encierro.state import (
    A_ADVANCE,
    A_DISCARD,
    A_DONE,
    A_NOTHING,
    A_STOP,
    E_ADVANCES,
    E_ANSWERS,
    E_ATTACKS,
    E_BACK,
    E_BEHIND,
    E_CLOSES,
    E_DISCARDS,
    E_DRAWS,
    E_LAYS,
    E_LOSES,
    E_LOSES_CARD,
    E_OUT,
    E_PAYS,
    E_RECOVERS,
    E_REPELS,
    E_RETREATS,
    E_ROBBED,
    E_SENDS,
    E_SHOWS,
    E_SWAPS,
    E_SWEPT,
    E_TURN,
    E_WARNED,
    E_WINS,
    OUT,
    PLAY,
)
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.words import NAMES, STORY, WORDS

KEYS = {
    E_TURN: "turn", E_BEHIND: "behind", E_BACK: "back", E_ADVANCES: "advances", E_SWAPS: "swaps", E_LAYS: "lays",
    E_RECOVERS: "recovers", E_ATTACKS: "attacks", E_ANSWERS: "answers", E_WARNED: "warned",
    E_LOSES_CARD: "loses_card", E_ROBBED: "robbed", E_DISCARDS: "discards", E_DRAWS: "draws", E_SHOWS: "shows_bull",
    E_REPELS: "repels", E_SENDS: "sends", E_LOSES: "loses", E_PAYS: "pays", E_RETREATS: "retreats", E_OUT: "out",
    E_CLOSES: "closes", E_SWEPT: "swept",
}  # fmt: skip
_PLACED, _DRESSED = (E_ADVANCES, E_RETREATS, E_CLOSES), (E_RECOVERS, E_LOSES)
_RUN_WITH = {  # cards of an advance by its bonus
    NO_CARD: (AVANZAR,),
    CARRERA: (AVANZAR, CARRERA),
    ZAPATILLAS: (AVANZAR, ZAPATILLAS),
    SANTO_PATRON: (SANTO_PATRON, HEMINGWAY),
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
        if event == E_WINS:
            continue
        if event == E_DRAWS and seat in (None, one):
            card = _drawn(old, new, one, action)
        elif event == E_ROBBED and seat in (None, one, other):
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
    if action == A_DONE:
        key = "done_playing" if old.stage == PLAY else "done_discarding"
    elif action in (A_STOP, A_NOTHING):
        key = "stops" if action == A_STOP else "nothing"
    else:
        return []
    return [STORY[language][key].format(seat=SEAT_SIGNS[old.seat])]


def _sentence(old: Any, event: int, one: int, card: int, other: int, language: str) -> str:
    key = KEYS[event]
    cards: tuple[int, ...] = _RUN_WITH[card] if event == E_ADVANCES else (card,) if card != NO_CARD else ()
    words = {"seat": SEAT_SIGNS[one], "card": " + ".join(card_name(kind, language) for kind in cards)}
    if event in _PLACED:
        words["place"] = NAMES[language]["locations"][other - 1]
    elif event in _DRESSED:
        words["object"] = NAMES[language]["objects"][other]
    else:
        words["other"] = SEAT_SIGNS[other]
    if event == E_LAYS and old.special[one] != NO_CARD:
        key, words["old"] = "lays_anew", card_name(int(old.special[one]), language)
    elif event == E_DRAWS and cards:
        key = "draws_card"
    elif event == E_ROBBED and cards:
        key = "robbed_of"
    elif event == E_SHOWS and is_fall(card):
        key = "shows_fall"
    elif event == E_SENDS and other == old.sender:
        key = "sends_back"
    return STORY[language][key].format(**words)


def _drawn(old: Any, new: Any, seat: int, action: int) -> int:
    """Return the card that came into a hand in this ply, from the view of its owner.

    NO_CARD if the owner was swept away in the same ply.
    """
    if new.status[seat] == OUT:
        return NO_CARD
    held, gained = np.flatnonzero(new.hand[seat]), np.flatnonzero(new.hand[seat] > old.hand[seat])
    if gained.size:
        return int(gained[0])
    if old.seat == seat and A_DISCARD <= action < A_ADVANCE:  # the runner drew a card of the kind just discarded
        return action - A_DISCARD
    return int(held[0])  # the runner drew a card of the kind just played as the last one


def _stolen(old: Any, new: Any, victim: int, thief: int, seat: int | None) -> int:
    """Return the stolen card from the hand of `seat`, the robber or the robbed."""
    if seat == thief:  # a robber who takes an El Pillo has just played one
        gained = np.flatnonzero(new.hand[thief] > old.hand[thief])
        return int(gained[0]) if gained.size else PILLO
    return int(np.flatnonzero(new.hand[victim] < old.hand[victim])[0])
