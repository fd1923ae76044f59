"""The declared API: `sobremesa`, `sobremesa.envs` and the trainers export what the documentation uses."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import sobremesa
from sobremesa import envs
from sobremesa.agents import trainers
from sobremesa.agents.trainers import trl
from sobremesa.envs import testing

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "envs" / "README.md", ROOT / "docs" / "own_game.md"]
MODULES_DECLARED = (sobremesa, envs, testing, trainers, trl)
OPENENV = ROOT / "agents" / "trainers" / "openenv.py"  # read, not imported: it needs a package that clashes with others
DECLARED = {module.__name__: module.__all__ for module in MODULES_DECLARED} | {
    "sobremesa.agents.trainers.openenv": re.search(r"^__all__ = (.*)$", OPENENV.read_text("utf-8"), re.MULTILINE)[1]
}
MODULES = pytest.mark.parametrize("module", MODULES_DECLARED, ids=lambda module: module.__name__)


def kernel(value):
    """Tell kernels from other functions, also where nothing is compiled."""
    return hasattr(value, "py_func") or getattr(value, "__module__", "") == "sobremesa.envs.core.chance"


def sources():
    """Return the Python of the documentation: blocks of pages, and the files of the example, by name."""
    for page in PAGES:
        for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)):
            yield f"{page.name} {number}", block
    for file in (ROOT / "examples").rglob("*.py"):
        yield file.name, file.read_text("utf-8")


def imported(code):
    """Return (module, name) for each import of the library in `code`; the name is "" for a whole module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("sobremesa"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sobremesa"):
            yield from ((node.module, alias.name) for alias in node.names)


@MODULES
def test_declared_names_exist_once_and_are_documented(module):
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value):
            assert inspect.getdoc(getattr(value, "py_func", value)), name


@MODULES
def test_declared_functions_have_types(module):
    functions = [one for name in module.__all__ if inspect.isfunction(one := getattr(module, name)) and not kernel(one)]
    for function in functions:
        given = inspect.signature(function)
        untyped = [one.name for one in given.parameters.values() if one.annotation is inspect.Parameter.empty]
        assert not untyped, function.__name__
        assert given.return_annotation is not inspect.Signature.empty, function.__name__


def test_documentation_imports_declared_names_only():
    found = [(name, *one) for name, code in sources() for one in imported(code)]
    assert len(found) > 15
    for where, module, name in found:
        submodule = f"{module}.{name}" in {"sobremesa.envs", "sobremesa.agents"}
        assert submodule or not name or name in DECLARED.get(module, ()), f"{where}: {module}.{name}"
