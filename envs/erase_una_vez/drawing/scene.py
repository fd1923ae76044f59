"""The table of *Érase una vez* as a picture: an SVG of a state, through the eyes of a seat or open to all.

The picture for a seat depends only on information of that seat (C11.3), so it has the same bytes for every
determinization. Only the seat that is asked to react sees it (C5.5).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.game import Box
from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text, without_pieces
from sobremesa.envs.erase_una_vez.drawing import book, hands, tale
from sobremesa.envs.erase_una_vez.drawing.art import MARKS
from sobremesa.envs.erase_una_vez.drawing.cards import label
from sobremesa.envs.erase_una_vez.drawing.pieces import GOLD, LIGHT, PALE
from sobremesa.envs.erase_una_vez.state import (
    A_CLAIM,
    CHEERED,
    HOOK,
    ON_CLAIM,
    ON_ENDING,
    ON_PROTEST,
    PASSING,
    REACT,
    TELL,
    VOTE,
)
from sobremesa.envs.erase_una_vez.tables import NO_ENDING
from sobremesa.envs.erase_una_vez.text.words import TITLE, ending_words

_SEATS = (56.0, 94.0)  # top and height of each part
BOOK, _OPEN_BOOK = (160.0, 528.0), (62.0, 480.0)
_BAND = 52.0
OWN_TOP = sum(BOOK) + 10 + _BAND + 8  # where the hand of the viewer begins
OWN_DOWN = book.HEIGHT - OWN_TOP - 10
_BANNER = 84.0
_COLUMNS, _HIGH, _GAP = 4, 48.0, 4.0  # of a sheet, two on a page: rows so high, and what is between them

_WORDS = {
    "es": {
        "sees": "visto por el jugador {}", "open": "mesa abierta", "narrates": "Narra el jugador {}",
        "you narrate": "Narras tú", "passes": "El jugador {} cede la palabra", "you pass": "Cedes la palabra",
        ON_PROTEST: "Se vota: ¿vale la protesta?", ON_CLAIM: "Se vota: ¿vale {1}, del jugador {0}?",
        ON_ENDING: "Se vota: ¿vale el final?", "asked": "le preguntan al jugador {}: {}",
        "won": "¡Colorín, colorado! Gana el jugador {}", "share": "El cuento se alargó: ganan los jugadores {}",
        "alone": "El cuento se alargó: gana el jugador {}", "fewest": "con menos cartas en la mano", "and": " y ",
        "quoted": "«{}»",
    },
    "en": {
        "sees": "seen by player {}", "open": "open table", "narrates": "Player {} tells the tale",
        "you narrate": "You tell the tale", "passes": "Player {} passes", "you pass": "You pass",
        ON_PROTEST: "Vote: is the protest right?", ON_CLAIM: "Vote: is player {0}'s {1} right?",
        ON_ENDING: "Vote: is the ending good?", "asked": "player {} is asked: {}",
        "won": "Happily ever after! Player {} wins", "share": "The tale grew too long: players {} win",
        "alone": "The tale grew too long: player {} wins", "fewest": "with the fewest cards in hand", "and": " and ",
        "quoted": "“{}”",
    },
}  # fmt: skip
_QUESTIONS = {
    "es": {
        TELL: "¿qué cuentas ahora?", HOOK: "¿de qué cuelga?", PASSING: "¿qué carta descartas?",
        REACT: "¿dices algo?", VOTE: "¿sí o no?",
    },
    "en": {
        TELL: "what do you tell next?", HOOK: "what does it hang on?", PASSING: "which card do you discard?",
        REACT: "do you speak up?", VOTE: "yes or no?",
    },
}  # fmt: skip


class Places(NamedTuple):
    """The boxes of things that a seat can point at, in one of the pictures."""

    cards: list[Box]  # of its hand
    endings: list[Box]
    told: list[tuple[tale.Entry, Box]]
    sheet: Callable[[int], Box]  # place number -> its box on a sheet of things to tell of


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, as an SVG with words in `language`."""
    return without_pieces(followed(states, seat, language))


