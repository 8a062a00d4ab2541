"""Reports as a column of anybody's table, Parquet or delimited text: a report (or a batch) in every row.

In Parquet they are bytes; there and in text they may be hexadecimal digits, or base64.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv

from ldprange.errors import FileError
from ldprange.files.parquet_reports import row_groups
from ldprange.files.report_rows import widths_of
from ldprange.files.tables import (
    DELIMITERS,
    check_separator,
    delimited_batches,
    open_parquet,
    parquet_batches,
    read_header,
)
from ldprange.packed_columns import batches_of
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.checking import shown
from ldprange.support.columns import check_columns
from ldprange.support.left_out import Skipped

_LONGEST = 1 << 16  # bytes of a batch in a row, unless a single report is longer
_BATCH_BYTES = 64 << 20
_BATCH_ROWS = 1 << 19


def read(
    file: BinaryIO,
    name: Path,
    plan: Plan,
    column: str,
    groups: range | None = None,
    skipped: Skipped | None = None,
) -> Iterator[Batch]:
    """Yield the reports of ``plan`` in a ``column`` of the table called ``name``, in batches.

    Of a Parquet file, only row ``groups``. Rows without a report are left out if ``skipped`` is there to be
    told of them; otherwise they are an error.
    """
    suffix, first = name.suffix.lower(), 1
    if suffix == ".parquet":
        check_columns(open_parquet(file).schema_arrow.names, [column], FileError, "table")
        one = 64 + max(widths_of(plan))
        # a text has two digits for a byte
        rows = min(_BATCH_ROWS, max(1, _BATCH_BYTES // (2 * one)))
        first += sum(row_groups(file)[: groups.start]) if groups else 0
        tables = parquet_batches(file, [column], max(_LONGEST, 2 * one), rows, groups)
    elif suffix in DELIMITERS:
        names = read_header(file, DELIMITERS[suffix])
        check_separator(names, DELIMITERS[suffix], column)
        check_columns(names, [column], FileError, "table")
        parsing = pyarrow.csv.ParseOptions(delimiter=DELIMITERS[suffix])
        tables = delimited_batches(file, names, {column: pa.string()}, parsing)
    else:
        raise FileError(
            f"a column of reports must be in a table called .parquet, .csv or .tsv, got {shown(suffix)}; "
            f"leave out column {shown(column)}, or rename the file"
        )
    return batches_of(plan, (table.column(column) for table in tables), first, skipped)
