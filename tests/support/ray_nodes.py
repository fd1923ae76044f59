"""Small Ray clusters of several nodes on this machine, and ways to kill parts of them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

SMALL = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@contextmanager
def nodes(count, **more):
    """Give a cluster of `count` nodes of one processor, the head among them; nothing of it is left afterwards."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}  # whatever token lies here
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**SMALL, **more, "include_dashboard": False})
    try:
        for _ in range(count - 1):
            cluster.add_node(**SMALL)
        yield cluster
    finally:
        cluster.shutdown()


def workers():
    """Return the worker processes of Ray on this machine: those that do a task just now, if there are any."""
    found = {b"ray::_run_task": [], b"ray::IDLE": []}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            for name, known in found.items():
                if line.startswith(name):
                    known.append(int(entry.name))
    return found[b"ray::_run_task"] or found[b"ray::IDLE"]


def kill(cluster, rng):
    """Kill a worker or a node of `cluster` that `rng` chooses; a node is followed by a new one. Return which it was."""
    others = sorted(cluster.worker_nodes, key=lambda node: node.unique_id)
    found = workers()
    if others and (rng.random() < 0.4 or not found):
        cluster.remove_node(rng.choice(others), allow_graceful=False)
        cluster.add_node(**SMALL)
        return "node"
    os.kill(rng.choice(found), signal.SIGKILL)
    return "worker"


def killed_driver(words, after):
    """Run the command of `words` and kill it with all it has once `after()` is true; say whether it was under way."""
    driver = subprocess.Popen([sys.executable, "-m", "sobremesa", *words], start_new_session=True)
    while driver.poll() is None and not after():
        time.sleep(0.02)
    under_way = driver.poll() is None
    if under_way:
        os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    return under_way
