"""Symmetry: ways to turn and mirror a game that its rules do not notice, by which one view teaches a network more."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Symmetry(NamedTuple):
    """A way to turn or mirror a game.

    Whatever a seat sees and may do, a seat of the table turned so sees `observation[seen]` and may do `turned[action]`;
    and whatever is played, what comes of it is turned alike (but for what is left to chance, which is as likely).
    """

    seen: np.ndarray  # (D,) int64: the place in the observation that each number is taken from
    actions: np.ndarray  # (A,) int64: what each action becomes
    setup: Mapping[str, Any] = {}  # values of setup fields without which it does not hold
