"""Results of the arena, and their files.

Files are NumPy archives without pickles, written whole or not at all, and checked when they are read.

Letters: `R` rows (deals times seatings), `S` seats.
"""

import io
import itertools
import json
import zipfile
import zlib
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import declared, open_inside, write_whole
from sobremesa.envs.core.game import Game

ROUNDING = 1e-6  # win rates are sums of thirds and fifths
NOBODY = -1  # forfeited the deal
_KINDS = {
    "agents": "U", "seeds": "i", "seating": "i", "payoffs": "f", "plies": "i", "seconds": "f", "forfeits": "i",
    "tokens": "i", "too_long": "b",
}  # fmt: skip
_LATER = ("tokens", "too_long")  # columns that older files do not have
# Exceptions of NumPy and zipfile for other files; RuntimeError is for files that seem encrypted.
_UNREADABLE = (
    OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, RuntimeError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
_TEXTS = ("reasons", "key")  # JSON and text, as bytes
_LARGEST_HEAD, _LARGEST_ROW = 2**20, 2**13  # bytes: names, key and headers; a row with its reason


class Results(NamedTuple):
    """The rows of a match: one for each deal and seating.

    `seconds` is the time in `act`, or for agents that choose for many tables together in `act_batch`, in equal parts.
    It is NaN for agents with a kernel, whose time cannot be separated from that of the rules. Start-up is not included.
    Results made by hand may leave out the fields after `plies`.
    """

    agents: tuple[str, ...]  #: names
    seeds: np.ndarray  #: (R,) int64, of the deals; a deal's seatings follow each other
    seating: np.ndarray  #: (R, S) int64, the index in `agents` of the agent at each seat
    payoffs: np.ndarray  #: (R, S) float32, by seat
    plies: np.ndarray  #: (R,) int32, decisions in the deal
    seconds: np.ndarray | None = None  #: (R, S) float32, time of each seat; nan if unknown
    forfeits: np.ndarray | None = None  #: (R,) int64, the seat that forfeited; -1 without a forfeit
    reasons: tuple[str, ...] | None = None  #: R of them: "kind: why" as in `Fault`; empty without a forfeit
    secret: str = ""  #: text that is mixed into the seeds of the deals; "" for none
    tokens: np.ndarray | None = None  #: (R, S, 2) int64, of the prompts and answers of language models; 0 if unknown
    too_long: np.ndarray | None = None  #: (R,) bool, deals that reached the limit of their length (`Game.too_long`)

    def forfeited(self) -> list[tuple[int, int]]:
        """Return each forfeited row, in order, and the seat that forfeited."""
        if self.forfeits is None:
            return []
        return [(row, int(self.forfeits[row])) for row in np.flatnonzero(self.forfeits != NOBODY).tolist()]

    def lost(self) -> list[tuple[str, str]]:
        """Return the agent's name and the reason for each forfeited row, in order."""
        reasons = self.reasons or ("",) * len(self.seeds)
        return [(self.agents[self.seating[row, seat]], reasons[row]) for row, seat in self.forfeited()]

    def legal(self) -> "Results":
        """Return the rows without a forfeit."""
        return self if self.forfeits is None else self.where(self.forfeits == NOBODY)

    def where(self, kept: np.ndarray) -> "Results":
        """Return the rows with `kept` `(R,)` bool true."""
        columns = {name: column[kept] for name, column in self._asdict().items() if isinstance(column, np.ndarray)}
        reasons = None if self.reasons is None else tuple(itertools.compress(self.reasons, kept))
        return self._replace(**columns, reasons=reasons)


def join(parts: Sequence[Results]) -> Results:
    """Return `parts`, complete results of one match, as one."""
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Results._fields
        if name not in ("agents", "reasons", "secret")
    }
    reasons = tuple(itertools.chain.from_iterable(part.reasons or () for part in parts))
    return Results(agents=parts[0].agents, **arrays, reasons=reasons, secret=parts[0].secret)


