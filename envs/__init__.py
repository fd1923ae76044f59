"""The games by name, and everything that you need to play them or to add your own.

Importing this package registers the games with Gymnasium and PettingZoo under `sobremesa/<game>-v<version>`, as in
`gymnasium.make("sobremesa/ese_toro_enamorado-v1")`. A game of your own joins them through `register`, or from an
installed package through an entry point of the group `sobremesa.games` (see docs/own_game.md).
"""

import importlib
import pkgutil
import re
import types
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Literal, overload

import gymnasium
import pettingzoo

from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent, KernelAgent, View
from sobremesa.envs.core.api.aec import TableEnv
from sobremesa.envs.core.api.encoders import Encoder, register_encoder
from sobremesa.envs.core.api.obfuscated import NAME, obfuscated
from sobremesa.envs.core.api.renaming import ranked
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep, deal_seed
from sobremesa.envs.core.api.wrapped import GuardedTableEnv, constructors
from sobremesa.envs.core.chance import below, draw, pick, shuffle, start, uniform
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.errors import IllegalAction, MissingExtra, StateMismatch
from sobremesa.envs.core.game import ENDED, LANGUAGES, SEAT_SIGNS, Game, Option, check_language
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.core.plugins import attempt, discover, named, package_of
from sobremesa.envs.core.record import record
from sobremesa.envs.core.wording import Words

if TYPE_CHECKING:
    from sobremesa.envs.core.device.vector import TensorEnv

__all__ = [
    "LANGUAGES", "SEAT_SIGNS", "Agent", "Block", "Encoder", "Game", "GuardedTableEnv", "IllegalAction",
    "KernelAgent", "Layout", "MissingExtra", "Option", "StateMismatch", "TableEnv", "VectorEnv", "VectorStep",
    "View", "Words", "all_games", "below", "check_language", "constructors", "deal_seed", "draw", "games", "is_game",
    "kernel", "load", "make", "make_vec", "pick", "record", "reference_games", "register", "register_encoder",
    "registered_bots", "scratch", "shuffle", "start", "uniform", "variant",
]  # fmt: skip

GROUP = "sobremesa.games"  # of entry points
REFERENCE = ("kuhn_poker", "leduc_poker")  # small games with known solutions
_ID = re.compile(r"(\w+)-v(\d{1,9})")
_REGISTERED: dict[str, Game] = {}  # games from outside the library
_BOTS: dict[str, tuple[Agent, ...]] = {}  # their scripted agents, by the name of the game
_WITHOUT_BOTS: set[str] = set()  # packages of games whose module `bots` cannot be used
_FAILED: dict[str, str] = {}  # games that an installed package has and that cannot be loaded, and why


def games() -> list[str]:
    """Return the names of the tabletop games and of all games that were registered or installed, sorted."""
    _discover()
    return sorted((_library() - set(REFERENCE)) | set(_REGISTERED))


def reference_games() -> list[str]:
    """Return the names of the reference games: small, known elsewhere, and solved."""
    return list(REFERENCE)


def all_games() -> list[str]:
    """Return every name that `load` takes: `games()`, then `reference_games()`."""
    return games() + reference_games()


def load(name: str) -> Game:
    """Return the game with this name or id; raise ValueError with the known names if there is no such game.

    `<game>_obfuscated_<seed>` is a reading of a game with other numbers and names (obfuscated.py).
    """
    found = _ID.fullmatch(str(name))
    called, version = (found[1], int(found[2])) if found else (str(name), None)
    game = _REGISTERED.get(called) or _of_library(called)
    if game is None:
        _discover()
        game = _REGISTERED.get(called)
    if game is None and (reading := NAME.fullmatch(called)) and is_game(called):
        game = _obfuscated(reading[1], int(reading[2]))
    if game is None:
        why = f" ({_FAILED[called]})" if called in _FAILED else ""
        raise ValueError(f"no game {name!r}{why}; there are {', '.join(all_games())}")
    if version not in (None, game.version):
        why = f": {ENDED[version]}" if version in ENDED else ""
        raise ValueError(f"no game '{called}-v{version}'; there is {game.id}{why}")
    return game


def is_game(name: str) -> bool:
    """Return whether `name` is one of `all_games()`, or an obfuscated reading of one."""
    reading = NAME.fullmatch(name)
    return (reading[1] if reading else name) in all_games()


