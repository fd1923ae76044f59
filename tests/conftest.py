import numpy as np
import pytest
from scale import PLAIN


@pytest.fixture(autouse=True)
def _integer_overflow_raises_in_plain_mode():
    """Compiled kernels compute with wider integers than NumPy's scalars do: make plain mode say where they differ."""
    with np.errstate(over="raise" if PLAIN else "warn"):
        yield
