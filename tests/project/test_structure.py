"""The packages keep their layers: no circles of imports, no more arrows than there are."""

import pytest
from structure import ROOT, packages, shape

LIMITS = {"envs/core": (11, 88), "training": (7, 30), "agents": (6, 46)}  # layers and arrows; fewer is better


@pytest.mark.parametrize("folder", LIMITS)
def test_packages_keep_their_layers(folder):
    found, (layers, arrows) = shape(ROOT, folder), LIMITS[folder]
    assert found.circles == []
    assert found.layers <= layers
    assert found.arrows <= arrows


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
    (tmp_path / "elsewhere" / "low.py").write_text("def late():\n    from top.wing import two\n")
    assert shape(tmp_path, "elsewhere").circles == [["high", "low", "middle", "wing"]]
