"""Names of the actions of *Estafado*, written and parsed, and the help."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.picture.words import Names, key
from sobremesa.envs.core.words import by_name, wrapped
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, DISTANCE, NUM_CELLS, RING, space_name
from sobremesa.envs.estafado.cards import CARDS, HAND_SIZE, NO_CARD
from sobremesa.envs.estafado.text.cards import card_effect, card_explained, card_name
from sobremesa.envs.estafado.text.words import MOVES, TEXTS

_MINUS_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}", "---")


def said(language: str) -> Iterator[tuple[str, int]]:
    """Yield the accepted inputs of each action, its name first."""
    found = [tuple(f"{word} {cell}" for word in words) for words in MOVES[language]["cells"] for cell in CELL_NAMES]
    spaces = [dict.fromkeys(space_name(space, known) for known in (language, "en")) for space in range(RING)]
    found += [tuple(f"{word} {name}" for name in names for word in MOVES[language]["start"]) for names in spaces]
    found += [_steps(MOVES[language]["eagle"], int(step), language) for step in s.EAGLE_STEPS]
    found += [_steps(MOVES[language]["slide"], int(step), language) for step in s.SLIDE_STEPS]
    found += [tuple(f"{word} {slot + 1}" for word in MOVES[language]["hand"]) for slot in range(HAND_SIZE)]
    for action, words in enumerate([*found, MOVES[language]["pass"], MOVES[language]["deck"]]):
        yield from ((word, action) for word in words)


def _steps(words: tuple[str, ...], step: int, language: str) -> tuple[str, ...]:
    """Return the accepted inputs for a number of steps along the ring, clockwise if positive."""
    ways = MOVES[language]["ways"][step < 0]
    counts = ("", " 1") if abs(step) == 1 else (f" {abs(step)}",)
    found = [f"{word} {step:+d}" for word in words]
    found += [f"{word} {step}" for word in words if step > 0]
    return (*found, *(f"{word} {way}{count}" for word in words for way in ways for count in counts))


NAMES = Names(s.NUM_ACTIONS, said, MOVES, key=lambda text, _: key(text.translate(_MINUS_SIGNS), "+-"))
action_name, parse_action = NAMES.name, NAMES.parse  # `go c3`, `eagle +2`, `hand 1`


@cache
def spellings(language: str) -> dict[str, list[int]]:
    """Return the names of cells and spaces, and phrases of questions, with the actions about each."""
    found: dict[str, list[int]] = defaultdict(list)
    places = {*CELL_NAMES, *(space_name(space, language) for space in range(RING))}
    for action, name in enumerate(NAMES.all(language)):
        place = name.rpartition(" ")[2]
        if place in places:
            found[place].append(action)
    for name, *phrases in MOVES[language]["asked"]:
        for phrase in phrases:
            found[phrase].append(NAMES.all(language).index(name))
    return found


def names_now(table: np.ndarray, language: str) -> dict[str, list[int]]:
    """Return the names of the cards in the hand of the Fox with their actions, if the Fox is to act in `table`."""
    state, found = table[0], defaultdict[str, list[int]](list)
    word = MOVES[language]["hand"][0]
    for slot, kind in enumerate(state.hand.tolist() if state.seat == s.FOX else ()):
        if kind != NO_CARD:
            for name in {card_name(kind, known) for known in (language, "es")}:
                slots = (f"{slot + 1} {name}", f"{word} {slot + 1} {name}", f"{word} {slot + 1} ({name})")
                for form in (name, f"{word} {name}", *slots):
                    found[form].append(s.A_HAND + slot)
    return found


def entry(action: int, language: str, table: np.ndarray) -> tuple[str, str]:
    """Return the heading of `action` in a list for the seat to act in the `(1,)` state `table`, and its name there.

    A card of the hand is named, as `("hand", "1 Mosquito")`, and a step of one card, `("creep", "b1")`.
    """
    head, _, tail = action_name(action, language).rpartition(" ")
    if is_creep(table[0], action):
        head = MOVES[language]["creep"]
    if s.A_HAND <= action < s.A_HAND + HAND_SIZE and (kind := int(table[0].hand[action - s.A_HAND])) != NO_CARD:
        tail = f"{tail} {card_name(kind, language)}"
    return (head, tail) if head else (tail, "")


def ordered(table: np.ndarray, actions: list[int]) -> list[int]:
    """Return the legal actions as a list shows them: steps of one card after the others, the optional Vixen last."""

    def order(action: int) -> tuple[bool, bool, bool]:
        return s.A_VIXEN <= action < s.A_LOOK, action >= s.A_GO + NUM_CELLS, is_creep(table[0], action)

    return sorted(actions, key=order)


def is_creep(state: Any, action: int) -> bool:
    """Return whether `action` is a step of one card, which turns up nothing (C4.2)."""
    return bool(
        state.stage == s.MOVE and s.A_GO <= action < s.A_GO + NUM_CELLS and DISTANCE[state.fox, action - s.A_GO] == 1
    )


def help_text(language: str) -> str:
    """Return the rules in short, all cards with their effects, and how to type moves."""
    groups: dict[str, list[str]] = {}
    for kind, card in enumerate(CARDS):
        name = card_name(kind, language)
        groups.setdefault(card_effect(kind, language), []).append(f"{name} ×{card.copies}" if card.copies > 1 else name)
    lines = wrapped((f"{', '.join(names)}: {what}" for what, names in groups.items()), "- ")
    help_: str = TEXTS["help"][language].format(cards="\n".join(lines))
    return help_


def terms(language: str) -> dict[str, str]:
    """Return what each card, piece, mark and move is, by its name in labels."""
    named = {card_name(kind, language): card_explained(kind, language) for kind in range(len(CARDS))}
    return named | by_name(TEXTS["terms"][language].values())