def matches_of(results: Results | Iterable[Results], seats: int = 2) -> list[Results]:
    """Return `results` as a list of matches, of tables of at least `seats`.

    Raises ValueError if one does not fit or there is no row at all.
    """
    matches = [results] if isinstance(results, Results) else list(results)
    for match in matches:
        shape, names = match.seating.shape, ", ".join(match.agents)
        if len(shape) != 2 or shape[1] < seats or match.payoffs.shape != shape or match.seeds.shape != shape[:1]:
            raise ValueError(
                f"rows of {names} are not allowed: seeds {match.seeds.shape}, seating {shape}, payoffs "
                f"{match.payoffs.shape}; these are (R,), (R, S) and (R, S), with S from {seats}"
            )
        for bad in np.flatnonzero(~np.isfinite(match.payoffs).all(1)):
            raise ValueError(f"payoffs {match.payoffs[bad].tolist()} of deal {match.seeds[bad]} are not all numbers")
        if shape[0] and not (match.seating.min() >= 0 and match.seating.max() < len(match.agents)):
            raise ValueError(f"rows of {names} seat an unknown agent; seating takes indices into agents")
    if not any(len(match.seeds) for match in matches):
        raise ValueError("there are no rows")
    return matches


class Played(NamedTuple):
    """The course of deals, row by row; the fields are those of `Results`."""

    ends: np.ndarray  # (R,) states in which they ended
    payoffs: np.ndarray
    seconds: np.ndarray
    forfeits: np.ndarray
    reasons: list[str]
    tokens: np.ndarray

    @classmethod
    def empty(cls, game: Game, shape: tuple[int, int]) -> "Played":
        """Return a `Played` of zeros for `shape` (R, S), without forfeits."""
        rows = shape[0]
        floats = (np.zeros(shape, np.float32), np.zeros(shape, np.float32))
        tokens = np.zeros((*shape, 2), np.int64)
        return cls(np.zeros(rows, game.state), *floats, np.full(rows, NOBODY), [""] * rows, tokens)

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ends and payoffs; raise ValueError, with a reason, if a deal was forfeited."""
        if any(self.reasons):
            raise ValueError(f"{sum(map(bool, self.reasons))} deals were forfeited: {max(self.reasons)}")
        return self.ends, self.payoffs

    def results(self, game: Game, agents: Sequence[Agent], seeds: np.ndarray, seating: np.ndarray) -> Results:
        """Return the results of the deals of `seeds` of `game`, seated by `seating`."""
        names = tuple(agent.name for agent in agents)
        plies, reasons = self.ends["ply"].copy(), tuple(self.reasons)
        times = self.seconds, self.forfeits, reasons
        too_long = np.zeros(len(seeds), bool) if game.too_long is None else game.too_long(self.ends)
        too_long &= self.forfeits == NOBODY
        return Results(names, seeds, seating, self.payoffs, plies, *times, tokens=self.tokens, too_long=too_long)


class ResultsError(ValueError):
    """Stored results that are damaged or belong elsewhere; the message has the reason."""


def write(path: Path, results: Results, key: str) -> None:
    """Write `results` with all their fields; `key` identifies their owner, and is checked by `read`."""
    assert results.reasons is not None
    reasons = {row: reason for row, reason in enumerate(results.reasons) if reason}
    texts = {"reasons": json.dumps(reasons), "key": key}
    arrays: dict[str, Any] = {name: np.asarray(getattr(results, name)) for name in _KINDS}
    arrays |= {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    write_whole(path, file.getvalue())


def read(path: Path, key: str, rows: int) -> Results:
    """Return the results in `path`, `rows` of them.

    Raises ResultsError if they are damaged, were written under another `key`, or would take more memory than such rows
    do.
    """
    try:
        with open_inside(path.parent, path.name) as file:
            _check_sizes(file, rows)
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in _columns(archive)}
        texts = {name: arrays.pop(name).tobytes().decode() for name in _TEXTS}
        reasons = msgspec.json.decode(texts["reasons"], type=dict[int, str])
    except _UNREADABLE as error:
        raise ResultsError(f"{path}: not the results of an arena, or damaged: {error}") from None
    if texts["key"] != key:
        raise ResultsError(f"{path}: these rows belong to another arena ({texts['key']}, not {key})")
    count = len(arrays["seeds"]) if arrays["seeds"].ndim else 0
    arrays.setdefault("tokens", np.zeros((*arrays["seating"].shape, 2), np.int64))
    arrays.setdefault("too_long", np.zeros(count, bool))
    results = Results(
        agents=tuple(arrays.pop("agents").tolist()),
        **arrays,
        reasons=tuple(reasons.get(row, "") for row in range(count)),
    )
    for problem in problems(results):
        raise ResultsError(f"{path}: {problem}")
    return results


def _columns(there: Container[str]) -> list[str]:
    """Return the names of the columns to read from a file that has the columns `there`."""
    return [name for name in (*_KINDS, *_TEXTS) if name not in _LATER or name in there]


def _check_sizes(file: BinaryIO, rows: int) -> None:
    """Raise ValueError, before any allocation, if the arrays in `file` are larger than `rows` rows can be."""
    limit = _LARGEST_HEAD + _LARGEST_ROW * rows
    with zipfile.ZipFile(file) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > limit:
            raise ValueError(f"they would unpack to {unpacked:,} bytes, and {rows:,} rows take {limit:,} at most")
        names = [file.removesuffix(".npy") for file in archive.namelist()]
        if unknown := sorted(set(names) - {*_KINDS, *_TEXTS}):
            raise ValueError(f"there is no column {one_line(unknown[0], 60)}")
        for name in _columns(names):
            declared(archive, name)


def problems(results: Results) -> list[str]:
    """Return every reason why complete `results` are unsound; an empty list if they are sound."""
    shape = results.seating.shape
    if len(shape) != 2 or not shape[0] or shape[1] < 1:
        return [f"seating has shape {shape}, not (R, S)"]
    shapes = {"seeds": shape[:1], "payoffs": shape, "plies": shape[:1], "seconds": shape, "forfeits": shape[:1],
              "tokens": (*shape, 2), "too_long": shape[:1]}  # fmt: skip
    arrays = {name: np.asarray(getattr(results, name)) for name in _KINDS}
    found = [f"{name} has shape {arrays[name].shape}, not {want}" for name, want in shapes.items()
             if arrays[name].shape != want]  # fmt: skip
    found += [f"{name} is of {arrays[name].dtype}" for name, kind in _KINDS.items() if arrays[name].dtype.kind != kind]
    if found:
        return found
    assert results.forfeits is not None
    assert results.seconds is not None
    assert results.reasons is not None
    assert results.tokens is not None
    shared = np.ptp(results.payoffs, axis=1) == 0  # a cooperative game, or a win that all share
    sums = np.abs(results.payoffs.sum(1)) <= shape[1] * ROUNDING
    sound = {
        "seating names no agent": (results.seating >= 0) & (results.seating < len(results.agents)),
        "payoffs are not of a game": (np.abs(results.payoffs) <= 1) & (shared | sums)[:, None],
        "plies are negative": results.plies >= 0,
        "seconds are negative": ~(results.seconds < 0),
        "tokens are negative": (results.tokens >= 0).all(2),
        "forfeits name no seat": (results.forfeits >= NOBODY) & (results.forfeits < shape[1]),
        "forfeits and reasons do not fit": (results.forfeits != NOBODY)
        == np.array([bool(why) for why in results.reasons]),
    }
    return [f"{problem}, as in row {np.argwhere(~fits)[0, 0]}" for problem, fits in sound.items() if not fits.all()]
