"""A pytest plugin that runs the collected tests on mutants, each in a fork of this process (kill_mutants.py).

Nothing is imported or collected again for a mutant: the fork gives the changed function its changed code and runs the
tests that come to the changed line, the quickest first, until one fails.
"""

import gc
import hashlib
import importlib
import json
import os
import pickle
import resource
import signal
import time
import traceback
import types
from collections import defaultdict
from pathlib import Path

import coverage
import numba
from _pytest.runner import runtestprotocol
from mutants import ROOMS, mutants_of

from sobremesa.envs.core.compile.cache import KernelCache

COMPILING = 0 if numba.config.DISABLE_JIT else 200  # seconds that a test may take for new kernels
PATIENCE = 5  # times as long as a test takes, and two seconds
SLOWEST = float(os.environ.get("MUTANTS_SLOWEST", 20))  # seconds of a test that is tried on mutants
BUDGET = float(os.environ.get("MUTANTS_BUDGET", 300))  # seconds for the tests of one mutant
STAGE = int(os.environ.get("MUTANTS_STAGE", 0))


def pytest_addoption(parser):
    parser.addoption("--mutants-of", help="the room")
    parser.addoption("--mutants", help="a file with their ids, one a line")
    parser.addoption("--results", help="the file to which a line of JSON is added for each")


def pytest_collection_modifyitems(config, items):
    """Leave out what was tried in stages before and, in the first, what plays deals in every setup."""
    results, tried = Path(config.option.results), set()
    for path in results.parent.glob(f"{config.option.mutants_of}.[0-9]-*.json"):
        if int(path.suffixes[0][1]) < STAGE:
            tried |= {test for test, (_, passed) in json.loads(path.read_text())[0].items() if passed}
    items[:] = [item for item in items if item.nodeid not in tried and (STAGE or "{'seats'" not in item.nodeid)]


def pytest_runtestloop(session):
    option = session.config.option
    room = option.mutants_of
    wanted = Path(option.mutants).read_text().split()
    known = {one.id: one for one in mutants_of(room)}
    importlib.import_module(f"sobremesa.envs.{room}")
    functions = _functions(room)
    times, lines = _known(session, room)
    failing = [test for test, (_, passed) in times.items() if passed is False]
    print(
        f"\n{len(times)} tests take {sum(seconds for seconds, _ in times.values()):.0f} s; failing: {failing}",
        flush=True,
    )
    for name in wanted:
        one, began = known[name], time.monotonic()
        items = [
            item for item in session.items if times[item.nodeid][1] is not False and _comes_to(item.nodeid, one, lines)
        ]
        items.sort(key=lambda item: times[item.nodeid][0])
        told = _in_child(lambda put, one=one, items=items: _attack(put, one, functions, items, times))
        fate, by = told[-1] if told else ("survived", "")
        fate = "timeout" if fate == "trying" else fate  # it was ended in a test
        row = {
            "id": name,
            "fate": fate,
            "by": by,
            "tests": len(items),
            "stage": STAGE,
            "seconds": round(time.monotonic() - began, 1),
        }
        with open(option.results, "a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{fate:9} {name}: {one.diff()[:90]}  {by}", flush=True)
    return True


def _comes_to(test, mutant, lines):
    """Return whether a test comes to the line of a mutant, or its function; of compiled kernels nobody knows."""
    if COMPILING:
        return True
    met = lines.get(str(ROOMS.parent / mutant.path), {})
    of_function = (who for line, who in met.items() if mutant.first <= line <= mutant.last)
    return test in (met.get(mutant.line) or set().union(*of_function))


def _functions(room):
    """Return the functions made of each piece of code of a room, by file, name and line."""
    found = defaultdict(list)
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__code__.co_filename.startswith(f"{ROOMS / room}{os.sep}"):
            found[one.__code__.co_filename, one.__code__.co_name, one.__code__.co_firstlineno].append(one)
    return found


