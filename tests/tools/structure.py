"""Measure the shape of the library: lines, files, import layers and arrows, prose, flags.

    python tests/tools/structure.py            # of this checkout
    python tests/tools/structure.py PATH       # of another one, with its own .venv for the flags
    python tests/tools/structure.py --worst    # the files whose prose has the most habits a word

A node is a module or a package directly inside a folder; an arrow is an import between two nodes. The number of layers
is the number of nodes on the longest chain of arrows, with the nodes of a circle counted as one.
"""

import argparse
import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from prose import density, habits_of

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("envs/core", "training", "agents", "agents/arena")
GAMES = ("bandido_alcatraz", "corre_el_encierro", "erase_una_vez", "ese_toro_enamorado", "estafado")
AIMS = {  # lines of Python: a game with its bots, what is for all games, and all
    **dict.fromkeys(GAMES, 4_800), "erase_una_vez": 8_500, "generic": 38_000, "product": 62_000, "tests": 60_000,
}  # fmt: skip
CODE = (".py", ".js", ".css", ".j2", ".toml", ".sh")


class Shape(NamedTuple):
    """The import graph of one folder."""

    files: int
    nodes: int
    layers: int
    arrows: int
    circles: list[list[str]]  # groups of nodes that import each other


def packages(root: Path) -> dict[str, Path]:
    """Return the folder of every package that `pyproject.toml` lists, by import name."""
    tools = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    moved = {name: root / folder for name, folder in tools["package-dir"].items()}
    found = {}
    for name in tools["packages"]:
        top = next((one for one in moved if name == one or name.startswith(f"{one}.")), None)
        rest = name.removeprefix(top).strip(".") if top else name
        found[name] = (moved[top] if top else root).joinpath(*filter(None, rest.split(".")))
    return found


def modules(root: Path) -> dict[str, Path]:
    """Return the file of every module of the library, by import name."""
    found = {}
    for package, folder in packages(root).items():
        for file in sorted(folder.glob("*.py")):
            found[package if file.stem == "__init__" else f"{package}.{file.stem}"] = file
    return found


def imports(file: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules of the library that `file` imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in known else node.module for name in names)
    return found & known.keys()


_UNTYPED = {"kernel", "overload", "intrinsic", "type_callable", "lower_builtin"}  # decorators: Numba infers the types


def untyped(file: Path) -> list[str]:
    """Return the functions of `file` with a parameter or result without a type, except in kernels."""
    found = []

    def look(node: ast.AST) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if _UNTYPED & {ast.unparse(by).split("(")[0].split(".")[-1] for by in one.decorator_list}:
                    continue
                given = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]
                bare = [given for given in given if given.annotation is None and given.arg not in ("self", "cls")]
                if bare or one.returns is None:
                    found.append(f"{file.name}:{one.lineno} {one.name}")
            look(one)

    look(ast.parse(file.read_text(encoding="utf-8")))
    return found


def shape(root: Path, folder: str) -> Shape:
    """Return the import graph between the nodes directly inside `folder`."""
    known = modules(root)
    top = next(name for name, path in packages(root).items() if path == root / folder)
    inside = {name: file for name, file in known.items() if name.startswith(f"{top}.")}
    node_of = {name: name.removeprefix(f"{top}.").split(".")[0] for name in inside}
    arrows = {
        (node_of[name], node_of[other])
        for name, file in inside.items()
        for other in imports(file, known)
        if other in node_of and node_of[name] != node_of[other]
    }
    nodes = set(node_of.values())
    reached = {node: _reached(node, arrows) for node in nodes}
    groups = {node: frozenset({node} | {one for one in reached[node] if node in reached[one]}) for node in nodes}
    circles = sorted({group for group in groups.values() if len(group) > 1}, key=sorted)
    return Shape(len(inside), len(nodes), _longest(groups, arrows), len(arrows), [sorted(one) for one in circles])


def file_circles(root: Path) -> list[list[str]]:
    """Return the groups of modules of the library that import each other, at the top, in functions or for types."""
    known = modules(root)
    arrows = {(name, other) for name, file in known.items() for other in imports(file, known) if other != name}
    below: dict[str, set[str]] = {name: set() for name in known}
    for name, other in arrows:
        below[name].add(other)
    while leaves := {name for name, others in below.items() if not others}:  # no circle passes through these
        below = {name: others - leaves for name, others in below.items() if name not in leaves}
    arrows = {(name, other) for name, others in below.items() for other in others}
    reached = {name: _reached(name, arrows) for name in below}
    groups = {frozenset({name} | {one for one in reached[name] if name in reached[one]}) for name in below}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def python_lines(root: Path) -> dict[str, int]:
    """Return the lines of Python of games with its bots, of the rest of the product, of the product and of tests."""
    product = {file for folder in packages(root).values() for file in folder.glob("*.py")}
    found = {game: _count({file for file in product if game in file.relative_to(root).parts}) for game in GAMES}
    whole = _count(product)
    tests = {file for file in (root / "tests").rglob("*.py") if "__pycache__" not in file.parts}
    return {**found, "generic": whole - sum(found.values()), "product": whole, "tests": _count(tests)}


