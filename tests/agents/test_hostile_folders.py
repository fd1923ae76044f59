"""Unknown folders: names stay inside, only regular files of bounded size are read, an error is one line."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_line import one_line, sobremesa
from rooms import TORO

from sobremesa import agents
from sobremesa.agents.arena import dataset, replay, tournament
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.exact.solved import load_solved
from sobremesa.agents.exported import load_bot
from sobremesa.agents.named import named
from sobremesa.envs.core import files
from sobremesa.envs.core.files import locked, open_inside, read_file, read_inside, write_whole
from sobremesa.envs.erase_una_vez import table_files
from sobremesa.report import gallery
from sobremesa.training.benchmark import cells, exactness, published
from sobremesa.training.runs import averaging, checkpoint, run

MOST = 100  # bytes


def _pipe(path):
    os.mkfifo(path)


def _huge(path):
    with path.open("wb") as file:
        file.truncate(2**42)  # takes no room


def _link_out(path):
    (path.parent.parent / "outside").write_bytes(b"secret")
    path.symlink_to(path.parent.parent / "outside")


ODD = {
    "pipe": _pipe,
    "huge": _huge,
    "folder": Path.mkdir,
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link out": _link_out,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "noise": lambda path: path.write_bytes(np.random.default_rng(1).bytes(1_000)),
    "nothing in it": Path.touch,
}
odd = pytest.mark.parametrize("kind", ODD)


def spoil(path, kind):
    """Put something odd in the place of `path`."""
    if path.exists():
        path.unlink()
    ODD[kind](path)


# The reader.


@odd
def test_what_is_no_regular_small_file_inside_is_refused(kind, tmp_path):
    spoil(tmp_path / "file", kind)
    if kind == "nothing in it":
        assert read_inside(tmp_path, "file", MOST) == b""
        return
    with pytest.raises(OSError) as refused:
        read_inside(tmp_path, "file", MOST)
    assert refused.value.strerror
    if kind != "link out":  # which a user may name
        with pytest.raises(OSError):
            read_file(tmp_path / "file", MOST)
    with pytest.raises(OSError):
        files.digest_inside(tmp_path, "file", MOST)


@pytest.mark.parametrize("name", ["/dev/zero", "../outside", "a/../../outside", "", ".", "a\\b", "a\0b", "linked/file"])
def test_names_stay_inside_their_folder(name, tmp_path):
    (tmp_path / "outside").write_bytes(b"secret")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_bytes(b"secret")
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    (folder / "linked").symlink_to(tmp_path / "there")
    with pytest.raises(OSError):
        open_inside(folder, name)


def test_a_folder_that_is_a_link_itself_is_read(tmp_path):
    (tmp_path / "there" / "deep").mkdir(parents=True)
    (tmp_path / "there" / "deep" / "file").write_bytes(b"x" * MOST)
    (tmp_path / "here").symlink_to("there")
    assert read_inside(tmp_path / "here", "deep/file", MOST) == b"x" * MOST


@pytest.mark.parametrize("kind", ["pipe", "link out"])
def test_locks_and_partial_files_are_not_written_through_links(kind, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    spoil(folder / "lock", kind)
    with pytest.raises(OSError), locked(folder / "lock", ValueError("taken")):
        pass
    spoil(folder / f"file.{os.getpid()}.partial", kind)
    write_whole(folder / "file", "mine")
    assert (folder / "file").read_text() == "mine"
    outside = tmp_path / "outside"
    assert not outside.exists() or outside.read_bytes() == b"secret"


# The folders.


def _tournament(folder):
    tournament.begin(folder, plan(TORO, ("random", "simple"), deals=1, board="small", max_rounds=1))
    tournament.play(folder)


def _weights(folder):
    averaging.mean_weights([run.checkpoint(folder, "best")])


def _deal(folder):
    random = agents.load("random", TORO)
    found = replay.record(TORO, [random] * 2, 1, seats=2, board="small", max_rounds=1)
    replay.write(folder / "deal.json", found)
    dataset.write(folder / "deals.npz", [found])


READERS = {  # by file: what reads its folder
    "run/run.json": run.read,
    "run/config.toml": run.read,
    "run/best.safetensors": _weights,
    "bot/bot.json": load_bot,
    "bot/policy.onnx": load_bot,
    "arena/arena.json": tournament.read,
    "arena/rows-000000.npz": tournament.read,
    "cells/cell.json": cells.read,
    "cells/results.json": published.records,
    "cells/exact.json": lambda folder: exactness.records(folder),
    "deal/deal.json": lambda folder: replay.read(folder / "deal.json"),
    "deal/deals.npz": lambda folder: dataset.read(folder / "deals.npz", TORO),
    "deal/policy.npz": lambda folder: load_solved(named(f"solved:{folder / 'policy.npz'}")),
    "deal/gallery.json": gallery.read,
    "tables/facts.csv": table_files.read,
}


@pytest.fixture(scope="module")
def stranger(tiny_run, tiny_bot, tmp_path_factory):
    """A folder with folders of all kinds."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copytree(tiny_run, folder / "run")
    shutil.copytree(tiny_bot, folder / "bot")
    shutil.copytree(table_files.DATA, folder / "tables")
    (folder / "cells").mkdir()
    (folder / "deal").mkdir()
    _tournament(folder / "arena")
    _deal(folder / "deal")
    return folder


