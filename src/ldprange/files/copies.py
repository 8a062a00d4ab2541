"""Files that are copies of one another."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ldprange.files.sources import opened

_PIECE = 1 << 16


def copies(files: Sequence[Path]) -> list[list[Path]]:
    """Return groups of ``files`` with the same bytes; what is no file is passed over.

    Only those of the same size are opened, and only those that also begin alike are read to their ends.
    """
    groups = [[file for file in files if file.is_file()]]
    for told in (_size, _beginning, _digest):
        groups = [alike for group in groups for alike in _split(group, told) if len(alike) > 1]
    return groups


def _split(group: Sequence[Path], told: Callable[[Path], Any]) -> list[list[Path]]:
    parts: dict[Any, list[Path]] = {}
    for file in group:
        parts.setdefault(told(file), []).append(file)
    return list(parts.values())


def _size(file: Path) -> int:
    return file.stat().st_size


def _beginning(file: Path) -> bytes:
    with opened(file) as its:
        return hashlib.sha256(its.read(_PIECE)).digest()


def _digest(file: Path) -> bytes:
    digest = hashlib.sha256()
    with opened(file) as its:
        while piece := its.read(_PIECE):
            digest.update(piece)
    return digest.digest()
