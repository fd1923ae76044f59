"""Agents: random, scripted, human, foreign, and bots that were trained and exported; and the arena where they meet.

Bots that come with the library lie in `agents/pretrained/<game>/<name>/`, each as any exported bot.
"""

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.arena.pairings import compare
from sobremesa.agents.arena.play import play
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Score
from sobremesa.agents.exact.solved import load_solved
from sobremesa.agents.foreign.agent import load_foreign
from sobremesa.agents.named import named
from sobremesa.agents.random import RANDOM
from sobremesa.agents.search.spec import load_search
from sobremesa.envs.core.agent import Agent, KernelAgent, View
from sobremesa.envs.core.api.gym import SeatEnv
from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game

__all__ = [
    "Agent", "KernelAgent", "Results", "Score", "View",
    "compare", "load", "make_seat_env", "make_seat_vec", "names", "play", "scripted_names",
]  # fmt: skip

SCRIPTED = ("simple", "strong")
PRETRAINED = Path(__file__).parent / "pretrained"
MOVED: dict[str, Path] = {}  # where folders of bots lie that another machine has named (arena/bundles.py)


def names(game: Game) -> list[str]:
    """Return the names of all agents that come with `game`: the scripted ones, then the bots, which need `bots`."""
    return scripted_names(game) + sorted(file.parent.name for file in (PRETRAINED / game.name).glob("*/bot.json"))


def scripted_names(game: Game) -> list[str]:
    """Return the names of "random" and the scripted agents of `game`, from weak to strong; they need no extra."""
    return ["random", *(agent.name for agent in _scripted(game))]


def load(spec: str | Path | Agent, game: Game | str | None = None) -> Agent:
    """Return an agent.

    Args:
        spec: one of `names(game)`, the folder of an exported bot, or a foreign agent: "python:FILE.py:FUNCTION",
            "python:package.module:FUNCTION" or "command:TEXT"; or one of these that thinks ahead, "search(strong)" or
            "search(trained, worlds=64)" (agents/search/); or "solved:FILE", what `sobremesa solve` has written
            (agents/exact/); an agent is returned as it is.
        game: the game to be played; may be left out for a bot, which says what it plays, and for a foreign agent.

    Raises:
        ValueError: nothing goes by this name, and the message names what there is; or it is neither text nor an agent.
        sobremesa.agents.exact.solved.PolicyError: the file holds no policy for `game`.
        sobremesa.agents.exported.BotError: the bot is damaged, outdated, or plays another game.
        MissingExtra: onnxruntime is not installed, and `spec` is a bot.
    """
    if not isinstance(spec, (str, Path)):
        if not isinstance(spec, Agent):
            shown = one_line(repr(spec), 200)
            raise ValueError(f"{shown} is no agent; it takes one, with `name` and `act`, or a name or folder as text")
        return spec
    kind = named(spec).kind if isinstance(spec, str) else "bot"
    if kind in ("python", "command"):
        return load_foreign(str(spec))
    game = envs.load(game) if isinstance(game, str) else game
    if kind == "solved":
        return load_solved(str(spec), game)
    if kind == "search":
        if game is None:
            raise ValueError(f"{spec}: say which game it plays")
        return load_search(str(spec), game, load)
    for agent in (RANDOM, *(_scripted(game) if game else [])):
        if agent.name == spec:
            return agent
    known = names(game) if game else [RANDOM.name]
    folder = PRETRAINED / game.name / spec if game and spec in known else MOVED.get(str(spec), Path(spec))
    if spec and _exists(folder):
        from sobremesa.agents.exported import load_bot

        return load_bot(folder, game)
    nor = ", nor such a folder" if folder.name != str(spec) else ""
    raise ValueError(
        f"no agent {one_line(repr(str(spec)), 200)}{nor}; there are {', '.join(known)}, the folders of exported bots, "
        "and python:FILE.py:FUNCTION and command:TEXT for agents of your own"
    )


def _exists(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # too long for a name
        return False


def make_seat_env(game: str, opponents: Any = "simple", **arguments: Any) -> SeatEnv:
    """Make a single-seat Gymnasium environment; agents play the other seats.

    Args:
        game: the game's name.
        opponents: an agent, a name or path that `load` takes, or several of these, drawn anew for each seat and deal.
        arguments: as in `SeatEnv`.
    """
    loaded = envs.load(game)
    return SeatEnv(loaded, _agents(opponents, loaded), **arguments)


def make_seat_vec(game: str, num_envs: int, opponents: Any = "simple", **arguments: Any) -> SeatVectorEnv:
    """Make a single-seat Gymnasium VectorEnv of `num_envs` tables; see `make_seat_env` and `SeatVectorEnv`."""
    loaded = envs.load(game)
    return SeatVectorEnv(loaded, num_envs, _agents(opponents, loaded), **arguments)


def _agents(opponents: Any, game: Game) -> list[Agent]:
    several = isinstance(opponents, Sequence) and not isinstance(opponents, str)
    return [load(one, game) for one in (opponents if several else [opponents])]


def _scripted(game: Game) -> list[Agent]:
    """Return `simple` and `strong` of `agents/scripted/<game>/bots.py`, with their outlooks and afterstates."""
    if own := envs.registered_bots(game):
        return own
    package = f"sobremesa.agents.scripted.{game.name}"
    if importlib.util.find_spec(package) is None:
        return []
    found = vars(importlib.import_module(f"{package}.bots"))
    return [
        KernelAgent(name, found[name], found.get(f"{name}_outlook"), found.get(f"{name}_afterstates"))
        for name in SCRIPTED
        if name in found
    ]
