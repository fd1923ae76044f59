"""A program that runs in a fork of a process with Numba; a file of its own, since the tests import far more."""

import contextlib
import io
import os
import sys
import traceback


def ours_last():
    """Have `sobremesa` be the folder of that name beside a program, where there is one, and not what is installed."""
    sys.meta_path.sort(key=lambda one: "editable___sobremesa" in str(getattr(one, "__module__", "")))


def run(text, folder, cache, said):
    """Run `text` in `folder`, kernels cached in `cache`; send what it prints and what went wrong through `said`."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    ours_last()
    sys.dont_write_bytecode = True
    os.environ["SOBREMESA_CACHE_DIR"] = cache
    out, wrong = io.StringIO(), ""
    with contextlib.redirect_stdout(out):
        try:
            exec(text, {"__name__": "report"})
        except BaseException:
            wrong = traceback.format_exc()
    said.send((out.getvalue(), wrong))
