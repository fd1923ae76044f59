"""The disk cache of compiled kernels: it is used, and it is never stale.

Each test writes small modules to a folder and runs them in processes of their own, with a cache of their own.
"""

import contextlib
import importlib
import inspect
import multiprocessing
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path
from types import SimpleNamespace

import forked
import numpy as np
import pytest
from scale import PLAIN

from sobremesa import agents, envs
from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core.api.match import _match_kernels
from sobremesa.envs.core.codes import clear
from sobremesa.envs.core.compile import cache, digest as digests, notice
from sobremesa.envs.core.compile.kernel import Kernel, kernel
from sobremesa.envs.core.errors import MissingExtra
from sobremesa.envs.core.table import batch_kernels, table_kernels
from sobremesa.envs.testing import rules_hash

pytestmark = pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: nothing is compiled, so nothing is cached")

HEAD = "import numpy as np\nfrom sobremesa.envs.core.compile.kernel import kernel, shared\n"
MODULES = (
    "files",
    *(f"compile/{name}" for name in ("cache", "constants", "digest", "kernel", "linking", "notice", "private")),
)
CALLEE = HEAD + "@kernel\ndef callee(x):\n    return x + 1\n"
CALLER = HEAD + "from callee import callee\n@kernel\ndef run(x):\n    return callee(x) * 10\n"
REPORT = """
import sys
from caller import *
assert "sobremesa.envs.core.game" not in sys.modules, "all of the library was imported"
kernels = RUN
kernels = kernels if isinstance(kernels, tuple) else (kernels,)
print(*[kernel(ARGUMENT) for kernel in kernels])
print(*[sum(kernel.stats.cache_hits.values()) for kernel in kernels])
"""


class Workshop:
    """A folder with modules and a cache; `run` gives what the kernels answer to 2, and whether each came from disk."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        core = folder / "sobremesa" / "envs" / "core"
        (core / "compile").mkdir(parents=True)
        for package in (
            core / "compile",
            core,
            core.parent,
            core.parent.parent,
        ):
            (package / "__init__.py").touch()
        for name in MODULES:
            shutil.copy(Path(cache.__file__).parents[1] / f"{name}.py", core / f"{name}.py")

    def write(self, **modules):
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")

    def run(self, run="run", argument=2, **environment):
        if environment:
            return self.finish(self.start(run, argument, **environment))
        return self._read(self._forked(REPORT.replace("RUN", run).replace("ARGUMENT", str(argument))))

    def start(self, run="run", argument=2, **environment):
        """Begin what `run` does in a Python of its own, for Numba reads its settings when it is imported."""
        text = REPORT.replace("RUN", run).replace("ARGUMENT", str(argument))
        settings = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        settings |= {"SOBREMESA_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        text = inspect.getsource(forked.ours_last) + "import sys\nours_last()\n" + text
        return subprocess.Popen([sys.executable, "-c", text], cwd=self.folder, env=settings | environment, **pipes)

    def finish(self, process):
        out, self.said = process.communicate()
        assert process.returncode == 0, self.said
        return self._read(out)

    def _read(self, out):
        answers, hits = (list(map(float, line.split())) for line in out.splitlines())
        return answers, hits

    def _forked(self, text):
        """Run a program in a process that has imported Numba and nothing of ours; three times as fast as `start`."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["numba"])
        heard, said = context.Pipe(duplex=False)
        process = context.Process(target=forked.run, args=(text, str(self.folder), str(self.cache), said))
        process.start()
        said.close()
        out, wrong = heard.recv()
        process.join()
        assert not wrong, wrong
        return out

    def entries(self):
        return sorted(self.cache.glob("*"))


@pytest.fixture
def workshop(tmp_path):
    shop = Workshop(tmp_path)
    shop.write(callee=CALLEE, caller=CALLER)
    return shop


def test_a_second_process_loads_instead_of_compiling(workshop):
    assert workshop.run() == ([30], [0])
    entries = {path: path.read_bytes() for path in workshop.entries()}
    assert any("run" in path.name for path in entries)
    assert workshop.run() == ([30], [1])
    assert {path: path.read_bytes() for path in workshop.entries()} == entries


