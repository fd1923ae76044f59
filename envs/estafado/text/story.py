"""Events of *Estafado* in sentences."""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import PUBLIC, check_language
from sobremesa.envs.estafado.board import CELL_NAMES, space_name
from sobremesa.envs.estafado.cards import EFFECTS, NO_EFFECT, OUCH, STEAL
from sobremesa.envs.estafado.state import (
    A_PASS,
    A_SWAP,
    DIVING,
    E_BEAR,
    E_BEAR_SKIPS,
    E_BEAR_STAYS,
    E_BEAR_STUCK,
    E_BURIES,
    E_CATCHES,
    E_DIVES,
    E_DOWN,
    E_EAGLE,
    E_EVADES,
    E_EXCHANGES,
    E_EXTRA,
    E_HURRICANE,
    E_LEAPS,
    E_LEAVES,
    E_LOOKS,
    E_LOST_TURN,
    E_MOVES,
    E_NOTHING,
    E_OUCH,
    E_PEEKS,
    E_REPLACES,
    E_REVEALS,
    E_ROLLS,
    E_SHOWS,
    E_SLIDES,
    E_STARTS,
    E_STEAL,
    E_SUN,
    E_SWAP_FAILS,
    E_SWAPS,
    E_TUNNELS,
    E_VIXEN,
    E_WINS,
    E_YIKES,
    LEAPING,
    PEEKING,
    REPLACE,
    SWAP_FIRST,
    TUNNELLING,
)
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import STORY, WORDS, line_name

