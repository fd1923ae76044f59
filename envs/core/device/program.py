"""Entries of a game, compiled for one device, and called with tensors.

On a GPU they are PTX, which the kernel cache keeps. On the processor the optimized code of which a GPU's PTX is made
runs thread by thread: slow, and the way to check without a GPU what a GPU would compute.
"""

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from numba import config
from numba.np.numpy_support import as_dtype

from sobremesa.envs.core.compile import retarget
from sobremesa.envs.core.compile.cache import load_text, save_text
from sobremesa.envs.core.compile.private import PROBLEM
from sobremesa.envs.core.compile.retarget import ALIGNMENT, Column, Entry
from sobremesa.envs.core.device.driver import THREADS, CudaError, Module

REFERENCE_CHIP = "sm_80"  # whose code is checked on the processor
_OLDEST = (7, 0)  # compute capability


class Program:
    """Functions over tensors of N tables, on one device.

    `code` runs on this processor in place of the optimized code of `entries`, to check the compiler. Raises NotPortable
    for kernels that a GPU cannot run, and CudaError for a Numba, a GPU or a driver that does not fit.
    """

    def __init__(self, entries: Sequence[Entry], device: torch.device, code: str | None = None) -> None:
        check_compiler()
        self._entries = {entry.name: entry for entry in entries}
        self.device = device
        if device.type == "cuda":
            torch.zeros(1, device=device)  # makes the driver's context
            code = ptx_of(entries, chip_of(device))
            with torch.cuda.device(device):  # a module belongs to the card that is current when it is loaded
                self._module = Module(code)
        else:
            code = code or retarget.optimized(retarget.link(entries), REFERENCE_CHIP)
            self._engine = retarget.on_this_processor(code, entries, THREADS)

    def __call__(self, name: str, count: int, first: int, given: Mapping[str, Any]) -> None:
        """Queue function `name` for `count` tables, of which the first has the number `first`.

        `given` has a tensor for each column and a number for each other argument, and may have more.
        """
        arguments: list[int] = []
        for argument, column in self._entries[name].arguments.items():
            value = given[argument]
            arguments += [int(value)] if column is None else _address(argument, column, value, count, self.device)
        arguments += [count, first]
        if self.device.type == "cuda":
            with torch.cuda.device(self.device):
                self._module.launch(name, count, arguments, torch.cuda.current_stream().cuda_stream)
        else:
            kind = ctypes.PYFUNCTYPE(None, *[ctypes.c_int64] * len(arguments))  # one thread: registers are global
            kind(self._engine.get_function_address(name))(*arguments)

    def usage(self) -> dict[str, dict[str, int]]:
        """Return the registers and the local memory of a thread by function; empty on the processor."""
        if self.device.type != "cuda":
            return {}
        with torch.cuda.device(self.device):
            return {name: self._module.usage(name) for name in self._entries}


def check_compiler() -> None:
    """Raise CudaError if Numba cannot compile for other targets as it is installed and set."""
    if PROBLEM:
        raise CudaError(f"{PROBLEM}, and compiling for a GPU needs the tested releases; use device='cpu'")
    for name in ("DISABLE_JIT", "BOUNDSCHECK"):
        if getattr(config, name):
            raise CudaError(f"NUMBA_{name} is set, which works on the processor alone; unset it, or use device='cpu'")


def _address(name: str, column: Column, value: torch.Tensor, count: int, device: torch.device) -> list[int]:
    """Return the address and the pitch in bytes of a tensor that has `count` rows of `column`."""
    dtype, row = _form(column)
    shape = (count, *row)
    if (value.shape, value.dtype, value.device) != (shape, dtype, device) or (row and value.stride(1) != 1):
        raise ValueError(
            f"{name} is {described(value)}, with strides {value.stride()}; it takes "
            f"{str(dtype).removeprefix('torch.')} of shape {shape} on {device}, with whole rows"
        )
    pitch = value.stride(0) * value.element_size()
    if column.staged and (pitch % ALIGNMENT or value.data_ptr() % ALIGNMENT):
        raise ValueError(f"the rows of {name} must begin at multiples of {ALIGNMENT} bytes, as `new_slots` makes them")
    return [value.data_ptr(), pitch]


@cache
def _form(column: Column) -> tuple[torch.dtype, tuple[int, ...]]:
    """Return the dtype and the shape of a row of a tensor; records are their bytes."""
    kind = as_dtype(column.kind)
    if kind.names:
        return torch.uint8, (column.row,)
    return torch.from_numpy(np.empty(0, kind)).dtype, () if column.width is None else (column.width,)


def described(value: Any) -> str:
    """Return the form of a tensor in words, and the type of another object."""
    if not isinstance(value, torch.Tensor):
        return f"a {type(value).__name__}"
    return f"{str(value.dtype).removeprefix('torch.')} of shape {tuple(value.shape)} on {value.device}"


def chip_of(device: torch.device) -> str:
    """Return the name that LLVM has for the GPU, such as "sm_90"; raise CudaError for one that is too old."""
    major, minor = torch.cuda.get_device_capability(device)
    if (major, minor) < _OLDEST:
        name = torch.cuda.get_device_name(device)
        oldest = ".".join(map(str, _OLDEST))
        raise CudaError(
            f"{name} has compute capability {major}.{minor}, and {oldest} is the oldest that works; use device='cpu'"
        )
    return f"sm_{major}{minor}"


def ptx_of(entries: Sequence[Entry], chip: str) -> str:
    """Return the PTX of `entries` for `chip`, from the kernel cache if possible."""
    key = retarget.key(entries, chip)
    found = None if key is None else load_text(key)
    if found is None:
        found = retarget.ptx(retarget.optimized(retarget.link(entries), chip), chip)
        if key is not None:
            save_text(key, found)
    return found
