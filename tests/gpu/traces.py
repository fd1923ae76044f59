"""Traces: digests of everything that a vector environment holds along a run, equal on every device.

`python -m tests.gpu.traces` writes those of the processor to tests/golden/traces.json. The suite recomputes them, and
`make gpu` compares a GPU with them.
"""

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

import sobremesa
from sobremesa import envs
from sobremesa.envs.core.game import Game, Option

FILE = Path(__file__).parents[1] / "golden" / "traces.json"
TABLES, TURNS, SEED = 1024, 1000, 20261126
CHECKPOINTS = (*range(33), *range(50, TURNS + 1, 50))
STATE = ("states", "deals", "seeds", "streams", "sampled", "masks", "seats", "payoffs", "dones")


def drawn_setup(game: Game, tables: int) -> dict[str, list[Any]]:
    """Return a setup for each table, so that every pair of values of two options meets, four values of an option."""
    options = game.options
    rows = {tuple(option.default for option in options)}
    for one, other in itertools.combinations(range(len(options)), 2):
        for pair in itertools.product(_some(options[one]), _some(options[other])):
            row = [option.default for option in options]
            row[one], row[other] = pair
            rows.add(tuple(row))
    ordered = sorted(rows, key=repr)
    rng = np.random.default_rng(SEED)
    places = [*range(len(ordered)), *rng.integers(len(ordered), size=max(0, tables - len(ordered))).tolist()]
    return {option.name: [ordered[place][k] for place in places[:tables]] for k, option in enumerate(options)}


def _some(option: Option) -> list[Any]:
    """Return at most four of the choices of `option`: the default, the ends, and one between."""
    choices = list(option.choices)
    return sorted({option.default, choices[0], choices[len(choices) // 2], choices[-1]}, key=choices.index)


def arrays(env: Any, step: Any) -> dict[str, np.ndarray]:
    """Return what the environment holds after `step`, as NumPy arrays by name."""
    state, seen = env.get_state(), step.observations
    found = {name: np.ascontiguousarray(state[name]) for name in STATE}
    found["observations"] = seen.cpu().numpy() if isinstance(seen, torch.Tensor) else seen
    return found


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def first_difference(one: Any, other: Any, turns: int) -> tuple[int, str, int] | None:
    """Play the same random actions in two environments; return the turn, the array and the table where they differ."""
    steps = [env.reset(seed=SEED) for env in (one, other)]
    for turn in range(turns + 1):
        if turn:
            actions = other.sample()
            sampled = one.sample()
            kept = torch.from_numpy(actions) if isinstance(sampled, torch.Tensor) else actions
            steps = [one.step(kept), other.step(actions)]
        found, wanted = (arrays(env, step) for env, step in zip((one, other), steps, strict=True))
        for name, array in wanted.items():
            rows = [table for table, row in enumerate(array) if row.tobytes() != found[name][table].tobytes()]
            if rows:
                return turn, name, rows[0]
    return None


def trace(env: Any, *, turns: int = TURNS, plant: int | None = None) -> dict[str, Any]:
    """Return the digests of a run of random legal actions.

    `checkpoints` has one digest of all arrays by turn, `final` one of each array. `plant` is a turn after which one bit
    of one state is flipped, which the digests must show.
    """
    checkpoints, step = {}, env.reset(seed=SEED)
    for turn in range(turns + 1):
        if turn:
            step = env.step(env.sample())
        if turn == plant:
            state = env.get_state()
            state["states"]["stream"][len(state["states"]) // 2, 3] ^= 1
            env.set_state(state)
        if turn in CHECKPOINTS:
            found = arrays(env, step)
            checkpoints[str(turn)] = _digest(
                np.frombuffer(b"".join(_digest(a).encode() for a in found.values()), np.uint8)
            )
    return {"checkpoints": checkpoints, "final": {name: _digest(array) for name, array in found.items()}}


def trace_on(device: str, game: Game, **arguments: Any) -> dict[str, Any]:
    """Return the trace of `game` on `device`."""
    setup = drawn_setup(game, TABLES)
    given = {} if device == "cpu" else {"device": device}
    env = sobremesa.make_vec(game.name, TABLES, SEED, copy=False, dtype="uint8", **given, **setup)
    return trace(env, **arguments)


def stored() -> dict[str, Any]:
    """Return the traces of the processor by game."""
    return dict(json.loads(FILE.read_text()))


def main() -> None:
    """Write the traces of all games on the processor."""
    found = {name: trace_on("cpu", envs.load(name)) for name in envs.games()}
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
