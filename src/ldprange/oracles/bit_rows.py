"""Rows of bits, lowest first: each in whole bytes of its own, or end to end without a gap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import WireError

Rows = NDArray[np.uint8]
"""Reports' bits, one row of whole bytes each; the spare bits after them are 0."""


def bytes_of(bits: int) -> int:
    """Return how many bytes hold so many ``bits``."""
    return (bits + 7) // 8


def byte_rows(column: NDArray[Any]) -> Rows:
    """Return the bytes of each entry of ``column``, along its first axis, as rows."""
    width = column.itemsize * prod(column.shape[1:])
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(column), width)


def number_rows(numbers: NDArray[Any]) -> Rows:
    """Return ``numbers``, unsigned integers, as rows of all their bytes, lowest first.

    >>> number_rows(np.array([1, 258], np.uint16)).tolist()
    [[1, 0], [2, 1]]
    """
    return byte_rows(numbers.astype(numbers.dtype.newbyteorder("<"), copy=False))


def numbers_of(rows: Rows, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the numbers, of a ``dtype`` of at least as many bytes, that ``rows`` are, lowest byte first."""
    whole = rows if rows.shape[1] == dtype.itemsize else cut(rows, dtype.itemsize)
    return byte_rows(whole).view(dtype.newbyteorder("<")).reshape(-1).astype(dtype, copy=False)


def cut(rows: Rows, width: int) -> Rows:
    """Return ``rows`` of ``width`` bytes: with zeros after them, or without their last bytes.

    >>> cut(np.array([[1, 2], [3, 4]], np.uint8), 1).tolist()
    [[1], [3]]
    """
    kept = np.zeros((len(rows), width), np.uint8)
    _copy(rows, 0, kept, 0, 8 * min(width, rows.shape[1]))
    return kept


def end_to_end(rows: Rows, bits: int) -> bytes:
    """Return the first ``bits`` bits of each of ``rows`` one after another; spare bits at the end are 0.

    >>> end_to_end(np.array([[0b101], [0b011], [0b110]], np.uint8), 3).hex()
    '9d01'
    """
    data = np.zeros(bytes_of(len(rows) * bits), np.uint8)
    kernels.copy_bits(rows.reshape(-1), (0, 8 * rows.shape[1]), data, (0, bits), bits, len(rows))
    return data.tobytes()


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
    rows = np.zeros((count, bytes_of(bits)), np.uint8)
    kernels.copy_bits(packed, (0, bits), rows.reshape(-1), (0, 8 * rows.shape[1]), bits, count)
    return rows


def bits_at(rows: Rows, places: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return the bit of each of ``rows`` at its place, one of ``places``.

    >>> bits_at(np.array([[0b100], [0b011]], np.uint8), np.array([2, 2], np.uint32)).tolist()
    [True, False]
    """
    whole = rows[np.arange(len(rows)), places >> 3]
    bits: NDArray[np.bool_] = (whole >> (places & 7).astype(np.uint8) & 1).astype(bool)
    return bits


def join_fields(fields: Sequence[tuple[Rows, int]]) -> Rows:
    """Return rows that hold the bits of several ``fields``, rows and their bits, one after another."""
    *starts, bits = accumulate((bits for _, bits in fields), initial=0)
    joined = np.zeros((len(fields[0][0]), bytes_of(bits)), np.uint8)
    for (rows, width), start in zip(fields, starts, strict=True):
        _copy(rows, 0, joined, start, width)
    return joined


def part_fields(rows: Rows, fields: Sequence[tuple[int, int]]) -> list[Rows]:
    """Return what :func:`join_fields` joined, of ``fields`` whose bits, and bytes wanted, are told.

    Spare bits must be 0.
    """
    *starts, bits = accumulate((bits for bits, _ in fields), initial=0)
    if bits % 8 and np.any(rows[:, -1] >> bits % 8):
        raise WireError("a report's spare bits must be 0, and some are not; the batch is refused whole")
    parts = [np.zeros((len(rows), width), np.uint8) for _, width in fields]
    for part, (width, _), start in zip(parts, fields, starts, strict=True):
        _copy(rows, start, part, 0, width)
    return parts


def _copy(rows: Rows, start: int, target: Rows, target_start: int, bits: int) -> None:
    """Copy ``bits`` bits of each of ``rows`` to where ``target``, which has as many rows, is 0."""
    source, into = np.ascontiguousarray(rows).reshape(-1), target.reshape(-1)
    places = (start, 8 * rows.shape[1]), (target_start, 8 * target.shape[1])
    kernels.copy_bits(source, places[0], into, places[1], bits, len(rows))
