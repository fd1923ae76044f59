"""The contract of a game: its record, its functions and its options. Its words are in wording.py."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from numba import config

from sobremesa.envs.core.fair_votes import FairVotes
from sobremesa.envs.core.layout import Layout
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.envs.core.wording import Words

LANGUAGES = ("en", "es")
ENDED = {0: "in version 0 chance could be foretold"}  # retired versions of all games, and why
HIDDEN = ("pieces", "turns")  # kinds of hidden information
PUBLIC = -1  # a viewer that sees public information only
SEAT_SIGNS = "⓪①②③④⑤"  # seats in texts and pictures
_KERNELS = ("reset", "legal", "play", "payoff", "observe", "redeal", "go_on", "reshuffle", "all_there")


def check_language(language: str) -> str:
    """Return `language`; raise ValueError with the known languages if it is not one of them."""
    if language not in LANGUAGES:
        raise ValueError(f"language={language!r} is not known; it takes {' or '.join(map(repr, LANGUAGES))}")
    return language


@dataclass(frozen=True)
class Option:
    """A setup field of the record, with its default and its choices.

    `choices` is a `range` (the field stores the number itself) or a tuple of names or flags (it stores the index). The
    last `later` choices of a tuple were added after the version of the game: `rules_hash` leaves them out.
    """

    name: str
    default: int | str | bool
    choices: range | tuple[str | bool, ...]
    doc: str
    later: int = 0

    def encode(self, value: Any) -> int:
        """Return the number that the record stores for `value`; raise ValueError with the allowed values."""
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
        """Return the value of the record's `number`; raise ValueError if there is none."""
        number = int(number)
        if isinstance(self.choices, range):
            if number in self.choices:
                return number
        elif 0 <= number < len(self.choices):
            return self.choices[number]
        raise ValueError(f"{self.name} holds {number}, which is no valid number; it takes {self.allowed()}")

    def parse(self, text: str) -> int | str | bool:
        """Return the value of `text` from a command line; raise ValueError if there is none."""
        for choice in self.choices:
            if str(choice).lower() == text.lower():
                return choice
        raise ValueError(f"{self.name}={text!r} is not allowed; it takes {self.allowed()}")

    def allowed(self) -> str:
        """Return the allowed values as text."""
        if isinstance(self.choices, range):
            if len(self.choices) == 1:
                return str(self.choices[0])
            return f"a whole number from {self.choices[0]} to {self.choices[-1]}"
        return " or ".join(repr(choice) for choice in self.choices)


def _no_figures(states: np.ndarray) -> dict[str, np.ndarray]:
    return {}


