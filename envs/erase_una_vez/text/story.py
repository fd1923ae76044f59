"""Events of *Érase una vez* as sentences: those of the tale, and those about its tellers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.erase_una_vez.state import (
    A_CLAIM,
    A_HOOK,
    A_INTERRUPT,
    A_NO,
    A_NOTHING,
    A_PROTEST,
    A_YES,
    BACK,
    CARD,
    CHEERED,
    CLAIMED,
    E_CHANGES,
    E_CLAIMS,
    E_DISCARDS,
    E_DRAWS,
    E_ENDS,
    E_IN_VAIN,
    E_INTERRUPTS,
    E_NEW_ENDING,
    E_PASSES,
    E_PROTESTS,
    E_REFUSED,
    E_RESHUFFLES,
    E_TAKES_OVER,
    E_TELLS,
    E_TOO_LONG,
    E_TURN,
    E_UNDONE,
    E_VOID,
    E_VOTES,
    E_WINS,
    E_WRONG,
    INTERRUPTED,
    LOG_CARD,
    LOG_FATE,
    LOG_KIND,
    LOG_TAKER,
    LOG_THING,
    NOBODY,
    TOLD_TOO,
)
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text.own_words import text_of, texts
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence
from sobremesa.envs.erase_una_vez.text.words import STORY, ending_words, name_of

KEYS = {
    E_TELLS: "tells", E_UNDONE: "undone", E_IN_VAIN: "in_vain", E_CLAIMS: "claims", E_INTERRUPTS: "interrupts",
    E_PROTESTS: "protests", E_VOTES: "votes", E_WRONG: "wrong", E_VOID: "void", E_TAKES_OVER: "takes_over",
    E_DRAWS: "draws", E_TURN: "turn", E_PASSES: "passes", E_DISCARDS: "discards", E_CHANGES: "changes", E_ENDS: "ends",
    E_REFUSED: "refused", E_NEW_ENDING: "new_ending", E_RESHUFFLES: "reshuffles",
}  # fmt: skip
_OPEN_CARDS = (E_CLAIMS, E_INTERRUPTS, E_WRONG, E_VOID, E_TAKES_OVER)  # events that show a card to all
_SECRET_CARDS = {E_DRAWS: "draws_card", E_DISCARDS: "discards_card"}  # those that show it to its owner
_SECRET_ENDINGS = {E_CHANGES: "changes_ending", E_NEW_ENDING: "new_ending_known"}
_REMEMBERED = 64  # rows whose words are kept: to find them takes all rows before
_INNER = {"en": str.maketrans("“”", "‘’"), "es": str.maketrans("«»", "“”")}  # signs of a quotation in a quotation
_SHOWN = (E_CLAIMS, E_INTERRUPTS, E_PROTESTS, E_VOTES)  # events by which a hidden decision comes to light


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` sees (None: all), a sentence each (C11).

    Only the deciding seat sees a reaction or a vote before it is revealed (C5.5, C8.2), and only the owner sees drawn
    cards and endings, and cards discarded face down.
    """
    check_language(language)
    old, new = before[0], after[0]
    news = new.news[: new.news_count].tolist()
    told = _decision(old, action, news, language) if seat in (None, int(old.seat)) else []
    for number, line in enumerate(news):
        if line[0] not in (E_WINS, E_TOO_LONG):
            told.append(_event(new, line, seat in (None, line[1]), language))
            told += _lapsed(old, news[:number], line, language)
    return told + (won(new, language) if new.over else [])


def won(state: Any, language: str) -> list[str]:
    """Return the sentences on the winners of a deal (C9.4, C11.1)."""
    words = STORY[language]
    winners = np.flatnonzero(state.winner).tolist()
    if state.ending_kind == CHEERED:
        said = ending_words(int(state.won_with), language)
        return [words["wins"].format(seat=SEAT_SIGNS[winner], words=said) for winner in winners]
    key = "wins_fewest" if len(winners) == 1 else "shares"
    counts = [words[key].format(seat=SEAT_SIGNS[one], count=int(state.hand_size[one])) for one in winners]
    return [words["too_long"], *counts]