KEYS = {
    E_STARTS: "starts", E_MOVES: "runs", E_TUNNELS: "tunnels", E_LEAPS: "leaps", E_REVEALS: "reveals",
    E_REPLACES: "replaces", E_ROLLS: "rolls", E_CATCHES: "catches", E_EVADES: "evades", E_YIKES: "yikes",
    E_OUCH: "ouch", E_PEEKS: "peeks", E_SWAPS: "swaps", E_SWAP_FAILS: "fails", E_SHOWS: "shows", E_DIVES: "dives",
    E_BEAR_SKIPS: "bear_skips", E_STEAL: "steal", E_HURRICANE: "hurricane", E_LEAVES: "leaves", E_DOWN: "down",
    E_EXTRA: "extra", E_LOST_TURN: "lost_turn", E_VIXEN: "vixen", E_EAGLE: "eagle", E_SLIDES: "slides",
    E_LOOKS: "looks", E_NOTHING: "nothing", E_EXCHANGES: "exchanges", E_BURIES: "buries", E_BEAR: "bear",
    E_BEAR_STAYS: "bear_stays", E_BEAR_STUCK: "bear_stuck", E_SUN: "sun",
}  # fmt: skip
_PASSES = {
    REPLACE: "keeps", LEAPING: "no_leap", TUNNELLING: "no_tunnel", PEEKING: "no_look", SWAP_FIRST: "no_swap",
    DIVING: "no_dive",
}  # fmt: skip
_FLIGHTS = (E_STARTS, E_DIVES, E_EAGLE, E_SLIDES)  # events whose first number is a space
_RABBITS = (E_ROLLS, E_CATCHES, E_EVADES, E_STEAL)  # whose first number is a rabbit
_BEAR = (E_BEAR, E_BEAR_STAYS, E_BEAR_STUCK)
_PUBLIC = (E_REVEALS, E_REPLACES, E_SHOWS, E_LEAVES)  # of a cell and the card on it, which all see
_TWO_CELLS = (E_SWAPS, E_SWAP_FAILS, E_EXCHANGES)
_CELLS = (E_MOVES, E_TUNNELS, E_LEAPS, E_YIKES, E_VIXEN, E_PEEKS, E_LOOKS, E_BURIES)
_REFILLS = (E_CATCHES, E_LEAVES, E_BURIES)  # that draw a card from the deck


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` (None: all) sees, a sentence each (C12.1).

    The news hold no secrets: a card is named where the reader knows it. Cards that are swapped or
    buried are looked up where they lay before, all others where they lie after.
    """
    check_language(language)
    old, new = before[0], after[0]
    told = _decision(old, action, seat, language)
    news = new.news[: new.news_count].tolist()
    idle = _is_idle(old, new, action, news)
    if idle and told:
        told.append(STORY[language]["idle"])
    for event, *numbers in news:
        if event == E_WINS:
            told.append(won(new, language))
            continue
        told += _sentences(old, new, event, numbers, seat, language)
        if idle and event in (E_REVEALS, E_REPLACES):
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
    if action == A_PASS and old.stage in _PASSES:
        key, cell = _PASSES[int(old.stage)], int(old.fox)
    elif old.stage == SWAP_FIRST:
        key, cell = "picks", action - A_SWAP
    else:
        return []
    return [STORY[language][key].format(card=cell_with_card(old, cell, seat, language))]


def _is_idle(old: Any, new: Any, action: int, news: list[list[int]]) -> bool:
    """Return whether a card was activated by this ply without effect."""
    events = [line[0] for line in news]
    if old.stage == REPLACE and action == A_PASS:
        card = int(old.cards[old.fox])
    elif E_REPLACES in events:
        card = news[events.index(E_REPLACES)][2]
    elif E_REVEALS in events and (new.over or new.stage != REPLACE):  # no card could replace it
        card = news[events.index(E_REVEALS)][2]
    else:
        return False
    effect = EFFECTS[card, 0, 0]
    return bool(effect == NO_EFFECT or (effect == STEAL and E_STEAL not in events))


def _sentences(old: Any, new: Any, event: int, numbers: list[int], seat: int | None, language: str) -> list[str]:
    """Return the sentences of one event, and of a card from the deck by it."""
    one, two, _ = numbers
    key = KEYS[event]
    if event == E_MOVES and two == 1:
        key = "creeps"
    elif event == E_EAGLE and abs(two) == 2:
        key = "double"
    elif event == E_OUCH and one != OUCH:
        key = "loses"
    told = [STORY[language][key].format(**_words(old, new, event, numbers, seat, language))]
    if event in _REFILLS:
        cell = two if event == E_CATCHES else one
        told.append(STORY[language]["refills"].format(card=cell_with_card(new, cell, seat, language)))
    return told


def _words(old: Any, new: Any, event: int, numbers: list[int], seat: int | None, language: str) -> dict[str, Any]:
    """Return the words for the gaps of an event's sentence."""
    one, two, three = numbers
    if event in _FLIGHTS:
        way = WORDS[language]["clockwise" if two > 0 else "anticlockwise"]
        return {"space": space_name(one, language), "way": way, "line": line_name(one, language)}
    if event in _RABBITS:
        at = "" if event == E_ROLLS else CELL_NAMES[two]
        return {"rabbit": card_name(one, language), "at": at, "rolls": two, "helped": three}
    if event in _BEAR:
        return {"at": CELL_NAMES[new.bear], "old": CELL_NAMES[old.bear]}
    if event in _PUBLIC:
        name, replaced = card_name(two, language), card_name(three, language)
        return {"at": CELL_NAMES[one], "card": f"{CELL_NAMES[one]} ({name})", "kind": name, "old": replaced}
    if event in _TWO_CELLS:
        return {name: cell_with_card(old, cell, seat, language) for name, cell in (("card", one), ("other", two))}
    if event in _CELLS:
        state = old if event == E_BURIES else new
        return {"at": CELL_NAMES[one], "card": cell_with_card(state, one, seat, language)}
    if event == E_DOWN:
        return {"cards": ", ".join(cell_with_card(new, cell, seat, language) for cell in _turned_down(old, new))}
    return {"count": one}


def _turned_down(old: Any, new: Any) -> list[int]:
    """Return the cells whose cards this ply turned down: those revealed in the fox's move."""
    shown = {int(cell) for cell in np.flatnonzero(old.shown)}
    for event, one, two, _ in new.news[: new.news_count].tolist():
        if event == E_REVEALS:
            shown.add(one)
        elif event == E_SWAPS and (one in shown) != (two in shown):
            shown ^= {one, two}
        elif event in (E_CATCHES, E_LEAVES):
            shown.discard(two if event == E_CATCHES else one)
    return [cell for cell in sorted(shown) if not new.up[cell]]
