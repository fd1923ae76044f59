"""Names of the actions of *Estafado*, written and parsed, and the help."""

import textwrap
from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.core.words import COLUMNS, by_name
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, DISTANCE, NUM_CELLS, RING, space_name
from sobremesa.envs.estafado.cards import CARDS, HAND_SIZE, NO_CARD
from sobremesa.envs.estafado.text.cards import card_effect, card_explained, card_name
from sobremesa.envs.estafado.text.words import MOVES, TEXTS

_MINUS_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}", "---")


def _inputs(language: str) -> list[tuple[str, ...]]:
    """Return the accepted inputs of each action, its name first."""
    said = [tuple(f"{word} {cell}" for word in words) for words in MOVES[language]["cells"] for cell in CELL_NAMES]
    spaces = [dict.fromkeys(space_name(space, known) for known in (language, "en")) for space in range(RING)]
    said += [tuple(f"{word} {name}" for name in names for word in MOVES[language]["start"]) for names in spaces]
    said += [_steps(MOVES[language]["eagle"], int(step), language) for step in s.EAGLE_STEPS]
    said += [_steps(MOVES[language]["slide"], int(step), language) for step in s.SLIDE_STEPS]
    said += [tuple(f"{word} {slot + 1}" for word in MOVES[language]["hand"]) for slot in range(HAND_SIZE)]
    return [*said, MOVES[language]["pass"], MOVES[language]["deck"]]


def _steps(words: tuple[str, ...], step: int, language: str) -> tuple[str, ...]:
    """Return the accepted inputs for a number of steps along the ring, clockwise if positive."""
    ways = MOVES[language]["ways"][step < 0]
    counts = ("", " 1") if abs(step) == 1 else (f" {abs(step)}",)
    said = [f"{word} {step:+d}" for word in words]
    said += [f"{word} {step}" for word in words if step > 0]
    return (*said, *(f"{word} {way}{count}" for word in words for way in ways for count in counts))


@cache
def _names(language: str) -> list[str]:
    return [words[0] for words in _inputs(language)]


@cache
def spellings(language: str) -> dict[str, list[int]]:
    """Return the names of cells and spaces, and phrases of questions, with the actions about each."""
    found: dict[str, list[int]] = defaultdict(list)
    places = {*CELL_NAMES, *(space_name(space, language) for space in range(RING))}
    for action, name in enumerate(_names(language)):
        place = name.rpartition(" ")[2]
        if place in places:
            found[place].append(action)
    for name, *phrases in MOVES[language]["asked"]:
        for phrase in phrases:
            found[phrase].append(_names(language).index(name))
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


@cache
def _typed(language: str) -> dict[str, int]:
    """Return the action of each accepted input; cached, because it takes a while."""
    return {key(word, "+-"): action for action, words in enumerate(_inputs(language)) for word in words}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`, unique in its language: `go c3`, `eagle +2`, `hand 1`."""
    check_language(language)
    if not 0 <= action < s.NUM_ACTIONS:
        raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {s.NUM_ACTIONS - 1}")
    return _names(language)[action]


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


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names; case, accents and spaces do not matter. Raise ValueError for other text."""
    check_language(language)
    typed = key(text.translate(_MINUS_SIGNS), "+-")
    if typed not in _typed(language):
        raise ValueError(MOVES[language]["no_such_move"].format(text))
    return _typed(language)[typed]


def details(_: np.ndarray, language: str) -> str:
    """Return the rules that `help_text` leaves out."""
    text: str = TEXTS["details"][language]
    return text


def help_text(language: str) -> str:
    """Return the rules in short, all cards with their effects, and how to type moves."""
    check_language(language)
    groups: dict[str, list[str]] = {}
    for kind, card in enumerate(CARDS):
        name = card_name(kind, language)
        groups.setdefault(card_effect(kind, language), []).append(f"{name} ×{card.copies}" if card.copies > 1 else name)
    lines = [line for what, names in groups.items() for line in _wrapped(f"{', '.join(names)}: {what}")]
    help_: str = TEXTS["help"][language].format(cards="\n".join(lines))
    return help_


def terms(language: str) -> dict[str, str]:
    """Return what each card, piece, mark and move is, by its name in labels."""
    check_language(language)
    named = {card_name(kind, language): card_explained(kind, language) for kind in range(len(CARDS))}
    return named | by_name(TEXTS["terms"][language].values())


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
