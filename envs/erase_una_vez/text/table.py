"""The table of *Érase una vez* as text for people and language models, for one seat or open."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.words import listed, wrapped
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.react import legal_reactions
from sobremesa.envs.erase_una_vez.tale import accepts, meets, weight_of
from sobremesa.envs.erase_una_vez.text.fits import by_fit, sense_words, verdict
from sobremesa.envs.erase_una_vez.text.paragraphs import ALL, tale_lines
from sobremesa.envs.erase_una_vez.text.story import won
from sobremesa.envs.erase_una_vez.text.words import (
    OPTION_WORDS,
    WORDS,
    asked,
    by_group,
    ending_words,
    marked,
    name_of,
)

_SENTENCES = 25  # of the tale that are told again, the last ones, until it is over and all is open
LONGEST_QUESTION = 80  # characters: three lines on a phone
_FORESEEN = 5  # so many cards of the deck are named in order when all is open


def describe(table: np.ndarray, seat: int | None, language: str) -> str:
    """Return the `(1,)` state `table` as text, as `seat` sees it or open for None (C11).

    The text hides the decisions of others: during reactions it is the same for all seats that are not asked, and the
    same as when the narrator is about to continue (C5.5).
    """
    state = table[0]
    if seat is not None and not 0 <= seat < state.seats:
        raise ValueError(f"seat={seat!r} is not at the table; it takes 0 to {int(state.seats) - 1}, or None")
    paragraphs = (
        _headline(state, seat, language),
        tale_lines(state, language, ALL if seat is None and state.over else _SENTENCES),
        _told(state, language),
        _own_cards(state, seat, language) if seat is not None else _open_cards(state, language),
        _piles(state, seat, language),
    )
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def asks(states: np.ndarray, _: int, language: str) -> str:
    """Return what the seat to act decides now, in at most `LONGEST_QUESTION` characters if the names allow it."""
    state, words = states[0], WORDS[language]
    if state.stage == s.REACT:
        said = _reactions(state, language)
        return said if len(said) <= LONGEST_QUESTION else words["speak"]
    if state.stage == s.HOOK:
        return words["hang"].format(_ways_out(state, language))
    if state.stage == s.VOTE and state.case == s.ON_CLAIM:
        card = int(state.choice[state.claimant]) - s.A_CLAIM
        return words["vote2"].format(name_of(card, language), int(weight_of(state, card)))
    return words[f"vote{int(state.case)}"] if state.stage == s.VOTE else _question(state, language)


def _who(seat: int, reader: int | None, language: str) -> str:
    return SEAT_SIGNS[seat] + (WORDS[language]["you"] if seat == reader else "")


def _all_of(seats: Iterable[int], reader: int | None, language: str) -> str:
    return ", ".join(_who(seat, reader, language) for seat in seats)


def _headline(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the progress, the reader's decision and the options of the table; or the winners."""
    words = WORDS[language]
    if state.over:
        return wrapped([words["over"].format(int(state.sentences)), *won(state, language)])
    narrator = _who(int(state.narrator), seat, language)
    lines = [words["head"].format(int(state.sentences), int(state.max_sentences), narrator)]
    lines += _last(state, seat, language)
    if state.stage == s.PASSING:
        lines.append(words["passing"].format(narrator))
    elif state.case != s.NO_CASE:
        lines += _case(state, seat, language)
    else:
        lines.append(_turn(state, seat, language))
    if seat in (None, int(state.seat)):
        question = _question(state, language)
        theirs = words["theirs"].format(SEAT_SIGNS[state.seat], question)
        lines.append(theirs if seat is None else words["yours"].format(question))
    options = (OPTION_WORDS[language].get(f"{name}{_option(state, name)}", "") for name in _OPTIONS)
    lines.append(words["table"].format("; ".join(option for option in options if option)))
    if state.judge == s.MIXED and state.fines.any():
        fined = [f"{_who(one, seat, language)} {int(state.fines[one])}" for one in np.flatnonzero(state.fines).tolist()]
        lines.append(words["fines"].format(", ".join(fined)))
    return wrapped(lines)


