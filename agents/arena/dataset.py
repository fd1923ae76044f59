"""Replays as arrays, a row for each decision, for imitation and offline reinforcement learning.

The file is an uncompressed `.npz` without pickled objects, so `np.load` reads it too: the arrays of `kinds`, and
`header`, a JSON string that says what they are of.
"""

import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sobremesa.agents.arena.archive import declared
from sobremesa.agents.arena.replay import Replay, ReplayError, game_of, plies
from sobremesa.agents.stored import ACTIONS, Made, format_problem, misfit, structured
from sobremesa.envs.core.files import open_file, whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import action_digest, rules_hash

FORMAT = 1
LONGEST_HEADER = 64 * 2**20  # bytes


class _Header(Made, kw_only=True):
    action_digest: str


def kinds(game: Game) -> dict[str, tuple[type, tuple[int, ...]]]:
    """Return the dtype of each array by its name, and the shape of one row."""
    return {
        "observation": (np.float32, (game.layout.size,)),  # of the seat to act
        "mask": (np.int8, (game.num_actions,)),  # 1 = allowed
        "action": (np.int64, ()),
        "seat": (np.int64, ()),  # whose decision it is
        "deal": (np.int64, ()),  # which of the header's deals
        "ply": (np.int64, ()),  # of that deal, from 0
        "payoff": (np.float32, ()),  # what that seat is paid at the end of the deal
    }


def rows(replays: Sequence[Replay], game: Game | None = None) -> dict[str, np.ndarray]:
    """Play `replays` of one game again and return their decisions in order, as `kinds` says, `(rows, ...)` each.

    A transition goes from a row to the next one of the same deal and seat. Raises ReplayError for a replay that does
    not fit, or is of another game than the first one, and ValueError if there are no replays.
    """
    game = _game(replays) if game is None else game
    count = sum(len(replay.actions) for replay in replays)
    arrays: dict[str, np.ndarray] = {
        name: np.zeros((count, *shape), dtype) for name, (dtype, shape) in kinds(game).items()
    }
    row = 0
    for deal, replay in enumerate(replays):
        for number, ply in enumerate(plies(replay, game)):
            if ply.seat == OVER:
                continue
            arrays["observation"][row], arrays["mask"][row] = ply.observation, ply.mask
            arrays["action"][row], arrays["seat"][row] = ply.action, ply.seat
            arrays["deal"][row], arrays["ply"][row] = deal, number
            arrays["payoff"][row] = replay.payoffs[ply.seat]
            row += 1
    return arrays


def write(path: Path, replays: Sequence[Replay], game: Game | None = None) -> dict[str, np.ndarray]:
    """Write the decisions of `replays` to `path` (.npz) and return them; raises as `rows` does."""
    game = _game(replays) if game is None else game
    arrays = rows(replays, game)
    header = {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "rules_hash": rules_hash(game),
        "action_digest": action_digest(game),
        "layout": game.layout.digest(),
        "blocks": {block.name: block.shape for block in game.layout},  # of an observation, in order
        "deals": [{"seed": one.seed, "setup": one.setup, "agents": one.agents} for one in replays],
    }
    stored: dict[str, Any] = {"header": np.array(json.dumps(header)), **arrays}
    with whole(path) as partial, partial.open("wb") as file:
        np.savez(file, **stored)
    return arrays


def read(path: Path, game: Game) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of the file `path`; raise ReplayError if they are not decisions of `game`."""
    wanted = kinds(game)
    try:
        with open_file(path) as file:
            shapes = _shapes(file, ("header", *wanted))
            _check_shapes(shapes, wanted)
            file.seek(0)
            with np.load(file, allow_pickle=False) as stored:
                header = json.loads(str(stored["header"]))
                arrays = {name: stored[name] for name in wanted}
        _check_header(header, game)
    except (OSError, ValueError, KeyError, EOFError, RecursionError, RuntimeError, zipfile.BadZipFile) as error:
        raise ReplayError(f"{path}: no dataset of {game.id}: {error}") from None
    return header, arrays


def _game(replays: Sequence[Replay]) -> Game:
    if not replays:
        raise ValueError("a dataset takes at least one replay")
    return game_of(replays[0])


def _shapes(file: BinaryIO, names: Sequence[str]) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Return dtype and shape of each array in `file`; raise ValueError unless it holds those called `names`."""
    size = os.fstat(file.fileno()).st_size
    with zipfile.ZipFile(file) as archive:
        if sorted(archive.namelist()) != sorted(f"{name}.npy" for name in names):
            raise ValueError(f"it holds other arrays than {', '.join(names)}")
        return {name: _declared(archive, name, size) for name in names}


def _declared(archive: zipfile.ZipFile, name: str, limit: int) -> tuple[np.dtype, tuple[int, ...]]:
    """Return dtype and shape of an array before anything is allocated; ValueError unless all its bytes are there."""
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type != zipfile.ZIP_STORED or not entry.file_size == entry.compress_size <= limit:
        raise ValueError(f"{name} is compressed, or its size is not what the file says")
    return declared(archive, name)


def _check_shapes(
    found: dict[str, tuple[np.dtype, tuple[int, ...]]], wanted: dict[str, tuple[type, tuple[int, ...]]]
) -> None:
    count = found["action"][1][:1]
    for name, (dtype, row) in wanted.items():
        if found[name] != (np.dtype(dtype), (*count, *row)):
            raise ValueError(f"{name} is {found[name][0]} {found[name][1]}, not {np.dtype(dtype)} {(*count, *row)}")
    text, shape = found["header"]
    if text.kind != "U" or shape or text.itemsize > LONGEST_HEADER:
        raise ValueError("its header is no string")


def _check_header(header: Any, game: Game) -> None:
    made = structured(header, _Header, "header", ValueError)
    if problem := format_problem(header, "dataset", FORMAT) or misfit(made, game, ACTIONS):
        raise ValueError(problem)
