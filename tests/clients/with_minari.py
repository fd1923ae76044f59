"""Minari: replays of every game are written as a dataset by the command line, loaded, compared, and cloned."""

import os
import tempfile
from pathlib import Path

os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()

import h5py
import minari
import numpy as np
from deals import try_all
from learn_by_cloning import learn

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import replay
from sobremesa.agents.arena.dataset import episodes
from sobremesa.envs.core.chance import STREAM
from sobremesa.training.benchmark import Practice
from sobremesa.training.benchmark.tasks import suite

PLACE = Path(tempfile.mkdtemp())


def minari_round_trip(name):
    game, files = envs.load(name), []
    seated = [agents.load("random")] * game.default_seats
    played = [replay.record(game, seated, seed) for seed in range(3)]
    for number, one in enumerate(played):
        files.append(PLACE / f"{name}-{number}.json")
        replay.write(files[-1], one)
    dataset_id = f"{name}/random-v0"
    assert cli.main(["dataset", *map(str, files), "--format", "minari", "-o", dataset_id]) == 0
    assert cli.main(["dataset", *map(str, files), "--format", "minari", "-o", dataset_id]) == 2, "the id is taken"
    loaded, written = minari.load_dataset(dataset_id), episodes(played, game)
    assert loaded.total_episodes == len(written)
    assert loaded.total_steps == sum(len(one.actions) for one in written)
    for theirs, ours in zip(loaded.iterate_episodes(), written, strict=True):
        assert (theirs.observations == ours.observations).all()
        assert (theirs.actions == ours.actions).all()
        assert np.allclose(theirs.rewards, ours.rewards)
        assert (theirs.infos["action_mask"] == ours.masks).all()
        assert theirs.terminations.tolist() == [False] * (len(ours.actions) - 1) + [True]
    with h5py.File(loaded.storage.data_path / "main_data.hdf5") as file:  # what a player sees, and the seed of the deal
        kept = {"observations", "actions", "rewards", "terminations", "truncations", "infos"}
        assert all(set(group) == kept and set(group["infos"]) == {"action_mask"} for group in file.values())
        assert all(set(group.attrs) == {"id", "seed", "total_steps"} for group in file.values())
    env = loaded.recover_environment()
    os.environ["DATASET"] = dataset_id
    practice = Practice(next(task for task in suite() if task.game == name), budget=100)
    used, cloned = zip(*learn(practice, practice.budget, seed=1), strict=True)
    assert used[-1] == min(100, loaded.total_steps)
    tables = practice.tables(3, seed=2)
    seen, streams = tables.reset(), np.zeros(3, STREAM)
    assert seen.masks[range(3), cloned[-1].act_batch(seen.observations, seen.masks, streams)].all()
    observation, info = env.reset(seed=1)
    assert observation.shape == (game.layout.size,)
    assert info["action_mask"].sum() > 1


if __name__ == "__main__":
    try_all(minari_round_trip)
