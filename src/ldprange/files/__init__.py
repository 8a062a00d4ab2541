"""Files: people's values, reports, plans, and plain text.

What a file holds is told by its name: ``.csv``, ``.tsv`` and ``.parquet`` are tables, anything
else is a plain column of values, or reports packed as on the wire.
"""

from ldprange.files.plans import read_plan
from ldprange.files.reports import read_reports, write_reports
from ldprange.files.text import read_text, write_text
from ldprange.files.values import read_values

__all__ = ["read_plan", "read_reports", "read_text", "read_values", "write_reports", "write_text"]
