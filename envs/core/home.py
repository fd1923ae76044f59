"""The parts of a game in its package next to the rules: scripted bots in `bots`, and files in the folder `home`.

Configurations, levels, guides, ladders, exported bots and pictures are looked up here, so that an installed game can
have all of them. A game may have some of them, or none.
"""

import importlib
import importlib.util
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from sobremesa.envs.core.agent import Agent, Restricted
from sobremesa.envs.core.game import Game


def bots(game: Game) -> tuple[Agent, ...]:
    """Return the scripted bots of `game`, from weak to strong: `BOTS` of the module `bots` in its package."""
    return _of_bots(game, "BOTS")


def rivals(game: Game) -> tuple[Agent | Restricted, ...]:
    """Return the scripted agents of `game` that only test others: `RIVALS` of the module `bots` in its package."""
    return _of_bots(game, "RIVALS")


def _of_bots(game: Game, name: str) -> tuple[Any, ...]:
    package = _package(game)
    if not package or importlib.util.find_spec(f"{package}.bots") is None:
        return ()
    return tuple(getattr(importlib.import_module(f"{package}.bots"), name, ()))


def folder(game: Game) -> Path | None:
    """Return the folder `home` of `game`, which may be missing; None for a game without a package."""
    package = _package(game)
    return Path(str(files(package))) / "home" if package else None


def matching(game: Game, pattern: str) -> list[Path]:
    """Return the paths in the folder `home` of `game` that match the glob `pattern`, sorted."""
    found = folder(game)
    return [] if found is None else sorted(found.glob(pattern))


def table(game: Game, name: str) -> dict[str, Any]:
    """Return the content of the TOML file `name` of `game`, {} without that file; raise ValueError if it is damaged."""
    for path in matching(game, name):
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return {}


def _package(game: Game) -> str:
    """Return the package of `game`; "" without one, and for a variant of the package's `GAME` with another name."""
    game = game.reading.base if game.reading else game
    made = getattr(importlib.import_module(game.package), "GAME", None) if game.package else None
    return game.package if isinstance(made, Game) and made.name == game.name else ""
