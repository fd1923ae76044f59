"""Export of policies as bots: an ONNX graph with the mask inside, and a manifest (agents/exported.py).

`export` takes a run, `export_module` a torch module, `export_graph` an ONNX file.
"""

import copy
import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from sobremesa import envs
from sobremesa.agents.afterstates import features_digest, list_choices
from sobremesa.agents.exported import CHOICES, FORMAT, GRAPH, LARGEST_GRAPH, MANIFEST, load_bot
from sobremesa.agents.networks.runtime import MASK, BotError
from sobremesa.agents.stored import fingerprint
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.files import naming, read_file, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import stored_names
from sobremesa.training.algorithms.afterstates import worth_net
from sobremesa.training.config.classes import AfterstateRolloutsConfig, AfterstatesConfig, TrainConfig
from sobremesa.training.config.registry import find, resolved
from sobremesa.training.networks.onnx_graphs import (
    PARITY_OBSERVATIONS,
    ExportError,
    Masked,
    check_alone,
    checked,
    first_line,
    fitted,
    parity,
    real_views,
    take_int8_masks,
    to_graph,
)  # fmt: skip
from sobremesa.training.networks.policy import PolicyNet, load_weights
from sobremesa.training.runs import run
from sobremesa.training.runs.averaging import file_of, mean_weights
from sobremesa.training.runs.evaluation import policy_parts

__all__ = ["ExportError", "export", "export_graph", "export_module", "policy_graph", "worth_graph"]


def export(
    folder: Path, bot: Path, checkpoint: str = "best", choice: str | None = None, average: Sequence[Path] = ()
) -> dict[str, Any]:
    """Write the weights `checkpoint` of the run in `folder` as the bot `bot`, and return its manifest.

    Args:
        folder: the run.
        bot: the folder to write: a new or empty one, or a bot, which is replaced.
        checkpoint: "best", "last", or "average" (of a run with `average`).
        choice: "sample" from the policy, or "greedy", the likeliest action; by default as in the run's evaluations.
        average: other runs of the same network, or files of weights in them, to average with (runs/averaging.py).

    Raises:
        RunError: there is no such run or checkpoint, or the runs to average have other networks.
        ExportError: `bot` holds other files, or the graph disagrees with torch on real observations.
    """
    _check(bot, choice)
    config, record = run.read(folder)
    algorithm = find(config.algorithm)
    weights = run.checkpoint(folder, checkpoint)
    game = envs.load(config.game)
    others = [file_of(Path(one), checkpoint) for one in average]
    with tempfile.TemporaryDirectory() as scratch:
        if others:
            mean = mean_weights([weights, *others])
            weights = Path(scratch) / weights.name
            write_whole(weights, mean)
        graph, what = resolved(algorithm.graph)(config, game, weights)
    evaluations = {"best": record["best"], "last": (record["evaluations"] or [None])[-1]}
    evaluated = None if others else evaluations.get(checkpoint)  # an average of runs was not evaluated
    made = {"checkpoint": checkpoint, **what, **_course(config, record), "evaluation": evaluated}
    if others:
        made["averaged"] = [{"checkpoint": one.stem, **_course(*run.read(one.parent))} for one in others]
    usual = algorithm.choice(config) if callable(algorithm.choice) else algorithm.choice
    return _write(bot, game, graph, choice or usual, made)


def export_module(module: nn.Module, game: Game | str, bot: Path, choice: str = "sample") -> dict[str, Any]:
    """Write a policy network of any origin as the bot `bot`, and return its manifest.

    Args:
        module: `(observation (n, D) float32[, mask (n, A) float32]) -> logits (n, A) float32`, for any n, over the
            game's observations. The graph applies the mask in any case. The module does not change.
        game: the game.
        bot: as in `export`.
        choice: "sample" or "greedy".

    Raises:
        ExportError: `bot` holds other files, the module has other inputs or outputs, or the exported graph disagrees
            with it.
    """
    bot = Path(bot)
    _check(bot, choice)
    game = envs.load(game) if isinstance(game, str) else game
    observations, masks = real_views(game)
    feed = {"observation": observations, "mask": masks}
    net = checked(Masked(copy.deepcopy(module).cpu().eval()), feed, game)
    try:
        graph = take_int8_masks(to_graph(net, feed, ["logits"]))
    except ExportError:
        raise
    except Exception as error:  # the exporter raises various types
        raise ExportError(f"torch cannot export the module for any number of rows: {first_line(error)}") from None
    difference = parity(net, graph, feed, masks > 0)
    made = _shapes(game, 0) | {"parity": {"observations": len(masks), "largest_difference": difference}}
    return _write(bot, game, graph, choice, {"origin": "a module of PyTorch", **made}, tried=True)


def export_graph(file: Path, game: Game | str, bot: Path, choice: str = "sample") -> dict[str, Any]:
    """Write the ONNX graph in `file` as the bot `bot`, and return its manifest.

    Args:
        file: a graph that takes `observation` `(n, D)` float32 and `mask` `(n, A)` (int8, or float32), or one input
            alone, the observation, and gives logits `(n, A)` float32. Weights that it keeps in files next to it, such
            as `policy.onnx.data`, are embedded.
        game: the game.
        bot: as in `export`.
        choice: "sample" or "greedy".

    Raises:
        ExportError: `bot` holds other files, the graph does not exist, or it fails on real observations.
    """
    bot = Path(bot)
    _check(bot, choice)
    game = envs.load(game) if isinstance(game, str) else game
    try:
        graph = fitted(read_file(Path(file), LARGEST_GRAPH), game, Path(file).parent)
    except OSError as error:
        raise ExportError(f"{file}: cannot be read: {error.strerror}") from None
    except ExportError as error:
        raise ExportError(f"{file}: {error}") from None
    return _write(bot, game, graph, choice, {"origin": "an ONNX graph", **_shapes(game, 0)}, tried=True)


