"""Events of *Bandido Alcatraz* as sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.fits import has_room
from sobremesa.envs.bandido_alcatraz.halves import floods, open_ends
from sobremesa.envs.bandido_alcatraz.rules import band_of
from sobremesa.envs.bandido_alcatraz.state import lay
from sobremesa.envs.bandido_alcatraz.text.words import (
    MOVES,
    STORY,
    card_text,
    card_words,
    counted,
    in_a_row,
    places,
)
from sobremesa.envs.core.game import SEAT_SIGNS, check_language

_EXCHANGES = (s.E_EXCHANGES, s.E_TAKES_ALL)
_HAND_EVENTS = (s.E_LAYS, s.E_COVERS, s.E_GATHERS, *_EXCHANGES)  # events that change a hand, except drawing

News = list[list[int]]  # (event, seat, two numbers), in order


def tell(before: np.ndarray, action: int, after: np.ndarray, seat: int | None, language: str) -> list[str]:
    """Return the events from `(1,)` state `before` to `after` that `seat` sees (None: all), a sentence each (C11).

    Only a seat itself sees the cards that it draws. A chosen place is told with the card that is laid there.
    """
    check_language(language)
    old, new = before[0], after[0]
    news: News = new.news[: new.news_count].tolist()
    told: list[str] = []
    table = before.copy()
    for number, (event, one, *_) in enumerate(news):
        known = seat in (None, one) and len(news) < s.NEWS_LENGTH
        if event in (s.E_LAYS, s.E_COVERS):
            told += _dug(table, new, news[number], language)
        elif event == s.E_GATHERS:
            told.append(_gathered(old, news, number, language))
        elif event == s.E_DRAWS:
            told.append(_drawn(old, new, news, one, known, language))
        elif event in _EXCHANGES:
            told.append(_exchanged(new, news, number, known, language))
        elif event == s.E_ENDS:
            told += ended(new, language)
        elif event != s.E_TURN or new.seats > 1:
            told.append(_plain(event, one, news[number][2], language))
    if new.over and not any(event == s.E_ENDS for event, *_ in news):  # after more than the news hold
        told += ended(new, language)
    return told


def _plain(event: int, seat: int, signal: int, language: str) -> str:
    """Return the sentence of a turn, a pass or a signal."""
    keys = {s.E_TURN: "turn", s.E_PASSES: "passes", s.E_SIGNALS: "silent" if signal == s.SILENCE else "signals"}
    return STORY[language][keys[event]].format(seat=SEAT_SIGNS[seat], said=MOVES[language]["signals"][signal][0])


def _dug(table: np.ndarray, new: Any, line: Sequence[int], language: str) -> list[str]:
    """Lay the card of an event on `(1,)` state `table`, and describe the ends that it meets and opens (C4, C6).

    A ply may lay several cards; each sentence describes the network of its moment.
    """
    words, state = STORY[language], table[0]
    event, seat, kind, laid = line
    ends, water = open_ends(state), floods(state)
    lay(state, kind, int(new.laid_x[laid]), int(new.laid_y[laid]), int(new.laid_turn[laid]))
    covered = {number: cell for number, cell in water.items() if state.cell_laid[cell] == laid}
    later = open_ends(state)
    opened = [end for end in later if later[end] != ends.get(end)]
    # An end of a covered half that the other half closes follows from the card itself.
    met = [end for end in ends if ends[end] != later.get(end) and ends[end][0] not in covered.values()]
    named = {
        "seat": SEAT_SIGNS[seat],
        "card": card_words(kind, language),
        "ends": places("end", met, language) if met else "",
        "water": places("water", [*covered], language) if covered else "",
    }
    if kind == c.EXIT_KIND:
        return [words["lays_exit"].format(**named)]
    if event == s.E_COVERS:
        sentence = words["covers_joining" if met else "covers"]
    else:
        sentence = words["closes" if not opened else "joins" if len(met) > 1 else "lays"]
    if opened:
        sentence += words["lead_on" if len(opened) > 1 else "leads_on"].format(ends=places("end", opened, language))
    told = [sentence.format(**named) + "."]
    if c.FLOODED[kind] != c.NO_HALF:
        told.append(words["floods"])
    return told


def _gathered(old: Any, news: News, number: int, language: str) -> str:
    """Return the sentence of a gathered card, with the count so far (C7)."""
    _, seat, kind, _ = news[number]
    picture = int(c.PICTURE[kind])
    count = int(old.raincoats if picture == c.RAINCOAT else old.ropes)
    count += sum(event == s.E_GATHERS and c.PICTURE[other] == picture for event, _, other, _ in news[: number + 1])
    sentence = STORY[language][f"gathers{picture}"]
    return sentence.format(seat=SEAT_SIGNS[seat], card=card_text(kind, language), count=count)


def _drawn(old: Any, new: Any, news: News, seat: int, known: bool, language: str) -> str:
    """Return the sentence of a draw; the owner sees the card, which is in the slot of the card played in this ply.

    A card that left the hand again within the ply is not named.
    """
    own = [(event, kind) for event, one, kind, _ in news if one == seat and event in _HAND_EVENTS]
    kind = c.NO_CARD
    if known and len(own) == 1 and own[0][0] not in _EXCHANGES:
        kind = int(new.hand[seat, old.hand[seat].tolist().index(own[0][1])])
    key = "draws" if kind == c.NO_CARD else "draws_card"
    card = "" if kind == c.NO_CARD else card_words(kind, language)
    return STORY[language][key].format(seat=SEAT_SIGNS[seat], card=card)


def _exchanged(new: Any, news: News, number: int, known: bool, language: str) -> str:
    """Return the sentence of an exchange (C5); the owner sees the new cards if they are still in hand."""
    event, seat, count, more = news[number]  # how often, or how many lie aside
    later = any(one == seat and other in _HAND_EVENTS for other, one, _, _ in news[number + 1 :])
    cards = [card_text(int(kind), language) for kind in new.hand[seat] if kind != c.NO_CARD] if known else []
    key = "takes_all" if event == s.E_TAKES_ALL else "exchanges" if more == 1 else "exchanges_on"
    return STORY[language][key].format(
        seat=SEAT_SIGNS[seat],
        cards=counted(count, language),
        named=f" ({in_a_row(cards, language)})" if cards and not later else "",
        aside=counted(more, language),
        times=more,
    )


def ended(state: Any, language: str) -> list[str]:
    """Return the sentences on the end of a deal: escaped or the reasons why not, and the solitaire's band (C8, C9)."""
    words = STORY[language]
    if state.won:
        told = [words["won"]]
    else:
        if state.ending == s.IMPOSSIBLE:
            reasons = hopeless(state, language) or [words["needed"]]
        else:
            reasons = missing(state, language)
        told = [words[f"ending{int(state.ending)}"].format(reasons=in_a_row(reasons, language))]
    if state.seats == 1 and state.ending != s.IMPOSSIBLE:
        band = int(band_of(state.ends, state.exit_laid))
        told.append(words[f"band{band}"].format(open=_open(int(state.ends), language)))
    return told


