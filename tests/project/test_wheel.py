"""Published packages: the wheels and the sdist are complete, and a wheel installed elsewhere plays."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import split_wheel
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


@pytest.fixture(scope="module")
def published(built, tmp_path_factory):
    """The two wheels that a release publishes: without graphs, and the graphs of the bots."""
    return split_wheel.split(Path(shutil.copy(built[0], tmp_path_factory.mktemp("dist"))))


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


def test_published_wheels_are_small_and_complete(built, published):
    whole, own, bots = (zipfile.ZipFile(path) for path in (built[0], *published))
    assert [path.stat().st_size < limit for path, limit in zip(published, (6e6, 7e6), strict=True)] == [True, True]
    files = [{name for name in one.namelist() if ".dist-info/" not in name} for one in (own, bots)]
    left = set(whole.namelist()) - files[0] - files[1]
    assert {name for name in left if ".dist-info/" not in name} == {
        f"sobremesa/{file.relative_to(ROOT).as_posix()}" for file in ROOT.glob("envs/*/home/rivals/*/policy.onnx")
    }
    assert files[1] == {
        f"sobremesa/{file.relative_to(ROOT).as_posix()}" for file in ROOT.glob("envs/*/home/*/policy.onnx")
    }
    assert not files[0] & files[1]
    assert all(one.read(name) == whole.read(name) for one in (own, bots) for name in files[one is bots])


def test_the_extras_that_play_bots_require_them(published):
    version = PROJECT["project"]["version"]
    names = zip(published, ("sobremesa", "sobremesa_bots"), strict=True)
    own, bots = (zipfile.ZipFile(path).read(f"{name}-{version}.dist-info/METADATA").decode() for path, name in names)
    line = f"\nRequires-Dist: sobremesa-bots=={version}; extra == "
    extras = PROJECT["project"]["optional-dependencies"]
    assert [extra for extra in extras if f'{line}"{extra}"\n' in own] == ["train", "bots"]
    assert f"\nRequires-Dist: sobremesa=={version}\n" in bots


def test_a_wheel_is_split_once(published):
    with pytest.raises(ValueError, match="no graphs of bots; it was split already"):
        split_wheel.split(published[0])


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
for name, where in (("champion", "in the wheel sobremesa_bots; install that"), ("stage_8", "is in no wheel; run pip")):
    try:
        agents.load(name, {game!r})
    except ValueError as error:
        assert where in str(error), error
    else:
        raise AssertionError(name)
"""


def test_an_installed_wheel_plays_from_anywhere(built, published, tmp_path):
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    python, pip = tmp_path / "venv" / "bin" / "python", (sys.executable, "-m", "pip", "--disable-pip-version-check")
    pins = ("-c", ROOT / "constraints.txt") if (ROOT / "constraints.txt").exists() else ()
    run(*pip, "--python", python, "install", "--quiet", "--no-compile", *pins, published[0], cwd=tmp_path)
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
    run(*pip, "--python", python, "install", "--quiet", "--no-compile", "--no-deps", published[1], cwd=tmp_path)
    load = f"from sobremesa import agents; agents.load('champion', {TORO.name!r})"
    done = subprocess.run([python, "-c", load], cwd=elsewhere, capture_output=True, text=True, check=False)
    assert "needs the 'bots' extra" in done.stderr  # its graph is there; onnxruntime is not
    shutil.copytree(built[0].parents[1] / "tree", clone := tmp_path / "clone")
    assert run(python, "-c", "import sobremesa; print(sobremesa.load('kuhn_poker').id)", cwd=clone) == "kuhn_poker-v1\n"
