"""ONNX graphs of policies: exported from torch modules and compared with them, or adapted from other files."""

import inspect
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, external_data_helper, helper
from torch import nn

from sobremesa.agents.exported import LARGEST_GRAPH
from sobremesa.agents.networks.runtime import MASK
from sobremesa.agents.networks.sandbox import open_session
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside
from sobremesa.envs.core.game import Game
from sobremesa.training.networks.policy import FORBIDDEN, forbid

TOLERANCE = 1e-5  # between torch and onnxruntime on legal actions, relative to the largest logit if it is over 1
PARITY_OBSERVATIONS = 1_000
ALONE = 32  # rows that are also evaluated singly
APART = 1e-4  # between a row alone and among others, relative to the largest logit if it is over 1
_ANY = "write it so that it takes any number of rows at once, without a loop over them or a fixed batch size"
_CAST = "sobremesa/mask"  # the mask as the network takes it
_PLIES = 41  # of random play, enough to reach every stage


class ExportError(ValueError):
    """A policy that cannot be exported; no file has been written."""


class Masked(nn.Module):
    """An external policy `(observation (n, D)[, mask (n, A)]) -> logits (n, A)`, with the mask applied."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        asked = inspect.signature(module.forward).parameters.values()
        self.takes_mask = sum(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in asked) > 1

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return logits, FORBIDDEN where `mask` is 0."""
        logits: torch.Tensor = self.module(observation, mask) if self.takes_mask else self.module(observation)
        return forbid(logits, mask)