def test_factory_kernels_of_two_processes_stay_apart(workshop):
    factory = """
def make(number):
    @kernel
    def inner(x):
        y = x
        for i in range(x):  # too long to be inlined
            y = (y * number) % 1009 + (y >> 3) if i % 7 else y ^ number
        return y

    @kernel
    def outer(x):
        return inner(x) + inner(x + 1)

    return outer
"""
    workshop.write(caller=HEAD + factory)
    three, five = (workshop.run(f"make({number})", 1000)[0][0] for number in (3, 5))
    assert three != five
    assert workshop.run("(make(3), make(5))", 1000) == ([three, five], [1, 1])
    assert workshop.run("(make(5), make(3))", 1000) == ([five, three], [1, 1])


def test_another_signature_has_an_entry_of_its_own(workshop):
    assert workshop.run() == ([30], [0])
    assert workshop.run(argument=2.5) == ([35], [0])
    assert len(workshop.entries()) == 2
    assert workshop.run() == ([30], [1])
    assert workshop.run(argument=2.5) == ([35], [1])


def test_narrow_and_wide_integers_literals_too_are_compiled_once(workshop):
    caller = "@kernel\ndef many(x):\n    narrow = np.zeros(3, np.int8)\n    return run(x) + run(narrow[0]) + run(7)\n"
    workshop.write(caller=CALLER + caller)
    report = "(many, type('', (), {'__call__': lambda self, x: len(run.overloads), 'stats': many.stats})())"
    assert workshop.run(report) == ([30 + 10 + 80, 1], [0, 0])


SHARING = """
inner = shared(callee)
@kernel
def one(x):
    return inner(x) * 10
@kernel
def other(x):
    return inner(x) + one(x)
"""


def test_what_narrow_numbers_need_is_looked_up_once(monkeypatch):
    @kernel
    def double(x):
        return 2 * x

    asked, plain = [], Kernel.compile
    monkeypatch.setattr(Kernel, "compile", lambda self, kinds: asked.append(kinds) or plain(self, kinds))
    assert [double(number) for number in (np.int8(100), np.int8(3), 4, np.int8(-5), 6, np.int16(7))] == [
        200, 6, 8, -10, 12, 14
    ]  # fmt: skip
    assert len(asked) <= 3  # of int8, int64 and int16


def test_a_shared_kernel_is_compiled_once_for_all_that_call_it(workshop):
    workshop.write(caller=HEAD + "from callee import callee\n" + SHARING)
    assert workshop.run("(one, other)") == ([30, 33], [0, 0])
    assert [path.name.partition("-")[0] for path in workshop.entries()] == ["callee", "one", "other"]
    assert workshop.run("(other, one, inner)") == ([33, 30, 3], [1, 1, 0])  # it is at hand already
    assert workshop.run("(callee, other)") == ([3, 33], [1, 1])


def test_a_lost_or_damaged_shared_kernel_is_compiled_again(workshop):
    workshop.write(caller=HEAD + "from callee import callee\n" + SHARING)
    assert workshop.run("one") == ([30], [0])
    called = next(path for path in workshop.entries() if path.name.startswith("callee"))
    for damage in (called.unlink, lambda: called.write_bytes(b"nothing")):
        damage()
        assert workshop.run("one") == ([30], [0])
        assert workshop.run("one") == ([30], [1])
    workshop.write(callee=CALLEE.replace("x + 1", "x + 2"))
    assert workshop.run("one") == ([40], [0])


