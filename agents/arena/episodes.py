"""Replays as episodes of one seat, for libraries of offline reinforcement learning; as a dataset of Minari's, too.

An episode is a deal as one seat lives it, as in the single-seat environments (`envs/core/api/gym.py`): from its first
decision to the end, the reward 0 but for what it is paid at last. A seat that was never asked has none.
"""

import copy
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from sobremesa.agents.arena.replay import Replay, game_of, plies
from sobremesa.envs.core.errors import MissingExtra, one_line
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.check import rules_hash

_ID = re.compile(r"([\w-]+/)*[\w-]+-v\d+", re.ASCII)  # of a dataset


class Episode(NamedTuple):
    """A deal of one seat of T decisions."""

    deal: int  # which of the replays
    seat: int
    agent: str  # the name of who sat there
    observations: np.ndarray  # (T + 1, D) float32: at each decision, and at the end
    masks: np.ndarray  # (T + 1, A) int8; all 0 at the end
    actions: np.ndarray  # (T,) int64
    rewards: np.ndarray  # (T,) float32


def episodes(replays: Sequence[Replay], game: Game) -> list[Episode]:
    """Play `replays` of `game` again and return the episodes of all seats; raise ReplayError if one does not fit."""
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
    """Write the episodes of `replays`, all of one game, as the dataset `dataset_id` among Minari's, and return them.

    Minari keeps datasets in `MINARI_DATASETS_PATH`, by default `~/.minari/datasets`, and loads this one by
    `minari.load_dataset(dataset_id)`. Masks are in the infos of its steps, as `action_mask`; its environment is that of
    one seat, at the table of the replays where these were all dealt at the same.

    Raises MissingExtra without Minari, ValueError for an id that is taken or none, or without replays, and ReplayError
    as `episodes` does.
    """
    if not _ID.fullmatch(dataset_id):  # Minari makes its folders, wherever an id leads, before it refuses one
        raise ValueError(f"{one_line(dataset_id)} is no id of a dataset; it takes one such as toro/strong-v0")
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
