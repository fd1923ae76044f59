"""The kernel that runs programs of networks (compiler.py), and the format of a program.

A program begins with a header: where its inputs and its output are among the numbers, and the most numbers that a row
uses if all but one of the factors of skipped parts are 0. An instruction has WORDS words and a table; its last word is
the length of the table. Letters: `r` rows, `i` inputs and `o` outputs of a layer.
"""

from typing import Any

import numpy as np

from sobremesa.agents.networks.operations import FORMULAS
from sobremesa.envs.core.compile.kernel import kernel, shared

INPUTS, OUTPUT, TAKEN, HEADER = 0, 2, 3, 4  # places in the header; where the instructions begin
WORDS = 7  # of an instruction: code, target, count, three operands, length of its table
LINEAR, SCATTER, MOVE, SUM, MAX = range(5)
LARGEST, ROW, PICK = 5, 6, 7  # argmax; a row of a table; numbers at given indices
UNLESS = 8  # if a number is 0, the result is 0, and the given number of words is skipped
CODES = {kind: code for code, kind in enumerate(FORMULAS, 9)}  # of formulas


def _by_code(code: int, of: Any, others: Any) -> Any:
    """Return a kernel that computes the formula `of` for instructions of `code`, and runs `others` for the rest."""

    @kernel
    def compute(what, target, left, right, third):
        if what == code:
            for k in range(target.shape[0]):
                target[k] = of(left[k], right[k], third[k])
        else:
            others(what, target, left, right, third)

    return compute


@kernel
def _nothing(what, target, left, right, third):
    pass


_compute = _nothing
for _kind, _code in CODES.items():
    _compute = _by_code(_code, FORMULAS[_kind].of, _compute)


@shared
@kernel
def run_network(program, numbers):
    """Compute the output of `program` from its inputs, which are in `numbers`."""
    at = HEADER
    while at < program.shape[0]:
        what, out, count, length = program[at], program[at + 1], program[at + 2], program[at + WORDS - 1]
        first, second, third = program[at + 3], program[at + 4], program[at + 5]
        table = program[at + WORDS : at + WORDS + length]
        target = numbers[out : out + count]
        if what == LINEAR:
            _linear(target, table, numbers, first, numbers[second : second + third])
        elif what == SCATTER:
            _scatter(target, table, numbers, first, numbers[second : second + third])
        elif what == MOVE and first == 1:
            for k in range(length):
                target[k] = numbers[table[k]]
        elif what == MOVE:
            for run in range(length):
                _copy(target[run * first : (run + 1) * first], numbers[table[run] : table[run] + first])
        elif what <= MAX:
            _reduce(what, target, numbers[first : first + count * second])
        elif what == LARGEST:
            target[0] = np.argmax(numbers[first : first + second])
        elif what == ROW:
            row = first + _place(numbers[second], third) * count
            _copy(target, numbers[row : row + count])
        elif what == PICK:
            _pick(target, numbers[first : first + third], numbers[second : second + count])
        elif what == UNLESS:
            if numbers[first] == 0:
                target[:] = 0
                at += second
        else:
            left, right = numbers[first : first + count], numbers[second : second + count]
            _compute(what, target, left, right, numbers[third : third + count])
        at += WORDS + length


@kernel
def _copy(target, source):
    for k in range(target.shape[0]):
        target[k] = source[k]


@kernel
def _linear(target, table, numbers, first, bias):
    """Write the outputs of a layer into `target` `(r * o,)`: inputs at `table` `(r * i,)`, weights from `first` on."""
    width = bias.shape[0]
    rows = target.shape[0] // width
    inputs = table.shape[0] // rows
    for row in range(rows):
        out, own = target[row * width : (row + 1) * width], table[row * inputs : (row + 1) * inputs]
        _copy(out, bias)
        a, b, c, d, held = 0, 0, 0, 0, 0
        for place in range(inputs):
            if numbers[own[place]] != 0:
                a, b, c, d, held = b, c, d, place, held + 1
                if held == 4:
                    _add_four(out, numbers, own, first, a, b, c, d)
                    held = 0
        for k in range(3 - held, 3):
            place = (b, c, d)[k]
            _add(out, numbers[own[place]], numbers[first + place * width : first + (place + 1) * width])


@kernel
def _add_four(target, numbers, table, first, a, b, c, d):
    """Add to `target` the contributions of the four inputs at `a` to `d`, in this order, in one pass."""
    width = target.shape[0]
    one, two, three, four = numbers[table[a]], numbers[table[b]], numbers[table[c]], numbers[table[d]]
    ones = numbers[first + a * width : first + (a + 1) * width]
    twos = numbers[first + b * width : first + (b + 1) * width]
    threes = numbers[first + c * width : first + (c + 1) * width]
    fours = numbers[first + d * width : first + (d + 1) * width]
    for k in range(width):
        target[k] = target[k] + one * ones[k] + two * twos[k] + three * threes[k] + four * fours[k]


@kernel
def _scatter(target, table, numbers, first, bias):
    """Do as `_linear` does, input by input.

    `table` has how many inputs there are, where they are, from where to where each one's uses are listed, and the
    uses: where in `target`, where among the weights, and for how many numbers.
    """
    width, inputs = bias.shape[0], table[0]
    uses = table[2 * inputs + 2 :]
    for row in range(target.shape[0] // width):
        _copy(target[row * width : (row + 1) * width], bias)
    for place in range(inputs):
        value = numbers[table[1 + place]]
        if value != 0:
            for use in range(table[1 + inputs + place], table[2 + inputs + place]):
                out, weights, length = uses[3 * use], first + uses[3 * use + 1], uses[3 * use + 2]
                _add(target[out : out + length], value, numbers[weights : weights + length])


@kernel
def _add(target, value, weights):
    for k in range(target.shape[0]):
        target[k] += value * weights[k]


@kernel
def _reduce(what, target, source):
    count = target.shape[0]
    _copy(target, source[:count])
    for start in range(count, source.shape[0], count):
        row = source[start : start + count]
        if what == SUM:
            for k in range(count):
                target[k] += row[k]
        else:
            for k in range(count):
                target[k] = max(target[k], row[k])


@kernel
def _pick(target, source, places):
    """Copy the numbers at `places` in `source` to `target`."""
    for k in range(target.shape[0]):
        target[k] = source[_place(places[k], source.shape[0])]


@kernel
def _place(number, size):
    """Return the index `number` of `size` things, counted from the end below 0, clipped to the range."""
    if not number >= -size:  # also for NaN
        return 0
    if number >= size:
        return size - 1
    place = int(number)
    return place + size if place < 0 else place
