"""Check submissions: their files, and a sample of their figures, measured again in the sandbox."""

import argparse
import contextlib
import random
import tempfile
from pathlib import Path

import msgspec

from sobremesa import arguments as flags
from sobremesa.commands.results import print_compared
from sobremesa.commit import commit
from sobremesa.progress import progress
from sobremesa.report import submissions
from sobremesa.report.results import Row, stale
from sobremesa.report.submissions import FOLDER, Submission, SubmissionError
from sobremesa.training.benchmark import sweep
from sobremesa.training.benchmark.cells import Record

EXAMPLE = "sobremesa verify submissions/mine --rows 3 --seed 1"
ROWS, DECISIONS = 3, 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folders", metavar="SUBMISSION", type=Path, nargs="+", help="folder of a submission")
    parser.add_argument(
        "--rows", type=flags.count, default=ROWS,
        help=f"rows to measure again, or cells of at most {DECISIONS:,} decisions (default: {ROWS})",
    )  # fmt: skip
    parser.add_argument("--seed", type=flags.whole, default=0, help="seed that chooses them (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    """Verify each submission; return 1 if one is refused."""
    refused = 0
    for folder in arguments.folders:
        try:
            _verify(folder, arguments.rows, arguments.seed)
        except SubmissionError as error:
            print(f"refused: {error}", flush=True)
            refused += 1
    return 1 if refused else 0


def _verify(folder: Path, rows: int, seed: int) -> None:
    """Check the files and measure a sample again; raise SubmissionError that names a row or a file."""
    one = submissions.read(folder)
    measurable = {name: row for name, row in one.measurements() if isinstance(row, Row) or row.cell.budget <= DECISIONS}
    names = sorted(random.Random(seed).sample([*measurable], min(rows, len(measurable))), key=[*measurable].index)
    every = len(one.rows()) + len(one.cells)
    print(f"{folder}: {len(one.files)} files fit; measures {', '.join(names) or 'no row'} of {every} again", flush=True)
    limits, wrong = tuple[str, ...](), list[str]()
    with tempfile.TemporaryDirectory(prefix="sobremesa-submission-") as place, progress("verify") as update:
        if submissions.copy(folder, one.files, Path(place)) != one.files:
            raise SubmissionError(f"{folder}: a file changed while it was copied")
        (Path(place) / FOLDER).mkdir(exist_ok=True)
        for record in one.records():
            submissions.check_candidate(one, record, Path(place))
        for done, name in enumerate(names):
            update(done, len(names), name)
            try:
                fits, limits = _again(one, name, measurable[name], Path(place))
            except ValueError as error:
                raise SubmissionError(f"{folder}: {name}: {error}") from None
            wrong += [] if fits else [name]
        update(len(names), len(names))
    if names:
        print(f"it ran in the sandbox, {' and '.join(limits) or 'which only limits memory and time here'}")
    if wrong:
        raise SubmissionError(f"{folder}: {', '.join(wrong)}: not the figures of the manifest")
    said = "verified" if names else f"not verified, since its cells have more than {DECISIONS:,} decisions:"
    print(f"{folder}: {said} {len(names)} of {every} rows, --rows {rows} --seed {seed}", flush=True)


def _again(one: Submission, name: str, row: Row | Record, place: Path) -> tuple[bool, tuple[str, ...]]:
    """Measure a row or a cell again and print its figures; return whether they fit, and the limits of the sandbox."""
    if isinstance(row, Record):
        print(f"{name}, {row.cell.name}: {row.last.score:.3f}", flush=True)
        with contextlib.chdir(place / FOLDER):
            found = sweep.verify(row, sweep.provenance(commit(), ""), allow_commands=True, confined=True)
        print("".join(f"  {line}\n" for line in found.differences), end="")
        return found.same, found.limits or ()
    if why := stale(msgspec.structs.replace(row, agents=submissions.library_agents(one, row))):
        raise SubmissionError(f"{'; '.join(why)}; submit it again")
    print(f"{name}: {row.command}", flush=True)
    figures, limits = submissions.measured(one, row.command, place, place / name)
    assert one.table is not None
    return print_compared(row, one.table.head, figures), limits
