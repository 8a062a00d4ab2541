"""Report files: Parquet, CSV, and batches packed as on the wire; or a directory of them."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ldprange.errors import FileError, MismatchError
from ldprange.files.sniffing import SWAP, Kind, expect
from ldprange.files.sources import Name, Progress, opened, watched
from ldprange.plan import Plan
from ldprange.reports import Batch, gathered
from ldprange.support.checking import shown
from ldprange.support.left_out import Skipped
from ldprange.support.optional import optional_packages
from ldprange.support.whole_files import whole_file

SUFFIXES = (".csv", ".parquet", ".reports")
"""The kinds of report files that a directory may hold; a file named by itself may be called anything."""

_KINDS = {".parquet": Kind.PARQUET, ".csv": Kind.TEXT, ".tsv": Kind.TEXT}
_MODULES = {".parquet": "parquet_reports", ".csv": "csv_reports"}
_ADVICE = {
    Kind.PLAN: SWAP,
    Kind.AGGREGATE: "aggregates are added up by merge",
    Kind.ARCHIVE: "unpack it, or write the reports again",
    Kind.PACKED: "rename it to .reports",
    Kind.PARQUET: "rename it to .parquet",
    Kind.TEXT: "rename it to .csv",
}

_PIECE_BYTES = 32 << 20
_PIECE_REPORTS = 1 << 20


def write_reports(path: Name, plan: Plan, batches: Iterable[Batch]) -> int:
    """Write reports to a file of the kind that its name says, and return how many there were.

    The file is there whole or not at all. A name that ends otherwise than with ``.parquet``, ``.csv`` or
    ``.reports`` is an error; one without an ending is for packed reports.
    """
    ending = Path(path).suffix
    if ending and ending.lower() not in SUFFIXES and not _is_pipe(Path(path)):
        raise FileError(
            f"{path} must end with one of {', '.join(SUFFIXES)}, as report files do, got {shown(ending)}"
        )
    count = 0

    def pieces() -> Iterator[Batch]:
        nonlocal count
        for batch in batches:
            if batch.plan.fingerprint != plan.fingerprint:
                raise MismatchError(
                    f"reports must be of the plan {plan.fingerprint}, got some of {batch.plan.fingerprint}"
                )
            for piece in _pieces(batch):
                count += len(piece)
                yield piece

    with whole_file(path) as file:
        _format(Path(path)).write(file, plan, pieces())
    return count


def read_reports(
    path: Name,
    plan: Plan,
    *,
    column: str | None = None,
    progress: Progress | None = None,
    groups: range | None = None,
    skipped: Skipped | None = None,
) -> Iterator[Batch]:
    """Yield the reports of a file, or of all report files in a directory, in batches that fit in memory.

    Everything is checked as :func:`ldprange.wire.unpack` does; anything that is not a report of this
    plan is an error that names the file.

    Parameters
    ----------
    path
        A report file, or a directory whose report files are read in the order of their names. In a
        directory, names that begin with ``.`` or ``_`` are passed over; any other file that is not called
        ``.csv``, ``.parquet`` or ``.reports`` is an error.
    plan
        The plan under which the reports must have been made.
    column
        The files are tables of your own (.parquet, .csv, .tsv), and this column of theirs has a packed report
        in every row: bytes, or text in hexadecimal digits or base64.
    progress
        Called with every batch: how many more bytes were read.
    groups
        Of a Parquet file, only these row groups.
    skipped
        Called with numbers of rows of ``column`` that are left out because they hold no report of this plan;
        without it, such a row is an error.
    """
    for name in report_files(path):
        with opened(name) as file:
            if name.is_file() and not name.stat().st_size:
                raise FileError("the file must hold reports, and it is empty")
            kind = _KINDS.get(name.suffix.lower(), Kind.PACKED)
            what = kind.value if kind is Kind.PACKED else f"reports as {kind.value}"
            expect(kind, file, what, _ADVICE)
            if column is None:
                batches = _format(name).read(file, plan, groups)
            else:
                batches = _module("column_reports").read(file, name, plan, column, groups, skipped)
            yield from watched(file, gathered(batches), progress)


def report_files(path: Name) -> list[Path]:
    """Return the file itself, or all report files in a directory and those below."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    names = [
        name
        for name in sorted(root.rglob("*"))
        if not any(part.startswith((".", "_")) for part in name.relative_to(root).parts) and not name.is_dir()
    ]
    unknown = [str(name) for name in names if name.suffix.lower() not in SUFFIXES]
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise FileError(
            f"{path} must hold only report files ({', '.join(SUFFIXES)}), "
            f"got {', '.join(unknown[:3])}{more}; move the others away, or name the report files one by one"
        )
    if not names:
        raise FileError(f"{path} must hold report files ({', '.join(SUFFIXES)}), and it has none")
    return names


def _is_pipe(path: Path) -> bool:
    """Say whether there is a pipe or a device by this name, which has no kind."""
    return path.exists() and not path.is_file()


def _format(path: Path) -> ModuleType:
    """Return the module that reads and writes files of this name.

    Its ``read(file, plan, groups)`` yields reports, of Parquet's row ``groups`` only; what is not a report of
    ``plan`` is an error. Its ``write(file, plan, batches)`` takes batches of which none is large.
    """
    return _module(_MODULES.get(path.suffix.lower(), "packed_reports"))


def _module(name: str) -> ModuleType:
    with optional_packages():  # loaded when it is used: it takes as long as all else together
        return import_module(f"ldprange.files.{name}")


def _pieces(batch: Batch) -> Iterator[Batch]:
    """Cut a batch into pieces of which several fit in memory, level by level."""
    columns = list(batch.columns)
    widths = [mechanism.width for mechanism in batch.plan.mechanisms]
    size = sum(width * len(column) for width, column in zip(widths, columns, strict=True))
    parts = max(1, -(-size // _PIECE_BYTES), -(-len(batch) // _PIECE_REPORTS))
    for part in range(parts):
        yield Batch(
            batch.plan,
            [column[len(column) * part // parts : len(column) * (part + 1) // parts] for column in columns],
        )