def _known(session, room):
    """Return what `_measured` does, from a file where nothing has changed since."""
    sources = sorted({*(ROOMS / room).rglob("*.py"), *(item.path for item in session.items)})
    digest = hashlib.sha256(
        repr([(SLOWEST, len(session.items), COMPILING), *(path.read_bytes() for path in sources)]).encode()
    )
    path = Path(session.config.option.results).with_suffix(f".{STAGE}-{digest.hexdigest()[:12]}.json")
    if not path.exists():
        measured = _in_child(lambda put: put(_measured(session.items, room)))[-1]
        if measured[0] == "error":
            raise RuntimeError(measured[1])
        path.write_text(json.dumps(measured))
    times, lines = json.loads(path.read_text())
    return times, {path: {int(line): set(who) for line, who in met.items()} for path, met in lines.items()}


def _measured(items, room):
    """Run the tests as they are; return seconds and success of each, and which of them come to a line of a mutant."""
    watch = coverage.Coverage(data_file=None, include=[f"{ROOMS / room}/*"], config_file=False)
    watch.start()
    times = {}
    for item, following in zip(items, [*items, None][1:], strict=True):
        watch.switch_context(item.nodeid)
        began = time.process_time()
        try:
            passed = _passes(item, following, SLOWEST)
        except _TooSlow:
            passed = None
        times[item.nodeid] = time.process_time() - began, passed
    watch.stop()
    lines = {}
    for path in watch.get_data().measured_files():
        lines[path] = {line: list(who) for line, who in watch.get_data().contexts_by_lineno(path).items()}
    return times, lines


class _TooSlow(BaseException):
    """A test takes longer than it may."""


def _passes(item, following, seconds):
    """Return whether a test passes; raise _TooSlow after so many seconds of the processor."""
    late = []

    def give_up(_, frame):
        if frame and frame.f_code.co_filename.startswith(os.path.dirname(coverage.__file__)):  # it may hold its lock
            signal.setitimer(signal.ITIMER_PROF, 0.01)
            return
        late.append(True)
        raise _TooSlow

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        passed = all(report.passed for report in runtestprotocol(item, nextitem=following, log=False))
    except (Exception, _TooSlow):  # Hypothesis may be interrupted where it does not expect it
        passed = False
        item.session._setupstate.teardown_exact(following)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if late:
        raise _TooSlow
    return passed


def _attack(put, mutant, functions, items, times):
    """Run `items` against a mutant in this process; tell the fate as far as it is known."""
    KernelCache.save_overload = lambda *_: None  # nobody else has a use for kernels of mutants
    path = str(ROOMS.parent / mutant.path)
    code = compile(mutant.source(), path, "exec")
    changed = {one.co_firstlineno: one for one in _codes(code) if one.co_name == mutant.function}[mutant.first]
    for one in functions[path, mutant.function, mutant.first]:
        one.__code__ = changed

    budget = COMPILING + 2 + PATIENCE * sum(times[item.nodeid][0] for item in items)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + budget), resource.RLIM_INFINITY))
    until = time.process_time() + BUDGET
    for item, following in zip(items, [*items, None][1:], strict=True):
        if time.process_time() > until:
            break
        put(("trying", item.nodeid))
        seconds, passed = times[item.nodeid]
        try:
            if not _passes(item, following, COMPILING + (2 + PATIENCE * seconds if passed else SLOWEST)):
                put(("killed", item.nodeid))
                return
        except _TooSlow:
            if passed:
                put(("timeout", item.nodeid))
                return
    put(("survived", ""))


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _in_child(work):
    """Return all that `work(put)` puts in a fork of this process, until it ends."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        with open(send, "wb", buffering=0) as file:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                work(lambda value: file.write(pickle.dumps(value)))
            except BaseException as error:
                file.write(pickle.dumps(("error", "".join(traceback.format_exception(error)[-3:]))))
            finally:
                os._exit(0)
    os.close(send)
    found = []
    with open(receive, "rb") as file:
        while True:
            try:
                found.append(pickle.load(file))
            except EOFError:
                break
    os.waitpid(child, 0)
    return found
