"""Test the games with other libraries, each in an environment of its own: `python run.py [CLIENT ...]`.

They are made once, in `.clients/`, with the versions named here. Prints the rows of docs/results/libraries.md.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLACE = ROOT / ".clients"
TORCH = "torch==2.13.0"
TREE = "dm-tree==0.1.10"  # which OpenSpiel's learners import
UVICORN, UV = "uvicorn==0.54.0", "uv==0.13.9"  # a server of ours, and a tool that the agents of verifiers start
CLIENTS = {  # what is installed beside the library, which pulls in the newest Gymnasium and PettingZoo otherwise
    "checkers": ["gymnasium==1.4.0", "pettingzoo==1.27.0", "stable-baselines3==2.9.2", TORCH],
    "supersuit": ["supersuit==3.11.0", "gymnasium==1.4.0", "pettingzoo==1.27.0"],
    "tianshou": ["tianshou==2.0.1", "gymnasium==1.4.0", "pettingzoo==1.27.0", TORCH],
    "torchrl": ["torchrl==0.14.1", "gymnasium==1.4.0", "pettingzoo==1.27.0", TORCH],
    "minari": ["minari==0.5.4", "gymnasium==1.4.0", "pettingzoo==1.27.0", "safetensors==0.8.0", TORCH],
    "openspiel": ["open_spiel==2.0.2", "cvxpy==1.9.3"],
    "tutorials": ["rlcard==1.2.0", "tianshou==2.0.1", "open_spiel==2.0.2", TREE, "pettingzoo==1.27.0", TORCH],
    "rllib": ["ray[rllib]==2.60.0", "pettingzoo==1.27.0", TORCH],
    "rliable": ["rliable==1.2.0", "pandas==2.3.3"],
    "smolagents": ["smolagents[mcp]==1.26.0", "mcp[ws]==1.30.0"],
    "trl": ["trl==1.16.0", "transformers==5.24.0", TORCH],
    "openenv": ["openenv==0.10.0", UVICORN],
    "verifiers": ["verifiers==0.4.0", UV],
    "skyrl": ["skyrl-gym==0.4.0"],
    "jax": ["jax==0.10.2", TORCH],
    "rl_games": ["rl-games==1.6.5", TORCH],
}


EXTRAS = {"checkers": "[render]", "smolagents": "[mcp]", "minari": "[minari]", "tutorials": "[train,render]"}
EXTRAS |= {client: f"[{client}]" for client in ("trl", "openenv", "verifiers", "skyrl")}
PINNED = {"rllib": "gymnasium"}  # a client that pins this below our floor: the library comes without dependencies


def dependencies():
    """Return the core dependencies of the library, as pyproject.toml has them."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def python_of(client):
    """Return the interpreter of the environment of `client`, with this state of the library.

    The environment is made if it is not there.
    """
    python = PLACE / client / "bin" / "python"
    if (PLACE / client / "ready").exists():
        again = ["--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"]
        subprocess.run([python, "-m", "pip", "install", *again, ROOT], check=True)
    else:
        subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE / client], check=True)
        wanted = CLIENTS[client]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        extra = EXTRAS.get(client, "")
        if client in PINNED:
            others = [one for one in dependencies() if not one.startswith(PINNED[client])]
            subprocess.run([*pip, *others, *wanted], check=True)
            subprocess.run([*pip, "--no-deps", ROOT], check=True)
        else:
            subprocess.run([*pip, f"{ROOT}{extra}", *wanted], check=True)
        (PLACE / client / "ready").touch()
    return python


def commit():
    """Return the commit that is tried: what is installed beside the clients does not know it."""
    words = ["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=7"]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def main(names):
    """Try the clients called `names`, or all; list how each did, and return how many failed."""
    results = {}
    print(f"commit {commit()}", flush=True)
    for client in names or CLIENTS:
        wanted = ", ".join(CLIENTS[client])
        print(f"== {client}: {wanted}", flush=True)
        done = subprocess.run([python_of(client), HERE / f"with_{client}.py"], cwd=PLACE, check=False)
        results[client] = "all well" if done.returncode == 0 else f"exit code {done.returncode}"
        print(f"== {client}: {results[client]}", flush=True)
    print("\n".join(f"{client}: {result}" for client, result in results.items()))
    return sum(result != "all well" for result in results.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
