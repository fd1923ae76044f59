"""The table of *Corre el encierro* as text, for people and language models."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.words import listed, wrapped
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_bull, is_fall, is_shown_on_draw
from sobremesa.envs.corre_el_encierro.text.cards import card_name, effect, object_name
from sobremesa.envs.corre_el_encierro.text.story import won
from sobremesa.envs.corre_el_encierro.text.words import SHORT_LOCATIONS, WORDS

_FORESEEN = 5  # so many cards of the pile are named in order when all is open


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `table` as text; None shows everything (C11).

    The number next to each runner is the target in the names of actions: clockwise from the reader, or, at an
    open table, from the seat to act. Questions to other seats do not appear (C11.2).
    """
    state = table[0]
    if seat is not None and not 0 <= seat < state.seats:
        raise ValueError(f"seat={seat!r} is not at the table; it takes 0 to {int(state.seats) - 1}, or None")
    paragraphs = (
        [*_headline(state, seat, language), *_deck(state, language)],
        _course(state, language),
        _runners(state, seat, language),
        _open_hands(state, language) if seat is None else _own_cards(state, seat, language),
        _piles(state, seat, language),
    )
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _deck(state: Any, language: str) -> list[str]:
    """Return a line about a deck that is not the standard one (O1)."""
    names = {c.CONFLICT: "conflict", c.LAST_STRETCH: "last_stretch"}
    return [WORDS[language][names[state.deck]]] if state.deck in names else []


def asks(states: np.ndarray, seat: int, language: str) -> str:
    """Return what the seat to act decides now, and because of which card; the seat is called “you”."""
    state, words = states[0], WORDS[language]
    asked = question(state, language)
    if state.card == c.NO_CARD or state.struck != seat:
        return asked
    drawn = state.sender == s.NOBODY
    sender = int(state.turn if drawn else state.sender)
    key = (
        "own"
        if drawn and sender == seat
        else "drawn"
        if drawn
        else "sent"
        if is_shown_on_draw(state.card)
        else "attack"
    )
    because = words[f"{key}_you"].format(card=card_name(int(state.card), language), sender=SEAT_SIGNS[sender])
    waiting = [words["again"] if one == seat else SEAT_SIGNS[one] for one in _queued(state)]
    if waiting:
        because += f"; {words['next'].format(', '.join(waiting))}"
    return words["asks"].format(question=asked, because=because)


def _who(seat: int, reader: int | None, language: str) -> str:
    return SEAT_SIGNS[seat] + (WORDS[language]["you"] if seat == reader else "")


def _headline(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the state of the deal, the card being resolved, and the reader's question; or the winners."""
    words = WORDS[language]
    if state.over:
        return [words["over"].format(int(state.turns)), *won(state, seat, language)]
    phase = s.DRAWING if state.drawn else s.DISCARDING if state.phase != s.PLAYING else s.PLAYING
    doing = [words[f"phase{phase}"], *(words[name] for name in ("moved", "lost") if state[name])]
    lines = [words["turn"].format(int(state.turns), _who(int(state.turn), seat, language), ", ".join(doing))]
    if state.card != c.NO_CARD:
        lines.append(_resolved(state, seat, language))
    if state.closing:
        lines.append(_sweep(state, seat, language))
    if seat in (None, int(state.seat)) and state.stage != s.GO_ON:  # redeals for a waiting seat ask no seat
        asked = question(state, language)
        theirs = words["theirs"].format(SEAT_SIGNS[state.seat], asked)
        lines.append(theirs if seat is None else words["yours"].format(asked))
    return wrapped(lines)


def question(state: Any, language: str) -> str:
    """Return the question to the seat to act."""
    key, seat = f"stage{int(state.stage)}", int(state.seat)
    if state.stage == s.DISCARD and state.hand_size[seat] == c.HAND_LIMIT:
        key = "full"
    elif state.stage == s.PAY and state.objects[seat] == 1 and state.special[seat] == c.NO_CARD:
        key = "last"
    return WORDS[language][key]


def _resolved(state: Any, reader: int | None, language: str) -> str:
    """Return the card being resolved, its sender, target and next targets."""
    words = WORDS[language]
    drawn = state.sender == s.NOBODY
    key = "drawn" if drawn else "sent" if is_shown_on_draw(state.card) else "attack"
    text = words[key].format(
        card=card_name(int(state.card), language),
        sender=_who(int(state.turn if drawn else state.sender), reader, language),
        struck=_who(int(state.struck), reader, language),
    )
    return text + _waiting(state, "next", reader, language)


def _sweep(state: Any, reader: int | None, language: str) -> str:
    """Return the location that the Cabestros close, the runners there, and the next to be asked."""
    runners = range(int(state.seats))
    there = [_who(one, reader, language) for one in runners if state.place[one] == state.closed]
    text = WORDS[language]["closing"].format(SHORT_LOCATIONS[state.closed - 1], ", ".join(there))
    return text + _waiting(state, "still", reader, language)


def _waiting(state: Any, key: str, reader: int | None, language: str) -> str:
    waiting = [_who(seat, reader, language) for seat in _queued(state)]
    return f"; {WORDS[language][key].format(', '.join(waiting))}" if waiting else ""


def _queued(state: Any) -> list[int]:
    """Return the runners whom the card or the Cabestros reach next, in order."""
    return [int(seat) for seat in state.queue if seat != s.NOBODY and state.status[seat] != s.OUT]


def _course(state: Any, language: str) -> list[str]:
    """Draw the locations in a line, with runners and closed signs below them."""
    runners, closed = [], []
    for place, name in enumerate(SHORT_LOCATIONS, 1):
        there = "".join(SEAT_SIGNS[seat] for seat in range(int(state.seats)) if state.place[seat] == place)
        runners.append(there.center(len(name)))
        closed.append((WORDS[language]["closed"] if place <= state.closed else "").center(len(name)))
    lines = ("  ".join(cells).rstrip() for cells in (SHORT_LOCATIONS, runners, closed))
    return [line for line in lines if line]


def _runners(state: Any, seat: int | None, language: str) -> list[str]:
    """Return a line for each runner, with a mark for the turn."""
    words = WORDS[language]
    centre = int(state.seat) if seat is None else seat
    rows = [["  ", *(words[title] for title in ("runner", "place", "objects", "special", "cards")), ""]]
    for other in range(int(state.seats)):
        status = int(state.status[other])
        steps = (other - centre) % int(state.seats)
        name = _who(other, seat, language) + (f" +{steps}" if steps and not state.over else "")
        cells = ["> " if other == state.turn and not state.over else "  ", name]
        if status != s.OUT:
            special = int(state.special[other])
            cells += [SHORT_LOCATIONS[state.place[other] - 1], str(int(state.objects[other]))]
            cells += ["–" if special == c.NO_CARD else card_name(special, language), str(int(state.hand_size[other]))]
        else:
            cells += ["–"] * 4
        rows.append([*cells, "" if status == s.RUNNING else words[f"status{status}"]])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row[1:], widths[1:], strict=True)) for row in rows]
    return [row[0] + line.rstrip() for row, line in zip(rows, lines, strict=True)]


