"""Opening files for reading, and errors that name them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, TypeVar

from ldprange.errors import FileError, about

Item = TypeVar("Item")
Name = str | PathLike[str]
Progress = Callable[[int], None]
"""Called with the number of bytes read since the last call."""

STANDARD_INPUT = "-"


@contextmanager
def opened(path: Name) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``; every error in the block then names it."""
    with naming(path):
        try:
            if str(path) == STANDARD_INPUT:
                yield sys.stdin.buffer
            else:
                with Path(path).open("rb") as file:
                    yield file
        except OSError as error:
            raise FileError(f"it cannot be read: {error.strerror or error}") from None


def naming(path: Name) -> AbstractContextManager[None]:
    """Put the name of the file ``path`` before the message of every error that the block raises."""
    return about("standard input" if str(path) == STANDARD_INPUT else path)


def watched(file: BinaryIO, items: Iterable[Item], progress: Progress | None) -> Iterator[Item]:
    """Yield what is read from a file, and tell how far into it that was."""
    before = 0
    for item in items:
        if progress and file.seekable():
            position = file.tell()
            progress(position - before)
            before = position
        yield item
