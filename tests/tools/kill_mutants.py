"""Measure the power of the tests: change one thing in the kernels of a game and check whether a test fails.

    make mutants                                                          # every game
    python tests/tools/kill_mutants.py --games estafado --count 40 --seed 1     # one game
    python tests/tools/kill_mutants.py --games estafado --ids _fly-sign-744093

The clause tests of the game run first, in plain mode. The survivors run the tests of whole deals (worlds, referees,
generic checks), in plain mode and then compiled. Goldens and digests of rules are left out, since they notice every
change. Results are stored in runs/mutants and not repeated; tests/tools/mutants.toml lists equivalent mutants.
"""

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import ROOMS, mutants_of, sample

HERE = Path(__file__).parent
GAMES = sorted(path.parent.name for path in ROOMS.glob("*/rules.py"))
TESTS = HERE.parent
GENERIC = [TESTS / "envs" / "core" / f"test_{name}.py" for name in ("properties", "contract", "reshuffle", "secrets")]
GENERIC.append(TESTS / "agents" / "arena" / "test_statistics.py")
LATER = ("_worlds", "_agents", "_referee")
DRAWN = ("_scene", "_faces", "_drawing")  # pictures show states, not rules
KILLED = ("killed", "timeout")
NEVER = "not rules_hash and not golden and not recorded and not catches"


def stages(game):
    """Return the stages, each for the survivors of the previous ones.

    A stage has a name, plain or compiled, the longest time of a test in seconds, files, and a selection of tests.
    """
    own = [path for path in sorted((TESTS / "envs" / game).glob("test_*.py")) if not path.stem.endswith(DRAWN)]
    clauses = [path for path in own if not path.stem.endswith(LATER)]
    return [
        ("clauses", True, 0.5, clauses, NEVER),
        ("all others, plain", True, 2, [*own, *GENERIC], f"{game} and {NEVER}"),
        ("all others", False, 30, [*own, *GENERIC], f"{game} and {NEVER}"),
    ]


def attack(game, ids, args):
    """Run the stages on the living mutants of a game; store the results in `args.results`."""
    folder = args.results
    for number, (name, plain, slowest, every, choice) in enumerate(stages(game)):
        files = [path for path in every if path.name in args.files] if args.files else every
        rows = results(folder, game)
        killed = {row["id"] for row in rows if row["fate"] in KILLED}
        survived = {row["id"] for row in rows if row["fate"] == "survived" and row["stage"] >= number}
        done = killed | survived | (set(judged()) if number else set())
        left = [one for one in ids if one not in done]
        if not left or not files or number >= args.stages:
            continue
        listed = folder / f"{game}.ids"
        listed.write_text("\n".join(left))
        out = folder / f"{game}.jsonl"
        environ = os.environ | {
            "PYTHONPATH": f"{HERE}{os.pathsep}{TESTS / 'support'}",
            "OMP_NUM_THREADS": "1",
            "MUTANTS_STAGE": str(number),
        }
        environ["MUTANTS_SLOWEST"] = str(slowest)
        environ |= {"NUMBA_DISABLE_JIT": "1"} if plain else {}
        print(f"{game}, {name}: {len(left)} mutants", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "mutation", "-p", "no:cacheprovider"]
        command += [
            "-m",
            "not thorough and not slow",
            "-k",
            choice,
            "--mutants-of",
            game,
            "--mutants",
            listed,
            "--results",
            out,
        ]
        subprocess.run([*command, *files], env=environ, cwd=TESTS.parent, check=False)


def results(folder, game):
    """Return the row of each mutant of a game: the test that killed it, or the last stage that it survived."""
    path = folder / f"{game}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return list({row["id"]: row for row in sorted(rows, key=lambda row: row["fate"] in KILLED)}.values())


def forget(folder, game, ids):
    """Remove the results of some mutants of a game from `folder`."""
    path = folder / f"{game}.jsonl"
    if path.exists():
        path.write_text(
            "".join(f"{line}\n" for line in path.read_text().splitlines() if json.loads(line)["id"] not in ids)
        )


def judged():
    """Return the reasons of equivalent mutants, by id."""
    path = HERE / "mutants.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


def report(game, drawn, folder):
    """Print the fates by kind of mutant, and the survivors; return the killed share, without equivalent ones."""
    found = {row["id"]: row for row in results(folder, game)}
    fates = Counter(judged_fate(one, found) for one in drawn)
    print(f"\n{game}: {len(drawn)} mutants, " + ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())))
    for kind in sorted({one.kind for one in drawn}):
        of_kind = Counter(judged_fate(one, found) for one in drawn if one.kind == kind)
        print(f"  {kind:10} " + ", ".join(f"{count} {fate}" for fate, count in sorted(of_kind.items())))
    killers = Counter(found[one.id]["by"].split("::")[0] for one in drawn if one.id in found and found[one.id]["by"])
    print("  by " + ", ".join(f"{Path(name).stem} {count}" for name, count in killers.most_common()))
    for one in drawn:
        if judged_fate(one, found) in ("survived", "not tried"):
            print(f"  {judged_fate(one, found)}: {one.path}:{one.line} {one.id}\n    {one.diff()}")
    tried = len(drawn) - fates["judged equivalent"]
    return (fates["killed"] + fates["timeout"]) / max(1, tried)


def judged_fate(one, found):
    fate = found[one.id]["fate"] if one.id in found else "not tried"
    return "judged equivalent" if fate == "survived" and one.id in judged() else fate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=GAMES, choices=GAMES)
    parser.add_argument("--count", type=int, default=42, help="mutants of a game (default: 42)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ids", nargs="+", help="only these mutants")
    parser.add_argument("--jobs", type=int, default=1, help="games at once")
    parser.add_argument("--stages", type=int, default=9, help="number of stages")
    parser.add_argument("--files", nargs="+", help="only tests of these files, for example test_fox.py")
    parser.add_argument("--results", type=Path, default=TESTS.parent / "runs/mutants", help="folder of results")
    parser.add_argument("--again", action="store_true", help="discard earlier results of these mutants")
    args = parser.parse_args()
    args.results.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for game in args.games:
        every = mutants_of(game)
        drawn[game] = [one for one in every if one.id in args.ids] if args.ids else sample(every, args.count, args.seed)
        if args.again:
            forget(args.results, game, {one.id for one in drawn[game]})
    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda game: attack(game, [one.id for one in drawn[game]], args), drawn))
    shares = [report(game, drawn[game], args.results) for game in drawn]
    sys.exit(int(min(shares) < 0.95))


if __name__ == "__main__":
    main()
