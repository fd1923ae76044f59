"""Run Python files, each in a process of its own, as a reader runs blocks of a document: `python blocks.py FILE ...`.

Slow packages are imported once, before. The library is not: a block that forgets to import it must fail. The package of
the tutorial on games of one's own can be imported.
"""

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "liars_dice"
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
    """Run every one of `files`; print the names of those that fail and return their number."""
    text = "".join(Path(file).read_text(encoding="utf-8") for file in files)
    for name in SLOW:
        if name in text or name in ("numpy", "numba"):
            import_module(name)
    sys.path[0] = ""
    sys.path.append(str(EXAMPLE))
    failed = [file for file in files if run_alone(file)]
    print(*(f"failed: {file}" for file in failed), sep="\n", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