def test_recursion_and_calls_from_plain_njit_work(workshop):
    caller = """
import numba
@kernel
def factorial(x):
    return 1 if x < 2 else x * factorial(x - 1)
@kernel
def power(x, times):
    return 1 if times == 0 else power(x, 0) if times == 1 else x * power(x, times - 1)
@kernel
def twice(x):
    return factorial(x) + factorial(x) * power(x, 1)
@numba.njit
def foreign(x):
    return twice(x) + 1
@kernel
def through(x):
    return foreign(x) + 1
"""
    workshop.write(caller=HEAD + caller)
    answers = [24, 48, 50]
    both = "(factorial, twice, through)"
    assert workshop.run(both, 4) == (answers, [0, 0, 0])
    assert workshop.run(both, 4) == (answers, [1, 1, 1])
    report = "(through, type('', (), {'__call__': lambda self, x: foreign(x), 'stats': through.stats})())"
    workshop.cache = workshop.folder / "empty"
    assert workshop.run(report, 4) == ([50, 49], [0, 0])


def test_a_kernel_returns_an_array_after_its_caller_was_loaded(workshop):
    caller = """
import numpy as np
@kernel
def listed(x):
    return np.full(3, x)
@kernel
def summed(x):
    return listed(x).sum()
"""
    workshop.write(caller=HEAD + caller)
    listed = "type('', (), {'__call__': lambda self, x: listed(x)[0], 'stats': listed.stats})()"
    assert workshop.run(f"(summed, {listed})") == ([6, 2], [0, 0])
    assert workshop.run(f"(summed, {listed})") == ([6, 2], [1, 1])
    assert workshop.run(f"({listed}, summed)") == ([2, 6], [1, 1])


def test_kernels_keep_no_array_but_the_one_they_give_back():
    @kernel
    def fill(array):
        part = array[1:]
        part[:] = 3

    @kernel
    def give_back(array):
        return array[1:]

    array = np.zeros(4)
    held = sys.getrefcount(array)
    fill(array)
    assert sys.getrefcount(array) == held
    part = give_back(array)
    assert np.shares_memory(part, array)
    assert sys.getrefcount(array) > held or part.base is not None
    del array
    assert part.tolist() == [3, 3, 3]


def test_of_several_processes_one_compiles(workshop):
    slow = "import time\n" + CALLER + "time.sleep(max(0, float(open('begin').read()) - time.time()))\n"
    workshop.write(caller=slow)
    (workshop.folder / "begin").write_text(str(time.time() + 3))
    done = [workshop.finish(process) for process in [workshop.start() for _ in range(3)]]
    assert [answers for answers, _ in done] == [[30]] * 3
    assert sorted(hits for _, hits in done) == [[0], [1], [1]]


def test_a_killed_compiling_process_releases_its_lock(workshop):
    held = CALLER + "from sobremesa.envs.core.compile import kernel\nimport time\n"
    held += "kernel.make_whole = lambda *_: (print('compiling', flush=True), time.sleep(60))\n"
    workshop.write(caller=held)
    holds = workshop.start()
    assert holds.stdout.readline() == "compiling\n"
    workshop.write(caller=CALLER)
    waits = workshop.start(SOBREMESA_QUIET="")
    assert waits.stderr.readline().startswith("sobremesa: waiting for another process, which compiles the kernels of")
    assert waits.poll() is None
    holds.kill()
    holds.communicate()
    assert workshop.finish(waits) == ([30], [0])


def test_compilation_is_announced_once_per_game_and_machine(workshop):
    workshop.write(caller=CALLER + "@kernel\ndef more(x):\n    return run(x) + 1\n")
    loud = {"SOBREMESA_QUIET": ""}
    workshop.run("(run, more)", SOBREMESA_QUIET="1")
    assert workshop.said == ""
    workshop.cache = workshop.folder / "empty"
    workshop.run("run", **loud)
    assert workshop.said.count("\n") == 1
    assert re.match("sobremesa: compiling the kernels of caller, once on this machine", workshop.said)
    assert workshop.run("more", **loud) == ([31], [0])  # another process compiles another kernel of the game
    assert workshop.said == ""


PLAIN_NUMBA = """
import numba, numpy, sys, warnings
{change}
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as seen:
    from sobremesa.envs.core.compile import private
    from sobremesa.envs.core.compile.kernel import kernel, shared
print(*[str(one.message) for one in seen if issubclass(one.category, RuntimeWarning)], sep="; ")
from sobremesa.envs.core.codes import clear
from sobremesa.envs.core.compile.digest import digest
assert type(clear).__name__ == "CPUDispatcher"
numbers = numpy.ones(4, numpy.int8)
clear(numbers, 0, 3)
print(numbers.sum(), digest(clear.py_func), digest(shared(clear)))
"""
NEWER = 'numba.__version__ = "0.99.1"'
LACKING = "import numba.core.codegen as part\ndel part.JITCodeLibrary"


