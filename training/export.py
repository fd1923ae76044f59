"""Export the policy of a run as a bot: one ONNX graph with the mask inside, and a manifest; see agents/exported.py."""

import dataclasses
import hashlib
import json
import logging
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import nn

from sobremesa import envs
from sobremesa.agents.afterstates import features_digest, list_choices
from sobremesa.agents.exported import CHOICES, FORMAT, GRAPH, MANIFEST
from sobremesa.agents.stored import fingerprint
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.vector import VectorEnv
from sobremesa.training import run
from sobremesa.training.afterstates import WorthNet, told_by
from sobremesa.training.config import AfterstatesConfig, TrainConfig
from sobremesa.training.evaluation import policy_parts
from sobremesa.training.policy import PolicyNet, load_weights

TOLERANCE = 1e-5  # between torch and onnxruntime, on allowed actions, in parts of the largest logit if it is over 1
PARITY_OBSERVATIONS = 1_000


class ExportError(ValueError):
    """A run that could not be exported; nothing has been written."""


def export(folder: Path, bot: Path, checkpoint: str = "best", choice: str | None = None) -> dict[str, Any]:
    """Write the policy called `checkpoint` of the run in `folder` as the bot `bot`, and return its manifest.

    Args:
        folder: the run.
        bot: the folder to write; it must be new, empty, or hold a bot and nothing else, which is replaced.
        checkpoint: "best" or "last".
        choice: how the bot will choose: "sample" from its policy, or "greedy", its likeliest action; None chooses as
            the run was evaluated, which is greedily for afterstates alone.

    Raises:
        RunError: there is no such run or checkpoint.
        ExportError: `bot` holds something else, or the graph does not agree with torch on real observations.
    """
    if choice is not None and choice not in CHOICES:
        raise ExportError(f"choice={choice!r} is not allowed; it takes {' or '.join(CHOICES)}")
    config, record = run.read(folder)
    choice = choice or ("greedy" if isinstance(config, AfterstatesConfig) else "sample")
    weights = run.checkpoint(folder, checkpoint)
    if bot.exists() and (not bot.is_dir() or {file.name for file in bot.iterdir()} - {GRAPH, MANIFEST}):
        raise ExportError(f"{bot}: exists and is not just a bot; choose another folder")
    game = envs.load(config.game)
    if isinstance(config, AfterstatesConfig):
        graph, what = _worths(config, game, weights)
    else:
        graph, what = _policy(config, game, weights)
    manifest = {
        "format": FORMAT,
        **fingerprint(game),
        "choice": choice,
        "checkpoint": checkpoint,
        **what,
        "config": dataclasses.asdict(config),
        "trained": {key: record[key] for key in ("status", "steps", "seconds", "versions")},
        "evaluation": record["best"] if checkpoint == "best" else (record["evaluations"] or [None])[-1],
        "sha256": hashlib.sha256(graph).hexdigest(),
    }
    _replace(bot, {GRAPH: graph, MANIFEST: json.dumps(manifest, indent=1).encode()})
    return manifest


def _policy(config: TrainConfig, game: Game, weights: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the graph of a policy, and what its manifest says of it."""
    net = PolicyNet(game, **policy_parts(config))
    load_weights(weights, net)
    tables = VectorEnv(game, PARITY_OBSERVATIONS, seed=7)
    for _ in range(40):  # far enough to meet every stage
        tables.step(tables.sample())
    seen = tables.step(tables.sample())
    masks = seen.masks.astype(np.float32)
    feed = {"observation": seen.observations, "mask": masks}
    gives = ["logits"]
    if net.memory:  # any memory will do, as large as a GRU's can be
        feed["memory"] = np.random.default_rng(7).uniform(-1, 1, (len(masks), net.memory)).astype(np.float32)
        gives.append("memory_after")
    graph = _graph(net, feed, gives)
    sizes = {"logits": game.num_actions, "memory_after": net.memory}
    return graph, {
        "inputs": {name: ["n", array.shape[1]] for name, array in feed.items()},
        "outputs": {name: ["n", sizes[name]] for name in gives},
        "parity": {"observations": PARITY_OBSERVATIONS, "largest_difference": _parity(net, graph, feed, masks > 0)},
    }


def _worths(config: AfterstatesConfig, game: Game, weights: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the graph of a network that weighs what choices leave, and what its manifest says of it."""
    net = WorthNet(told_by(config, game), config.hidden)
    load_weights(weights, net)
    tables = VectorEnv(game, PARITY_OBSERVATIONS, seed=7)
    choices = list_choices(net.afterstates, *tables.step(tables.sample())[:2])
    feed = {"features": choices.features[choices.settled == 0]}
    graph = _graph(net, feed, ["worth"])
    difference = _parity(net, graph, feed, np.ones(len(feed["features"]), bool))
    return graph, {
        "afterstates": config.afterstates,
        "features": features_digest(game, net.afterstates),
        "inputs": {"features": ["n", net.afterstates.size]},
        "outputs": {"worth": ["n"]},
        "parity": {"observations": len(feed["features"]), "largest_difference": difference},
    }


def _graph(net: nn.Module, feed: dict[str, np.ndarray], gives: list[str]) -> bytes:
    """Return the network as an ONNX file, weights inside, for any number of rows; `feed` is what it might be given."""
    rows = torch.export.Dim("n")
    for noisy in ("onnxscript", "torch.onnx._internal.exporter._registration"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            net.eval(),
            tuple(torch.zeros(2, array.shape[1]) for array in feed.values()),
            input_names=list(feed),
            output_names=gives,
            dynamic_shapes=({0: rows},) * len(feed),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    graph = model.graph
    # The exporter notes on each node which lines of which files of this machine it comes from.
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.value_info, *graph.initializer):
        del part.metadata_props[:]
    return bytes(model.SerializeToString())


def _parity(net: nn.Module, graph: bytes, feed: dict[str, np.ndarray], counts: np.ndarray) -> float:
    """Return the largest difference between torch and onnxruntime on `feed`; raise ExportError if it is too large.

    counts: which numbers of the first output matter, bool.
    """
    with torch.inference_mode():
        answer = net(*(torch.from_numpy(array) for array in feed.values()))
    ours = [one.numpy() for one in (answer if isinstance(answer, tuple) else (answer,))]
    theirs = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"]).run(None, feed)
    differences = [np.abs(one - other) for one, other in zip(ours, theirs, strict=True)]
    difference = max(float(part.max()) for part in (differences[0][counts], *differences[1:]))
    allowed = TOLERANCE * max(1.0, float(np.abs(ours[0])[counts].max()))
    if not difference <= allowed:
        raise ExportError(f"torch and onnxruntime differ by {difference:g}, more than {allowed:g}")
    return difference


def _replace(bot: Path, files: dict[str, bytes]) -> None:
    """Write `files` into the folder `bot`, all or nothing, in place of what was there."""
    bot.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{bot.name}.", dir=bot.parent) as scratch:
        fresh, old = Path(scratch) / "fresh", Path(scratch) / "old"
        fresh.mkdir()
        for name, content in files.items():
            (fresh / name).write_bytes(content)
        if bot.exists():
            os.replace(bot, old)
        os.replace(fresh, bot)
