"""Published packages: the wheel and the sdist are complete, and a wheel installed elsewhere plays."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from rooms import TORO

from sobremesa import agents, configs, envs

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "sobremesa", "envs", "agents", "training", "configs",
)  # fmt: skip
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = sorted(file.parent.name for file in (ROOT / "envs").glob("*/__init__.py") if file.parent.name != "core")


def run(*command, cwd):
    """Run a command from `cwd` without what this process has set up for Python; return what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist, built from a copy of what is published."""
    for needed in ("build", "setuptools", "wheel"):
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("built")
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tree / name)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, tree, cwd=folder)
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


def library():
    """Return every file of the library by its path in the repository, without `configs/{cluster,recipes}`."""
    for folder in ("sobremesa", "envs", "agents", "training", "configs"):
        for file in (ROOT / folder).rglob("*"):
            if not {"cluster", "recipes"} & set(file.parts) and file.suffix in (
                ".py",
                ".toml",
                ".md",
                ".typed",
                ".json",
                ".onnx",
                ".csv",
                ".svg",
                ".j2",
                ".css",
                ".js",
            ):
                yield file.relative_to(ROOT).as_posix()


def test_the_wheel_holds_all_of_the_library_and_nothing_else(built):
    wheel = zipfile.ZipFile(built[0])
    assert built[0].stat().st_size < 20e6, "bytes; most of them are exported bots"
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    wanted = {name if name.startswith("sobremesa/") else f"sobremesa/{name}" for name in library()}
    assert {"sobremesa/py.typed", "sobremesa/cli.py", "sobremesa/envs/core/api/match.py"} <= wanted
    assert {f"sobremesa/{configs.path(name).relative_to(ROOT)}" for name in configs.names()} <= wanted
    assert {f"sobremesa/envs/{room}/home/trained/policy.onnx" for room in envs.games()} <= wanted
    assert {f"sobremesa/envs/{room}/README.md" for room in ROOMS} <= wanted
    assert wanted - names == set()
    assert names - wanted == set()
    assert all((ROOT / name).read_bytes() == wheel.read(name) for name in names if name.startswith("sobremesa/sob"))


def test_the_wheel_says_what_it_is(built):
    wheel = zipfile.ZipFile(built[0])
    meta = next(wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA"))
    assert f"\nVersion: {PROJECT['project']['version']}\n" in meta
    assert all(f"Provides-Extra: {extra}\n" in meta for extra in PROJECT["project"]["optional-dependencies"])
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_the_sdist_can_be_built_again(built):
    with tarfile.open(built[1]) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert set(library()) - names == set()
    assert {"pyproject.toml", "README.md", "LICENSE"} <= names


PLAY = """
import sys
from importlib.metadata import distributions
import sobremesa
from sobremesa import agents

assert "site-packages" in sobremesa.__file__, sobremesa.__file__
installed = {{one.name.lower() for one in distributions()}}
assert "numba" in installed
assert not {{"torch", "onnxruntime", "matplotlib"}} & installed, installed
env = sobremesa.make({game!r})
env.reset(seed=3)
plies = 0
while not all(env.terminations.values()):
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(int(mask.nonzero()[0][-1]))
    plies += 1
print(plies, sum(env.rewards.values()), agents.names(sobremesa.load({game!r})))
"""


def test_an_installed_wheel_plays_from_anywhere(built, tmp_path):
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    python, pip = tmp_path / "venv" / "bin" / "python", (sys.executable, "-m", "pip", "--disable-pip-version-check")
    pins = ("-c", ROOT / "constraints.txt") if (ROOT / "constraints.txt").exists() else ()
    run(*pip, "--python", python, "install", "--quiet", "--no-compile", *pins, built[0], cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "sobremesa").mkdir(parents=True)  # a folder of that name beside it is not taken for the library
    plies, paid, *names = run(python, "-c", PLAY.format(game=TORO.name), cwd=elsewhere).split(maxsplit=2)
    assert int(plies) > 4
    assert float(paid) == 0
    assert names == [f"{agents.names(TORO)}\n"]
    assert run(tmp_path / "venv" / "bin" / "sobremesa", "games", cwd=elsewhere).startswith(ROOMS[0])
    seen = run(python, "-m", "sobremesa", "watch", TORO.name, "simple", "random", "--seed", 1, cwd=elsewhere)
    assert "--seed 1" in seen
    assert [file.name for file in elsewhere.rglob("*")] == ["sobremesa"]
    shutil.copytree(built[0].parents[1] / "tree", clone := tmp_path / "clone")
    assert run(python, "-c", "import sobremesa; print(sobremesa.load('kuhn_poker').id)", cwd=clone) == "kuhn_poker-v1\n"
