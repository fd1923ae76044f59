"""Shipped training configurations, as TOML files."""

from importlib.resources import files
from pathlib import Path


def names() -> list[str]:
    """Return the names of all configurations."""
    return sorted(file.name.removesuffix(".toml") for file in files(__name__).iterdir() if file.name.endswith(".toml"))


def path(name: str) -> Path:
    """Return the file of the configuration `name`; raise ValueError for an unknown name."""
    if name not in names():
        raise ValueError(f"no configuration {name!r}; there are {', '.join(names())}")
    return Path(str(files(__name__) / f"{name}.toml"))
