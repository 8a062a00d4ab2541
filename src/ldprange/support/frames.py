"""Frames of other libraries: columns of theirs as arrow's arrays, and arrays as a frame of theirs.

None of them is imported before it is used. A frame says what it can do by the methods that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ldprange.errors import ArgumentError, MissingPackageError
from ldprange.support.checking import listed, shown
from ldprange.support.columns import check_columns, column_names

if TYPE_CHECKING:
    import pyarrow as pa

_MAKERS = ("pandas", "polars")  # of frames, in the order in which they are tried


def make_frame(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return a frame with these ``columns``: of pandas, or where that is not installed, of polars."""
    for package in _MAKERS:
        try:
            library = import_module(package)
        except ModuleNotFoundError:
            continue
        return library.DataFrame(dict(columns))
    raise MissingPackageError(
        "a frame needs pandas or polars, and neither is installed; pip install pandas", name="pandas"
    )


def arrow_arrays(frame: Any, column: str | None) -> Iterator[pa.Array]:
    """Yield the parts of a ``column`` of a ``frame``, or of one that is a column itself, as arrow has it."""
    import pyarrow as pa

    names = column_names(frame)
    if names is None:
        if column is not None:
            raise ArgumentError(f"a column can only be chosen of a frame, got {shown(frame)}; leave it out")
        yield from _parts(frame)
        return
    if column is None:
        if len(names) != 1:
            raise ArgumentError(
                f"the frame has several columns, so choose one with column=…: {listed(names)}"
            )
        (column,) = names
    check_columns(names, [column], ArgumentError)
    # the others may hold what arrow cannot take
    chosen = frame.select([column]) if hasattr(frame, "select") else frame[[column]]
    for batch in pa.RecordBatchReader.from_stream(chosen):
        yield batch.column(0)


def _parts(column: Any) -> Sequence[pa.Array]:
    import pyarrow as pa

    array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    return array.chunks if isinstance(array, pa.ChunkedArray) else [array]
