"""Read and write standings as JSON; see standings.py."""

import json
import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from sobremesa.agents.arena.leaderboard import LANGUAGE, Rung, Standings
from sobremesa.agents.arena.play import ROUNDING
from sobremesa.agents.arena.ratings import PRIORS
from sobremesa.agents.arena.replay import LONGEST_NAME
from sobremesa.agents.arena.roles import role_name
from sobremesa.agents.arena.statistics import Share
from sobremesa.envs.core.check import rules_hash
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game

FORMAT = 1
LARGEST = 4 * 2**20  # bytes of a file
POINTS = 10.0 * PRIORS[1]  # farther from 0 no rating lies
MOST_RESAMPLES = 1_000_000
Limits = tuple[float, float]  # of a number, lowest and highest


class LadderError(ValueError):
    """Standings that cannot be read, or do not fit the game; the message says why."""


def frozen_file(game: Game) -> Path:
    """Return the file of the standings that come with the library."""
    return Path(__file__).parents[1] / "ladders" / f"{game.name}.json"


def frozen(game: Game) -> Standings | None:
    """Return the standings of `game` that come with the library, None if there are none; see `read`."""
    file = frozen_file(game)
    return read(file, game) if file.exists() else None


def write(path: Path, ladder: Standings, also: Mapping[str, Any] | None = None) -> None:
    """Write `ladder` to `path`, a line for each field, and below them those of `also`, which `read` passes over."""
    rungs = [
        {"agent": one.agent, **interval_fields(one.value, one.low, one.high), "deals": one.deals,
         "ahead": None if one.ahead is None else interval_fields(*one.ahead)}
        for one in ladder.rungs
    ]  # fmt: skip
    fields = {
        "format": FORMAT,
        **vars(ladder),
        "rungs": rungs,
        "matrix": [[None if math.isnan(value) else value for value in row] for row in ladder.matrix],
        "seats": [one._asdict() for one in ladder.seats],
        **(also or {}),
    }
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for name, value in fields.items()
    ]
    write_whole(path, "{\n" + ",\n".join(lines).replace('}, {"agent"', '},\n  {"agent"') + "\n}\n")


def interval_fields(value: float, low: float, high: float) -> dict[str, Any]:
    """Return a value and its interval as JSON holds them: an open end is null, and flagged."""
    return {
        "value": value,
        "low": None if math.isinf(low) else low,
        "high": None if math.isinf(high) else high,
        "open_low": math.isinf(low),
        "open_high": math.isinf(high),
    }


