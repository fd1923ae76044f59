"""Submissions: an agent or cells of the benchmark in a folder, with figures that anyone can measure again.

`submission.json` (`Submission`) has the figures as rows of published results or as cells, and digests of the files of
the agent, which are in `agent/`. No file is unpickled, and programs run in the sandbox of the benchmark.
"""

import contextlib
import hashlib
import json
import math
import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sobremesa import agents, envs
from sobremesa.agents.arena.rate import MOST_DEALS
from sobremesa.agents.arena.score import LANGUAGE, nature
from sobremesa.agents.exported import MANIFEST
from sobremesa.agents.external import runner
from sobremesa.agents.named import COMMAND, MODEL, PYTHON, SOLVED, is_call
from sobremesa.agents.stored import LARGEST, Whole, read_object, structured
from sobremesa.envs.core.files import digest_inside, read_inside
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.report import results
from sobremesa.report.results import Row, Table
from sobremesa.training.benchmark import cells, confine, sandbox, sweep, tasks
from sobremesa.training.benchmark.candidates import candidate
from sobremesa.training.benchmark.cells import Record

FILE, FOLDER, FORMAT = "submission.json", "agent", 1
CONTAINER = "Containerfile"
LARGEST_FILE = 64 * 2**20  # bytes
AGENT = "AGENT"  # the submitted agent in the command of a row
BOT = "."  # the agent that is an exported bot
HEAD = ["game", "seats", "against", "role", "result", "low", "high"]
FORMS = ["", ",.0f", "", "", ",.3f", ",.3f", ",.3f"]
MEASURED = dict(zip(HEAD[-3:], ("value", "low", "high"), strict=True))  # fields of a score, by column
TEXTS = ("author", "licence", "made", "spec")
LONGEST, REFUSED = 300, set("|<>`[]\\")  # of a text: its characters, which are put into a table
MOST_TOLERANCE = 0.02
FIGURES, START, OWN = "figures.json", "start", "own"  # files of a match, and the agent's folder


class SubmissionError(ValueError):
    """A submission that is incomplete, changed or of another agent; the message names the row or the file."""


class Submission(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The manifest of a submission."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,59}\Z")]
    author: str
    licence: str  # of the files, as an SPDX identifier
    made: str  # how: commands, or words
    budget: Whole  # decisions of training
    cpu_minutes: Annotated[float, Meta(ge=0)]  # of the training, with the training of what it started from
    gpu_minutes: Annotated[float, Meta(ge=0)]
    tokens: Whole  # of language models
    spec: str  # name of the agent or candidate, for `agent/` as the working folder
    files: dict[str, str] = {}  # SHA-256 by name, for example agent/bot.json; none for an agent of the library
    secret: Annotated[str, Meta(pattern=r"^([0-9a-f]{32})?\Z")] = ""  # of the deals of a program
    table: Table | None = None  # HEAD, and the records of the measurements
    cells: list[dict[str, Any]] = []  # of the benchmark, as published

    def __post_init__(self) -> None:
        for name in TEXTS:
            text = getattr(self, name)
            if not (0 < len(text) <= LONGEST and text.isprintable()) or REFUSED & set(text):
                signs = " ".join(sorted(REFUSED))
                raise ValueError(f"{name} takes 1 to {LONGEST} printable characters without {signs}")
        if not math.isfinite(self.cpu_minutes + self.gpu_minutes):
            raise ValueError("cpu_minutes and gpu_minutes are finite numbers")

    def digest(self, game: Game) -> str:
        """Return a digest of the agent: of its name and files, or of the play of an agent of the library."""
        if not self.files:
            return results.digest_of(self.spec, game)
        return hashlib.sha256(json.dumps([self.spec, sorted(self.files.items())]).encode()).hexdigest()[:16]

    def rows(self) -> list[Row]:
        """Return the rows of `table`."""
        return self.table.whole("row") if self.table else []

    def measurements(self) -> Iterator[tuple[str, Row | Record]]:
        """Yield rows and cells with their names, for example `row 2`."""
        yield from ((f"row {number}", row) for number, row in enumerate(self.rows(), 1))
        yield from ((f"cell {number}", record) for number, record in enumerate(self.records(), 1))

    def records(self) -> list[Record]:
        """Return the records of `cells`; raise CellError for a damaged one."""
        return [cells.checked(one, f"cell {number}") for number, one in enumerate(self.cells, 1)]


