"""Logarithm, exponential and power for targets without a library of mathematics."""

import math

import numpy as np
import pytest

from sobremesa.envs.core.compile import elementary

RNG = np.random.default_rng(0)
NUMBERS = np.concatenate([RNG.random(2_000), np.exp(RNG.normal(0, 50, 2_000)), [5e-324, 1e-310, 1.7e308, 2.0**-33]])
EXPONENTS = np.concatenate([RNG.normal(0, 1, 2_000), RNG.uniform(-708, 709.7, 2_000)])
SPECIAL = [
    (0.0, 0.0), (0.0, 2.0), (0.0, -1.0), (-0.0, 3.0), (-2.0, 3.0), (-2.0, 0.5), (math.inf, -1.0), (-math.inf, 3.0),
    (1.0, math.nan), (math.nan, 0.0), (2.0, 2000.0), (2.0, -2000.0), (-8.0, 1 / 3), (0.5, math.inf), (3.0, -math.inf),
]  # fmt: skip


def ulps(found, wanted):
    """Return the largest difference in units of the last place."""
    found, wanted = np.array(found), np.array(wanted)
    assert np.isfinite(found).all()
    return (np.abs(found - wanted) / np.spacing(np.abs(wanted))).max()


def test_logarithms_are_those_of_the_c_library():
    assert ulps([elementary.log(x) for x in NUMBERS], np.log(NUMBERS)) <= 1
    assert elementary.log(0.0) == -math.inf
    assert elementary.log(math.inf) == math.inf
    assert math.isnan(elementary.log(-1.0))
    assert math.isnan(elementary.log(math.nan))


def test_exponentials_are_those_of_the_c_library():
    assert ulps([elementary.exp(x) for x in EXPONENTS], np.exp(EXPONENTS)) <= 1
    assert elementary.exp(-800.0) == 0
    assert elementary.exp(800.0) == math.inf
    assert math.isnan(elementary.exp(math.nan))


@pytest.mark.parametrize(
    ("exponents", "most"), [(RNG.integers(-40, 40, 2_000).astype(float), 1), (RNG.normal(0, 3, 2_000), 40)]
)
def test_powers_are_those_of_the_c_library(exponents, most):
    bases = 2 * RNG.random(2_000)
    assert ulps([elementary.power(*pair) for pair in zip(bases, exponents, strict=True)], bases**exponents) <= most


@pytest.mark.parametrize(("base", "exponent"), SPECIAL)
def test_powers_of_special_numbers(base, exponent):
    with np.errstate(all="ignore"):
        assert np.array_equal(elementary.power(base, exponent), np.float64(base) ** exponent, equal_nan=True)
