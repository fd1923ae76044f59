"""Levels of play: names that people know for the agents of a game, from `home/levels.toml` of its package."""

from sobremesa.agents.builtin import names
from sobremesa.agents.named import is_call
from sobremesa.envs.core import home
from sobremesa.envs.core.game import Game

LEVELS = ("easy", "medium", "hard", "champion")  # from weak to strong
LEVEL_NAMES = {
    "en": dict(zip(LEVELS, LEVELS, strict=True)),
    "es": {"easy": "fácil", "medium": "medio", "hard": "difícil", "champion": "campeón"},
}
_PLAYER = {"en": "computer ({})", "es": "ordenador ({})"}


def levels(game: Game) -> dict[str, str]:
    """Return the name of the agent of each level of `game`, from weak to strong; empty for a game without levels.

    Raises ValueError for a damaged file, an unknown level, and a name that is no agent of the game, no
    sampled bot and no search.
    """
    found, known = home.table(game, "levels.toml"), names(game)
    for level, agent in found.items():
        if level not in LEVELS:
            raise ValueError(f"home/levels.toml of {game.name} has {level!r}; the levels are {', '.join(LEVELS)}")
        if not isinstance(agent, str) or not (agent in known or is_call(agent)):
            raise ValueError(
                f"home/levels.toml of {game.name}: {level} = {agent!r:.60} is no agent; there are {', '.join(known)}, "
                "sampled bots such as sampled(champion, temperature=2), and searches such as search(strong)"
            )
    return {level: found[level] for level in LEVELS if level in found}


def level_of(agent: str, game: Game) -> str | None:
    """Return the level of the agent named `agent` in `game`, None without one."""
    return next((level for level, name in levels(game).items() if name == agent), None)


def player_name(level: str, language: str) -> str:
    """Return the name of a player of a level at a table: `computer (hard)`."""
    return _PLAYER[language].format(LEVEL_NAMES[language][level])


def agent_of(level: str, game: Game) -> str:
    """Return the name of the agent of a level, named in any language; raise ValueError if there is none."""
    known = levels(game)
    for by_level in LEVEL_NAMES.values():
        for one, called in by_level.items():
            if level.casefold() in (one, called) and one in known:
                return known[one]
    raise ValueError(f"{game.name} has no level {level[:40]!r}; it has {', '.join(known) or 'no levels'}")
