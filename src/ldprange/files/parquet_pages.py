"""What the pages of a Parquet file will unfold to, told by their headers before any of them is read.

A value that stands once in a dictionary, a beginning that many values share, or a run of zeros takes a few
bytes in the file and any amount of memory when it is read. A page's header says how large the page is without
compression, how many values it has and how they are written; the reader takes as much memory as it says.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from ldprange.errors import FileError
from ldprange.files.thrift import Structure, read_structure

_MAX_PAGE_BYTES = 64 << 20  # writers begin a new page after one MiB
_MIN_ROWS = 1 << 11  # and look at its size after as many rows
_WRITTEN = 5  # bytes besides a value itself: its length, and whether it is there
_SPARE = 1 << 10  # bytes of a page besides its values
_AT_ONCE = 16 << 20  # bytes of values that may share their beginnings
_HEADER, _MAX_HEADER_BYTES = 1 << 8, 1 << 24  # bytes of a page's header: most have fewer, none has more
_END = 8  # bytes after the description of the file: its length, and four letters

# numbers that the format gives to kinds of pages and columns, and to an encoding
_DICTIONARY, _TEXT, _SHARED_BEGINNINGS = 2, 6, 7


class Unfolding(NamedTuple):
    """How columns must be read: which of them have dictionaries, and how many rows at a time."""

    dictionaries: list[str]
    rows: int


def check_pages(file: BinaryIO, columns: Sequence[str], groups: Sequence[int], longest: int) -> Unfolding:
    """Return how to read ``columns`` of some row ``groups`` so that memory stays within bounds.

    A page that must hold values of more than ``longest`` bytes, or is far larger than usual, is an error.
    """
    dictionaries: dict[str, None] = {}
    largest_shared = 1
    try:
        for name, chunk in _chunks(file, columns, groups):
            for page in _pages(file, chunk):
                most = page.values * (longest + _WRITTEN) + _SPARE
                if page.size > min(most, _MAX_PAGE_BYTES + _MIN_ROWS * (longest + _WRITTEN)):
                    raise FileError(
                        f"values of column {name} must have at most {longest} bytes, in pages of 1 MiB, "
                        f"got a page of {page.size:,} bytes for {page.values:,} values; write it anew"
                    )
                if page.kind == _DICTIONARY and chunk[1] == _TEXT:
                    dictionaries[name] = None
                if page.encoding == _SHARED_BEGINNINGS:
                    largest_shared = max(largest_shared, page.size)
    except (KeyError, TypeError, IndexError, ValueError, OverflowError, RecursionError) as error:
        raise damaged(f"its own description cannot be read: {type(error).__name__}") from None
    return Unfolding(list(dictionaries), max(1, _AT_ONCE // largest_shared))


def damaged(why: str) -> FileError:
    """Return the error that says of a file that it is no whole Parquet file, and ``why``."""
    return FileError(
        f"the file must be a whole Parquet file, and it is truncated, damaged or something else ({why})"
    )


def _chunks(file: BinaryIO, columns: Sequence[str], groups: Sequence[int]) -> Iterator[tuple[str, Structure]]:
    """Yield the description of every chunk of some columns, with the column's name."""
    size = file.seek(-_END, 2)
    length = int.from_bytes(file.read(4), "little")
    file.seek(size - length)
    description, _ = read_structure(file.read(length))
    for group in groups:
        for described in description[4][group][1]:
            path = b".".join(described[3][3]).decode()
            for name in columns:
                if f"{path}.".startswith(f"{name}."):  # of a column of lists or structures, all that it has
                    yield name, described[3]


class _Page(NamedTuple):
    kind: int
    size: int
    values: int
    encoding: int


def _pages(file: BinaryIO, chunk: Structure) -> Iterator[_Page]:
    """Yield what the headers of a chunk's pages say."""
    at = min(filter(None, (chunk[9], chunk.get(11))), default=0)  # of data and of a dictionary, if it has any
    end = at + chunk[7]
    while at < end:
        header, length = _header(file, at)
        if 8 in header:
            yield _Page(header[1], header[2], header[8][1], header[8][4])
        else:
            details = header[5] if 5 in header else header[7]
            yield _Page(header[1], header[2], details[1], details[2])
        at += length + max(0, header[3])


def _header(file: BinaryIO, at: int) -> tuple[Structure, int]:
    size = _HEADER
    while True:
        file.seek(at)
        try:
            return read_structure(file.read(size))
        except IndexError:
            if size > _MAX_HEADER_BYTES:
                raise
            size *= 8
