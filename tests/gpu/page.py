"""The page of the measurements on a GPU: `python -m tests.gpu.page build/gpu.json` keeps them and writes the page.

A report of `make gpu GPU=--quick` becomes a row of the table of cards.
"""

import json
import sys
import textwrap
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "results"
PAGE, MEASURED = FOLDER / "gpu.md", FOLDER / "gpu.json"
TITLE = "# Do the games give the same results on a GPU, and how fast?\n\n"
VERSIONS = (
    ("driver", "driver"), ("PyTorch", "torch"), ("Numba", "numba"), ("llvmlite", "llvmlite"), ("NumPy", "numpy"),
    ("Python", "python"), ("Sobremesa", "sobremesa"), ("commit", "commit"),
)  # fmt: skip

LISTS = {  # parts with a row for each measurement: heading and text
    "rollouts": (
        "Rollouts",
        "Rollouts of a search by `strong`, how many of them differ from the processor's, and which part may: an agent "
        "that takes logarithms may choose otherwise, because their last place differs.",
    ),
    "searches": (
        "Search",
        "Seconds of a decision: the median and the longest of six. Rollouts a second on the card, and on one thread of "
        "the processor.",
    ),
    "counterfactual": (
        "Counterfactual rollouts",
        "Rollouts a second by untrained networks, and of how many; the processor plays in two threads.",
    ),
    "training": (
        "Training",
        "PPO from nothing by `configs/recipes/gpu.toml`. The share is that of wins against copies of `strong`, with "
        "its 95 % interval; level is the share of an equal player. Times are those of one batch; the environment's is "
        "part of the rollout's.",
    ),
}


CARDS = (
    "Reports of `make gpu GPU=--quick`: how many checks the card passed, and million turns a second of each game at "
    "65,536 tables, as in the table above."
)


def card_of(report: dict[str, Any]) -> dict[str, Any]:
    """Return the row of the table of cards for a report."""
    versions, passed = report["versions"], [row["passed"] for row in report["checks"]]
    speeds = {row["game"]: _number(row["million_turns"]) for row in report["speed"]}
    named = {key: versions[key] for key in ("card", "driver", "commit")}
    return {**named, "checks": f"{sum(passed)} of {len(passed)}", **speeds}


def keep(report: dict[str, Any], kept: dict[str, Any] | None) -> dict[str, Any]:
    """Return the measurements `kept` with `report`: a quick one becomes or replaces the row of its card."""
    cards = (kept or {}).get("cards", [])
    if not report.get("quick"):
        return {**report, "cards": cards}
    if kept is None:
        raise SystemExit("the page needs a whole report first: make gpu")
    new = card_of(report)
    return {**kept, "cards": [*(one for one in cards if one["card"] != new["card"]), new]}


def page(found: dict[str, Any] | None) -> str:
    """Return the page for the measurements that `make gpu` wrote; None before the first."""
    if found is None:
        return f"{TITLE}**Not measured yet.** `make gpu` on a machine with an NVIDIA GPU measures it.\n"
    parts = [_conclusion(found), _versions(found["versions"]), _checks(found["checks"])]
    parts += [_speed(found["speed"])] if found["speed"] else []
    parts += [_listed("Other cards", CARDS, found["cards"])] if found.get("cards") else []
    for name, (head, text) in LISTS.items():
        parts += [_listed(head, text, found[name])] if found.get(name) else []
    return TITLE + "\n".join(parts)


def _conclusion(found: dict[str, Any]) -> str:
    compared = [row for row in found["checks"] if row["planted"] is None]
    failed = sorted({row["game"] for row in found["checks"] if not row["passed"]})
    games = len({row["game"] for row in compared})
    text = f"On one {found['versions']['card']} all {games} games give the same bytes as on the processor"
    if failed:
        text = f"On one {found['versions']['card']} the checks of {', '.join(failed)} fail"
    if found["speed"]:
        best = [max(row["million_turns"] for row in rows) for _, rows in _by_game(found["speed"])]
        text += f", at {_number(min(best))} to {_number(max(best))} million turns a second"
    return _text(f"**{text}.**")


