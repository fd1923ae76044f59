"""Sentences in a player's own words (O16): what the table hears in them, and the tale with them.

A sentence is about the thing of its action; the others that it states are told of too. A card counts as far as the
words tell of it, and by the other meanings of the thing that the sentence is about (C5.2). What is only named in
passing is doubtful.
"""

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.core.picture.words import normalized
from sobremesa.envs.core.sayings import Preview, Saying, TaleWords
from sobremesa.envs.erase_una_vez import state as record
from sobremesa.envs.erase_una_vez.mentions import MEETING, meeting_weight
from sobremesa.envs.erase_una_vez.rules import legal, play
from sobremesa.envs.erase_una_vez.state import A_CARD, A_PASS, A_TELL, MOST_ALSO, NUM_ACTIONS, TELL
from sobremesa.envs.erase_una_vez.tables import MEANT, NO_THING, NUM_ELEMENTS, NUM_THINGS, NUMBER, WEIGHT_FACTS, WEIGHTS
from sobremesa.envs.erase_una_vez.tale import UPHELD
from sobremesa.envs.erase_una_vez.text.detector import HEARD, detect
from sobremesa.envs.erase_una_vez.text.fits import sense_words
from sobremesa.envs.erase_una_vez.text.forms import words_of
from sobremesa.envs.erase_una_vez.text.languages import language_of
from sobremesa.envs.erase_una_vez.text.phrases import VALID
from sobremesa.envs.erase_una_vez.text.roles import only_sees
from sobremesa.envs.erase_una_vez.text.words import TEXTS, name_of

LONGEST = 300  # characters of a sentence
NAMED_WEIGHT = 40  # hundredths for a card whose thing is only named in passing: doubtful (C6.6)
MEETING_WEIGHT = 50  # hundredths for a meeting where a sentence states two that live, one of them new
_LONGEST_RAW = 10 * LONGEST  # characters that are read
_NO_SEATS = {ord(sign): str(seat) for seat, sign in enumerate(SEAT_SIGNS)}
_Texts = tuple[tuple[int, str], ...]  # rows of the log with the texts by which they were told
_SAID: ContextVar[_Texts] = ContextVar("said", default=())


def text_of(row: int) -> str:
    """Return the text with which a row of the log was told; "" for a sentence of the game."""
    return dict(_SAID.get()).get(row, "")


def texts(rows: int) -> _Texts:
    """Return the texts of the first `rows` rows of the log, for the key of a cache."""
    return tuple(one for one in _SAID.get() if one[0] < rows)


