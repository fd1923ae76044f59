"""Play a deal against agents in the terminal."""

import argparse
import itertools
import os
import shlex
import sys
from collections.abc import Callable
from errno import EACCES, EISDIR
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.human import Human
from sobremesa.agents.levels import LEVEL_NAMES, LEVELS, agent_of, level_of
from sobremesa.arguments import AGENT_HELP, add_table, drawn_seed, integer, read_setup
from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.sayings import own_words_setup
from sobremesa.envs.core.wording import PauseWords
from sobremesa.report import show
from sobremesa.report.players import Player, player_names
from sobremesa.report.thinking import HINT, Thinker, hint_spec

EXAMPLE = "sobremesa play ese_toro_enamorado --against strong"
FILMS = (".html", ".gif")
_NO_FILM = {
    "en": "{}: a film is written as .html or .gif",
    "es": "{}: una película se guarda como .html o .gif",
}
_LEFT = {
    "en": "\nThis deal is not kept. To play the same deal from its start:\n\n  {}\n\nUntil next time.",
    "es": "\nEsta partida no se guarda. Para jugarla otra vez desde el principio:\n\n  {}\n\nHasta la próxima.",
}
_SAVE = {
    "en": "Save this deal as a film? Type a file such as deal.html, or Enter for no: ",
    "es": "¿Guardar esta partida como película? Escribe un archivo, como partida.html, o Intro para no: ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help=f"opponents or partners: {AGENT_HELP} (default: scripted, the best scripted agent)",
    )  # fmt: skip
    who.add_argument(
        "--level",
        metavar="LEVEL",
        help="level of the opponents or partners, by their measured strength: "
        + ", ".join("/".join(dict.fromkeys(names[one] for names in LEVEL_NAMES.values())) for one in LEVELS),
    )
    parser.add_argument("--seats", type=integer, help="number of players (default: you and the agents given)")
    parser.add_argument("--seat", type=integer, help="your seat (default: drawn from the seed)")
    parser.add_argument("--film", type=Path, metavar="FILE", help="file for an animation, .html or .gif (default: ask)")
    parser.add_argument(
        "--hint", nargs="?", const=HINT, metavar="SEARCH",
        help=f"show a hint before each of your moves, by a search (default: when you type hint; by {HINT})",
    )  # fmt: skip
    parser.add_argument(
        "--pause", type=float, metavar="SECONDS",
        help="longest pause before your answer counts as one, in games with a rule for it (default: none)",
    )  # fmt: skip
    add_table(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play one deal with you at a seat."""
    game = envs.load(arguments.game)
    seed = drawn_seed(arguments.seed)
    setup = {**own_words_setup(game), **read_setup(game, arguments.setup, "--seats")}
    named = _named(arguments, game)
    others = [_opponent(name, game) for name in named]
    seats = max(len(others) + 1, game.seat_range[0]) if arguments.seats is None else arguments.seats
    if seats not in game.seat_range:
        raise ValueError(f"{game.name}: {seats} seats are not allowed; it takes {game.options[0].allowed()}")
    if len(others) >= seats:
        raise ValueError(f"--against has {len(others)} agents; with --seats {seats} give at most {seats - 1}")
    mine = seed % seats if arguments.seat is None else arguments.seat
    if mine not in range(seats):
        raise ValueError(f"--seat {mine} is not allowed; it takes 0 to {seats - 1}")
    sitting = list(itertools.islice(itertools.cycle(others), seats - 1))
    level = level_of(agent_of(arguments.level, game), game) if arguments.level is not None else None
    players = [Player(level=level) if level else Player(agent.name) for agent in sitting]
    person = Human(arguments.language, _ask)
    if arguments.pause is not None:
        person.pause = _pause(game, arguments.pause)
    person.hint, person.hints_each = _hinter(game, arguments), arguments.hint is not None
    sitting.insert(mine, person)
    players.insert(mine, Player())
    names = player_names(players, arguments.language)
    film: Path | None = arguments.film
    if film is not None and film.suffix.lower() not in FILMS:
        raise ValueError(f"--film {film}: the file name must end in {' or '.join(FILMS)}")
    if film is not None:
        _make_room(film)
    print(f"{game.words.title[arguments.language]}   --seed {seed} --seat {mine}")
    plies = show.play(game, sitting, names, seed, arguments.language, **setup)
    if not plies:
        person.tell(_LEFT[arguments.language].format(_command(arguments, seed, mine)))
    else:
        film = film or _asked_for_film(person)
        if film is not None:
            show.film(film, game, plies, names, None, arguments.language)
            print(film)
    return 0


def _ask(prompt: str) -> str:
    """Read a line from the terminal; raise EOFError at the end of input or if standard input is closed."""
    if sys.stdin is None or getattr(sys.stdin, "closed", False):
        raise EOFError
    if sys.stdout is not None:
        return input(prompt)
    line = sys.stdin.readline()  # `input` needs both
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _hinter(game: Game, arguments: argparse.Namespace) -> Callable[[View], list[str]]:
    """Return a function that returns the sentences of a hint; raise ValueError for an agent that does not search."""
    each, language = arguments.hint is not None, arguments.language
    spec = arguments.hint if each and arguments.hint != HINT else hint_spec(game, HINT)
    thinkers = [Thinker(game, spec)] if each else []

    def hint(view: View) -> list[str]:
        if not thinkers:
            thinkers.append(Thinker(game, spec))
        return [text for _, text in thinkers[0].hints(view, [language], typed=True)[language]]

    return hint


def _command(arguments: argparse.Namespace, seed: int, mine: int) -> str:
    """Return the command that deals the same deal again."""
    words = ["sobremesa", "play", arguments.game]
    words += ["--against", *arguments.against] if arguments.against else []
    words += ["--level", arguments.level] if arguments.level else []
    words += ["--seats", str(arguments.seats)] if arguments.seats is not None else []
    words += ["--setup", *arguments.setup] if arguments.setup else []
    words += ["--language", arguments.language] if arguments.language != LANGUAGES[0] else []
    return shlex.join([*words, "--seed", str(seed), "--seat", str(mine)])


def _asked_for_film(person: Human) -> Path | None:
    """Ask for the file of a film and return it, or None for no film."""
    while True:
        try:
            text = person.ask(_SAVE[person.language]).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if text.lower() in ("", "n", "no", "q"):
            return None
        if Path(text).suffix.lower() not in FILMS:
            person.tell(_NO_FILM[person.language].format(text))
            continue
        try:
            _make_room(Path(text))
        except OSError as error:
            person.tell(f"{text}: {error.strerror}")
            continue
        return Path(text)


def _make_room(film: Path) -> None:
    """Create the folder of `film`; raise OSError if the file cannot be written."""
    film.parent.mkdir(parents=True, exist_ok=True)
    if film.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(film))
    if not os.access(film.parent, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(film))


def _pause(game: Game, seconds: float) -> float:
    """Return `seconds`; raise ValueError unless they are positive and the game has a rule for pauses."""
    if not isinstance(game.words, PauseWords):
        raise ValueError(f"--pause: {game.name} has no rule for pauses")
    if not seconds > 0:
        raise ValueError(f"--pause {seconds:g} is not allowed; it takes a number above 0")
    return seconds


def _named(arguments: argparse.Namespace, game: Game) -> list[str]:
    """Return the names of the opponents that were asked for: a level, agents, or none for a table of one."""
    if arguments.level is not None:
        return [] if arguments.seats == 1 else [agent_of(arguments.level, game)]
    if arguments.against is None:
        return [] if arguments.seats == 1 else ["scripted"]
    return list(arguments.against)


def _opponent(name: str, game: Game) -> Agent:
    """Load an agent; `scripted` is the best scripted agent of the game."""
    if name != "scripted":
        return agents.load(name, game)
    return agents.load(agents.scripted_names(game)[-1], game)
