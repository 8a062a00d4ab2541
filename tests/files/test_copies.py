"""Copies of files are found by what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldprange.files import copies as module
from ldprange.files.copies import copies


def test_files_with_the_same_bytes_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 4)
    for name, text in {
        "a": "abcdefghij",
        "b": "abcdefghij",
        "another end": "abcdefghix",
        "another beginning": "xbcdefghij",
        "longer": "abcdefghijk",
        "c": "short",
        "d": "short",
        "e": "short",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    found = copies([*sorted(tmp_path.iterdir()), tmp_path / "gone"])
    assert [[path.name for path in group] for group in found] == [["a", "b"], ["c", "d", "e"]]
