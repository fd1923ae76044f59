"""Events of *Estafado* in sentences."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import PUBLIC, check_language
from sobremesa.envs.core.news import event_names
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, space_name
from sobremesa.envs.estafado.cards import EFFECTS, NO_EFFECT, OUCH, STEAL
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import STORY, WORDS, line_name

KEYS = event_names(s) | {s.E_MOVES: "runs", s.E_SWAP_FAILS: "fails"}
_PASSES = {
    s.REPLACE: "keeps", s.LEAPING: "no_leap", s.TUNNELLING: "no_tunnel", s.PEEKING: "no_look", s.SWAP_FIRST: "no_swap",
    s.DIVING: "no_dive",
}  # fmt: skip
_FLIGHTS = (s.E_STARTS, s.E_DIVES, s.E_EAGLE, s.E_SLIDES)  # events whose first number is a space
_RABBITS = (s.E_ROLLS, s.E_CATCHES, s.E_EVADES, s.E_STEAL)  # whose first number is a rabbit
_BEAR = (s.E_BEAR, s.E_BEAR_STAYS, s.E_BEAR_STUCK)
_PUBLIC = (s.E_REVEALS, s.E_REPLACES, s.E_SHOWS, s.E_LEAVES)  # of a cell and the card on it, which all see
_TWO_CELLS = (s.E_SWAPS, s.E_SWAP_FAILS, s.E_EXCHANGES)
_CELLS = (s.E_MOVES, s.E_TUNNELS, s.E_LEAPS, s.E_YIKES, s.E_VIXEN, s.E_PEEKS, s.E_LOOKS, s.E_BURIES)
_REFILLS = (s.E_CATCHES, s.E_LEAVES, s.E_BURIES)  # that draw a card from the deck


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` (None: all) sees, a sentence each (C12.1).

    The news contain no secrets: a card is named where the reader knows it. Cards that are swapped or
    buried are looked up where they lay before, all others where they are after.
    """
    check_language(language)
    old, new = before[0], after[0]
    told = _decision(old, action, seat, language)
    news = new.news[: new.news_count].tolist()
    idle = _is_idle(old, new, action, news)
    if idle and told:
        told.append(STORY[language]["idle"])
    for event, *numbers in news:
        if event == s.E_WINS:
            told.append(won(new, language))
            continue
        told += _sentences(old, new, event, numbers, seat, language)
        if idle and event in (s.E_REVEALS, s.E_REPLACES):
            told.append(STORY[language]["idle"])
    return told


def won(state: Any, language: str) -> str:
    """Return the winner of a finished deal, and the ending (C11)."""
    space, cell = space_name(int(state.crow), language), CELL_NAMES[state.fox]
    return STORY[language][f"ending{int(state.ending)}"].format(space=space, at=cell)


def knows(state: Any, cell: int, seat: int | None) -> bool:
    """Return whether the reader knows the card on a cell; PUBLIC knows it if both do."""
    if seat == PUBLIC:
        return bool(state.known[:, cell].all())
    return seat is None or bool(state.known[seat, cell])


def cell_with_card(state: Any, cell: int, seat: int | None, language: str) -> str:
    """Return a cell, with the card on it in brackets if the reader knows it."""
    name = CELL_NAMES[cell]
    return f"{name} ({card_name(int(state.cards[cell]), language)})" if knows(state, cell, seat) else name


def _decision(old: Any, action: int, seat: int | None, language: str) -> list[str]:
    """Return the sentence of a decision that is no news: one declined, or the first of two cards to swap."""
    if action == s.A_PASS and old.stage in _PASSES:
        key, cell = _PASSES[int(old.stage)], int(old.fox)
    elif old.stage == s.SWAP_FIRST:
        key, cell = "picks", action - s.A_SWAP
    else:
        return []
    return [STORY[language][key].format(card=cell_with_card(old, cell, seat, language))]


def _is_idle(old: Any, new: Any, action: int, news: list[list[int]]) -> bool:
    """Return whether a card was activated by this ply without effect."""
    events = [line[0] for line in news]
    if old.stage == s.REPLACE and action == s.A_PASS:
        card = int(old.cards[old.fox])
    elif s.E_REPLACES in events:
        card = news[events.index(s.E_REPLACES)][2]
    elif s.E_REVEALS in events and (new.over or new.stage != s.REPLACE):  # no card could replace it
        card = news[events.index(s.E_REVEALS)][2]
    else:
        return False
    effect = EFFECTS[card, 0, 0]
    return bool(effect == NO_EFFECT or (effect == STEAL and s.E_STEAL not in events))


def _sentences(old: Any, new: Any, event: int, numbers: list[int], seat: int | None, language: str) -> list[str]:
    """Return the sentences of one event, and of a card from the deck by it."""
    one, two, _ = numbers
    key = KEYS[event]
    if event == s.E_MOVES and two == 1:
        key = "creeps"
    elif event == s.E_EAGLE and abs(two) == 2:
        key = "double"
    elif event == s.E_OUCH and one != OUCH:
        key = "loses"
    told = [STORY[language][key].format(**_words(old, new, event, numbers, seat, language))]
    if event in _REFILLS:
        cell = two if event == s.E_CATCHES else one
        told.append(STORY[language]["refills"].format(card=cell_with_card(new, cell, seat, language)))
    return told


def _words(old: Any, new: Any, event: int, numbers: list[int], seat: int | None, language: str) -> dict[str, Any]:
    """Return the words for the gaps of an event's sentence."""
    one, two, three = numbers
    if event in _FLIGHTS:
        way = WORDS[language]["clockwise" if two > 0 else "anticlockwise"]
        return {"space": space_name(one, language), "way": way, "line": line_name(one, language)}
    if event in _RABBITS:
        at = "" if event == s.E_ROLLS else CELL_NAMES[two]
        return {"rabbit": card_name(one, language), "at": at, "rolls": two, "helped": three}
    if event in _BEAR:
        return {"at": CELL_NAMES[new.bear], "old": CELL_NAMES[old.bear]}
    if event in _PUBLIC:
        name, replaced = card_name(two, language), card_name(three, language)
        return {"at": CELL_NAMES[one], "card": f"{CELL_NAMES[one]} ({name})", "kind": name, "old": replaced}
    if event in _TWO_CELLS:
        return {name: cell_with_card(old, cell, seat, language) for name, cell in (("card", one), ("other", two))}
    if event in _CELLS:
        state = old if event == s.E_BURIES else new
        return {"at": CELL_NAMES[one], "card": cell_with_card(state, one, seat, language)}
    if event == s.E_DOWN:
        return {"cards": ", ".join(cell_with_card(new, cell, seat, language) for cell in _turned_down(old, new))}
    return {"count": one}


def _turned_down(old: Any, new: Any) -> list[int]:
    """Return the cells whose cards this ply turned down: those revealed in the fox's move."""
    shown = {int(cell) for cell in np.flatnonzero(old.shown)}
    for event, one, two, _ in new.news[: new.news_count].tolist():
        if event == s.E_REVEALS:
            shown.add(one)
        elif event == s.E_SWAPS and (one in shown) != (two in shown):
            shown ^= {one, two}
        elif event in (s.E_CATCHES, s.E_LEAVES):
            shown.discard(two if event == s.E_CATCHES else one)
    return [cell for cell in sorted(shown) if not new.up[cell]]
