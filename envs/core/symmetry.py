"""Symmetries of games: rotations and mirror images that the rules allow, for data augmentation."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Symmetry(NamedTuple):
    """A rotation or mirror image of a game.

    In the transformed table a seat has the observation `observation[seen]`, and action a becomes `actions[a]`.
    Transitions commute with the transformation; chance outcomes keep their probabilities.
    """

    seen: np.ndarray  #: (D,) int64: the source of each number of the observation
    actions: np.ndarray  #: (A,) int64: the image of each action
    setup: Mapping[str, Any] = {}  #: values of setup fields that it needs
