"""Counting report files on all cores, from where an interruption left it."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ldprange.aggregate import Aggregate
from ldprange.errors import FileError
from ldprange.files import checkpoint
from ldprange.files.checkpoint import Part
from ldprange.files.reports import read_reports
from ldprange.files.sources import STANDARD_INPUT, opened
from ldprange.plan import Plan
from ldprange.support.left_out import NO_REPORT, LeftOut, Skipped
from ldprange.support.optional import optional_packages
from ldprange.support.parallel import in_threads

_PART_ROWS = 1 << 22
_SECONDS = 30.0  # between checkpoints


def count_files(
    plan: Plan,
    files: Sequence[Path],
    *,
    column: str | None = None,
    skipped: Skipped | None = None,
    resume: Path | None = None,
    progress: Callable[[int, int], None] = lambda size, reports: None,
) -> Aggregate:
    """Count report files, on all cores, in memory that does not grow with them.

    Parameters
    ----------
    plan
        The plan under which the reports must have been made. Anything else is an error that names the file.
    files
        Every file once.
    column
        The files are tables of your own, and this column has a packed report in every row.
    skipped
        Called with numbers of rows of ``column`` that are left out because they hold no report of this plan;
        without it, such a row is an error.
    resume
        Where to keep how far it has come, should it end early. If that is there already, what it counts is
        not counted again. Remove it when the result is safe.
    progress
        Called with every part that is done: how many bytes it had, and how many reports.
    """
    parts = [part._replace(column=column) for file in files for part in parts_of(file)]
    total, done = Aggregate.empty(plan), dict[Part, int]()
    if resume is not None and resume.exists():
        total, done = checkpoint.load(resume, plan, set(parts))
        _tell(skipped, sum(done.values()), resume)
        progress(sum(_bytes(part, parts) for part in done), total.reports)
    left = [part for part in parts if part not in done]
    saved = time.monotonic()
    try:
        work = partial(_counted, plan, skipped is not None)
        for part, (counted, left_out) in zip(left, in_threads(work, left), strict=True):
            total.absorb(counted)
            done[part] = left_out
            _tell(skipped, left_out, part.name)
            progress(_bytes(part, parts), counted.reports)
            if resume is not None and time.monotonic() - saved > _SECONDS:
                checkpoint.save(resume, total, done)
                saved = time.monotonic()
    except (KeyboardInterrupt, SystemExit):
        if resume is not None and done:
            checkpoint.save(resume, total, done)
        raise
    return total


def parts_of(file: Path) -> list[Part]:
    """Cut a large Parquet file into runs of row groups; any other file stays whole."""
    if str(file) == STANDARD_INPUT or not file.is_file():
        return [Part(str(file), 0, -1, 0, 0)]
    size, changed = file.stat().st_size, file.stat().st_mtime_ns
    if file.suffix.lower() != ".parquet" or not size:
        return [Part(str(file), 0, -1, size, changed)]
    with optional_packages():
        from ldprange.files.parquet_reports import row_groups

    with opened(file) as open_file:
        rows = row_groups(open_file)
    parts, first, count = [], 0, 0
    for group, length in enumerate(rows, 1):
        count += length
        if count >= _PART_ROWS or group == len(rows):
            parts.append(Part(str(file), first, group, size, changed))
            first, count = group, 0
    return parts or [Part(str(file), 0, 0, size, changed)]


def _counted(plan: Plan, skipping: bool, part: Part) -> tuple[Aggregate, int]:
    """Return the aggregate of a ``part``, and how many of its rows were left out."""
    groups = None if part.last < 0 else range(part.first, part.last)
    left_out = LeftOut(NO_REPORT)
    skipped = left_out.add if skipping else None
    reports = read_reports(part.name, plan, column=part.column, groups=groups, skipped=skipped)
    return Aggregate.of(plan, reports), left_out.rows


def _tell(skipped: Skipped | None, rows: int, source: object) -> None:
    """Tell ``skipped`` how many ``rows`` of a ``source`` were left out; an error if none must be."""
    if rows and skipped is None:
        raise FileError(
            f"{source} leaves out {rows:,} damaged row{'s' * (rows != 1)}; remove it to begin anew"
        )
    if rows and skipped is not None:
        skipped(rows)


def _bytes(part: Part, parts: Sequence[Part]) -> int:
    """Return a part's share of its file's bytes."""
    return part.size // max(1, sum(other.name == part.name for other in parts))
