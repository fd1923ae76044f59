"""Shipped training configurations, as TOML files in the folder `home` of each game."""

from pathlib import Path

from sobremesa import envs
from sobremesa.envs.core import home


def names() -> list[str]:
    """Return the names of all configurations: `estafado`, `estafado_champion` and so on."""
    return sorted(_paths())


def path(name: str) -> Path:
    """Return the file of the configuration `name`; raise ValueError for an unknown name."""
    known = _paths()
    if name not in known:
        raise ValueError(f"no configuration {name!r}; there are {', '.join(sorted(known))}")
    return known[name]


def _paths() -> dict[str, Path]:
    """Return `config.toml` of each game by the game's name, and `config_SUFFIX.toml` by that name and `_SUFFIX`."""
    return {
        f"{name}{file.stem.removeprefix('config')}": file
        for name in envs.all_games()
        for pattern in ("config.toml", "config_*.toml")
        for file in home.matching(envs.load(name), pattern)
    }
