"""The games that generic tests run on, and games changed on purpose."""

import dataclasses

import kuhn
from scale import PLAIN

from sobremesa import envs

BANDIDO = envs.load("bandido_alcatraz")
ERASE = envs.load("erase_una_vez")
TORO = envs.load("ese_toro_enamorado")
ENCIERRO = envs.load("corre_el_encierro")
ESTAFADO = envs.load("estafado")
KUHN = kuhn.GAME
GAMES = [envs.load(name) for name in envs.games() if name != KUHN.name]
ALL = [*GAMES, KUHN]


def with_words(game, kind=None, **words):
    """Return `game` with other words for people, of the class `kind` if they need another ability."""
    kind = kind or type(game.words)
    return dataclasses.replace(game, words=kind(**{**vars(game.words), **words}))


def with_defaults(game, **defaults):
    """Return `game` with other defaults of its options, for shorter deals than those that people play."""
    options = tuple(
        dataclasses.replace(option, default=defaults.get(option.name, option.default)) for option in game.options
    )
    return dataclasses.replace(game, options=options)


def brief(game):
    """Return `game` with deals short enough for slow checks, and long enough to meet all its phases."""
    shorter = {"max_rounds": 5, "max_sentences": 10 if PLAIN else 25}
    options = [
        dataclasses.replace(option, default=most, choices=range(option.choices[0], most + 1))
        if (most := shorter.get(option.name))
        else option
        for option in game.options
    ]
    return dataclasses.replace(game, options=tuple(options))