def _option(state: Any, name: str) -> int:
    """Return the number of an option, the judge's for a table of two, which never votes (C8.4)."""
    return s.RULES if name == "judge" and state.seats == 2 else int(state[name])


_OPTIONS = tuple(dict.fromkeys(name.rstrip("0123456789") for name in OPTION_WORDS["en"]))


def _last(state: Any, reader: int | None, language: str) -> list[str]:
    """Return the last sentence, its sense, and the player who took over on it."""
    words, focus = WORDS[language], int(state.focus)
    if focus == t.NO_THING:
        return []
    row = state.log[state.sentences - 1]
    if state.kind == s.BREAK_IN:
        return [words["broke_in"].format(_who(int(state.narrator), reader, language), name_of(focus, language))]
    hook = words["hangs"].format(name_of(int(state.hooked), language)) if state.hooked != t.NO_THING else ""
    line = words["last"].format(
        _who(int(row[s.LOG_SEAT]), reader, language), name_of(focus, language),
        words["with_card" if state.kind == s.CARD else "without"], hook, sense_words(state, language),
    )  # fmt: skip
    if row[s.LOG_FATE] in (s.CLAIMED, s.INTERRUPTED, s.TOLD_TOO):
        taker, card = _who(int(row[s.LOG_TAKER]), reader, language), name_of(int(row[s.LOG_CARD]), language)
        line += words["taken"].format(taker, card)
    return [line]


def _turn(state: Any, reader: int | None, language: str) -> str:
    """Return the sentences since the last card and since the last new thing, and the protesters."""
    words = WORDS[language]
    closing = state.hand_size[state.narrator] == 0
    protested = _all_of(np.flatnonzero(state.protested).tolist(), reader, language)
    return words["turn"].format(
        int(state.idle), int(state.stale), words["closing"].format(int(state.links), s.MOST_LINKS) if closing else "",
        words["protested"].format(protested) if protested else "",
    )  # fmt: skip


def _case(state: Any, reader: int | None, language: str) -> list[str]:
    """Return the case that is put to the vote, and the voters."""
    words, seats = WORDS[language], range(int(state.seats))
    line = words[f"case{int(state.case)}"]
    if state.case == s.ON_PROTEST:
        protesting = [seat for seat in seats if not state.voters[seat] and seat != state.narrator]
        line = line.format(_all_of(protesting, reader, language))
    elif state.case == s.ON_CLAIM:
        card = int(state.choice[state.claimant]) - s.A_CLAIM
        claimant = _who(int(state.claimant), reader, language)
        line = line.format(claimant, name_of(card, language), int(weight_of(state, card)))
    elif state.case == s.ON_ENDING:
        ending = int(state.log[state.sentences - 1, s.LOG_THING])
        line = line.format(_who(int(state.narrator), reader, language), ending_words(ending, language))
    return [line, words["voters"].format(_all_of(np.flatnonzero(state.voters).tolist(), reader, language))]


def _question(state: Any, language: str) -> str:
    """Return the decision of the seat to act in words."""
    words = WORDS[language]
    if state.stage == s.PASSING:
        return words["passing_choice"].format(words["or_change"] if state.change_ending else "")
    if state.stage == s.REACT:
        return words["react"].format(_reactions(state, language))
    if state.stage == s.TELL:
        return _telling(state, language)
    if state.stage == s.HOOK:
        context = dict.fromkeys(int(hook) for hook in state.context if hook != t.NO_THING)
        places = [f"{state.context.tolist().index(hook) + 1} {name_of(hook, language)}" for hook in context]
        return words["hook"].format(", ".join(places), _ways_out(state, language))
    return words["vote"]


