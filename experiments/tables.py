"""Tables: what an experiment comes to, as rows of named columns and as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from experiments.runs import Run
from experiments.store import Store
from ldprange.errors import FileError
from ldprange.support.whole_files import whole_file

Entry: TypeAlias = str | int | float | None
Row: TypeAlias = dict[str, Entry]
Table: TypeAlias = list[Row]


def row_of(store: Store, runs: list[Run], measure: str, printed: float | None = None) -> Row:
    """Return the error of one cell's runs: measured, predicted and printed."""
    error, cell = store.error(runs, measure), runs[0].cell
    return {
        "bins": cell.bins,
        "users": cell.users,
        "centre": cell.centre,
        "epsilon": cell.epsilon,
        "method": cell.method,
        "measure": measure,
        "measured": error.size,
        "deviation": error.deviation,
        "repetitions": error.repetitions,
        "exact": store.exact(cell, measure),
        "printed": printed,
    }


def number(row: Row, column: str) -> float:
    """Return an entry that is a number."""
    entry = row[column]
    if not isinstance(entry, int | float):
        raise TypeError(f"{column} must be a number, got {entry!r}")
    return entry


def select(table: Table, **entries: Entry) -> Table:
    """Return the rows that have these entries."""
    return [row for row in table if all(row[column] == entry for column, entry in entries.items())]


def distinct(table: Table, column: str) -> list[Entry]:
    """Return the different entries of a column, in the order in which they come."""
    return list(dict.fromkeys(row[column] for row in table))


def as_written(table: Table) -> Table:
    """Return a table as it will be read back: with six digits."""
    return [dict(_entries((column, _text(entry)) for column, entry in row.items())) for row in table]


def markdown(headings: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table for a page: the first column to the left, numbers to the right."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_table(path: Path, table: Table) -> None:
    """Write a table as CSV, whole or not at all."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    for row in table:
        writer.writerow({column: _text(entry) for column, entry in row.items()})
    with whole_file(path) as file:
        file.write(text.getvalue().encode())


def read_table(path: Path) -> Table:
    """Read a table back."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [dict(_entries(row.items())) for row in csv.DictReader(file, strict=True)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} cannot be read as a table: {error}; run the experiment again") from None


def _text(entry: Entry) -> str:
    if entry is None:
        return ""
    return f"{entry:.6g}" if isinstance(entry, float) else str(entry)


def _entries(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Entry]]:
    for column, field in fields:
        entry: Entry = field or None
        for kind in (int, float):
            try:
                entry = kind(field)
                break
            except (ValueError, TypeError):
                continue
        yield column, entry
