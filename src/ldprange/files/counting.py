"""Counting report files on all cores, from where an interruption left it."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ldprange.aggregate import Aggregate
from ldprange.files import checkpoint
from ldprange.files.checkpoint import Part
from ldprange.files.reports import read_reports
from ldprange.files.sources import STANDARD_INPUT, opened
from ldprange.plan import Plan
from ldprange.support.optional import optional_packages
from ldprange.support.parallel import in_threads

_PART_ROWS = 1 << 22
_SECONDS = 30.0  # between checkpoints


def count_files(
    plan: Plan,
    files: Sequence[Path],
    *,
    column: str | None = None,
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
    resume
        Where to keep how far it has come, should it end early. If that is there already, what it counts is
        not counted again. Remove it when the result is safe.
    progress
        Called with every part that is done: how many bytes it had, and how many reports.
    """
    parts = [part._replace(column=column) for file in files for part in parts_of(file)]
    total, done = Aggregate.empty(plan), set[Part]()
    if resume is not None and resume.exists():
        total, done = checkpoint.load(resume, plan, set(parts))
        progress(sum(_bytes(part, parts) for part in done), total.reports)
    left = [part for part in parts if part not in done]
    saved = time.monotonic()
    try:
        for part, counted in zip(left, in_threads(lambda part: _counted(plan, part), left), strict=True):
            total.absorb(counted)
            done.add(part)
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


def _counted(plan: Plan, part: Part) -> Aggregate:
    groups = None if part.last < 0 else range(part.first, part.last)
    return Aggregate.of(plan, read_reports(part.name, plan, column=part.column, groups=groups))


def _bytes(part: Part, parts: Sequence[Part]) -> int:
    """Return a part's share of its file's bytes."""
    return part.size // max(1, sum(other.name == part.name for other in parts))