class OwnWords:
    """The `Telling` of *Érase una vez*."""

    longest = LONGEST
    setup: Mapping[str, Any] = MappingProxyType({"telling": "words"})

    def language(self, text: str, usual: str = HEARD[0]) -> str:
        """Return the language in which `text` is written, `usual` where its words do not show it."""
        return language_of(text[:_LONGEST_RAW], usual)

    def takes(self, states: np.ndarray) -> bool:
        """Return whether the seat to act may tell a sentence in its own words."""
        state = states[0]
        return bool(state.telling == record.WORDS and state.stage == TELL and not state.over)

    def listen(self, states: np.ndarray, text: str, language: str) -> Saying:
        """Return what the table hears in `text`; raise ValueError for a text that it cannot take."""
        if not isinstance(text, str):
            raise TypeError(f"a sentence is a text, not {type(text).__name__}")
        text = clean(text[: _LONGEST_RAW + 1])
        if language not in HEARD:
            raise ValueError(f"language={language!r} is not understood; the table listens in {', '.join(HEARD)}")
        if not words_of(text):
            raise ValueError("the sentence has no words; write what happens in the tale")
        if len(text) > LONGEST:
            raise ValueError(f"the sentence has {len(text)} characters; at most {LONGEST} are allowed")
        mentions = [(NUMBER[one.thing], one.kind == VALID, one.certainty) for one in detect(text, language)]
        stated = sorted((one for one in mentions if one[1]), key=lambda one: -one[2])[: MOST_ALSO + 1]
        heard = {thing: NAMED_WEIGHT for thing, valid, _ in mentions if not valid}
        heard |= {thing: round(100 * certainty) for thing, _, certainty in stated}
        cards = tuple(sorted((thing, weight) for thing, weight in heard.items() if thing < NUM_ELEMENTS))
        return Saying(int(states[0].sentences), text, language, tuple(one[0] for one in stated), cards)

    def actions(self, states: np.ndarray, saying: Saying) -> list[int]:
        """Return the acts that a sentence can mean: a card that it states, a thing that it states, to tell on where it
        states none, a card that it only names."""
        mask = _legal(states)
        named = [card for card, _ in saying.heard if card not in saying.stated]
        wanted = [
            *(A_CARD + thing for thing in saying.stated if thing < NUM_ELEMENTS),
            *(A_TELL + thing for thing in saying.stated or [_latest(states[0])]),
            *(A_CARD + card for card in named),
        ]
        return [action for action in wanted if mask[action] and not self._problem(states, action, saying)]

    def cards(self, states: np.ndarray) -> list[int]:
        """Return the legal actions that lay a card down."""
        return np.flatnonzero(_legal(states)[:A_TELL]).tolist()

    def say(self, states: np.ndarray, action: int, saying: Saying) -> None:
        """Write what is heard into the state; raise ValueError for a sentence that cannot mean `action`."""
        if problem := self._problem(states, action, saying):
            raise ValueError(problem)
        state, thing = states[0], _thing_of(action)
        tells_on = _tells_on(state, action, saying)
        state.words = record.TELLING_ON if tells_on else record.STATING if thing in saying.stated else record.NAMING
        state.heard[:] = 0
        state.also[:], state.also_count = 0, 0
        for card, weight in saying.heard:
            state.heard[card] = weight
        if tells_on:
            return
        for card, weight in _implied(state, {thing, *(one for one in saying.stated if not state.told[one])}, saying):
            state.heard[card] = max(int(state.heard[card]), weight)
        also = [one for one in saying.stated if one != thing][:MOST_ALSO]
        state.also_count = len(also)
        state.also[: len(also)] = also

    def _problem(self, states: np.ndarray, action: int, saying: Saying) -> str:
        """Return why a sentence cannot mean `action`, "" if it can."""
        state = states[0]
        if not self.takes(states):
            return "sentences in own words are told on your turn, at a table with telling='words'"
        if saying.row != state.sentences:
            return f"the sentence is number {saying.row} of the tale, but number {int(state.sentences)} is next"
        if not A_CARD <= action < A_PASS:
            return "own words stand for a card or for something told of, no other action"
        if not _well_formed(saying):
            return "the sentence is none that the table has heard"
        if _tells_on(state, action, saying):
            if state.context[0] == NO_THING and state.idle >= record.MOST_IDLE:
                return f"after {record.MOST_IDLE} sentences the tale has to begin with something of the game"
            return ""
        thing = _thing_of(action)
        if thing not in saying.stated and (action >= A_TELL or thing not in dict(saying.heard)):
            return f"the table does not hear {name_of(thing, saying.language)} in the sentence"
        new = [one for one in saying.stated if not state.told[one]]
        if not state.hand_size[state.narrator] and new:
            names = ", ".join(name_of(one, saying.language) for one in new)
            return f"before the ending nothing new may be told (C9.2): {names}"
        return ""

    def name(self, action: int, saying: Saying, language: str) -> str:
        """Return the name of what a sentence means by `action`, if it is another than that of the action; else ""."""
        return TEXTS["own"][language]["tell_on"] if action >= A_TELL and not saying.stated else ""

    def preview(self, states: np.ndarray, saying: Saying, language: str) -> Preview:
        """Return what the table would hear in a sentence, and whether the others could call it nonsense."""
        words, weights = TEXTS["own"][language], dict(saying.heard)
        sure = [one for one in saying.stated if weights.get(one, 100) >= 75]
        likely = [one for one in saying.stated if weights.get(one, 100) < 75]
        named = [card for card in weights if card not in saying.stated]
        lines = [
            words[key].format(", ".join(name_of(one, language) for one in found))
            for key, found in (("sure", sure), ("likely", likely), ("named", named))
            if found
        ]
        offers = self.actions(states, saying)
        heard = lines or [words["nothing"]] * bool(offers)
        return Preview("\n".join(heard), *self._verdict(states, offers, saying, language))

    def _verdict(self, states: np.ndarray, offers: list[int], saying: Saying, language: str) -> tuple[str, bool]:
        """Return whether the likeliest meaning of a sentence is nonsense, and why (C4, O16); and whether it stands."""
        words = TEXTS["own"][language]
        if not offers:
            return words["untold" if states[0].hand_size[states[0].narrator] else "untold_closing"], False
        after = states.copy()
        after[0].auto_protest = 0
        self.say(after, offers[0], saying)
        play(after[0], offers[0])
        if after[0].sense >= UPHELD:
            return words["sense"], True
        return words["nonsense"].format(sense_words(after[0], language)), False

    def words(self, words: TaleWords, sayings: Iterable[Saying]) -> TaleWords:
        """Return the words of the game that tell the tale with `sayings`."""
        said = tuple((one.row, one.text) for one in sayings)
        return dataclasses.replace(
            words,
            describe=_with(said, words.describe),
            tell=_with(said, words.tell),
            tale=_with(said, words.tale),
            paragraphs=_with(said, words.paragraphs),
        )


