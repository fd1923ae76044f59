"""Leaderboards as JSON: tied to the rules of the game, read strictly, refused with a reason if they do not fit.

The leaderboard of the agents of a game is `home/ladder.json` in the game's package.
"""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any

import msgspec

from sobremesa.agents.arena.leaderboard import Leaderboard, Rung
from sobremesa.agents.arena.ratings import PRIORS
from sobremesa.agents.arena.results import ROUNDING
from sobremesa.agents.arena.score import PARTS, Estimate, for_json, nature
from sobremesa.agents.named import is_search
from sobremesa.agents.stored import (
    RULES,
    Count,
    Made,
    Setup,
    Whole,
    misfit,
    name_problem,
    read_object,
    setup_problem,
    structured,
)
from sobremesa.envs.core import home
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game

FORMAT = 2  # of files
MOST_RESAMPLES = 1_000_000
Limits = tuple[float, float]  # lowest and highest value of a number


class LadderError(ValueError):
    """A leaderboard that cannot be read or does not fit the game; the message has the reason."""


def frozen_file(game: Game) -> Path | None:
    """Return the file of the leaderboard of the agents of `game`; None for a game without a package."""
    folder = home.folder(game)
    return None if folder is None else folder / "ladder.json"


def frozen(game: Game, names: Sequence[str] = RULES) -> Leaderboard | None:
    """Return the leaderboard that comes with `game`, None without one; see `read`."""
    file = frozen_file(game)
    return read(file, game, names) if file is not None and file.exists() else None


def write(path: Path, ladder: Leaderboard, also: Mapping[str, Any] | None = None) -> None:
    """Write `ladder` to `path`, a line per field, then the fields of `also`, which `read` skips."""
    rungs = [
        {"agent": one.agent, **interval_fields(one.value, one.low, one.high), "deals": one.deals,
         "ahead": None if one.ahead is None else interval_fields(*one.ahead)}
        for one in ladder.rungs
    ]  # fmt: skip
    fields = {
        "format": FORMAT,
        **vars(ladder),
        "rungs": rungs,
        "matrix": for_json(ladder.matrix),
        "seats": for_json([one._asdict() for one in ladder.seats]),
        "too_long": for_json(ladder.too_long),
        **(also or {}),
    }
    if not ladder.too_long:  # not measured when older ladders were made
        del fields["too_long"]
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for name, value in fields.items()
    ]
    write_whole(path, "{\n" + ",\n".join(lines).replace('}, {"agent"', '},\n  {"agent"') + "\n}\n")


def interval_fields(value: float, low: float, high: float) -> dict[str, Any]:
    """Return a value and its interval for JSON: an open end is null, and flagged."""
    return {
        "value": value,
        "low": low if math.isfinite(low) else None,
        "high": high if math.isfinite(high) else None,
        "open_low": not math.isfinite(low),
        "open_high": not math.isfinite(high),
    }


class _Interval(msgspec.Struct, kw_only=True):
    value: float
    low: float | None = None
    high: float | None = None
    open_low: bool
    open_high: bool


class _Rung(_Interval, kw_only=True):
    agent: str
    deals: Whole
    ahead: _Interval | None = None


class _Seat(msgspec.Struct, forbid_unknown_fields=True):
    mean: float
    low: float | None  # of one deal
    high: float | None


class _File(Made, kw_only=True):
    """The fields of a leaderboard's file; others are skipped."""

    setup: Setup
    rungs: tuple[_Rung, ...]
    anchors: dict[str, float]
    prior: float
    seed: Whole
    resamples: Annotated[int, msgspec.Meta(ge=1, le=MOST_RESAMPLES)]
    deals: Count
    search_deals: Count | None
    agents: tuple[str, ...]
    matrix: tuple[tuple[float | None, ...], ...]
    seats: tuple[_Seat, ...]
    by_seat: dict[str, tuple[float, ...]]
    builds: dict[str, str]
    command: str
    commit: str
    too_long: tuple[tuple[float | None, ...], ...] = ()  # empty in files that are older than the column


def read(path: Path, game: Game, names: Sequence[str] = RULES) -> Leaderboard:
    """Return the leaderboard of `game` in the file `path`, which must agree with the game in `names` (stored.misfit).

    Raises LadderError if the file is missing or damaged, or was made for another game or other rules.
    """
    found = read_object(path, "ladder", FORMAT, LadderError)
    made = structured(found, Made, path, LadderError)
    if problem := misfit(made, game, names):
        raise LadderError(f"{path}: {problem}")
    file = structured(found, _File, path, LadderError)
    try:
        _check_search(file)
        return _leaderboard(file, game)
    except LadderError as error:
        raise LadderError(f"{path}: {error}") from None


