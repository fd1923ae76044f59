"""The cluster with Ray itself: three nodes on this machine, some of them killed; and the files that start a cluster."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import ray_nodes
from rooms import TORO

from sobremesa import __version__, agents, cli
from sobremesa.agents.arena import identity, tournament
from sobremesa.agents.arena.cluster import ClusterError, joined
from sobremesa.agents.arena.schedule import plan
from sobremesa.envs.core.compile.cache import cache_folder
from sobremesa.training.benchmark import sweep

ROOT = Path(__file__).resolve().parents[3]
FILES = ROOT / "configs" / "cluster"

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install -e '.[cluster]'")


def test_the_files_for_ray_up_are_what_ray_takes():
    import jsonschema
    import yaml

    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text(encoding="utf-8"))
    for file in sorted(FILES.glob("*.yaml")):
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        jsonschema.validate(found, schema)
        assert "--include-dashboard=false" in found["head_start_ray_commands"][-1]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(found | {"cluster": "x"}, schema)


def schedule(piece=4, deals=40, **changes):
    given = {"deals": deals, "seed": 3, "piece": piece, "board": "small", "max_rounds": 1, **changes}
    return plan(TORO, ["random", "simple", "strong"], **given)


def rows_of(folder):
    return {file.name: file.read_bytes() for file in Path(folder).glob("rows-*.npz")}  # whole ones


@pytest.mark.thorough
def test_three_nodes_play_what_a_pool_plays_to_the_byte(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("pool", "cluster"):
        tournament.begin(tmp_path / name, schedule())
    tournament.play(tmp_path / "pool", 2)
    bot = shutil.copytree(agents.bot_folders(TORO)["trained"], tmp_path / "bots" / "mine")
    ladder = ["ladder", TORO.name, "bots/mine", "--deals", "6", "--setup", "max_rounds=1"]
    assert cli.main([*ladder, "--json", "one.json"]) == 0
    cells = sweep.plan(["random", "simple", "strong"], ["estafado-fox", "estafado-crow"])[:4]
    assert len(cells) == 4
    here = sweep.play(tmp_path / "cells", cells, "", "", 2)
    lines = []
    with ray_nodes.nodes(3) as cluster:
        with joined(cluster.address, lines.append) as there:
            tournament.play(tmp_path / "cluster", cluster=there)
            far = sweep.play(tmp_path / "far", cells, "", "", cluster=there)
        assert cli.main([*ladder, "--json", "three.json", "--piece", "3", "--cluster", cluster.address]) == 0
        bot.rename(tmp_path / "bots" / "moved")  # played by now: nothing is asked of it
    assert rows_of("pool") == rows_of("cluster")
    assert len(rows_of("pool")) == 30
    assert [one.seal for one in here] == [one.seal for one in far]
    one, three = (json.loads(Path(name).read_text()) for name in ("one.json", "three.json"))
    for ladder in (one, three):
        del ladder["command"]
    assert one == three
    assert sum(int(re.search(r"did ([\d,]+) tasks in", line)[1]) for line in lines if "did" in line) == 34
    assert "CPU hours" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, 1])
def test_killed_workers_and_nodes_neither_lose_nor_repeat_rows(tmp_path, seed):
    tournament.begin(tmp_path / "here", schedule(piece=1))
    tournament.play(tmp_path / "here")
    tournament.begin(tmp_path / "there", schedule(piece=1))
    rng, killed, counted = random.Random(seed), [], []
    moments = set(rng.sample(range(1, 115), 7))
    with ray_nodes.nodes(3) as cluster, joined(cluster.address, print) as there:

        def strike(done, _):
            counted.append(done)
            if done in moments:
                time.sleep(rng.uniform(0, 0.05))
                killed.append(ray_nodes.kill(cluster, rng))

        tournament.play(tmp_path / "there", progress=strike, cluster=there)
    assert len(killed) == 7
    assert set(killed) == {"node", "worker"}
    assert counted == list(range(121))  # each piece once
    assert rows_of(tmp_path / "here") == rows_of(tmp_path / "there")


@pytest.mark.thorough
def test_a_driver_that_is_killed_again_and_again_is_gone_on_with(tmp_path):
    tournament.begin(tmp_path / "here", schedule(piece=1))
    tournament.play(tmp_path / "here")
    folder, rng, killed = tmp_path / "there", random.Random(5), 0
    tournament.begin(folder, schedule(piece=1))
    with ray_nodes.nodes(3) as cluster:
        words = ["arena", "--resume", str(folder), "--cluster", cluster.address]
        while killed < 6:
            enough = len(rows_of(folder)) + rng.randint(1, 15)
            killed += ray_nodes.killed_driver(words, lambda enough=enough: len(rows_of(folder)) >= enough)
        tournament.play(folder, 2)  # by the other engine
    assert rows_of(tmp_path / "here") == rows_of(folder)


@pytest.mark.thorough
def test_a_node_with_another_source_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # Ray's workers look there first
    tournament.begin(tmp_path / "t", schedule(piece=20))
    other = tmp_path / "other" / "sobremesa"
    shutil.copytree(ROOT / "sobremesa", other, ignore=shutil.ignore_patterns("__pycache__"))
    for room in ("envs", "agents", "training", "configs"):
        shutil.copytree(ROOT / room, other / room, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "configs" / "estafado.toml").write_text("changed = true\n")
    first = (
        "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if 'editable___sobremesa' not in "
        "str(getattr(one, '__module__', ''))]\n"
    )
    (tmp_path / "other" / "sitecustomize.py").write_text(first)
    lines = []
    with ray_nodes.nodes(2, env_vars={"PYTHONPATH": str(other.parent)}) as cluster:
        with joined(cluster.address, lines.append) as there:
            tournament.play(tmp_path / "t", cluster=there)
        cluster.remove_node(cluster.worker_nodes.copy().pop())
        tournament.begin(tmp_path / "u", schedule(piece=20))
        refusing = pytest.raises(ClusterError, match="no node of the cluster can play")
        with refusing, joined(cluster.address, lines.append) as there:
            tournament.play(tmp_path / "u", cluster=there)
    refused = [line for line in lines if f"is refused: it has Sobremesa {__version__} of source" in line]
    assert refused, lines
    assert f"(here {__version__} of source {identity.source_digest()[:12]})" in refused[-1]


@pytest.mark.thorough
def test_the_steps_of_the_image_can_start_a_cluster(tmp_path):
    """As the Dockerfile says it, in a clean folder; then a new user's walk by the arena's README."""
    steps = (FILES / "Dockerfile").read_text(encoding="utf-8")
    install = re.search(r"RUN python -m (pip install .*)", steps)[1]
    python, bin_ = tmp_path / "venv" / "bin" / "python", tmp_path / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "source" / name)
    words = install.replace("/opt/sobremesa", str(tmp_path / "source")).replace('"', "").split()
    subprocess.run([python, "-m", *words, "--quiet"], cwd=tmp_path, check=True)
    digest = "from sobremesa.agents.arena.identity import source_digest; print(source_digest())"
    done = subprocess.run([python, "-c", digest], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == identity.source_digest()
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    env |= {"PATH": f"{bin_}:{os.environ['PATH']}", "RAY_USAGE_STATS_ENABLED": "0", "HOME": str(tmp_path)}
    env |= {"SOBREMESA_CACHE_DIR": str(cache_folder())}
    subprocess.run([bin_ / "ray", "get-auth-token", "--generate"], env=env, capture_output=True, check=True)
    small = ["--num-cpus=1", "--object-store-memory=100000000", "--port=6391"]
    subprocess.run([bin_ / "ray", "start", "--head", "--include-dashboard=false", *small], env=env, check=True)
    try:
        play = ["arena", TORO.name, "random", "simple", "--deals", "20", "--piece", "5", "--out", "t", "--cluster"]
        words = [bin_ / "sobremesa", *play, "127.0.0.1:6391"]
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "did 4 tasks in" in done.stderr
        assert "Ratings, random#" in done.stdout
    finally:
        subprocess.run([bin_ / "ray", "stop"], env=env, check=True)
