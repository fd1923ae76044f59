"""Show a deal between agents, or a replay, as text, an animation or a gallery."""

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.external.agent import Fault
from sobremesa.agents.language import transcript
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.language.model import LanguageModel
from sobremesa.agents.language.transcript import Transcript
from sobremesa.arguments import AGENT_HELP, add_table, count, drawn_seed, integer, read_setup, refuse, seconds
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.deal import Ply, deal_between, payoffs
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import TaleWords, sayings_of, words_of
from sobremesa.report import gallery, show, tale_page, terminal
from sobremesa.report.players import player_names, stored
from sobremesa.report.thinking import USUAL, Thinker

EXAMPLE = "sobremesa watch ese_toro_enamorado simple strong --out deal.html"
REPLAY = ".json"  # file name ending of a replay
ENDINGS = (".html", ".gif", ".txt", REPLAY)
THOUGHTS = (".html", ".txt")  # formats with value estimates of a search
TALES = (".html", ".txt")  # formats of a tale alone


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("deal", metavar="GAME", help=f"name of the game, or a replay file ({REPLAY})")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*", help=f"one agent for each seat: {AGENT_HELP} (default: scripted agents)"
    )
    parser.add_argument("--viewer", type=integer, help="show the view of this seat (default: everything)")
    parser.add_argument(
        "-o", "--out", type=Path,
        help=f"file for an animation (.html, .gif), the text (.txt) or a replay ({REPLAY}, and of language models "
        "transcripts beside it) (default: show it here)",
    )  # fmt: skip
    parser.add_argument(
        "--gallery", type=Path, metavar="FOLDER",
        help="folder of static pages to add the deal to (default: none)",
    )  # fmt: skip
    parser.add_argument("--deals", type=count, default=1, help="deals for the gallery, with rising seeds (default: 1)")
    parser.add_argument(
        "--think", nargs="?", const=USUAL, metavar="SEARCH",
        help=f"show the value estimates of a search at each decision (default: off; without a value {USUAL})",
    )  # fmt: skip
    parser.add_argument(
        "--plain", action="store_true",
        help="print the events only, also on a terminal, which otherwise shows each table in place of the last one "
        "(default: off)",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=seconds, default=1.0,
        help="time for each table on a terminal (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--tale", action="store_true",
        help="show only the tale of a storytelling game, as text or as a page (.txt, .html) (default: off)",
    )  # fmt: skip
    add_table(parser)