def _versions(versions: dict[str, str]) -> str:
    named = [f"{name} {versions[key]}" for name, key in VERSIONS if versions.get(key)]
    return _text(f"Measured by `make gpu` with {', '.join(named)}, CUDA {versions['cuda']}.")


def _checks(checks: Sequence[dict[str, Any]]) -> str:
    first = checks[0]
    rows = [_check(name, list(rows)) for name, rows in _by_game(checks)]
    head = ("game", "staged", "unstaged", "a planted bit", "registers", "local memory", "ready in")
    return (
        "## Sameness\n\n"
        + _text(
            f"A run of {first['turns']:,} random turns at {first['tables']:,} tables, with setups in which every"
            f" pair of values of two options meets. At {first['checkpoints']} checkpoints a digest covers the "
            "states, the deals, the streams, the observations, the masks, the payoffs and the rest. The columns"
            " count the checkpoints that differ from the processor's "
            "([traces.json](../../tests/golden/traces.json)), with rows staged in the memory of a thread and "
            "without. One bit that is flipped in one state must show. Registers and local memory are those of a"
            " thread in a step. The last column has the seconds to compile on the processor, with an empty "
            "cache and one process a game."
        )
        + "\n"
        + _table(head, rows)
    )


def _check(name: str, rows: list[dict[str, Any]]) -> list[str]:
    staged, planted, unstaged = (
        next(row for row in rows if (row["staged"], row["planted"] is not None) == kind)
        for kind in ((True, False), (True, True), (False, False))
    )
    found = f"found at turn {planted['first']}" if planted["passed"] else "missed"
    used = staged["usage"]["step"]
    differ = [f"{row['differ']} of {row['checkpoints']}" for row in (staged, unstaged)]
    seconds = f"{staged['compile_seconds']:.0f} s"
    return [f"`{name}`", *differ, found, str(used["registers"]), f"{used['local bytes']:,} bytes", seconds]


def _speed(speed: Sequence[dict[str, Any]]) -> str:
    sizes = sorted({row["tables"] for row in speed})
    head = ["game", *(f"{size:,} tables" for size in sizes), "bytes a turn", "a copy allows", "share"]
    rows = []
    for name, measured in _by_game(speed):
        by_size = {row["tables"]: row for row in measured}
        most = by_size[max(by_size)]
        share = f"{100 * most['million_turns'] / most['million_copies']:.0f} %"
        turns = [_number(by_size[size]["million_turns"]) if size in by_size else "does not fit" for size in sizes]
        rows.append([f"`{name}`", *turns, f"{most['bytes']:,}", _number(most["million_copies"]), share])
    return (
        "## Speed\n\n"
        + _text(
            "Million turns a second of `env.step(env.sample())` with observations as bytes and `copy=False`, "
            "seed 5, median of three rounds. A copy on the card of the bytes of a turn (the state read and "
            "written, the observation and the mask written) allows the million turns next to it; both last "
            "columns are for the most tables."
        )
        + "\n"
        + _table(head, rows)
    )


def _listed(head: str, text: str, found: Sequence[dict[str, Any]]) -> str:
    """Return a part with a table of rows, whose keys head the columns; a row may lack some."""
    names = list(dict.fromkeys(name for row in found for name in row))
    rows = [[_cell(row.get(name, "")) for name in names] for row in found]
    return f"## {head}\n\n{_text(text)}\n{_table([name.replace('_', ' ') for name in names], rows)}"


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _by_game(rows: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(name, list(some)) for name, some in groupby(rows, lambda row: str(row["game"]))]


def _text(paragraph: str) -> str:
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def stored() -> dict[str, Any] | None:
    """Return the measurements that the page shows; None before the first."""
    return json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else None


def main() -> None:
    """Keep the measurements that the command line names, and write the page."""
    for name in sys.argv[1:]:
        report = json.loads(Path(name).read_text(encoding="utf-8"))
        MEASURED.write_text(json.dumps(keep(report, stored()), indent=1), encoding="utf-8")
    PAGE.write_text(page(stored()), encoding="utf-8")


if __name__ == "__main__":
    main()
