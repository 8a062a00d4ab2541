"""Counting reports on a cluster.

Where there are no more different reports than counters, such as a cell and a symbol, a group-by in plain SQL
counts equal ones, and no Python runs on the workers. Where there are more, each task counts its reports as
one machine would, and the tasks' counts are added up piece by piece, also on the cluster. Both are sums of
integers over whatever the tasks are: one that is run again, or twice, changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np
import pyarrow as pa

from ldprange.aggregate import Aggregate
from ldprange.engines.spark.reading import files_of, frame_of, name_of, reports_in
from ldprange.engines.spark.sessions import check_installed, partition, translated
from ldprange.errors import ArgumentError, EngineError, LdprangeError, WireError, about
from ldprange.files.parquet_reports import batch_from, is_coded, schema_of
from ldprange.files.sources import Name
from ldprange.packed_columns import batches_of
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.arrays import Counts
from ldprange.support.checking import check_choice
from ldprange.support.columns import check_columns
from ldprange.support.left_out import NO_REPORT, Damaged, LeftOut, Skipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PIECE = 1 << 16  # counters that travel together
_ADDERS = 64  # tasks that add pieces up, at most
_ALWAYS_BY_SQL = 1 << 20  # different reports that SQL counts in any case
_WRONG = -1  # the piece that is no count, but says what is wrong
_PIECES = "piece int, counts binary"
Read = Callable[[Plan, Iterator[pa.RecordBatch], Skipped], Iterator[Batch]]
"""From rows, as the cluster hands them to a task, to batches of reports; tells of rows that are left out."""


def aggregate(session: SparkSession, plan: Plan, paths: Name | Iterable[Name]) -> Aggregate:
    """Count report files on a cluster.

    If anything in them is not a report of this plan, nothing is counted, and the error names the file.

    Parameters
    ----------
    session
        Classic, or of Spark Connect.
    plan
        The plan under which the reports were made.
    paths
        Parquet files of reports and directories of them: local names, which must mean the same files on every
        worker, or addresses such as ``s3a://bucket/reports``.
    """
    check_installed()
    files = files_of(paths)
    expected = reports_in(plan, files)
    with translated(files):
        frame = frame_of(session, plan, files)
        try:
            total = _count(plan, frame)
        except WireError as error:
            raise WireError(f"{_file_at_fault(plan, frame)}: {error}") from None
    if total.reports != expected:
        raise EngineError(
            f"the cluster must count the {expected:,} reports that the files hold, got {total.reports:,}; "
            "files were changed meanwhile, or the workers see others under the same names"
        )
    return total


def count(
    plan: Plan, frame: DataFrame, *, column: str | None = None, damaged: Damaged = "refuse"
) -> Aggregate:
    """Count a ``frame`` of reports of ``plan``: as :func:`encode` makes them, or packed in a ``column``.

    Without a column the rows must have ``level`` and ``report``. With one, each row of it holds a packed
    report: bytes, or text in hexadecimal digits or base64. Rows of it that are empty, or hold something else,
    are an error, or where ``damaged`` is ``"skip"`` they are left out with a warning that says how many.
    """
    check_installed()
    check_choice(damaged, get_args(Damaged), "damaged", ArgumentError)
    if column is None and damaged == "skip":
        raise ArgumentError('damaged="skip" is for packed reports; name their column with column=…')
    left_out = LeftOut(NO_REPORT)
    with translated():
        if column is None:
            return _count(plan, frame)
        check_columns(frame.columns, [column], ArgumentError)
        read = _packed_leaving_out if damaged == "skip" else _batches_of_packed
        total = _add_partials(plan, frame.select(column), read, left_out)
    if left_out.rows:
        warnings.warn(str(left_out), stacklevel=2)
    return total


def _count(plan: Plan, frame: DataFrame) -> Aggregate:
    outputs = sum(mechanism.outputs for mechanism in plan.mechanisms)
    few = outputs <= max(_ALWAYS_BY_SQL, plan.counters)
    return _count_equal(plan, frame) if few else _add_partials(plan, frame.select("level", "report"))


def _count_equal(plan: Plan, frame: DataFrame) -> Aggregate:
    """Let SQL count equal reports, and tally each of the different ones as often as it came."""
    counted = frame.groupBy("level", "report").count().toArrow()
    total = Aggregate.empty(plan)
    for batch in counted.combine_chunks().to_batches():
        (rows,) = as_written(plan, [batch])
        numbers = batch.column("count").to_numpy()
        # a number of times is a sum of powers of two: one tally for each of its bits
        for bit in range(int(numbers.max()).bit_length()):
            some = rows.filter(pa.array((numbers >> bit) & 1 == 1))
            part = Aggregate.of(plan, batch_from(plan, some))
            total += Aggregate(plan, [n << bit for n in part.users], [tally << bit for tally in part.counts])
    return total.checked()


def _batches_of_rows(plan: Plan, rows: Iterator[pa.RecordBatch], skipped: Skipped) -> Iterator[Batch]:
    return (batch_from(plan, each) for each in as_written(plan, rows))


def _batches_of_packed(plan: Plan, rows: Iterator[pa.RecordBatch], skipped: Skipped) -> Iterator[Batch]:
    # a row's number alone would be the same in every partition
    with about(f"partition {partition()} by spark_partition_id()"):
        yield from batches_of(plan, (each.column(0) for each in rows))


def _packed_leaving_out(plan: Plan, rows: Iterator[pa.RecordBatch], skipped: Skipped) -> Iterator[Batch]:
    return batches_of(plan, (each.column(0) for each in rows), skipped=skipped)


def _add_partials(
    plan: Plan, frame: DataFrame, read: Read = _batches_of_rows, left_out: LeftOut | None = None
) -> Aggregate:
    """Return the sum of what the tasks count; ``left_out`` is told how many rows they left out."""
    length = 1 + len(plan.levels) + plan.counters
    adders = min(_ADDERS, -(-length // _PIECE))
    parts = frame.mapInArrow(partial(_tally, plan.to_json(), read), _PIECES)
    table = parts.repartition(adders, "piece").mapInArrow(_add_up, _PIECES).toArrow()
    total = np.zeros(length, np.int64)
    for piece, data in zip(*(table.column(at).to_pylist() for at in range(2)), strict=True):
        if piece == _WRONG:
            raise WireError(data.decode())
        total[piece * _PIECE : (piece + 1) * _PIECE] += np.frombuffer(data, np.int64)
    if left_out is not None:
        left_out.add(int(total[0]))
    total, levels = total[1:], len(plan.levels)
    ends = np.cumsum([mechanism.counters for mechanism in plan.mechanisms])[:-1]
    return Aggregate(plan, total[:levels].tolist(), np.split(total[levels:], ends)).checked()


def _tally(plan_text: str, read: Read, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: count the reports of one task, and yield the counts in pieces."""
    plan = Plan.from_json(plan_text)
    left_out = LeftOut(NO_REPORT)
    try:
        total = Aggregate.of(plan, read(plan, batches, left_out.add))
    except LdprangeError as error:  # not raised: the cluster would try again, and to no avail
        yield _rows([_WRONG], [str(error).encode()])
        return
    if not total.reports and not left_out.rows:
        return
    numbers = np.concatenate([np.array([left_out.rows, *total.users], np.int64), *total.counts])
    for piece, start in enumerate(range(0, numbers.size, _PIECE)):
        yield _rows([piece], [numbers[start : start + _PIECE].tobytes()])


