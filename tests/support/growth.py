"""Inputs that grow, and whether the CPU time of a reader grows faster than they do."""

import contextlib
import json
import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

PIECES = (
    "\n", " ", "\t", "\u00a0", "*", "_", "`", "#", ">", "-", "~", "$", "\\", '"', "'", "“", "«", "(", ")", "[", "]",
    "{", "}", "<", ">x<", ":", "=", ",", ".", "/", "?", "@", "&", "%", "a", "0", "\u0301", "\u0301\u0316", " \u0301",
    "ñ", "\u200b", "😀", "```\n", "a.", "a b ", '\\"', '{"', "[{", "\r\n", "\0", "\ud800",
)  # fmt: skip
SIZES = (1_000, 4_000, 16_000, 64_000)  # characters; each is four times the one before
STEEP = 9.0  # of linear growth a step of four takes 4, of quadratic growth 16
TRIES = 6  # of a pair of sizes that looks steep: a busy machine only adds time
_SEEN = 1e-3  # CPU seconds from which the ratio of two times means something
_ENOUGH = 4e-3  # CPU seconds of linear growth after which longer inputs are not tried

Grown = Callable[[int], str]


def patterns(literals: tuple[str, ...], seed: int, many: int) -> Iterator[tuple[str, Grown]]:
    """Yield names and texts of any length: every piece and literal repeated, and `many` drawn combinations.

    A combination is a front, one to three pieces that are repeated, and an end.
    """
    drawn = random.Random(seed)
    pieces = [*PIECES, *literals]
    for piece in pieces:
        yield _repeated("", piece, "")
    for _ in range(many):
        front = "".join(drawn.choices(["", *pieces, *3 * literals], k=2))
        yield _repeated(front, "".join(drawn.choices(pieces, k=drawn.randint(1, 3))), drawn.choice(["", *pieces]))


def _repeated(front: str, piece: str, end: str) -> tuple[str, Grown]:
    return f"{front!r} + n * {piece!r} + {end!r}", lambda size: front + piece * (size // len(piece)) + end


def documents(sample: Any) -> Iterator[tuple[str, Grown]]:
    """Yield names and JSON texts of any length: `sample` with each list, object and text in it grown in turn."""
    for place, value in _places(sample, ()):
        if isinstance(value, (list, dict, str)) and value:
            shown = ".".join(map(str, place)) or "the whole"
            yield f"{shown} grown", lambda size, place=place, value=value: json.dumps(_with(sample, place, value, size))


def _places(value: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every part of `value` with its place; of a list only its first element."""
    yield place, value
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, one in inner:
        yield from _places(one, (*place, key))


def _with(sample: Any, place: tuple[Any, ...], value: Any, size: int) -> Any:
    """Return a copy of `sample` in which the part at `place` has grown to about `size` characters."""
    times = max(1, size // len(json.dumps(value)))
    if isinstance(value, str):
        grown: Any = value * times
    elif isinstance(value, list):
        grown = [_numbered(one, number) for number in range(times) for one in value]
    else:
        grown = {f"{key}{number or ''}": one for number in range(times) for key, one in value.items()}
    if not place:
        return grown
    copied = json.loads(json.dumps(sample))
    inner = copied
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = grown
    return copied


def _numbered(one: Any, number: int) -> Any:
    """Return an element that differs from its copies, if it is a text or an object with texts."""
    if isinstance(one, dict):
        return {key: _numbered(value, number) for key, value in one.items()}
    return f"{one}{number or ''}" if isinstance(one, str) else one


def faster_than_linear(read: Callable[[str], object], grown: Grown) -> str:
    """Return "" if the CPU time of `read` grows like the length of its input, otherwise the times in words."""
    before = _cost(read, grown(SIZES[0]))
    for small, large in pairwise(SIZES):
        if before > _ENOUGH and small > SIZES[1]:
            return ""
        after = _cost(read, grown(large))
        for _ in range(TRIES):
            if after < _SEEN or after < STEEP * before:
                break
            before = min(before, _cost(read, grown(small)))
            after = min(after, _cost(read, grown(large)))
        else:
            return f"{small:,} characters take {before:.4f} CPU s, {large:,} take {after:.4f}"
        before = after
    return ""


def _cost(read: Callable[[str], object], text: str) -> float:
    """Return the CPU seconds of one call; an error that the reader raises is an answer."""
    began = time.process_time()
    with contextlib.suppress(ValueError, TypeError, OSError, KeyError, RecursionError):
        read(text)
    return time.process_time() - began
