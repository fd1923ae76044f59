"""Logarithm, exponential and power from basic arithmetic, for targets without a library of mathematics.

On a processor Numba calls the C library, which a GPU lacks. Logarithms, exponentials and
whole powers differ from its results by an ulp at most, other powers by some tens (tests/envs/core/test_elementary.py).
Source: the approximations of fdlibm (Sun Microsystems, 1993).
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG = (
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
)  # fmt: skip
_EXP = (
    1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)  # fmt: skip
_LARGEST, _SMALLEST = 709.782712893384, -745.1332191019411  # arguments with finite results above 0
_MANTISSA, _ONE = 0x000F_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000
_SUBNORMAL, _LIFT = 2.2250738585072014e-308, 18014398509481984.0  # 2**-1022, 2**54
_ROOT = 1.4142135623730951
_SPLIT = 134217729.0  # 2**27 + 1
_WHOLE = 1024.0  # exponents up to here are multiplied out


@kernel
def _of_bits(bits):
    return np.int64(bits).view(np.float64)


@kernel
def log(x):
    """Return the natural logarithm of a float64."""
    if x != x or x < 0:
        return np.nan
    if x == 0:
        return -np.inf
    if x == np.inf:
        return x
    shift = 0
    if x < _SUBNORMAL:
        x, shift = x * _LIFT, -54
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> 52) - 1023 + shift
    part = _of_bits((bits & _MANTISSA) | _ONE)  # 1 to 2
    if part > _ROOT:
        part, exponent = 0.5 * part, exponent + 1
    f = part - 1
    s = f / (2 + f)
    z, half = s * s, 0.5 * f * f
    r = 0.0
    for k in range(6, -1, -1):
        r = z * (_LOG[k] + r)
    return exponent * _LN2_HIGH - ((half - (s * (half + r) + exponent * _LN2_LOW)) - f)


@kernel
def exp(x):
    """Return e to the power of a float64."""
    if x != x:
        return x
    if x > _LARGEST:
        return np.inf
    if x < _SMALLEST:
        return 0.0
    count = np.int64(np.floor(x / _LN2_HIGH + 0.5))
    high, low = x - count * _LN2_HIGH, count * _LN2_LOW
    r = high - low
    t = r * r
    c = 0.0
    for k in range(4, -1, -1):
        c = t * (_EXP[k] + c)
    c = r - c
    y = 1 - ((low - (r * c) / (2 - c)) - high)
    first = count // 2  # in two steps, because 2**count alone may overflow
    return y * _of_bits((first + 1023) << 52) * _of_bits((count - first + 1023) << 52)


@kernel
def _product(a, a_low, b, b_low):
    """Return the product of two sums of a number and its rest, as such a sum (Dekker 1971)."""
    left, right = _SPLIT * a, _SPLIT * b
    a_head, b_head = left - (left - a), right - (right - b)
    a_tail, b_tail = a - a_head, b - b_head
    high = a * b
    low = ((a_head * b_head - high) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail + (a * b_low + a_low * b)
    total = high + low
    return total, low - (total - high)


@kernel
def power(x, y):
    """Return a float64 to the power of another one."""
    if y == 0 or x == 1:
        return 1.0
    if x != x or y != y:
        return np.nan
    whole = y == np.floor(y)
    odd = whole and abs(y) < 2.0**53 and y / 2 != np.floor(y / 2)
    if x == 0 or abs(x) == np.inf:
        grows = (y > 0) == (x != 0)
        size = np.inf if grows else 0.0
        return -size if odd and np.float64(x).view(np.int64) < 0 else size
    if x < 0 and not whole:
        return np.nan
    if whole and abs(y) <= _WHOLE:
        high, low, base, base_low, left = 1.0, 0.0, x, 0.0, np.int64(abs(y))
        while left:
            if left & 1:
                high, low = _product(high, low, base, base_low)
            left >>= 1
            if left:
                base, base_low = _product(base, base_low, base, base_low)
        if high == high:  # not if it overflowed on the way
            return high if y > 0 else 1 / high
    size = exp(y * log(abs(x)))
    return -size if odd and x < 0 else size
