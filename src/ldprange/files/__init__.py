"""Files: people's values, reports and plans.

What a file holds is told by its name: ``.csv``, ``.tsv`` and ``.parquet`` are tables, anything
else is a plain column of values, or reports packed as on the wire.
"""

from ldprange.files.plans import read_plan
from ldprange.files.reports import read_reports, write_reports
from ldprange.files.values import read_values

__all__ = ["read_plan", "read_reports", "read_values", "write_reports"]
