"""Scripted chance: kernels that read their random draws from a script, so that every outcome can be enumerated.

All chance of a game and of a scripted agent comes from the random stream in a record, by the kernels of
`envs/core/chance.py`, and each draw is uniform over a range. This module replaces these kernels, wherever a kernel
calls them, by kernels that read draws from a script in the same words of the record, and note the range of the first
draw beyond the script. A case runs with an empty script, then once for each number of that range, and so on until no
draw is left. So chance is enumerated exactly, without changes to the game.

(`below` is uniform to within count / 2**32 at the table; here it is exactly uniform.)
"""

from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core import chance
from sobremesa.envs.core.compile.kernel import as_python, kernel

# The words of a script: how many draws were made, how many it holds, the range of the first that it does not hold (0 if
# it holds all), why a draw cannot be enumerated (0 if all can), and from then on the draws, two to a word.
_MADE, _HELD, _RANGE, _REFUSED, _DRAWS = range(5)
_ENDLESS, _TOO_MANY = 1, 2
_HALF, _LOW = 16, 0xFFFF
MOST_DRAWS = 2 * (chance.WORDS - _DRAWS)  # in one step


class Uncountable(ValueError):
    """Something cannot be enumerated; the message has the reason."""


class TooMany(Uncountable):
    """There is more to enumerate than allowed."""


@kernel
def _below(state, count):
    """Return the next number of the script, or 0 at its end."""
    words = state.stream
    if count <= 1:
        return 0
    made = int(words[_MADE])
    words[_MADE] = made + 1
    if made < int(words[_HELD]):
        return (int(words[_DRAWS + made // 2]) >> (_HALF * (made % 2))) & _LOW
    if made >= MOST_DRAWS or count > _LOW:
        words[_REFUSED] = _TOO_MANY
    elif int(words[_RANGE]) == 0:
        words[_RANGE] = count
    return 0


@kernel
def _shuffle(state, items, count):
    for last in range(count - 1, 0, -1):
        other = _below(state, last + 1)
        items[last], items[other] = items[other], items[last]


@kernel
def _pick(state, mask):
    allowed = np.int64(0)
    for action in range(mask.shape[0]):
        allowed += mask[action]
    left = _below(state, allowed)
    for action in range(mask.shape[0]):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return 0


@kernel
def _start(state, seed):
    """Leave the script as it is."""


@kernel
def _draw(state):
    state.stream[_REFUSED] = _ENDLESS
    return np.uint64(0)


@kernel
def _uniform(state):
    state.stream[_REFUSED] = _ENDLESS
    return 0.5


_BY_SCRIPT = {
    chance.below: _below, chance.shuffle: _shuffle, chance.pick: _pick, chance.start: _start, chance.draw: _draw,
    chance.uniform: _uniform,
}  # fmt: skip


def scripted(one: Any) -> Any:
    """Return the kernel `one` with all its chance scripted; itself if it draws no number."""
    return _rewired(one, dict(_BY_SCRIPT))


def _rewired(one: Any, known: dict[Any, Any]) -> Any:
    """Return `one` with the functions that it calls replaced by `known`, which is extended."""
    if one in known:
        return known[one]
    known[one] = one  # while it is looked into, should it call itself
    function = as_python(one)
    globals_, changed = dict(function.__globals__), False
    for name in function.__code__.co_names:
        value = globals_.get(name)
        if isinstance(value, ModuleType):
            globals_[name] = _rewired_module(value, function.__code__.co_names, known)
        elif _is_ours(value):
            globals_[name] = _rewired(value, known)
        changed |= globals_.get(name) is not value
    cells = []
    for cell in function.__closure__ or ():
        value = cell.cell_contents
        cells.append(CellType(_rewired(value, known)) if _is_ours(value) else cell)
        changed |= cells[-1].cell_contents is not value
    if changed:
        made = FunctionType(function.__code__, globals_, function.__name__, function.__defaults__, tuple(cells) or None)
        known[one] = kernel(made)
    return known[one]


def _rewired_module(module: ModuleType, names: tuple[str, ...], known: dict[Any, Any]) -> ModuleType:
    """Return a copy of `module` whose functions among `names` are replaced; itself if none is."""
    found = {name: vars(module).get(name) for name in names}
    changed = {name: _rewired(one, known) for name, one in found.items() if _is_ours(one)}
    changed = {name: one for name, one in changed.items() if one is not found[name]}
    if not changed:
        return module
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module) | changed)
    return copy


def _is_ours(value: Any) -> bool:
    """Return whether `value` is a function of the library, compiled or not."""
    function = as_python(value)
    return isinstance(function, FunctionType) and (function.__module__ or "").partition(".")[0] == "sobremesa"


class Outcomes(NamedTuple):
    """The outcomes of chance for some cases, grouped and ordered by case."""

    case: np.ndarray  # (n,) int64
    chance: np.ndarray  # (n,) float64, which sum to 1 for each case
    found: list[np.ndarray]  # (n, ...) each


Run = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, list[np.ndarray]]]


def unfold(count: int, run: Run, most: int, what: str) -> Outcomes:
    """Try every outcome of the cases 0 to `count` - 1.

    Args:
        count: number of cases.
        run: (cases (n,) int64, scripts (n, chance.WORDS) uint32) -> the remaining words of the scripts, and results,
            arrays of n rows.
        most: rows per call of `run` at most.
        what: the subject of messages.

    Raises TooMany beyond `most` rows, and Uncountable if a draw is not one of a range.
    """
    case, scripts = np.arange(count), np.zeros((count, chance.WORDS), np.uint32)
    odds = np.ones(count)
    done = []
    while len(case):
        words, found = run(case, scripts)
        if (words[:, _REFUSED] == _ENDLESS).any():
            raise Uncountable(f"{what}: it draws numbers without a small range")
        if words[:, _REFUSED].any():
            raise Uncountable(f"{what}: chance draws more than {MOST_DRAWS} times at once, which no tree can hold")
        ranges = ranges_of(words)
        whole = ranges == 0
        done.append((case[whole], odds[whole], [part[whole] for part in found]))
        case, odds, scripts, ranges = (part[~whole] for part in (case, odds, scripts, ranges))
        if ranges.sum() > most:
            raise TooMany(f"{what}: more than {most:,} outcomes of chance at once")
        case, odds, scripts = (
            np.repeat(part, ranges, axis=0) for part in (case, odds / np.maximum(ranges, 1), scripts)
        )
        scripts = add_draws(scripts, np.arange(len(case)) - np.repeat(np.cumsum(ranges) - ranges, ranges))
    cases, chances, results = zip(*done, strict=True)
    order = np.argsort(np.concatenate(cases), kind="stable")
    parts = [np.concatenate(rows)[order] for rows in zip(*results, strict=True)]
    return Outcomes(np.concatenate(cases)[order], np.concatenate(chances)[order], parts)


def ranges_of(words: np.ndarray) -> np.ndarray:
    """Return for scripts `(n, WORDS)` after a run the range of the first draw beyond each, 0 if there was none."""
    return words[:, _RANGE].astype(np.int64)


def add_draws(scripts: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return `scripts` `(n, WORDS)` with one more draw each, `drawn` `(n,)`."""
    held, longer = scripts[:, _HELD].astype(np.int64), scripts.copy()
    longer[np.arange(len(scripts)), _DRAWS + held // 2] |= (drawn << (_HALF * (held % 2))).astype(np.uint32)
    longer[:, _HELD] += np.uint32(1)
    return longer
