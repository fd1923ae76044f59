"""Definition of the suite; `python -m sobremesa.training.benchmark.version` writes its file with current anchors.

A suite with results does not change: other rules or agents need a new suite.
"""

import msgspec

from sobremesa import envs
from sobremesa.agents.arena.score import LANGUAGE, nature
from sobremesa.envs.core.files import write_whole
from sobremesa.training.benchmark.tasks import FILE, Task, stamped

SEED = 3_000_017  # of the deals; no other part of the library uses them
ROWS = 384  # deals against each of the panel, about
TABLES: tuple[tuple[str, int, dict[str, str | bool]], ...] = (  # game, seats, other setup fields
    ("ese_toro_enamorado", 2, {}),
    ("ese_toro_enamorado", 4, {}),
    ("corre_el_encierro", 2, {}),
    ("corre_el_encierro", 3, {}),
    ("corre_el_encierro", 5, {}),
    ("erase_una_vez", 2, {}),
    ("erase_una_vez", 3, {}),
    ("erase_una_vez", 6, {}),
    ("estafado", 2, {}),
    ("bandido_alcatraz", 1, {"difficulty": "easy", "early_stop": True}),
    ("bandido_alcatraz", 2, {"early_stop": True}),
    ("bandido_alcatraz", 4, {"early_stop": True}),
)


def tasks() -> list[Task]:
    """Return the tasks without rules, panel and anchors."""
    found = []
    for name, seats, setup in TABLES:
        kind = nature(envs.load(name))
        for role in kind.roles.get(LANGUAGE, ("",)):
            parts = [name, role.lower() or str(seats), *(str(value) for value in setup.values() if value is not True)]
            task = Task(
                name="-".join(parts),
                game=name,
                version=0,
                rules_hash="",
                setup={"seats": seats, **setup},
                role=role,
                deals=ROWS // (seats if kind.rated and not role else 1),
                seed=SEED,
                panel={},
                anchors={},
            )
            found.append(task)
    return found


def main() -> None:
    """Write the file of the suite."""
    lines = [msgspec.json.encode(stamped(task), order="sorted").decode() for task in tasks()]
    write_whole(FILE, "[\n" + ",\n".join(lines) + "\n]\n")
    print(FILE)


if __name__ == "__main__":
    main()
