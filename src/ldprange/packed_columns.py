"""Columns of packed reports: of anybody's tables, one report (or one batch) as on the wire in every row."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ldprange import wire
from ldprange.errors import LdprangeError, WireError, about
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.left_out import Skipped
from ldprange.support.parallel import slices
from ldprange.support.text_bytes import BASE64, HEXADECIMAL, Bytes, Ends, from_base64, from_hexadecimal

_ROWS = 1 << 20  # that are read together
_OFFSET_BYTES = 8


def batches_of(
    plan: Plan, arrays: Iterable[pa.Array], first: int = 1, skipped: Skipped | None = None
) -> Iterator[Batch]:
    """Yield the reports of ``plan`` that the parts of a column hold, as bytes, hexadecimal digits or base64.

    A row that holds anything else is left out, and ``skipped`` is told of it; without that it is an error
    that says which row it is. The first one has number ``first``.
    """
    for array in arrays:
        for block in slices(len(array), _ROWS):
            rows = array[block.start : block.stop]
            data, ends, kept = _payloads(rows)
            batch, refused = wire.unpack_column(plan, data, ends)
            good = np.delete(kept, refused)
            if len(good) < len(rows):
                if skipped is None:
                    wrong = int(np.setdiff1d(np.arange(len(rows)), good)[0])
                    with about(f"row {first + wrong}"):
                        _refuse(plan, rows[wrong : wrong + 1])
                else:
                    skipped(len(rows) - len(good))
            yield batch
            first += len(rows)


def _payloads(rows: pa.Array) -> tuple[Bytes, Ends, NDArray[np.intp]]:
    """Return the bytes of ``rows`` end to end, where each row ends, and which rows have any.

    The ends begin with where the first row starts. Missing rows have no bytes, nor have texts that are in
    neither of the two codes.
    """
    kind = rows.type.value_type if pa.types.is_dictionary(rows.type) else rows.type
    is_text = any(is_kind(kind) for is_kind in _TEXTS)
    if not is_text and not any(is_kind(kind) for is_kind in _BINARIES):
        raise WireError(
            f"a column of reports must hold bytes, or text in hexadecimal digits or base64, got {kind}"
        )
    rows = rows.cast(pa.large_string() if is_text else pa.large_binary())
    kept = np.flatnonzero(rows.is_valid().to_numpy(zero_copy_only=False))
    if len(kept) < len(rows):
        rows = rows.drop_null()
    if not is_text:
        return *_strings(rows), kept
    texts = pc.utf8_trim_whitespace(rows)
    decode, pattern = _code_of(texts)
    try:
        return *decode(*_strings(texts)), kept
    except WireError:
        right = pc.match_substring_regex(texts, pattern)
        return *decode(*_strings(texts.filter(right))), kept[right.to_numpy(zero_copy_only=False)]


def _code_of(texts: pa.Array) -> tuple[Callable[[Bytes, Ends], tuple[Bytes, Ends]], str]:
    """Return what decodes the ``texts``, and the regular expression of those that it decodes.

    A report begins with its version, 1 or 2: with 0 in hexadecimal digits, and with A in base64. More of the
    texts do the one or the other; a few may be anything.
    """
    data, ends = _strings(texts)
    begins = data[ends[:-1][np.diff(ends) > 0]]
    hexadecimal = np.count_nonzero(begins == ord("0")) > np.count_nonzero(begins == ord("A"))
    return (from_hexadecimal, HEXADECIMAL) if hexadecimal else (from_base64, BASE64)


def _refuse(plan: Plan, row: pa.Array) -> None:
    """Raise the error that says why the only ``row`` of an array is no report of ``plan``."""
    advice = 'count the others with damaged="skip" (--damaged skip)'
    if row.null_count:
        raise WireError(f"every row must hold a packed report, and this one is empty; {advice}")
    data, _, kept = _payloads(row)
    if not len(kept):
        raise WireError(
            f"a text must be a packed report in hexadecimal digits or base64, and this one is not; {advice}"
        )
    try:
        wire.unpack(plan, data.tobytes())
    except LdprangeError as error:
        error.args = (f"{error}; {advice}",)
        raise
    raise WireError(
        f"all rows must be in hexadecimal digits, or all in base64, and this one is unlike most; {advice}"
    )


def _strings(array: pa.Array) -> tuple[Bytes, Ends]:
    """Return the bytes of all strings of an ``array``, and where each ends, beginning with 0."""
    _, offsets, data = array.buffers()
    if not len(array):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    ends = np.frombuffer(offsets, np.int64, len(array) + 1, _OFFSET_BYTES * array.offset)
    return np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0]


_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BINARIES = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,  # of which all are missing
)