@pytest.mark.parametrize(
    ("change", "why"),
    [(NEWER, r"Numba 0.99.1 is newer than \d.\d+:"), (LACKING, "Numba .* lacks a part .*JITCodeLibrary.*:")],
)
def test_an_unknown_numba_compiles_by_njit_with_one_warning(tmp_path, change, why):
    command = [sys.executable, "-c", PLAIN_NUMBA.format(change=change)]
    settings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
    assert done.returncode == 0, done.stderr
    told, values = done.stdout.splitlines()
    assert re.match(rf"{why} kernels are compiled by numba.njit", told)
    number, *found = values.split()
    assert number == "1"
    assert found == [digests.digest(clear.py_func), digests.digest(clear)]
    assert list(tmp_path.rglob("*.nbc"))


@pytest.mark.thorough
def test_a_game_has_the_same_rules_with_plain_njit(tmp_path):
    code = f"import numba\n{NEWER}\nfrom sobremesa import envs\nfrom sobremesa.envs.testing import rules_hash\n"
    command = [sys.executable, "-W", "ignore", "-c", code + "print(rules_hash(envs.load('kuhn_poker')))"]
    settings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=settings)
    assert done.stdout.strip() == rules_hash(envs.load("kuhn_poker"))


def test_editing_a_called_function_in_another_file_is_noticed(workshop):
    assert workshop.run() == ([30], [0])
    workshop.write(callee=CALLEE.replace("x + 1", "x + 2"))
    assert workshop.run() == ([40], [0])
    workshop.write(callee=CALLEE)
    assert workshop.run() == ([30], [1])


def test_editing_what_a_called_function_calls_is_noticed(workshop):
    deep = HEAD + "from deep import deep\n@kernel\ndef callee(x):\n    return deep(x)\n"
    workshop.write(deep=CALLEE.replace("callee", "deep"), callee=deep)
    assert workshop.run() == ([30], [0])
    workshop.write(deep=CALLEE.replace("callee", "deep").replace("x + 1", "x - 1"))
    assert workshop.run() == ([10], [0])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("NUMBER = 3", "NUMBER = 4"),
        ("NUMBER = np.array([3, 0])", "NUMBER = np.array([4, 0])"),
        ("NUMBER = (3, 0)", "NUMBER = (4, 0)"),
        ("NUMBER = np.int64(3)", "NUMBER = np.int64(4)"),
        ("class NUMBER(enum.IntEnum):\n    MINE = 3", "class NUMBER(enum.IntEnum):\n    MINE = 4"),
    ],
    ids=["number", "array", "tuple", "scalar", "enum"],
)
@pytest.mark.parametrize("through", ["", "board."], ids=["imported", "by module"])
def test_editing_a_constant_is_noticed(monkeypatch, before, after, through):
    """Entries lie under digests, as the tests with processes show: here the digests alone."""
    used = through + (
        "NUMBER.MINE" if "enum" in before else "NUMBER[0]" if "([" in before or "(3," in before else "NUMBER"
    )
    head = HEAD + ("import board\n" if through else "from board import NUMBER\n")

    def digest_beside(constant, answer):
        board = types.ModuleType("board")
        exec("import enum\nimport numpy as np\n" + constant, vars(board))
        monkeypatch.setitem(sys.modules, "board", board)
        names = {}
        exec(head + f"\n@kernel\ndef run(x):\n    return x * {used}\n", names)
        assert names["run"].py_func(20) == answer
        return digests.digest(names["run"].py_func)

    first = digest_beside(before + "\nOTHER = object()\n", 60)
    assert digest_beside(after + "\nOTHER = object()\n", 80) != first
    assert digest_beside(before + "\nOTHER = 5\n", 60) == first  # it is not used


