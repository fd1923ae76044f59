"""Moves of *Bandido Alcatraz* in words for people with a picture, and what is at stake.

Both depend only on public information and the hand of the seat to act (C11.1). What is at stake are facts: a move that
ends the deal as a loss, and a deal that is lost already. A loss by cards that others may have set aside is not told.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.rules import dig
from sobremesa.envs.bandido_alcatraz.text.story import hopeless, loss_reasons, missing
from sobremesa.envs.bandido_alcatraz.text.table import question
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, PLAINLY, TEXTS, counted, in_a_row, picture_word

STAKES: dict[str, dict[str, str]] = TEXTS["stakes"]
_FEW = 6  # cards left to draw, from which on the question counts what is left
_FINAL = 5  # no card closes more ends: its four, and the one below the other half of a card that covers water


def asks(states: np.ndarray, _: int, language: str) -> str:
    """Return what the seat to act decides now, and what is at stake."""
    asked, stakes = question(states[0], language), at_stake(states, language)
    return f"{asked} ({'; '.join(stakes)})" if stakes else asked


def at_stake(states: np.ndarray, language: str) -> list[str]:
    """Return how much is left near the end, that the deal is lost already, or that a move may end it as a loss."""
    state, words, found = states[0], STAKES[language], []
    if state.pile_size <= _FEW:
        cards = int(state.pile_size) + int((state.hand[: state.seats] != c.NO_CARD).sum())
        ends = int(state.ends)
        counts = words["end" if ends == 1 else "ends"].format(ends)
        found.append(words["left"].format(cards=counted(cards, language), ends=counts))
    if reasons := hopeless(state, language, 1):
        found.append(words["lost"].format(reason=reasons[0]))
    elif state.stage != s.SIGNAL and state.ends <= _FINAL and any(_closes(after) for after in _states_after(states)):
        found.append(words["last"].format(missing=in_a_row(_lacking(state, language), language)))
    return found


def entry(action: int, language: str, states: np.ndarray) -> tuple[str, str]:
    """Return the heading of an action among the buttons and its name there, with the loss that it brings at once."""
    words, state = PLAINLY[language], states[0]
    name = action_name(action, language)
    if action < s.A_GATHER:
        return words["dig" if action < c.MOST_ENDS else "cover"], name + _behind(_loss_at(states, action, language))
    if action < s.A_LAY:
        slot = action - s.A_GATHER
        kind = int(state.hand[state.seat, slot])
        return words["gather"], words["slot"].format(slot + 1, picture_word(kind, language))
    if action >= s.A_SIGNAL:
        return words["say"], name
    slot, way = divmod(action - s.A_LAY, c.NUM_WAYS)
    half, turn = divmod(way, c.ROTATIONS)
    picture = picture_word(int(state.hand[state.seat, slot]), language)
    side = MOVES[language]["sides"][c.OTHER_SIDE[turn, half]]
    name = words["way"].format("ab"[half], "ba"[half], side)
    loss = _loss(states, _after(states, int(state.where), slot, way), language)
    return words["card_of" if picture else "card"].format(slot + 1, picture), name + _behind(loss)


def _behind(loss: str) -> str:
    return f" ({loss})" if loss else ""


def _ways(state: Any, where: int) -> Iterator[tuple[int, int]]:
    """Yield the slots and the ways in which the seat to act may lay a card at a place."""
    for slot, bits in enumerate(state.fits[where].tolist()):
        yield from ((slot, way) for way in range(c.NUM_WAYS) if bits >> way & 1)


def _states_after(states: np.ndarray) -> Iterator[Any]:
    """Yield the states after each way to lay a card that may be chosen now."""
    state = states[0]
    for where in [int(state.where)] if state.stage == s.HOW else range(s.NUM_WHERES):
        yield from (_after(states, where, slot, way) for slot, way in _ways(state, where))


def _after(states: np.ndarray, where: int, slot: int, way: int) -> Any:
    """Return the state in which a card has been laid, before a card is drawn."""
    state = states.copy()[0]
    state.where = where
    dig(state, slot, way)
    return state


def _closes(state: Any) -> bool:
    """Return whether no tunnel is open and Bandido is still inside (C8)."""
    return bool(state.ends == 0 and missing(state, "en"))


def _lacking(state: Any, language: str) -> list[str]:
    """Return what is missing for an escape, apart from open tunnels."""
    closed = state.copy()
    closed.ends = 0
    return missing(closed, language)


def _loss_at(states: np.ndarray, where: int, language: str) -> str:
    """Return the loss that every card at a place brings; "" if one card does not lose immediately."""
    found: list[str] = []
    for slot, way in _ways(states[0], where):
        found.append(_loss(states, _after(states, where, slot, way), language))
        if not found[-1]:
            return ""
    return found[0] if len(set(found)) == 1 else STAKES[language]["every"] if found else ""


def _loss(states: np.ndarray, after: Any, language: str) -> str:
    """Return why the deal is lost in the state `after` a card was laid, "" if it is not, or was already."""
    words = STAKES[language]
    if _closes(after):
        return words["closes"].format(missing=in_a_row(missing(after, language), language))
    reasons = loss_reasons(after)
    return words[next(iter(reasons))] if reasons and not loss_reasons(states[0]) else ""
