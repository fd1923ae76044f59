"""Files of a release: the citation, hooks, workflows and images name what exists."""

import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from fresh import ROOT

from sobremesa import cli
from sobremesa.envs.core.compile.private import NEWEST

yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra docs: make setup")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STEP = {"uses", "with", "run", "name"}


def parsed(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_citation_is_of_this_version():
    citation = parsed(ROOT / "CITATION.cff")
    assert {name: citation[name] for name in ("cff-version", "type", "version", "license", "keywords")} == {
        "cff-version": "1.2.0", "type": "software", "version": PROJECT["version"], "license": PROJECT["license"],
        "keywords": PROJECT["keywords"],
    }  # fmt: skip
    assert {"message", "title", "authors"} <= citation.keys()
    assert citation["title"] in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def changes():
    """The section of this version in the changelog, and the lines that are unreleased."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("## Unreleased\n")[2].partition("\n## 0.1.0")[0]


def exists(name):
    """Return whether `name` is a module of the library or a name in the `__all__` of a module."""
    module, _, last = name.rpartition(".")
    if find_spec(module) is None:
        return False
    return last in getattr(import_module(module), "__all__", ()) or find_spec(name) is not None


def test_symbols_in_the_changelog_exist(changes):
    names = set(re.findall(r"`(sobremesa(?:\.\w+)+)", changes))
    assert len(names) > 30
    assert [name for name in names if not exists(name)] == []
    assert not exists("sobremesa.agents.elsewhere")


def test_commands_in_the_changelog_exist(changes):
    parts = [part.split() for part in changes.split("`")[1::2] if part.startswith("sobremesa ")]
    commands = next(action.choices for action in cli._build()._actions if action.choices)
    assert {"serve", "verify"} <= {command for _, command, *_ in parts} <= commands.keys()
    for _, command, *words in parts:
        known = commands[command]._option_string_actions
        assert [word for word in words if word.startswith("--") and word not in known] == [], command


def test_targets_in_the_changelog_exist(changes):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"`make ([a-z-]+)", changes)
    assert "dist" in targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_hooks_run_tools_of_the_environment():
    hooks = [hook for place in parsed(ROOT / ".pre-commit-config.yaml")["repos"] for hook in place["hooks"]]
    assert [hook["id"] for hook in hooks] == ["ruff-check", "ruff-format"]
    for hook in hooks:
        program, *rest = shlex.split(hook["entry"])
        assert (program, hook["language"]) == (".venv/bin/ruff", "system")
        done = subprocess.run([Path(sys.executable).with_name("ruff"), *rest, __file__], check=False)
        assert done.returncode == 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_complete(path):
    workflow = parsed(path)
    assert workflow["name"] == path.stem
    assert workflow[True].keys() <= {"push", "pull_request"}  # YAML reads the key `on` as true
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        assert {job["needs"]} <= workflow["jobs"].keys() if "needs" in job else job["timeout-minutes"] > 0
    for step in steps(workflow):
        assert step.keys() <= STEP
        assert ("run" in step) != ("uses" in step)
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"])  # tags can move


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_the_commands_of_a_workflow_exist(path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = [step["run"] for step in steps(parsed(path)) if "run" in step]
    targets = [shlex.split(command)[-1] for command in commands if command.startswith("make PYTHON=python ")]
    assert targets == [{"publish": "dist"}.get(path.stem, path.stem)]
    assert re.search(rf"^{targets[0]}: ", makefile, re.MULTILINE)
    given = next(step["with"]["python-version"] for step in steps(parsed(path)) if "python" in step.get("uses", ""))
    assert f">={given.split()[-1]}" == PROJECT["requires-python"]  # the last one is `python`


def test_the_newest_numba_allowed_is_one_that_is_tested():
    assert next(one for one in PROJECT["dependencies"] if "numba" in one).endswith(f",<{NEWEST[0]}.{NEWEST[1] + 1}")


def test_the_wheel_is_checked_with_every_stated_python():
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r"Python :: 3\.", one)]
    workflow = parsed(ROOT / ".github" / "workflows" / "release-check.yml")
    given = next(step["with"]["python-version"] for step in steps(workflow) if "python" in step.get("uses", ""))
    assert given.split() == named[::-1]


def test_only_jobs_that_publish_get_a_token():
    jobs = [(path.stem, name, job) for path in WORKFLOWS for name, job in parsed(path)["jobs"].items()]
    with_token = {(stem, name): job for stem, name, job in jobs if "id-token" in job.get("permissions", {})}
    assert {names: job["environment"] for names, job in with_token.items()} == {
        ("docs", "publish"): "github-pages", ("publish", "publish"): "pypi",
    }  # fmt: skip
    assert parsed(ROOT / ".github/workflows/publish.yml")[True] == {"push": {"tags": ["v*"]}}
    assert not [step for path in WORKFLOWS for step in steps(parsed(path)) if "password" in step.get("with", {})]


def test_the_images_install_extras_and_start_commands():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "containers.md").read_text(encoding="utf-8")
    stages = dict(re.findall(r"^FROM \S+ AS (\w+)\n((?:(?!FROM).*\n?)*)", text, re.MULTILINE))
    assert list(stages) == ["wheel", "base", "gpu", "table"]
    for stage in ("gpu", "table"):
        extras = re.search(r'\.whl\)\[([a-z,]+)\]"', stages[stage])[1].split(",")
        assert set(extras) <= PROJECT["optional-dependencies"].keys()
        assert stages[stage].index("USER 1000") < stages[stage].index("CMD")
        words = yaml.safe_load(stages[stage].partition("CMD ")[2])
        assert callable(cli._build().parse_args(words[1:]).run)
    assert "--target gpu" in page
    assert callable(cli._build().parse_args(re.search(r"\bsobremesa (serve .*)", page)[1].split()).run)


@pytest.mark.thorough
def test_two_builds_of_a_commit_are_the_same_bytes(tmp_path):
    builds = []
    for folder in ("one", "another"):
        subprocess.run(["git", "clone", "-q", ROOT, tmp_path / folder], check=True)
        ready = ["-o", ".venv/ready", f"BIN={Path(sys.executable).parent}"]  # this environment, as it is
        subprocess.run(["make", *ready, "dist"], cwd=tmp_path / folder, check=True)
        builds.append({path.name: path.read_bytes() for path in (tmp_path / folder / "dist").iterdir()})
    assert sorted(builds[0]) == sorted(builds[1])
    assert len(builds[0]) == 3
    assert all(builds[0][name] == builds[1][name] for name in builds[0])
