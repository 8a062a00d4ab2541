"""A survey's reports as Parquet files, for a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ldprange.errors import FileError
from ldprange.files import write_reports, write_text
from ldprange.reports import Batch
from ldprange.service.store import Store, Survey

PLAN_FILE = "_plan.json"
"""Beside the reports; a name that begins so is passed over by whoever reads a folder of tables."""


def export(
    store: Store,
    survey: Survey,
    folder: Path,
    *,
    reports_per_file: int = 1 << 22,
    progress: Callable[[int], None] = lambda reports: None,
) -> int:
    """Write all reports of a survey into a new folder, and return how many there were.

    The folder is there when all is in it; before, it has another name.
    """
    if folder.exists():
        raise FileError(
            f"{folder} must not be there yet, so that nothing is counted twice; choose another name"
        )
    beside = folder.with_name(f"{folder.name}.partial")
    try:
        beside.mkdir()
    except OSError as error:
        raise FileError(
            f"{beside} cannot be made: {error.strerror}; if it was left behind, remove it"
        ) from None
    try:
        write_text(beside / PLAN_FILE, survey.plan.to_json() + "\n")
        batches = (batch for _, batch in store.batches(survey))
        total = part = 0
        held = next(batches, None)
        while held is not None or not part:
            written = 0

            def one_file() -> Iterator[Batch]:
                nonlocal held, written
                while held is not None and written < reports_per_file:
                    written += len(held)
                    yield held
                    progress(len(held))
                    held = next(batches, None)

            total += write_reports(beside / f"part-{part:05}.parquet", survey.plan, one_file())
            part += 1
        beside.rename(folder)
    except BaseException:
        for file in beside.iterdir():
            file.unlink()
        beside.rmdir()
        raise
    return total