def _implied(state: Any, things: Iterable[int], saying: Saying) -> Iterator[tuple[int, int]]:
    """Yield cards with weights in hundredths: other meanings of `things`, and a meeting of two that live (C5.2)."""
    for thing in things:
        for meant, weight, while_facts in zip(MEANT[thing], WEIGHTS[thing], WEIGHT_FACTS[thing], strict=True):
            if meant < NUM_ELEMENTS and weight and not int(while_facts) & ~int(state.facts):
                yield int(meant), int(weight)
    pairs = itertools.combinations(saying.stated, 2)
    if not only_sees(saying.text, saying.language) and any(
        meeting_weight(0, *pair) and not state.told[list(pair)].all() for pair in pairs
    ):
        yield MEETING, MEETING_WEIGHT


def clean(text: str) -> str:
    """Return the printable signs of a text, with single spaces and without signs of seats."""
    kept = "".join(" " if sign.isspace() else sign for sign in text if sign.isspace() or sign.isprintable())
    return " ".join(normalized("NFC", kept.translate(_NO_SEATS)).split())


def _well_formed(saying: Saying) -> bool:
    """Return whether a sentence, perhaps from a file, is one that `listen` could return."""
    text = clean(saying.text) == saying.text and 0 < len(saying.text) <= LONGEST and saying.language in HEARD
    things = all(0 <= thing < NUM_THINGS for thing in saying.stated) and len({*saying.stated}) == len(saying.stated)
    return text and things and all(0 <= card < NUM_ELEMENTS and 0 < weight <= 100 for card, weight in saying.heard)


def _legal(states: np.ndarray) -> np.ndarray:
    """Return the legal actions `(A,)` of the seat to act."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    legal(states[0], mask)
    return mask


def _latest(state: Any) -> int:
    """Return the thing that a sentence without one is told on with; before the first thing any would do."""
    return int(state.context[0]) if state.context[0] != NO_THING else 0


def _tells_on(state: Any, action: int, saying: Saying) -> bool:
    """Return whether a sentence, which states nothing, stands for telling on by `action` (O16.9)."""
    return not saying.stated and A_TELL <= action < A_PASS and _thing_of(action) in (_latest(state), *state.context)


def _thing_of(action: int) -> int:
    return action - A_TELL if action >= A_TELL else action - A_CARD


def _with(said: _Texts, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, called while the tale is told with the texts of `said`."""

    def told(*arguments: Any) -> Any:
        before = _SAID.set(said)
        try:
            return function(*arguments)
        finally:
            _SAID.reset(before)

    return told