def run(arguments: argparse.Namespace) -> int:
    """Play a deal or a replay and show it."""
    out: Path | None = arguments.out
    if out is not None and out.suffix.lower() not in ENDINGS:
        raise ValueError(f"{out}: the file name must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    if arguments.gallery is not None:
        return _gallery(arguments)
    if arguments.deals != 1:
        raise ValueError("--deals needs --gallery")
    if arguments.tale and out is not None and out.suffix.lower() not in TALES:
        raise ValueError(f"{out}: the file name of a tale must end in {' or '.join(TALES)}")
    if arguments.viewer is not None and (arguments.tale or (out is not None and out.suffix.lower() == REPLAY)):
        raise ValueError("--viewer cannot be combined with --tale or a replay file, which have no view of a seat")
    if arguments.think is not None and (arguments.tale or (out is not None and out.suffix.lower() not in THOUGHTS)):
        raise ValueError("--think cannot be combined with --tale, and needs text or a page (.txt, .html)")
    game, seated_as, seed, plies = _read(arguments) if arguments.deal.lower().endswith(REPLAY) else _played(arguments)
    names = _spoken(seated_as, arguments.language)
    if out is None:
        _print(arguments, game, names, plies)
        print(f"\n--seed {seed}")
        return 0
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix.lower() == ".txt":
        write_whole(out, _text(arguments, game, names, plies) + "\n")
    elif arguments.tale:
        write_whole(out, tale_page.page(game, plies, names, arguments.language))
    elif out.suffix.lower() == REPLAY:
        replays.write(out, replays.from_plies(game, plies, seated_as, seed))
    else:
        show.film(out, game, plies, names, arguments.viewer, arguments.language, _thinker(arguments, game))
    print(f"{out}: {len(plies) - 1} plies, --seed {seed}")
    print(show.result(game, plies[-1].states, names, arguments.language))
    return 0


def _gallery(arguments: argparse.Namespace) -> int:
    """Add deals, or a replay, to a gallery."""
    refuse(arguments, ("out", "viewer", "tale"), "and --gallery cannot be combined")
    folder, first = arguments.gallery, drawn_seed(arguments.seed)
    if arguments.deal.lower().endswith(REPLAY) and arguments.deals != 1:
        raise ValueError(f"--deals {arguments.deals} is not allowed; {arguments.deal} contains one deal")
    check_seed(first + arguments.deals - 1)
    gallery.read(folder)  # raise before playing
    for number in range(arguments.deals):
        if arguments.deal.lower().endswith(REPLAY):
            game, names, seed, plies = _read(arguments)
        else:
            arguments.seed = first + number
            game, names, seed, plies = _played(arguments)
        names = _spoken(names, arguments.language)
        file = gallery.add(folder, game, plies, names, seed, arguments.language, _thinker(arguments, game))
        print(f"{file}: {len(plies) - 1} plies, --seed {seed}")
    print(folder / "index.html")
    return 0


def _spoken(names: Sequence[str], language: str) -> list[str]:
    """Return the names of agents in a file for readers."""
    return player_names(list(map(stored, names)), language)


def _thinker(arguments: argparse.Namespace, game: Game) -> Thinker | None:
    return None if arguments.think is None else Thinker(game, arguments.think)


def _print(arguments: argparse.Namespace, game: Game, names: Sequence[str], plies: Sequence[Ply]) -> None:
    """Show the deal on a terminal, or print its events; a tale is printed."""
    if arguments.tale:
        print(_text(arguments, game, names, plies))
        return
    shown = game, plies, names, arguments.viewer, arguments.language, _thinker(arguments, game)
    if arguments.plain or sys.stdout is None or not sys.stdout.isatty():
        print(terminal.events(*shown))
        return
    try:
        terminal.replay(*shown, seconds=arguments.seconds)
    except KeyboardInterrupt:
        print()


def _text(arguments: argparse.Namespace, game: Game, names: Sequence[str], plies: Sequence[Ply]) -> str:
    """Return the deal as text, or its tale alone."""
    if not arguments.tale:
        return show.watch_text(game, plies, names, arguments.viewer, arguments.language, _thinker(arguments, game))
    words = words_of(game, sayings_of(plies))
    assert isinstance(words, TaleWords)
    return words.tale(plies[-1].states, arguments.language)


def _read(arguments: argparse.Namespace) -> tuple[Game, Sequence[str], int, list[Ply]]:
    """Read and verify a replay; return its game, agents' names, seed and plies."""
    why = f"and {arguments.deal} cannot be combined; the replay contains the whole deal"
    refuse(arguments, ("agents", "seed", "setup"), why)
    replay = replays.read(Path(arguments.deal))
    game = replays.game_of(replay)
    _check(arguments, game, len(replay.agents))
    return game, replay.agents, replay.seed, list(replays.plies(replay, game))


def _played(arguments: argparse.Namespace) -> tuple[Game, Sequence[str], int, list[Ply]]:
    """Play a deal; return its game, agents' names, seed and plies."""
    game = envs.load(arguments.deal)
    seed = drawn_seed(arguments.seed)
    seated = [agents.load(name, game) for name in arguments.agents or _usual_table(game)]
    setup = read_setup(game, arguments.setup, "one AGENT for each seat")
    _check(arguments, game, len(seated))
    names, players = [agent.name for agent in seated], dict[int, Transcript]()
    for seat, agent in enumerate(seated):
        if isinstance(agent, LanguageModel):
            agent.transcript = players[seat] = Transcript()

    def keep(states: np.ndarray, end: dict[str, Any]) -> None:
        if players and arguments.out is not None and arguments.out.suffix.lower() == REPLAY:
            file: Path = arguments.out.with_suffix(".jsonl")
            file.parent.mkdir(parents=True, exist_ok=True)
            transcript.write(file, game, seed, game.setup(states), names, players, end)
            print(f"{file}: transcripts", flush=True)

    try:
        plies = list(deal_between(game, seated, seed, **setup))
    except (Fault, EndpointFailed) as failure:
        keep(game.new_tables(1, {**setup, "seats": len(seated)}), {"failure": str(failure)})
        raise
    keep(plies[-1].states, {"payoffs": payoffs(game, plies[-1].states).tolist()})
    return game, names, seed, plies


def _check(arguments: argparse.Namespace, game: Game, seats: int) -> None:
    """Raise ValueError for options that this deal cannot be shown with."""
    if arguments.viewer is not None and arguments.viewer not in range(seats):
        raise ValueError(f"--viewer {arguments.viewer} is not allowed; it takes 0 to {seats - 1}")
    if arguments.tale and not isinstance(game.words, TaleWords):
        raise ValueError(f"--tale is not allowed; {game.name} has no tale")
    _thinker(arguments, game)


def _usual_table(game: Game) -> list[str]:
    """Return the two best scripted agents of `game`, alternating, for the default number of seats."""
    return list(itertools.islice(itertools.cycle(agents.scripted_names(game)[-2:]), game.default_seats))
