"""Reports as a CSV table: columns ``plan`` (its fingerprint), ``level``, ``report`` (hexadecimal)."""

import binascii
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ldprange.errors import LdprangeError, WireError, about
from ldprange.files.report_rows import (
    batch_of,
    by_level,
    bytes_of,
    check_fingerprint,
    end_to_end,
    levels_of,
    strings,
    widths_of,
)
from ldprange.files.tables import delimited_batches, first_failure, read_header
from ldprange.plan import Plan
from ldprange.reports import Batch

_TYPES = {"plan": pa.string(), "level": pa.uint8(), "report": pa.string()}
_DIGITS = 2  # hexadecimal digits to a byte


def write(file: BinaryIO, plan: Plan, batches: Iterable[Batch]) -> None:
    """Write a row for every report."""
    schema, widths = pa.schema(list(_TYPES.items())), np.array(widths_of(plan))
    options = pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none")
    with pyarrow.csv.CSVWriter(file, schema, write_options=options) as writer:
        for batch in batches:
            levels = levels_of(batch)
            plans = pa.repeat(plan.fingerprint, len(levels))
            reports = strings(pa.string(), binascii.hexlify(bytes_of(batch).data), _DIGITS * widths[levels])
            writer.write_batch(pa.record_batch([plans, pa.array(levels), reports], schema=schema))


def read(file: BinaryIO, plan: Plan, groups: range | None = None) -> Iterator[Batch]:
    """Yield the table in batches."""
    names = read_header(file, ",")
    if names != list(_TYPES):
        raise WireError(
            f"the columns must be {','.join(_TYPES)}, got {','.join(names)[:100]}; of a table of "
            "your own, name the column of packed reports (--column)"
        )
    first = 1
    for rows in delimited_batches(file, names, _TYPES, pyarrow.csv.ParseOptions()):
        for fingerprint in pc.unique(rows.column("plan")).drop_null().to_pylist():
            check_fingerprint(plan, fingerprint)
        try:
            batch = _batch(plan, rows)
        except LdprangeError:
            at = first_failure(rows, partial(_batch, plan), (LdprangeError,))
            with about(f"row {first + at}"):
                _batch(plan, rows[at : at + 1])
            raise
        yield batch
        first += len(rows)


def _batch(plan: Plan, rows: pa.RecordBatch) -> Batch:
    levels, reports = by_level(plan, rows)
    widths = widths_of(plan)
    digits = end_to_end(reports, _DIGITS * np.array(widths)[levels])
    try:
        data = binascii.unhexlify(digits)
    except binascii.Error:
        raise WireError("every report must be in hexadecimal digits, and this one is not") from None
    return batch_of(plan, levels, np.frombuffer(data, np.uint8), widths)
