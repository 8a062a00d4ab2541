"""Reports as a Parquet table: columns ``level`` and ``report``, version and fingerprint in the schema.

A report is its code, an unsigned 32-bit integer, if every level's report is one; otherwise its
packed bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from ldprange.errors import WireError
from ldprange.files.rows import (
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

VERSION = 1
_VERSION_KEY, _FINGERPRINT_KEY = b"ldprange_version", b"ldprange_fingerprint"
_BATCH_BYTES = 32 << 20
_BATCH_ROWS = 1 << 20


def write(file: BinaryIO, plan: Plan, batches: Iterable[Batch]) -> None:
    """Write a row group for every batch."""
    schema, widths = _schema(plan), np.array(widths_of(plan))
    with pyarrow.parquet.ParquetWriter(
        file, schema, compression="zstd", use_dictionary=["level"], write_page_checksum=True
    ) as writer:
        for batch in batches:
            levels = levels_of(batch)
            if _is_coded(plan):
                reports = pa.array(np.concatenate(batch.columns).astype(np.uint32, copy=False))
            else:
                reports = strings(pa.binary(), bytes_of(batch), widths[levels])
            writer.write_batch(pa.record_batch([pa.array(levels), reports], schema=schema))


def row_groups(file: BinaryIO) -> list[int]:
    """Return how many rows each row group has."""
    metadata = open_parquet(file).metadata
    return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def read(file: BinaryIO, plan: Plan, groups: range | None = None) -> Iterator[Batch]:
    """Yield the table, or some row groups of it, in batches."""
    table = open_parquet(file)
    _check(plan, table.schema_arrow)
    widths = widths_of(plan)
    at_once = min(_BATCH_ROWS, max(1, _BATCH_BYTES // max(widths)))
    for rows in parquet_batches(table, ["level", "report"], at_once, groups):
        if _is_coded(plan):
            yield coded_batch(plan, rows)
        else:
            levels, reports = by_level(plan, rows)
            packed = end_to_end(reports, np.array(widths)[levels])
            yield batch_of(plan, levels, np.frombuffer(packed, np.uint8), widths)


def _is_coded(plan: Plan) -> bool:
    return all(isinstance(mechanism, CodedMechanism) for mechanism in plan.mechanisms)


def _schema(plan: Plan) -> pa.Schema:
    return pa.schema(
        [("level", pa.uint8()), ("report", pa.uint32() if _is_coded(plan) else pa.binary())],
        metadata={_VERSION_KEY: str(VERSION), _FINGERPRINT_KEY: plan.fingerprint},
    )


def _check(plan: Plan, schema: pa.Schema) -> None:
    metadata = schema.metadata or {}
    version = metadata.get(_VERSION_KEY)
    if version is None:
        raise WireError("the table must say that it holds reports, and it does not; it is something else")
    if version != str(VERSION).encode():
        raise WireError(
            f"reports must be of version {VERSION}, got {version.decode(errors='replace')}; upgrade ldprange"
        )
    check_fingerprint(plan, metadata.get(_FINGERPRINT_KEY, b"").decode(errors="replace"))
    if not schema.equals(_schema(plan), check_metadata=False):
        wanted, got = (
            ", ".join(f"{field.name} ({field.type})" for field in s) for s in (_schema(plan), schema)
        )
        raise WireError(f"the table's columns must be {wanted}, got {got}")
