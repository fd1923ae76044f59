"""The allocators that the stored machine code of kernels names: a GPU has none, so arrays lie in frames."""

import pytest
from numba import config

from sobremesa.envs.core.compile import cache
from sobremesa.envs.core.compile.private import PROBLEM

_UNSTORED = bool(config.DISABLE_JIT or PROBLEM) or cache.cache_folder() is None
NEEDS_STORE = pytest.mark.skipif(_UNSTORED, reason="reads machine code in the kernel cache")

_NAMES = (b"NRT_MemInfo_alloc", b"NRT_MemInfo_new", b"NRT_MemInfo_varsize", b"NRT_Allocate", b"NRT_Reallocate")


def allocators(function, *kinds):
    """Return the allocators that the stored machine code of a kernel or of its callees names."""
    library = function.whole(kinds).library
    files = {one.library: path for path, one in cache._AT_HAND.items()}
    code = b"".join(files[one].read_bytes() for one in (library, *library.needs))
    return [name.decode() for name in _NAMES if name in code]
