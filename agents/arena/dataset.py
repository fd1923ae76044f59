"""Replays as datasets: arrays with a row per decision, or episodes of one seat, as for Minari.

The file of arrays is an uncompressed `.npz` without pickled objects, so `np.load` reads it too: the arrays of `kinds`,
and `header`, a JSON string about game, rules and deals. An episode is a deal from the view of one seat, as in the
single-seat environments (`envs/core/api/gym.py`): from its first decision to the end, with the payoff as last reward
and 0 before.
"""

import copy
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from sobremesa.agents.arena.replay import Replay, ReplayError, game_of, plies
from sobremesa.agents.stored import ACTIONS, Made, misfit, read_archive, structured
from sobremesa.envs.core.errors import MissingExtra, one_line
from sobremesa.envs.core.files import open_file, whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.check import action_digest, rules_hash

FORMAT = 1
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
    """Write the decisions of `replays` to `path` (.npz) and return them; raise as `rows`."""
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

    deal: int  # index of the replay
    seat: int
    agent: str  # name of the agent at the seat
    observations: np.ndarray  # (T + 1, D) float32: at each decision, and at the end
    masks: np.ndarray  # (T + 1, A) int8; all 0 at the end
    actions: np.ndarray  # (T,) int64
    rewards: np.ndarray  # (T,) float32


def episodes(replays: Sequence[Replay], game: Game) -> list[Episode]:
    """Replay `replays` of `game` and return the episodes of all seats; raise ReplayError if one does not fit."""
    return [episode for deal, replay in enumerate(replays) for episode in _of_deal(deal, replay, game)]


def _of_deal(deal: int, replay: Replay, game: Game) -> list[Episode]:
    seats = range(len(replay.agents))
    seen: list[list[np.ndarray]] = [[] for _ in seats]
    masks: list[list[np.ndarray]] = [[] for _ in seats]
    actions: list[list[int]] = [[] for _ in seats]
    for ply in plies(replay, game):
        if ply.seat != OVER:
            seen[ply.seat].append(ply.observation)
            masks[ply.seat].append(ply.mask)
            actions[ply.seat].append(ply.action)
    found = []
    for seat in (seat for seat in seats if actions[seat]):
        last = np.zeros(game.layout.size, np.float32)
        table_kernels(game).observe(ply.states, seat, last)
        rewards = np.zeros(len(actions[seat]), np.float32)
        rewards[-1] = replay.payoffs[seat]
        found.append(
            Episode(
                deal, seat, replay.agents[seat], np.array([*seen[seat], last]),
                np.array([*masks[seat], np.zeros(game.num_actions, np.int8)]), np.array(actions[seat]), rewards,
            )
        )  # fmt: skip
    return found


def write_minari(dataset_id: str, replays: Sequence[Replay]) -> list[Episode]:
    """Write the episodes of `replays`, all of one game, as the Minari dataset `dataset_id`, and return them.

    Minari stores datasets in `MINARI_DATASETS_PATH`, by default `~/.minari/datasets`; `minari.load_dataset(dataset_id)`
    loads this one. Masks are in the infos of its steps, as `action_mask`. Its environment is the single-seat one, with
    the setup of the replays if they all have the same.

    Raises MissingExtra without Minari, ValueError for an id that is taken or malformed, or without replays, and
    ReplayError as `episodes` does.
    """
    if not _ID.fullmatch(dataset_id):  # Minari makes folders before it checks an id
        raise ValueError(f"{one_line(dataset_id)} is not a dataset id; give one such as toro/strong-v0")
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ImportError:
        raise MissingExtra("writing a dataset of Minari's", "minari") from None
    if not replays:
        raise ValueError("a dataset takes at least one replay")
    game = game_of(replays[0])
    found = episodes(replays, game)
    buffers = [
        EpisodeBuffer(
            id=number,
            seed=replays[one.deal].seed,
            observations=list(one.observations),
            actions=list(one.actions),
            rewards=one.rewards.tolist(),
            terminations=[False] * (len(one.actions) - 1) + [True],
            truncations=[False] * len(one.actions),
            infos={"action_mask": list(one.masks)},
        )
        for number, one in enumerate(found)
    ]
    names = ", ".join(sorted({one.agent for one in found}))
    minari.create_dataset_from_buffers(
        dataset_id,
        buffers,
        env=_environment(game, replays),
        algorithm_name=names,
        description=f"{len(replays)} deals of {game.id}, rules {rules_hash(game)}, each seat's by itself",
        data_format="hdf5",
    )
    return found


def _environment(game: Game, replays: Sequence[Replay]) -> Any:
    """Return the spec of the single-seat environment, with the setup of `replays` if they all have the same."""
    spec = copy.deepcopy(gymnasium.spec(f"sobremesa/{game.id}"))
    if all(replay.setup == replays[0].setup for replay in replays):
        spec.kwargs.update(replays[0].setup)
    return spec
