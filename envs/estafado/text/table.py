"""The table of *Estafado* as text, for people and language models."""

import textwrap
from typing import Any

import numpy as np

from sobremesa.envs.core.game import PUBLIC, SEAT_SIGNS
from sobremesa.envs.core.words import listed, wrapped
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, NO_SPACE, NOWHERE, RING, SIDE, SUN_START, space_name
from sobremesa.envs.estafado.cards import HURRICANE, NO_CARD, NUM_KINDS, TUNNELS
from sobremesa.envs.estafado.knowledge import count_unseen, knows_pile
from sobremesa.envs.estafado.state import is_rabbit
from sobremesa.envs.estafado.text.cards import card_effect, card_name
from sobremesa.envs.estafado.text.story import cell_with_card, knows, won
from sobremesa.envs.estafado.text.words import SEATS, WORDS, line_name

_FORESEEN = 3  # so many cards of the deck are named in order when all is open
_USUAL_FACES = 2
_MARGIN, _WIDTH = 6, 12  # of the ring's sides and of a column


def describe(states: np.ndarray, seat: int | None, language: str) -> str:
    """Return the view of `seat` of the `(1,)` state `states` as text; None shows everything (C12.1)."""
    state = states[0]
    if seat not in (None, s.FOX, s.CROW, PUBLIC):
        raise ValueError(f"seat={seat!r} is not at the table; it takes {s.FOX} to {s.CROW}, PUBLIC or None")
    paragraphs = (
        _headline(state, seat, language),
        _floor(state, seat, language),
        _tokens(state, language),
        _hand(state, seat, language),
        _piles(state, seat, language),
    )
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _headline(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the state of the deal, the question, and the effect being resolved; or the winner."""
    words = WORDS[language]
    signs = [f"{sign} {name}" for sign, name in zip(SEAT_SIGNS, SEATS[language], strict=False)]
    if seat in (s.FOX, s.CROW):
        signs[seat] += words["you"]
    head = words["over" if state.over else "round"].format(min(int(state.sun) + 1, RING), RING)
    lines = [f"{head} · {' · '.join(signs)}"]
    if unusual := _setup(state, language):
        lines.append(words["setup"].format("; ".join(unusual)))
    if state.over:
        lines.append(won(state, language))
    else:
        asked = "yours" if state.seat == seat else f"theirs{int(state.seat)}"
        if s.REPLACE <= state.stage <= s.DIVING:
            card = cell_with_card(state, int(state.fox), None, language)
            effect = card_effect(int(state.cards[state.fox]), language)
            lines.append(words["on"].format(card=card, effect=effect))
        lines.append(words[asked].format(question(state, seat, language)))
    return wrapped(lines)


def _setup(state: Any, language: str) -> list[str]:
    """Name the options that are not the usual ones."""
    words = WORDS[language]
    unusual = (
        (state.reading == s.RULEBOOK, words["reading"]),
        (state.reading == s.DUSK, words["dusk"]),
        (state.evading_faces != _USUAL_FACES, words["faces"].format(int(state.evading_faces))),
        (state.rolls != s.ALL_MISS, words["rolls"]),
        (not state.bear_blocks, words["bear_blocks"]),
    )
    return [text for holds, text in unusual if holds]


def asks(states: np.ndarray, seat: int, language: str) -> str:
    """Return what the seat to act decides now."""
    return question(states[0], seat, language)


def question(state: Any, seat: int | None, language: str) -> str:
    """Return the question to the seat to act, as the reader may know it."""
    words, stage = WORDS[language], int(state.stage)
    card = "" if state.chosen == NOWHERE else cell_with_card(state, int(state.chosen), seat, language)
    line = line_name(int(state.crow), language)
    parts = [words[f"stage{stage}"].format(card=card, left=int(state.left), line=line)]
    if stage == s.MOVE and state.up[state.fox] and TUNNELS[state.cards[state.fox]]:
        parts.append(words["burrow"])
    if stage == s.EAGLE and state.double:
        parts.append(words["double"])
    if stage in (s.MOVE, s.EAGLE) and state.vixen == NOWHERE:
        parts.append(words["vixen"])
    if stage == s.EXCHANGE and state.deck_swaps:
        barred = state.reading != s.RULEBOOK and knows(state, int(state.chosen), seat)
        if not (barred and is_rabbit(state.cards[state.chosen])):
            parts.append(words["deck"])
    return ", ".join(parts)


# The floor.


def _floor(state: Any, seat: int | None, language: str) -> list[str]:
    """Draw the floor with its cards and tokens, and round it the tokens of the ring."""
    ring = _ring_tokens(state, language)
    north = [ring[space] for space in range(SIDE)]
    south = [ring[space] for space in reversed(range(2 * SIDE, 3 * SIDE))]
    lines = [*_row([], "", north, []), *_row([], "", [[column] for column in "abcde"], [])]
    for row in range(SIDE):
        cells = [_cell(state, row * SIDE + column, seat, language) for column in range(SIDE)]
        lines += _row(ring[RING - 1 - row], str(row + 1), cells, ring[SIDE + row])
        lines += [""] if row < SIDE - 1 else []
    lines += _row([], "", south, [])
    return [*lines, WORDS[language]["legend_open" if seat is None else "legend"]]


def _row(left: list[str], label: str, cells: list[list[str]], right: list[str]) -> list[str]:
    """Lay out blocks of short lines side by side; no line if all are empty."""
    height = max(map(len, (left, *cells, right)))
    lines = []
    for number in range(height):
        parts = [block[number] if number < len(block) else "" for block in (left, *cells, right)]
        inner = "".join(part.ljust(_WIDTH) for part in parts[1:-1])
        lines.append(f"{parts[0]:>{_MARGIN}} {label if number == 0 else '':1}  {inner} {parts[-1]}".rstrip())
    return lines


def _cell(state: Any, cell: int, seat: int | None, language: str) -> list[str]:
    """Return the card of a cell, as the reader knows it, and its tokens, in short lines."""
    words = WORDS[language]
    if knows(state, cell, seat):
        name = card_name(int(state.cards[cell]), language)
        lines = textwrap.wrap(name.upper() if state.up[cell] else name, _WIDTH - 1)
    else:
        lines = [words["no_rabbit"] if state.no_rabbit[cell] else "·"]
    tokens = (("fox", state.fox), ("bear", state.bear), ("vixen_token", state.vixen))
    return lines + [f"<{words[token]}>" for token, place in tokens if place == cell]


def _ring_tokens(state: Any, language: str) -> list[list[str]]:
    """Return the names of the tokens on each space of the ring."""
    ring: list[list[str]] = [[] for _ in range(RING)]
    for token, space in (("eagle", state.eagle), ("crow", state.crow), ("sun", _sun(state))):
        if space != NO_SPACE:
            ring[space].append(WORDS[language][token])
    return ring


def _sun(state: Any) -> int:
    return (SUN_START + int(state.sun)) % RING


# Tokens, rights and cards.


def _tokens(state: Any, language: str) -> list[str]:
    """Return the positions of the tokens, and their owners' remaining rights."""
    words = WORDS[language]
    fox = words["fox_at"].format(CELL_NAMES[state.fox])
    if state.fox != state.fox_start and state.stage <= s.DIVING and not state.over:
        fox += words["began"].format(CELL_NAMES[state.fox_start])
    bear = words["bear_at"].format(CELL_NAMES[state.bear])
    if state.bear_before != NOWHERE:
        bear += words["came"].format(CELL_NAMES[state.bear_before])
    placed = state.vixen != NOWHERE
    vixen = words["vixen_at"].format(CELL_NAMES[state.vixen]) if placed else words["vixen_off"]
    crow = words["crow_at"].format(space_name(int(state.crow), language), line_name(int(state.crow), language))
    sun = words["sun_at"].format(space_name(_sun(state), language), RING - int(state.sun))
    rights = (
        (not placed, words["left_vixen"]),
        (state.double, words["left_double"]),
        (state.deck_swaps, words["left_deck"].format(int(state.deck_swaps))),
    )
    due = ((state[name], words[name]) for name in ("lost", "bear_skip", "caught"))
    return [
        *listed("", [fox, bear, vixen], between=" · "),
        _eagle(state, language),
        *listed("", [crow, sun], between=" · "),
        *listed(words["left"], [text for holds, text in rights if holds]),
        *listed(words["due"], [text for holds, text in due if holds and not state.over]),
    ]


def _eagle(state: Any, language: str) -> str:
    """Return the eagle's space and its distance from the crow."""
    words = WORDS[language]
    if state.eagle == NO_SPACE:
        return words["eagle_off"]
    ahead = (int(state.eagle) - int(state.crow)) % RING
    way = "clockwise" if ahead <= RING // 2 else "anticlockwise"
    return words["eagle_at"].format(space_name(int(state.eagle), language), min(ahead, RING - ahead), words[way])


def _hand(state: Any, seat: int | None, language: str) -> list[str]:
    """List the fox's hand, with effects in the fox's own view, and the caught rabbits."""
    words = WORDS[language]
    held = [(slot + 1, int(kind)) for slot, kind in enumerate(state.hand) if kind != NO_CARD]
    if seat == s.FOX:
        lines = [f"{words['hand']}:" if held else f"{words['hand']}: {words['no_cards']}"]
        for slot, kind in held:
            text = f"{slot} {card_name(kind, language)}: {card_effect(kind, language)}"
            lines += wrapped([text], "  ", "    ")
    elif seat in (s.CROW, PUBLIC):
        known = f", {words['hurricane']}" if HURRICANE in state.hand else ""
        lines = [words["hand_size"].format(len(held)) + known]
    else:
        cards = [f"{slot} {card_name(kind, language)}" for slot, kind in held]
        lines = listed(words["hand_of"], cards or [words["no_cards"]])
    prey = [card_name(int(kind), language) for kind in state.prey[: state.catches]]
    return lines + listed(words["prey"], prey or [words["none"]])


def _piles(state: Any, seat: int | None, language: str) -> list[str]:
    """List the deck, the cards that have left it, and the reader's knowledge of the rest."""
    words = WORDS[language]
    deck = [int(kind) for kind in state.deck[: state.deck_size][::-1]]
    heads = [words["deck_size"].format(len(deck))]
    if seat is None:
        heads.append(words["next"].format(", ".join(card_name(kind, language) for kind in deck[:_FORESEEN])))
    elif deck[0] == HURRICANE:
        heads.append(words["on_top"])
    buried = [slot for slot in range(s.PILE_SIZE) if state.pile[slot] != NO_CARD]
    pile = [_buried(state, slot, seat, language) for slot in buried]
    lines = [
        *wrapped(["; ".join(heads)]),
        *listed(words["discards"], _counted(state.discards, language) or [words["none"]]),
        *listed(words["pile"], pile),
    ]
    for other in (s.FOX, s.CROW):
        if other != seat:
            cells = np.flatnonzero((state.known[other] == 1) & (state.up == 0))
            lines += listed(words[f"knows{other}"], [CELL_NAMES[cell] for cell in cells])
    if seat in (None, PUBLIC):
        return lines
    certain = np.flatnonzero((state.swappable == 1) & (state.known[seat] == 0))
    lines += listed(words["swappable"], [CELL_NAMES[cell] for cell in certain])
    return lines + listed(words["unseen"], _counted(unseen(state, seat), language))


def _buried(state: Any, slot: int, seat: int | None, language: str) -> str:
    """Return the name of a buried card, or the public knowledge of it."""
    words = WORDS[language]
    if seat is None or knows_pile(state, seat, slot):
        text = card_name(int(state.pile[slot]), language)
        marks = [words["fox_knows"]] if seat != s.FOX and state.pile_known[slot] else []
    else:
        text = words["unknown"]
        known = ((state.pile_no_rabbit[slot], "no_rabbit"), (state.pile_swappable[slot], "swaps"))
        marks = [words[word] for holds, word in known if holds]
    return f"{text} ({', '.join(marks)})" if marks else text


def unseen(state: Any, seat: int) -> np.ndarray:
    """Return the number of cards of each kind that `seat` has not located, `(NUM_KINDS,)` int64 (C12.1)."""
    counts = np.empty(NUM_KINDS, np.int64)
    count_unseen(state, seat, counts)
    return counts


def _counted(counts: np.ndarray, language: str) -> list[str]:
    """Return the names of the cards in `counts`, with numbers above one."""
    names = ((int(counts[kind]), card_name(int(kind), language)) for kind in np.flatnonzero(counts))
    return [name if count == 1 else f"{name} ×{count}" for count, name in names]