def test_editing_a_kernel_called_by_its_module_is_noticed(workshop):
    workshop.write(caller=HEAD + "import callee\n@kernel\ndef run(x):\n    return callee.callee(x) * 10\n")
    assert workshop.run() == ([30], [0])
    assert workshop.run() == ([30], [1])
    workshop.write(callee=CALLEE.replace("x + 1", "x + 2"))
    assert workshop.run() == ([40], [0])


def test_editing_a_default_argument_is_noticed(workshop):
    callee = HEAD + "@kernel\ndef callee(x, more=1):\n    return x + more\n"
    workshop.write(callee=callee)
    assert workshop.run() == ([30], [0])
    workshop.write(callee=callee.replace("more=1", "more=5"))
    assert workshop.run() == ([70], [0])


FACTORY = """
def factory(cell):
    @kernel
    def made(x):
        return x + cell
    return made
def over(inner):
    @kernel
    def made(x):
        return inner(x) * 10
    return made
one, two = factory(1), factory(2)
over_one, over_two = over(one), over(two)
"""


def test_kernels_from_one_factory_have_their_own_results(workshop):
    workshop.write(caller=HEAD + FACTORY)
    every = "(one, two, over_one, over_two)"
    assert workshop.run(every) == ([3, 4, 30, 40], [0] * 4)
    assert workshop.run(every) == ([3, 4, 30, 40], [1] * 4)
    assert workshop.run("(over_two, over_one)") == ([40, 30], [1, 1])


def test_editing_a_comment_or_a_docstring_changes_nothing(workshop):
    callee = HEAD + '@kernel\ndef callee(x):\n    """Add one."""\n    return x + 1\n'
    workshop.write(callee=callee)
    assert workshop.run() == ([30], [0])
    moved = "# A comment above.\n\n\n" + callee.replace("Add one.", "Return the next number.")
    workshop.write(callee=moved.replace("x + 1\n", "x + 1  # and beside\n"))
    assert workshop.run() == ([30], [1])


def test_strings_other_than_the_docstring_change_the_digest(workshop):
    caller = HEAD + '@kernel\ndef run(x):\n    """Tell."""\n    return len("three") * x\n'
    workshop.write(caller=caller)
    assert workshop.run() == ([10], [0])
    workshop.write(caller=caller.replace('"three"', '"seven7"'))
    assert workshop.run() == ([12], [0])


def test_bounds_checked_runs_do_not_use_unchecked_kernels(workshop):
    workshop.write(caller=HEAD + "@kernel\ndef run(x):\n    return np.arange(3)[x]\n")
    assert workshop.run() == ([2], [0])
    with pytest.raises(AssertionError, match="IndexError: index is out of bounds"):
        workshop.run(argument=3, NUMBA_BOUNDSCHECK="1")
    assert workshop.run(NUMBA_BOUNDSCHECK="1") == ([2], [1])
    assert workshop.run() == ([2], [1])


def test_other_optimisation_has_entries_of_its_own(workshop):
    workshop.write(caller=CALLEE.replace("callee", "run"))
    for level in ("3", "1"):
        assert workshop.run(NUMBA_OPT=level) == ([3], [0])
        assert workshop.run(NUMBA_OPT=level) == ([3], [1])


@pytest.mark.parametrize(
    "damage",
    [lambda blob: b"", lambda blob: blob[:-1], lambda blob: blob[:50] + b"x" + blob[51:]],
    ids=["empty", "cut short", "changed byte"],
)
def test_a_damaged_entry_is_compiled_anew_and_replaced(workshop, damage):
    assert workshop.run() == ([30], [0])
    for path in workshop.entries():
        path.write_bytes(damage(path.read_bytes()))
    assert workshop.run() == ([30], [0])
    assert workshop.run() == ([30], [1])


def test_a_folder_that_cannot_be_written_means_compiling(workshop):
    (workshop.folder / "file").write_text("in the way")
    workshop.cache = workshop.folder / "file" / "cache"
    assert workshop.run() == ([30], [0])
    assert workshop.run() == ([30], [0])
    assert not workshop.cache.exists()


