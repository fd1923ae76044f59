"""Gymnasium's specification of an environment, with numbers of Python and a clear refusal of what JSON cannot hold."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from sobremesa.envs.core.errors import one_line


class StoredSpec(EnvSpec):
    """An `EnvSpec` whose `to_json` raises ValueError for an argument that no file can contain, such as an agent."""

    def to_json(self) -> str:
        for name, value in self.kwargs.items():
            try:
                json.dumps(value)
            except TypeError:
                given = one_line(repr(value), 100)
                raise ValueError(
                    f"{self.id}: {name}={given} cannot be written as JSON; give agents by name or by folder, as in "
                    "opponents='strong'"
                ) from None
        return super().to_json()


class WithSpec:
    """The attribute `spec`, which `gymnasium.make` sets."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """The specification from which `gymnasium.make` makes the environment again; None if it was made directly."""
        return self._spec

    @spec.setter
    def spec(self, given: EnvSpec | None) -> None:
        if given is None:
            self._spec = None
            return
        fields = {field.name: getattr(given, field.name) for field in dataclasses.fields(given) if field.init}
        self._spec = StoredSpec(**fields | {"kwargs": _plain(given.kwargs)})


def _plain(value: Any) -> Any:
    """Return `value` with the numbers and arrays of NumPy in it as those of Python."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value