def followed(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the scene with names for the pieces that a page may follow."""
    state = states[0]
    top, down = _OPEN_BOOK if seat is None else BOOK
    band = top + down + 10
    below = band + _BAND + 8
    around = (
        hands.open_hands(state, language, below, book.HEIGHT - below - 10)
        if seat is None
        else hands.others(state, seat, language, *_SEATS)
        + hands.own(state, seat, language, below, book.HEIGHT - below - 10)
    )
    drawn = (
        book.table(),
        _header(state, seat, language),
        book.book(top, down),
        _book(state, language, top, down),
        hands.facts_and_piles(state, seat, language, band, _BAND),
        around,
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {book.WIDTH} {book.HEIGHT}" '
        f'width="{book.WIDTH}" height="{book.HEIGHT}" '
        f'font-family="DejaVu Serif, Georgia, serif, sans-serif">{"".join(drawn)}</svg>'
    )


def places(state: Any, seat: int, _: str) -> Places:
    """Return the boxes of things in the scene that `seat` can point at."""
    return Places(*hands.own_boxes(state, seat, OWN_TOP, OWN_DOWN), tale.told_boxes(state, *BOOK), _on_sheet)


def _on_sheet(number: int) -> Box:
    row, column = divmod(number, _COLUMNS)
    across = (book.ACROSS - _GAP * (_COLUMNS - 1)) / _COLUMNS
    return book.LEFT + (across + _GAP) * column, BOOK[0] + 4 + (_HIGH + _GAP) * row, across, _HIGH


def _book(state: Any, language: str, top: float, down: float) -> str:
    """Draw the contents of the book, above the banner of the end if there is one."""
    if not state.over:
        return tale.tale(state, language, top, down)
    head, more = end(state, language)
    shown = tale.tale(state, language, top, down - _BANNER)
    return shown + tale.banner(head, more, top + down - _BANNER - 22)


def _header(state: Any, viewer: int | None, language: str) -> str:
    """Write the title, the viewer, and the headline."""
    seen = _WORDS[language]["open"] if viewer is None else _WORDS[language]["sees"].format(viewer + 1)
    head, more = told(state, viewer, language)
    initial = MARKS["small-initial"] + text(0, 11, TITLE[language][0], 28, LIGHT)
    right = 'text-anchor="end" font-weight="bold"'
    return (
        place(33, 29, initial)
        + text(55, 32, TITLE[language][1:], 27, LIGHT, LEFT_BOLD, 240)
        + text(56, 49, seen, 15, PALE, LEFT_BOLD, 205)
        + text(988, 28, head, 18, LIGHT, right, 600)
        + (text(988, 47, more, 13, GOLD, right, 600) if more else "")
    )


def told(state: Any, viewer: int | None, language: str) -> tuple[str, str]:
    """Return the headline, and the decision of the viewer or, on an open table, of the seat to act."""
    words, narrator, stage = _WORDS[language], int(state.narrator), int(state.stage)
    if state.over:
        return end(state, language)[0], ""
    mine = viewer == narrator
    head = words["you narrate"] if mine else words["narrates"].format(narrator + 1)
    if stage == VOTE:
        head = words.get(int(state.case), head)
        if state.case == ON_CLAIM:  # all have seen the card by now
            head = head.format(int(state.claimant) + 1, label(int(state.choice[state.claimant]) - A_CLAIM, language))
    elif stage == PASSING:
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
    if int(state.ending_kind) == CHEERED and ending != NO_ENDING:
        return words["won"].format(words["and"].join(winners)), words["quoted"].format(ending_words(ending, language))
    names = ", ".join(winners[:-1]) + words["and"] + winners[-1] if len(winners) > 1 else "".join(winners)
    return words["share" if len(winners) > 1 else "alone"].format(names), words["fewest"]
