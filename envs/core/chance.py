"""The random stream that lives in a record: all chance in a deal comes from here.

The generator is MWC64X (D. B. Thomas, 2011): 64 bits of state, 32 bits a draw. Every product below is of two numbers
under 2**32, so nothing wraps around and plain Python, compiled and bounds-checked runs give the same numbers.
"""

import numpy as np

from sobremesa.envs.core.kernel import kernel

# A stream alone, for agents, beside the seed it began at. (No prefix of a state: Numba would take one for the other.)
STREAM = np.dtype((np.record, np.dtype([("seed", np.int64), ("stream", np.uint64)])))

_LOW = np.uint64(0xFFFF_FFFF)
_SHIFT = np.uint64(32)
_MULTIPLIER = np.uint64(4_294_883_355)
_LARGEST_CARRY = np.uint64(4_294_883_353)
_ONE = np.uint64(1)
_MIX_1, _MIX_2 = np.uint64(0x85EB_CA6B), np.uint64(0xC2B2_AE35)
_SHIFT_13, _SHIFT_16 = np.uint64(13), np.uint64(16)
_STRIDE = 8
_SIGN = np.uint64(0x7FFF_FFFF)


@kernel
def _mix(word):
    """Scramble 32 bits one to one (the finaliser of MurmurHash3)."""
    word = ((word ^ (word >> _SHIFT_16)) * _MIX_1) & _LOW
    word = ((word ^ (word >> _SHIFT_13)) * _MIX_2) & _LOW
    return word ^ (word >> _SHIFT_16)


@kernel
def start(state, seed):
    """Begin `state.stream` at `seed`, a whole number from 0 to 2**63 - 1."""
    word = np.uint64(seed)
    low = _mix((word & _LOW) ^ _MIX_1)
    high = _mix((word >> _SHIFT) ^ low)
    state.stream = ((_ONE + high % _LARGEST_CARRY) << _SHIFT) | low
    for _ in range(4):
        draw(state)


@kernel
def draw(state):
    """Return the next 32 random bits as uint64."""
    low = state.stream & _LOW
    carry = state.stream >> _SHIFT
    state.stream = low * _MULTIPLIER + carry
    return low ^ carry


@kernel
def below(state, count):
    """Return a whole number from 0 to `count` - 1, uniform to within count / 2**32."""
    return np.int64((draw(state) * np.uint64(count)) >> _SHIFT)


@kernel
def uniform(state):
    """Return a number strictly between 0 and 1, a multiple of 2**-33."""
    return (np.float64(draw(state)) + 0.5) / 4_294_967_296.0


@kernel
def shuffle(state, items, count):
    """Shuffle the first `count` of `items` in place (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(state, last + 1)
        items[last], items[other] = items[other], items[last]


@kernel
def pick(state, mask):
    """Return one of the actions allowed by `mask`, each equally likely; `mask` must allow one."""
    allowed = np.int64(0)  # wider than the mask, whose sum may leave int8
    for action in range(mask.shape[0]):
        allowed += mask[action]
    left = below(state, allowed)
    action = 0
    while action + _STRIDE <= mask.shape[0]:  # skip whole strides: most actions are not allowed
        stride = 0
        for place in range(_STRIDE):
            stride += mask[action + place]
        if left < stride:
            break
        left -= stride
        action += _STRIDE
    while left >= mask[action]:
        left -= mask[action]
        action += 1
    return action


@kernel
def derive(seed, major, minor):
    """Return a seed from 0 to 2**63 - 1 for part (`major`, `minor`) of whatever `seed` is the seed of."""
    word = np.uint64(seed)
    low, high = word & _LOW, word >> _SHIFT
    for part in (np.uint64(major), np.uint64(minor)):
        low = _mix(low ^ _mix((part & _LOW) ^ _MIX_1))
        high = _mix(high ^ _mix((part >> _SHIFT) ^ _MIX_2) ^ low)
    return np.int64(((high & _SIGN) << _SHIFT) | low)
