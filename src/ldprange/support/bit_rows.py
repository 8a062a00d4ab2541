"""Rows of bits, lowest first: each in whole bytes of its own, or end to end without a gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import WireError
from ldprange.support.parallel import slices

Rows = NDArray[np.uint8]
"""Reports' bits, one row of whole bytes each; the spare bits of the last byte are 0."""

_BLOCK = 1 << 22  # bits taken apart together


def bytes_of(bits: int) -> int:
    """Return how many bytes hold so many ``bits``."""
    return (bits + 7) // 8


def end_to_end(rows: Rows, bits: int) -> bytes:
    """Return the first ``bits`` bits of each of ``rows`` one after another; spare bits at the end are 0.

    >>> end_to_end(np.array([[0b101], [0b011], [0b110]], np.uint8), 3).hex()
    '9d01'
    """
    if bits % 8 == 0:
        return rows.tobytes()
    parts = []
    for block in slices(len(rows), _rows_together(bits)):
        apart = np.unpackbits(rows[block], axis=1, count=bits, bitorder="little")
        parts.append(np.packbits(apart, bitorder="little").tobytes())
    return b"".join(parts)


def rows_of(data: bytes, count: int, bits: int) -> Rows:
    """Return ``count`` rows of ``bits`` bits each that lie end to end in ``data``; spare bits must be 0."""
    packed = np.frombuffer(data, np.uint8)
    if bits % 8 == 0:
        return packed.reshape(count, bits // 8)
    spare = 8 * packed.size - count * bits
    if spare and packed[-1] >> (8 - spare):
        raise WireError(
            "the spare bits at the end of a level's reports must be 0; the batch is refused whole"
        )
    rows = np.empty((count, bytes_of(bits)), np.uint8)
    for block in slices(count, _rows_together(bits)):
        part = packed[block.start * bits // 8 : bytes_of(block.stop * bits)]
        apart = np.unpackbits(part, count=(block.stop - block.start) * bits, bitorder="little")
        rows[block] = np.packbits(apart.reshape(-1, bits), axis=1, bitorder="little")
    return rows


def _rows_together(bits: int) -> int:
    """Return a number of rows that is a multiple of 8, so that they take whole bytes together."""
    return max(8, _BLOCK // bits // 8 * 8)


def join_fields(fields: Sequence[tuple[Rows, int]]) -> Rows:
    """Return rows that hold the bits of several ``fields``, rows and their bits, one after another."""
    apart = [np.unpackbits(rows, axis=1, count=bits, bitorder="little") for rows, bits in fields]
    return np.packbits(np.hstack(apart), axis=1, bitorder="little")


def part_fields(rows: Rows, widths: Sequence[int]) -> list[Rows]:
    """Return what :func:`join_fields` joined, of fields that take ``widths`` bits; spare bits must be 0."""
    apart = np.unpackbits(rows, axis=1, bitorder="little")
    ends = np.cumsum(widths)
    if apart[:, ends[-1] :].any():
        raise WireError("a report's spare bits must be 0, and some are not; the batch is refused whole")
    parts = np.split(apart[:, : ends[-1]], ends[:-1], axis=1)
    return [np.packbits(part, axis=1, bitorder="little") for part in parts]