def _own_cards(state: Any, seat: int, language: str) -> list[str]:
    """List the objects of `seat`, its hand with effects, and its remembered stolen cards."""
    words = WORDS[language]
    lines = listed(words["worn"], [object_name(one, language) for one in range(int(state.objects[seat]))])
    held = np.flatnonzero(state.hand[seat])
    lines += [f"{words['hand']}:" if held.size else f"{words['hand']}: {words['empty']}"]
    for kind in held:
        copies = int(state.hand[seat, kind])
        name = ("" if copies == 1 else f"{copies} ") + card_name(int(kind), language)
        text = f"{name}: {effect(int(kind), language)}"
        lines += wrapped([text], "  ", "    ")
    return lines + listed(words["known"], _remembered(state, seat, language))


def _open_hands(state: Any, language: str) -> list[str]:
    """List all hands and all remembered stolen cards."""
    words, lines = WORDS[language], []
    for seat in range(int(state.seats)):
        if state.status[seat] != s.OUT:
            lines += listed(
                words["hand_of"].format(SEAT_SIGNS[seat]), _counted(state.hand[seat], language) or [words["empty"]]
            )
    for seat in range(int(state.seats)):
        lines += listed(words["known_by"].format(SEAT_SIGNS[seat]), _remembered(state, seat, language))
    return lines


def _remembered(state: Any, seat: int, language: str) -> list[str]:
    """List the stolen cards of `seat` with the hands where each may be (C11.1)."""
    words, found = WORDS[language], []
    for theft in np.flatnonzero(state.theft_from == seat):
        hands = [SEAT_SIGNS[other] for other in range(c.MAX_SEATS) if int(state.theft_hands[theft]) >> other & 1]
        has_it = words["has_it"].format(words["or"].join(hands))
        found.append(f"{card_name(int(state.theft_kind[theft]), language)} {has_it}")
    return sorted(found)


def _piles(state: Any, seat: int | None, language: str) -> list[str]:
    """List the reader's knowledge of the pile, and the discard pile."""
    words = WORDS[language]
    pile = state.pile[: state.pile_size]
    unseen = np.bincount(pile, minlength=c.NUM_CARDS)
    if seat is not None:  # the pile and other hands are indistinguishable
        unseen[: c.NUM_HAND_CARDS] += state.hand.sum(axis=0) - state.hand[seat]
    lines = [words["pile"].format(len(pile))]
    if seat is None:
        lines += listed(words["first"], [card_name(int(card), language) for card in pile[::-1][:_FORESEEN]])
    for key, belongs in (("bulls", is_bull), ("falls", is_fall)):
        counts = [int(unseen[card]) * belongs(card) for card in range(c.NUM_CARDS)]
        lines += listed(words[key].format(sum(counts)), _counted(counts, language))
    lines += listed(words["in_pile" if seat is None else "unseen"], _counted(unseen[: c.NUM_HAND_CARDS], language))
    return lines + listed(words["discards"], _counted(state.discards, language))


def _counted(counts: Sequence[int] | np.ndarray, language: str) -> list[str]:
    """Return the names of the cards in `counts`, with numbers above one."""
    named = [(int(count), card_name(card, language)) for card, count in enumerate(counts)]
    return [name if count == 1 else f"{count} {name}" for count, name in named if count > 0]
