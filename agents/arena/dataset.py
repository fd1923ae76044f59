"""Replays as datasets: arrays with a row per decision, or episodes of one seat, as for Minari.

The file of arrays is an uncompressed `.npz` without pickled objects, so `np.load` reads it too: the arrays of `kinds`,
and `header`, a JSON string about game, rules and deals. An episode is a deal from the view of one seat, as in the
single-seat environments (`envs/core/api/gym.py`): from its first decision to the end, with the payoff as last reward
and 0 before.
"""

import copy
import itertools
import json
import os
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from sobremesa.agents.arena.replay import Replay, ReplayError, check_fit, game_of, is_allowed, plies, verify
from sobremesa.agents.stored import ACTIONS, Made, misfit, read_archive, structured
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.deal import digest
from sobremesa.envs.core.errors import MissingExtra, one_line
from sobremesa.envs.core.files import open_file, whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import say
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.check import action_digest, rules_hash

FORMAT = 1
TABLES = 50  # deals that are replayed side by side
MINARI_FILE = "main_data.hdf5"
PACKED = {"compression": "gzip", "compression_opts": 1}
_ID = re.compile(r"([\w-]+/)*[\w-]+-v\d+", re.ASCII)  # of a Minari dataset


class _Header(Made, kw_only=True):
    action_digest: str


def kinds(game: Game) -> dict[str, tuple[type, tuple[int, ...]]]:
    """Return the dtype of each array by its name, and the shape of a row."""
    return {
        "observation": (np.float32, (game.layout.size,)),  # of the seat to act
        "mask": (np.int8, (game.num_actions,)),  # 1 = allowed
        "action": (np.int64, ()),
        "seat": (np.int64, ()),  # the seat to act
        "deal": (np.int64, ()),  # index into the header's deals
        "ply": (np.int64, ()),  # of that deal, from 0
        "payoff": (np.float32, ()),  # payoff of that seat at the end of the deal
    }


