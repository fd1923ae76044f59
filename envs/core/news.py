"""What has happened since the last decision: a part of the record that rules write and `tell` alone reads.

A redealt world holds none, and a step begins with none.
"""

from typing import Any

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel

_FIELDS = ("news", "news_count")


def news(lines: int, kind: Any = np.int8) -> tuple[tuple[Any, ...], ...]:
    """Return the fields of a record that hold at most so many `lines`: an event and three numbers of dtype `kind`."""
    return (_FIELDS[0], kind, (lines, 4)), (_FIELDS[1], np.int8)


def fields_of(state: np.dtype) -> tuple[str, ...]:
    """Return the names of the fields of `state` that hold news, none if the game notes none."""
    return tuple(name for name in _FIELDS if name in (state.names or ()))


@kernel
def note(state, event, one, two, three):
    """Add a line to `state.news` `(lines, 4)`, of which there are `state.news_count`; what does not fit is not told."""
    if state.news_count < state.news.shape[0]:
        line = state.news[state.news_count]
        line[0], line[1], line[2], line[3] = event, one, two, three
        state.news_count += 1


@kernel
def forget(state):
    """Empty the news."""
    state.news_count = 0
    state.news[:] = 0


@kernel
def _nothing_to_forget(state):
    pass


def forgetter(state: np.dtype) -> Any:
    """Return the kernel (state) that empties the news of records of dtype `state`, if they hold any."""
    return forget if fields_of(state) else _nothing_to_forget
