"""Runs files of Python, each alone, as blocks of a document are that one copies: `python blocks.py FILE ...`.

Each runs in a process of its own. What takes long to import is imported once, before; the library is not, for a block
that forgets to import it must fail.
"""

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

SLOW = ("numpy", "numba", "gymnasium", "pettingzoo", "torch")


def run_alone(file):
    """Run `file` in a process of its own; return its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        runpy.run_path(str(file), run_name="__main__")
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def main(files):
    """Run every one of `files`; return how many fail, each told by its name."""
    text = "".join(Path(file).read_text(encoding="utf-8") for file in files)
    for name in SLOW:
        if name in text or name in ("numpy", "numba"):
            import_module(name)
    sys.path[0] = ""
    failed = [file for file in files if run_alone(file)]
    print(*(f"failed: {file}" for file in failed), sep="\n", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
