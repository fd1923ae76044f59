"""The table of *Érase una vez* as a picture: an SVG of a state, through the eyes of a seat or open to all.

The picture for a seat depends only on information of that seat (C11.3), so it has the same bytes for every
determinization. Only the seat that is asked to react sees it (C5.5).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, SERIF, picture, place, text
from sobremesa.envs.core.wording import Box
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.drawing import book, hands, tale
from sobremesa.envs.erase_una_vez.drawing.art import MARKS
from sobremesa.envs.erase_una_vez.drawing.cards import label
from sobremesa.envs.erase_una_vez.drawing.hands import GAP
from sobremesa.envs.erase_una_vez.drawing.others import others
from sobremesa.envs.erase_una_vez.drawing.pieces import GOLD, LIGHT, PALE, panel, wrap, written
from sobremesa.envs.erase_una_vez.tables import NO_ENDING
from sobremesa.envs.erase_una_vez.text.words import TITLE, ending_words

_LEFT, _RIGHT, _FOOT = 12.0, 742.0, 742.0  # edges: of panels at the left, of those next to the book, of all
_ACROSS, _BESIDE = 722.0, 246.0  # widths of these panels
BOOK, _OPEN_BOOK = (62.0, 376.0), (62.0, 352.0)  # top and height
_PILES, _OTHERS, _ALL_OTHERS, _ENDINGS = 52.0, 96.0, 284.0, 150.0  # heights; of others at most, of endings at least
_PAD = 6.0  # around facts
_COLUMNS, _HIGH, _GAP = 5, 43.0, 3.0  # of a sheet, across the picture: rows so high, and what is between them

_WORDS = {
    "es": {
        "sees": "visto por el jugador {}", "open": "mesa abierta", "narrates": "Narra el jugador {}",
        "you narrate": "Narras tú", "passes": "El jugador {} cede la palabra", "you pass": "Cedes la palabra",
        s.ON_PROTEST: "Se vota: ¿vale la protesta?", s.ON_CLAIM: "Se vota: ¿vale {1}, del jugador {0}?",
        s.ON_ENDING: "Se vota: ¿vale el final?", "asked": "le preguntan al jugador {}: {}",
        "won": "¡Colorín, colorado! Gana el jugador {}", "share": "El cuento se alargó: ganan los jugadores {}",
        "alone": "El cuento se alargó: gana el jugador {}", "fewest": "con menos cartas en la mano", "and": " y ",
        "quoted": "«{}»",
    },
    "en": {
        "sees": "seen by player {}", "open": "open table", "narrates": "Player {} tells the tale",
        "you narrate": "You tell the tale", "passes": "Player {} passes", "you pass": "You pass",
        s.ON_PROTEST: "Vote: is the protest right?", s.ON_CLAIM: "Vote: is player {0}'s {1} right?",
        s.ON_ENDING: "Vote: is the ending good?", "asked": "player {} is asked: {}",
        "won": "Happily ever after! Player {} wins", "share": "The tale grew too long: players {} win",
        "alone": "The tale grew too long: player {} wins", "fewest": "with the fewest cards in hand", "and": " and ",
        "quoted": "“{}”",
    },
}  # fmt: skip
_QUESTIONS = {
    "es": {
        s.TELL: "¿qué cuentas ahora?", s.HOOK: "¿de qué cuelga?", s.PASSING: "¿qué carta descartas?",
        s.REACT: "¿dices algo?", s.VOTE: "¿sí o no?",
    },
    "en": {
        s.TELL: "what do you tell next?", s.HOOK: "what does it hang on?", s.PASSING: "which card do you discard?",
        s.REACT: "do you speak up?", s.VOTE: "yes or no?",
    },
}  # fmt: skip


class Places(NamedTuple):
    """The boxes of things that a seat can point at, in one of the pictures."""

    cards: list[Box]  # of its hand
    endings: list[Box]
    told: list[tuple[tale.Entry, Box]]
    sheet: Callable[[int], Box]  # place number -> its box on a sheet of things to tell of


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces."""
    state = states[0]
    spread = _OPEN_BOOK if seat is None else BOOK
    drawn = (
        book.table(),
        _header(state, seat, language),
        book.book(*spread),
        tale.tale(state, language, *spread),
        _open(state, language) if seat is None else _seen(state, seat, language),
    )
    return picture(book.WIDTH, book.HEIGHT, drawn, SERIF)


class _Around(NamedTuple):
    """The areas around the book."""

    others: Box
    piles: Box
    facts: Box
    endings: Box
    hand: Box


def _around(state: Any, language: str) -> _Around:
    """Return the areas for one who plays: a column at the right, and the hand below the book."""
    top, foot, count = BOOK[0] - 6, sum(BOOK) + 6 + GAP, int(state.seats) - 1
    beside = min(_ALL_OTHERS, count * (_OTHERS + GAP) - GAP)
    most = _FOOT - top - beside - _PILES - _ENDINGS - 3 * GAP
    downs = (beside, _PILES, _facts_down(state, language, _BESIDE, most))
    column = []
    for down in downs:
        column.append((_RIGHT, top, _BESIDE, down))
        top += down + GAP
    others, piles, facts = column
    return _Around(others, piles, facts, (_RIGHT, top, _BESIDE, _FOOT - top), (_LEFT, foot, _ACROSS, _FOOT - foot))