def read(folder: Path) -> Submission:
    """Return the submission in `folder` after all checks that run nothing; raise SubmissionError if one fails."""
    found = read_object(folder / FILE, "submission", FORMAT, SubmissionError, inside=True)
    found.pop("format")
    one = structured(found, Submission, folder / FILE, SubmissionError)
    try:
        check_files(folder, one.files)
        check_agent(one)
        if one.table and (one.table.head, one.table.forms) != (HEAD, FORMS):
            raise SubmissionError(f"the columns of the table are {', '.join(HEAD)}, with their forms")
        for number, row in enumerate(one.rows(), 1):
            _check_row(one, row, f"row {number}")
        for number, record in enumerate(one.records(), 1):
            _check_record(one, record, f"cell {number}")
        if not one.rows() and not one.cells:
            raise SubmissionError("there are neither rows nor cells")
    except ValueError as error:
        raise SubmissionError(f"{folder}: {error}") from None
    return one


def check_files(folder: Path, files: dict[str, str]) -> None:
    """Raise SubmissionError unless `folder` has the manifest and exactly these files, with these digests."""
    for name, digest in files.items():
        try:
            same = digest_inside(folder, name, LARGEST_FILE) == digest
        except OSError as error:
            raise SubmissionError(f"{name!r:.200}: {error.strerror}") from None
        if not same:
            raise SubmissionError(f"{name} is not the file of the manifest; it was changed")
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise SubmissionError(f"{name} is a link; a submission has regular files only")
        if name not in files and name != FILE and not path.is_dir():
            raise SubmissionError(f"{name} is not in the manifest; remove it, or submit the folder again")


def check_agent(one: Submission) -> None:
    """Raise SubmissionError unless the files have the agent, or it is in the library."""
    spec, needed = one.spec, list[str]()
    if is_call(spec) or spec.startswith((MODEL, SOLVED)):
        raise SubmissionError(f"agent {spec}: it takes a bot, {PYTHON}..., {COMMAND}... or an agent of the library")
    if spec == BOT:
        needed = [MANIFEST]
    elif spec.startswith(COMMAND):
        needed = [CONTAINER]
    elif spec.endswith(".toml") or ":" in spec:
        place = spec.removeprefix(PYTHON).rpartition(":")[0] or spec
        module = place.replace(".", "/")
        needed = [place] if place.endswith((".py", ".toml")) else [f"{module}.py", f"{module}/__init__.py"]
    elif one.files:
        raise SubmissionError(f"agent {spec}: an agent of the library has no files")
    if needed and not any(f"{FOLDER}/{name}" in one.files for name in needed):
        raise SubmissionError(f"agent {spec}: its folder needs the file {' or '.join(needed)}")


def fields_of(
    one: Submission, game: Game, seats: int, against: str, role: str, deals: int, seed: int
) -> dict[str, Any]:
    """Return the fields of the row of a match, apart from its cells and its provenance."""
    words = ["sobremesa", "rate", game.name, AGENT, "--against", against, "--seats", str(seats)]
    words += ["--deals", str(deals), "--seed", str(seed), *(["--secret", one.secret] if one.secret else [])]
    place = f"scores[reference={against},role={role}]"
    return {
        "games": {game.id: rules_hash(game)},
        "agents": {AGENT: one.digest(game), against: results.digest_of(against, game)},
        "setup": {"seats": seats},
        "seeds": [seed],
        "deals": deals,
        "command": shlex.join(words),
        "read": {column: f"{place}.{field}" for column, field in MEASURED.items()},
    }


