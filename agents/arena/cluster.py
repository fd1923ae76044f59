"""The engine for several machines: the nodes of a Ray cluster (https://docs.ray.io) do tasks; they share no disk.

A node first reports its versions and is refused if they differ from ours (identity.py). Then it unpacks the files of
the tasks, each parcel fetched once per node through Ray's object store, and compiles kernels; only then it gets tasks.
A task writes into its own folder; its files come back as bytes and are written here as on one machine. So rows do
not depend on the node, or on repetitions.

Ray pickles messages within the cluster, whose nodes trust each other; no file is unpickled.
"""

import os
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sobremesa.agents.arena import parcels
from sobremesa.agents.arena.identity import described, differences
from sobremesa.agents.arena.workers import ATTEMPTS, ONE_THREAD, Ended, TaskFiles, Work, WorkerFailed
from sobremesa.agents.named import receive_bots
from sobremesa.envs.core.errors import MissingExtra, one_line

AUTO = "auto"
QUEUED = 2  # tasks per processor, with the running one
_LOOK = 2.0  # seconds between two looks at the members of the cluster
_KNOCK = 5.0  # seconds for an address to answer
DIED = (
    "sobremesa: the node of the Ray cluster that this command was given on has died, or the command was killed; what "
    "was played is kept: begin a cluster anew (`ray start --head`) and give the command again (arena: --resume DIR)"
)
_NODE = "ray.io/node-id"  # Ray's own label

Tell = Callable[[str], None]


class ClusterError(ValueError):
    """There is no cluster, or no node of it may play."""


class Order(NamedTuple):
    """The common data of all tasks of an engine, as sent."""

    work: Work
    prepare: Callable[[str], None] | None
    files: str  # digest of the parcel of files that each task finds in its folder
    bots: dict[str, tuple[str, str]]  # by name in tasks: digest of the parcel, and name of its folder
    parcels: dict[str, Any]  # references to parcels in the object store, by digest


class TaskResult(NamedTuple):
    """The result of a task."""

    node: str
    seconds: float  # of processors
    files: parcels.Files


def check_address(address: str) -> str:
    """Return `address`, "auto" or HOST:PORT; raise ValueError for any other."""
    host, _, port = address.rpartition(":")
    if address.startswith("ray://"):
        raise ValueError(f"{address!r:.200} is not allowed: give the command on a machine of the cluster, to HOST:PORT")
    if address != AUTO and not (host and port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        raise ValueError(f"{address!r:.200} is not allowed; it takes auto or HOST:PORT")
    return address


@contextmanager
def joined(address: str | None, tell: Tell | None = None) -> Iterator["Cluster | None"]:
    """Yield the Ray cluster at `address`, "auto" for the cluster of this machine; None for None.

    `tell` gets lines about nodes that join, leave and are refused, and at the end the time used by each; None prints
    them to standard error. Raises ClusterError if no cluster answers, MissingExtra without Ray.
    """
    if address is None:
        yield None
        return
    ray = _ray()
    own = not ray.is_initialized()
    with report_death() if own else nullcontext():
        if own:
            _connect(ray, check_address(address))
        cluster = Cluster(ray, tell or partial(print, file=sys.stderr, flush=True))
        try:
            yield cluster
        finally:
            for line in cluster.summary():
                cluster.tell(line)
            if own:
                ray.shutdown()


@contextmanager
def report_death() -> Iterator[None]:
    """Have a shell print DIED to standard error if this process ends meanwhile without returning here.

    Ray ends a driver by `_exit`, without a message, when its node has died.
    """
    waits = 'read -r _ || printf "%s\\n" "$0" >&2'
    pipe = subprocess.PIPE
    with subprocess.Popen(("/bin/sh", "-c", waits, DIED), stdin=pipe, start_new_session=True) as shell:
        try:
            yield
        finally:
            shell.communicate(b"\n")


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    named = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if named or os.path.exists(os.path.expanduser("~/.ray/auth_token")):  # then the cluster of `ray start` requires it
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray
    except ImportError:
        raise MissingExtra("playing on a cluster", "cluster") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    try:
        if address != AUTO:  # Ray itself would wait for minutes
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), _KNOCK).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        why = one_line(str(error), 300)
        raise ClusterError(
            f"cannot join a Ray cluster at {address}: {why}; start one with `ray start --head`, and run this command "
            "on one of its machines"
        ) from None


