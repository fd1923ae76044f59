"""The contract of every door to a player: an answer names its decision by number, and counts once.

Messages may be doubled, delayed, reordered or lost. An action that was chosen for one position must not be played at
another one, so every door (browser, MCP, OpenEnv, TRL, external agents) passes its answers through `Decisions`.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from sobremesa.envs.core.errors import one_line

Result = TypeVar("Result")

EXACT = 2**53  # JavaScript reads whole numbers below it without loss
REMEMBERED = 4096  # earlier answers that are stored
_ENDS = 10_000  # values of the last digits of a number


class NotPresent(ValueError):
    """An answer that does not name the present decision. It changes nothing."""


class Decisions(Generic[Result]):
    """The decisions of one player by number, with the answers to earlier ones.

    Numbers rise, and each is used once. With a `key` the last four digits of a number follow from the key and from all
    earlier answers, so a client that has not seen a decision guesses its number once in 10,000 times. Without a key
    numbers rise by 1.

    Args:
        key: up to 64 bytes; the same key and answers give the same numbers.
        first: the count from which numbers rise.
    """

    def __init__(self, key: bytes | None = None, first: int = 1) -> None:
        self.count = first
        self._seen = None if key is None else _digest(b"", key)
        self._taken: dict[int, tuple[object, Result]] = {}

    @property
    def number(self) -> int:
        """The number of the present decision."""
        return _number(self.count, self._seen)

    def once(
        self, number: object, answer: object, play: Callable[[int], Result], show: Callable[[], str] | None = None
    ) -> Result:
        """Return the result of `answer` to decision `number`: of `play`, or the stored one if the answer is a repeat.

        `play` gets the number of the next decision. If it raises, the decision remains the present one. Raises
        NotPresent as `is_repeat` does.
        """
        if self.is_repeat(number, answer, show):
            return self._taken[_whole_number(number)][1]
        result = play(_number(self.count + 1, self._after(answer)))
        self.take(answer, result)
        return result

    def is_repeat(self, number: object, answer: object, show: Callable[[], str] | None = None) -> bool:
        """Return whether `answer` was taken before, False if decision `number` is the present one.

        Text of digits is a number too. Raises NotPresent, with the text of `show`, for any other number, and for
        another answer to an earlier decision.
        """
        given = _whole_number(number)
        if given == self.number:
            return False
        if given in self._taken and self._taken[given][0] == answer:
            return True
        if number is None:
            why = "the answer names no decision"
        elif given in self._taken:
            why = f"decision {given} has another answer"
        else:
            why = f"{one_line(str(number), 40)} is not the present decision"
        raise NotPresent(f"not played: {why}. {show() if show else f'The present one is {self.number}.'}")

    def take(self, answer: object, result: Result) -> None:
        """Store the `answer` to the present decision with its `result`, and continue to the next decision."""
        self._taken[self.number] = answer, result
        if len(self._taken) > REMEMBERED:
            del self._taken[next(iter(self._taken))]
        self.skip(answer)

    def skip(self, answer: object = None) -> None:
        """Continue to the next decision; the present one has no answer."""
        self.count, self._seen = self.count + 1, self._after(answer)

    def _after(self, answer: object) -> bytes | None:
        """Return the digest of the key and of all answers, `answer` included."""
        return None if self._seen is None else _digest(repr(answer).encode("utf-8", "backslashreplace"), self._seen)


def _digest(text: bytes, key: bytes) -> bytes:
    return blake2b(text, key=key, digest_size=16).digest()


def _number(count: int, seen: bytes | None) -> int:
    return count if seen is None else count * _ENDS + int.from_bytes(seen, "little") % _ENDS


def _whole_number(number: Any) -> int:
    """Return a number that is given as such or as text; -1 for anything else."""
    whole = isinstance(number, float) and number.is_integer()  # JSON has one kind of number
    text = str(int(number) if whole else number).strip()
    return int(text) if not isinstance(number, bool) and text.isascii() and text.isdecimal() and len(text) < 20 else -1


def check_names(what: str, given: Iterable[str], known: Iterable[str], needed: Iterable[str] = ()) -> None:
    """Raise ValueError if `given` has a name that is not `known`, or lacks one of `needed`; `what` takes the names."""
    given, known = list(given), list(known)
    takes = f"{what} takes {', '.join(known) or 'no arguments'}"
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ValueError(f"no argument {one_line(name, 60)!r}; {hint}{takes}")
    missing = [name for name in needed if name not in given]
    if missing:
        raise ValueError(f"the argument {missing[0]} is missing; {takes}")
