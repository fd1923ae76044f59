"""Each pass of the compiler beside the processor: `python -m tests.gpu.passes [GAME ...]`, without a GPU.

The linked code and the optimized code run here, and their tables are compared with `VectorEnv` after each turn. If
`make gpu` finds a difference, this shows whether the link step or the optimizer makes it.
"""

import sys
from functools import cache

import torch
from tests.gpu.traces import drawn_setup, first_difference

from sobremesa import envs
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.compile import retarget
from sobremesa.envs.core.device.entries import vector_entries
from sobremesa.envs.core.device.program import REFERENCE_CHIP, Program
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.envs.core.game import Game

TABLES, TURNS = 64, 200


@cache
def forms(game: Game) -> dict[str, str]:
    """Return the LLVM code of a game after each pass."""
    linked = retarget.link(vector_entries(game))
    return {"linked": linked, "optimized": retarget.optimized(linked, REFERENCE_CHIP)}


def compare(game: Game, code: str, tables: int = TABLES, turns: int = TURNS) -> str:
    """Return "equal", or the first difference between LLVM code of a game and `VectorEnv`."""
    setup = drawn_setup(game, tables)
    env = TensorEnv(game, tables, device="cpu", dtype="uint8", **setup)
    env._program = Program(vector_entries(game), torch.device("cpu"), code)
    found = first_difference(env, VectorEnv(game, tables, dtype="uint8", **setup), turns)
    return "equal" if found is None else "differs at turn {} in {} of table {}".format(*found)


def report(game: Game, codes: dict[str, str]) -> list[str]:
    """Return a line for the code after each pass."""
    return [f"{name}: {compare(game, code)}" for name, code in codes.items()]


def main() -> None:
    """Print the lines of the games that the command line names, or of all."""
    for name in sys.argv[1:] or envs.games():
        game = envs.load(name)
        print(name, *report(game, forms(game)), sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
