"""The map of the house: which package of the library imports which, as its files say; README.md holds it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sobremesa
from sobremesa import agents, configs, envs, training

_ROOMS = "<game>"  # all games look alike from outside, and so do the scripted bots of each
_MODULES = (envs, agents, configs, training, sobremesa)  # each imports itself and those to the left alone


def import_map() -> str:
    """Return a Markdown table of the folders of the library: what each is for, and which others it imports."""
    found: dict[str, set[str]] = {}
    docs: dict[str, str] = {}
    files = sorted(_files())
    packages = {name for name, file in files if file.name == "__init__.py"}
    for name, file in files:
        package = _general(_package(name, packages))
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if name in packages and package not in docs:
            docs[package] = (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".")
        found.setdefault(package, set()).update(_general(_package(one, packages)) for one in _imports(tree))
    docs[_general(f"sobremesa.envs.{envs.games()[0]}")] = "one game: its pieces, rules, views, texts and pictures"
    docs[_general(f"sobremesa.agents.scripted.{envs.games()[0]}")] = "the scripted bots of a game"
    rows = []
    for name in sorted(found, key=_order):
        others = ", ".join(f"`{_short(one)}`" for one in sorted(found[name] - {name}))
        rows.append(f"| `{_short(name)}` | {docs[name]} | {others} |\n")
    return "".join(["| folder | what it is | imports |\n", "|---|---|---|\n", *rows])


def between(text: str, mark: str, table: str, where: str) -> str:
    """Return `text` with `table` between its marks, `<!-- mark -->` and `<!-- /mark -->`.

    Raises ValueError, which says `where` they are missing.
    """
    start, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise ValueError(f"{where} must hold {start.strip()} and {end}, once each")
    return text.split(start)[0] + start + table + end + text.split(end)[1]


def _files() -> Iterator[tuple[str, Path]]:
    """Give each module of the library: its name, and its file."""
    for module in _MODULES:
        top = Path(module.__path__[0])
        for file in top.rglob("*.py"):
            parts = [module.__name__, *file.relative_to(top).with_suffix("").parts]
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def _imports(tree: ast.Module) -> Iterator[str]:
    """Give the names that a file imports from the library, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "sobremesa")


def _package(name: str, packages: set[str]) -> str:
    """Return the package that holds the module or the name called `name`."""
    while name not in packages:
        name = name.rpartition(".")[0]
    return name


@cache
def _general(package: str) -> str:
    """Return `package` with `<game>` for the name of a game and all below it."""
    parts = package.split(".")
    for index, part in enumerate(parts):
        if part in envs.all_games():
            return ".".join([*parts[:index], _ROOMS])
    return package


def _short(package: str) -> str:
    """Return the folder of `package`, as the repository has it."""
    inside = package.removeprefix("sobremesa.").replace(".", "/")
    outside = inside.split("/")[0] in ("envs", "agents", "configs", "training", "sobremesa")
    return inside if outside else f"sobremesa/{inside}"


def _order(package: str) -> tuple[int, bool, bool, str]:
    """Sort by layer; within `envs` the core, then the rooms, then what knows them."""
    tops = [module.__name__ for module in _MODULES]
    layer = next(index for index, top in enumerate(tops) if f"{package}.".startswith(f"{top}."))
    return layer, "core" not in package, _ROOMS not in package, package
