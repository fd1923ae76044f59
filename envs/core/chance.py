"""The random stream inside a record, which all chance of a deal comes from.

The generator is ChaCha8 (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008): from any number of draws, the key or
the next draw cannot be computed with less effort than a search over the 2**63 seeds. A stream is 29 words of 32 bits:

    0..15  the present block, 16 draws     16..23  the key, 256 bits     24..25  the number of the next block
    26..27 the nonce, 0                    28      how many words of the present block are left

The block function is one kernel over these words. It computes with Python integers and cuts them to 32 bits after each
sum, so plain, compiled and bounds-checked runs give the same numbers.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.fields import with_attributes

BLOCK, KEY, COUNTER, NONCE, LEFT, WORDS = (
    16,
    16,
    24,
    26,
    28,
    29,
)  # words of a block; where the parts begin; words in all

# A stream for agents, with the seed that it started at. (Not a prefix of a state: Numba would confuse the two.)
STREAM = with_attributes([("seed", np.int64), ("stream", np.uint32, (WORDS,)), ("padding_", np.uint32)])

_CONSTANTS = np.array([0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574], np.uint32)  # "expand 32-byte k"
_LOW = 0xFFFF_FFFF
_SHIFT = np.uint64(32)
_DOUBLE_ROUNDS = 4
_WORD = 8  # actions
_LAST = 56  # bits below the last of them
_ONES, _ALL = 0x0101_0101_0101_0101, 0x7FFF_FFFF_FFFF_FFFF
_GUARD = 16  # in a byte, more than its sum
_SIGN = 0x7FFF_FFFF
_TO_START, _TO_DERIVE = 1, 2  # third word of a key: the use of the key
_ASIDE = 0x8000_0000  # in the nonce for `derive_aside`; the stream itself never reaches such a block


@kernel
def _quarter_round(words, i, j, k, m):
    a, b, c, d = int(words[i]), int(words[j]), int(words[k]), int(words[m])
    a = (a + b) & _LOW
    d ^= a
    d = (d << 16 | d >> 16) & _LOW
    c = (c + d) & _LOW
    b ^= c
    b = (b << 12 | b >> 20) & _LOW
    a = (a + b) & _LOW
    d ^= a
    d = (d << 8 | d >> 24) & _LOW
    c = (c + d) & _LOW
    b ^= c
    b = (b << 7 | b >> 25) & _LOW
    words[i], words[j], words[k], words[m] = a, b, c, d


@kernel
def fill_block(words):
    """Write the block of ChaCha8 for the key, counter and nonce in `words[16:]` into `words[:16]`."""
    for i in range(4):
        words[i] = _CONSTANTS[i]
    for i in range(12):
        words[4 + i] = words[KEY + i]
    for _ in range(_DOUBLE_ROUNDS):
        for i in range(4):
            _quarter_round(words, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            _quarter_round(words, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    for i in range(4):
        words[i] = (int(words[i]) + int(_CONSTANTS[i])) & _LOW
    for i in range(12):
        words[4 + i] = (int(words[4 + i]) + int(words[KEY + i])) & _LOW


@kernel
def _next_word(words):
    left = int(words[LEFT])
    if not 0 < left <= BLOCK:  # empty, or a state from outside with any number here
        fill_block(words)
        words[COUNTER] = (int(words[COUNTER]) + 1) & _LOW
        if words[COUNTER] == 0:
            words[COUNTER + 1] = (int(words[COUNTER + 1]) + 1) & _LOW
        left = BLOCK
    words[LEFT] = left - 1
    return np.uint64(words[BLOCK - left])


@kernel
def _put(words, place, number):
    """Write the 64 bits of `number` at `place` and after it."""
    word = np.uint64(number)
    words[place] = word & np.uint64(_LOW)
    words[place + 1] = word >> _SHIFT


@kernel
def _start(words, seed):
    words[:] = 0
    _put(words, KEY, seed)
    words[KEY + 2] = _TO_START
    fill_block(words)
    for i in range(8):
        words[KEY + i] = words[i]


@kernel
def start(state, seed):
    """Start `state.stream` at `seed`, a whole number from 0 to 2**63 - 1, which cannot be recovered from it."""
    _start(state.stream, seed)


@kernel
def draw(state):
    """Return the next 32 random bits as uint64."""
    return _next_word(state.stream)


@kernel
def below(state, count):
    """Return a whole number from 0 to `count` - 1, uniform to within count / 2**32."""
    return np.int64((_next_word(state.stream) * np.uint64(count)) >> _SHIFT)


@kernel
def uniform(state):
    """Return a number strictly between 0 and 1, a multiple of 2**-33."""
    return (np.float64(_next_word(state.stream)) + 0.5) / 4_294_967_296.0


@kernel
def shuffle(state, items, count):
    """Shuffle the first `count` of `items` in place (Fisher and Yates)."""
    words = state.stream
    for last in range(count - 1, 0, -1):
        other = np.int64((_next_word(words) * np.uint64(last + 1)) >> _SHIFT)
        items[last], items[other] = items[other], items[last]


@kernel
def pick(state, mask):
    """Return a uniformly random action of those that `mask` `(A,)` int8 allows; it must allow one."""
    left = below(state, count_allowed(mask))
    words = mask[: mask.shape[0] // _WORD * _WORD].view(np.int64)  # unaligned rows are fine on x86 and ARM64
    word = 0
    while word + _WORD <= words.shape[0]:  # eight words at once: most actions are illegal
        several = 0
        for place in range(_WORD):
            several += int(words[word + place])
        allowed = _sums(several) >> _LAST
        if left < allowed:
            break
        left -= allowed
        word += _WORD
    while word < words.shape[0]:
        sums = _sums(int(words[word]))
        if left < sums >> _LAST:  # the number of bytes with sums up to `left`
            passed = (_ONES * (_GUARD + int(left)) - sums) // _GUARD & _ONES
            return word * _WORD + (_sums(passed) >> _LAST)
        left -= sums >> _LAST
        word += 1
    action = word * _WORD
    while left >= mask[action]:
        left -= mask[action]
        action += 1
    return action


@kernel
def count_allowed(mask):
    """Return the number of actions that `mask` `(A,)` int8 allows."""
    allowed = np.uint16(0)  # narrow, for many entries at once
    for action in range(mask.shape[0]):
        allowed = np.uint16(allowed + mask[action])
    return np.int64(allowed)


@kernel
def _sums(word):
    """Return the prefix sums of the eight bytes of `word`, byte by byte; the total must be under 128."""
    return word * _ONES & _ALL


@kernel
def _seed_of(words):
    """Return the first 63 bits of the block of `words` as a seed."""
    fill_block(words)
    return np.int64((np.uint64(int(words[1]) & _SIGN) << _SHIFT) | np.uint64(words[0]))


@kernel
def derive(seed, major, minor):
    """Return a seed from 0 to 2**63 - 1 for part (`major`, `minor`) of `seed`.

    The block function is keyed by `seed`, so the result reveals neither `seed` nor the seeds of other parts.
    """
    words = scratch(1, STREAM)[0].stream
    words[KEY:] = 0
    _put(words, KEY, seed)
    words[KEY + 2] = _TO_DERIVE
    _put(words, COUNTER, major)
    _put(words, NONCE, minor)
    return _seed_of(words)


@kernel
def derive_aside(state, number):
    """Return a seed under 2**63 that depends on the position of `state.stream` and on `number`; draw nothing."""
    words = scratch(1, STREAM)[0].stream
    for i in range(KEY, NONCE):
        words[i] = state.stream[i]
    words[COUNTER + 1] = state.stream[LEFT]
    _put(words, NONCE, number)
    words[NONCE + 1] = int(words[NONCE + 1]) | _ASIDE
    return _seed_of(words)