def variant(name: str, seed: int) -> dict[str, Any]:
    """Return the setup of a variant of the game, drawn by `seed`; raise ValueError for a game without variants.

    For example `make("estafado", **variant("estafado", 3))`. Three seeds in a row give up to three variants.
    """
    found = home.variants(load(name))
    if not found:
        raise ValueError(f"{name} has no variants; its package lists them in home/variants.toml")
    return found[ranked(len(found), "variants", seed // len(found))[seed % len(found)]]


def register(game: Game, bots: Sequence[Agent] = ()) -> None:
    """Add a game of your own, with its scripted `bots` from weak to strong.

    The game is then known by its name to every function, to Gymnasium and to PettingZoo, in this process. Call the
    bots "simple" and "strong": many defaults use these names. Raises ValueError if another game has the name, or if
    two bots share a name or one is called "random", which every game has.
    """
    if game.name in _library() or _REGISTERED.get(game.name, game) is not game:
        raise ValueError(f"a game called {game.name!r} is registered already")
    _BOTS[game.name] = _checked(game, bots)
    _REGISTERED[game.name] = game
    _register_ids(game.id)


def registered_bots(game: Game) -> list[Agent]:
    """Return the scripted agents that `game` was registered with, or else those of its package, from weak to strong."""
    if game.name in _library():
        return list(home.bots(game))
    if not _BOTS.get(game.name) and game.package and game.package not in _WITHOUT_BOTS:
        found: list[Agent] = []
        failed = attempt(f"bots of {game.package} are left out", lambda: found.extend(_checked(game, home.bots(game))))
        if not failed:
            return found
        _WITHOUT_BOTS.add(game.package)
    return list(_BOTS.get(game.name, ()))


def _checked(game: Game, bots: Sequence[Agent]) -> tuple[Agent, ...]:
    names = ["random", *(bot.name for bot in bots)]
    if len(set(names)) < len(names):
        raise ValueError(f"{game.name}: bots {names[1:]} must have names of their own, and none can be 'random'")
    return tuple(bots)


def make(name: str, **arguments: Any) -> TableEnv:
    """Return a bare AEC environment of the game; `TableEnv` describes the `arguments`."""
    return TableEnv(load(name), **arguments)


@overload
def make_vec(name: str, num_envs: int, seed: int = 0, *, device: Literal["cpu"] = "cpu", **arguments: Any) -> VectorEnv:
    """Return a VectorEnv."""


@overload
def make_vec(name: str, num_envs: int, seed: int = 0, *, device: Any, **arguments: Any) -> "TensorEnv":
    """Return a TensorEnv."""


def make_vec(name: str, num_envs: int, seed: int = 0, *, device: Any = "cpu", **arguments: Any) -> Any:
    """Return `num_envs` tables of the game as one environment.

    Args:
        name: a game, as `load` takes it.
        num_envs: the number of tables.
        seed: a whole number from 0 to 2**63 - 1.
        device: "cpu" for a `VectorEnv` with NumPy arrays; "cuda", "cuda:1" and so on for a `TensorEnv` with PyTorch
            tensors on that GPU, "cpu:0" for one that runs its code on the processor. The same seed gives the same deals
            and the same bytes on all.
        arguments: those of the class.
    """
    if str(device) == "cpu":
        return VectorEnv(load(name), num_envs, seed, **arguments)
    device = device_of(device)
    from sobremesa.envs.core.device.vector import TensorEnv

    return TensorEnv(load(name), num_envs, seed, device=device, **arguments)


def _guarded(game: str, **arguments: Any) -> GuardedTableEnv:
    """Return the environment that PettingZoo makes for an id."""
    return GuardedTableEnv(load(game), **arguments)


@cache
def _library() -> set[str]:
    return {room.name for room in pkgutil.iter_modules(__path__) if room.ispkg and room.name != "core"}


def _of_library(name: str) -> Game | None:
    if name not in _library():
        return None
    game = importlib.import_module(f"sobremesa.envs.{name}").GAME
    assert isinstance(game, Game)
    return game


@cache
def _obfuscated(name: str, seed: int) -> Game:
    game = obfuscated(load(name), seed)
    _register_ids(game.id)
    return game


def _discover() -> None:
    discover(GROUP, "game", _take, _leave_out)


def _take(entry: EntryPoint) -> None:
    """Register the `GAME` and the `BOTS` of the module that an entry point names; its own name is the game's id."""
    module = entry.load()
    game = getattr(module, "GAME", None)
    if not isinstance(module, types.ModuleType) or not isinstance(game, Game):
        raise TypeError(f"{entry.value} must be a module with a Game called GAME")
    if game.id != entry.name:
        raise ValueError(f"the entry point must have the id of its game as its name, {game.id!r}")
    register(game, getattr(module, "BOTS", ()))


def _leave_out(entry: EntryPoint, why: str) -> None:
    _FAILED[entry.name.rpartition("-v")[0]] = f"{package_of(entry)} has it and fails: {why}"


def _register_ids(*ids: str) -> None:
    """Register games by id with Gymnasium and PettingZoo; a game is loaded when its first environment is made."""
    for game_id in ids:
        name, known = game_id.rpartition("-v")[0], f"sobremesa/{game_id}"
        if known in gymnasium.registry:
            continue
        if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and later
            pettingzoo.register("aec", known, "sobremesa.envs:_guarded", kwargs={"game": name})
        gymnasium.register(
            known,
            "sobremesa.agents:make_seat_env",
            vector_entry_point="sobremesa.agents:make_seat_vec",
            kwargs={"game": name},
            disable_env_checker=True,
        )


def _by_name(game: Game) -> tuple[Any, ...]:
    """Return how pickles and copies of a game are read again: by its name."""
    return load, (game.name,)


Game.__reduce__ = _by_name  # type: ignore[assignment]
_register_ids(*(load(name).id for name in sorted(_library())), *(name for name in named(GROUP) if _ID.fullmatch(name)))
