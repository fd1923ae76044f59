"""Training: fit an agent by a recipe that is right for turn-based games, watch it, export it as a bot."""

import os

# PyTorch's threads spin while they wait, which makes training ten times slower wherever something else runs too.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when PyTorch is loaded, so this comes first
