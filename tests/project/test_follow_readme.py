"""The tool that follows the README on a slow machine: its steps, its limits, and what it takes for a fault."""

import follow_readme
import pytest
from follow_readme import Ended, fault, limits_of, steps
from structure import ROOT

TRAIN, RATE, GAMES = (["bash", "-c", f"sobremesa {words}"] for words in ("train x", "rate x bots/mine", "games"))
BLOCK = ["python", "-c", "from sb3_contrib import MaskablePPO"]


def test_every_command_and_block_of_the_readme_is_a_step():
    found = [words[-1] for words in steps((ROOT / "README.md").read_text(encoding="utf-8"), 7)]
    assert [one for one in found if one.startswith("sobremesa train") and one.endswith(" --minutes 7")]
    assert [one for one in found if "env.agent_iter()" in one]
    assert not [one for one in found if "#" in one.splitlines()[0].partition("import")[0]]


@pytest.mark.parametrize(
    ("words", "code", "output", "trains", "wrong"),
    [
        (GAMES, 0, "a", False, False),
        (GAMES, 2, "late", False, True),
        (TRAIN, 0, "a", True, False),
        (TRAIN, 0, "a", False, True),
        (TRAIN, 2, "it needs the 'train' extra", False, False),
        (TRAIN, 2, "no such thing", False, True),
        (TRAIN, 2, "Traceback\nthe 'train' extra", False, True),
        (RATE, 2, "bots/mine: no bot", False, False),
        (RATE, 2, "bots/mine: no bot", True, True),
        (BLOCK, 1, "Traceback\nModuleNotFoundError", False, False),
        (BLOCK, 1, "Traceback\nModuleNotFoundError", True, True),
    ],
)
def test_a_step_that_ends_in_another_way_is_a_fault(words, code, output, trains, wrong):
    assert bool(fault(words, Ended(code, 1.0, 1.0, output), trains)) is wrong


@pytest.mark.parametrize("version", [1, 2])
def test_control_groups_of_both_versions_have_the_limits(version, tmp_path, monkeypatch):
    monkeypatch.setattr(follow_readme, "GROUPS", tmp_path)
    if version == 2:
        (tmp_path / "cgroup.controllers").touch()
    found = limits_of(tmp_path / ".", quota=10, memory=2**31, disk=1000)
    values = {value for limits in found.values() for value in limits.values()}
    assert str(2**31) in values
    assert len(found) == (3 if version == 1 else 1)
    assert any(value.split()[0] == "10000" for value in values)
