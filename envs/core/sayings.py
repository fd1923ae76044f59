"""Sentences in a player's own words, in games of tales."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from sobremesa.envs.core.wording import Words

FENCE = "⟦", "⟧"  # marks around a sentence that a model reads, which does not contain them
_WITHIN = str.maketrans(dict(zip(FENCE, "[]", strict=True)))


class Saying(NamedTuple):
    """A sentence in a player's own words, and the mentions found in it.

    The state has the mentions; the text is kept next to it, in replays and logs.
    """

    row: int  #: number of the sentence in the tale
    text: str
    language: str
    stated: tuple[int, ...]  #: things that the sentence is about, the clearest first
    heard: tuple[tuple[int, int], ...]  #: (card, how clearly it is mentioned, in hundredths), by card

    def fenced(self) -> "Saying":
        """Return the sentence with its text between the marks of FENCE."""
        return Saying(self.row, f"{FENCE[0]}{self.text.translate(_WITHIN)}{FENCE[1]}", *self[2:])


class Preview(NamedTuple):
    """The effect of a sentence before it is told, for its author."""

    heard: str  # the mentions in it, a line for each kind; "" without any
    verdict: str  # whether it can be told and others could call it nonsense, and why
    stands: bool  # whether it can be told and no player could call it nonsense

    @property
    def text(self) -> str:
        """Both as one text."""
        return "\n".join(filter(None, (self.heard, self.verdict)))


class Paragraph(NamedTuple):
    """A turn of a teller in a tale."""

    seat: int
    text: str
    things: tuple[int, ...]  # that it tells of, in order


class Telling(Protocol):
    """Reads sentences in players' own words for a game."""

    longest: int  # characters of a sentence
    setup: Mapping[str, Any]  # options of a table where players may use their own words

    def language(self, text: str, usual: str = ...) -> str:
        """Return the language in which `text` is written; `usual` where its words do not show it."""
        ...

    def listen(self, states: np.ndarray, text: str, language: str) -> Saying:
        """Return the sentence of `text` in the `(1,)` state `states`.

        Raises ValueError for a text that is empty, too long or in a language without a detector.
        """
        ...

    def takes(self, states: np.ndarray) -> bool:
        """Return whether the seat to act of the `(1,)` state may use its own words now."""
        ...

    def actions(self, states: np.ndarray, saying: Saying) -> list[int]:
        """Return the legal actions that a sentence can mean, the likeliest first; an empty list for none."""
        ...

    def cards(self, states: np.ndarray) -> list[int]:
        """Return the legal actions that lay a card down, in the `(1,)` state `states`."""
        ...

    def say(self, states: np.ndarray, action: int, saying: Saying) -> None:
        """Write the mentions into the `(1,)` state, before `action` is played.

        Raises ValueError, without a change, for a sentence that cannot mean `action`.
        """
        ...

    def name(self, action: int, saying: Saying, language: str) -> str:
        """Return the name of what a sentence means by `action`; "" if it is the name of the action."""
        ...

    def preview(self, states: np.ndarray, saying: Saying, language: str) -> Preview:
        """Return the mentions in a sentence, and whether others could call it nonsense."""
        ...

    def words(self, words: "TaleWords", sayings: Iterable[Saying]) -> "TaleWords":
        """Return `words` with the texts of `sayings` in the tale."""
        ...


@dataclass(frozen=True, kw_only=True)
class TaleWords(Words):
    """Words of a game in which players tell a tale, in sentences of the game or in their own."""

    tale: Callable[[np.ndarray, str], str]  # (state, language) -> the tale so far
    paragraphs: Callable[[np.ndarray, str], list[Paragraph]]  # (state, language) -> turns
    vignette: Callable[[int, str], str]  # (thing, language) -> an SVG picture
    telling: Telling


@runtime_checkable
class TellingAgent(Protocol):
    """An agent that may use its own words."""

    def said(self) -> Saying | None:
        """Return the words for the action that `act` has just returned; None for those of the game."""
        ...


def telling_of(game: Any) -> Telling | None:
    """Return the reader of sentences in players' own words; None for a game without such sentences."""
    return game.words.telling if isinstance(game.words, TaleWords) else None


def own_words_setup(game: Any) -> dict[str, Any]:
    """Return the options with which people may tell in their own words; {} for a game without such sentences."""
    telling = telling_of(game)
    return dict(telling.setup) if telling is not None else {}


def telling_now(game: Any, states: np.ndarray) -> Telling | None:
    """Return the reader of sentences if the seat to act of the `(1,)` state may use its own words now, else None."""
    telling = telling_of(game)
    return telling if telling is not None and telling.takes(states) else None


def meanings(game: Any, states: np.ndarray, saying: Saying, language: str) -> list[tuple[int, str]]:
    """Return the actions that a sentence can mean in the `(1,)` state, the likeliest first, and their names."""
    telling = game.words.telling
    names = game.words.action_name
    return [
        (action, telling.name(action, saying, language) or names(action, language))
        for action in telling.actions(states, saying)
    ]


def words_of(game: Any, sayings: Sequence[Saying], fenced: bool = False) -> Any:
    """Return the words of `game` with the texts of `sayings` in the tale.

    `fenced` puts each text between the marks of FENCE, for a model: it sees where another player's words end.
    """
    if fenced:
        sayings = [one.fenced() for one in sayings]
    telling = telling_of(game)
    return telling.words(game.words, sayings) if telling is not None and sayings else game.words


def say(game: Any, states: np.ndarray, action: int, saying: Saying) -> None:
    """Write the mentions of `saying` into the `(1,)` state, before `action` is played.

    Raises ValueError for a sentence that cannot mean `action`, and in a game without such sentences.
    """
    telling = telling_of(game)
    if telling is None:
        raise ValueError(f"{game.name} takes no sentences in own words")
    telling.say(states, action, saying)


def sayings_of(plies: Iterable[Any]) -> list[Saying]:
    """Return the sentences in players' own words of `plies`, in order."""
    return [ply.saying for ply in plies if ply.saying is not None]
