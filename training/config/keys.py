"""Keys of configurations: their types, defaults, help texts and error messages."""

from dataclasses import field
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from sobremesa.envs.core.errors import one_line

Seed = Annotated[int, Meta(ge=0, lt=2**31)]
Whole = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Width = Annotated[int, Meta(ge=1, le=16_384)]
Widths = Annotated[list[Width], Meta(max_length=64)]
Weight = Annotated[float, Meta(ge=0, le=1e6)]
Positive = Annotated[float, Meta(gt=0, le=1e6)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Part = Annotated[float, Meta(gt=0, le=1)]

RUN, LEARNING, EVALUATION, NETWORK, OPPONENTS = "Run", "Learning", "Evaluation", "Network", "Opponents"  # help groups
TORCHRUN = "TORCHELASTIC_RUN_ID"  # the environment variable by which torchrun is known


class ConfigError(ValueError):
    """An invalid configuration; the message names the key."""


def key(default: Any, doc: str, group: str = "") -> Any:
    """Return a dataclass field with its help text; without a `group`, help lists it under the algorithm."""
    metadata = {"doc": doc, "group": group}
    if isinstance(default, (dict, list)):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def shown(value: Any) -> str:
    """Return `value` as error messages show it."""
    return one_line(repr(value), 200)


def require(holds: Any, key: str, value: Any, allowed: str) -> None:
    """Raise ConfigError, with `key`, its `value` and what is `allowed`, unless the condition `holds`."""
    if not holds:
        raise ConfigError(f"{key}={shown(value)} is not allowed; it takes {allowed}")


def fit(key: str, value: Any, kind: Any) -> Any:
    """Return `value` converted to the type `kind` (an int counts as a float); raise ConfigError with the key."""
    if get_origin(kind) is dict and isinstance(value, dict):
        return {name: fit(f"{key}.{name}", one, get_args(kind)[1]) for name, one in value.items()}
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        why = (
            f"; it takes {' or '.join(get_args(kind))}"
            if get_origin(kind) is Literal
            else f": {one_line(str(error), 300)}"
        )
        raise ConfigError(f"{one_line(key, 100)}={shown(value)} is not allowed{why}") from None
