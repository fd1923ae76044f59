"""Game: what a room hands over, and all that generic code knows of it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.layout import Layout
from sobremesa.envs.core.symmetry import Symmetry

LANGUAGES = ("en", "es")
Box = tuple[float, float, float, float]  # left, top, across, down, in units of a picture
ENDED = {0: "in version 0 chance could be foretold"}  # versions of all games that are no more, and why
HIDDEN = ("pieces", "turns")  # what may be hidden from seats
PUBLIC = -1  # beside the seats, a viewer: one that knows what every seat knows, and nothing else
SEAT_SIGNS = "⓪①②③④⑤"  # seats in texts and pictures


def check_language(language: str) -> str:
    """Return `language` if it is one of ours; raise ValueError naming those there are."""
    if language not in LANGUAGES:
        raise ValueError(f"language={language!r} is not known; it takes {' or '.join(map(repr, LANGUAGES))}")
    return language


@dataclass(frozen=True)
class Option:
    """A setup field of the record: its default and what it may be.

    `choices` is a `range` (the field holds the number itself) or a tuple of names or flags (it holds the index). Of a
    tuple the last `later` ones came after the version of the game: its `rules_hash` is taken without them.
    """

    name: str
    default: int | str | bool
    choices: range | tuple[str | bool, ...]
    doc: str
    later: int = 0

    def encode(self, value: Any) -> int:
        """Return the number that the record holds for `value`; raise ValueError naming what is allowed."""
        if isinstance(self.choices, range):
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
            if whole and int(value) in self.choices:
                return int(value)
        else:
            for index, choice in enumerate(self.choices):
                if type(value) is type(choice) and value == choice:
                    return index
        raise ValueError(f"{self.name}={value!r} is not allowed; it takes {self.allowed()}")

    def decode(self, number: int) -> int | str | bool:
        """Return the value that the record's `number` stands for; raise ValueError if it stands for none."""
        number = int(number)
        if isinstance(self.choices, range):
            if number in self.choices:
                return number
        elif 0 <= number < len(self.choices):
            return self.choices[number]
        raise ValueError(f"{self.name} holds {number}, which stands for nothing that it takes: {self.allowed()}")

    def parse(self, text: str) -> int | str | bool:
        """Return the value that `text` (from a command line) stands for; raise ValueError if it stands for none."""
        for choice in self.choices:
            if str(choice).lower() == text.lower():
                return choice
        raise ValueError(f"{self.name}={text!r} is not allowed; it takes {self.allowed()}")

    def allowed(self) -> str:
        """Say what the option takes, for people."""
        if isinstance(self.choices, range):
            return f"a whole number from {self.choices[0]} to {self.choices[-1]}"
        return " or ".join(repr(choice) for choice in self.choices)


def _no_figures(_: np.ndarray) -> dict[str, np.ndarray]:
    return {}


class Point(NamedTuple):
    """A thing in a scene that can be pointed at, and what that may be about."""

    words: str  # what it is
    actions: Iterable[int]  # all that is about it, legal or not
    box: Box | None  # where it is; None for a button of its own below the picture
    round: float = 8.0  # radius of its corners
    drawn: str = ""  # SVG of what the scene itself does not show
    then: Iterable[int] = ()  # what is about it too, but not before something else has been pointed at


