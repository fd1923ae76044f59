"""Numba's private parts that this library uses, all in one place.

Kernels of one game call each other ten levels deep. Numba would compile each callee again for every caller and every
process; the modules next to this one compile each function once for all (linking.py) and keep it on disk (cache.py).
That takes parts of Numba which may change in any release. So there is a ceiling: with a newer Numba, or where a part is
missing, `kernel` falls back to `numba.njit`, which gives the same results after a longer compilation.
"""

import re
import warnings

import numba

NEWEST = (0, 68)  # the newest release of Numba with which the private parts are tested


def _problem() -> str:
    """Return why the private parts are not used; "" if they are."""
    found = re.match(r"(\d+)\.(\d+)", numba.__version__)
    if found is None or (int(found[1]), int(found[2])) > NEWEST:
        return f"Numba {numba.__version__} is newer than {NEWEST[0]}.{NEWEST[1]}"
    return MISSING and f"Numba {numba.__version__} lacks a part ({MISSING})"


MISSING = ""
try:
    from llvmlite import binding, ir
    from numba.core import compiler, environment, itanium_mangler, serialize, sigutils, typing
    from numba.core.caching import _Cache as Cache
    from numba.core.codegen import JITCodeLibrary as CodeLibrary
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import _FunctionCompiler as FunctionCompiler  # type: ignore[attr-defined]
    from numba.core.lowering import Environment
    from numba.core.registry import CPUDispatcher as Dispatcher
    from numba.np import arrayobj
except (ImportError, AttributeError) as error:
    MISSING = str(error)
    binding = ir = compiler = environment = itanium_mangler = serialize = sigutils = typing = arrayobj = None
    Environment = global_compiler_lock = None
    Cache = CodeLibrary = FunctionCompiler = Dispatcher = object  # so that classes can be derived, and are not used

PROBLEM = _problem()
if PROBLEM:
    warnings.warn(
        f"{PROBLEM}: kernels are compiled by numba.njit, which takes minutes for a large game; "
        f"install 'numba<{NEWEST[0]}.{NEWEST[1] + 1}' to compile them in seconds and keep them on disk",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = [
    "PROBLEM", "Cache", "CodeLibrary", "Dispatcher", "Environment", "FunctionCompiler", "arrayobj", "binding",
    "compiler", "environment", "global_compiler_lock", "ir", "itanium_mangler", "serialize", "sigutils", "typing",
]  # fmt: skip
