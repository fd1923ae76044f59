"""Names in the files of strangers: no loader runs, writes or contacts anything because of a name alone."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "support" / "strange_names.py"


def reported(folder, *words):
    """Return the report of the script, in a process of its own."""
    ended = subprocess.run([sys.executable, "-P", SCRIPT, folder, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2_000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_no_name_sets_anything_off(tmp_path):
    found = reported(tmp_path)
    assert not found["found"], f"{len(found['found'])} events, such as {found['found'][:5]}"
    assert not found["ran"]
    assert found["calls"] > 50 * found["names"]
    for door in ("gate_and_load", "outside_cell", "agent_cell", "tournament", "server"):
        assert found["refused"][f"{door}: NotAllowed"] > found["names"]


def test_a_loader_that_splits_names_is_reported(tmp_path):
    found = reported(tmp_path, "split")
    assert [one for one in found["found"] if one[1] == "exec"]
    assert found["ran"]
