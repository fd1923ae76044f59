"""Write the decisions of replays, or of deals between agents, as NumPy arrays, text or a Minari dataset."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sobremesa import agents, envs, text_dataset
from sobremesa.agents.arena import dataset as datasets, replay as replays
from sobremesa.agents.arena.dataset import write_minari
from sobremesa.agents.arena.replay import Replay
from sobremesa.agents.language.prompt import Style
from sobremesa.arguments import AGENT_HELP, add_setup, count, read_setup, refuse, whole
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.progress import progress

EXAMPLE = "sobremesa dataset ese_toro_enamorado strong simple --deals 20 -o deals.npz"
PARTS = ("actions", "history")  # of a prompt that `Style` leaves out or puts in
DEALS = 1000  # between agents
TABLES = 250  # that they play side by side
REPLAY = ".json"  # file name ending of a replay
ENDINGS = {"npz": ".npz", "text": ".jsonl"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "deals_of", metavar="REPLAY|GAME", nargs="+",
        help=f"replay files ({REPLAY}) of one game; or the name of a game and one agent for each seat: {AGENT_HELP}",
    )  # fmt: skip
    parser.add_argument("--deals", type=count, help=f"deals between the agents (default: {DEALS})")
    parser.add_argument("--seed", type=whole, help="seed of the first deal; those of the others follow (default: 0)")
    add_setup(parser)
    parser.add_argument(
        "-o", "--out", type=Path, required=True,
        help="file to write (.npz; .jsonl for text); with --format minari the dataset id, such as toro/strong-v0",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=(*ENDINGS, "minari"), default="npz",
        help="npz: one row per decision; text: one line of JSON per decision, with prompt and answer in words; "
        "minari: single-player episodes in Minari's folder (default: npz)",
    )  # fmt: skip
    parser.add_argument("--language", choices=LANGUAGES, help="language of --format text (default: en)")
    parser.add_argument(
        "--style", nargs="+", action="extend", default=[], metavar="PART=yes|no",
        help="parts of the prompts of --format text: actions (the legal actions) and history (all events so far) "
        "(default: actions=yes history=no)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Read or play the deals and write their decisions."""
    out: Path = arguments.out
    ending = ENDINGS.get(arguments.format, out.suffix.lower())
    if out.suffix.lower() != ending:
        raise ValueError(f"{out}: the file name must end in {ending}")
    if arguments.format != "text" and (arguments.language or arguments.style):
        raise ValueError("--language and --style need --format text")
    style = replace(Style(arguments.language or "en"), **_parts(arguments.style))
    total, deals = _read(arguments) if _is_replay(arguments.deals_of[0]) else _played(arguments)
    if arguments.format != "minari":
        out.parent.mkdir(parents=True, exist_ok=True)
    sizes = ""
    with progress("deals") as update:
        counted = _counted(deals, total, update)
        if arguments.format == "text":
            game, decisions = text_dataset.write(out, counted, style)
        else:
            kept = list(counted)
            game = replays.game_of(kept[0])
            if arguments.format == "minari":
                episodes, decisions = write_minari(out.as_posix(), kept)
                sizes = f"{episodes:,} episodes"
            else:
                arrays = datasets.write(out, kept, game)
                decisions = len(arrays["action"])
                sizes = ", ".join(f"{name} {'x'.join(map(str, array.shape))}" for name, array in arrays.items())
    print(f"{out}: {decisions:,} decisions of {total:,} deals of {game.id}")
    if sizes:
        print(sizes)
    return 0


def _is_replay(name: str) -> bool:
    """Return whether the first argument is a replay file, and not the name of a game."""
    return name.lower().endswith(REPLAY) or (not envs.is_game(name) and Path(name).is_file())


def _counted(deals: Iterator[Replay], total: int, update: Callable[[int, int], None]) -> Iterator[Replay]:
    """Yield `deals`, and report each when the caller asks for the next one."""
    for number, replay in enumerate(deals):
        yield replay
        update(number + 1, total)


def _read(arguments: argparse.Namespace) -> tuple[int, Iterator[Replay]]:
    """Return the number of the replay files, and an iterator that reads them."""
    why = "needs the name of a game and agents; replays contain whole deals"
    refuse(arguments, ("deals", "seed", "setup"), why)
    files = arguments.deals_of
    return len(files), (replays.read(Path(file)) for file in files)


def _played(arguments: argparse.Namespace) -> tuple[int, Iterator[Replay]]:
    """Return the number of deals to play, and an iterator that plays them."""
    name, *names = arguments.deals_of
    game = envs.load(name)
    if not names:
        raise ValueError(f"{name}: give one agent for each seat after it, for example {name} strong simple")
    seated = [agents.load(each, game) for each in names]
    setup = read_setup(game, arguments.setup, "one AGENT for each seat")
    game.new_tables(1, {**setup, "seats": len(seated)})  # raise before playing
    total = DEALS if arguments.deals is None else arguments.deals
    first = arguments.seed or 0
    check_seed(first + total - 1)
    seeds = range(first, first + total)
    parts = (seeds[low : low + TABLES] for low in range(0, total, TABLES))
    return total, (replay for part in parts for replay in replays.record_many(game, seated, part, **setup))


def _parts(pairs: list[str]) -> dict[str, Any]:
    """Parse the parts of prompts given as PART=yes or PART=no; raise ValueError naming a wrong one."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name not in PARTS or text not in ("yes", "no"):
            raise ValueError(f"--style {pair} is not allowed; give PART=yes or PART=no with PART {' or '.join(PARTS)}")
        if name in found:
            raise ValueError(f"--style {pair}: {name} is given twice")
        found[name] = text == "yes"
    return found
