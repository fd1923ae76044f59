"""The keys of configurations: what they may be, and how they are told when they may not."""

from dataclasses import field
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta

from sobremesa.envs.core.errors import one_line

OLD_NAMES = {"pull": "magnet", "reference_rate": "magnet_rate", "pool": "pool_size"}  # of keys

Seed = Annotated[int, Meta(ge=0, lt=2**31)]
Whole = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Width = Annotated[int, Meta(ge=1, le=16_384)]
Widths = Annotated[list[Width], Meta(max_length=64)]
Weight = Annotated[float, Meta(ge=0, le=1e6)]
Positive = Annotated[float, Meta(gt=0, le=1e6)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Part = Annotated[float, Meta(gt=0, le=1)]


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the key."""


def key(default: Any, doc: str) -> Any:
    """Return the field of a key that is `default` when nothing is said."""
    if isinstance(default, (dict, list)):
        return field(default_factory=default.copy, metadata={"doc": doc})
    return field(default=default, metadata={"doc": doc})


def shown(value: Any) -> str:
    """Return `value` as an error shows it."""
    return one_line(repr(value), 200)


def require(holds: Any, key: str, value: Any, allowed: str) -> None:
    """Raise ConfigError naming `key` and what is `allowed` unless this `holds`."""
    if not holds:
        raise ConfigError(f"{key}={shown(value)} is not allowed; it takes {allowed}")


def fit(key: str, value: Any, kind: Any) -> Any:
    """Return `value` as `kind`, ints passing for floats; raise ConfigError naming `key`."""
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


def renamed(values: dict[str, Any]) -> dict[str, Any]:
    """Return `values` with new names for old ones; raise ConfigError where both are there."""
    for old, new in OLD_NAMES.items():
        if old in values and new in values:
            raise ConfigError(f"{old} and {new} are the same key, which is called {new} now")
    return {OLD_NAMES.get(key, key): value for key, value in values.items()}
