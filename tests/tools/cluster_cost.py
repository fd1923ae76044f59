"""What a task costs on a cluster, beside the pool of processes, and how many workers one driver keeps busy.

    python tests/tools/cluster_cost.py                        # by 1 and 2 workers of the pool, and of Ray
    python tests/tools/cluster_cost.py --simulated 1 10 100 200 --seconds 4

Tasks sleep, and each writes as much as a piece of an arena does, so that what is measured is the engines' own. Some are
done before the clock starts, so that workers have been. Efficiency is the time slept over that of all workers; what the
driver could hand out at most follows from its CPU time a task. In the simulation threads of one process stand for Ray
and its workers: it tells what our part costs with as many workers as no one machine has, and not what Ray's does.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

from sobremesa.agents.arena.cluster import Cluster, joined
from sobremesa.agents.arena.workers import Along, Engine, Pool
from sobremesa.arguments import count, seconds
from sobremesa.commit import commit
from sobremesa.report.tables import aligned

ROWS = 20_000  # bytes that a task writes; a piece of 2,000 deals of Ese Toro enamorado has about as many
STORE = 100 * 2**20  # bytes of Ray's object store
SECONDS = "seconds"  # the file that says how long a task sleeps
WARM = 0.5  # seconds of the tasks before the clock starts


class Measured(NamedTuple):
    """How one engine did."""

    engine: str
    workers: int
    tasks: int
    wall: float  # seconds, of all tasks
    efficiency: float
    driver: float  # milliseconds of CPU a task, of the process that hands tasks out

    @property
    def most(self) -> float:
        """Tasks a second that the driver could hand out, by its CPU time."""
        return 1000 / self.driver


def sleep(folder: str, task: int) -> None:
    """Sleep, and write rows that cannot be made smaller: the work of a worker."""
    time.sleep(float((Path(folder) / SECONDS).read_text(encoding="utf-8")))
    (Path(folder) / f"rows-{task}").write_bytes(os.urandom(ROWS))


def measure(name: str, make: Callable[[Path, str], Engine], workers: int, each: int, asleep: float) -> Measured:
    """Have `workers` of an engine sleep `asleep` seconds `each` times."""
    with TemporaryDirectory() as folder:
        with closing(make(Path(folder), str(WARM))) as engine:
            _run(engine, range(2 * workers))
            (Path(folder) / SECONDS).write_text(str(asleep), encoding="utf-8")
            if name == "pool":
                return _timed(name, engine, workers, each, asleep)
        with closing(make(Path(folder), str(asleep))) as engine:
            engine.submit(-1)  # nodes are asked and prepared
            engine.take()
            return _timed(name, engine, workers, each, asleep)


def _timed(name: str, engine: Engine, workers: int, each: int, asleep: float) -> Measured:
    began, used = time.perf_counter(), time.process_time()
    _run(engine, range(10**6, 10**6 + workers * each))
    wall, used, tasks = time.perf_counter() - began, time.process_time() - used, workers * each
    return Measured(name, workers, tasks, wall, tasks * asleep / (workers * wall), 1000 * used / tasks)


def _run(engine: Engine, tasks: range) -> None:
    for task in tasks:
        engine.submit(task)
    for _ in tasks:
        ended = engine.take()
        if ended.failure is not None:
            raise ended.failure


def by_pool(workers: int, each: int, asleep: float) -> Measured:
    """Measure the pool of processes."""

    def make(folder: Path, words: str) -> Engine:
        (folder / SECONDS).write_text(words, encoding="utf-8")
        return Pool(sleep, str(folder), workers)

    return measure("pool", make, workers, each, asleep)


def by_cluster(workers: int, each: int, asleep: float) -> Measured:
    """Measure a cluster of one node, started here with so many workers, and stopped again."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, object_store_memory=STORE, log_to_driver=False)
    try:
        with joined("auto", lambda _: None) as cluster:
            assert cluster is not None

            def make(folder: Path, words: str) -> Engine:
                return cluster.engine(sleep, str(folder), Along({SECONDS: words.encode()}))

            return measure("cluster", make, workers, each, asleep)
    finally:
        ray.shutdown()


class Simulated:
    """What the engine uses of Ray, by `workers` threads of this process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.exceptions = SimpleNamespace(RayError=RuntimeError)
        self.util = SimpleNamespace(get_node_ip_address=lambda: "here")
        self._pool = ThreadPoolExecutor(workers)

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": "here", "NodeName": "here", "Alive": True, "Resources": {"CPU": self.workers}}]

    def put(self, value: Any) -> Future[Any]:
        found: Future[Any] = Future()
        found.set_result(value)
        return found

    def get(self, answer: Future[Any]) -> Any:
        return answer.result()

    def wait(self, answers: list[Future[Any]], num_returns: int = 1, timeout: float | None = None) -> Any:
        ready, others = wait(answers, timeout, FIRST_COMPLETED)
        return list(ready)[:num_returns], others

    def cancel(self, answer: Future[Any], force: bool = False) -> None:
        answer.cancel()

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "here")

    def remote(self, **_: Any) -> Callable[[Callable[..., Any]], Any]:
        def wrapped(function: Callable[..., Any]) -> Any:
            def submit(*arguments: Any) -> Future[Any]:
                given = [one.result() if isinstance(one, Future) else one for one in arguments]
                return self._pool.submit(function, *given)

            return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=submit))

        return wrapped


def by_simulation(workers: int, each: int, asleep: float) -> Measured:
    """Measure our part of a cluster of so many workers."""
    ray = Simulated(workers)
    cluster = Cluster(ray, lambda _: None)

    def make(folder: Path, words: str) -> Engine:
        return cluster.engine(sleep, str(folder), Along({SECONDS: words.encode()}))

    with patch.dict(sys.modules, ray=ray):
        return measure("simulated", make, workers, each, asleep)


def lines_of(found: Sequence[Measured]) -> list[str]:
    """Return a table of what was measured."""
    rows = [["engine", "workers", "tasks", "seconds", "efficiency", "driver ms CPU/task", "at most tasks/s"]]
    for one in found:
        rows.append([one.engine, str(one.workers), str(one.tasks), f"{one.wall:.1f}", f"{one.efficiency:.3f}",
                     f"{one.driver:.2f}", f"{one.most:.0f}"])  # fmt: skip
    return aligned(rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--workers", nargs="+", type=count, default=[1, 2], help="(default: %(default)s)")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="that a task sleeps (default: %(default)s)")
    parser.add_argument("--each", type=count, default=10, help="tasks a worker (default: %(default)s)")
    parser.add_argument("--simulated", nargs="+", type=count, help="workers of a simulation, instead of the engines")
    arguments = parser.parse_args(argv)
    print(f"tasks of {arguments.seconds:g} s that write {ROWS:,} bytes, commit {commit()}", flush=True)
    engines = [by_simulation] if arguments.simulated else [by_pool, by_cluster]
    for workers in arguments.simulated or arguments.workers:
        for measured in engines:
            print("\n".join(lines_of([measured(workers, arguments.each, arguments.seconds)])), flush=True)


if __name__ == "__main__":
    main()
