"""The words of a game: its texts and pictures, which every game has, and optional abilities.

An ability is a subclass of `Words` with further fields. A game with several combines them in a frozen dataclass, such
as `class EstafadoWords(PictureWords, ListWords)`. The library finds an ability by `isinstance`; the functions at the
end return what a game without it shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Box = tuple[float, float, float, float]  # left, top, width, height, in units of the picture
View = Callable[[np.ndarray, int | None, str], str]  # (state, seat or None for all, language) -> text or SVG


class Point(NamedTuple):
    """A thing in a scene that a person can click, and its actions."""

    words: str  # its name
    actions: Iterable[int]  # its actions, legal or not
    box: Box | None  # its place; None for a button below the picture
    round: float = 8.0  # radius of its corners
    drawn: str = ""  # SVG to add to the scene
    then: Iterable[int] = ()  # further actions, once another thing has been clicked
    ask: bool = False  # whether a page asks for confirmation, where a person may click the thing only to look at it


# (state, its legal actions, language) -> the things in a scene that the seat to act can click; see pointing.py
Points = Callable[[np.ndarray, Sequence[int], str], list[Point]]


class Narrow(NamedTuple):
    """A picture for narrow screens, drawn by the game: its own scene, WIDTH units wide; see narrow_screen.py."""

    scene: View
    points: Points


@dataclass(frozen=True, kw_only=True)
class Words:
    """The texts and pictures of a game: names of actions, descriptions of states and events, in each language."""

    title: Mapping[str, str]  #: by language
    action_name: Callable[[int, str], str]  #: (action, language) -> a unique name
    parse_action: Callable[[str, str], int]  #: (text, language) -> action, or ValueError
    describe: View  #: (state, seat or None for all, language) -> text
    scene: View  #: (state, seat or None for all, language) -> SVG
    #: (state before, action, state after, seat or None for all, language) -> sentences about all events that it sees
    tell: Callable[[np.ndarray, int, np.ndarray, int | None, str], list[str]]
    #: (language) -> the short rules in plain Markdown: the aim in the first paragraph, and how to type actions
    help: Callable[[str], str]
    #: (state, its seat to act, language) -> what the seat decides now, as the seat may know it
    asks: Callable[[np.ndarray, int, str], str] = lambda state, seat, language: ""
    #: (state, illegal action, language) -> why it is illegal, "" if unknown
    why: Callable[[np.ndarray, int, str], str] = lambda state, action, language: ""
    #: (state, language) -> further rules for readers of prompts, who have no rulebook: exceptions, limits, paths
    details: Callable[[np.ndarray, str], str] = lambda state, language: ""
    #: by language and option: "asks", a question to a person, and the name of each choice that is a word
    setup: Mapping[str, Mapping[str, Mapping[str, str]]] | None = None
    #: (language) -> the names that an obfuscated reading replaces: `words`, a text with all words of the names of
    #: cards, places and roles; `signs`, lists of signs with the patterns where they stand, `@` for one of them
    renamed: Callable[[str], Mapping[str, Any]] = lambda language: {}
    #: whether `describe` and all pictures take -1 too, a viewer of public information; never with hidden turns
    public: bool = False


@dataclass(frozen=True, kw_only=True)
class PictureWords(Words):
    """Words with pictures for pages: people click things, pieces move, and phones get their own picture."""

    points: Points  #: in `scene`
    #: as `scene`, with names for pieces that a page can animate from scene to scene (see pieces.py); None: `scene`
    followed: View | None = None
    narrow: Narrow | None = None  #: the picture for narrow screens; None: the other picture and its points


@dataclass(frozen=True, kw_only=True)
class ListWords(Words):
    """Words with headings and their own order for lists of actions."""

    #: (action, language, state) -> its heading in a list of the state's actions, "" without one, and its name there
    entry: Callable[[int, str, np.ndarray], tuple[str, str]]
    typed_entry: bool = True  #: whether lists in the terminal use `entry` too; False: it has words for buttons
    #: (state, its legal actions) -> these actions in the order in which a list shows them; by number as they come
    ordered: Callable[[np.ndarray, list[int]], list[int]] = lambda state, legal: legal


@dataclass(frozen=True, kw_only=True)
class PlainWords(Words):
    """Words that people who see a picture read without notation."""

    plain: Callable[[str, str], str]  #: (a sentence of `tell`, language) -> the sentence without notation


@dataclass(frozen=True, kw_only=True)
class TermWords(Words):
    """Words that are explained on pages."""

    terms: Callable[[str], Mapping[str, str]]  #: (language) -> what each card, piece, mark and move is, by its name


@dataclass(frozen=True, kw_only=True)
class PromptWords(Words):
    """Words for readers of prompts, who see no picture."""

    read: View  # as `describe`, with more in words, and lines of any length


@dataclass(frozen=True, kw_only=True)
class SpellingWords(Words):
    """Words with further names that answers of language models may use."""

    # (language) -> other spellings of names of actions, and names of cards and places, with the actions about each
    spellings: Callable[[str], Mapping[str, Sequence[int]]]
    # (state, language) -> names in the texts of the state for its seat to act, such as "2 Fisher" for a card of the
    # hand, with the actions of each, legal or not, as the seat may know it
    names_now: Callable[[np.ndarray, str], Mapping[str, Sequence[int]]] = lambda state, language: {}


@dataclass(frozen=True, kw_only=True)
class StoredWords(Words):
    """Words whose English names of actions may change: files of bots and digests have other names."""

    stored_name: Callable[[int], str]  # (action) -> its name in files, which never changes


@dataclass(frozen=True, kw_only=True)
class PauseWords(Words):
    """Words of a game with a rule for players who pause for too long."""

    # (state) -> the action that a person plays who pauses for too long, None if a pause is allowed there
    pause: Callable[[np.ndarray], int | None]


def picture_of(words: Words, narrow: bool) -> View:
    """Return the function that draws the table for a page: for phones if `narrow` and the game has such pictures."""
    if not isinstance(words, PictureWords):
        return words.scene
    return words.narrow.scene if narrow and words.narrow else words.followed or words.scene


def points_of(words: Words, narrow: bool) -> Points:
    """Return the function that finds the things to click in the picture of `picture_of`."""
    if not isinstance(words, PictureWords):
        return lambda state, legal, language: []
    return words.narrow.points if narrow and words.narrow else words.points


def in_order(words: Words, state: np.ndarray, legal: list[int]) -> list[int]:
    """Return the `legal` actions of the `(1,)` state in the order in which a list shows them."""
    return words.ordered(state, legal) if isinstance(words, ListWords) else legal


def entry_of(words: Words, action: int, language: str, state: np.ndarray) -> tuple[str, str]:
    """Return the heading of `action` in a list of the actions of the `(1,)` state, and its name there."""
    if not isinstance(words, ListWords):
        return "", words.action_name(action, language)
    return words.entry(action, language, state)


def typed_entries(words: Words) -> bool:
    """Return whether lists in the terminal use `entry_of`."""
    return isinstance(words, ListWords) and words.typed_entry


def shown_name(words: Words, action: int, language: str, state: np.ndarray) -> str:
    """Return the name of `action` for people who see a picture of the `(1,)` state: cards and places in words."""
    head, tail = entry_of(words, action, language, state)
    if not head or not tail:
        return head or tail
    if not typed_entries(words):
        return f"{head}: {tail}"
    return f"{head.partition(' (')[0]} {tail}"


def plainly(words: Words, sentence: str, language: str) -> str:
    """Return a sentence of `tell` for people who see a picture."""
    return words.plain(sentence, language) if isinstance(words, PlainWords) else sentence
