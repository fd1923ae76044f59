"""`make data`: the same arguments give the same bytes, and an interrupted run continues."""

import json
import zipfile

import published_data as data
import pytest

from sobremesa.agents.arena import replay
from sobremesa.report import results

KUHN = ("--games", "kuhn_poker", "--levels", "random", "simple", "--episodes", "7", "--seed", "5", "--only", "replays")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(data, "PART", 3)


def files(out):
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*.zip"))}


def manifest(out):
    return json.loads((out / "data.json").read_text(encoding="utf-8"))


def test_the_same_arguments_give_the_same_bytes(tmp_path, capsys):
    for name in ("one", "two"):
        assert data.main([*KUHN, "--out", str(tmp_path / name)]) == 0
    found = files(tmp_path / "one")
    assert found == files(tmp_path / "two")
    assert list(found)[:2] == ["replays/kuhn_poker/random/00005-00007.zip", "replays/kuhn_poker/random/00008-00010.zip"]
    assert len(found) == 6
    assert "kuhn_poker-v1 simple: " in capsys.readouterr().out
    assert data.main([*KUHN, "--seed", "6", "--out", str(tmp_path / "three")]) == 0
    assert files(tmp_path / "three").keys() != found.keys()


def test_the_manifest_has_the_files_and_their_origin(tmp_path):
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    found = manifest(tmp_path)
    assert found["settings"]["seed"] == 5
    assert list(found["settings"]["agents"]) == ["kuhn_poker-v1 random", "kuhn_poker-v1 simple"]
    stated = {name: file["sha256"] for one in found["sets"].values() for name, file in one["files"].items()}
    assert {name: data.hashlib.sha256(content).hexdigest() for name, content in files(tmp_path).items()} == stated
    for key, one in found["sets"].items():
        played = list(data.unpack([tmp_path / name for name in sorted(one["files"])]))
        assert [replay_of.seed for replay_of in played] == list(range(5, 12))
        assert sum(len(replay_of.actions) for replay_of in played) == one["decisions"]
        assert all(replay_of.agents == (key.split("/")[1],) * 2 for replay_of in played)
        for replay_of in played:
            replay.verify(replay_of)


def test_an_interrupted_run_continues(tmp_path, monkeypatch, capsys):
    played, record_many = [], replay.record_many

    def interrupted(game, seated, seeds):
        played.append(seeds)
        if len(played) == 3:
            raise KeyboardInterrupt
        return record_many(game, seated, seeds)

    monkeypatch.setattr(data.replays, "record_many", interrupted)
    assert data.main([*KUHN, "--out", str(tmp_path / "one")]) == 130
    assert "the same command continues" in capsys.readouterr().err
    assert len(files(tmp_path / "one")) == 2
    assert data.main([*KUHN, "--out", str(tmp_path / "one")]) == 0
    assert len(played) == 3 + 4
    assert data.main([*KUHN, "--out", str(tmp_path / "two")]) == 0
    assert files(tmp_path / "one") == files(tmp_path / "two")
    one, two = (manifest(tmp_path / name)["sets"] for name in ("one", "two"))
    assert [found["files"] for found in one.values()] == [found["files"] for found in two.values()]


def test_a_lost_file_is_played_again(tmp_path):
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    before, decisions = files(tmp_path), manifest(tmp_path)["sets"]["kuhn_poker/random"]["decisions"]
    (tmp_path / next(iter(before))).unlink()
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    assert files(tmp_path) == before
    assert manifest(tmp_path)["sets"]["kuhn_poker/random"]["decisions"] == decisions


def test_without_minari_the_replays_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(data, "has_minari", lambda: False)
    words = [word for word in KUHN if word not in ("--only", "replays")]
    assert data.main([*words, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("pip install '.[minari]'") == 2
    assert len(files(tmp_path)) == 6


def test_other_settings_and_agents_are_refused(tmp_path, capsys):
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    more = [word.replace("random", "strong") for word in KUHN]  # another level may be added
    assert data.main([*more, "--out", str(tmp_path)]) == 0
    assert data.main([*KUHN, "--episodes", "8", "--out", str(tmp_path)]) == 2
    assert "has data of --episodes 7, not 8" in capsys.readouterr().err
    assert data.main([*KUHN, "--levels", "champion", "--out", str(tmp_path / "new")]) == 2
    assert "champion" in capsys.readouterr().err
    changed = manifest(tmp_path)
    changed["settings"]["rules"]["kuhn_poker-v1"] = "0" * 16
    (tmp_path / "data.json").write_text(json.dumps(changed), encoding="utf-8")
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 2
    assert "has data of other rules (kuhn_poker-v1)" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        data.main([*KUHN, "--episodes", "0"])


def test_the_published_rows_are_those_of_the_manifest(tmp_path):
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    found = manifest(tmp_path)
    (head, *rows), note = results.shown(data.published(found), "data/sets")
    assert note == ""
    assert [row[:3] for row in rows] == [["`kuhn_poker`", "`random`", "7"], ["`kuhn_poker`", "`simple`", "7"]]
    one = found["sets"]["kuhn_poker/simple"]
    assert rows[1][head.index("digest")] == f"`{data.digest_of(one, 'replays')}`"
    file = next(iter(one["files"].values()))
    file["sha256"] = "0" * 64
    assert data.published(found).rows[1]["cells"][6] != rows[1][head.index("digest")]


def test_no_link_or_time_of_the_machine_is_in_a_zip_file(tmp_path):
    assert data.main([*KUHN, "--out", str(tmp_path)]) == 0
    for file in tmp_path.rglob("*.zip"):
        with zipfile.ZipFile(file) as archive:
            assert {entry.date_time for entry in archive.infolist()} == {data.EARLIEST}