def policy_graph(config: TrainConfig, game: Game, weights: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the graph of a policy, and its manifest entries."""
    net = PolicyNet(game, **policy_parts(config))
    load_weights(weights, net)
    observations, masks = real_views(game)
    advice = {}
    if advisor := net.advisor:
        game, observations = advisor.game, advisor.advise(observations, masks)
        advice = {"advised_by": advisor.name, "advice": advisor.digest}
    feed = {"observation": observations, "mask": masks}
    gives = ["logits"]
    if net.memory:  # random, in the range of a GRU
        feed["memory"] = np.random.default_rng(7).uniform(-1, 1, (len(masks), net.memory)).astype(np.float32)
        gives.append("memory_after")
    graph = take_int8_masks(to_graph(net, feed, gives))
    difference = parity(net, graph, feed, masks > 0)
    return graph, {
        **advice,
        **_shapes(game, net.memory),
        "parity": {"observations": len(masks), "largest_difference": difference},
    }


def worth_graph(
    config: AfterstatesConfig | AfterstateRolloutsConfig, game: Game, weights: Path
) -> tuple[bytes, dict[str, Any]]:
    """Return the graph of a network of afterstates, and its manifest entries."""
    net = worth_net(config, game)
    load_weights(weights, net)
    tables = VectorEnv(game, PARITY_OBSERVATIONS, seed=7)
    choices = list_choices(net.afterstates, *tables.step(tables.sample())[:2])
    feed = {"features": choices.features[choices.settled == 0]}
    graph = to_graph(net, feed, ["worth"])
    difference = parity(net, graph, feed, np.ones(len(feed["features"]), bool))
    return graph, {
        "afterstates": config.afterstates,
        "features": features_digest(game, net.afterstates),
        "inputs": {"features": ["n", net.afterstates.size]},
        "outputs": {"worth": ["n"]},
        "dtypes": {"features": "float32", "worth": "float32"},
        "parity": {"observations": len(feed["features"]), "largest_difference": difference},
    }


def _course(config: TrainConfig, record: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest entries of a run."""
    trained = {key: record[key] for key in ("status", "steps", "seconds", "versions")}
    return {"config": dataclasses.asdict(config), "trained": trained}


def _shapes(game: Game, memory: int) -> dict[str, Any]:
    """Return the manifest entries of the inputs and outputs of a policy."""
    inputs = {"observation": ["n", game.layout.size], "mask": ["n", game.num_actions]}
    outputs = {"logits": ["n", game.num_actions]}
    if memory:
        inputs["memory"] = outputs["memory_after"] = ["n", memory]
    dtypes = {name: "int8" if name == MASK else "float32" for name in (*inputs, *outputs)}
    return {"inputs": inputs, "outputs": outputs, "dtypes": dtypes}


def _check(bot: Path, choice: str | None) -> None:
    if choice is not None and choice not in CHOICES:
        raise ExportError(f"choice={choice!r} is not allowed; it takes {' or '.join(CHOICES)}")
    if bot.exists() and (not bot.is_dir() or {file.name for file in bot.iterdir()} - {GRAPH, MANIFEST}):
        raise ExportError(f"{bot}: holds other files than a bot; choose another folder")


def _write(
    bot: Path, game: Game, graph: bytes, choice: str, made: dict[str, Any], tried: bool = False
) -> dict[str, Any]:
    """Write the bot and return its manifest; if `tried`, first check it on real observations."""
    manifest = {
        "format": FORMAT, **fingerprint(game), "choice": choice, **made, "sha256": hashlib.sha256(graph).hexdigest(),
        "action_names": stored_names(game),
    }  # fmt: skip
    files = {GRAPH: graph, MANIFEST: json.dumps(manifest, indent=1).encode()}
    if tried:
        with tempfile.TemporaryDirectory() as scratch:
            for name, content in files.items():
                write_whole(Path(scratch) / name, content)
            _check_bot(Path(scratch), game)
    _replace(bot, files)
    return manifest


def _check_bot(bot: Path, game: Game) -> None:
    """Check the bot in the folder `bot` on real observations; raise ExportError if it cannot play."""
    try:
        loaded, (observations, masks) = load_bot(bot, game), real_views(game)
        loaded.logits(observations, masks)
        check_alone(loaded.logits, {"observation": observations, "mask": masks})
    except (BotError, ExportError) as error:
        raise ExportError(f"the graph cannot be played: {str(error).removeprefix(f'{bot}: ')}") from None


def _replace(bot: Path, files: dict[str, bytes]) -> None:
    """Replace the folder `bot` by `files` atomically."""
    bot.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{bot.name}.", dir=bot.parent) as scratch:
        fresh, old = Path(scratch) / "fresh", Path(scratch) / "old"
        fresh.mkdir()
        for name, content in files.items():
            with naming(bot / name):
                (fresh / name).write_bytes(content)
        if bot.exists():
            os.replace(bot, old)
        os.replace(fresh, bot)
