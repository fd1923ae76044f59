"""Strict reading of stored files, which are refused if they were made under other rules.

msgspec checks their structure and names an error by its path, such as `$.rungs[0].deals`.
"""

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any, BinaryIO, TypeVar

import msgspec
import numpy as np

from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import declared, open_file, open_inside, text_of
from sobremesa.envs.core.game import ENDED, Game
from sobremesa.envs.core.testing.check import action_digest, rules_hash

LARGEST = 4 * 2**20  # bytes of a file, forty times the longest deals
LONGEST_NAME = 255  # of an agent
LONGEST_HEADER = 64 * 2**20  # bytes of the header of an archive
LONGEST_PROBLEM = 500  # characters

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Count = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
Setup = dict[str, int | str | bool]

RULES = ("game", "version", "rules_hash")
ACTIONS = (*RULES, "action_digest")

_Kind = TypeVar("_Kind")
_MADE = {
    "game": "it is of another game",
    "version": "it was made with another version of the game",
    "rules_hash": "the rules have changed since it was made",
    "layout": "observations have changed since it was made",
    "actions": "actions have changed since it was made",
    "action_digest": "actions have changed since it was made",
}


class Made(msgspec.Struct, kw_only=True):
    """The game that a file was made for."""

    game: str  # its name
    version: int
    rules_hash: str


_TODAY: dict[str, Callable[[Game], Any]] = {
    "game": lambda game: game.name,
    "version": lambda game: game.version,
    "rules_hash": rules_hash,  # plays deals, so it is compared last
    "layout": lambda game: game.layout.digest(),
    "actions": action_digest,
    "observation_size": lambda game: game.layout.size,
    "num_actions": lambda game: game.num_actions,
}


FINGERPRINT = tuple(_TODAY)


def fingerprint(game: Game) -> dict[str, Any]:
    """Return the fields that a bot must share with its game, as in its manifest."""
    return {name: of(game) for name, of in _TODAY.items()}


def misfit(made: Any, game: Game, names: Iterable[str] = RULES) -> str:
    """Return why `made`, an object with the fields `names`, does not fit `game`; "" if it fits."""
    for name in names:
        found, value = getattr(made, name), (action_digest if name == "action_digest" else _TODAY[name])(game)
        if type(found) is not type(value) or found != value:
            reason = _MADE.get(name, "it does not fit the game")
            why = f"; {ENDED[found]}" if name == "version" and type(found) is int and found in ENDED else ""
            return f"{reason} ({name} {brief(found)}, {game.id} has {value!r}{why})"
    return ""


def setup_problem(setup: dict[str, Any], game: Game) -> str:
    """Return why `setup` is no complete setup of `game`; "" if it is one.

    An option may be missing if it is younger than the version of the game.
    """
    missing = {option.name for option in game.options} - set(setup)
    if len(setup) + len(missing) != len(game.options) or not missing <= set(game.later):
        return f"setup: {brief(list(setup))} are not the options of {game.id}"
    try:
        game.new_tables(1, setup)
    except (ValueError, TypeError, OverflowError) as error:
        return f"setup: {error}"
    return ""


def name_problem(name: Any) -> str:
    """Return why `name` is not allowed as an agent's name in a file; "" if it is."""
    if isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable():
        return ""
    return f"{brief(name)} is not a name of an agent: it takes 1 to {LONGEST_NAME} printable characters"


def read_object(path: Path, what: str, form: int, error: type[ValueError], inside: bool = False) -> dict[str, Any]:
    """Return the JSON object in the file `path`, a `what` of format `form`; raise `error` if there is none.

    Pass `inside` where a user named the folder, not the file: then no link is followed.
    """
    try:
        with open_inside(path.parent, path.name) if inside else open_file(path) as file:
            content = file.read(LARGEST + 1)
    except OSError as problem:
        raise error(f"{path}: no {what} there, it cannot be read: {problem.strerror}") from None
    if len(content) > LARGEST:
        raise error(f"{path}: larger than the {LARGEST:,} bytes that a {what} may have")
    try:
        found = json.loads(text_of(content))
    except (ValueError, RecursionError) as problem:
        raise error(f"{path}: not JSON, or cut short: {brief(str(problem))}") from None
    if wrong := format_problem(found, what, form):
        raise error(f"{path}: {wrong}")
    return dict(found)


def format_problem(found: Any, what: str, form: int) -> str:
    """Return why `found`, parsed JSON, is no `what` of format `form`; "" if it may be one."""
    if not isinstance(found, dict) or "format" not in found:
        return f"this JSON is no {what}"
    if type(found["format"]) is not int or found["format"] != form:
        return f"it has format {brief(found['format'])}; this version of Sobremesa reads {form}"
    return ""


def structured(found: Any, kind: type[_Kind], where: Path | str, error: type[ValueError]) -> _Kind:
    """Return `found`, parsed JSON, as a `kind`; raise `error` with the path of the part that does not fit."""
    try:
        return msgspec.convert(found, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as problem:  # msgspec refuses half a surrogate pair
        raise error(f"{where}: {one_line(str(problem), LONGEST_PROBLEM)}") from None


def read_archive(
    file: BinaryIO, kinds: Mapping[str, tuple[Any, tuple[int | None, ...]]], what: str, form: int
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of `file`, an uncompressed `.npz`; raise ValueError if they do not fit.

    No memory is allocated before the sizes are checked.

    Args:
        file: open for reading.
        kinds: dtype and shape of each array by name; None means any length.
        what: the kind of the file, for messages.
        form: its format. `header` is a JSON string with this number as `format`.
    """
    names, size = ("header", *kinds), os.fstat(file.fileno()).st_size
    with zipfile.ZipFile(file) as archive:
        if sorted(archive.namelist()) != sorted(f"{name}.npy" for name in names):
            raise ValueError(f"it holds other arrays than {', '.join(names)}")
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED or not entry.file_size == entry.compress_size <= size:
                raise ValueError(f"{entry.filename} is compressed, or its size is not that in the file")
        found = {name: declared(archive, name) for name in names}
    text, sides = found["header"]
    if text.kind != "U" or sides or text.itemsize > LONGEST_HEADER:
        raise ValueError("its header is no string")
    for name, (kind, shape) in kinds.items():
        dtype, sides = found[name]
        fits = len(sides) == len(shape) and all(one in (None, side) for one, side in zip(shape, sides, strict=True))
        if dtype != np.dtype(kind) or not fits:
            raise ValueError(f"{name} is {dtype} {sides}, not {np.dtype(kind)} {shape}")
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        header = json.loads(str(archive["header"]))
        if problem := format_problem(header, what, form):
            raise ValueError(problem)
        return header, {name: archive[name] for name in kinds}
