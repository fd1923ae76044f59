"""The packages keep their layers: no circles of imports, no more arrows than there are."""

import pytest
from structure import AIMS, ROOT, file_circles, modules, packages, python_lines, shape, untyped

LIMITS = {"envs/core": (11, 94), "training": (7, 30), "agents": (6, 47)}  # layers and arrows; fewer is better
# Lines of Python today; a part that is above its aim (structure.AIMS) may not grow, so these only fall.
LARGEST = {
    "bandido_alcatraz": 5_161, "corre_el_encierro": 4_800, "erase_una_vez": 9_076, "ese_toro_enamorado": 4_800,
    "estafado": 4_895, "generic": 49_927, "product": 76_536, "tests": 73_967,
}  # fmt: skip


@pytest.mark.parametrize("folder", LIMITS)
def test_packages_keep_their_layers(folder):
    found, (layers, arrows) = shape(ROOT, folder), LIMITS[folder]
    assert found.circles == []
    assert found.layers <= layers
    assert found.arrows <= arrows


def test_files_do_not_import_each_other():
    assert file_circles(ROOT) == []


def test_parts_grow_no_larger():
    found = python_lines(ROOT)
    print(*(f"{name}: {number:,} lines, aim {AIMS[name]:,}" for name, number in found.items()), sep="\n")
    assert {name: number for name, number in found.items() if number > LARGEST[name]} == {}


def test_functions_that_are_no_kernels_have_types():
    """Numba infers the types of kernels, so mypy exempts their modules; this holds for all other functions."""
    assert [one for file in modules(ROOT).values() for one in untyped(file)] == []


def test_a_function_without_types_is_found(tmp_path):
    file = tmp_path / "some.py"
    file.write_text(
        "@kernel\ndef a(x):\n    def b(y): ...\n\ndef c(x: int): ...\nclass D:\n    def e(self, x) -> int: ...\n"
    )
    assert [one.split()[-1] for one in untyped(file)] == ["c", "e"]


def test_every_package_listed_exists():
    assert all((folder / "__init__.py").is_file() for folder in packages(ROOT).values())


def test_a_circle_and_a_long_chain_are_found(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.setuptools]\npackages = ["top", "top.wing"]\n[tool.setuptools.package-dir]\n"top" = "elsewhere"\n'
    )
    files = {
        "__init__": "", "low": "", "middle": "from top import low\n", "high": "import top.middle\n",
        "wing/__init__": "", "wing/one": "from top.high import name\n", "wing/two": "from top.wing import one\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / "elsewhere" / name).with_suffix(".py").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "elsewhere" / name).with_suffix(".py").write_text(text)
    found = shape(tmp_path, "elsewhere")
    assert (found.nodes, found.layers, found.arrows, found.circles) == (4, 4, 3, [])
    assert file_circles(tmp_path) == []
    (tmp_path / "elsewhere" / "low.py").write_text("def late():\n    from top.wing import two\n")
    assert shape(tmp_path, "elsewhere").circles == [["high", "low", "middle", "wing"]]
    assert file_circles(tmp_path) == [["top.high", "top.low", "top.middle", "top.wing.one", "top.wing.two"]]
