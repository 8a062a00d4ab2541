"""A file is there whole or not at all, however the writing ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ldprange as ldp
from ldprange.errors import FileError
from ldprange.support.whole_files import whole_file


@pytest.mark.system
def test_a_process_that_is_ended_leaves_nothing_half_written(tmp_path: Path) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Haar(), ldp.HRR())
    (tmp_path / "p.json").write_text(plan.to_json())
    command = [sys.executable, "-m", "ldprange", "encode", "p.json", "-", "-o", "out.reports"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        for _ in range(100):  # values never end, so the file stays unfinished until the signal comes
            if list(tmp_path.glob("*.partial")):
                break
            time.sleep(0.1)
        assert list(tmp_path.glob("*.partial"))
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=30) == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")
    with contextlib.suppress(RuntimeError), whole_file(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_who_may_read_a_file_stays_the_same(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"before")
    path.chmod(0o600)
    with whole_file(path) as file:
        file.write(b"after")
    assert path.read_bytes() == b"after"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_that_was_planted_beside_is_not_followed(tmp_path: Path) -> None:
    """Whoever may write to a folder must not choose what is overwritten elsewhere."""
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_bytes(b"precious")
    folder.mkdir()
    planted = folder / f"out.{os.getpid()}.partial"
    planted.symlink_to(victim)
    with whole_file(folder / "out") as file:
        file.write(b"after")
        (partial,) = (name for name in folder.glob("out.*.partial") if name != planted)
        assert not partial.is_symlink()
    assert victim.read_bytes() == b"precious"
    assert (folder / "out").read_bytes() == b"after"
    assert planted.is_symlink()
    assert sorted(folder.iterdir()) == sorted([folder / "out", planted])


def test_what_replaces_a_secret_file_can_never_be_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"before")
    path.chmod(0o600)
    with whole_file(path):
        (partial,) = tmp_path.glob("*.partial")
        assert partial.stat().st_mode & 0o077 == 0


def test_a_directory_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="must be a file"), whole_file(tmp_path) as file:
        file.write(b"")
