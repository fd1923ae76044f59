"""Write the decisions of replays as NumPy arrays, as text or as a Minari dataset."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from sobremesa import text_dataset
from sobremesa.agents.arena import dataset as datasets
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.arena.dataset import write_minari
from sobremesa.agents.language.prompt import Style
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.progress import progress

EXAMPLE = "sobremesa dataset deals/1.json deals/2.json -o deals.npz"
PARTS = ("actions", "history")  # of a prompt that `Style` leaves out or puts in
ENDINGS = {"npz": ".npz", "text": ".jsonl"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", metavar="REPLAY", nargs="+", type=Path, help="replay files of one game")
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
    """Replay the deals and write their decisions."""
    out: Path = arguments.out
    ending = ENDINGS.get(arguments.format, out.suffix)
    if out.suffix != ending:
        raise ValueError(f"{out}: the file name must end in {ending}")
    if arguments.format == "text":
        return _write_text(arguments, out)
    if arguments.language or arguments.style:
        raise ValueError("--language and --style need --format text")
    read = [replays.read(path) for path in arguments.files]
    game = replays.game_of(read[0])
    if arguments.format == "minari":
        found = write_minari(out.as_posix(), read)
        decisions = sum(len(one.actions) for one in found)
        print(f"{out}: {len(found):,} episodes, {decisions:,} decisions of {len(read):,} deals of {game.id}")
        return 0
    out.parent.mkdir(parents=True, exist_ok=True)
    arrays = datasets.write(out, read, game)
    sizes = ", ".join(f"{name} {'x'.join(map(str, array.shape))}" for name, array in arrays.items())
    print(f"{out}: {len(arrays['action']):,} decisions of {len(read):,} deals of {game.id}")
    print(sizes)
    return 0


def _write_text(arguments: argparse.Namespace, out: Path) -> int:
    style = replace(Style(arguments.language or "en"), **_parts(arguments.style))
    out.parent.mkdir(parents=True, exist_ok=True)
    with progress("deals") as update:
        game, decisions = text_dataset.write(out, arguments.files, style, update)
    print(f"{out}: {decisions:,} decisions of {len(arguments.files):,} deals of {game.id}")
    return 0


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
