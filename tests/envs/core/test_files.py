"""Atomic writes and file locks."""

import argparse
import errno
import os

import pytest

from sobremesa.arguments import check_folders
from sobremesa.envs.core import files


def test_a_write_that_fails_names_the_file_and_leaves_nothing(tmp_path):
    path = tmp_path / "none" / "it.json"
    with pytest.raises(FileNotFoundError) as told:
        files.write_whole(path, "{}")
    assert str(told.value) == f"[Errno 2] No such file or directory: '{path}'"
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as told:
        files.write_whole(tmp_path / "folder", "{}")
    assert str(told.value) == f"[Errno 21] Is a directory: '{tmp_path / 'folder'}'"
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(files.fcntl is None, reason="this system has no such locks")
def test_a_file_system_without_locks_keeps_nobody_out(tmp_path, monkeypatch):
    with files.locked(tmp_path / "lock", ValueError("taken")):
        with pytest.raises(ValueError, match="taken"), files.locked(tmp_path / "lock", ValueError("taken")):
            pass

        def no_locks(*_):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(files.fcntl, "flock", no_locks)
        with files.locked(tmp_path / "lock", ValueError("taken")):
            pass


def test_a_folder_that_nothing_may_be_written_in_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(ValueError, match=r"^--json .*it.json: the folder .* is not writable"):
        check_folders(argparse.Namespace(json=tmp_path / "it.json"), "json")


def test_a_large_limit_allocates_no_memory(tmp_path):
    (tmp_path / "small").write_bytes(b"abc")
    assert files.read_file(tmp_path / "small", 2**50) == files.read_inside(tmp_path, "small", 2**50) == b"abc"
