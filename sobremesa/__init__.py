"""Sobremesa: reinforcement-learning environments for Spanish tabletop games, with agents and training."""

from importlib.metadata import version

from sobremesa.envs import games, load, make, make_vec

__all__ = ["__version__", "games", "load", "make", "make_vec"]

__version__ = version("sobremesa")
