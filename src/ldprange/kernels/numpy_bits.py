"""Bits that are copied from one place of every row to another, in NumPy: the reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldprange.support.parallel import slices

Bytes = NDArray[np.uint8]
Places = tuple[int, int]
"""Where rows' fields lie, in bits: at which bit of each row, and from one row to the next."""

_TOGETHER = 8  # rows, which take whole bytes: as many as the bits of one
_BLOCK = 1 << 18  # bytes that are worked on together


def copy_bits(
    source: Bytes, source_places: Places, target: Bytes, target_places: Places, bits: int, count: int
) -> None:
    """Copy a field of ``bits`` bits of each of ``count`` rows of ``source`` to a place in ``target``.

    Bits are counted from the lowest of the first byte on. Where they go, ``target`` must be 0; what else is
    in it stays. Both have as many bytes as their rows need; the spare bits of the last must be 0.

    >>> target = np.zeros(2, np.uint8)
    >>> copy_bits(np.array([0b101, 0b011, 0b110], np.uint8), (0, 8), target, (0, 3), 3, 3)
    >>> target.tolist()
    [157, 1]
    """
    for data, (start, step) in ((source, source_places), (target, target_places)):
        if start < 0 or bits < 0 or start + bits > step or data.size != (count * step + 7) // 8:
            raise ValueError("every field must lie in its row, and every row in the bytes")
    (start, step), (to, to_step) = source_places, target_places
    if not any(place % 8 for place in (start, step, to, to_step, bits)):
        lines, into = source.reshape(count, step // 8), target.reshape(count, to_step // 8)
        into[:, to // 8 : (to + bits) // 8] |= lines[:, start // 8 : (start + bits) // 8]
        return
    lines, into = _lines(source, step, count), _lines(target, to_step, count)
    for some in slices(len(lines), max(1, _BLOCK // (step + to_step + 1))):
        for row in range(_TOGETHER):
            _put(_taken(lines[some], start + row * step, bits), into[some], to + row * to_step)
    target[:] = into.reshape(-1)[: target.size]


def _lines(data: Bytes, step: int, count: int) -> Bytes:
    """Return ``count`` rows of ``step`` bits as lines of 8 rows, ``step`` bytes each; zeros come after."""
    lines = -(-count // _TOGETHER)
    return np.pad(data, (0, lines * step - data.size)).reshape(lines, step)


def _taken(lines: Bytes, start: int, bits: int) -> Bytes:
    """Return the ``bits`` bits from bit ``start`` of every line on, a row for each byte of them."""
    first, shift = divmod(start, 8)
    taken = np.empty(((bits + 7) // 8, len(lines)), np.uint8)
    for byte, row in enumerate(taken, first):
        np.right_shift(lines[:, byte], shift, out=row)
        if shift and byte + 1 < lines.shape[1]:
            row |= lines[:, byte + 1] << 8 - shift
    if bits % 8:
        taken[-1] &= (1 << bits % 8) - 1
    return taken


def _put(taken: Bytes, lines: Bytes, start: int) -> None:
    """Put bits, of which ``taken`` has a row for each byte, at bit ``start`` of every line."""
    first, shift = divmod(start, 8)
    for byte, row in enumerate(taken, first):
        lines[:, byte] |= row << shift
        if shift and byte + 1 < lines.shape[1]:
            lines[:, byte + 1] |= row >> 8 - shift
