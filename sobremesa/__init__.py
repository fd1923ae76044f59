"""Sobremesa: reinforcement-learning environments for Spanish tabletop games, with agents and training."""

from sobremesa.interrupts import exit_on_interrupt  # isort: split

exit_on_interrupt()  # before the slow imports

from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402

_clone = Path(__file__).parents[1]
if (
    _clone / "pyproject.toml"
).is_file():  # Python finds this folder first where a script lies in a clone: so the others
    __path__.append(str(_clone))

from sobremesa.envs import games, load, make, make_vec  # noqa: E402

__all__ = ["__version__", "games", "load", "make", "make_vec"]

__version__ = version("sobremesa")
