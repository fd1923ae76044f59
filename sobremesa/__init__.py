"""Sobremesa: reinforcement-learning environments for Spanish tabletop games, with agents and training."""

from sobremesa.interrupts import exit_on_interrupt  # isort: split

exit_on_interrupt()  # before the slow imports

from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402

# A script in a clone imports this folder, whatever is installed: so the other packages are found there too.
if (Path(__file__).parents[1] / "pyproject.toml").is_file():
    __path__.append(str(Path(__file__).parents[1]))

from sobremesa.envs import games, load, make, make_vec  # noqa: E402

__all__ = ["__version__", "games", "load", "make", "make_vec"]

__version__ = version("sobremesa")
