"""Checks and measurements that need a GPU: `make gpu`, about fifteen minutes, without a network.

Every game plays the stored runs of the processor (traces.py), with and without staging; a planted bit must be found.
Then the speed of each game, beside a copy of the same bytes, and of training. It prints tables and writes a JSON file,
of which `python -m tests.gpu.page FILE` makes rows of docs/results/gpu.json. With `--quick` it makes the report of a
card in a few minutes: the same runs without the unstaged form, and the speed of one number of tables.
"""

import argparse
import json
import multiprocessing
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import torch
from tests.gpu import rollouts
from tests.gpu.resume import resumed
from tests.gpu.timing import milliseconds, say
from tests.gpu.traces import TABLES, TURNS, drawn_setup, stored, trace
from tests.gpu.training import train, warm_all

import sobremesa
from sobremesa import envs
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.envs.core.testing.check import rules_hash

SIZES = (4_096, 65_536, 262_144, 1_048_576)  # tables
QUICK_SIZE = 65_536
SEED, WARM_UP, PLANTED = 5, 100, 500
WORKERS = 5  # processes, one for each game


class Unstaged(TensorEnv):
    """The environment without staging."""

    staged = False


def compare(name: str, kind: type[TensorEnv], device: str, plant: int | None = None) -> dict[str, Any]:
    """Return how the trace of a game on the device differs from the stored one."""
    game, began = envs.load(name), time.time()
    env = kind(game, TABLES, device=device, copy=False, dtype="uint8", **drawn_setup(game, TABLES))
    made = time.time() - began
    found, wanted = trace(env, plant=plant), stored()[name]
    differ = [turn for turn, digest in wanted["checkpoints"].items() if found["checkpoints"][turn] != digest]
    last = [array for array, digest in wanted["final"].items() if found["final"][array] != digest]
    return {
        "game": name, "staged": kind.staged, "planted": plant, "tables": TABLES, "turns": TURNS,
        "checkpoints": len(wanted["checkpoints"]), "differ": len(differ), "first": min(map(int, differ), default=None),
        "arrays": last, "compile_seconds": round(made, 1), "usage": env._program.usage(),
    }  # fmt: skip


def check_game(name: str, device: str, quick: bool) -> list[dict[str, Any]]:
    """Return the comparisons of one game: staged, with a planted bit, and unless `quick` unstaged."""
    rows = [compare(name, TensorEnv, device), compare(name, TensorEnv, device, PLANTED)]
    rows += [] if quick else [compare(name, Unstaged, device)]
    for row in rows:
        missed = row["planted"] is not None and (row["differ"] == 0 or row["first"] < PLANTED)
        row["passed"] = not missed if row["planted"] is not None else row["differ"] == 0 and not row["arrays"]
        say(
            f"{name:20s} staged={row['staged']!s:5s} planted={row['planted']!s:4s} "
            f"{row['differ']:3d} of {row['checkpoints']} checkpoints differ, {'ok' if row['passed'] else 'FAILED'}; "
            f"ready in {row['compile_seconds']} s; {row['usage'].get('step')}"
        )
    return rows