def _telling(state: Any, language: str) -> str:
    """Return the options of the narrator (C3, C9)."""
    words = WORDS[language]
    if state.chosen != s.MOST_HOOKS:
        return words["tell_hooked"].format(name_of(int(state.context[state.chosen]), language))
    if not state.hand_size[state.seat]:
        passing, left = "" if state.must_end else words["or_pass"], s.MOST_LINKS - int(state.links)
        return words["tell_last"].format(left, passing) if left > 0 else words["tell_end"].format(passing)
    wait = int(state.between_cards) - int(state.idle) if state.played else 0
    return words["tell_between"].format(wait) if wait > 0 else words["tell"]


def _ways_out(state: Any, language: str) -> str:
    """Return whether one may pass instead, or end the tale."""
    words = WORDS[language]
    if state.hand_size[state.seat]:
        return words["or_pass"]
    return words["or_end"].format("" if state.must_end else words["or_pass"])


def _reactions(state: Any, language: str) -> str:
    """Return the possible reactions of the seat to act in words, claims with their weights."""
    words, found = WORDS[language], []
    mask = np.zeros(s.NUM_ACTIONS, np.int8)
    legal_reactions(state, mask)
    for action in np.flatnonzero(mask).tolist():
        if action == s.A_NOTHING or action >= s.A_INTERRUPT:
            continue
        card = action - s.A_CLAIM
        found.append(f"{words['claim']} {name_of(card, language)} ({verdict(state, card, language)})")
    breaking = t.INTERRUPTIONS[mask[s.A_INTERRUPT : s.A_PROTEST] > 0].tolist()
    if breaking:
        found.append(words["interrupt"].format(words["or"].join(name_of(card, language) for card in breaking)))
    if mask[s.A_PROTEST]:
        found.append(words["protest"])
    return words["or_nothing"].format("; ".join(found))


def _told(state: Any, language: str) -> list[str]:
    """List the context, the facts, and all things told, by the place of their card."""
    words = WORDS[language]
    context = [f"{place + 1} {name_of(int(hook), language)}" for place, hook in enumerate(state.context)
               if hook != t.NO_THING]  # fmt: skip
    facts = [t.FACT_WORDS[language][fact] for fact in range(len(t.FACTS)) if int(state.facts) >> fact & 1]
    told = np.flatnonzero(state.told).tolist()
    laid = (state.where == s.TABLE).tolist()
    lists = {
        "told2": [thing for thing in told if state.told[thing] == 2],
        "told1": [thing for thing in told if thing < t.NUM_ELEMENTS and state.told[thing] == 1 and not laid[thing]],
        "told0": [thing for thing in told if thing >= t.NUM_ELEMENTS],
        "unsaid": [card for card in range(t.NUM_ELEMENTS) if laid[card] and state.told[card] != 2],
    }
    lines = listed(words["context"], context) + listed(words["facts"], facts)
    for key, found in lists.items():
        lines += listed(words[key], [name_of(thing, language) for thing in found])
    return lines


def _own_cards(state: Any, seat: int, language: str) -> list[str]:
    """List the hand and the endings of `seat`, and its knowledge of other hands."""
    words = WORDS[language]
    cards = np.flatnonzero(state.where == seat).tolist()
    lines = _hand(cards, words["hand"], by_fit(state, cards, seat, language), language)
    lines += listed(words["known_own"], _names(np.flatnonzero(_known(state, seat)), language))
    for slot, ending in enumerate(state.ending[seat].tolist()):
        if ending != t.NO_ENDING:
            lines += _ending(state, ending, words["ending"].format(slot + 1, ending_words(ending, language)), language)
    for other in range(int(state.seats)):
        if other == seat:
            continue
        known = np.flatnonzero(_known(state, other))
        lines += listed(words["known"].format(SEAT_SIGNS[other]), _names(known, language))
        for ending in state.ending[other].tolist():
            if ending != t.NO_ENDING and int(state.ending_known[ending]) >> seat & 1:
                text = words["known_ending"].format(SEAT_SIGNS[other], ending_words(ending, language))
                lines += wrapped([text])
    return lines


