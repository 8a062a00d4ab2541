"""Tables of other libraries (pandas, polars, Spark, arrow itself), as arrow's.

None of them is imported here but arrow: a frame says what it can by the methods that it has.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ldprange.errors import ArgumentError
from ldprange.support.checking import listed, shown
from ldprange.support.columns import check_columns, column_names


def arrow_arrays(frame: Any, column: str | None) -> Iterator[pa.Array]:
    """Yield the parts of a ``column`` of a ``frame``, or of one that is a column itself, as arrow has it."""
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
    array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    parts: Sequence[pa.Array] = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return parts