def speed_of(name: str, tables: int, device: str) -> dict[str, Any] | None:
    """Return million turns a second of random play with observations as bytes, and what a copy of the bytes allows."""
    game = envs.load(name)
    try:
        env = TensorEnv(game, tables, SEED, device=device, copy=False, dtype="uint8")
    except MemoryError as error:
        say(str(error))
        return None
    for _ in range(WARM_UP):
        env.step(env.sample())
    env.check()
    times = max(3, min(100, (1 << 23) // tables))
    step = milliseconds(lambda: env.step(env.sample()), times)
    record, out = env._tensors["states"], env._out
    moved = sum(one.stride(0) for one in (record, record, out.observations, out.masks))  # bytes read and written
    source = torch.empty(tables * moved // 2, dtype=torch.uint8, device=device)
    into = torch.empty_like(source)
    copy = milliseconds(lambda: into.copy_(source), 20)
    env.check()
    row = {"game": name, "tables": tables, "million_turns": tables / step / 1e3, "bytes": moved,
           "million_copies": tables / copy / 1e3}  # fmt: skip
    say(f"{name:20s} {tables:9,d} tables: {row['million_turns']:7.1f} M turns/s; a copy of {moved} bytes allows "
        f"{row['million_copies']:7.0f} M/s")  # fmt: skip
    return row


def versions(device: str) -> dict[str, str]:
    """Return the card, or the processor if the checks are tried there, the versions and the commit."""
    card = torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine()
    return {
        "card": card, "cuda": str(torch.version.cuda), "torch": torch.__version__,
        "numba": numba.__version__, "llvmlite": llvmlite.__version__, "numpy": np.__version__,
        "python": platform.python_version(), "sobremesa": sobremesa.__version__,
        "driver": printed("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").partition("\n")[0],
        "commit": printed("git", "rev-parse", "--short", "HEAD"),
    }  # fmt: skip


def printed(*command: str) -> str:
    """Return what a command prints; "" if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="make gpu", description=__doc__)
    parser.add_argument("--device", default="cuda", help="the GPU (default: cuda)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/gpu.json"), help="the file to write (default: %(default)s)"
    )
    parser.add_argument("--games", nargs="*", default=envs.games(), help="games (default: all)")
    parts = ["check", "speed", "rollouts", "training"]
    parser.add_argument("--quick", action="store_true", help="only the report of a card (default: off)")
    parser.add_argument("--only", nargs="*", choices=parts, help="parts (default: all)")
    parser.add_argument("--seconds", type=float, default=24, help="of training for each run (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of training for each game (default: %(default)s)")
    asked = parser.parse_args()
    if asked.quick and asked.only is not None:
        parser.error("--quick has its own parts; leave --only or --quick out")
    if asked.only is None:
        asked.only = ["check", "speed"] if asked.quick else parts
    return asked


def main() -> None:
    """Run the checks and measurements; exit with an error if a check fails."""
    asked = options()
    try:
        device_of(asked.device)
    except (ValueError, RuntimeError) as error:
        sys.exit(f"make gpu: {error}")
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"quick": asked.quick, "versions": versions(asked.device)}
    found["rules"] = {game.id: rules_hash(game) for game in map(envs.load, asked.games)}
    found |= {"checks": [], "speed": [], "training": []}
    say(str(found["versions"]))
    if "check" in asked.only:
        with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
            games = [(name, asked.device, asked.quick) for name in asked.games]
            for rows in pool.starmap(check_game, games, chunksize=1):
                found["checks"] += rows
    asked.out.write_text(json.dumps(found, indent=1))
    if "speed" in asked.only:
        for name in asked.games:
            for tables in [QUICK_SIZE] if asked.quick else SIZES:
                row = speed_of(name, tables, asked.device)
                found["speed"] += [row] if row else []
                asked.out.write_text(json.dumps(found, indent=1))
    if "rollouts" in asked.only:
        found |= {"rollouts": [], "searches": [], "counterfactual": []}
        warm_all(asked.games, asked.device, "tests.gpu.rollouts:warm_search", "tests.gpu.rollouts:warm_deals")
        say("the kernels of rollouts are compiled")
        for name in asked.games:
            found["rollouts"].append(rollouts.compare_rollouts(name, asked.device))
            found["searches"] += rollouts.search_speeds(name, asked.device)
            found["counterfactual"].append(rollouts.counterfactual_speed(name, asked.device))
            asked.out.write_text(json.dumps(found, indent=1))
    if "training" in asked.only:
        warm_all(asked.games, asked.device)
        say("the kernels of training are compiled")
        with tempfile.TemporaryDirectory() as folder:
            whole, again, began = resumed(asked.games[0], asked.device, Path(folder) / "run")
        found["resumed"] = {"game": asked.games[0], "from": began, "same": whole == again}
        say(f"a run resumed after {began:,} decisions has {'the same' if whole == again else 'OTHER'} weights")
        for seed in range(asked.seeds):
            for name in asked.games:
                folder = asked.out.parent / f"training-{name}-{seed}"
                found["training"].append(train(name, asked.device, asked.seconds, seed, folder))
                asked.out.write_text(json.dumps(found, indent=1))
    failed = [
        f"{row['game']} (staged={row['staged']}, planted={row['planted']})"
        for row in found["checks"]
        if not row["passed"]
    ]
    failed += [f"{row['game']} (rollouts)" for row in found.get("rollouts", []) if not row["passed"]]
    say(f"written to {asked.out}; " + (f"FAILED: {', '.join(failed)}" if failed else "all checks passed"))
    sys.exit(int(bool(failed)))


if __name__ == "__main__":
    main()
