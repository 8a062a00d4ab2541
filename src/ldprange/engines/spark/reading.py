"""Report files as a frame of Spark's, after every footer was read.

Spark does not look at what a Parquet file says of itself, so the driver does: version, fingerprint, columns,
and how many reports there are. What the cluster counted must then be as many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from ldprange.errors import FileError
from ldprange.files.parquet_reports import check_schema, is_coded
from ldprange.files.reports import report_files
from ldprange.files.sniffing import Kind, expect
from ldprange.files.sources import Name, naming, opened
from ldprange.files.tables import open_parquet
from ldprange.plan import Plan
from ldprange.support.parallel import in_threads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SUFFIX = ".parquet"
_GLOB = re.compile(r"[][{}*?\\]")  # Spark would take these in a name as a pattern
_SCHEMES = {"s3a": "s3", "s3n": "s3"}  # Hadoop's names for what others call otherwise
OPTIONS = {
    # whatever the session's own settings are: what cannot be read is an error
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
    "parquet.page.verify-checksum.enabled": "true",
}


def schema(plan: Plan) -> str:
    """Return the columns of reports as Spark reads them: it has no unsigned integers."""
    return f"level smallint, report {'bigint' if is_coded(plan) else 'binary'}"


def files_of(paths: Name | Iterable[Name]) -> list[str]:
    """Return every Parquet file among files and directories, local ones by their absolute names."""
    many = [paths] if isinstance(paths, str) or not isinstance(paths, Iterable) else paths
    found = [name for path in many for name in _files(str(path))]
    for name in found:
        if not name.lower().endswith(SUFFIX):
            raise FileError(
                f"{name}: a cluster reads reports as Parquet ({SUFFIX}) only; "
                "count this file on one machine, and merge the aggregates"
            )
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise FileError(f"every input must be given once, got {twice} twice; it would be counted twice")
    if not found:
        raise FileError("there must be report files to count, and none were given")
    return found


def _files(path: str) -> list[str]:
    if not _is_uri(path):
        return [str(name.resolve()) for name in report_files(path)]
    with _reached():
        system, root = _system(path)
        if system.get_file_info(root).type is not fs.FileType.Directory:
            return [path]
        below = system.get_file_info(fs.FileSelector(root, recursive=True))
    names = sorted(info.path[len(root) :].lstrip("/") for info in below if info.is_file)
    names = [name for name in names if not any(part.startswith((".", "_")) for part in name.split("/"))]
    if not names:
        raise FileError(f"{path} must hold report files, and it has none")
    return [f"{path.rstrip('/')}/{name}" for name in names]


def reports_in(plan: Plan, files: Sequence[str]) -> int:
    """Return how many reports the files hold, after making sure that each is of this plan."""
    return sum(in_threads(lambda name: _reports(plan, name), files))


def _reports(plan: Plan, name: str) -> int:
    with _opened(name) as file:
        table = open_parquet(file)
        check_schema(plan, table.schema_arrow)
        return int(table.metadata.num_rows)


def frame_of(session: SparkSession, plan: Plan, files: Sequence[str]) -> DataFrame:
    """Return the reports in files as rows of ``level`` and ``report``."""
    reader = session.read.schema(schema(plan)).options(**OPTIONS)
    return reader.parquet(*map(pattern_of, files))


def pattern_of(name: str) -> str:
    """Return what Spark, which takes every name as a pattern, takes for this very file or directory."""
    # a scheme, so that it is not one in the cluster's own file system
    return _GLOB.sub(r"\\\g<0>", name if _is_uri(name) else f"file://{name}")


def name_of(address: str) -> str:
    """Return a file's name by the address that Spark gives it, which has %20 and its like."""
    return unquote(address).removeprefix("file://")


def _is_uri(name: str) -> bool:
    return "://" in name


def _system(uri: str) -> tuple[fs.FileSystem, str]:
    scheme, rest = uri.split("://", 1)
    found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(f"{_SCHEMES.get(scheme, scheme)}://{rest}")
    return found


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if _is_uri(name):
        with naming(name), _reached():
            system, path = _system(name)
            with system.open_input_file(path) as file:
                yield file
    else:
        with opened(name) as file:
            expect(Kind.PARQUET, file, "reports as a Parquet table", dict.fromkeys(Kind, "give report files"))
            yield file


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"it cannot be read from here: {str(error).splitlines()[0]}") from None