def check_limits(deals: int, tolerance: float, where: str = "") -> None:
    """Raise SubmissionError for a number of deals or a tolerance that no row may have."""
    if not 2 <= deals <= MOST_DEALS or not 0 <= tolerance <= MOST_TOLERANCE:
        most = f"2 to {MOST_DEALS:,} deals and a tolerance of 0 to {MOST_TOLERANCE}"
        raise SubmissionError(f"{where}a row takes {most}, not {deals} and {tolerance:g}")


def _check_row(one: Submission, row: Row, where: str) -> None:
    """Raise ValueError unless `row` is of the submitted agent against an agent of the library."""
    called, seats, against, role, *figures = row.cells
    name, _, version = str(called).rpartition("-v")
    game = envs.load(name)
    fits = against in agents.names(game) and role in nature(game).roles.get(LANGUAGE, ("",))
    one_of_each = version.isdecimal() and [*row.games] == [called] and len(row.seeds) == 1
    if type(seats) is not int or not fits or not one_of_each:
        takes = "one game, a number of seats, an agent of the library as opponent, a role of the game, and one seed"
        raise SubmissionError(f"{where}: it takes {takes}")
    if not one.files and one.spec not in agents.names(game):
        raise SubmissionError(f"{where}: {game.id} has no agent {one.spec}")
    check_limits(row.deals, row.tolerance, f"{where}: ")
    if not all(isinstance(figure, int | float) and math.isfinite(figure) for figure in figures):
        raise SubmissionError(f"{where}: {', '.join(MEASURED)} are finite numbers")
    wanted = fields_of(one, game, seats, str(against), str(role), row.deals, row.seeds[0])
    for field in ("command", "read", "setup"):
        if getattr(row, field) != wanted[field]:
            raise SubmissionError(f"{where}: its {field} is {getattr(row, field)!r:.300}, not {wanted[field]!r}")
    agent = row.agents.get(AGENT, "")
    if set(row.agents) != {AGENT, against} or (one.files and agent != wanted["agents"][AGENT]):
        raise SubmissionError(f"{where}: it was measured with another agent ({agent!r:.60}) than the one submitted")


def _check_record(one: Submission, record: Record, where: str) -> None:
    """Raise ValueError unless `record` is a finished one of the submitted candidate."""
    if record.status != "finished" or record.cell.candidate.spec != one.spec:
        raise SubmissionError(f"{where}, {record.cell.name}: it takes a finished cell of {one.spec}")
    sweep.check(record)


def library_agents(one: Submission, row: Row) -> dict[str, str]:
    """Return the digests of the agents of the library in `row`, by their names."""
    own = {} if one.files else {one.spec: row.agents[AGENT]}
    return own | {name: digest for name, digest in row.agents.items() if name != AGENT}


def copy(folder: Path, names: Iterable[str], to: Path) -> dict[str, str]:
    """Copy files of `folder` into `to`, and return their digests; raise OSError for a link or a name that leads out."""
    found = {}
    for name in names:
        content = read_inside(folder, name, LARGEST_FILE)
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_bytes(content)
        found[name] = hashlib.sha256(content).hexdigest()
    return found


def measured(one: Submission, command: str, folder: Path, scratch: Path) -> tuple[Any, tuple[str, ...]]:
    """Run the command of a row in the sandbox, and return its figures and the limits that held.

    The tournament writes in the new folder `scratch`, the agent only in a folder of it, so that it cannot write the
    figures. `folder` has a copy of the files. Both are absolute. Raises SubmissionError if the command fails.
    """
    (scratch / OWN).mkdir(parents=True)
    files = folder / FOLDER
    words = [_confined(one.spec, files, scratch) if word == AGENT else word for word in shlex.split(command)]
    with contextlib.chdir(files):
        ended = sandbox.confined(scratch, *words, "--json", str(scratch / FIGURES))
    try:
        return msgspec.json.decode(read_inside(scratch, FIGURES, LARGEST)), ended.limits
    except (OSError, ValueError):
        raise SubmissionError(f"its command ended by {ended.how}") from None