def _open(count: int, language: str) -> str:
    return STORY[language]["open" if count == 1 else "open_more"].format(count=count)


def missing(state: Any, language: str) -> list[str]:
    """Return every condition of victory that is not met (C8.3)."""
    words = STORY[language]
    coats, ropes = c.RAINCOATS - int(state.raincoats), c.ROPES - int(state.ropes)
    found = [
        (not state.exit_laid, words["no_exit"]),
        (state.ends > 0, _open(int(state.ends), language)),
        ((state.flood != s.NO_CELL).any(), words["wet"]),
        (coats > 0, words["raincoat" if coats == 1 else "raincoats"].format(count=coats)),
        (ropes > 0, words["rope" if ropes == 1 else "ropes"].format(count=ropes)),
    ]
    return [reason for holds, reason in found if holds]


def hopeless(state: Any, language: str, most: int = c.MOST_ENDS) -> list[str]:
    """Return the public reasons why victory is impossible (O3), each with at most so many of its ends or floods.

    Without such a reason, a needed card may be aside.
    """
    words, found = STORY[language], loss_reasons(state)
    named = {
        "ends": places("end", found.get("stuck", [])[:most], language),
        "water": places("water", found.get("blocked", [])[:most], language),
    }
    return [words[reason].format(**named) for reason in found]


def loss_reasons(state: Any) -> dict[str, list[int]]:
    """Return the public reasons why victory is impossible, each with the numbers of its ends or floods (O3)."""
    stuck = [end for end in open_ends(state) if not has_room(state, end)]
    blocked = [number for number in floods(state) if not has_room(state, c.MOST_ENDS + number)]
    left = c.COPIES - state.played
    found = {
        "stuck": (stuck, stuck),
        "blocked": (blocked, blocked),
        "few_raincoats": (state.raincoats + left[c.PICTURE == c.RAINCOAT].sum() < c.RAINCOATS, []),
        "few_ropes": (state.ropes + left[c.PICTURE == c.ROPE].sum() < c.ROPES, []),
    }
    return {reason: numbers for reason, (holds, numbers) in found.items() if holds}
