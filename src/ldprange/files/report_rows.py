"""Between tables, whose rows are reports of any level, and batches, which have a column per level."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import MismatchError, WireError
from ldprange.oracles.contract import check_below
from ldprange.plan import Plan
from ldprange.reports import Batch

Levels = NDArray[np.uint8]
Bytes = NDArray[np.uint8]


def levels_of(batch: Batch) -> Levels:
    """Return the level of every report, in increasing order."""
    return np.repeat(np.arange(len(batch.columns), dtype=np.uint8), [len(column) for column in batch.columns])


def bytes_of(batch: Batch) -> Bytes:
    """Return the packed bytes of every report, end to end, level after level."""
    pairs = zip(batch.plan.mechanisms, batch.columns, strict=True)
    return np.concatenate([mechanism.pack(column).reshape(-1) for mechanism, column in pairs])


def widths_of(plan: Plan) -> list[int]:
    """Return how many bytes a report of each level has."""
    return [mechanism.width for mechanism in plan.mechanisms]


def strings(kind: pa.DataType, data: Bytes | bytes, lengths: NDArray[np.int64]) -> pa.Array:
    """Return a column of strings that lie end to end."""
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.Array.from_buffers(kind, len(lengths), [None, pa.py_buffer(ends), pa.py_buffer(data)])


def end_to_end(column: pa.Array, lengths: NDArray[np.int64]) -> memoryview:
    """Return the bytes of a column of strings, each of which must have its length."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32, len(column) + 1, 4 * column.offset)
    if not np.array_equal(np.diff(ends), lengths):
        raise WireError("every report must be as long as those of its level are, and some are not")
    return memoryview(data or b"")[ends[0] : ends[-1]]


def by_level(plan: Plan, rows: pa.RecordBatch) -> tuple[Levels, pa.Array]:
    """Return the columns ``level`` and ``report`` of a table, sorted by level."""
    levels = checked_levels(plan, rows)
    if _is_sorted(levels):
        return levels, rows.column("report")
    order = np.argsort(levels, kind="stable")
    return levels[order], rows.column("report").take(pa.array(order))


def checked_levels(plan: Plan, rows: pa.RecordBatch) -> Levels:
    """Return the column ``level`` of a table in which nothing is missing."""
    if any(column.null_count for column in rows.columns):
        raise WireError(f"every row must have {', '.join(rows.schema.names)}, and some have not")
    levels: Levels = rows.column("level").to_numpy()
    if levels.size and int(levels.max()) >= len(plan.levels):
        raise WireError(f"a report's level must be below {len(plan.levels)}, got {int(levels.max())}")
    return levels


def _is_sorted(levels: Levels) -> bool:
    return bool(np.all(levels[1:] >= levels[:-1]))


def batch_of(plan: Plan, levels: Levels, data: Bytes, widths: Sequence[int]) -> Batch:
    """Return the batch of reports that lie end to end, level after level, each of ``widths[level]`` bytes."""
    counts = np.bincount(levels, minlength=len(plan.levels))
    parts = np.split(data, np.cumsum(counts * widths)[:-1])
    return Batch(
        plan,
        [
            mechanism.unpack(part.reshape(-1, width))
            for mechanism, part, width in zip(plan.mechanisms, parts, widths, strict=True)
        ],
    )


def coded_batch(plan: Plan, rows: pa.RecordBatch) -> Batch:
    """Return the batch of reports that are their codes; without a copy of them, if they come by level."""
    levels, codes = checked_levels(plan, rows), rows.column("report").to_numpy()
    if _is_sorted(levels):
        parts = np.split(codes, np.searchsorted(levels, np.arange(1, len(plan.levels))))
    else:
        parts = kernels.split_by_level(codes, levels, len(plan.levels))
    pairs = zip(plan.mechanisms, parts, strict=True)
    return Batch(plan, [check_below(mechanism.counters, part) for mechanism, part in pairs])


def check_fingerprint(plan: Plan, got: str) -> None:
    """Raise an error unless the reports were made under this plan."""
    if got != plan.fingerprint:
        raise MismatchError(
            f"reports must carry their plan's fingerprint, {plan.fingerprint}, got {got[:40] or 'none'}; "
            "they were made under another plan"
        )