def _reached(node: str, arrows: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    waiting = [node]
    while waiting:
        here = waiting.pop()
        new = {other for one, other in arrows if one == here} - found
        found |= new
        waiting += new
    return found


def _longest(groups: dict[str, frozenset[str]], arrows: set[tuple[str, str]]) -> int:
    below = {group: {groups[b] for a, b in arrows if groups[a] == group != groups[b]} for group in groups.values()}
    depth: dict[frozenset[str], int] = {}

    def layer(group: frozenset[str]) -> int:
        if group not in depth:
            depth[group] = 1 + max(map(layer, below[group]), default=0)
        return depth[group]

    return max(map(layer, below), default=0)


def lines(root: Path) -> dict[str, int]:
    """Return the lines of code of the product and of the tests."""
    product = {file for folder in packages(root).values() for file in folder.rglob("*") if file.suffix in CODE}
    product = {file for file in product if "__pycache__" not in file.parts}
    tests = {file for file in (root / "tests").rglob("*") if file.suffix in CODE and "__pycache__" not in file.parts}
    return {"product": _count(product), "tests": _count(tests)}


def _count(files: set[Path]) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def readmes(root: Path) -> list[tuple[int, str]]:
    """Return the lines of every README and its path, longest first."""
    found = [file for file in root.rglob("README.md") if not _hidden(file.relative_to(root))]
    sizes = [(len(file.read_text(encoding="utf-8").splitlines()), str(file.relative_to(root))) for file in found]
    return sorted(sizes, reverse=True)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def long_test_names(root: Path, most: int = 60) -> Iterator[str]:
    """Give the names of tests that are longer than `most` characters."""
    for file in (root / "tests").rglob("test_*.py"):
        for name in re.findall(r"^\s*(?:async )?def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            if len(name) > most:
                yield name


def flags(root: Path) -> int:
    """Return the number of flags that `sobremesa train --help` lists."""
    own = root / ".venv" / "bin" / "python"
    command = [str(own) if own.exists() else sys.executable, "-m", "sobremesa", "train", "--help"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return len(set(re.findall(r"^\s+(?:-\w, )?(--[\w-]+)", done.stdout, re.MULTILINE)))


def worst(found: dict[str, tuple[int, dict[str, int]]], least: int = 50) -> list[tuple[float, int, str]]:
    """Return rate, count and path of every file of at least `least` words with a habit, the highest rate first."""
    totals = {path: (number, sum(count.values())) for path, (number, count) in found.items() if number >= least}
    return sorted(((10_000 * all_of / number, all_of, path) for path, (number, all_of) in totals.items() if all_of))[
        ::-1
    ]


def main() -> None:
    """Print the measures of one checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="a checkout (default: this one)")
    parser.add_argument("--worst", nargs="?", type=int, const=40, help="list this many files by density (default: 40)")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    found = habits_of(root, list(packages(root).values()))
    if arguments.worst:
        for rate, number, path in worst(found)[: arguments.worst]:
            print(f"{rate:7.0f} in 10,000 words, {number:4}  {path}")
        return
    for name, number in lines(root).items():
        print(f"{name}: {number:,} lines")
    for folder in MEASURED:
        one = shape(root, folder)
        print(f"{folder}: {one.files} files, {one.nodes} nodes, {one.layers} layers, {one.arrows} arrows", end="")
        print(f", circles: {one.circles}" if one.circles else "")
    print("circles of files:", "; ".join(f"{len(one)} ({one[0]}, ...)" for one in file_circles(root)) or "none")
    for name, number in python_lines(root).items():
        print(f"{name}: {number:,} lines of Python, aim {AIMS[name]:,}")
    print("longest README:", "; ".join(f"{name} {size}" for size, name in readmes(root)[:5]))
    print(f"names of tests over 60 characters: {len(list(long_test_names(root)))}")
    print(f"flags in `train --help`: {flags(root)}")
    for name, rate in density(found.values()).items():
        print(f"{name}: {rate:.1f} in 10,000 words")


if __name__ == "__main__":
    main()
