"""The games, by name; importing this registers them with PettingZoo and Gymnasium.

Registered ids are `sobremesa/<game>-v<version>`, as in `pettingzoo.make("aec", "sobremesa/ese_toro_enamorado-v1")`.
"""

import importlib
import pkgutil
import re
from typing import Any

import gymnasium
import pettingzoo

from sobremesa.envs.core.agent import Agent, KernelAgent, View
from sobremesa.envs.core.api.aec import TableEnv
from sobremesa.envs.core.api.encoders import Encoder, register_encoder
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep, deal_seed
from sobremesa.envs.core.errors import IllegalAction, StateMismatch
from sobremesa.envs.core.game import ENDED, Game, Option

__all__ = [
    "Agent", "Encoder", "Game", "IllegalAction", "KernelAgent", "Option", "StateMismatch", "TableEnv", "VectorEnv",
    "VectorStep", "View", "all_games", "deal_seed", "games", "load", "make", "make_vec", "reference_games", "register",
    "register_encoder",
]  # fmt: skip

REFERENCE = ("kuhn_poker", "leduc_poker")  # rooms of games whose answers are known, for measuring by
_REGISTERED: dict[str, Game] = {}  # games that did not come with the library


def games() -> list[str]:
    """Return the names of the tabletop games, sorted, and of those that were registered."""
    rooms = {room.name for room in pkgutil.iter_modules(__path__) if room.ispkg and room.name != "core"}
    return sorted((rooms - set(REFERENCE)) | set(_REGISTERED))


def reference_games() -> list[str]:
    """Return the names of the games that are there to measure by: small, known elsewhere, and solved."""
    return list(REFERENCE)


def all_games() -> list[str]:
    """Return every name that `load` takes: `games()`, then `reference_games()`."""
    return games() + reference_games()


def load(name: str) -> Game:
    """Return the game called `name`, or by its id; raise ValueError naming those there are."""
    name, version = _parted(name)
    if name not in all_games():
        raise ValueError(f"no game {name!r}; there are {', '.join(all_games())}")
    game = _REGISTERED.get(name) or _room(name)
    if version not in (None, game.version):
        why = f": {ENDED[version]}" if version in ENDED else ""
        raise ValueError(f"no game '{name}-v{version}'; there is {game.id}{why}")
    return game


def _parted(name: str) -> tuple[str, int | None]:
    """Return the name of a game, and the version where `name` is its id."""
    found = re.fullmatch(r"(.*)-v(\d{1,9})", str(name))
    return (found[1], int(found[2])) if found and found[1] in all_games() else (name, None)


def _room(name: str) -> Game:
    game = importlib.import_module(f"sobremesa.envs.{name}").GAME
    assert isinstance(game, Game)
    return game


def register(game: Game) -> None:
    """Make a game of your own known by its name; raise ValueError if the name is taken by another one."""
    if game.name in all_games() and _REGISTERED.get(game.name) is not game:
        raise ValueError(f"a game called {game.name!r} is registered already")
    _REGISTERED[game.name] = game


def make(name: str, **arguments: Any) -> TableEnv:
    """Make a bare AEC environment of the game called `name`; `TableEnv` says what `arguments` there are."""
    return TableEnv(load(name), **arguments)


def make_vec(name: str, num_envs: int, seed: int = 0, **arguments: Any) -> VectorEnv:
    """Make `num_envs` tables of the game called `name`; `VectorEnv` says what `arguments` there are."""
    return VectorEnv(load(name), num_envs, seed, **arguments)


def _register_ids() -> None:
    for name in all_games():
        game_id = f"sobremesa/{load(name).id}"
        if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and later
            pettingzoo.register("aec", game_id, f"sobremesa.envs.{name}:env")
        gymnasium.register(
            game_id,
            "sobremesa.agents:make_seat_env",
            vector_entry_point="sobremesa.agents:make_seat_vec",
            kwargs={"game": name},
            disable_env_checker=True,
        )


_register_ids()