def rows(replays: Sequence[Replay], game: Game | None = None) -> dict[str, np.ndarray]:
    """Replay `replays` of one game and return their decisions in order, `(rows, ...)` arrays as in `kinds`.

    A transition goes from a row to the next one of the same deal and seat. Raises ReplayError for a replay that does
    not fit, or of another game than the first, and ValueError without replays.
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
    """Write the decisions of `replays` to `path` (.npz) and return them, `(rows, ...)` arrays by name.

    Raises ReplayError for a replay that does not fit, or of another game than the first, and ValueError without any.
    """
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
    wanted = {name: (dtype, (None, *row)) for name, (dtype, row) in kinds(game).items()}
    try:
        with open_file(path) as file:
            header, arrays = read_archive(file, wanted, "dataset", FORMAT)
        if problem := misfit(structured(header, _Header, "header", ValueError), game, ACTIONS):
            raise ValueError(problem)
        if len({len(array) for array in arrays.values()}) > 1:
            raise ValueError("its arrays differ in length")
    except (OSError, ValueError, KeyError, EOFError, RecursionError, RuntimeError, zipfile.BadZipFile) as error:
        raise ReplayError(f"{path}: no dataset of {game.id}: {error}") from None
    return header, arrays


def _game(replays: Sequence[Replay]) -> Game:
    if not replays:
        raise ValueError("a dataset takes at least one replay")
    return game_of(replays[0])


class Episode(NamedTuple):
    """A deal from the view of one seat, with T decisions."""

    deal: int  #: index of the replay
    seat: int
    agent: str  #: name of the agent at the seat
    observations: np.ndarray  #: (T + 1, D) float32: at each decision, and at the end
    masks: np.ndarray  #: (T + 1, A) int8; all 0 at the end
    actions: np.ndarray  #: (T,) int64
    rewards: np.ndarray  #: (T,) float32


def episodes(replays: Sequence[Replay], game: Game) -> list[Episode]:
    """Replay `replays` of `game` and return the episodes of all seats; raise ReplayError if one does not fit."""
    return list(each_episode(replays, game))


def each_episode(replays: Sequence[Replay], game: Game) -> Iterator[Episode]:
    """Yield what `episodes` returns, for some deals at a time."""
    for first in range(0, len(replays), TABLES):
        yield from _of_deals(replays[first : first + TABLES], game, first)


def _of_deals(replays: Sequence[Replay], game: Game, first: int) -> Iterator[Episode]:
    """Play `replays` side by side; check that actions are legal, and that the ends are the recorded ones."""
    for replay in replays:
        check_fit(replay, game)
    match = Match(game, [OUTSIDE], np.concatenate([game.new_tables(1, replay.setup) for replay in replays]))
    match.deal(np.arange(len(replays)), np.array([replay.seed for replay in replays]))
    steps: list[dict[int, list[_Step]]] = [{} for _ in replays]  # of each deal, by seat
    for number in itertools.count():
        rows = np.flatnonzero(~match.over).tolist()
        if not rows:
            break
        actions = [_next_action(replays[row], number, match, row) for row in rows]
        for row, action in zip(rows, actions, strict=True):
            step = _Step(match.observations[row].copy(), match.masks[row].copy(), action)
            steps[row].setdefault(int(match.seats[row]), []).append(step)
            if (saying := dict(replays[row].sayings).get(number)) is not None:
                say(game, match.states[row : row + 1], action, saying)
        match.step(np.array(rows), np.array(actions))
    for row, replay in enumerate(replays):
        end, taken = match.states[row : row + 1], sum(map(len, steps[row].values()))
        if (taken, digest(game, end, OVER)) != (len(replay.actions), replay.digests[-1]):
            verify(replay, game)  # raises with the ply
        for seat in sorted(steps[row]):
            yield _episode(first + row, seat, replay, game, end, steps[row][seat])


class _Step(NamedTuple):
    observation: np.ndarray
    mask: np.ndarray
    action: int


def _next_action(replay: Replay, number: int, match: Match, row: int) -> int:
    """Return action `number` of `replay`, which is played at table `row`; raise ReplayError if it is not legal."""
    if number >= len(replay.actions) or not is_allowed(match.masks[row], replay.actions[number]):
        verify(replay, match.game)  # raises with the ply
    return replay.actions[number]


def _episode(deal: int, seat: int, replay: Replay, game: Game, end: np.ndarray, steps: Sequence[_Step]) -> Episode:
    last = np.zeros(game.layout.size, np.float32)
    table_kernels(game).observe(end, seat, last)
    rewards = np.zeros(len(steps), np.float32)
    rewards[-1] = replay.payoffs[seat]
    return Episode(
        deal, seat, replay.agents[seat], np.array([*(step.observation for step in steps), last]),
        np.array([*(step.mask for step in steps), np.zeros(game.num_actions, np.int8)]),
        np.array([step.action for step in steps]), rewards,
    )  # fmt: skip


def write_minari(dataset_id: str, replays: Sequence[Replay]) -> tuple[int, int]:
    """Write the episodes of `replays`, all of one game, as the Minari dataset `dataset_id`.

    Minari stores datasets in `MINARI_DATASETS_PATH`, by default `~/.minari/datasets`; `minari.load_dataset(dataset_id)`
    loads this one. Masks are in the infos of its steps, as `action_mask`. Its environment is the single-seat one, with
    the setup of the replays if they all have the same. Returns the numbers of its episodes and its decisions.

    Raises MissingExtra without Minari, ValueError for an id that is taken or malformed, a relative path in
    `MINARI_DATASETS_PATH`, or without replays, and ReplayError as `episodes` does; the dataset is deleted then.
    """
    if not _ID.fullmatch(dataset_id):  # Minari makes folders before it checks an id
        raise ValueError(f"{one_line(dataset_id)} is not a dataset id; give one such as toro/strong-v0")
    if not Path(place := os.environ.get("MINARI_DATASETS_PATH") or "/").is_absolute():
        raise ValueError(f"MINARI_DATASETS_PATH is {one_line(place)}, where Minari cannot write; give an absolute path")
    try:
        import minari
    except ImportError:
        raise MissingExtra("writing a dataset of Minari's", "minari") from None
    game = _game(replays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of an author and a link, which it does not need
        made = minari.create_dataset_from_buffers(
            dataset_id,
            [],
            env=_environment(game, replays),
            algorithm_name=", ".join(sorted({name for replay in replays for name in replay.agents})),
            description=f"{len(replays)} deals of {game.id}, rules {rules_hash(game)}, each seat's by itself",
            data_format="hdf5",
        )
    try:
        found = _fill(made.storage.data_path / MINARI_FILE, replays, game)
        made.storage.update_metadata({"total_episodes": found[0], "total_steps": found[1]})
        made.storage.update_metadata({"dataset_size": made.storage.get_size()})
    except BaseException:
        minari.delete_dataset(dataset_id)
        raise
    return found


def _fill(path: Path, replays: Sequence[Replay], game: Game) -> tuple[int, int]:
    """Write the episodes of `replays` into Minari's file `path`; return the numbers of episodes and decisions.

    The file is as Minari writes it, but compressed: most numbers of observations and masks are 0.
    """
    import h5py

    episodes, decisions = 0, 0
    with h5py.File(path, "a", track_order=True) as file:
        for one in each_episode(replays, game):
            ends = np.zeros(len(one.actions), bool)
            ends[-1] = True
            group = file.create_group(f"episode_{episodes}")
            group.attrs.update({"id": episodes, "seed": replays[one.deal].seed, "total_steps": len(one.actions)})
            for name, array in (("observations", one.observations), ("infos/action_mask", one.masks)):
                group.create_dataset(name, data=array, chunks=array.shape, **PACKED)
            for name, array in (("actions", one.actions), ("rewards", one.rewards.astype(np.float64)),
                                ("terminations", ends), ("truncations", np.zeros_like(ends))):  # fmt: skip
                group.create_dataset(name, data=array)
            episodes += 1
            decisions += len(one.actions)
    return episodes, decisions


def _environment(game: Game, replays: Sequence[Replay]) -> Any:
    """Return the spec of the single-seat environment, with the setup of `replays` if they all have the same."""
    spec = copy.deepcopy(gymnasium.spec(f"sobremesa/{game.id}"))
    if all(replay.setup == replays[0].setup for replay in replays):
        spec.kwargs.update(replays[0].setup)
    return spec
