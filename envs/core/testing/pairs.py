"""All-pairs tables: few rows that contain every pair of values of two columns."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

Row = tuple[Any, ...]


def all_pairs(columns: Sequence[Sequence[Any]], rows: Iterable[Row] = ()) -> list[Row]:
    """Return rows that, with the given `rows`, contain every pair of values of two columns.

    The algorithm is greedy and deterministic: each row starts from the first missing pair, and each further column
    takes the value that covers most missing pairs, the first such value at a tie.
    """
    missing = dict.fromkeys(_pairs_of(columns))
    for row in rows:
        _cross_out(missing, row)
    found = []
    while missing:
        (column, value), (other, beside) = next(iter(missing))
        taken = {column: value, other: beside}
        for number, values in enumerate(columns):
            if number not in taken:
                taken[number] = max(values, key=lambda one: _met(missing, taken, number, one))
        found.append(tuple(taken[number] for number in range(len(columns))))
        _cross_out(missing, found[-1])
    return found


def _pairs_of(columns: Sequence[Sequence[Any]]) -> Iterable[tuple[Any, Any]]:
    cells = [[(number, value) for value in values] for number, values in enumerate(columns)]
    return (pair for one, other in itertools.combinations(cells, 2) for pair in itertools.product(one, other))


def _cross_out(missing: dict[tuple[Any, Any], None], row: Row) -> None:
    for pair in itertools.combinations(enumerate(row), 2):
        missing.pop(pair, None)


def _met(missing: dict[tuple[Any, Any], None], taken: dict[int, Any], number: int, value: Any) -> int:
    cell = (number, value)
    return sum(((cell, one) if number < one[0] else (one, cell)) in missing for one in taken.items())
