"""The kernel that runs programs of networks (network.py), and the format of a program.

A program begins with a header: where its inputs and its output lie among the numbers, and the most numbers that a row
uses if all but one of the factors of skipped parts are 0. An instruction has WORDS words and a table; its last word is
the length of the table. Letters: `r` rows, `i` inputs and `o` outputs of a layer.
"""

from math import erf

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel

INPUTS, OUTPUT, TAKEN, HEADER = 0, 2, 3, 4  # places in the header; where the instructions begin
WORDS = 7  # of an instruction: code, target, count, three operands, length of its table
LINEAR, SCATTER, MOVE, SUM, MAX, WHERE = range(6)
UNARY = ("Relu", "Tanh", "Sigmoid", "Neg", "Exp", "Sqrt", "Abs", "Erf", "Not", "NonZero", "Trunc")
RELU, TANH, SIGMOID, NEG, EXP, SQRT, ABS, ERF, NOT, NONZERO, TRUNC = range(6, 17)
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Greater", "Less", "Equal")
ADD, SUB, MUL, DIV, LARGER, SMALLER, GREATER, LESS, EQUAL = range(17, 26)
LARGEST, ROW, PICK = 26, 27, 28  # argmax; a row of a table; numbers at given indices
UNLESS = 29  # if a number is 0, the result is 0, and the given number of words is skipped
_LOWEST = np.float32(-80)  # smallest argument of a sigmoid; below, it is 0 in float32


@kernel
def run_network(program, numbers):
    """Compute the output of `program` from its inputs, which lie in `numbers`."""
    at = HEADER
    while at < program.shape[0]:
        what, out, count, length = program[at], program[at + 1], program[at + 2], program[at + WORDS - 1]
        first, second, third = program[at + 3], program[at + 4], program[at + 5]
        table = program[at + WORDS : at + WORDS + length]
        target, left = numbers[out : out + count], numbers[first : first + count]
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
        elif what == WHERE:
            _choose(target, left, numbers[second : second + count], numbers[third : third + count])
        elif what < ADD:
            _one(what, target, left)
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
            _two(what, target, left, numbers[second : second + count])
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

    `table` holds how many inputs there are, where they lie, from where to where each one's uses are listed, and the
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
def _choose(target, asked, left, right):
    for k in range(target.shape[0]):
        target[k] = left[k] if asked[k] != 0 else right[k]


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


@kernel
def _one(what, target, source):
    if what == RELU:
        for k in range(target.shape[0]):
            target[k] = max(source[k], np.float32(0))
        return
    for k in range(target.shape[0]):
        target[k] = _of_one(what, source[k])


@kernel
def _of_one(what, value):
    if what == TANH:
        return np.tanh(value)
    if what == SIGMOID:
        return np.float32(1) / (np.float32(1) + np.exp(-max(value, _LOWEST)))
    if what == NEG:
        return -value
    if what == EXP:
        return np.exp(value)
    if what == SQRT:
        return np.sqrt(value)
    if what == ABS:
        return abs(value)
    if what == ERF:
        return np.float32(erf(value))
    if what == NOT:
        return np.float32(value == 0)
    if what == NONZERO:
        return np.float32(value != 0)
    return np.float32(np.trunc(value))


@kernel
def _two(what, target, left, right):
    if what == ADD:
        for k in range(target.shape[0]):
            target[k] = left[k] + right[k]
    elif what == MUL:
        for k in range(target.shape[0]):
            target[k] = left[k] * right[k]
    elif what == SUB:
        for k in range(target.shape[0]):
            target[k] = left[k] - right[k]
    else:
        for k in range(target.shape[0]):
            target[k] = _of_two(what, left[k], right[k])


@kernel
def _of_two(what, left, right):
    if what == DIV:
        return left / right
    if what == LARGER:
        return max(left, right)
    if what == SMALLER:
        return min(left, right)
    if what == GREATER:
        return np.float32(left > right)
    if what == LESS:
        return np.float32(left < right)
    return np.float32(left == right)