@pytest.mark.parametrize("name", READERS)
def test_an_odd_file_in_any_folder_is_refused_in_a_line(name, stranger, tmp_path):
    for kind in ODD:
        if name == "tables/facts.csv" and kind == "nothing in it":
            continue  # there may be no facts
        (tmp_path / kind).mkdir()
        folder = shutil.copytree(stranger / name.split("/")[0], tmp_path / kind / "folder")
        spoil(folder / name.split("/")[1], kind)
        with pytest.raises((ValueError, OSError)) as refused:
            READERS[name](folder)
        words = f"{refused.value}\n"
        assert "secret" not in words
        assert len(words) < 2_000


# Checkpoints.


def _latest(folder):
    return max((folder / "checkpoints").glob("*.json"))


def _reseal(path, change, content=None):
    """Rewrite the numbers of a checkpoint, with the digest of `content`, and seal them again."""
    numbers = json.loads(path.read_text())
    numbers.pop("seal")
    change(numbers)
    if content is not None:
        path.with_suffix(".safetensors").write_bytes(content)
        numbers["sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(json.dumps(numbers | {"seal": checkpoint._seal(numbers)}))


@pytest.fixture
def interrupted(tiny_run, tmp_path):
    """A copy of a run that goes on if it is sound, with one checkpoint."""
    folder = shutil.copytree(tiny_run, tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    for path in sorted((folder / "checkpoints").iterdir()):
        if path.stem != _latest(folder).stem:
            path.unlink()
    return folder


def _header(text):
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\xff" * 100, _header(b"{}")[:-1], _header(b'{"a": 1}'), _header(b"[]"), (2**60).to_bytes(8, "little"),
        _header(b'{"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}') + b"ab",
        _header(b'{"a": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}') + b"a",
        _header(b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}}') + b"abcd",
        _header(b'{"policy.a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}') + b"abcd",
    ],
)  # fmt: skip
def test_a_broken_checkpoint_with_a_valid_digest_is_one_line(content, interrupted, capsys):
    _reseal(_latest(interrupted), lambda numbers: None, content)
    assert sobremesa("train", "--resume", interrupted) == 2
    one_line(capsys.readouterr().err)
    (interrupted / "best.safetensors").write_bytes(content)
    assert sobremesa("export", interrupted, "-o", interrupted.parent / "bot") == 2
    one_line(capsys.readouterr().err)
    assert sobremesa("export", interrupted, "-o", interrupted.parent / "bot", "--average", interrupted) == 2
    one_line(capsys.readouterr().err)


@pytest.mark.parametrize("name", ["../../../../dev/zero", "/dev/zero", "pool/../../outside", "pipe", "linked"])
def test_files_beside_a_checkpoint_lie_in_the_run(name, interrupted, capsys):
    _pipe(interrupted / "pipe")
    (interrupted / "linked").symlink_to("/dev/zero")
    _reseal(_latest(interrupted), lambda numbers: numbers["beside"].update({name: "0" * 64}))
    assert sobremesa("train", "--resume", interrupted) == 2
    assert "no checkpoint to resume from" in one_line(capsys.readouterr().err)


def test_the_folder_of_checkpoints_is_no_link(interrupted, tmp_path, capsys):
    (interrupted / "checkpoints").rename(tmp_path / "elsewhere")
    (interrupted / "checkpoints").symlink_to(tmp_path / "elsewhere")
    assert sobremesa("train", "--resume", interrupted) == 2
    assert "it is a link" in one_line(capsys.readouterr().err)


@pytest.mark.parametrize("steps", ["../../../../outside", -1.5, None])
def test_a_snapshot_is_named_by_a_number(steps, interrupted, capsys):
    def change(numbers):
        members = numbers["pool"]["members"]
        members[0] = {**next(one for one in members if one), "steps": steps}

    _reseal(_latest(interrupted), change)
    assert sobremesa("train", "--resume", interrupted) == 2
    one_line(capsys.readouterr().err)