def test_a_user_without_a_home_folder_compiles_with_one_warning(workshop):
    nowhere = "import pwd\ndef unknown(number):\n    raise KeyError(number)\npwd.getpwuid = unknown\n"
    nowhere += "import os\nfor name in ('HOME', 'XDG_CACHE_HOME'):\n    os.environ.pop(name, None)\n"
    workshop.write(caller=nowhere + CALLER + "@kernel\ndef other(x):\n    return x + 2\n")
    assert workshop.run("run, other", SOBREMESA_CACHE_DIR="", SOBREMESA_QUIET="") == ([30, 4], [0, 0])
    assert workshop.said.count("sobremesa: no home folder, so kernels are compiled each time; set SOBR") == 1
    assert not workshop.cache.exists()


def test_a_full_disk_means_compiling_and_leaves_no_partial_file(workshop):
    workshop.write(caller=CALLER, callee=CALLEE)
    full = "(__import__('resource').setrlimit(__import__('resource').RLIMIT_FSIZE, (99, -1)), run)[1]"
    assert workshop.run(full) == ([30], [0])
    assert list(workshop.cache.iterdir()) == []


def test_a_folder_that_may_only_be_read_is_read(workshop):
    assert workshop.run() == ([30], [0])
    refuse = "import os\ndef refuse(*_):\n    raise PermissionError\nos.utime = os.replace = refuse\n"
    workshop.write(caller=refuse + CALLER)
    assert workshop.run() == ([30], [1])


def test_a_cache_that_others_can_write_is_ignored_with_a_warning(workshop):
    assert workshop.run() == ([30], [0])
    assert workshop.cache.stat().st_mode & 0o777 == 0o700
    assert all(entry.stat().st_mode & 0o777 == 0o600 for entry in workshop.entries())
    assert workshop.run() == ([30], [1])
    before = {entry: entry.read_bytes() for entry in workshop.entries()}
    workshop.cache.chmod(0o770)
    assert workshop.run(LANG="C") == ([30], [0])
    assert workshop.said.count("kernels are compiled without the disk cache: its folder") == 1
    assert {entry: entry.read_bytes() for entry in workshop.entries()} == before
    workshop.cache.chmod(0o700)
    for entry in workshop.entries():
        entry.chmod(0o602)
    assert workshop.run() == ([30], [0])  # and each is written anew
    assert workshop.run() == ([30], [1])


@pytest.mark.parametrize(("owner", "mode", "read"), [(0, 0o755, True), (4321, 0o700, False), (None, 0o755, True)])
def test_a_cache_of_another_user_is_not_read(owner, mode, read):
    found = SimpleNamespace(st_uid=os.geteuid() if owner is None else owner, st_mode=mode)
    assert (cache._distrust_reason(found) == "") is read


def test_a_full_cache_loses_the_entries_not_used_for_longest(workshop):
    few = "from sobremesa.envs.core.compile import cache\ncache.MOST_ENTRIES = 2\n"
    workshop.write(
        caller=few + HEAD + "def make(n):\n    @kernel\n    def made(x):\n        return x + n\n    return made\n"
    )
    for number in range(3):
        assert workshop.run(f"make({number})") == ([2 + number], [0])
        os.utime(max(workshop.entries(), key=lambda path: path.stat().st_mtime), (number, number))
    assert len(workshop.entries()) == 2
    assert workshop.run("make(2)") == ([4], [1])
    assert workshop.run("make(0)") == ([2], [0])


def test_what_has_no_digest_is_compiled_and_not_cached(workshop):
    caller = "import os\nimport callee\n@kernel\ndef run(x):\n    module = os\n    return callee.callee(x) * 10\n"
    workshop.write(caller=HEAD + caller)
    assert workshop.run() == ([30], [0])
    assert workshop.run() == ([30], [0])
    assert [path.name for path in workshop.entries() if path.name.startswith("run")] == []


def test_what_has_no_digest_is_said_by_name():
    thing = object()

    def refers(x):
        return thing

    with pytest.raises(digests.Unnameable, match="object object"):
        digests.digest(refers)