@dataclass(frozen=True)
class Words:
    """What a game has for people: its name, and actions, tables and events in words and pictures, in each language."""

    title: Mapping[str, str]  # by language
    action_name: Callable[[int, str], str]  # (action, language) -> a unique name
    parse_action: Callable[[str, str], int]  # (text, language) -> action; ValueError when there is none
    describe: Callable[[np.ndarray, int | None, str], str]  # (state, seat or None for all, language) -> text
    scene: Callable[[np.ndarray, int | None, str], str]  # (state, seat or None for all, language) -> SVG
    # (state before, action, state after, seat or None for all, language) -> what that seat sees happen, also what
    # follows without a choice: sentences, none where it sees nothing
    tell: Callable[[np.ndarray, int, np.ndarray, int | None, str], list[str]]
    # (language) -> the rules in short, the aim in their first paragraph, and how to type moves
    help: Callable[[str], str]
    # (state, its legal actions, language) -> what the seat to act can point at in its scene; see pointing.py
    points: Callable[[np.ndarray, Sequence[int], str], list[Point]] | None = None
    # as `scene`, with names for the pieces that a page may follow from scene to scene; see pieces.py
    followed: Callable[[np.ndarray, int | None, str], str] | None = None
    # (state, seat or None for all) -> what a narrow screen shows of the scene, row by row; see narrow_screen.py
    rows: Callable[[np.ndarray, int | None], list[list[Box]]] | None = None
    # (state, action that is not legal there, language) -> why the seat to act may not play it, "" for no reason known
    why: Callable[[np.ndarray, int, str], str] | None = None
    # (action, language) -> the heading that it is listed under among many others, and what it is called there
    entry: Callable[[int, str], tuple[str, str]] | None = None
    tale: Callable[[np.ndarray, str], str] | None = None  # (state, language) -> all that was told, where a game tells
    # whether `describe`, `scene`, `followed` and `rows` take PUBLIC too; never where turns are hidden
    public: bool = False


