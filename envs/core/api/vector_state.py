"""The state of a vector environment as arrays and numbers, and its file, for both kinds of vector environment."""

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.envs.core.chance import STREAM
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import declared, open_file, whole
from sobremesa.envs.core.game import Game

FORMAT = 1  # of a state
# The arrays of `get_state`; observations follow from them.
KEPT = ("states", "setups", "deals", "seeds", "streams", "sampled", "masks", "seats", "payoffs", "dones")
NUMBERS = ("format", "game", "seed", "drawn", "sampling")
REMEDY = "give what get_state of an environment with the same game and number of tables returned"


class SavedState(ABC):
    """Files of states, for an environment with `get_state` and `set_state`."""

    @abstractmethod
    def get_state(self) -> dict[str, Any]: ...

    @abstractmethod
    def set_state(self, state: Mapping[str, Any]) -> Any: ...

    def save_state(self, path: Path | str) -> None:
        """Write `get_state` to `path`, an `.npz` without pickled objects; a file there stays whole until then.

        It holds hidden information. Raises OSError.
        """
        with whole(Path(path)) as partial, partial.open("wb") as file:
            np.savez(file, **self.get_state())

    def load_state(self, path: Path | str) -> Any:
        """Continue from the file of `save_state`, of either kind of environment; return the present view.

        The file has no code, but the kernels trust its states: load files that you wrote yourself.

        Raises OSError, and ValueError, with nothing changed, for another file or one that does not fit.
        """
        with open_file(Path(path)) as file:
            try:
                state = _archive(file)
            except (ValueError, EOFError, KeyError, RuntimeError, OSError, zipfile.BadZipFile) as error:
                raise ValueError(f"{path}: no state of a vector environment: {one_line(str(error))}") from None
        try:
            return self.set_state(state)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def named(game: Game) -> dict[str, Any]:
    """Return the entries of a state that name its format and its game."""
    return {"format": FORMAT, "game": game.id}


def _archive(file: Any) -> dict[str, np.ndarray]:
    """Return the arrays of an uncompressed `.npz`; raise ValueError for one that needs more memory than its size."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no .npz file")
    file.seek(0)
    with np.load(file, allow_pickle=False) as archive:
        for entry in archive.zip.infolist():
            if entry.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{entry.filename} is compressed")
        for name in archive.files:
            declared(archive.zip, name)
        return {name: archive[name] for name in archive.files}


def check_state(game: Game, tables: int, state: Any) -> dict[str, Any]:
    """Return `state` as a dict, numbers as numbers of Python; raise ValueError unless it has `tables` of `game`."""
    if not isinstance(state, Mapping):
        raise ValueError(f"{game.name}: the state is a {type(state).__name__}; {REMEDY}")
    if missing := [name for name in (*KEPT, *NUMBERS) if name not in state]:
        raise ValueError(f"{game.name}: the state lacks {', '.join(missing)}; {REMEDY}")
    found = dict(state)
    for name in NUMBERS:
        if isinstance(found[name], np.ndarray | np.generic):  # as a file keeps them
            found[name] = found[name].item()
    for name, value in named(game).items():
        if found[name] != value:
            raise ValueError(f"{game.name}: the state has {name} {found[name]!r}, not {value!r}; {REMEDY}")
    rows = {"masks": (np.int8, game.num_actions), "payoffs": (np.float32, game.max_seats)}
    plain: dict[str, Any] = {
        "states": game.state,
        "setups": game.state,
        "streams": STREAM,
        "seats": np.int8,
        "dones": np.bool_,
    }
    for name in KEPT:
        dtype, *row = rows.get(name, (plain.get(name, np.int64),))
        held, shape = found[name], (tables, *row)
        if not isinstance(held, np.ndarray) or held.shape != shape or held.dtype != dtype:
            given = (
                f"{held.shape} of {held.dtype.itemsize} bytes each"
                if isinstance(held, np.ndarray)
                else type(held).__name__
            )
            raise ValueError(
                f"{game.name}: {name} of the state is {given}; it takes {shape} of {np.dtype(dtype).itemsize} bytes "
                f"each; {REMEDY}"
            )
    return found
