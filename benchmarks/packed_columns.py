"""How fast packed reports are counted out of a column: ``python benchmarks/packed_columns.py``.

A million reports of the plan that is chosen by default, one in every row. The first line is the yardstick:
pyarrow reads the Parquet column in the same run, and does nothing with it. In brackets: reports per
second of processors' time, for a busy machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import ldprange as ldp
from ldprange.files import read_reports
from speed import show, side_by_side

REPORTS = 10**6
DIFFERENT = (
    10**4
)  # reports, again and again: to make each by itself would take longer than all that is measured

if __name__ == "__main__":
    plan = ldp.choose_plan(ldp.Domain.integers(0, 119), epsilon=1.1, expected_users=REPORTS)
    client = ldp.Client(plan)
    payloads = [ldp.wire.pack(client.encode(number % 120)) for number in range(DIFFERENT)]
    rows = payloads * (REPORTS // DIFFERENT)
    texts = [payload.hex() for payload in payloads] * (REPORTS // DIFFERENT)
    with tempfile.TemporaryDirectory() as folder:
        binary, text = Path(folder) / "binary.parquet", Path(folder) / "text.parquet"
        # as strangers' tables are: with other columns, and without a plan
        pq.write_table(pa.table({"report": pa.array(rows, pa.binary()), "n": range(REPORTS)}), binary)
        pq.write_table(pa.table({"report": texts, "n": range(REPORTS)}), text)

        def counted(path: Path) -> ldp.Aggregate:
            """Return the aggregate of a table's column."""
            return ldp.Aggregate.of(plan, read_reports(path, plan, column="report"))

        frame = pd.DataFrame({"report": rows})
        works: dict[str, Callable[[], object]] = {
            "pyarrow reads the column of bytes, and no more": partial(
                pq.read_table, binary, columns=["report"]
            ),
            "Parquet, bytes": partial(counted, binary),
            "Parquet, hexadecimal digits": partial(counted, text),
            "pandas, bytes": partial(ldp.Aggregate.of, plan, frame, column="report"),
            "an iterable of bytes": lambda: ldp.Aggregate.of(plan, iter(rows)),
        }
        for name, (took, busy) in zip(works, side_by_side(list(works.values()), 3), strict=True):
            bar = "1 M reports/s" if name.startswith("Parquet") else "none"
            rates = f"{REPORTS / took / 1e6:.2f} M/s ({REPORTS / busy / 1e6:.2f})"
            show(name, rates, bar)
