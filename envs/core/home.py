"""The parts of a game in its package next to the rules: scripted bots in `bots`, and files in the folder `home`.

Configurations, levels, guides, ladders, exported bots and pictures are looked up here, so that an installed game can
have all of them. A game may have some of them, or none.
"""

import importlib
import importlib.util
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import product
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


def variants(game: Game, families: Mapping[str, Sequence[Any]] | None = None) -> list[dict[str, Any]]:
    """Return the setups of the variants of `game`: all combinations of choices but for the usual setup.

    `families` has choices by option; None takes `home/variants.toml`, and the list is empty without this file. A setup
    names the options whose choice is not the usual one. Raises ValueError for an unknown option or choice.
    """
    chosen = table(game, "variants.toml") if families is None else families
    usual = {option.name: option.default for option in game.options}
    found = [dict(zip(chosen, one, strict=True)) for one in product(*chosen.values())]
    for setup in found:
        try:
            game.new_tables(1, setup)
        except TypeError as error:
            raise ValueError(f"home/variants.toml of {game.name}: {error}") from None
    changed = [{name: value for name, value in setup.items() if value != usual[name]} for setup in found]
    return [setup for setup in changed if setup]


def _package(game: Game) -> str:
    """Return the package of `game`; "" without one, and for a variant of the package's `GAME` with another name."""
    game = game.reading.base if game.reading else game
    made = getattr(importlib.import_module(game.package), "GAME", None) if game.package else None
    return game.package if isinstance(made, Game) and made.name == game.name else ""
