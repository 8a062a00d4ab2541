"""Counts in few bytes: block by block, each in the shortest of a few plain forms.

Counts are cut into blocks of 65,536; the last may be shorter. A block, integers little-endian::

    1 byte      bytes of a gap: 0, 1 or 2
    1 byte      bytes of a count: 1, 2, 4 or 8

    0 bytes of a gap: every count of the block follows.
    Otherwise only those that are not 0:

    2 bytes     how many there are
    gaps        how many zeros lie before each, since the one before it
    counts      as many

So few reports on many counters take bytes in proportion to the reports, and nothing larger than a block is
held beside the counts, whether they are written or read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldprange.support.arrays import Counts

BLOCK = 1 << 16
"""Counts in a block: the longest gap is below this, and takes 2 bytes."""

_COUNT_BYTES = (1, 2, 4, 8)
_GAP_BYTES = (1, 2)
_MIN_BYTES = 3  # of a block: one of a single count


def packed_counts(counts: Counts) -> Iterator[bytes]:
    """Yield the bytes of ``counts``, block after block."""
    for start in range(0, len(counts), BLOCK):
        yield _packed_block(np.ascontiguousarray(counts[start : start + BLOCK], np.int64))


def _packed_block(counts: Counts) -> bytes:
    """Return one block of ``counts`` as bytes, with gaps only if that is shorter."""
    width = _bytes_of(int(counts.view(np.uint64).max()), _COUNT_BYTES)
    number = int(np.count_nonzero(counts))
    if 2 + number * (1 + width) < len(counts) * width:  # the least that gaps can take
        places = np.flatnonzero(counts)
        gaps = np.diff(places, prepend=-1) - 1
        gap_width = _bytes_of(int(gaps.max(initial=0)), _GAP_BYTES)
        if 2 + number * (gap_width + width) < len(counts) * width:
            begin = bytes([gap_width, width]) + number.to_bytes(2, "little")
            return begin + _as_bytes(gaps, gap_width) + _as_bytes(counts[places], width)
    return bytes([0, width]) + _as_bytes(counts, width)


def _bytes_of(largest: int, widths: tuple[int, ...]) -> int:
    """Return the first of ``widths``, in bytes, that holds ``largest``."""
    return next(width for width in widths if largest >> 8 * width == 0)


def _as_bytes(numbers: Counts, width: int) -> bytes:
    return numbers.astype(f"<u{width}").tobytes()


def unpacked_counts(data: memoryview, number: int) -> tuple[Counts, memoryview]:
    """Return ``number`` counts, read from the front of ``data``, and what is left of ``data``.

    Data that cannot be read so raise ValueError. Counts of 2**63 and more come out below 0: whoever reads a
    stranger's file has to check what counts there can be in any case.
    """
    if len(data) < _MIN_BYTES * -(-number // BLOCK):
        raise ValueError("its counts end too early")  # and no memory was taken for them
    counts = np.zeros(number, np.int64)
    for start in range(0, number, BLOCK):
        data = _read_block(data, counts[start : start + BLOCK])
    return counts, data


def _read_block(data: memoryview, counts: Counts) -> memoryview:
    """Put the block at the front of ``data`` into ``counts``, all of them 0 so far; return what is left."""
    (gap_width, width), data = _cut(data, 2)
    if width not in _COUNT_BYTES or gap_width not in (0, *_GAP_BYTES):
        raise ValueError(
            f"a gap must take 0, 1 or 2 bytes and a count 1, 2, 4 or 8, got {gap_width} and {width}"
        )
    if gap_width == 0:
        found, data = _cut(data, len(counts) * width)
        counts[:] = np.frombuffer(found, f"<u{width}")
        return data
    length, data = _cut(data, 2)
    number = int.from_bytes(length, "little")
    gaps, data = _cut(data, number * gap_width)
    places = np.cumsum(np.frombuffer(gaps, f"<u{gap_width}") + np.int64(1)) - 1
    if number and places[-1] >= len(counts):
        raise ValueError(f"a block must hold {len(counts)} counts, and it goes on to count {places[-1] + 1}")
    found, data = _cut(data, number * width)
    counts[places] = np.frombuffer(found, f"<u{width}")
    return data


def _cut(data: memoryview, size: int) -> tuple[memoryview, memoryview]:
    """Return the first ``size`` bytes of ``data``, and the rest."""
    if len(data) < size:
        raise ValueError("its counts end too early")
    return data[:size], data[size:]
