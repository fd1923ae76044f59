"""Limits of processor time by control groups of Linux."""

import math
import os

import pytest

from sobremesa import cli
from sobremesa.envs.core.compile import threads


@pytest.fixture
def limited(tmp_path, monkeypatch):
    """Return a function that puts this process into control groups with the files given."""

    def made(mine, files):
        for name, text in files.items():
            (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "groups" / name).write_text(text)
        (tmp_path / "mine").write_text(mine)
        monkeypatch.setattr(threads, "GROUPS", tmp_path / "groups")
        monkeypatch.setattr(threads, "MINE", tmp_path / "mine")

    return made


@pytest.mark.parametrize(
    ("mine", "files", "processors"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "20000 100000\n"}, 0.2),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("3:cpu,cpuacct:/a\n", {"cpu/a/cpu.cfs_quota_us": "5000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 0.05),
        ("3:cpu:/a\n", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, math.inf),
        ("3:memory:/a\n", {"cpu/a/cpu.cfs_quota_us": "1\n", "cpu/a/cpu.cfs_period_us": "2\n"}, math.inf),
        ("no control group\n", {}, math.inf),
    ],
)
def test_the_quota_is_the_least_of_the_groups(limited, mine, files, processors):
    limited(mine, files)
    assert threads.quota() == processors
    assert 1 <= threads.cores() <= max(1, math.ceil(min(processors, 1024)))


def test_a_quota_lets_threads_of_pytorch_wait_quietly(limited, monkeypatch, capsys):
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")  # so that its absence is restored
    monkeypatch.delenv("OMP_WAIT_POLICY")
    limited("0::/\n", {"cpu.max": "max 100000\n"})
    assert cli.main(["games"]) == 0
    assert "OMP_WAIT_POLICY" not in os.environ
    limited("0::/\n", {"cpu.max": "50000 100000\n"})
    assert cli.main(["games"]) == 0
    assert os.environ["OMP_WAIT_POLICY"] == "passive"


def test_steps_do_not_read_the_quota_again(monkeypatch):
    threads._cores.cache_clear()
    read = []
    monkeypatch.setattr(threads, "quota", lambda: read.append(1) or math.inf)
    for count in (1, 4 * threads.SMALLEST_SLICE, 4 * threads.SMALLEST_SLICE):
        threads.run(lambda low, high: None, count, None)
    assert read == [1]
