"""Reports as a Parquet table: columns ``level`` and ``report``, version and fingerprint in the schema.

A report is its code, an unsigned 32-bit integer, if every level's report is one; otherwise its
packed bytes.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from ldprange.errors import WireError
from ldprange.files.report_rows import (
    batch_of,
    by_level,
    bytes_of,
    check_fingerprint,
    coded_batch,
    end_to_end,
    levels_of,
    strings,
    widths_of,
)
from ldprange.files.tables import open_parquet, parquet_batches
from ldprange.oracles.contract import CodedMechanism
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.checking import listed

VERSION = 1
_VERSION_KEY, _FINGERPRINT_KEY = b"ldprange_version", b"ldprange_fingerprint"
_BATCH_BYTES = 32 << 20
_BATCH_ROWS = 1 << 20
_FEW_ROWS = 1 << 16


def write(file: BinaryIO, plan: Plan, batches: Iterable[Batch]) -> None:
    """Write a row group for every batch."""
    with pyarrow.parquet.ParquetWriter(
        file, schema_of(plan), compression="zstd", use_dictionary=["level"], write_page_checksum=True
    ) as writer:
        for batch in batches:
            writer.write_batch(rows_of(batch))


def row_groups(file: BinaryIO) -> list[int]:
    """Return how many rows each row group has."""
    metadata = open_parquet(file).metadata
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def read(file: BinaryIO, plan: Plan, groups: range | None = None) -> Iterator[Batch]:
    """Yield the table, or some row groups of it, in batches."""
    check_schema(plan, open_parquet(file).schema_arrow)
    longest = max(4, *widths_of(plan))  # a code has 4 bytes
    # a row group that was a batch is sorted by level, so one is read at a time unless they are small
    at_once = min(_BATCH_ROWS, max(1, _BATCH_BYTES // longest), max([_FEW_ROWS, *row_groups(file)]))
    for rows in parquet_batches(file, ["level", "report"], longest, at_once, groups):
        yield batch_from(plan, rows)


def rows_of(batch: Batch) -> pa.RecordBatch:
    """Return a batch as rows of the table."""
    plan, levels = batch.plan, levels_of(batch)
    if is_coded(plan):
        reports = pa.array(np.concatenate(batch.columns).astype(np.uint32, copy=False))
    else:
        reports = strings(pa.binary(), bytes_of(batch), np.array(widths_of(plan))[levels])
    return pa.record_batch([pa.array(levels), reports], schema=schema_of(plan))


def batch_from(plan: Plan, rows: pa.RecordBatch) -> Batch:
    """Return rows of the table as a batch; what is not a report of this plan is an error."""
    if is_coded(plan):
        return coded_batch(plan, rows)
    widths = widths_of(plan)
    levels, reports = by_level(plan, rows)
    packed = end_to_end(reports, np.array(widths)[levels])
    return batch_of(plan, levels, np.frombuffer(packed, np.uint8), widths)


def is_coded(plan: Plan) -> bool:
    """Say whether every level's report is one integer, so that counting reports is all of the tally."""
    return all(isinstance(mechanism, CodedMechanism) for mechanism in plan.mechanisms)


def schema_of(plan: Plan) -> pa.Schema:
    """Return the columns of the table, with what it says of itself."""
    return pa.schema(
        [("level", pa.uint8()), ("report", pa.uint32() if is_coded(plan) else pa.binary())],
        metadata={_VERSION_KEY: str(VERSION), _FINGERPRINT_KEY: plan.fingerprint},
    )


def check_schema(plan: Plan, schema: pa.Schema) -> None:
    """Raise an error unless a table with this schema holds reports of this plan."""
    metadata = schema.metadata or {}
    version = metadata.get(_VERSION_KEY)
    if version is None:
        raise WireError(
            "the table must say that it holds reports, and it does not; it is something else, "
            "or a table of your own, whose column of packed reports you must name (--column)"
        )
    if version != str(VERSION).encode():
        got = version.decode(errors="replace")[:40]
        raise WireError(f"reports must be of version {VERSION}, got {got}; upgrade ldprange")
    check_fingerprint(plan, metadata.get(_FINGERPRINT_KEY, b"").decode(errors="replace"))
    if not schema.equals(schema_of(plan), check_metadata=False):
        wanted, got = (
            listed(f"{field.name} ({field.type})" for field in s) for s in (schema_of(plan), schema)
        )
        raise WireError(f"the table's columns must be {wanted}, got {got}")