class Cluster:
    """A cluster that was joined; `told` and `summary` describe its work."""

    def __init__(self, ray: Any, tell: Tell) -> None:
        self.ray, self.tell = ray, tell
        self.nodes = 0  # nodes that play
        self.done: Counter[str] = Counter()  # tasks, by node
        self.seconds: dict[str, float] = defaultdict(float)  # of processors, by node
        self.began: float | None = None  # when the first task was sent

    def engine(self, work: Work, given: str, along: TaskFiles) -> "Tasks":
        """Return an engine whose nodes do `work`; see `workers.run_tasks`."""
        return Tasks(self, work, Path(given), along)

    def told(self) -> str:
        """Return the number of nodes and their speed, in words."""
        used = time.monotonic() - self.began if self.began is not None else 0.0
        speed = self.done.total() / used if used else 0.0
        return f"{self.nodes} node{'s' * (self.nodes != 1)}, {speed:.3g} tasks/s"

    def summary(self) -> list[str]:
        """Return the work of each node, as lines."""
        hours = {node: self.seconds[node] / 3600 for node in sorted(self.done)}
        return [
            f"cluster: {node} did {self.done[node]:,} tasks in {used:.4f} CPU hours" for node, used in hours.items()
        ]


class Tasks:
    """The engine of a cluster. Each node is checked and prepared once, when it joins."""

    goes_on = True

    def __init__(self, cluster: Cluster, work: Work, given: Path, along: TaskFiles) -> None:
        self._cluster, self._ray, self._given = cluster, cluster.ray, given
        self._ours, self._games = described(along.games), along.games
        self._order = self._ray.put(self._sent(work, along))
        self._nodes: dict[str, _Node] = {}
        self._visits: dict[Any, _Node] = {}  # by Ray's reference
        self._waiting: deque[int] = deque()
        self._given_away: dict[Any, tuple[int, frozenset[str]]] = {}  # the task, and the nodes that may do it
        self._failures: Counter[int] = Counter()
        self._ended: deque[Ended] = deque()
        self._looked, self._alone = -_LOOK, False
        options = {"num_cpus": 1, "max_retries": 0, "runtime_env": {"env_vars": dict.fromkeys(ONE_THREAD, "1")}}
        self._look, self._prepare, self._do = (
            self._ray.remote(**options)(one) for one in (_looking(), _prepare, _run_task)
        )  # fmt: skip

    @property
    def width(self) -> int:
        """Number of tasks in parallel."""
        return max(1, sum(node.width for node in self._nodes.values() if node.plays))

    def submit(self, task: int) -> None:
        """Add a task."""
        self._waiting.append(task)

    def take(self) -> Ended:
        """Wait for a task to end, and return it."""
        while not self._ended:
            self._refresh_nodes()
            self._dispatch()
            asked = [*self._given_away, *self._visits]
            if not asked:
                time.sleep(_LOOK)
                continue
            ready, _ = self._ray.wait(asked, num_returns=1, timeout=_LOOK)
            if ready:  # all finished ones, since each call costs the same
                ready, _ = self._ray.wait(asked, num_returns=len(asked), timeout=0)
            for answer in ready:
                if answer in self._visits:
                    self._visited(answer)
                else:
                    self._collect(answer)
        return self._ended.popleft()

    def close(self) -> None:
        """Drop all tasks that have not ended."""
        for answer in (*self._given_away, *self._visits):
            self._ray.cancel(answer, force=True)
        self._given_away.clear()
        self._visits.clear()
        self._waiting.clear()

    def _sent(self, work: Work, along: TaskFiles) -> Order:
        """Return the order for `work`, with its files in the object store."""
        kept: dict[str, Any] = {}

        def keep(parcel: bytes) -> str:
            named = parcels.digest(parcel)
            if named not in kept:
                kept[named] = self._ray.put(parcel)
            return named

        bots = {named: (keep(parcels.pack_bot(folder)), folder.name) for named, folder in along.bots.items()}
        self._parcels = kept  # an object without a reference is deleted
        return Order(work, along.prepare, keep(parcels.pack(along.files)), bots, kept)

    def _dispatch(self) -> None:
        able = frozenset(name for name, node in self._nodes.items() if node.plays)
        while able and self._waiting and len(self._given_away) < QUEUED * self.width:
            task = self._waiting.popleft()
            self._given_away[self._do.options(label_selector=_one_of(able)).remote(self._order, task)] = task, able
            if self._cluster.began is None:
                self._cluster.began = time.monotonic()

    def _collect(self, answer: Any) -> None:
        task, _ = self._given_away.pop(answer)
        try:
            brought: TaskResult = self._ray.get(answer)
            parcels.write_all(self._given, brought.files)
        except (self._ray.exceptions.RayError, parcels.ParcelError) as error:
            self._failures[task] += 1
            if self._failures[task] < ATTEMPTS:
                self._waiting.appendleft(task)
            else:
                why = f"task {task} failed {ATTEMPTS} times, at last by {one_line(_reason(error), 500)}"
                self._cluster.tell(f"cluster: {why}")
                self._ended.append(Ended(task, WorkerFailed(why)))
            return
        self._cluster.done[brought.node] += 1
        self._cluster.seconds[brought.node] += brought.seconds
        self._ended.append(Ended(task))

    def _refresh_nodes(self) -> None:
        """Find nodes that joined and left, now and then."""
        if time.monotonic() < self._looked + _LOOK:
            return
        self._looked = time.monotonic()
        there = {one["NodeID"]: one for one in self._ray.nodes() if one["Alive"] and one["Resources"].get("CPU")}
        for name in there.keys() - self._nodes.keys():
            self._nodes[name] = _Node(name, there[name])
            self._visit(self._nodes[name])
        for node in [one for name, one in self._nodes.items() if name not in there]:
            del self._nodes[node.name]
            if not node.refused:
                self._cluster.tell(f"cluster: {node.named} has left")
        self._call_back(there.keys())
        self._cluster.nodes = sum(node.plays for node in self._nodes.values())
        alone = not self._cluster.nodes and not self._visits
        if alone and self._nodes:
            raise ClusterError("no node of the cluster can play; standard error has the reasons")
        if alone and not self._alone:
            self._cluster.tell("cluster: no node has processors; waiting for one to join (Ctrl-C keeps what was done)")
        self._alone = alone

    def _call_back(self, there: Set[str]) -> None:
        """Resubmit tasks whose nodes are all gone: they would wait for ever."""
        for answer, (task, able) in list(self._given_away.items()):
            if not able & there and not self._ray.wait([answer], timeout=0)[0]:
                self._ray.cancel(answer)
                del self._given_away[answer]
                self._waiting.appendleft(task)
        for answer, node in list(self._visits.items()):
            if node.name not in there:
                self._ray.cancel(answer)
                del self._visits[answer]

    def _visit(self, node: "_Node") -> None:
        """Request the versions of a node, or prepare it if these are known."""
        what, given = (self._prepare, self._order) if node.known else (self._look, list(self._games))
        self._visits[what.options(label_selector=_one_of([node.name])).remote(given)] = node

    def _visited(self, answer: Any) -> None:
        node = self._visits.pop(answer)
        try:
            found = self._ray.get(answer)
        except self._ray.exceptions.RayError as error:
            node.failures += 1
            if node.failures == ATTEMPTS:
                self._refuse(node, f"it failed {ATTEMPTS} times, at last by {one_line(_reason(error), 500)}")
            else:
                self._visit(node)
            return
        if node.known:
            node.plays = True
            self._cluster.tell(f"cluster: {node.named} plays, processors: {node.width}")
        elif different := differences(self._ours, found):
            self._refuse(node, f"it has {different}")
        else:
            node.known = True
            self._visit(node)
        self._looked = -_LOOK  # look again at once

    def _refuse(self, node: "_Node", why: str) -> None:
        node.refused = True
        self._cluster.tell(f"cluster: {node.named} is refused: {why}")