def _confined(spec: str, files: Path, scratch: Path) -> str:
    """Return the agent `spec` for a command: a program in a sandbox of its own, which a script in `scratch` starts."""
    if spec.startswith(PYTHON):
        place, _, function = spec.removeprefix(PYTHON).rpartition(":")
        program = [sys.executable, "-P", runner.__file__, "python", place, function]
    elif spec.startswith(COMMAND):
        program = shlex.split(spec.removeprefix(COMMAND))
    else:
        return str(files) if spec == BOT else spec
    words = [sys.executable, "-P", confine.__file__, str(scratch / OWN), confine.PROGRAM, *program]
    (scratch / START).write_text(f"exec {shlex.join(words)}\n", encoding="utf-8")
    return COMMAND + shlex.join(["sh", os.path.relpath(scratch / START, files)])  # the name of an agent is short


def check_candidate(one: Submission, record: Record, folder: Path) -> None:
    """Raise SubmissionError unless the candidate of `record` is the one whose files are in `folder`."""
    with contextlib.chdir(folder / FOLDER):
        if candidate(one.spec) != record.cell.candidate:
            raise SubmissionError(f"{record.cell.name}: it was made with another {one.spec}")


# The board.


def board(folder: Path) -> dict[str, Table]:
    """Return the tables of the board from the submissions in `folder`; raise SubmissionError for a wrong one."""
    found = [read(path.parent) for path in sorted(folder.glob(f"[!.]*/{FILE}"))]
    return {"submissions": _summary(found), "agents": _matches(found), "cells": _scores(found)}


def _summary(found: list[Submission]) -> Table:
    head = ["submission", "agent", "by", "licence", "how it was made", "decisions", "CPU min", "GPU min", "tokens"]
    forms = ["", "", "", "", "", ",.0f", ",.1f", ",.1f", ",.0f"]
    rows = []
    for one in found:
        texts = [one.name, f"`{one.spec}`" if one.spec != BOT else "bot", one.author, one.licence, one.made]
        rows.append({"cells": [*texts, one.budget, one.cpu_minutes, one.gpu_minutes, one.tokens]})
    return Table(head=head, forms=forms, rows=rows)


def _matches(found: list[Submission]) -> Table:
    """Return a row for each match, the best result first at each table."""
    rows = []
    for one, row in [(each, row) for each in found for row in each.rows()]:
        *where, result, low, high = row.cells
        kept = {name: getattr(row, name) for name in ("games", "seeds", "deals", "machine")}
        kept["commit"] = row.commit or "unknown"
        cells = [*where, one.name, [result, low, high], row.deals]
        rows.append({"cells": cells, **kept, "agents": library_agents(one, row)})
    rows.sort(key=lambda row: (*row["cells"][:4], -row["cells"][5][0], row["cells"][4]))
    head = [*HEAD[:4], "submission", "result", "deals"]
    forms = [*FORMS[:4], "", ",.3f", ",.0f"]
    note = "A result is a win rate, with roles a payoff, in a cooperative game a success rate."
    return Table(head=head, forms=forms, shared={"covers": "95 % over deals"}, rows=rows, explained=note)


def _scores(found: list[Submission]) -> Table:
    """Return a row for each cell of the benchmark, the best score first at each task."""
    rows = list[dict[str, Any]]()
    for one, record in [(each, record) for each in found for record in each.records()]:
        cell, last, task = record.cell, record.last, tasks.load(record.cell.task)
        figures = [cell.task, one.name, cell.seed, cell.budget, [last.score, last.low, last.high], last.cpu / 60]
        games = {f"{task.game}-v{task.version}": task.rules_hash}
        rows.append({"cells": figures, "games": games, "commit": record.made.get("commit", "unknown")})
    rows.sort(key=lambda row: (row["cells"][0], -row["cells"][4][0], row["cells"][1:3]))
    head = ["task", "submission", "seed", "decisions", "score", "CPU min"]
    note = "A score is 0 for `random` and 1 for `strong`."
    return Table(head=head, forms=["", "", ",.0f", ",.0f", ",.2f", ",.1f"], rows=rows, explained=note)
