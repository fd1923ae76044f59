"""Cost of a task on a cluster and in the pool of processes, and the number of workers that one driver can supply.

    python tests/tools/cluster_cost.py                        # 1 and 2 workers of the pool, and of Ray
    python tests/tools/cluster_cost.py --simulated 1 10 100 200 --seconds 4

Tasks sleep and write as many bytes as a piece of an arena, so the measured cost is the engine's own. Some tasks run
before the clock starts, to start the workers. Efficiency is the time slept over the time of all workers. The most tasks
of a driver follow from its CPU time a task. In the simulation, threads of one process replace Ray and its workers: it
measures our part with more workers than one machine has, and leaves out Ray's part.
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
from sobremesa.agents.arena.workers import Engine, Pool, TaskFiles
from sobremesa.arguments import count, seconds
from sobremesa.commit import commit
from sobremesa.report.tables import aligned

ROWS = 20_000  # bytes that a task writes, about as many as a piece of 2,000 deals of Ese Toro enamorado
STORE = 100 * 2**20  # bytes of Ray's object store
SECONDS = "seconds"  # the file with the time that a task sleeps
WARM = 0.5  # seconds of the tasks before the clock starts


class Measured(NamedTuple):
    """The figures of one engine."""

    engine: str
    workers: int
    tasks: int
    wall: float  # seconds, of all tasks
    efficiency: float
    driver: float  # milliseconds of CPU a task, in the driver

    @property
    def most(self) -> float:
        """The most tasks a second of the driver, by its CPU time."""
        return 1000 / self.driver


def sleep(folder: str, task: int) -> None:
    """Do the work of a worker: sleep and write incompressible rows."""
    time.sleep(float((Path(folder) / SECONDS).read_text(encoding="utf-8")))
    (Path(folder) / f"rows-{task}").write_bytes(os.urandom(ROWS))


def measure(name: str, make: Callable[[Path, str], Engine], workers: int, each: int, asleep: float) -> Measured:
    """Let `workers` of an engine sleep `asleep` seconds `each` times."""
    with TemporaryDirectory() as folder:
        with closing(make(Path(folder), str(WARM))) as engine:
            _run(engine, range(2 * workers))
            (Path(folder) / SECONDS).write_text(str(asleep), encoding="utf-8")
            if name == "pool":
                return _timed(name, engine, workers, each, asleep)
        with closing(make(Path(folder), str(asleep))) as engine:
            engine.submit(-1)  # finds and prepares the nodes
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
    """Start a cluster of one node with so many workers, measure it, and stop it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, object_store_memory=STORE, log_to_driver=False)
    try:
        with joined("auto", lambda _: None) as cluster:
            assert cluster is not None

            def make(folder: Path, words: str) -> Engine:
                return cluster.engine(sleep, str(folder), TaskFiles({SECONDS: words.encode()}))

            return measure("cluster", make, workers, each, asleep)
    finally:
        ray.shutdown()


class Simulated:
    """The parts of Ray that the engine uses, with `workers` threads of this process."""

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
    """Measure our part of a cluster with so many workers."""
    ray = Simulated(workers)
    cluster = Cluster(ray, lambda _: None)

    def make(folder: Path, words: str) -> Engine:
        return cluster.engine(sleep, str(folder), TaskFiles({SECONDS: words.encode()}))

    with patch.dict(sys.modules, ray=ray):
        return measure("simulated", make, workers, each, asleep)


def lines_of(found: Sequence[Measured]) -> list[str]:
    """Return the figures as a table."""
    rows = [["engine", "workers", "tasks", "seconds", "efficiency", "driver ms CPU/task", "most tasks/s"]]
    for one in found:
        rows.append([one.engine, str(one.workers), str(one.tasks), f"{one.wall:.1f}", f"{one.efficiency:.3f}",
                     f"{one.driver:.2f}", f"{one.most:.0f}"])  # fmt: skip
    return aligned(rows)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "--workers", nargs="+", type=count, default=[1, 2], help="numbers of workers (default: %(default)s)"
    )
    parser.add_argument("--seconds", type=seconds, default=1.0, help="time that a task sleeps (default: %(default)s)")
    parser.add_argument("--each", type=count, default=10, help="tasks a worker (default: %(default)s)")
    parser.add_argument("--simulated", nargs="+", type=count, help="simulate these numbers of workers instead")
    arguments = parser.parse_args(argv)
    print(f"tasks of {arguments.seconds:g} s that write {ROWS:,} bytes, commit {commit()}", flush=True)
    engines = [by_simulation] if arguments.simulated else [by_pool, by_cluster]
    for workers in arguments.simulated or arguments.workers:
        for measured in engines:
            print("\n".join(lines_of([measured(workers, arguments.each, arguments.seconds)])), flush=True)


if __name__ == "__main__":
    main()