class _Node:
    """A node: `known` if its versions fit, `plays` if it is prepared, or `refused`."""

    def __init__(self, name: str, found: dict[str, Any]) -> None:
        self.name = name
        self.named = f"{found['NodeName']} ({name[:8]})"
        self.width = max(1, int(found["Resources"]["CPU"]))
        self.known = self.plays = self.refused = False
        self.failures = 0  # during check and preparation


def _one_of(names: Any) -> dict[str, str]:
    return {_NODE: f"in({','.join(sorted(names))})"}


def _reason(error: Exception) -> str:
    """Return the message of Ray's error, or of the exception in the task."""
    cause = getattr(error, "cause", None) or error
    return f"{type(cause).__name__}: {cause}"


# Functions that run on nodes.


def _looking() -> Callable[[list[str]], dict[str, str]]:
    """Return the first function of a node; it is local, so that it is sent whole and needs no module there."""

    def look(games: list[str]) -> dict[str, str]:
        try:
            from sobremesa.agents.arena.identity import described
        except ImportError as error:
            return {"Sobremesa": f"not installed ({error})"}
        return described(games)

    return look


def _prepare(order: Order) -> None:
    """Unpack the files of the tasks, and compile the kernels."""
    with _folder(order) as (folder, _):
        if order.prepare is not None:
            order.prepare(str(folder))


def _run_task(order: Order, task: int) -> TaskResult:
    """Do a task; return the files that it wrote."""
    import ray

    with _folder(order) as (folder, before):
        began = sum(os.times()[:4])
        order.work(str(folder), task)
        used = sum(os.times()[:4]) - began
        node = f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:8]})"
        return TaskResult(node, used, parcels.read_all(folder, before))


@contextmanager
def _folder(order: Order) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """Yield a folder for a task with its files, and their content; bots are made available to `load`.

    Only parcels that this machine has not unpacked before are fetched.
    """
    import ray

    at = {named: parcels.unpacked(named, partial(ray.get, parcel)) for named, parcel in order.parcels.items()}
    receive_bots({named: at[parcel] / name for named, (parcel, name) in order.bots.items()})
    before = dict(parcels.read_all(at[order.files], {}))
    with TemporaryDirectory(prefix="sobremesa-") as temporary:
        parcels.write_all(Path(temporary), list(before.items()))
        yield Path(temporary), before
