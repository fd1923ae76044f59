"""The part of NVIDIA's CUDA driver that starts kernels, by ctypes.

PyTorch provides the context, the memory and the stream.
Reference: CUDA Driver API, https://docs.nvidia.com/cuda/cuda-driver-api/.
"""

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

THREADS = 64  # in a block: the fastest of 32, 64 and 128 in all five games, or within noise of it
_REGISTERS, _LOCAL = 4, 3  # attributes of a function
_LOG_SIZE, _LOG = 6, 5  # options of the compiler in the driver: its error messages


class CudaError(RuntimeError):
    """The CUDA driver is missing, or it refused a call."""


@cache
def _driver() -> Any:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise CudaError(f"there is no NVIDIA driver on this machine ({error}); use device='cpu'") from None


def _call(name: str, *arguments: Any) -> None:
    """Call a function of the driver; raise CudaError with its message if it fails."""
    failed = getattr(_driver(), name)(*arguments)
    if failed:
        message = ctypes.c_char_p()
        _driver().cuGetErrorString(failed, ctypes.byref(message))
        raise CudaError(f"{name}: {(message.value or b'unknown error').decode()} (CUDA error {failed})")


class Module:
    """Functions for the current device, compiled from PTX by the driver, which caches the machine code on disk.

    Raises CudaError, with the compiler's messages if it refuses the PTX.
    """

    def __init__(self, ptx: str) -> None:
        self._module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(_LOG, _LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(len(log)))
        try:
            _call("cuModuleLoadDataEx", ctypes.byref(self._module), ptx.encode() + b"\0", 2, options, values)
        except CudaError as error:
            messages = log.value.decode(errors="replace").strip()
            remedy = "update the NVIDIA driver, or use device='cpu'"
            raise CudaError(f"{error}; {messages + '; ' if messages else ''}{remedy}") from None
        self._functions: dict[str, Any] = {}

    def function(self, name: str) -> Any:
        """Return the handle of a function."""
        if name not in self._functions:
            found = ctypes.c_void_p()
            _call("cuModuleGetFunction", ctypes.byref(found), self._module, name.encode())
            self._functions[name] = found
        return self._functions[name]

    def launch(self, name: str, count: int, arguments: Sequence[int], stream: int) -> None:
        """Queue function `name` for `count` tables on `stream`; `arguments` are addresses and numbers of 64 bits."""
        values = (ctypes.c_uint64 * len(arguments))(*(value & 0xFFFF_FFFF_FFFF_FFFF for value in arguments))
        size = ctypes.sizeof(ctypes.c_uint64)
        places = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(values) + size * k for k in range(len(values))))
        blocks, function = -(-count // THREADS), self.function(name)
        queue = ctypes.c_void_p(stream)
        _call("cuLaunchKernel", function, blocks, 1, 1, THREADS, 1, 1, 0, queue, places, None)

    def usage(self, name: str) -> dict[str, int]:
        """Return the registers and the bytes of local memory that a thread of function `name` uses."""
        found = {}
        for what, attribute in (("registers", _REGISTERS), ("local bytes", _LOCAL)):
            value = ctypes.c_int()
            _call("cuFuncGetAttribute", ctypes.byref(value), attribute, self.function(name))
            found[what] = value.value
        return found
