"""List the games, or show the sizes, setup fields and rules of one."""

import argparse

from sobremesa import agents, envs
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash

EXAMPLE = "sobremesa games"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", nargs="?", metavar="GAME", help="game to show in detail (default: list all games)")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the details of one game."""
    if arguments.game is None:
        for name in envs.games():
            _list(envs.load(name))
        print("\nReference games, small enough to be solved exactly:")
        for name in envs.reference_games():
            _list(envs.load(name))
        return 0
    game = envs.load(arguments.game)
    print(f"{game.words.title['es']} / {game.words.title['en']}   id sobremesa/{game.id}   rules {rules_hash(game)}")
    print(f"actions {game.num_actions}, observation {game.layout.size}, agents {', '.join(agents.names(game))}\n")
    print("Setup fields:")
    for option in game.options:
        print(f"  {option.name:16} {option.doc}; {option.allowed()} (default {option.default!r})")
    print("\n" + game.words.help("en"))
    return 0


def _list(game: Game) -> None:
    seats = f"{'-'.join(str(count) for count in sorted({game.seat_range[0], game.seat_range[-1]}))} seats"
    title = f"{game.words.title['es']} / {game.words.title['en']}"
    print(f"{game.name:24} {title}; {seats}; agents: {', '.join(agents.names(game))}")
