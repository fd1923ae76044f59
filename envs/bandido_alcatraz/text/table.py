"""The table of *Bandido Alcatraz* as text for people and language models, for one seat or open."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.fits import is_needed, place_of
from sobremesa.envs.bandido_alcatraz.knowledge import count_unseen
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, HOW, NO_CELL, NOBODY, SIGNAL, WHERE
from sobremesa.envs.bandido_alcatraz.text import words as w
from sobremesa.envs.bandido_alcatraz.text.map import draw_card, draw_map, draw_way, ends_in_words, side_by_side
from sobremesa.envs.bandido_alcatraz.text.story import ended
from sobremesa.envs.bandido_alcatraz.text.words import card_text, card_words, counted, places
from sobremesa.envs.core.game import PUBLIC, SEAT_SIGNS
from sobremesa.envs.core.words import listed, wrapped

_FORESEEN = 5  # so many cards of the pile are named in order when all is open
_OPENINGS = np.array([len(card.a + card.b) for card in c.CARDS])


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the `(1,)` state `table` as text, as `seat` sees it or open for None (C11).

    The text does not show whether another seat has chosen a place already (C3.4).
    """
    return _described(table, seat, language, draw_map)


def read(table: np.ndarray, seat: int | None, language: str) -> str:
    """As `describe`, with a map of any width, and the places of the open ends in words."""

    def shown(state: Any, language: str) -> list[str]:
        ends = ends_in_words(state, language)
        return [*draw_map(state, language, wide=True), *([ends] if ends else [])]

    return _described(table, seat, language, shown)


def _described(table: np.ndarray, seat: int | None, language: str, shown: Callable[[Any, str], list[str]]) -> str:
    state = table[0]
    if seat not in (None, PUBLIC) and not 0 <= seat < state.seats:
        raise ValueError(f"seat={seat!r} is not at the table; it takes 0 to {int(state.seats) - 1}, PUBLIC or None")
    asked = not state.over and seat in (None, int(state.seat))
    paragraphs = (
        _headline(state, seat, language),
        shown(state, language),
        _progress(state, seat, language),
        *_hands(state, seat, language),
        _ways(state, language) if asked and state.stage == HOW else [],
        _piles(state, seat, language),
    )
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _who(seat: int, reader: int | None, language: str) -> str:
    return SEAT_SIGNS[seat] + (w.WORDS[language]["you"] if seat == reader else "")


def _whose(state: Any, reader: int | None) -> Sequence[int]:
    """Return the seats whose own cards the reader knows."""
    return range(int(state.seats)) if reader is None else () if reader == PUBLIC else (reader,)


