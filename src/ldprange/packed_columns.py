"""Columns of packed reports: of anybody's tables, one report (or one batch) as on the wire in every row."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ldprange import wire
from ldprange.errors import LdprangeError, WireError, about
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.parallel import slices
from ldprange.support.text_bytes import Bytes, Ends, from_base64, from_hexadecimal

_ROWS = 1 << 20  # that are read together
_OFFSET_BYTES = 8


def batches_of(plan: Plan, arrays: Iterable[pa.Array], first: int = 1) -> Iterator[Batch]:
    """Yield the reports of ``plan`` that the parts of a column hold, as bytes, hexadecimal digits or base64.

    A row that holds anything else is an error that says which row it is; the first one has number ``first``.
    """
    for array in arrays:
        for block in slices(len(array), _ROWS):
            rows = array[block.start : block.stop]
            if rows.null_count:
                missing = int(np.argmax(rows.is_null().to_numpy(zero_copy_only=False)))
                raise WireError(f"every row must hold a packed report, and row {first + missing} is empty")
            data, ends = _end_to_end(rows, first)
            try:
                batch = wire.unpack_column(plan, data, ends)
            except LdprangeError:
                _name_the_row(plan, data, ends, first)
                raise
            yield batch
            first += len(rows)


def _end_to_end(rows: pa.Array, first: int) -> tuple[Bytes, Ends]:
    """Return the bytes of all rows, and where each row ends, beginning with where the first one starts."""
    kind = rows.type.value_type if pa.types.is_dictionary(rows.type) else rows.type
    if any(is_kind(kind) for is_kind in _TEXTS):
        data, ends = _strings(pc.utf8_trim_whitespace(rows.cast(pa.large_string())))
        text, ends = data[ends[0] : ends[-1]], ends - ends[0]
        # a report begins with its version, 1 or 2: 0 in hexadecimal digits, and A in base64
        decode = from_hexadecimal if text[:1].tobytes() == b"0" else from_base64
        with about(f"rows {first} to {first + len(rows) - 1}"):
            return decode(text, ends)
    if any(is_kind(kind) for is_kind in _BINARIES):
        return _strings(rows.cast(pa.large_binary()))
    raise WireError(
        f"a column of reports must hold bytes, or text in hexadecimal digits or base64, got {kind}"
    )


def _name_the_row(plan: Plan, data: Bytes, ends: Ends, first: int) -> None:
    """Raise the error of the first row that is refused, with its number."""
    for row in range(len(ends) - 1):
        with about(f"row {first + row}"):
            wire.unpack(plan, data[ends[row] : ends[row + 1]].tobytes())


def _strings(array: pa.Array) -> tuple[Bytes, Ends]:
    _, offsets, data = array.buffers()
    if not len(array):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    ends = np.frombuffer(offsets, np.int64, len(array) + 1, _OFFSET_BYTES * array.offset)
    return np.frombuffer(data or b"", np.uint8), ends


_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BINARIES = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)
