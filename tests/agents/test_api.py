"""The declared API of agents: documented, typed, light to import, and all that the documents import."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sobremesa import agents
from sobremesa.agents import trainers

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("onnx", "onnxruntime", "torch", "ray", "minari")
FUNCTIONS = [name for name in agents.__all__ if inspect.isfunction(getattr(agents, name))]


@pytest.mark.parametrize("name", [name for name in agents.__all__ if not name.isupper()])
def test_public_names_have_docstrings(name):
    assert inspect.getdoc(getattr(agents, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_typed(name):
    signature = inspect.signature(getattr(agents, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())


def test_names_are_listed_once():
    assert len(set(agents.__all__)) == len(agents.__all__)


def test_import_loads_no_heavy_package():
    code = f"import sys, sobremesa.agents; print([one for one in {HEAVY} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("page", sorted((ROOT / "agents").rglob("*.md")), ids=lambda page: page.name)
def test_pages_import_the_declared_names_only(page):
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sobremesa.agents"):
                declared = {"sobremesa.agents": agents.__all__, "sobremesa.agents.trainers": trainers.__all__}
                assert {one.name for one in node.names} <= set(declared[node.module])
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "agents":
                assert node.attr in agents.__all__