def _headline(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the turn and the reader's decision, or the ending; and the options of the table."""
    words = w.WORDS[language]
    if state.over:
        lines = [words["over"].format(int(state.turns)), *ended(state, language)]
    else:
        lines = [words["turn"].format(int(state.turns), _who(int(state.seat), seat, language))]
        asked = question(state, language)
        if seat is None:
            lines.append(words["theirs"].format(SEAT_SIGNS[state.seat], asked))
        elif seat == state.seat:
            lines.append(words["yours"].format(asked))
    chosen = {"difficulty0": not state.difficulty, "solo_hand1": state.solo_hand and state.seats == 1}
    chosen |= {"early_stop1": state.early_stop and seat is None, "signals1": state.signals and state.seats > 1}
    if any(chosen.values()):
        lines.append(words["table"].format("; ".join(words[name] for name, holds in chosen.items() if holds)))
    return wrapped(lines)


def question(state: Any, language: str) -> str:
    """Return the decision of the seat to act in words."""
    words = w.WORDS[language]
    if state.stage == HOW:
        return words["stage2"].format(_chosen(state, language))
    if state.stage == WHERE and any(is_needed(state, int(kind)) for kind in state.hand[state.seat]):
        return words["or_gather"]
    return words[f"stage{int(state.stage)}"]


def _chosen(state: Any, language: str) -> str:
    """Name the end or the flood where the seat to act is about to lay a card."""
    if state.where < c.MOST_ENDS:
        return places("end", [int(state.where)], language)
    return places("water", [int(state.where) - c.MOST_ENDS], language)


def _progress(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the progress, the numbers of cards left, and the last signals."""
    words = w.WORDS[language]
    floods = int((state.flood != NO_CELL).sum())
    gathered = int(state.raincoats), int(state.ropes)
    seats = range(int(state.seats))
    held = [f"{_who(other, seat, language)} {int((state.hand[other] != c.NO_CARD).sum())}" for other in seats]
    lines = [
        words["goal"].format(int(state.ends), floods, *gathered, words[f"exit{int(state.exit_laid)}"]),
        f"{words['pile'].format(int(state.pile_size))} · {words['hands'].format(', '.join(held))}",
    ]
    if state.signals and len(seats) > 1:
        signals = w.MOVES[language]["signals"]
        said = [f"{_who(other, seat, language)} {signals[state.said[other]][0]}" for other in seats]
        return wrapped(lines) + listed(words["said"], said)
    return wrapped(lines)


def _hands(state: Any, seat: int | None, language: str) -> list[list[str]]:
    """Draw the hand of `seat`, or all hands, with where the cards of the seat to act fit."""
    words, paragraphs = w.WORDS[language], []
    for holder in _whose(state, seat):
        slots = np.flatnonzero(state.hand[holder] != c.NO_CARD).tolist()
        head = words["hand"] if holder == seat else words["hand_of"].format(SEAT_SIGNS[holder])
        if not slots:
            paragraphs.append([f"{head}: {words['empty']}"])
            continue
        kinds = [int(state.hand[holder, slot]) for slot in slots]
        drawings = [
            (f"{slot + 1}  {card_text(kind, language)}", draw_card(kind))
            for slot, kind in zip(slots, kinds, strict=True)
        ]
        lines = [f"{head}:", *side_by_side(drawings)]
        if holder == state.seat and not state.over and state.stage in (SIGNAL, WHERE):
            lines += _fitting(state, slots, language)
        paragraphs.append(lines)
    return paragraphs


def _fitting(state: Any, slots: Sequence[int], language: str) -> list[str]:
    """Return the places where each card of the seat to act fits, and whether it may be gathered."""
    words, lines = w.WORDS[language], [f"{w.WORDS[language]['fit']}:"]
    first: dict[int, int] = {}
    for slot in slots:
        kind = int(state.hand[state.seat, slot])
        if kind in first:
            lines.append(f"  {slot + 1}: {words['like'].format(first[kind] + 1)}")
            continue
        first[kind] = slot
        found = [action_name(int(where), language) for where in np.flatnonzero(state.fits[:, slot])]
        if is_needed(state, kind):
            found.append(action_name(A_GATHER + slot, language))
        lines += listed(f"  {slot + 1}", _same_heads(found) or [words["nowhere"]], "     ")
    return lines


def _same_heads(names: Iterable[str]) -> list[str]:
    """Return names without repeating their first word: `end 1`, `2`, `3`, `water 1`."""
    found, last = [], ""
    for name in names:
        head, _, number = name.rpartition(" ")
        found.append(number if head == last and head else name)
        last = head
    return found


def _ways(state: Any, language: str) -> list[str]:
    """Draw every way to lay a card at the chosen place, under its name."""
    place = place_of(state, int(state.where))
    drawings: list[tuple[str, list[str]]] = []
    for slot, bits in enumerate(state.fits[state.where].tolist()):
        kind = int(state.hand[state.seat, slot])
        drawings += [
            (action_name(A_LAY + slot * c.NUM_WAYS + way, language), draw_way(state, kind, way, place))
            for way in range(c.NUM_WAYS)
            if bits >> way & 1
        ]
    wet = state.where >= c.MOST_ENDS or any(sign in "".join(drawing) for _, drawing in drawings for sign in "═║")
    head = w.WORDS[language]["ways_water" if wet else "ways"].format(_chosen(state, language))
    return [*wrapped([head], indent=""), *side_by_side(drawings)]


def _piles(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the reader's knowledge of the cards elsewhere."""
    words = w.WORDS[language]
    pile = state.pile[: state.pile_size]
    lines = []
    if seat is None:
        lines += listed(words["first"], [card_words(int(kind), language) for kind in pile[::-1][:_FORESEEN]])
        lines += _counts(words["in_pile"], np.bincount(pile, minlength=c.NUM_KINDS), language)
    elif seat != PUBLIC:
        unseen, under = np.zeros(c.NUM_KINDS, np.int64), np.zeros(c.NUM_KINDS, np.int64)
        count_unseen(state, seat, unseen, under)
        lines += _counts(words["unseen" if state.seats > 1 else "unseen_alone"], unseen, language)
    for owner in _whose(state, seat):
        kinds = sorted(pile[state.put_under[: len(pile)] == owner].tolist())
        head = words["under"] if seat is not None else words["under_by"].format(SEAT_SIGNS[owner])
        lines += listed(head, [card_text(kind, language) for kind in kinds])
    return lines + _aside(state, seat, language)


def _aside(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the cards out of the game, or their number."""
    words, owner = w.WORDS[language], int(state.aside_by)
    kinds = state.aside[state.aside != c.NO_CARD].tolist()
    if owner == NOBODY:
        return []
    if seat in (None, owner):
        head = words["aside_own"] if seat == owner else words["aside_open"].format(SEAT_SIGNS[owner])
        return listed(head, [card_words(kind, language) for kind in kinds])
    return [words["aside_by"].format(SEAT_SIGNS[owner], counted(len(kinds), language))]


def _counts(head: str, counts: np.ndarray, language: str) -> list[str]:
    """Return the number of cards, with their pictures and numbers of tunnels."""
    words, total = w.WORDS[language], int(counts.sum())
    if not total:
        return []
    found = ["EXIT"] if counts[c.EXIT_KIND] else []
    wet = counts[c.FLOODED[: c.NUM_KINDS] != c.NO_HALF].sum()
    for key, count in (
        ("raincoats", counts[c.PICTURE == c.RAINCOAT].sum()),
        ("ropes", counts[c.PICTURE == c.ROPE].sum()),
        ("floods", wet),
    ):
        if count:
            found.append(words[key].format(int(count)))
    by_openings = [str(counts[number == _OPENINGS].sum()) for number in range(1, 5)]
    found.append(words["by_tunnels"].format(", ".join(by_openings)))
    return wrapped([f"{head}: {total} ({'; '.join(found)})"])