@dataclass(frozen=True, eq=False)
class Game:
    """One game: a record, the kernels that are its rules, and its words.

    The kernels trust their arguments (see compile/kernel.py):

    - `reset(state, seed)`: deal; the setup fields are in the record already, and every other field is zero.
    - `legal(state, mask)`: write 1 for each legal action of `state.seat` into `mask` `(A,)` int8, which is all zero.
    - `play(state, action)`: play a legal action in place, with its chance; at the end set `over`.
    - `go_on(state, mask)`, optional: do one automatic move, set `seat` to the next player, and return whether there was
      a move; `mask` is scratch memory.
    - `payoff(state, out)`: write the payoff of each seat into `out` `(max_seats,)` float32; zero before the end, and
      for seats that are not at the table.
    - `observe(state, seat, out)`: write the observation of `seat`, with all that it has seen, into `out` `(W,)` uint8,
      as the bytes of `layout`.
    - `redeal(state, seat, seed)`: resample everything that `seat` cannot know, the random stream included. Afterwards
      steps.py clears the number of plies and the news, which depend on decisions of others.
    - `reshuffle(state, seed)`, for a game that fixes chance in advance (the order of a deck): resample everything that
      no seat knows, the random stream included. Hands and seen cards stay, so each seat's observation, mask and
      `redeal` stay the same to the byte. Without it, only the random stream is replaced (table.reshuffled).

    steps.py makes `step` of these: it counts the ply and plays forced actions, so a seat is asked only if it has two
    legal actions or more.

    `state` is one record of dtype `state` (`record.record`) with a field for each option. An eliminated seat is not
    asked again and is paid with the others at the end. `redeal` is also called for seats that are not to act, and keeps
    the seat to act; if turns are hidden, the resampled state does not reveal it.
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
    num_actions: int  #: number of actions, A in shapes
    layout: Layout
    options: tuple[Option, ...]  #: the setup fields; the first is `seats`
    max_plies: int  #: plies of the longest deal
    words: Words
    #: (state) -> every reason why it is invalid; `state_problems` adds the reason that all games share
    problems: Callable[[np.ndarray], list[str]]
    go_on: Any = None
    reshuffle: Any = None  #: None: only the random stream is hidden from all seats
    all_there: Any = None  #: kernel (state) -> whether no piece is lost or duplicated
    #: (N,) states of finished deals -> further results by name, (N,) numbers or names, NaN for none; `first` is the
    #: seat that opened the deal
    figures: Callable[[np.ndarray], dict[str, np.ndarray]] = _no_figures
    #: (N,) states of finished deals -> (N,) bool, whether they reached a limit of length that the rules do not have
    too_long: Callable[[np.ndarray], np.ndarray] | None = None
    cooperative: bool = False  #: equal payoffs in [0, 1]; otherwise payoffs in [-1, 1] sum to zero
    roles: Mapping[str, tuple[str, ...]] | None = None  #: by language: a name for each seat, if their aims differ
    hidden: tuple[str, ...] = ("pieces",)  #: from seats: "pieces", and "turns" if the seat to act is hidden too
    later: tuple[str, ...] = ()  #: fields of the record that are younger than the version, zeros where unused
    #: rotations and mirror images, without the identity; some hold for some setups only
    symmetries: tuple[Symmetry, ...] = ()
    fair_votes: FairVotes | None = None  #: how bots vote on the cases of others, in a game with such votes
    reading: Any = None  #: maps of numbers and names of an obfuscated reading; None in other games
    package: str = ""  #: `__name__` of the package with `GAME`, `bots` and `home`; "" for a game without one

    def __post_init__(self) -> None:
        if not (self.name.isidentifier() and self.name.isascii()):
            raise ValueError(f"name={self.name!r} is not allowed; it takes letters, digits and _, as in 'liars_dice'")
        if self.package and not hasattr(sys.modules.get(self.package), "__path__"):
            raise ValueError(
                f"{self.name}: package={self.package!r} is no package; give __name__ in its __init__.py, or nothing"
            )
        self._check_kernels()
        if missing := [language for language in LANGUAGES if not self.words.title.get(language)]:
            raise ValueError(
                f"{self.name}: words.title has no {' and no '.join(map(repr, missing))}; every game has texts in "
                + " and ".join(map(repr, LANGUAGES))
            )
        names = [option.name for option in self.options]
        if names[:1] != ["seats"] or not set(names) <= set(self.state.names or ()):
            raise ValueError(f"{self.name}: options {names} must begin with 'seats' and all be fields of the record")
        if not set(self.hidden) <= set(HIDDEN):
            raise ValueError(f"{self.name}: hidden={self.hidden!r} is not allowed; it takes some of {HIDDEN}")
        if self.words.public and "turns" in self.hidden:
            raise ValueError(f"{self.name}: words.public needs open turns: a new picture reveals a turn")
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

        if self.fair_votes is not None:
            self.fair_votes.check(self.name, {block.name: block.size for block in self.layout}, self.num_actions)

    def _check_kernels(self) -> None:
        """Raise ValueError for a Python function in the place of a kernel."""
        for name in _KERNELS:
            if isinstance(getattr(self, name), FunctionType) and not config.DISABLE_JIT:
                raise ValueError(f"{self.name}: {name} is a Python function; decorate it with sobremesa.envs.kernel")

    def __repr__(self) -> str:
        return f"Game({self.id})"

    @property
    def id(self) -> str:
        """The name and version, as in ids of environments."""
        return f"{self.name}-v{self.version}"

    @property
    def seat_range(self) -> range:
        """The possible numbers of seats."""
        choices = self.options[0].choices
        assert isinstance(choices, range)
        return choices

    @property
    def default_seats(self) -> int:
        """The number of seats by default."""
        return int(self.options[0].default)

    @property
    def max_seats(self) -> int:
        """The number of seats at the largest table, the length of a payoff vector."""
        return self.seat_range[-1]

    def setup(self, state: np.ndarray) -> dict[str, int | str | bool]:
        """Return the setup of the `(1,)` state by option name."""
        return {option.name: option.decode(state[option.name][0]) for option in self.options}

    def fair_vote(self, observation: np.ndarray, mask: np.ndarray) -> int | None:
        """Return the fair vote for an `observation` `(D,)` and `mask` `(A,)`, None if the decision is no vote."""
        if self.fair_votes is None:
            return None
        start = self.layout.start(self.fair_votes.block)
        return self.fair_votes.vote(observation[start : start + len(self.fair_votes.logits)], mask)

    def ended(self, state: np.ndarray) -> dict[str, int | float]:
        """Return the figures of the `(1,)` state of a finished deal that are numbers by name, without NaN."""
        figures = {name: values.item() for name, values in self.figures(state).items() if values.dtype.kind != "U"}
        return {name: value for name, value in figures.items() if value == value}

    def ending(self, state: np.ndarray) -> str:
        """Return how the `(1,)` state ended, in English; "" before the end, or if the figures do not name it."""
        return str(self.figures(state).get("end", [""])[0]) if state["over"][0] else ""

    def new_tables(self, count: int, setup: Mapping[str, Any]) -> np.ndarray:
        """Return `count` states with `setup` and no deal yet.

        A value of `setup` applies for all tables or is a sequence of `count` values. Raises TypeError for an unknown
        option and ValueError for a bad value, with the allowed ones.
        """
        known = {option.name: option for option in self.options}
        for name in setup:
            if name not in known:
                unexpected = f"unexpected keyword argument {name!r}"  # TorchRL tries options, and reads this
                raise TypeError(f"{self.name} has no option {name!r}; it has {', '.join(known)} ({unexpected})")
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
