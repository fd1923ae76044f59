"""Events of *Érase una vez* as sentences: those of the tale, and those about its tellers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.news import event_names
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text.own_words import text_of
from sobremesa.envs.erase_una_vez.text.paragraphs import UNTOLD
from sobremesa.envs.erase_una_vez.text.telling import aside, sentence
from sobremesa.envs.erase_una_vez.text.words import STORY, ending_words, name_of

KEYS = event_names(s)
_OPEN_CARDS = (s.E_CLAIMS, s.E_INTERRUPTS, s.E_WRONG, s.E_VOID, s.E_TAKES_OVER)  # events that show a card to all
_SECRET_CARDS = {s.E_DRAWS: "draws_card", s.E_DISCARDS: "discards_card"}  # those that show it to its owner
_SECRET_ENDINGS = {s.E_CHANGES: "changes_ending", s.E_NEW_ENDING: "new_ending_known"}
_INNER = {"en": str.maketrans("“”", "‘’"), "es": str.maketrans("«»", "“”")}  # signs of a quotation in a quotation
_SHOWN = (s.E_CLAIMS, s.E_INTERRUPTS, s.E_PROTESTS, s.E_VOTES)  # events by which a hidden decision comes to light


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
        if line[0] not in (s.E_WINS, s.E_TOO_LONG):
            told.append(_event(new, line, seat in (None, line[1]), language))
            told += _lapsed(old, news[:number], line, language)
    return told + (won(new, language) if new.over else [])


def won(state: Any, language: str) -> list[str]:
    """Return the sentences on the winners of a deal (C9.4, C11.1)."""
    words = STORY[language]
    winners = np.flatnonzero(state.winner).tolist()
    if state.ending_kind == s.CHEERED:
        said = ending_words(int(state.won_with), language)
        return [words["wins"].format(seat=SEAT_SIGNS[winner], words=said) for winner in winners]
    key = "wins_fewest" if len(winners) == 1 else "shares"
    counts = [words[key].format(seat=SEAT_SIGNS[one], count=int(state.hand_size[one])) for one in winners]
    return [words["too_long"], *counts]


def _lapsed(old: Any, before: Sequence[Sequence[int]], line: Sequence[int], language: str) -> list[str]:
    """Return the sentences on reactions that an event makes void (C6.1, C6.7); all reactions are open by then (H3)."""
    key = {s.E_TAKES_OVER: "too_late", s.E_UNDONE: "void_too"}.get(line[0])
    if key is None:
        return []
    waiting = {one: _card_of(int(old.choice[one])) for one in old.order.tolist() if one != s.NOBODY}
    waiting |= {one: card for event, one, card, _ in before if event in (s.E_CLAIMS, s.E_INTERRUPTS)}
    settled = {one for event, one, _, _ in before if event in (s.E_WRONG, s.E_VOID)} | {line[1]}
    return [
        STORY[language][key].format(seat=SEAT_SIGNS[one], card=name_of(card, language))
        for one, card in sorted(waiting.items())
        if one not in settled
    ]


def _decision(old: Any, action: int, news: Sequence[Sequence[int]], language: str) -> list[str]:
    """Return the sentence of a hidden decision; an empty list if the news show it immediately."""
    if any(line[0] in _SHOWN and line[1] == old.seat for line in news):
        return []
    card = NUM_ELEMENTS
    if s.A_CLAIM <= action < s.A_PROTEST:
        key, card = "will_claim" if action < s.A_INTERRUPT else "will_interrupt", _card_of(action)
    elif action >= s.A_HOOK:
        key, card = "hooks", int(old.context[action - s.A_HOOK])
    else:
        decisions = {s.A_NOTHING: "nothing", s.A_PROTEST: "will_protest", s.A_YES: "votes_yes", s.A_NO: "votes_no"}
        key = decisions.get(action, "")
    named = "" if card == NUM_ELEMENTS and key != "hooks" else name_of(card, language)
    return [STORY[language][key].format(seat=SEAT_SIGNS[old.seat], card=named)] if key else []


def _card_of(choice: int) -> int:
    """Return the card of a claim or an interruption."""
    return choice - s.A_CLAIM if choice < s.A_INTERRUPT else int(INTERRUPTIONS[choice - s.A_INTERRUPT])


def _event(state: Any, line: Sequence[int], known: bool, language: str) -> str:
    """Return the sentence of an event; `known` is true if the reader may see its secrets."""
    event, seat, one, two = line
    key = KEYS[event]
    named = {"seat": SEAT_SIGNS[seat] if seat != s.NOBODY else "", "card": "", "words": "", "count": str(one)}
    if event in _OPEN_CARDS:
        named["card"], named["count"] = name_of(one, language), str(two)
        if event == s.E_TAKES_OVER:
            row = _taken(state, seat, one)
            named["words"] = aside(state.log, row, language)
            telling = "takes_over_telling" if two == s.CLAIMED else "breaks_in_telling"
            key = telling if named["words"] else key
    elif event == s.E_DISCARDS and one == NUM_ELEMENTS:
        key = "discards_none"
    elif event in _SECRET_CARDS and known:
        key, named["card"] = _SECRET_CARDS[event], name_of(one, language)
    elif event in _SECRET_ENDINGS and known:
        key, named["words"] = _SECRET_ENDINGS[event], ending_words(one, language)
    elif event == s.E_ENDS:
        named["words"] = ending_words(one, language)
    elif event == s.E_VOTES:
        key = f"votes{two}_{one}"
    elif event == s.E_TELLS:
        named["words"] = text_of(one) or sentence(state.log, one, language) or UNTOLD
    if event in (s.E_TELLS, s.E_UNDONE) and state.log[one, s.LOG_KIND] == s.CARD:
        named["card"] = name_of(int(state.log[one, s.LOG_THING]), language)
        key = "plays" if event == s.E_TELLS else "undone_back" if state.protest_card == s.BACK else "undone_stays"
    named["words"] = within_quotes(named["words"], language)
    return STORY[language][key].format(**named)


def within_quotes(words: str, language: str) -> str:
    """Return words that are in quotation marks, with other marks for what they quote themselves."""
    return words.translate(_INNER[language])


def _taken(state: Any, seat: int, card: int) -> int:
    """Return the row of the log on which `seat` has just taken over with `card`."""
    rows = state.log[: state.sentences]
    taken = np.isin(rows[:, s.LOG_FATE], (s.CLAIMED, s.INTERRUPTED, s.TOLD_TOO))
    found = taken & (rows[:, s.LOG_TAKER] == seat) & (rows[:, s.LOG_CARD] == card)
    return int(np.flatnonzero(found)[-1])
