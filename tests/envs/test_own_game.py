"""Games from outside the library: registered by a program, or brought by an installed package."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import gymnasium
import kuhn
import pettingzoo
import pytest
from scale import PLAIN

from sobremesa import agents, envs
from sobremesa.envs.core import plugins
from sobremesa.envs.testing import check_game

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "liars_dice"
BOTS = (kuhn.ALWAYS, kuhn.HIGH)


@pytest.fixture(autouse=True)
def no_other_games(monkeypatch):
    """Start without games from outside, and forget those of the test."""
    envs.games()
    for name in ("_REGISTERED", "_BOTS", "_FAILED"):
        monkeypatch.setattr(envs, name, {})


@pytest.fixture
def installed(monkeypatch):
    """Install packages: modules by the name of their entry points, None for one that is missing."""

    def install(**modules):
        entries = []
        for name, module in modules.items():
            entries.append(EntryPoint(name.replace("_v", "-v"), f"{name}_module", envs.GROUP))
            if module is not None:
                monkeypatch.setitem(sys.modules, f"{name}_module", module)
        monkeypatch.setattr(plugins, "_waiting", lambda _: entries)

    return install


def module_of(**contents):
    module = ModuleType("game")
    vars(module).update(contents)
    return module


def test_a_registered_game_has_ids_and_bots():
    envs.register(kuhn.GAME, bots=BOTS)
    assert agents.names(kuhn.GAME) == ["random", "always", "high"]
    assert agents.load("high", "kuhn") is kuhn.HIGH
    seat = gymnasium.make("sobremesa/kuhn-v1", opponents="always")
    assert seat.reset(seed=1)[1]["action_mask"].sum() == 2
    if hasattr(pettingzoo, "register"):
        assert pettingzoo.make("aec", "sobremesa/kuhn-v1").unwrapped.game is kuhn.GAME


@pytest.mark.parametrize("bots", [(kuhn.HIGH, kuhn.HIGH), (envs.KernelAgent("random", None),)])
def test_bots_with_a_taken_name_are_refused(bots):
    with pytest.raises(ValueError, match=r"kuhn: bots \[.*\] must have names of their own"):
        envs.register(kuhn.GAME, bots=bots)
    assert "kuhn" not in envs.games()


def test_an_installed_game_is_listed_with_its_bots(installed):
    installed(kuhn_v1=module_of(GAME=kuhn.GAME, BOTS=BOTS))
    assert "kuhn" in envs.games()
    assert envs.load("kuhn-v1") is kuhn.GAME
    assert agents.scripted_names(kuhn.GAME) == ["random", "always", "high"]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        (None, "No module named 'bad_v1_module'"),
        (module_of(), "bad_v1_module must be a module with a Game called GAME"),
        (module_of(GAME=kuhn.WITH_ROLES), "the entry point must have the id of its game as its name, 'kuhn-v1'"),
    ],
    ids=["missing", "no game", "another id"],
)
def test_a_broken_package_is_named_and_left_out(installed, capsys, module, why):
    installed(bad_v1=module, kuhn_v1=module_of(GAME=kuhn.GAME))
    assert "kuhn" in envs.games()
    assert "bad" not in envs.games()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert re.match(r"sobremesa: game 'bad-v1' of an unnamed package \(bad_v1_module\) is left out: ", told)
    assert why in told
    with pytest.raises(ValueError, match=r"no game 'bad' .*bad_v1_module.* has it and fails: ") as caught:
        envs.load("bad")
    assert why in str(caught.value)


SCRIPT = """
import sys
from importlib.util import find_spec
from pathlib import Path
import gymnasium, pettingzoo
import liars_dice
import sobremesa
from sobremesa import agents, cli, configs, envs
from sobremesa.agents.arena.leaderboard_file import frozen
from sobremesa.agents.levels import levels
from sobremesa.serve.guides import has_guide
from sobremesa.training.benchmark import tasks

assert envs.load("liars_dice") is liars_dice.GAME
assert agents.names(liars_dice.GAME) == ["random", "simple", "strong", "trained"]
assert configs.path("liars_dice").is_file() and has_guide(liars_dice.GAME) and frozen(liars_dice.GAME)
assert list(levels(liars_dice.GAME)) == ["easy", "hard"]
assert tasks.load("liars_dice-2").deals > 1
seat = gymnasium.make("sobremesa/liars_dice-v1", opponents="strong")
for seed in range(5):
    observation, info = seat.reset(seed=seed)
    over = False
    while not over:
        observation, reward, over, _, info = seat.step(int(info["action_mask"].argmax()))
    assert abs(reward) == 1