def _lapsed(old: Any, before: Sequence[Sequence[int]], line: Sequence[int], language: str) -> list[str]:
    """Return the sentences on reactions that an event makes void (C6.1, C6.7); all reactions are open by then (H3)."""
    key = {E_TAKES_OVER: "too_late", E_UNDONE: "void_too"}.get(line[0])
    if key is None:
        return []
    waiting = {one: _card_of(int(old.choice[one])) for one in old.order.tolist() if one != NOBODY}
    waiting |= {one: card for event, one, card, _ in before if event in (E_CLAIMS, E_INTERRUPTS)}
    settled = {one for event, one, _, _ in before if event in (E_WRONG, E_VOID)} | {line[1]}
    return [
        STORY[language][key].format(seat=SEAT_SIGNS[one], card=name_of(card, language))
        for one, card in sorted(waiting.items())
        if one not in settled
    ]


@lru_cache(_REMEMBERED)
def _wording(rows: bytes, of_card: bool, language: str, said: tuple[tuple[int, str], ...]) -> str:
    """Return the sentence of the last row of a log, or of the card that took over on it.

    `said`: the rows in own words, for the key of the cache.
    """
    log = np.frombuffer(rows, np.uint8).reshape(-1, LOG_CARD + 1)
    return (aside if of_card else sentence)(log, len(log) - 1, language)


def _decision(old: Any, action: int, news: Sequence[Sequence[int]], language: str) -> list[str]:
    """Return the sentence of a hidden decision; an empty list if the news show it at once."""
    if any(line[0] in _SHOWN and line[1] == old.seat for line in news):
        return []
    card = NUM_ELEMENTS
    if A_CLAIM <= action < A_PROTEST:
        key, card = "will_claim" if action < A_INTERRUPT else "will_interrupt", _card_of(action)
    elif action >= A_HOOK:
        key, card = "hooks", int(old.context[action - A_HOOK])
    else:
        decisions = {A_NOTHING: "nothing", A_PROTEST: "will_protest", A_YES: "votes_yes", A_NO: "votes_no"}
        key = decisions.get(action, "")
    named = "" if card == NUM_ELEMENTS and key != "hooks" else name_of(card, language)
    return [STORY[language][key].format(seat=SEAT_SIGNS[old.seat], card=named)] if key else []


def _card_of(choice: int) -> int:
    """Return the card of a claim or an interruption."""
    return choice - A_CLAIM if choice < A_INTERRUPT else int(INTERRUPTIONS[choice - A_INTERRUPT])


def _event(state: Any, line: Sequence[int], known: bool, language: str) -> str:
    """Return the sentence of an event; `known` is true if the reader may see its secrets."""
    event, seat, one, two = line
    key = KEYS[event]
    named = {"seat": SEAT_SIGNS[seat] if seat != NOBODY else "", "card": "", "words": "", "count": str(one)}
    if event in _OPEN_CARDS:
        named["card"], named["count"] = name_of(one, language), str(two)
        if event == E_TAKES_OVER:
            row = _taken(state, seat, one)
            named["words"] = _wording(state.log[: row + 1].tobytes(), True, language, texts(row + 1))
            telling = "takes_over_telling" if two == CLAIMED else "breaks_in_telling"
            key = telling if named["words"] else key
    elif event == E_DISCARDS and one == NUM_ELEMENTS:
        key = "discards_none"
    elif event in _SECRET_CARDS and known:
        key, named["card"] = _SECRET_CARDS[event], name_of(one, language)
    elif event in _SECRET_ENDINGS and known:
        key, named["words"] = _SECRET_ENDINGS[event], ending_words(one, language)
    elif event == E_ENDS:
        named["words"] = ending_words(one, language)
    elif event == E_VOTES:
        key = f"votes{two}_{one}"
    elif event == E_TELLS:
        named["words"] = text_of(one) or _wording(state.log[: one + 1].tobytes(), False, language, texts(one + 1))
    if event in (E_TELLS, E_UNDONE) and state.log[one, LOG_KIND] == CARD:
        named["card"] = name_of(int(state.log[one, LOG_THING]), language)
        key = "plays" if event == E_TELLS else "undone_back" if state.protest_card == BACK else "undone_stays"
    named["words"] = within_quotes(named["words"], language)
    return STORY[language][key].format(**named)


def within_quotes(words: str, language: str) -> str:
    """Return words that stand in quotation marks, with other marks for what they quote themselves."""
    return words.translate(_INNER[language])


def _taken(state: Any, seat: int, card: int) -> int:
    """Return the row of the log on which `seat` has just taken over with `card`."""
    rows = state.log[: state.sentences]
    taken = np.isin(rows[:, LOG_FATE], (CLAIMED, INTERRUPTED, TOLD_TOO))
    found = taken & (rows[:, LOG_TAKER] == seat) & (rows[:, LOG_CARD] == card)
    return int(np.flatnonzero(found)[-1])
