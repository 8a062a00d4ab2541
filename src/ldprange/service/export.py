"""A survey's reports as Parquet files, for a cluster."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ldprange.files import write_reports
from ldprange.files.folders import new_report_folder
from ldprange.reports import Batch
from ldprange.service.store import Store, Survey


def export(
    store: Store,
    survey: Survey,
    folder: Path,
    *,
    reports_per_file: int = 1 << 22,
    progress: Callable[[int], None] = lambda reports: None,
) -> int:
    """Write all reports of a survey into a new folder, and return how many there were.

    They come in the order of their batches' random ids, which does not tell when each came. The folder is
    there when all is in it; before, it has another name.
    """
    with new_report_folder(folder, survey.plan) as beside:
        batches = store.batches(survey)
        total = part = 0
        batch = next(batches, None)
        while batch is not None or not part:
            written = 0

            def one_file() -> Iterator[Batch]:
                nonlocal batch, written
                while batch is not None and written < reports_per_file:
                    written += len(batch)
                    yield batch
                    progress(len(batch))
                    batch = next(batches, None)

            total += write_reports(beside / f"part-{part:05}.parquet", survey.plan, one_file())
            part += 1
    return total
