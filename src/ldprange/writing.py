"""Writing files that are there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ldprange.errors import FileError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file beside ``path`` for writing, and move it there when the block ends well.

    If the block raises, what was there before is still there, and nothing else is.
    """
    path = Path(path)
    # a link stays a link to the file that is replaced
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"{path} must be a file to write to, but it is a directory")
    try:
        if target.exists() and not target.is_file():
            # a pipe or a device can only be written into; moving a file there would take its place
            with target.open("wb") as file:
                yield file
            return
        beside = target.with_name(f"{target.name}.{os.getpid()}.partial")
        try:
            with beside.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():  # whoever could not read the old file cannot read the new one
                beside.chmod(target.stat().st_mode & 0o777)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from None
