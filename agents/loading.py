"""Loading: agents by their names, and single-seat environments against agents."""

import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.agents.builtin import RANDOM, RestrictedAgent, bot_folders, mapped, names, rivals, scripted
from sobremesa.agents.exact.solved import load_solved
from sobremesa.agents.exported import TEMPERATURES, Bot, load_bot
from sobremesa.agents.external.agent import load_external
from sobremesa.agents.language.model import load_model
from sobremesa.agents.named import (
    AgentName,
    BotFolder,
    Command,
    Model,
    Named,
    Python,
    Sampled,
    Search,
    SolvedFile,
    named,
)
from sobremesa.agents.search.spec import load_search
from sobremesa.envs.core.agent import Agent, Restricted
from sobremesa.envs.core.api.gym import SeatEnv
from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game


def load(spec: str | Path | Agent | Named, game: Game | str | None = None) -> Agent:
    """Return an agent.

    Args:
        spec: one of `names(game)`, or of the agents that only test others (`builtin.rivals`); the folder of an exported
            bot; "python:FILE.py:FUNCTION", "python:package.module:FUNCTION" or "command:TEXT" for an external agent;
            "search(AGENT)" or "ismcts(AGENT)", with settings, for a search over another agent; "sampled(BOT,
            temperature=2)" for a bot at another temperature; "llm:MODEL@URL" for a language model; or "solved:FILE" for
            a policy that `sobremesa solve` has written. A path is the folder of a bot. An agent is returned as it is.
        game: the game. It may be left out for a bot, whose manifest names its game, an external agent and a language
            model.

    Raises:
        ValueError: there is no agent of this name (the message lists the names), or `spec` is no name and no agent.
        sobremesa.agents.exact.solved.PolicyError: the file has no policy for `game`.
        sobremesa.agents.exported.BotError: the bot is damaged, outdated, or plays another game.
        MissingExtra: `spec` is a bot, and onnxruntime is not installed, or a language model, and httpx2 is not.
    """
    if not isinstance(spec, (str, Path, Named)):
        if not isinstance(spec, Agent):
            shown = one_line(repr(spec), 200)
            raise ValueError(f"{shown} is not an agent; give one with `name` and `act`, or its name or folder as text")
        return spec
    game = envs.load(game) if isinstance(game, str) else game
    known = names(game) if game else [RANDOM.name]
    tests = rivals(game) if game else {}
    one = BotFolder(str(spec), spec) if isinstance(spec, Path) else spec
    one = named(one, [*known, *tests]) if isinstance(one, str) else one
    if game is not None and game.reading is not None and _comes_with_a_game(one):
        return mapped(load(one, game.reading.base), game)
    if game is not None and isinstance(one, AgentName) and one.spec not in known and one.spec in tests:
        return _load_rival(tests[one.spec], game)
    return _load(one, game, known)


def _comes_with_a_game(one: Named | None) -> bool:
    """Return whether `one` is an agent that comes with a game, or a search over one: at a table of an obfuscated
    reading it knows the permutations, as programs, models and bots in folders do not.
    """
    if isinstance(one, Search | Sampled):
        return one.base is None or _comes_with_a_game(one.base)
    return isinstance(one, AgentName)


def _load_rival(rival: Agent | Restricted | Path, game: Game) -> Agent:
    if isinstance(rival, Path):
        return load_bot(rival, game)
    if isinstance(rival, Restricted):
        return RestrictedAgent(rival.name, load(rival.base, game), rival.restrict)
    return rival


def _load(one: Named, game: Game | None, known: Collection[str]) -> Agent:
    """Return the agent `one`; `known` are the names of the agents that come with the game."""
    match one:
        case Python() | Command():
            return load_external(one)
        case Model():
            return load_model(one)
        case SolvedFile():
            return load_solved(one, game)
        case BotFolder():
            return load_bot(one.path, game)
        case Search():
            if game is None:
                raise ValueError(f"{one.spec}: give the game that it plays")
            return load_search(one, game, load)
        case Sampled():
            return load_sampled(one, game, load)
        case AgentName() if one.spec in known:
            builtin = scripted(game) if game else {RANDOM.name: RANDOM}
            if one.spec in builtin:
                return builtin[one.spec]
            assert game is not None
            return load_bot(bot_folders(game)[one.spec], game)
    nor = ", nor such a folder" if "/" in one.spec else ""
    raise ValueError(
        f"no agent {one_line(repr(one.spec), 200)}{nor}; there are {', '.join(known)}, the folders of "
        "exported bots, python:FILE.py:FUNCTION and command:TEXT for agents of your own, and llm:MODEL@URL for "
        "language models"
    )


def load_sampled(one: Sampled, game: Game | None, load: Callable[[Named, Game | None], Agent]) -> Bot:
    """Return the bot in `one` at its temperature, 1 without one; `load` loads the bot.

    Raises ValueError for an agent that is not an exported bot, an unknown setting, or a temperature out of range.
    """
    shown, settings, (low, high) = one_line(one.spec, 200), dict(one.settings), TEMPERATURES
    if one.base is None:
        raise ValueError(f"{shown}: a bot comes first, as in sampled(champion, temperature=2)")
    text = settings.pop("temperature", "1")
    if settings:
        raise ValueError(f"{shown}: {one_line(next(iter(settings)), 60)} is not known; it takes temperature")
    try:
        temperature = float(text)
    except ValueError:
        temperature = math.nan
    if temperature != 0 and not low <= temperature <= high:
        given = one_line(repr(text), 60)
        raise ValueError(
            f"{shown}: temperature={given} is not allowed; it takes 0 or a number from {low:g} to {high:g}"
        )
    bot = load(one.base, game)
    if isinstance(one.base, Sampled) or not isinstance(bot, Bot):
        why = "is sampled already" if isinstance(bot, Bot) else "is not an exported bot and has no policy to sample"
        raise ValueError(f"{shown}: {bot.name} {why}; give an exported bot, such as champion or its folder")
    bot.temperature = abs(temperature)
    bot.name = f"sampled({bot.name}{'' if temperature == 1 else f', temperature={bot.temperature:.12g}'})"
    return bot


def make_seat_env(game: str, opponents: Any = "simple", **arguments: Any) -> SeatEnv:
    """Make a single-seat Gymnasium environment; agents play the other seats.

    Args:
        game: the game's name.
        opponents: an agent, a name or folder that `load` takes, or several of these; each seat of each deal draws one.
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