def read(path: Path, game: Game) -> Standings:
    """Return the standings of `game` in the file `path`.

    Raises LadderError if there are none, if the file is damaged, or if it was made for another game or other rules.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise LadderError(f"{path}: no ladder there, it cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise LadderError(f"{path}: larger than the {LARGEST:,} bytes that a ladder may have")
    try:
        found = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise LadderError(f"{path}: not JSON, or cut short: {brief(str(error))}") from None
    try:
        return _standings(found, game)
    except LadderError as error:
        raise LadderError(f"{path}: {error}") from None


def _standings(found: Any, game: Game) -> Standings:
    """Return what `found`, as read from JSON, stands for; raise LadderError naming what is wrong."""
    _want(isinstance(found, dict) and "rungs" in found, "this JSON is no ladder")
    form = found.get("format")
    _want(
        type(form) is int and form == FORMAT, f"it has format {brief(form)}; this version of Sobremesa reads {FORMAT}"
    )
    _check_fit(found, game)
    team = game.cooperative
    values, leads = ((0.0, 1.0), (-1.0, 1.0)) if team else ((-POINTS, POINTS), (-2 * POINTS, 2 * POINTS))
    rungs = tuple(_rung(one, place, values, leads) for place, one in enumerate(_list(found, "rungs")))
    agents = tuple(one.agent for one in rungs)
    _want(bool(rungs) and len(set(agents)) == len(agents), "rungs: it takes one agent at least, and each once")
    for upper, lower in pairwise(rungs):
        _want(
            upper.value >= lower.value, f"rungs: {brief(upper.agent)} stands above {brief(lower.agent)}, but is worse"
        )
    for one, last in zip(rungs, [False] * (len(rungs) - 1) + [True], strict=True):
        _want(
            (one.ahead is None) == last, f"rungs: of {brief(one.agent)} ahead says {'something' if last else 'nothing'}"
        )
    _want(found.get("agents") == list(agents), f"agents: {brief(found.get('agents'))} are not those of the rungs")
    cells = leads if team else (0.0, 1.0)
    matrix = [_numbers(row, f"matrix[{place}]", cells, True) for place, row in enumerate(_list(found, "matrix"))]
    _want([len(row) for row in matrix] == [len(agents)] * len(agents), "matrix: it takes a row and a column an agent")
    size = 0 if game.cooperative else found["setup"]["seats"]
    seats = tuple(_share(one, f"seats[{place}]") for place, one in enumerate(_list(found, "seats")))
    by_seat = _dict(found, "by_seat").items()
    shares = {check_name(name, "by_seat"): _numbers(row, f"by_seat {brief(name)}") for name, row in by_seat}
    sizes = [len(seats), *map(len, shares.values())]
    _want(set(sizes) == {size}, f"seats and by_seat are of {sizes} seats; the setup has {size}")
    _want(set(agents) == _on_rungs(game, shares) or team, f"by_seat: {brief(list(shares))} are not those of the rungs")
    builds = _dict(found, "builds")
    anchors = {name: _number(value, f"anchor {brief(name)}", values) for name, value in _dict(found, "anchors").items()}
    for name, value in anchors.items():
        _want((name, value) in {one[:2] for one in rungs}, f"anchor {brief(name)} at {value} is not among the rungs")
    _want(bool(anchors) or game.cooperative, "anchors: it takes one at least")
    return Standings(
        **{name: found[name] for name in ("game", "version", "rules_hash", "setup")},
        rungs=rungs,
        anchors=anchors,
        prior=_number(found.get("prior"), "prior", PRIORS),
        seed=_whole(found, "seed", 0),
        resamples=_whole(found, "resamples", 1, most=MOST_RESAMPLES),
        deals=_whole(found, "deals", 1),
        agents=agents,
        matrix=tuple(matrix),
        seats=seats,
        by_seat=shares,
        builds={name: _text(builds, name) for name in builds},
        command=_text(found, "command"),
        commit=_text(found, "commit"),
    )


def _check_fit(found: dict[str, Any], game: Game) -> None:
    for name, value, reason in (
        ("game", game.name, "it is of another game"),
        ("version", game.version, "it was made with another version of the game"),
        ("rules_hash", rules_hash(game), "the rules have changed since it was made"),
    ):
        mine = found.get(name)
        fits = type(mine) is type(value) and mine == value
        _want(fits, f"{reason} ({name} {brief(mine)}, {game.id} has {value!r}); make it anew")
    setup = _dict(found, "setup")
    _want(set(setup) == {option.name for option in game.options}, f"setup: {brief(list(setup))} are not the options")
    try:
        game.new_tables(1, setup)
    except (ValueError, TypeError, OverflowError) as error:
        raise LadderError(f"setup: {error}") from None


def _on_rungs(game: Game, names: Iterable[str]) -> set[str]:
    """Return what agents are called on the rungs: where seats have roles, by each of these."""
    return {role_name(name, role) for name in names for role in game.roles[LANGUAGE]} if game.roles else set(names)


def _rung(found: Any, place: int, values: Limits, leads: Limits) -> Rung:
    where = f"rungs[{place}]"
    _want(isinstance(found, dict), f"{where} is {brief(found)}, no object")
    ahead = found.get("ahead")
    ends = _ends(found, where, values)
    gap = None if ahead is None else Share(*_ends(ahead, f"{where}, ahead", leads))
    return Rung(check_name(found.get("agent"), where), *ends, _whole(found, "deals", 0, where), gap)


def _ends(found: Any, where: str, limits: Limits) -> tuple[float, float, float]:
    """Return a value and the ends of its interval."""
    _want(isinstance(found, dict), f"{where} is {brief(found)}, no object")
    value, ends = _number(found.get("value"), where, limits), []
    for name, limit in (("low", -math.inf), ("high", math.inf)):
        is_open, end = found.get(f"open_{name}"), found.get(name)
        _want(type(is_open) is bool and is_open == (end is None), f"{where}: open_{name} says nothing of {brief(end)}")
        ends.append(limit if is_open else _number(end, f"{where}, {name}", limits))
    low, high = ends
    _check_interval(value, low, high, where)
    return value, low, high


def _check_interval(value: float, low: float, high: float, where: str) -> None:
    _want(low <= high, f"{where}: its interval ends at {high}, before it begins at {low}")
    _want(low - ROUNDING <= value <= high + ROUNDING, f"{where}: {value} lies outside of its interval, {low} to {high}")


def _share(found: Any, where: str) -> Share:
    _want(isinstance(found, dict) and set(found) == set(Share._fields), f"{where} is {brief(found)}")
    share = Share(*(_number(found[name], f"{where}, {name}", (0.0, 1.0)) for name in Share._fields))
    _check_interval(*share, where)
    return share


def check_name(value: Any, where: str) -> str:
    """Return an agent's name; raise LadderError, which begins with `where`, if it is one that no ladder can hold."""
    fits = isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()
    _want(fits, f"{where}: {brief(value)} is no agent's name: it takes 1 to {LONGEST_NAME} printable characters")
    return str(value)


def _number(value: Any, where: str, limits: Limits) -> float:
    low, high = limits
    fits = type(value) in (int, float) and low - ROUNDING <= value <= high + ROUNDING  # as of any int, and not of nan
    _want(fits, f"{where} is {brief(value)}, no number from {low:g} to {high:g}")
    return float(value)


def _whole(found: dict[str, Any], name: str, least: int, where: str = "it", most: int = 2**63 - 1) -> int:
    value = found.get(name)
    fits = type(value) is int and least <= value <= most
    _want(fits, f"{where}: {name}={brief(value)}, no whole number from {least} to {most}")
    return int(found[name])


def _text(found: dict[str, Any], name: str) -> str:
    value = found.get(name)
    _want(isinstance(value, str) and value.isprintable(), f"{name} is {brief(value)}, no text in one line")
    return str(value)


def _list(found: dict[str, Any], name: str) -> list[Any]:
    _want(isinstance(found.get(name), list), f"{name} is {brief(found.get(name))}, no list")
    return list(found[name])


def _numbers(values: Any, where: str, limits: Limits = (0.0, 1.0), gaps: bool = False) -> tuple[float, ...]:
    """Return a list of numbers, nan for the `gaps` in it."""
    _want(isinstance(values, list), f"{where} is {brief(values)}, no list")
    return tuple(math.nan if gaps and value is None else _number(value, where, limits) for value in values)


def _dict(found: dict[str, Any], name: str) -> dict[str, Any]:
    _want(isinstance(found.get(name), dict), f"{name} is {brief(found.get(name))}, no object")
    return dict(found[name])


def _want(fits: bool, problem: str) -> None:
    if not fits:
        raise LadderError(problem)
