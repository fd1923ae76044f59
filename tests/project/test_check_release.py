"""The tool that checks a wheel in empty environments: what it asks for, and what it takes for a fault."""

import platform
import sys
import zipfile

import check_release
import pytest

METADATA = """Metadata-Version: 2.4
Name: sobremesa
Version: 1.0.0
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3.1
Classifier: Programming Language :: Python :: {version}
Requires-Dist: numpy>=2.1
Provides-Extra: render
Requires-Dist: pillow>=11; extra == "render"
Requires-Dist: pygame>=2.6; python_version < "3.14" and extra == "render"
"""
HERE = ".".join(platform.python_version_tuple()[:2])


@pytest.fixture
def wheel(tmp_path):
    """A wheel that cannot be installed: it has metadata only."""
    path = tmp_path / "sobremesa-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("sobremesa-1.0.0.dist-info/METADATA", METADATA.format(version=HERE))
    return path


@pytest.mark.parametrize(
    ("extras", "wanted"),
    [
        ("", ["numpy>=2.1"]),
        ("bots", ["numpy>=2.1"]),
        ("bots,render", ["numpy>=2.1", "pillow>=11", 'pygame>=2.6; python_version < "3.14"']),
    ],
)
def test_dependencies_of_extras_are_direct(wheel, extras, wanted):
    assert check_release.direct(check_release.metadata(wheel), extras) == wanted


def test_pythons_are_those_of_the_classifiers(wheel):
    found = check_release.pythons(check_release.metadata(wheel))
    assert list(found) == ["3.1", HERE]
    assert not found["3.1"]
    assert check_release.run([found[HERE], "-V"], wheel.parent) == (0, f"Python {platform.python_version()}\n")


def test_every_set_of_extras_has_commands():
    assert {one for extras in check_release.SETS for one in extras.split(",")} == check_release.COMMANDS.keys()


def test_a_wheel_that_cannot_be_installed_is_a_fault(wheel, capsys, monkeypatch):
    monkeypatch.setattr(check_release, "uv_of", lambda folder: "false")
    given = [str(wheel), "--python", sys.executable, "--versions", "newest", "--extras", ""]
    assert check_release.main(given) == 1
    out = capsys.readouterr().out
    assert "FAULT: exit 1: false venv" in out
    assert f"| {platform.python_version()} | newest | none | failed |  |" in out


def test_lowest_dependencies_are_those_of_the_extras(wheel, tmp_path):
    lowest = check_release.install_steps("python3", wheel, "render", "lowest", "uv", tmp_path)[1]
    assert lowest[lowest.index("--resolution") + 1] == "lowest-direct"
    assert {"numpy>=2.1", "pillow>=11", f"sobremesa[render] @ {wheel.as_uri()}"} < set(lowest)


def test_a_missing_wheel_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        check_release.main([str(tmp_path / "none.whl")])
    assert "make dist builds it" in capsys.readouterr().err
