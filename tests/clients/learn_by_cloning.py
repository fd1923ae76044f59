"""An outside algorithm of the benchmark: behaviour cloning, offline, from a dataset of Minari's or a file of decisions.

    sobremesa dataset deals/*.json --format minari -o toro/strong-v0
    DATASET=toro/strong-v0 sobremesa benchmark run --algorithms tests/clients/learn_by_cloning.py:learn \
        --tasks ese_toro_enamorado-2 --budget 5_000

DATASET is an id of Minari's, or a file that `sobremesa dataset` wrote without `--format`. A decision counts when it is
looked at for the first time, so the curve tells how many it takes. A cell holds a digest of its dataset: who runs it
again needs the same one, and another one is another cell.
"""

import hashlib
import os
from pathlib import Path

import numpy as np
import torch

from sobremesa.agents.arena import dataset
from sobremesa.training.networks.policy import PolicyNet

PARTS, STEPS, ROWS, RATE = 10, 100, 256, 1e-3  # parts of the budget, gradient steps after each, decisions in a step


def read(name, game):
    """Return observations `(n, D)`, masks `(n, A)` and actions `(n,)` of the dataset called `name`, as it has them."""
    if name.endswith(".npz"):
        arrays = dataset.read(Path(name), game)[1]
        return tuple(arrays[kind] for kind in ("observation", "mask", "action"))
    import minari

    found = list(minari.load_dataset(name).iterate_episodes())
    # An episode ends with an observation, and a mask of zeros, at which nothing is decided.
    seen = np.concatenate([one.observations[:-1] for one in found])
    masks = np.concatenate([one.infos["action_mask"][:-1] for one in found])
    if seen.shape[1:] + masks.shape[1:] != (game.layout.size, game.num_actions):
        raise ValueError(f"DATASET={name!r} holds decisions of another game than {game.id}")
    return seen, masks, np.concatenate([one.actions for one in found])


def chosen(game):
    """Return what `read` does of DATASET; raise ValueError where that is not set, or of another game."""
    name = os.environ.get("DATASET")
    if not name:
        raise ValueError("DATASET is not set; it takes an id of Minari's or a file.npz of `sobremesa dataset`")
    return read(name, game)


def content(task):
    """Return a digest of the decisions in DATASET."""
    return hashlib.sha256(b"".join(array.tobytes() for array in chosen(task.rules))).hexdigest()


def learn(task, budget, seed):
    """Imitate the decisions of DATASET, more of them from part to part; give an agent after each."""
    found = [torch.from_numpy(array[:budget]) for array in chosen(task.game)]
    torch.manual_seed(seed)
    net = PolicyNet(task.game, hidden=[128, 128])
    adam, chance = torch.optim.Adam(net.parameters(), RATE), torch.Generator().manual_seed(seed)
    for part in range(1, PARTS + 1):
        known = len(found[2]) * part // PARTS
        if known == 0:
            continue
        task.count(known - task.spent)
        for _ in range(STEPS):
            rows = torch.randint(known, (ROWS,), generator=chance)
            seen, masks, actions = (array[rows] for array in found)
            adam.zero_grad()
            torch.nn.functional.cross_entropy(net(seen, masks), actions).backward()
            adam.step()
        yield task.spent, net.agent("cloning")


learn.content = content  # cells of two datasets are two