def real_views(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Return observations `(n, D)` and masks `(n, A)`, float32, from deals in progress."""
    tables = VectorEnv(game, PARITY_OBSERVATIONS, seed=7, copy=False)
    for _ in range(_PLIES):
        seen = tables.step(tables.sample())
    return seen.observations, seen.masks.astype(np.float32)


def to_graph(net: nn.Module, feed: dict[str, np.ndarray], gives: list[str]) -> bytes:
    """Return the network as an ONNX file, weights inside, for any number of rows; `feed` are example inputs."""
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
    if fixed := [one.name for one in graph.input if _shape(one)[:1] != ["n"]]:
        raise ExportError(f"PyTorch fixed the number of rows of {', '.join(fixed)} as it traced the network; {_ANY}")
    # The exporter notes on each node which lines of which files of this machine it comes from.
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.value_info, *graph.initializer):
        del part.metadata_props[:]
    return bytes(model.SerializeToString())


def take_int8_masks(graph: bytes) -> bytes:
    """Return the ONNX file `graph` with its input `mask` as int8, as environments give it, and cast inside."""
    model = onnx.load_model_from_string(graph)
    taken = next(one for one in model.graph.input if one.name == MASK).type.tensor_type
    if taken.elem_type != TensorProto.INT8:
        _rename(model.graph, MASK, _CAST)
        model.graph.node.insert(0, helper.make_node("Cast", [MASK], [_CAST], to=taken.elem_type))
        taken.elem_type = TensorProto.INT8
    return bytes(model.SerializeToString())


def _rename(graph: Any, old: str, new: str) -> None:
    """Rename the input `old` of all nodes of `graph`, and of graphs inside them, to `new`."""
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        for attribute in node.attribute:
            for inner in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                _rename(inner, old, new)


def parity(net: nn.Module, graph: bytes, feed: dict[str, np.ndarray], counts: np.ndarray) -> float:
    """Return the largest difference between torch and onnxruntime on `feed`; raise ExportError if it is too large.

    counts: bool, numbers of the first output to compare.
    """
    with torch.inference_mode():
        answer = net(*(torch.from_numpy(array) for array in feed.values()))
    ours = [one.numpy() for one in (answer if isinstance(answer, tuple) else (answer,))]
    typed = {name: array.astype(np.int8) if name == MASK else array for name, array in feed.items()}
    try:
        session = open_session(onnxruntime, graph, one_thread=False)
        theirs = session.run(None, typed)
        alike = all(one.shape == other.shape for one, other in zip(ours, theirs, strict=True))
    except Exception as error:  # onnxruntime has errors of its own
        raise ExportError(
            f"the exported graph does not take {len(counts):,} rows: {first_line(error)}; {_ANY}"
        ) from None
    if not alike:
        raise ExportError(f"the exported graph gives {theirs[0].shape} for {len(counts):,} rows; {_ANY}")
    differences = [np.abs(one - other) for one, other in zip(ours, theirs, strict=True)]
    difference = max(float(part.max()) for part in (differences[0][counts], *differences[1:]))
    allowed = TOLERANCE * max(1.0, float(np.abs(ours[0])[counts].max()))
    if not difference <= allowed:
        raise ExportError(f"torch and onnxruntime differ by {difference:g}, more than {allowed:g}")
    return difference


def checked(net: Masked, feed: dict[str, np.ndarray], game: Game) -> Masked:
    """Return `net`; raise ExportError unless it gives finite logits of the right shape on the first rows of `feed`."""
    try:
        with torch.inference_mode():
            logits = net.module(*[torch.from_numpy(array[:2]) for array in feed.values()][: 1 + net.takes_mask])
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ExportError(f"the module does not take {_wanted(game)}: {str(error).splitlines()[0]}") from None
    if not isinstance(logits, torch.Tensor) or logits.shape != (2, game.num_actions) or logits.dtype != torch.float32:
        given = f"{logits.dtype} {tuple(logits.shape)}" if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise ExportError(f"the module gives {given} for two rows; it is to take {_wanted(game)}")
    if not torch.isfinite(logits).all():
        raise ExportError("the module gives logits that are not finite")

    def answer(*arrays: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return np.asarray(net(*map(torch.from_numpy, arrays)).numpy())

    try:
        check_alone(answer, feed)
    except ExportError as error:
        raise ExportError(f"the module: {error}") from None
    return net


def fitted(graph: bytes, game: Game, folder: Path) -> bytes:
    """Return an external ONNX file as the graph of a bot: with the weights in `folder`, the mask, and a bot's names.

    Raises ExportError, with its inputs and outputs, if the graph cannot play `game`.
    """
    try:
        model = onnx.load_model_from_string(graph)
    except Exception as error:  # protobuf has errors of its own
        raise ExportError(f"not an ONNX graph: {str(error) or type(error).__name__}") from None
    embed_weights(model, folder)
    inner = {tensor.name for tensor in model.graph.initializer}
    takes, gives = [one for one in model.graph.input if one.name not in inner], list(model.graph.output)
    sizes = {"observation": game.layout.size, "mask": game.num_actions}
    found = {one.name: _shape(one) for one in takes}
    if len(gives) == 1 and _shape(gives[0])[1:] == [game.num_actions]:
        if fixed := [rows for rows, *_ in map(_shape, (*takes, *gives)) if rows != "n"]:
            raise ExportError(
                f"the graph takes {fixed[0]} rows and no other number; export it for any number of rows (torch: "
                "dynamic_shapes, or dynamic_axes with dynamo=False, for dimension 0)"
            )
        if found.keys() == sizes.keys() and gives[0].name == "logits":
            return take_int8_masks(bytes(model.SerializeToString()))
        if len(takes) == 1 and found[takes[0].name][1:] == [sizes["observation"]]:
            return take_int8_masks(_with_mask(model, takes[0].name, gives[0].name, game))
    raise ExportError(
        f"the graph takes {found} and gives { ({one.name: _shape(one) for one in gives}) }; "
        f"it is to take {_wanted(game)}, by these names, or the observation alone"
    )


def check_alone(answer: Callable[..., np.ndarray], feed: dict[str, np.ndarray]) -> None:
    """Raise ExportError unless `answer` gives the same logits for single rows of `feed` as for all rows together."""
    some = {name: array[:ALONE] for name, array in feed.items()}
    try:
        singly = [answer(*(array[row : row + 1] for array in some.values())) for row in range(ALONE)]
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise ExportError(f"it does not take a row alone: {first_line(error)}; {_ANY}") from None
    together = answer(*some.values())
    if any(one.shape != together[:1].shape for one in singly):
        raise ExportError(f"it gives {singly[0].shape} for a row alone and {together.shape} for {ALONE}; {_ANY}")
    allowed = some[MASK] > 0
    off = float(np.abs(together - np.concatenate(singly))[allowed].max())
    if not off <= APART * max(1.0, float(np.abs(together[allowed]).max())):
        raise ExportError(
            f"its answer to a row alone differs by {off:g} from that to the same row among others; logits must follow "
            "from their own row (no batch statistics, no softmax or mean over rows, no random numbers)"
        )


def first_line(error: Exception) -> str:
    """Return the first line of an error message of another library."""
    return one_line((str(error).strip().splitlines() or [type(error).__name__])[0], 300)


def embed_weights(model: Any, folder: Path) -> None:
    """Embed weights of `model` that are in files of `folder`; raise ExportError if that fails."""
    files: dict[str, bytes] = {}
    total = 0
    for tensor in filter(external_data_helper.uses_external_data, external_data_helper._get_all_tensors(model)):
        said = {entry.key: entry.value for entry in tensor.external_data}
        name = said.get("location", "")
        if name in ("", ".", "..") or "/" in name or "\\" in name:
            raise ExportError(f"it keeps weights in {name!r:.200}, which is no name of a file beside it")
        try:
            content = files.setdefault(name, b"") or read_inside(folder, name, LARGEST_GRAPH)
            files[name], start = content, int(said.get("offset", "0"))
            size = int(said.get("length", len(content) - start))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise ExportError(
                f"it keeps weights in {name!r:.200}, which cannot be read: {why}; put that file beside it, or export "
                "it with external_data=False"
            ) from None
        total += size
        if start < 0 or size < 0 or start + size > len(content) or total > LARGEST_GRAPH:
            raise ExportError(f"{name!r:.200} has no {size:,} bytes at {start:,}, or they are too many: cut short?")
        tensor.raw_data, tensor.data_location = content[start : start + size], TensorProto.DEFAULT
        del tensor.external_data[:]


def _wanted(game: Game) -> str:
    size, actions = game.layout.size, game.num_actions
    return f"observation (n, {size}) and, if it likes, mask (n, {actions}), float32, and to give logits (n, {actions})"


def _shape(value: Any) -> list[Any]:
    return [one.dim_value or "n" for one in value.type.tensor_type.shape.dim]


def _with_mask(model: Any, taken: str, given: str, game: Game) -> bytes:
    """Return `model`, a graph from `taken` to `given`, as a graph from observation and mask to logits."""
    graph, own = model.graph, "sobremesa/"
    nodes = [helper.make_node("Identity", ["observation"], [taken])] if taken != "observation" else []
    nodes += list(graph.node)
    if given == "logits":
        for node in nodes:
            node.output[:] = [f"{own}{name}" if name == given else name for name in node.output]
            node.input[:] = [f"{own}{name}" if name == given else name for name in node.input]
        given = f"{own}{given}"
    graph.initializer.append(helper.make_tensor(f"{own}zero", TensorProto.FLOAT, [], [0.0]))
    graph.initializer.append(helper.make_tensor(f"{own}forbidden", TensorProto.FLOAT, [], [FORBIDDEN]))
    nodes.append(helper.make_node("Greater", ["mask", f"{own}zero"], [f"{own}allowed"]))
    nodes.append(helper.make_node("Where", [f"{own}allowed", given, f"{own}forbidden"], ["logits"]))
    sizes = {"observation": game.layout.size, "mask": game.num_actions, "logits": game.num_actions}
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name, size in sizes.items()}
    for part, kept in ((graph.node, nodes), (graph.input, [values["observation"], values["mask"]])):
        kept = [type(one).FromString(one.SerializeToString()) for one in kept]  # what is cleared below is theirs
        del part[:]
        part.extend(kept)
    del graph.output[:]
    graph.output.append(values["logits"])
    return bytes(model.SerializeToString())