if hasattr(pettingzoo, "register"):
    pettingzoo.make("aec", "sobremesa/liars_dice-v1").reset(seed=1)
if find_spec("starlette"):
    from starlette.testclient import TestClient
    from sobremesa.serve.app import make_app
    from sobremesa.serve.tables import Tables
    with TestClient(make_app(Tables(Path(sys.argv[1]))), base_url="http://127.0.0.1:8642") as client:
        assert "/game/liars_dice" in client.get("/").text
        assert client.get("/picture/liars_dice.svg").text.count("<circle") == 5
        assert "Play a guided deal" in client.get("/game/liars_dice").text
assert cli.main(["games"]) == 0
assert cli.main(["rate", "liars_dice", "strong", "--against", "simple", "--deals", "400"]) == 0
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the example and a package that fails to import, as pip installs them."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(EXAMPLE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
    pip += ["--no-deps", "--no-build-isolation", "--no-compile", "--target", folder / "site", folder / "source"]
    subprocess.run(pip, check=True, capture_output=True)
    broken = folder / "site" / "broken_game-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-game\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[sobremesa.games]\nbroken-v1 = not_there\n")
    return folder / "site"


def python(site, *arguments):
    """Run a Python that finds the packages in `site`; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=site, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.thorough
@pytest.mark.skipif(PLAIN, reason="tried compiled")
def test_the_example_is_a_game_like_any_other(site, tmp_path):
    out, err = python(site, "-c", SCRIPT, str(tmp_path))
    assert re.search(r"^liars_dice .*agents: random, simple, strong, trained$", out, re.MULTILINE)
    assert re.search(r"^strong +simple .* yes ", out, re.MULTILINE)
    assert "game 'broken-v1' of package 'broken-game' (not_there) is left out: ModuleNotFoundError" in err
    assert err.count("is left out") == 1


@pytest.mark.thorough
@pytest.mark.skipif(PLAIN, reason="tried compiled")
def test_the_example_passes_its_own_tests(site):
    out, _ = python(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(site.parent / "source" / "tests"))
    assert "8 passed" in out


def test_the_example_passes_every_check(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLE)
    import liars_dice.bots

    found = check_game(liars_dice.GAME, bots=liars_dice.bots.BOTS)
    assert set(found) == {"contract", "secrets", "environments", "bots"}


PAGE = ROOT / "docs" / "own_game.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documents are not here")
def test_the_tutorial_shows_the_files_of_the_example():
    """Each block under the name of a file is an excerpt of that file."""
    text = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^`(\S+)`:\n\n(?:<!-- not run -->\n\n)?```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert {"liars_dice/__init__.py", "pyproject.toml"} < dict(shown).keys()
    for name, block in shown:
        assert block in (EXAMPLE / name).read_text(encoding="utf-8"), name


COPIED = """
import sys
from sobremesa.envs.testing import check_game, rules_hash
sys.path[:0] = ["wild_dice"]
from wild_dice import GAME, bots
check_game(GAME, deals=5, bots=bots.BOTS)
print(GAME.id, rules_hash(GAME))
"""


@pytest.mark.skipif(not PAGE.exists(), reason="the documents are not here")
def test_a_renamed_copy_of_the_example_passes_every_check(tmp_path):
    """The commands of the tutorial make the copy, and its changed rule is another game."""
    text = PAGE.read_text(encoding="utf-8")
    copying = re.search(r"^```console\n(cp -r .*?)^pip install", text, re.MULTILINE | re.DOTALL)[1]
    (tmp_path / "examples").mkdir()
    shutil.copytree(EXAMPLE, tmp_path / "examples" / "liars_dice")
    subprocess.run(["sh", "-e"], input=copying, cwd=tmp_path, text=True, check=True)
    assert [file for file in (tmp_path / "wild_dice").rglob("*") if "liars_dice" in file.name] == []
    rules = tmp_path / "wild_dice" / "wild_dice" / "rules.py"
    old, new = re.search(r"^```diff\n-(.*\n)\+(.*\n)```", text, re.MULTILINE).groups()
    source = rules.read_text(encoding="utf-8")
    assert source.count(old) == 1
    rules.write_text(source.replace(old, new), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COPIED], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, cwd=tmp_path,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wild_dice-v1 ")
    assert "902405947599b545" not in done.stdout


def test_a_game_without_spanish_texts_is_refused():
    words = replace(kuhn.GAME.words, title={"en": "Kuhn"})
    with pytest.raises(ValueError, match=r"^kuhn: words.title has no 'es'; every game has texts in 'en' and 'es'$"):
        replace(kuhn.GAME, words=words)
