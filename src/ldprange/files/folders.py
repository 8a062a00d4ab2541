"""Folders of reports, with their plan beside them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldprange.errors import FileError
from ldprange.plan import Plan

PLAN_FILE = "_plan.json"
"""Beside the reports; a name that begins so is passed over by whoever reads a folder of tables."""


@contextmanager
def new_report_folder(folder: Path, plan: Plan) -> Iterator[Path]:
    """Make a new folder with a plan in it, for reports; it is there when all is in it.

    Yields the name that it has before.
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
        plan.save(beside / PLAN_FILE)
        yield beside
        beside.rename(folder)
    except BaseException:
        for file in beside.iterdir():
            file.unlink()
        beside.rmdir()
        raise
