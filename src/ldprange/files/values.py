"""People's values: columns of a table, or a plain column with one value a line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.domain import Domain
from ldprange.errors import FileError
from ldprange.files.sniffing import SWAP, Kind, expect
from ldprange.files.sources import Name, Progress, opened, watched
from ldprange.support.checking import listed, shown
from ldprange.support.optional import optional_packages

CHUNK = 1 << 20
"""Every chunk but the last has this many values, whatever the file, so that a seed gives the same reports."""

_ADVICE = {
    Kind.PLAN: SWAP,
    Kind.AGGREGATE: "nobody can tell values from that",
    Kind.PACKED: "nobody can tell values from that",
    Kind.ARCHIVE: "export it as CSV",
    Kind.PARQUET: "rename it to .parquet",
    Kind.TEXT: "rename it to .csv, or to .txt if it has one value a line",
}


def read_values(
    path: Name,
    column: str | None,
    domain: Domain,
    *,
    skipped: Callable[[int], None] | None = None,
    progress: Progress | None = None,
) -> Iterator[Any]:
    """Return a file's values in chunks, with the type that the domain takes.

    Where people have several attributes, a chunk has a column for each, by name, as the table does.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv`` or ``.parquet`` table; anything else, and ``-`` for standard input, is a plain
        column with one value a line.
    column
        The table's column; may be left out if there is only one, and has to be for several attributes.
    domain
        What the values are meant for: numbers, dates or labels, or several attributes. Whether they lie
        inside it is checked by whoever uses them.
    skipped
        Called with numbers of rows that are left out because a value is missing (an empty cell, null, NaN);
        without it such a row is an error.
    progress
        Called with every chunk: how many more bytes were read.
    """
    if "" not in domain.attributes and column is not None:
        raise FileError(
            f"the columns are the attributes', {listed(domain.attributes)}; leave out column {shown(column)}"
        )
    with optional_packages():  # loaded when it is used: it takes as long as all else together
        from ldprange.files import tables

    return _values(tables, path, column, domain, skipped, progress)


def _values(
    tables: ModuleType,
    path: Name,
    column: str | None,
    domain: Domain,
    skipped: Callable[[int], None] | None,
    progress: Progress | None,
) -> Iterator[Any]:
    with opened(path) as file:
        suffix = Path(path).suffix.lower()
        kind = Kind.PARQUET if suffix == ".parquet" else Kind.TEXT
        expect(kind, file, f"people's values as {kind.value}", _ADVICE)
        if suffix == ".parquet":
            columns = tables.parquet_values(file, column, domain, skipped)
        elif suffix in tables.DELIMITERS:
            columns = tables.delimited_values(file, tables.DELIMITERS[suffix], column, domain, skipped)
        elif "" not in domain.attributes:
            raise FileError(
                "values of several attributes must be a .csv, .tsv or .parquet table with the columns "
                f"{listed(domain.attributes)}"
            )
        elif column is not None:
            raise FileError(
                f"a column can only be chosen of a .csv, .tsv or .parquet table, got {shown(column)}; "
                "leave it out, or rename the file"
            )
        else:
            columns = [tables.plain_values(file, domain, skipped)]
        found = False
        for chunk in watched(file, _people(columns, domain), progress):
            found = True
            yield chunk
        if not found:
            raise FileError("the file must hold at least one value, and it is empty")


def _people(columns: list[Iterator[NDArray[Any]]], domain: Domain) -> Iterator[Any]:
    if "" in domain.attributes:
        return _chunks(columns[0])
    # all columns of a file are cut alike
    chunks = zip(*map(_chunks, columns), strict=True)
    return (dict(zip(domain.attributes, chunk, strict=True)) for chunk in chunks)


def _chunks(arrays: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Cut and join arrays to chunks of the same size; only the last may be smaller."""
    parts: list[NDArray[Any]] = []
    count = 0
    for array in arrays:
        while count + array.size >= CHUNK:
            cut = CHUNK - count
            yield np.concatenate([*parts, array[:cut]])
            array, parts, count = array[cut:], [], 0
        if array.size:
            parts.append(array)
            count += array.size
    if count:
        yield np.concatenate(parts)
