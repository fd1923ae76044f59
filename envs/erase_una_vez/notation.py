"""Names of the actions of *Érase una vez*, and their parser; English takes the Spanish names of cards too.

Examples are `play Forest`, `claim Forest`, and without a card `tell Forest` or `tell dragon`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.core.picture.words import Names, key
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NO_ENDING, NO_THING, NUM_ELEMENTS, NUM_THINGS, THINGS
from sobremesa.envs.erase_una_vez.tale import accepts
from sobremesa.envs.erase_una_vez.text import words as w
from sobremesa.envs.erase_una_vez.text.fits import fit_and_lack, fit_of, lack_of, sense_words, verdict
from sobremesa.envs.erase_una_vez.text.lexicon import NOUNS
from sobremesa.envs.erase_una_vez.text.words import by_group, ending_label, ending_words, name_of

_NUMBERED = (
    ("end", s.A_END, s.MOST_ENDINGS),
    ("change", s.A_CHANGE, s.MOST_ENDINGS),
    ("hook", s.A_HOOK, s.MOST_HOOKS),
)
_ALONE = (
    ("pass", s.A_PASS), ("keep", s.A_KEEP), ("nothing", s.A_NOTHING),
    ("protest", s.A_PROTEST), ("yes", s.A_YES), ("no", s.A_NO),
)  # fmt: skip
_LISTED = (
    ("card", s.A_CARD, range(NUM_ELEMENTS)), ("tell", s.A_TELL, range(NUM_THINGS)),
    ("discard", s.A_DISCARD, range(NUM_ELEMENTS)), ("claim", s.A_CLAIM, range(NUM_ELEMENTS)),
    ("interrupt", s.A_INTERRUPT, INTERRUPTIONS.tolist()),
)  # fmt: skip
_WITH_CARD = (("card", s.A_CARD), ("discard", s.A_DISCARD), ("claim", s.A_CLAIM))

# More English names of things; elements.csv has the Spanish ones.
ENGLISH_WORDS = {
    "P04": ("elder", "grandfather"), "P07": ("father", "mother", "dad", "mum", "mom"), "P09": ("foe",),
    "P10": ("robber",), "P11": ("grandmother",), "P12": ("brother", "sister", "twin"), "P13": ("boy", "girl", "kid"),
    "P24": ("husband", "wife"), "O02": ("ship",), "O03": ("fire",), "O08": ("gold",), "O13": ("present",),
    "L02": ("castle",), "L03": ("town",), "L04": ("ocean",), "L08": ("dungeon", "jail"), "L11": ("woods",),
    "L12": ("cabin", "cottage"), "L13": ("path",), "L19": ("church",), "L20": ("house",), "A01": ("scared",),
    "A06": ("sleeping",), "A21": ("mad",), "A23": ("wicked",), "E07": ("battle",),
}  # fmt: skip


def _key(text: str, language: str) -> str:
    """Return the letters and digits of `text`, in lower case, without accents and articles."""
    words = (key(word) for word in re.split(r"[\s:]+", text.replace("(", " (")))
    return "".join(word for word in words if word not in w.MOVES[language]["ignored"])


def _forms(name: str) -> tuple[str, ...]:
    """Return the forms of a name: `Niño(a)` is also `Niño` and `Niña`, `Padre/Madre` also either of them."""
    if "/" in name:
        return (name, *name.split("/"))
    if "(a)" in name:
        return (name, name.replace("(a)", ""), name.replace("o(a)", "a"))
    return (name,)


def _own_names(thing: int, language: str) -> tuple[str, ...]:
    """Return the names of a thing; in English the Spanish one too, alone and with the English one."""
    one = THINGS[thing]
    if language == "es":
        return _forms(one.name)
    both = (f"{one.name} ({one.english})", f"{one.english} ({one.name})")
    return (one.english, *_forms(one.name), *both)


def _other_words(thing: int, language: str) -> dict[str, str]:
    """Return other words for a thing by key: from its table in Spanish, from the tale in English."""
    one = THINGS[thing]
    words = one.words if language == "es" else (NOUNS[thing].noun["en"], *ENGLISH_WORDS.get(one.id, ()))
    return {_key(word, language): word for word in words}


@cache
def _thing_words(language: str) -> tuple[tuple[str, ...], ...]:
    """Return all words for each thing: its names, and other words that mean no other thing."""
    names = [_own_names(thing, language) for thing in range(NUM_THINGS)]
    named = {_key(name, language) for own in names for name in own}
    others = [_other_words(thing, language) for thing in range(NUM_THINGS)]
    count = Counter(word for words in others for word in words)
    kept = [[word for typed, word in words.items() if count[typed] == 1 and typed not in named] for words in others]
    return tuple((*own, *words) for own, words in zip(names, kept, strict=True))


def said(language: str) -> Iterator[tuple[str, int]]:
    """Yield every accepted text in `language` with its action, the name of an action first.

    A bare card is played, and of what is on no card it is told.
    """
    words = _thing_words(language)
    for kind, first in _WITH_CARD:
        for card in range(NUM_ELEMENTS):
            yield from ((f"{verb} {word}", first + card) for verb in w.MOVES[language][kind] for word in words[card])
    for thing in range(NUM_THINGS):
        yield from ((f"{verb} {word}", s.A_TELL + thing) for verb in w.MOVES[language]["tell"] for word in words[thing])
        yield from ((word, s.A_CARD + thing if thing < NUM_ELEMENTS else s.A_TELL + thing) for word in words[thing])
    for number, card in enumerate(INTERRUPTIONS.tolist()):
        breaking = w.MOVES[language]["interrupt"]
        yield from ((f"{verb} {word}", s.A_INTERRUPT + number) for verb in breaking for word in words[card])
    for kind, first, count in _NUMBERED:
        for number in range(count):
            yield from ((f"{head} {number + 1}", first + number) for head in w.MOVES[language][kind])
    for kind, action in _ALONE:
        yield from ((head, action) for head in w.MOVES[language][kind])


NAMES = Names(s.NUM_ACTIONS, said, w.MOVES, ("1", "no_number"), _key)
action_name, parse_action = NAMES.name, NAMES.parse  # `play Forest`, `tell dragon`, `claim Child`, `pass`


@cache
def spellings(language: str) -> dict[str, list[int]]:
    """Return other spellings of the names of actions, and the names of things, with the actions about each."""
    found: dict[str, list[int]] = defaultdict(list)
    heads = {w.MOVES[language][kind][0] for kind, _, _ in _LISTED}  # Spanish "carta" is a letter too
    for kind, first, things in _LISTED:
        verbs = (w.MOVES[language][kind][0], f"{w.MOVES[language][kind][0]} {w.WORDS[language]['with']}")
        for place, thing in enumerate(things):
            for name in _own_names(thing, language):
                for form in (name, *(f"{verb} {name}" for verb in verbs)):
                    if form not in heads:
                        found[form].append(first + place)
    for name, *phrases in w.MOVES[language]["asked"]:
        for phrase in phrases:
            found[phrase].append(NAMES.all(language).index(name))
    return found


def names_now(table: np.ndarray, language: str) -> dict[str, list[int]]:
    """Return the names that the text of the `(1,)` state `table` has for its seat to act, with their actions.

    They are its endings, the claims that the question offers, and the places of the tale that it may continue from.
    """
    state, words, found = table[0], w.WORDS[language], defaultdict[str, list[int]](list)
    for slot, ending in enumerate(state.ending[state.seat].tolist()):
        if ending != NO_ENDING:
            sentence = ending_words(ending, language)
            whole = words["ending"].format(slot + 1, sentence)
            for name in (
                sentence,
                ending_label(ending, language),
                whole,
                whole.partition(":")[0],
                words["your_ending"],
            ):
                found[name] += [s.A_END + slot, s.A_CHANGE + slot]
    if state.stage == s.REACT:
        for card in np.flatnonzero(state.where == state.seat).tolist():
            name = f"{name_of(card, language)} ({verdict(state, card, language)})"
            for form in (name, f"{words['claim']} {name}"):
                found[form].append(s.A_CLAIM + card)
    if state.stage == s.HOOK:
        for place, hook in enumerate(state.context.tolist()):
            if hook != NO_THING:
                for name in (name_of(hook, language), f"{place + 1} {name_of(hook, language)}"):
                    found[name].append(s.A_HOOK + place)
    return found


@cache
def _stored_names() -> tuple[str, ...]:
    names = list(NAMES.all("en"))
    for kind, first, things in _LISTED:
        for place, thing in enumerate(things):
            name = THINGS[thing].name if thing < NUM_ELEMENTS else THINGS[thing].english
            names[first + place] = f"{w.MOVES['en'][kind][0]} {name}"
    return tuple(names)


def stored_name(action: int) -> str:
    """Return the name of `action` in files: in English with the Spanish names of cards."""
    return _stored_names()[action]


def entry(action: int, language: str, table: np.ndarray | None = None) -> tuple[str, str]:
    """Return the heading of `action` in a list, and its name there, which is English in English.

    `("play", "Forest")`, `("tell (places)", "Forest")`, `("pass", "")`. With the `(1,)` state `table`, what is played
    or told of is grouped by how well it fits the tale, `("tell (fits very well)", "Forest")`, and a claim by what the
    judge thinks of it, `("claim (right)", "Forest")`; an ending has its words, and what the judge thinks of it; a
    protest and a vote have their reason.
    """
    name = action_name(action, language)
    if table is not None and action in (s.A_PROTEST, s.A_YES, s.A_NO):
        reason = _reason(table[0], action, language)
        return f"{name}: {reason}" if reason else name, ""
    if table is not None and s.A_END <= action < s.A_END + s.MOST_ENDINGS:
        ending = int(table[0].ending[table[0].seat, action - s.A_END])
        if ending != NO_ENDING:
            would = w.WORDS[language][f"would{int(accepts(table[0], ending))}"]
            return f"{name} ({would})", ending_label(ending, language)
    for kind, first, things in _LISTED:
        if first <= action < first + len(things):
            thing = THINGS[things[action - first]]
            group = f" ({w.GROUP_WORDS[language][thing.group].lower()})" if first == s.A_TELL else ""
            if table is not None and first in (s.A_CARD, s.A_TELL):
                fit = fit_of(table[0], action - first, int(table[0].seat), first == s.A_CARD)
                group = f" ({fit_and_lack(table[0], action - first, fit, language)})"
            elif table is not None and first == s.A_CLAIM:
                group = f" ({verdict(table[0], action - first, language)})"
            return w.MOVES[language][kind][0] + group, thing.english if language == "en" else thing.name
    return name, ""


def _reason(state: Any, action: int, language: str) -> str:
    """Return the reason of a protest, or of a vote that the judge would give, too; "" for other actions."""
    if state.case == s.ON_ENDING:
        accepted = bool(accepts(state, state.log[state.sentences - 1, s.LOG_THING]))
        return w.WORDS[language][f"would{int(accepted)}"] if accepted == (action == s.A_YES) else ""
    on_sentence = action == s.A_PROTEST or (action == s.A_YES and state.case == s.ON_PROTEST)
    return sense_words(state, language) if on_sentence else ""


def ordered(table: np.ndarray, actions: list[int]) -> list[int]:
    """Return the legal actions of the `(1,)` state `table`: endings, then what fits the tale best to play and tell."""
    state = table[0]

    def place(action: int) -> tuple[int, int, str]:
        if s.A_END <= action < s.A_END + s.MOST_ENDINGS:
            return 0, int(not accepts(state, state.ending[state.seat, action - s.A_END])), ""
        if action >= s.A_TELL + NUM_THINGS:
            return 3, 0, ""
        by_card = action < s.A_TELL
        thing = action - (s.A_CARD if by_card else s.A_TELL)
        fit = fit_of(state, thing, int(state.seat), by_card)
        return 1 if by_card else 2, fit, lack_of(state, thing, fit)

    return sorted(actions, key=place)


def pause(table: np.ndarray) -> int | None:
    """Return the action of a narrator who pauses for too long: to pass without a discard (H12)."""
    state = table[0]
    if state.stage == s.PASSING:
        return s.A_KEEP
    must_end = state.must_end and state.hand_size[state.seat] == 0
    return s.A_PASS if state.stage in (s.TELL, s.HOOK) and state.chosen == s.NOT_CHOSEN and not must_end else None


def details(table: np.ndarray, language: str) -> str:
    """Return the rules that `help_text` leaves out, with the limit of the `(1,)` state `table`."""
    text: str = w.TEXTS["details"][language]
    return text.format(sentences=int(table[0].max_sentences))


def help_text(language: str) -> str:
    """Return the rules in short, all cards and concepts, and how to type moves."""
    check_language(language)
    cards, concepts = (by_group(one, language, "-") for one in (range(NUM_ELEMENTS), range(NUM_ELEMENTS, NUM_THINGS)))
    text: str = w.TEXTS["help"][language]
    return text.format(cards="\n".join(cards), concepts="\n".join(concepts))