def _known(state: Any, seat: int) -> Any:
    """Return the cards that are publicly known to be in the hand of `seat` (H4)."""
    return (state.where == seat) & (state.shown == 1)


def _names(cards: Iterable[int], language: str) -> list[str]:
    return [marked(int(card), language) for card in cards]


def _hand(cards: list[int], head: str, lines: list[str], language: str) -> list[str]:
    """Return the `lines` of a hand under a heading."""
    words = WORDS[language]
    if not cards:
        return [f"{head}: {words['empty']}"]
    mark = f" {words['mark']}" if "*" in "".join(_names(cards, language)) else ""
    return [f"{head}{mark}:", *lines]


def _ending(state: Any, ending: int, head: str, language: str) -> list[str]:
    """Return the requirements of an ending, with marks for those met, and the judge's verdict (C9.3)."""
    words, lines = WORDS[language], wrapped([head])
    for number, clause in enumerate(t.ENDINGS[ending].clauses):
        met = bool(meets(state, ending, number))
        late = not met and any(_holds(state, one) for one in clause)
        text = words["or"].join(asked(one, language) for one in clause) + (words["too_old"] if late else "")
        lines += wrapped([f"{'✓' if met else '✗'} {text}"], "  ", "    ")
    blockers = [one for one in t.ENDINGS[ending].blockers if _holds(state, one)]
    if blockers:
        text = ", ".join(asked(one, language) for one in blockers)
        lines += wrapped([f"✗ {words['blocks'].format(text)}"], "  ", "    ")
    unless = [asked(one, language) for one in t.ENDINGS[ending].blockers if one not in blockers]
    if unless:
        lines += wrapped([f"✓ {words['unless'].format(', '.join(unless))}"], "  ", "    ")
    return [*lines, f"  {words['would1' if accepts(state, ending) else 'would0']}"]


def _holds(state: Any, one: str) -> bool:
    """Return whether a fact is true, or a thing has been told of."""
    if one in t.NUMBER:
        return bool(state.told[t.NUMBER[one]])
    return bool(int(state.facts) >> t.FACTS.index(one) & 1)


def _open_cards(state: Any, language: str) -> list[str]:
    """List all hands and endings."""
    words, lines = WORDS[language], []
    for seat in range(int(state.seats)):
        cards = np.flatnonzero(state.where == seat).tolist()
        lines += _hand(cards, words["hand_of"].format(SEAT_SIGNS[seat]), by_group(cards, language), language)
        for slot in range(s.MOST_ENDINGS):
            ending = int(state.ending[seat, slot])
            if ending != t.NO_ENDING:
                text = ending_words(ending, language)
                head = words["ending_of"].format(slot + 1, SEAT_SIGNS[seat], text)
                lines += _ending(state, ending, head, language)
    return lines


def _piles(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the numbers of cards in each place, and those that the reader knows."""
    words = WORDS[language]
    seats = range(int(state.seats))
    hands = ", ".join(f"{_who(other, seat, language)} {int(state.hand_size[other])}" for other in seats)
    away = [np.flatnonzero(state.where == place).tolist() for place in (s.OPEN, s.BURIED)]
    sizes = int(state.deck_size), int(state.endings_size), len(away[0]), len(away[1])
    lines = wrapped([words["hands"].format(hands), words["piles"].format(*sizes)])
    lines += listed(words["open"], _names(away[0], language))
    for owner in seats if seat is None else (seat,):
        head = words["buried_by"].format(SEAT_SIGNS[owner]) if seat is None else words["buried"]
        own = [card for card in away[1] if state.buried_by[card] == owner]
        lines += listed(head, _names(own, language))
    if seat is None:
        return lines + listed(words["next"], _names(state.deck[: state.deck_size][::-1][:_FORESEEN], language))
    for place, ending in enumerate(state.endings[: state.endings_size].tolist()):
        if int(state.ending_known[ending]) >> seat & 1:
            lines += wrapped([words["known_pile"].format(place + 1, ending_words(ending, language))])
    return lines
