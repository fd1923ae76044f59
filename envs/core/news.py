"""The news: events since the last decision, which rules write into the record and only `tell` reads.

A step begins without news, and a resampled state has none.
"""

from types import ModuleType
from typing import Any

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel

_FIELDS = ("news", "news_count")


def news(lines: int, kind: Any = np.int8) -> tuple[tuple[Any, ...], ...]:
    """Return the fields of a record for at most `lines` events, each with three numbers of dtype `kind`."""
    return (_FIELDS[0], kind, (lines, 4)), (_FIELDS[1], np.int8)


def fields_of(state: np.dtype) -> tuple[str, ...]:
    """Return the names of the news fields of `state`; an empty list for a game without news."""
    return tuple(name for name in _FIELDS if name in (state.names or ()))


def event_names(constants: ModuleType) -> dict[int, str]:
    """Return the names of the events of a module, its constants E_..., in lower case: `E_LAYS` is `lays`."""
    return {event: name[2:].lower() for name, event in vars(constants).items() if name.startswith("E_")}


@kernel
def note(state, event, one, two, three):
    """Add an event to `state.news` `(lines, 4)`; events beyond its length are dropped."""
    if state.news_count < state.news.shape[0]:
        line = state.news[state.news_count]
        line[0], line[1], line[2], line[3] = event, one, two, three
        state.news_count += 1


@kernel
def forget(state):
    """Clear the news."""
    state.news_count = 0
    state.news[:] = 0


@kernel
def _no_news(state):
    pass


def news_clearer(state: np.dtype) -> Any:
    """Return the kernel (state) that clears the news of records of dtype `state`, if they have any."""
    return forget if fields_of(state) else _no_news
