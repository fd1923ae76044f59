"""Pack an agent or benchmark cells with measured figures into a submission for the board."""

import argparse
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from sobremesa import agents, arguments as flags, envs
from sobremesa.agents.arena.rate import references_of
from sobremesa.agents.arena.score import LANGUAGE, nature
from sobremesa.agents.exported import load_bot
from sobremesa.agents.named import COMMAND, PYTHON
from sobremesa.agents.stored import structured
from sobremesa.commit import commit
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress
from sobremesa.report import results, submissions
from sobremesa.report.results import Table
from sobremesa.report.submissions import BOT, CONTAINER, FOLDER, FORMS, HEAD, Submission, SubmissionError
from sobremesa.training.benchmark import published, sweep

EXAMPLE = (
    "sobremesa submit bots/mine --name mine --author 'A. Player' --licence MIT "
    "--made 'sobremesa train estafado' --budget 3_000_000 --cpu-minutes 9 --gpu-minutes 0 --tokens 0"
)
DEALS = 1000
SKIPPED = {"__pycache__", ".git"}
# What a submission has to state, and how it is called in messages.
STATED = {
    "name": "a name in small letters, digits and hyphens", "author": "the author",
    "licence": "the licence of the files, for example MIT", "made": "how the agent was made, commands or words",
    "budget": "the decisions of its training, 0 without any", "cpu_minutes": "CPU minutes of the training",
    "gpu_minutes": "GPU minutes of the training", "tokens": "tokens of language models that it took",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "agent", nargs="?", metavar="AGENT",
        help=f"folder of a bot; {PYTHON}FILE.py:FUNCTION, {PYTHON}package.module:FUNCTION or {COMMAND}TEXT in "
        "--folder; or an agent of the library",
    )  # fmt: skip
    parser.add_argument(
        "--folder", type=Path,
        help=f"folder of the files of a program or a learning function; a command needs a {CONTAINER} in it",
    )  # fmt: skip
    parser.add_argument("--cells", type=Path, metavar="DIR", help="instead of AGENT: folder of a benchmark")
    parser.add_argument("--game", help="game of an agent that is not a bot")
    for name, doc in STATED.items():
        kind = flags.whole if name in ("budget", "tokens") else flags.number if "minutes" in name else str
        parser.add_argument(flags.flag(name), type=kind, help=f"{doc} (required)")
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT", default=[],
        help="opponents of the library (default: the scripted agents)",
    )  # fmt: skip
    parser.add_argument("--seats", nargs="+", type=flags.count, help="numbers of seats (default: that of the game)")
    flags.add_deals(parser, DEALS)
    parser.add_argument(
        "--tolerance", type=flags.number, default=0.0,
        help="how far a figure may be away on another machine, at most "
        f"{submissions.MOST_TOLERANCE} (default: 0, the same bits)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="folder of the submission (default: submissions/NAME)")


def run(arguments: argparse.Namespace) -> int:
    """Copy the files, measure the agent in the sandbox, and write the manifest."""
    stated = {name: getattr(arguments, name) for name in STATED}
    if missing := [name for name, value in stated.items() if value is None]:
        raise ValueError(f"a submission needs {'; '.join(f'{flags.flag(name)}, {STATED[name]}' for name in missing)}")
    submissions.check_limits(arguments.deals, arguments.tolerance)
    spec, source, game = _cells(arguments) if arguments.agent is None else _agent(arguments)
    one = structured(stated | {"spec": spec}, Submission, "the submission", SubmissionError)
    out = arguments.out or Path("submissions") / one.name
    if out.exists():
        raise ValueError(f"{out} already exists; remove it, or choose another folder with --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as place:
        fresh = Path(place).resolve() / "fresh"
        (fresh / FOLDER).mkdir(parents=True)
        packed = submissions.copy(source, _names(source), fresh / FOLDER) if source else {}
        one.files = {f"{FOLDER}/{name}": digest for name, digest in packed.items()}
        submissions.check_agent(one)
        if game is None:
            one.cells = [published.stored(record) for record in sweep.records(arguments.cells)]
            for record in one.records():
                submissions.check_candidate(one, record, fresh)
        else:
            one.secret = secrets.token_hex(16) if spec.startswith((PYTHON, COMMAND)) else ""
            one.table = _measured(one, game, arguments, fresh)
        content = {"format": submissions.FORMAT} | msgspec.to_builtins(one)
        write_whole(fresh / submissions.FILE, json.dumps(content, indent=1) + "\n")
        if not one.files:
            (fresh / FOLDER).rmdir()
        submissions.read(fresh)
        os.replace(fresh, out)
    print(f"{out}: {len(one.files)} files, {len(one.rows()) + len(one.cells)} rows; check: sobremesa verify {out}")
    return 0


def _agent(arguments: argparse.Namespace) -> tuple[str, Path | None, Game]:
    """Return the name of the agent in its folder, the folder, and the game; raise ValueError for what is missing."""
    spec = str(arguments.agent)
    flags.refuse(arguments, ["cells"], "and AGENT cannot be combined")
    if spec.startswith((PYTHON, COMMAND)):
        if arguments.folder is None or arguments.game is None:
            raise ValueError(f"{spec} needs --folder, the folder of its files, and --game")
        return spec, arguments.folder, envs.load(arguments.game)
    flags.refuse(arguments, ["folder"], f"needs {PYTHON}..., {COMMAND}... or --cells")
    if Path(spec).is_dir():
        return BOT, Path(spec), envs.load(load_bot(Path(spec)).manifest["game"])
    if arguments.game is None:
        raise ValueError(f"{spec} is no folder of a bot; add --game for an agent of the library")
    game = envs.load(arguments.game)
    agents.load(spec, game)
    return spec, None, game


def _cells(arguments: argparse.Namespace) -> tuple[str, Path | None, None]:
    """Return the candidate of the cells and the folder of its files; raise ValueError for what is missing."""
    if arguments.cells is None:
        raise ValueError("sobremesa submit takes AGENT, or --cells DIR")
    flags.refuse(arguments, ["game", "against", "seats"], "and --cells cannot be combined")
    specs = {record.cell.candidate.spec for record in sweep.records(arguments.cells)}
    if len(specs) > 1:
        raise ValueError(f"{arguments.cells} has cells of {', '.join(sorted(specs))}; submit each from its own folder")
    return specs.pop(), arguments.folder, None


def _names(source: Path) -> list[str]:
    """Return the names of the files of a submission in the folder `source`."""
    found = [path for path in sorted(source.rglob("*")) if path.is_symlink() or not path.is_dir()]
    names = [path.relative_to(source) for path in found]
    return [name.as_posix() for name in names if not SKIPPED & set(name.parts)]


def _measured(one: Submission, game: Game, arguments: argparse.Namespace, fresh: Path) -> Table:
    """Return the rows of the matches of the agent, measured in the sandbox."""
    opponents = references_of(game, one.spec, arguments.against)
    if unknown := [name for name in opponents if name not in agents.names(game)]:
        raise ValueError(f"--against {unknown[0]} is not allowed; it takes {', '.join(agents.names(game))}")
    if game.cooperative:  # a team meets no other
        opponents = opponents[-1:]
    matches = [(seats, other) for seats in arguments.seats or [game.default_seats] for other in opponents]
    made = sweep.provenance(commit(), "")
    versions = {name: version for name, version in made.items() if name not in ("machine", "commit", "command")}
    shared = {"commit": made["commit"], "versions": versions, "machine": made["machine"], "covers": "95 % over deals"}
    table = Table(head=HEAD, forms=FORMS, shared=shared | {"tolerance": arguments.tolerance}, rows=[])
    with progress("submit") as update:
        for number, (seats, other) in enumerate(matches):
            update(number, len(matches), f"among {other}, {seats} seats")
            figures: Any = None
            for role in nature(game).roles.get(LANGUAGE, ("",)):
                fields = submissions.fields_of(one, game, seats, other, role, arguments.deals, arguments.seed)
                if figures is None:
                    figures, _ = submissions.measured(one, fields["command"], fresh, fresh.with_name(f"match-{number}"))
                values = [results.found_at(figures, place) for place in fields["read"].values()]
                table.rows.append({"cells": [game.id, seats, other, role, *values], **fields})
        update(len(matches), len(matches))
    return table
