"""A live aggregate: report files are counted as they arrive, each exactly once.

Structured Streaming keeps in its checkpoint which files make up which batch, and gives a batch again if the
process ended before the batch was done. The aggregate's file has the number of the last batch that it counts
in its name, and appears in one step: a batch that is given again is either counted, and the name tells, or
not counted at all.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ldprange.aggregate import Aggregate
from ldprange.engines.spark.counting import aggregate
from ldprange.engines.spark.reading import SUFFIX, pattern_of
from ldprange.engines.spark.sessions import check_installed, translated
from ldprange.errors import EngineError, FileError, MismatchError
from ldprange.files.sources import Name
from ldprange.plan import Plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_CHECKPOINT = "checkpoint"
_KEPT = 2  # aggregates: the last, and the one before, which a reader may still hold
_FILES = "path string, modificationTime timestamp, length bigint, content binary"
_LOCAL = re.compile("^file:/+")
_NONE = -1  # the number of the batch before the first


def stream(
    session: SparkSession,
    plan: Plan,
    folder: Name,
    state: Name,
    *,
    files_per_batch: int = 1000,
    once: bool = False,
) -> StreamingQuery:
    """Count the report files in a folder, and those that will be moved into it, until the query is stopped.

    What is not a report of this plan ends the query with an error that names the file, and nothing of its
    batch is counted; put a right file (or one without reports) in its place and start again.

    Parameters
    ----------
    session
        A classic one.
    plan
        The plan under which the reports were made.
    folder
        Into which whole Parquet files are moved; a name is counted once, whatever becomes of the file. Other
        names than ``.parquet``, and those that begin with ``.`` or ``_``, are passed over.
    state
        A directory of the driver's, for the aggregate and the checkpoint: they belong together. Start with
        the same again after any end, and all goes on where it was.
    files_per_batch
        How many files are counted together, at most.
    once
        Count what is there and end.
    """
    check_installed()
    if not type(session).__module__.startswith("pyspark.sql.session"):
        raise EngineError("a stream needs a classic session, got one of Spark Connect; aggregate takes both")
    home = Path(state).absolute()
    checkpoint = home / _CHECKPOINT
    home.mkdir(parents=True, exist_ok=True)
    number, total = _last(home)
    if number != _NONE and not (checkpoint / "metadata").exists():
        raise EngineError(
            f"{checkpoint} must say what {_file(home, number)} counts, and it is gone; "
            "start with an empty directory, and count all files again"
        )
    if total is not None and total.plan.fingerprint != plan.fingerprint:
        raise MismatchError(f"{home} counts reports of plan {total.plan.fingerprint}, got {plan.fingerprint}")
    # Spark only says which files there are, without opening them; what they hold is read as always
    reader = (
        session.readStream.format("binaryFile")
        .schema(_FILES)
        .options(
            pathGlobFilter=f"*{SUFFIX}",
            maxFilesPerTrigger=str(files_per_batch),
            maxFileAge="36500d",  # a file that is old when it comes is counted too
        )
    )
    with translated():
        names = reader.load(pattern_of(str(Path(folder).absolute()))).select("path")
        writer = names.writeStream.foreachBatch(partial(_count_batch, plan, home))
        writer = writer.option("checkpointLocation", str(checkpoint))
        return (writer.trigger(availableNow=True) if once else writer).start()


def live(state: Name) -> Aggregate | None:
    """Return the aggregate of a stream so far, whether it runs or not; none before the first batch."""
    while True:
        number = _numbers(Path(state))[-1:]
        if not number:
            return None
        try:
            return Aggregate.load(_file(Path(state), number[0]))
        except FileError:
            if _numbers(Path(state))[-1:] == number:  # it was not replaced by later ones meanwhile
                raise


def _count_batch(plan: Plan, home: Path, frame: DataFrame, number: int) -> None:
    last, total = _last(home)
    if number > last + 1:
        raise EngineError(
            f"{home} must count all batches up to {number - 1}, got {last}: an aggregate was removed; "
            "start with an empty directory, and count all files again"
        )
    if number > last:  # or it was counted before the end that made Spark give it again
        # each once: where a name looks like a pattern, Spark gives all names of the batch several times
        files = {_LOCAL.sub("/", path) for path in frame.toArrow().column("path").to_pylist()}
        part = aggregate(frame.sparkSession, plan, sorted(files))
        (part if total is None else total + part).save(_file(home, number))
        _keep(home)
    for old in _numbers(home)[:-_KEPT]:
        _file(home, old).unlink(missing_ok=True)
    for half_written in home.glob("aggregate-*.partial"):  # by a driver that was killed
        half_written.unlink(missing_ok=True)


def _last(home: Path) -> tuple[int, Aggregate | None]:
    numbers = _numbers(home)
    return (numbers[-1], Aggregate.load(_file(home, numbers[-1]))) if numbers else (_NONE, None)


def _numbers(home: Path) -> list[int]:
    return sorted(int(path.stem.split("-")[1]) for path in home.glob("aggregate-*.agg"))


def _file(home: Path, number: int) -> Path:
    return home / f"aggregate-{number:09}.agg"


def _keep(home: Path) -> None:
    """Make the new name last through a loss of power, before Spark is told that the batch is done."""
    directory = os.open(home, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
