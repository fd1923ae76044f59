"""Reader of ONNX files: nodes and weights, with protobuf alone.

Only the parts of onnx.proto that this library uses are declared (the ONNX specification, IR version 3 and later).
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

# Messages and their fields: number and kind; "*" is any number of them.
_MESSAGES = {
    "Model": {"graph": (7, "Graph"), "functions": (25, "Function*")},
    "Function": {"node": (7, "Node*"), "attribute_proto": (11, "Attribute*")},
    "Graph": {"node": (1, "Node*"), "initializer": (5, "Tensor*"), "sparse_initializer": (15, "Sparse*")},
    "Node": {
        "input": (1, "string*"),
        "output": (2, "string*"),
        "op_type": (4, "string"),
        "attribute": (5, "Attribute*"),
        "domain": (7, "string"),
    },
    "Attribute": {
        "name": (1, "string"),
        "f": (2, "float"),
        "i": (3, "int64"),
        "s": (4, "bytes"),
        "t": (5, "Tensor"),
        "g": (6, "Graph"),
        "floats": (7, "float*"),
        "ints": (8, "int64*"),
        "tensors": (10, "Tensor*"),
        "graphs": (11, "Graph*"),
        "type": (20, "int32"),
        "sparse_tensor": (22, "Sparse"),
        "sparse_tensors": (23, "Sparse*"),
    },
    "Sparse": {"values": (1, "Tensor"), "indices": (2, "Tensor")},
    "Tensor": {
        "dims": (1, "int64*"),
        "data_type": (2, "int32"),
        "float_data": (4, "float*"),
        "int32_data": (5, "int32*"),
        "int64_data": (7, "int64*"),
        "name": (8, "string"),
        "raw_data": (9, "bytes"),
        "external_data": (13, "bytes*"),
        "data_location": (14, "int32"),
    },
}
_ATTRIBUTES = {1: "f", 2: "i", 3: "s", 4: "t", 6: "floats", 7: "ints"}  # where a value lies, by the attribute's type
NUMBERS = {1: "<f4", 6: "<i4", 7: "<i8", 9: "?", 11: "<f8"}  # by a tensor's type


_DRAWING = ("Random", "Bernoulli", "Multinomial", "Sampling")  # how operations begin that draw random numbers


class Node(NamedTuple):
    """One operation of a graph."""

    kind: str  # of the ONNX specification
    takes: tuple[str, ...]  # names of values; "" for one that is left out
    gives: tuple[str, ...]
    settings: dict[str, Any]  # numbers, lists of them, bytes and arrays


class GraphFile(NamedTuple):
    """The content of a graph, in the order of its file."""

    nodes: list[Node]
    weights: dict[str, np.ndarray]


def read_graph(content: bytes) -> GraphFile:
    """Return the content of the ONNX file `content`.

    Raises ValueError for a file of another kind or with unsupported parts, and ImportError without protobuf.
    """
    model = _parsed(content)
    nodes = [_node(node) for node in model.graph.node]
    return GraphFile(nodes, {tensor.name: _array(tensor) for tensor in model.graph.initializer})


def leading_to(nodes: list[Node], name: str) -> list[Node]:
    """Return those of `nodes` that the value `name` follows from."""
    wanted, found = {name}, []
    for node in reversed(nodes):
        if wanted & set(node.gives):
            wanted |= set(node.takes)
            found.append(node)
    return found[::-1]


def drawing_nodes(content: bytes) -> list[str]:
    """Return the operations in the ONNX file `content` that draw random numbers, those in subgraphs and functions, too.

    A Dropout counts if it may train. Raises ValueError for what is no such file, and ImportError without protobuf.
    """
    found = set()
    for body in _messages(content, "Graph", "Function"):
        falsehoods = _misleading_weights(body)
        for node in body.node:
            trains = node.op_type == "Dropout" and node.input[2:] and node.input[2] not in {"", *falsehoods}
            if trains or node.op_type.startswith(_DRAWING):
                found.add(node.op_type)
    return sorted(found)


def _misleading_weights(body: Any) -> set[str]:
    """Return the names of weights in `body` that are zero; onnxruntime takes the last of several of one name."""
    weights = list(getattr(body, "initializer", ()))
    sparse = [one.values.name for one in getattr(body, "sparse_initializer", ())]
    given = Counter(chain((one.name for one in weights), sparse, *(node.output for node in body.node)))
    return {one.name for one in weights if given[one.name] == 1 and not any(one.raw_data or one.int32_data)}


def outside_weights(content: bytes) -> list[str]:
    """Return the names of the weights that the ONNX file `content` keeps in other files.

    Raises ValueError for what is no such file, and ImportError without protobuf.
    """
    return [one.name for one in _messages(content, "Tensor") if one.external_data or one.data_location]


def _messages(content: bytes, *kinds: str) -> Iterator[Any]:
    """Yield the messages of `kinds` in the ONNX file `content`, those within others, too."""
    messages = [_parsed(content)]
    while messages:
        message = messages.pop()
        if message.DESCRIPTOR.name in kinds:
            yield message
        for field, value in message.ListFields():
            if field.message_type is not None:
                messages += [value] if hasattr(value, "ListFields") else value


def _node(node: Any) -> Node:
    if node.domain not in ("", "ai.onnx"):
        raise ValueError(f"operations of {node.domain} are not read")
    settings = {}
    for attribute in node.attribute:
        if attribute.type not in _ATTRIBUTES:
            raise ValueError(f"{node.op_type} has {attribute.name} of a type that is not read")
        value = getattr(attribute, _ATTRIBUTES[attribute.type])
        several = _ATTRIBUTES[attribute.type] in ("floats", "ints")
        settings[attribute.name] = _array(value) if attribute.type == 4 else list(value) if several else value
    return Node(node.op_type, tuple(node.input), tuple(node.output), settings)


def _parsed(content: bytes) -> Any:
    from google.protobuf.message import DecodeError

    model = _model()()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise ValueError(f"no ONNX graph: {error}") from None
    return model


def _array(tensor: Any) -> np.ndarray:
    if tensor.data_type not in NUMBERS:
        raise ValueError(f"{tensor.name} holds numbers of a type that is not read")
    kind = np.dtype(NUMBERS[tensor.data_type])
    listed = tensor.int64_data if kind == np.int64 else tensor.float_data
    found = np.frombuffer(tensor.raw_data, kind) if tensor.raw_data else np.array(list(listed), kind)
    return found.reshape(list(tensor.dims))


@cache
def _model() -> Any:
    """Return the class of a whole file, with its own pool: `onnx` may have declared its messages as well."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="graph.proto", package="graph", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            one = message.field.add(name=field, number=number)
            one.label = kinds.LABEL_REPEATED if kind.endswith("*") else kinds.LABEL_OPTIONAL
            plain = kind.rstrip("*")
            if plain in _MESSAGES:
                one.type, one.type_name = kinds.TYPE_MESSAGE, f".graph.{plain}"
            else:
                one.type = kinds.Type.Value(f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("graph.Model"))