def test_a_table_that_is_not_in_one_piece_is_refused():
    """Numba would take its address, which is another one in each process."""
    rows, columns = np.nonzero(np.eye(3))

    def refers(x):
        return rows[x] + columns[x]

    large = np.zeros(200_000)

    def refers_to_much(x):
        return large[x]

    for function in (refers, refers_to_much):
        with pytest.raises(digests.Unnameable, match=r"one piece .np.ascontiguousarray. and small"):
            digests.digest(function, lasting=True)
        assert digests.digest(function) == digests.digest(function)


# The kernels of the library.


def is_kernel(value):
    return hasattr(value, "py_func") and hasattr(value, "targetoptions")


def modules():
    for package in (envs, agents):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            with contextlib.suppress(MissingExtra):
                yield importlib.import_module(found.name)


def library_kernels():
    """Return every kernel of the library by name, the ones made in closures too."""
    found = {}
    for module in modules():
        found |= {f"{module.__name__}.{name}": value for name, value in vars(module).items() if is_kernel(value)}
    for name in envs.games():
        game = envs.load(name)
        bots = [agents.load(bot, game).kernel for bot in agents.scripted_names(game)]
        match = _match_kernels(game, tuple(bots))
        groups = {"table": table_kernels(game), "batch": batch_kernels(game), "match": match}
        for group, members in groups.items():
            found |= {f"{name} {group}.{member}": value for member, value in members._asdict().items()}
    return found


def test_every_kernel_of_the_library_has_a_digest_of_its_own():
    found = library_kernels()
    assert len(found) > 40
    assert all(is_kernel(value) for value in found.values())
    digest_of = {
        value.py_func: digests.digest(value.py_func, lasting=True) for value in found.values()
    }  # several names, one kernel
    alone = {function: each for function, each in digest_of.items() if function.__closure__ is None}
    assert len(set(alone.values())) == len({made_of(function) for function in alone})


def made_of(function):
    """Return what a function without a closure is made of: rooms may hold the very same one, whatever its docstring."""
    code = function.__code__
    used = tuple(id(function.__globals__.get(name)) for name in code.co_names)
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_consts[1:], used


def test_kernels_made_for_other_bots_have_other_digests():
    game = envs.load(envs.games()[0])
    bots = {name: agents.load(name, game).kernel for name in agents.scripted_names(game)}
    made = [(), (RANDOM.kernel,), *[(bots[name],) for name in bots if name != "random"], tuple(bots.values())]
    assert len({digests.digest(_match_kernels(game, tuple(each)).play_on.py_func) for each in made}) == len(made)


TOUR = """
import numpy as np
from sobremesa import envs
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.table import table_kernels
misses = []
for name in envs.games():
    game = envs.load(name)
    env, kernels = envs.make(name), table_kernels(game)
    env.reset(seed=1)
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    make_view(game, env._states, int(env._states["seat"][0]), new_stream(0))
    kernels.payoff(env._states, np.zeros(game.max_seats, np.float32))
    kernels.encode(env._states, 0, np.zeros(game.layout.width, np.uint8))
    tables = envs.make_vec(name, 2)
    tables.step(tables.sample())
    tables.set_state(tables.get_state())
    used = (*kernels, *tables._kernels)
    assert all(kernel.stats.cache_hits or kernel.stats.cache_misses for kernel in used)
    misses += [f"{name} {kernel.py_func.__qualname__}" for kernel in used if kernel.stats.cache_misses]
"""


def test_another_process_loads_every_kernel_that_was_run():
    exec(TOUR, {})
    ran = subprocess.run([sys.executable, "-c", TOUR + "print(misses)"], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


def test_a_pipe_in_place_of_the_lock_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "kernels.lock")
    (tmp_path / "linked.lock").symlink_to(tmp_path / "made")
    for name in ("kernels", "linked"):
        assert notice._lock_file(tmp_path / name / "entry") is None
    assert not (tmp_path / "made").exists()
    assert notice._lock_file(tmp_path / "fine" / "entry") is not None