def _open_around(state: Any, language: str) -> _Around:
    """Return the areas on an open table: the piles and the endings at the right, facts and hands below the book."""
    top, foot = _OPEN_BOOK[0] - 6, sum(_OPEN_BOOK) + 6
    facts = (
        _LEFT,
        foot + GAP,
        _RIGHT + _BESIDE - _LEFT,
        _facts_down(state, language, _RIGHT + _BESIDE - _LEFT, _ENDINGS),
    )
    hands_top = facts[1] + facts[3] + GAP
    below = top + _PILES + GAP
    return _Around(
        (0, 0, 0, 0),
        (_RIGHT, top, _BESIDE, _PILES),
        facts,
        (_RIGHT, below, _BESIDE, foot - below),
        (_LEFT, hands_top, facts[2], _FOOT - hands_top),
    )


def _seen(state: Any, seat: int, language: str) -> str:
    """Draw what is around the book for a seat."""
    areas = _around(state, language)
    return (
        others(state, seat, language, areas.others)
        + _piles_and_facts(state, seat, language, areas)
        + hands.own_endings(state, seat, language, areas.endings)
        + hands.own(state, seat, language, areas.hand)
    )


def _open(state: Any, language: str) -> str:
    """Draw what is around the book on an open table."""
    areas = _open_around(state, language)
    return (
        _piles_and_facts(state, None, language, areas)
        + hands.open_endings(state, language, areas.endings)
        + hands.open_hands(state, language, areas.hand)
    )


def _piles_and_facts(state: Any, viewer: int | None, language: str, areas: _Around) -> str:
    left, top, across, down = areas.facts
    listed = panel(across, down, False) + place(
        _PAD, _PAD, hands.facts(state, language, across - 2 * _PAD, down - 2 * _PAD)[0]
    )
    piles = panel(*areas.piles[2:], False) + hands.piles(state, viewer, language, _PILES)
    return place(*areas.piles[:2], piles) + place(left, top, listed)


def _facts_down(state: Any, language: str, across: float, most: float) -> float:
    return hands.facts(state, language, across - 2 * _PAD, most - 2 * _PAD)[1] + 2 * _PAD


def places(state: Any, seat: int, language: str) -> Places:
    """Return the boxes of things in the scene that `seat` can point at."""
    areas = _around(state, language)
    own = hands.own_boxes(state, seat, areas.hand, areas.endings)
    return Places(*own, tale.told_boxes(state, *BOOK), _on_sheet)


def _on_sheet(number: int) -> Box:
    row, column = divmod(number, _COLUMNS)
    across = (_RIGHT + _BESIDE - _LEFT - _GAP * (_COLUMNS - 1)) / _COLUMNS
    return _LEFT + (across + _GAP) * column, BOOK[0] - 3 + (_HIGH + _GAP) * row, across, _HIGH


def _header(state: Any, viewer: int | None, language: str) -> str:
    """Write the title, the viewer, and the headline."""
    seen = _WORDS[language]["open"] if viewer is None else _WORDS[language]["sees"].format(viewer + 1)
    head, more = told(state, viewer, language)
    initial = MARKS["small-initial"] + text(0, 11, TITLE[language][0], 28, LIGHT)
    right = 'text-anchor="end" font-weight="bold"'
    if state.over:
        more = end(state, language)[1]
    lines, size = wrap(more, 14, 700, 2, 12)
    return (
        place(33, 27, initial)
        + text(55, 30, TITLE[language][1:], 27, LIGHT, LEFT_BOLD, 230)
        + text(56, 47, seen, 13, PALE, LEFT_BOLD, 205)
        + text(988, 21, head, 18, LIGHT, right, 700)
        + (written(988, 38, lines, size, GOLD, right, 700) if more else "")
    )


def told(state: Any, viewer: int | None, language: str) -> tuple[str, str]:
    """Return the headline, and the decision of the viewer or, on an open table, of the seat to act."""
    words, narrator, stage = _WORDS[language], int(state.narrator), int(state.stage)
    if state.over:
        return end(state, language)[0], ""
    mine = viewer == narrator
    head = words["you narrate"] if mine else words["narrates"].format(narrator + 1)
    if stage == s.VOTE:
        head = words.get(int(state.case), head)
        if state.case == s.ON_CLAIM:  # all have seen the card by now
            head = head.format(int(state.claimant) + 1, label(int(state.choice[state.claimant]) - s.A_CLAIM, language))
    elif stage == s.PASSING:
        head = words["you pass"] if mine else words["passes"].format(narrator + 1)
    asked = _QUESTIONS[language].get(stage, "")
    seat = int(state.seat)
    if viewer is None:
        return head, words["asked"].format(seat + 1, asked)
    return head, asked if viewer == seat else ""


def end(state: Any, language: str) -> tuple[str, str]:
    """Return the winners, and their ending."""
    words = _WORDS[language]
    winners = [str(seat + 1) for seat in range(int(state.seats)) if state.winner[seat]]
    ending = int(state.won_with)
    if int(state.ending_kind) == s.CHEERED and ending != NO_ENDING:
        return words["won"].format(words["and"].join(winners)), words["quoted"].format(ending_words(ending, language))
    names = ", ".join(winners[:-1]) + words["and"] + winners[-1] if len(winners) > 1 else "".join(winners)
    return words["share" if len(winners) > 1 else "alone"].format(names), words["fewest"]