def _leaderboard(file: _File, game: Game) -> Leaderboard:
    """Return the leaderboard in `file`; raise LadderError with the reason if it is unsound."""
    kind = nature(game)
    problem = setup_problem(file.setup, game)
    _require(not problem, problem)
    rungs = tuple(_rung(one, f"rungs[{index}]", kind.limits) for index, one in enumerate(file.rungs))
    _check_order(rungs, file.agents)
    for row, numbers in enumerate(file.matrix):
        for column, number in enumerate(numbers):
            if number is not None:
                _check_number(number, f"matrix[{row}][{column}]", kind.cells)
    sizes = [len(row) for row in file.matrix]
    _require(sizes == [len(rungs)] * len(rungs), "matrix: it takes a row and a column an agent")
    long = file.too_long
    _require(not long or [len(row) for row in long] == sizes, "too_long: it takes a row and a column an agent")
    for row, numbers in enumerate(long):
        for column, number in enumerate(numbers):
            if number is not None:
                _check_number(number, f"too_long[{row}][{column}]", PARTS)
    _check_seats(file, game)
    values = {one[:2] for one in rungs}
    for name, value in file.anchors.items():
        _require((name, value) in values, f"anchor {brief(name)} at {value} is not among the rungs")
    _require(bool(file.anchors) or not kind.rated, "anchors: it takes one at least")
    _check_number(file.prior, "prior", PRIORS)
    for name, text in {**file.builds, "command": file.command, "commit": file.commit}.items():
        _require(text.isprintable(), f"{name} is {brief(text)}, no text in one line")
    fields = {name: getattr(file, name) for name in file.__struct_fields__}
    return Leaderboard(
        **fields
        | {
            "rungs": rungs,
            "matrix": tuple(tuple(math.nan if one is None else one for one in row) for row in file.matrix),
            "too_long": tuple(tuple(math.nan if one is None else one for one in row) for row in long),
            "seats": tuple(Estimate(*_seat(one)) for one in file.seats),
        }
    )


def _check_search(file: _File) -> None:
    """Raise LadderError where `search_deals` does not fit the deals of the search agents."""
    if file.search_deals is not None:
        most = max((one.deals for one in file.rungs if is_search(one.agent)), default=-1)
        _require(most >= 0, "search_deals: there is no search agent on the rungs")
        fits = most <= file.search_deals <= file.deals
        _require(fits, f"search_deals: {file.search_deals} is no number from the {most} of a rung to all {file.deals}")


def _rung(one: _Rung, where: str, limits: Limits) -> Rung:
    farthest = limits[1] - limits[0]
    gap = None if one.ahead is None else Estimate(*_ends(one.ahead, f"{where}.ahead", (-farthest, farthest)))
    return Rung(check_name(one.agent, where), *_ends(one, where, limits), one.deals, gap)


def _ends(one: _Interval, where: str, limits: Limits) -> tuple[float, float, float]:
    """Return a value and the ends of its interval."""
    _check_number(one.value, f"{where}.value", limits)
    for name, is_open, end in (("low", one.open_low, one.low), ("high", one.open_high, one.high)):
        _require(is_open == (end is None), f"{where}.open_{name} does not fit {brief(end)}")
        if end is not None:
            _check_number(end, f"{where}.{name}", limits)
    low = -math.inf if one.low is None else one.low
    high = math.inf if one.high is None else one.high
    _check_interval(one.value, low, high, where)
    return one.value, low, high


def _check_order(rungs: Sequence[Rung], agents: Sequence[str]) -> None:
    names = tuple(one.agent for one in rungs)
    _require(bool(rungs) and len(set(names)) == len(names), "rungs: it takes one agent at least, and each once")
    for upper, lower in pairwise(rungs):
        _require(
            upper.value >= lower.value, f"rungs: {brief(upper.agent)} stands above {brief(lower.agent)}, but is worse"
        )
        _require(upper.ahead is not None, f"rungs: {brief(upper.agent)} has no `ahead`")
    _require(rungs[-1].ahead is None, f"rungs: {brief(rungs[-1].agent)} is last, but has `ahead`")
    _require(agents == names, f"agents: {brief(agents)} are not those of the rungs")


def _seat(one: _Seat) -> tuple[float, float, float]:
    return one.mean, math.nan if one.low is None else one.low, math.nan if one.high is None else one.high


def _check_seats(file: _File, game: Game) -> None:
    for index, one in enumerate(file.seats):
        mean, low, high = _seat(one)
        _check_number(mean, f"seats[{index}].mean", (0.0, 1.0))
        if one.low is not None or one.high is not None:
            _check_number(low, f"seats[{index}].low", (0.0, 1.0))
            _check_number(high, f"seats[{index}].high", (0.0, 1.0))
            _check_interval(mean, low, high, f"seats[{index}]")
    for agent, rates in file.by_seat.items():
        check_name(agent, "by_seat")
        for index, rate in enumerate(rates):
            _check_number(rate, f"by_seat[{brief(agent)}][{index}]", (0.0, 1.0))
    kind = nature(game)
    size = file.setup["seats"] if kind.rated else 0
    sizes = [len(file.seats), *map(len, file.by_seat.values())]
    _require(set(sizes) == {size}, f"seats and by_seat are of {sizes} seats; the setup has {size}")
    called = {name for agent in file.by_seat for name in kind.called(agent)}
    fits = not kind.rated or set(file.agents) == called
    _require(fits, f"by_seat: {brief(list(file.by_seat))} are not those of the rungs")


def _check_interval(value: float, low: float, high: float, where: str) -> None:
    _require(low <= high, f"{where}: its interval ends at {high}, before it begins at {low}")
    _require(
        low - ROUNDING <= value <= high + ROUNDING, f"{where}: {value} lies outside of its interval, {low} to {high}"
    )


def check_name(value: Any, where: str) -> str:
    """Return an agent's name; raise LadderError, beginning with `where`, if no ladder can hold it."""
    problem = name_problem(value)
    _require(not problem, f"{where}: {problem}")
    return str(value)


def _check_number(value: float, where: str, limits: Limits) -> None:
    low, high = limits
    fits = low - ROUNDING <= value <= high + ROUNDING  # as nan does not
    _require(fits, f"{where} is {brief(value)}, no number from {low:g} to {high:g}")


def _require(fits: bool, problem: str) -> None:
    if not fits:
        raise LadderError(problem)