@dataclass(frozen=True, eq=False)
class Game:
    """One game: a record, a handful of verbs over it, and the words and pictures for people.

    The verbs are kernels (see kernel.py) and trust their arguments:

    - `reset(state, seed)`: deal; the setup fields are already in the record, every other field is zero.
    - `legal(state, mask)`: write into `mask` `(A,)` int8, given as zeros, what `state.seat` may do; nothing once over.
    - `play(state, action)`: play a legal action in place, chance included; the end sets `over`.
    - `go_on(state, mask)`, where a game has such: do one thing that follows without a choice, turn `seat` to whoever
      is asked next, and say whether anything was done; `mask` is there to be written on.
    - `payoff(state, out)`: write what each seat won into `out` `(max_seats,)` float32; zero while the deal runs, and
      for seats that are not at the table.
    - `observe(state, seat, out)`: write what `seat` sees and has seen into `out` `(W,)` uint8, all of it, as the bytes
      that stand for an observation in `layout`.
    - `redeal(state, seat, seed)`: replace all that `seat` cannot know, the random stream included, by a fair guess;
      the count of plies and the news are wiped for it (table.py), as both tell of questions put to others.
    - `reshuffle(state, seed)`, where a deal settles chance beforehand (the order of a deck): replace all that no seat
      knows yet, the random stream included, by a fair guess. Hands and whatever any seat has seen stay, so that every
      seat's observation and mask, and the worlds that `redeal` makes for it, are the same to the byte. A game without
      it draws all coming chance from the stream when it is due: a new stream is all (table.reshuffled).

    From these steps.py composes `step`: it counts the ply, and seats are asked only where they have two actions or
    more; forced actions are played in passing.

    `state` is one record of dtype `state` (`record.record`), which has a field for each option; at the border it is
    passed as the array that holds it. A seat that is eliminated is not asked any more and is paid with all others at
    the end. `redeal` is called for seats that are not to act too, and leaves alone who is asked what; but where turns
    are hidden, a world of such a seat does not name who is asked.
    """

    name: str
    version: int
    state: np.dtype
    reset: Any
    legal: Any
    play: Any
    payoff: Any
    observe: Any
    redeal: Any
    num_actions: int  # A
    layout: Layout
    options: tuple[Option, ...]  # the setup fields; the first is `seats`
    max_plies: int  # no deal is longer
    words: Words
    # every reason why a state cannot be, none if it can, but for the rule of all games: see `state_problems`
    problems: Callable[[np.ndarray], list[str]]
    go_on: Any = None
    reshuffle: Any = None  # None: nothing but the random stream is hidden from all seats
    all_there: Any = None  # kernel (state) -> whether each piece of the game lies in one place
    # (N,) states in which deals ended -> what else there is to say of each, (N,) numbers or names by name, NaN where
    # there is nothing to say; `first`, if given, is the seat that opened the deal
    figures: Callable[[np.ndarray], dict[str, np.ndarray]] = _no_figures
    cooperative: bool = False  # all seats are paid the same, 0 to 1; otherwise payoffs sum to zero, in [-1, 1]
    roles: Mapping[str, tuple[str, ...]] | None = None  # by language: a name for each seat, where their aims differ
    hidden: tuple[str, ...] = ("pieces",)  # what seats know differently: "pieces", and "turns" if who is asked too
    # ways to turn and mirror it, but the one that changes nothing; some hold at some setups alone
    symmetries: tuple[Symmetry, ...] = ()

    def __post_init__(self) -> None:
        names = [option.name for option in self.options]
        if names[:1] != ["seats"] or not set(names) <= set(self.state.names or ()):
            raise ValueError(f"{self.name}: options {names} must begin with 'seats' and all be fields of the record")
        if not set(self.hidden) <= set(HIDDEN):
            raise ValueError(f"{self.name}: hidden={self.hidden!r} is not allowed; it takes some of {HIDDEN}")
        if self.words.public and "turns" in self.hidden:
            raise ValueError(f"{self.name}: words.public does not go with hidden turns: each new picture tells of one")
        for language, roles in (self.roles or {}).items():
            if len(set(roles)) != self.max_seats or self.seat_range[0] != self.max_seats:
                raise ValueError(f"{self.name}: {language} roles {roles} are not one name for each seat of every table")
        for block in self.layout:
            places = math.prod(block.shape[1:] if len(block.shape) == 3 else block.shape[:1])
            ends = [first + places * count for first, count in block.about]
            if any(first < 0 or count < 1 for first, count in block.about) or max(ends, default=0) > self.num_actions:
                raise ValueError(
                    f"{self.name}: block {block.name!r} is about {block.about}; there are {self.num_actions} actions"
                )

    def __repr__(self) -> str:
        return f"Game({self.id})"

    def __reduce__(self) -> tuple[Any, ...]:
        from sobremesa import envs

        return envs.load, (self.name,)

    @property
    def id(self) -> str:
        """The name and version under which environments are registered."""
        return f"{self.name}-v{self.version}"

    @property
    def seat_range(self) -> range:
        """How many seats a table may have."""
        choices = self.options[0].choices
        assert isinstance(choices, range)
        return choices

    @property
    def default_seats(self) -> int:
        """How many seats a table has unless its setup says otherwise."""
        return int(self.options[0].default)

    @property
    def max_seats(self) -> int:
        """Seats at the largest table, the length of a payoff vector."""
        return self.seat_range[-1]

    def setup(self, state: np.ndarray) -> dict[str, int | str | bool]:
        """Return the setup of a `(1,)` state by option name."""
        return {option.name: option.decode(state[option.name][0]) for option in self.options}

    def ended(self, state: np.ndarray) -> dict[str, int | float | str]:
        """Return the figures of a `(1,)` state in which a deal ended, as plain values by name, but for NaN."""
        figures = {name: values.item() for name, values in self.figures(state).items()}
        return {name: value for name, value in figures.items() if value == value}

    def new_tables(self, count: int, setup: Mapping[str, Any]) -> np.ndarray:
        """Return `count` states that hold `setup` and no deal yet.

        A value of `setup` is one for all tables or a sequence of `count`. Raises TypeError for an unknown option and
        ValueError for a bad value, naming what is allowed.
        """
        known = {option.name: option for option in self.options}
        for name in setup:
            if name not in known:
                raise TypeError(f"{self.name} has no option {name!r}; it has {', '.join(known)}")
        tables = np.zeros(count, self.state)
        for name, option in known.items():
            value = setup.get(name, option.default)
            try:
                if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
                    if len(value) != count:
                        raise ValueError(f"{name} lists {len(value)} values for {count} tables")
                    tables[name] = [option.encode(one) for one in value]
                else:
                    tables[name] = option.encode(value)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from None
        return tables
