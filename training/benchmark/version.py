"""Definition of tasks; `python -m sobremesa.training.benchmark.version GAME` writes those of a game with their anchors.

The tables are in `home/benchmark.toml` of the game, and the tasks go to `home/benchmark.json`. A suite with results
does not change: other rules or agents need a new suite.
"""

import sys
from collections.abc import Sequence

import msgspec

from sobremesa import envs
from sobremesa.agents.arena.score import LANGUAGE, nature
from sobremesa.envs.core import home
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.training.benchmark.tasks import FILE, POOL, Task, TaskError, stamped, suite

SEED = 3_000_017  # of the deals; no other part of the library uses them
ROWS = 384  # deals against each opponent, about


def tasks(game: Game) -> list[Task]:
    """Return the tasks of `game` without rules, panel and anchors; raise TaskError for a game without tables."""
    found, kind, tables = [], nature(game), home.table(game, "benchmark.toml").get("tables", [])
    if not tables or not isinstance(tables, list):
        raise TaskError(f"{game.name} has no home/benchmark.toml with [[tables]]")
    for setup in tables:
        if not isinstance(setup, dict) or "seats" not in setup:
            raise TaskError(f"home/benchmark.toml of {game.name}: a table needs seats, and has {setup!r:.80}")
        others = [value for name, value in setup.items() if name != "seats"]
        for role in kind.roles.get(LANGUAGE, ("",)):
            seats = setup["seats"]
            parts = [game.name, role.lower() or str(seats), *(str(value) for value in others if value is not True)]
            task = Task(
                name="-".join(parts),
                game=game.name,
                version=0,
                rules_hash="",
                setup=setup,
                role=role,
                deals=ROWS // (seats if kind.rated and not role else 1),
                seed=SEED,
                panel={},
                anchors={},
            )
            found.append(task)
    return found


def main() -> None:
    """Write the tasks of the games that the command line names, and print the files."""
    if not sys.argv[1:]:
        sys.exit("usage: python -m sobremesa.training.benchmark.version GAME...")
    try:
        _write(sys.argv[1:])
    except ValueError as error:
        sys.exit(f"sobremesa: {error}")


def _write(games: Sequence[str]) -> None:
    for game in map(envs.load, games):
        if game.name in {task.game for task in suite()} and not (POOL / game.name).is_dir():
            raise TaskError(f"{POOL / game.name} is missing; the held-out pool belongs to the tasks of {game.name}")
        lines = [msgspec.json.encode(stamped(task), order="sorted").decode() for task in tasks(game)]
        folder = home.folder(game)
        assert folder is not None  # it has the tables
        write_whole(folder / FILE, "[\n" + ",\n".join(lines) + "\n]\n")
        print(folder / FILE)


if __name__ == "__main__":
    main()
