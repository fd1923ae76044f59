"""Sizes of tests: plain Python plays some hundred times fewer plies a second than compiled kernels."""

import numba
import pytest

PLAIN = bool(numba.config.DISABLE_JIT)
CHECKED = bool(numba.config.BOUNDSCHECK)
COMPILED_ONLY = pytest.mark.skipif(PLAIN or CHECKED, reason="tried in the compiled mode alone")
LONG_IN_PLAIN = pytest.mark.thorough if PLAIN else pytest.mark.kernels  # for make test-all there
_PLAIN_SHARE = 10


def scaled(count):
    """Return `count`, or a tenth of it (but never nothing) in plain mode."""
    return max(1, count // _PLAIN_SHARE) if PLAIN else count
