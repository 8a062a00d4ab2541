"""Rehearsals at full size: a column of values becomes reports on the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ldprange.engines.spark.counting import as_written
from ldprange.engines.spark.reading import schema
from ldprange.engines.spark.sessions import check_installed, partition, translated
from ldprange.files import write_reports
from ldprange.files.folders import new_report_folder
from ldprange.files.parquet_reports import batch_from, is_coded, rows_of
from ldprange.files.sources import Name
from ldprange.files.tables import typed
from ldprange.plan import Plan
from ldprange.randomness import seed_sequence
from ldprange.reports import gathered
from ldprange.simulation import encode_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def encode(plan: Plan, frame: DataFrame, column: str, *, seed: int) -> DataFrame:
    """Randomise a column of values, with seeded coins and by the clients' law.

    Real clients encode on their own devices, and nobody holds such a column: this is a rehearsal.

    Parameters
    ----------
    plan
        The plan.
    frame
        Of any session, classic or Connect.
    column
        Its column of values. One that is missing or outside the domain is an error when the reports are used.
    seed
        Of the coins. The same frame, cut into partitions and batches in the same way, gives the same reports,
        also where a task is run again.

    Returns
    -------
    DataFrame
        Rows of ``level`` and ``report``, made when they are used: for :func:`count` and :func:`write`.
    """
    check_installed()
    seed_sequence(seed)  # a seed that is none is told at once
    work = partial(_encode, plan.to_json(), int(seed))
    return frame.select(column).mapInArrow(work, schema(plan))


def write(plan: Plan, frame: DataFrame, folder: Name) -> int:
    """Write a frame of reports into a new folder that all workers share, and return how many there were.

    The files, one for each partition, are as those of ``ldprange export``, with the plan beside them. (A
    table that Spark itself writes does not say of which plan it is.) The folder is there when all is in it.
    """
    check_installed()
    with new_report_folder(Path(folder).absolute(), plan) as beside, translated():
        work = partial(_write, plan.to_json(), str(beside))
        counts = frame.select("level", "report").mapInArrow(work, "reports bigint").toArrow()
    return sum(counts.column(0).to_pylist())


def _encode(plan_text: str, seed: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: encode one partition, with coins that are its own."""
    plan = Plan.from_json(plan_text)
    types = pa.schema([("level", pa.int16()), ("report", pa.int64() if is_coded(plan) else pa.binary())])
    coins = np.random.SeedSequence(seed, spawn_key=(partition(),))
    its_seed = int.from_bytes(coins.generate_state(4).tobytes(), "little")
    values = typed(batches, plan.domain)
    for reports in encode_stream(plan, values, seed=its_seed):
        yield rows_of(reports).cast(types)


def _write(plan_text: str, folder: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On a worker: write one partition."""
    plan = Plan.from_json(plan_text)
    name = Path(folder) / f"part-{partition():05}.parquet"
    reports = gathered(batch_from(plan, rows) for rows in as_written(plan, batches))
    yield pa.record_batch([pa.array([write_reports(name, plan, reports)])], ["reports"])