def _add_up(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: add up the pieces that have the same place."""
    totals: dict[int, Counts] = {}
    for rows in batches:
        for piece, data in zip(*(column.to_pylist() for column in rows.columns), strict=True):
            if piece == _WRONG:
                yield _rows([_WRONG], [data])
            elif piece in totals:
                totals[piece] += np.frombuffer(data, np.int64)
            else:
                totals[piece] = np.frombuffer(data, np.int64).copy()
    for piece, counts in totals.items():
        yield _rows([piece], [counts.tobytes()])


def _rows(pieces: list[int], data: list[bytes]) -> pa.RecordBatch:
    return pa.record_batch([pa.array(pieces, pa.int32()), pa.array(data, pa.binary())], ["piece", "counts"])


def as_written(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows with the types that they have in a file of reports."""
    schema = schema_of(plan).remove_metadata()
    for rows in batches:
        try:
            yield rows.select(schema.names).cast(schema)
        except pa.ArrowInvalid as error:
            raise WireError(f"every row must be a report, and some are not ({error})") from None


def _file_at_fault(plan: Plan, frame: DataFrame) -> str:
    """Go through the reports again, for the name of a file that holds what it should not."""
    from pyspark.sql import functions

    if is_coded(plan):
        bounds = [mechanism.counters for mechanism in plan.mechanisms]
        right = functions.lit(False)
        for level, bound in enumerate(bounds):
            right |= (frame.level == level) & (frame.report >= 0) & (frame.report < bound)
        wrong = frame.where(functions.coalesce(~right, functions.lit(True)))
        found = wrong.select("_metadata.file_path").limit(1).toArrow()
    else:
        named = frame.select("level", "report", "_metadata.file_path")
        found = named.mapInArrow(partial(_wrong_files, plan.to_json()), "file_path string").limit(1).toArrow()
    names = found.column(0).to_pylist()
    return name_of(names[0]) if names else "one of the files"


def _wrong_files(plan_text: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: yield the names of files with reports that are none."""
    plan = Plan.from_json(plan_text)
    for rows in batches:
        names = rows.column("file_path")
        for name in names.unique():
            try:
                for each in as_written(plan, [rows.filter(pa.compute.equal(names, name))]):
                    batch_from(plan, each)
            except LdprangeError:
                yield pa.record_batch([pa.array([name.as_py()])], ["file_path"])
                return
