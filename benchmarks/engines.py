"""Counting the same files here, with Spark, and by others: ``python benchmarks/engines.py [powers …]``.

Prints seconds for 10^6 and 10^7 reports, or for the powers of ten that are named, what a billion would take,
and how they compare within this run; then how linear counting here is. The first plans are those that are
chosen by default, on 2^10 and 2^16 bins. ``--kinds codes`` leaves out all but HaarHRR's, and ``--no-spark``
Spark: a billion codes take 1.1 GB of disk, a billion reports of a default plan 3.3 GB. DuckDB and Polars
count equal reports with their own group-by, and check nothing: ``pip install duckdb polars``. On a busy
machine compare the time of processors, of this process alone, that stands beside.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import ldprange as ldp
from ldprange.engines import spark
from ldprange.engines.spark import counting
from ldprange.engines.spark.reading import frame_of
from ldprange.files import write_reports
from ldprange.files.counting import count_files
from ldprange.files.reports import report_files
from ldprange.support.parallel import in_threads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILE, ROW_GROUP = 10**7, 10**6  # reports
LONG = 15.0  # seconds; what takes longer is run once, and needs no warming up
PYTHON_UP_TO = 7  # powers; SQL is what Spark does with these
AGES = ldp.Domain.integers(0, 1023)
PLANS = {
    "default_10": ldp.choose_plan(AGES, epsilon=1.1, expected_users=10**6),
    "default_16": ldp.choose_plan(ldp.Domain.integers(0, 65_535), epsilon=1.1, expected_users=10**6),
    "codes": ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR()),
    "bytes": ldp.Plan(AGES, 1.1, ldp.Windows(), ldp.HadamardHashing()),
    "sets": ldp.Plan(ldp.Domain.integers(0, 63), 1.1, ldp.Tree(8), ldp.OUE()),
}
GROUPED = ("default_10", "default_16", "codes")  # what DuckDB and Polars count beside


class Took(NamedTuple):
    """Seconds, and seconds of processors in this process."""

    time: float
    busy: float


NEVER = Took(float("inf"), float("inf"))


def seconds(works: dict[str, Callable[[], object]], rounds: int = 3) -> dict[str, Took]:
    """Return the least times of each: in turns, so that all share the noise; the first round warms up."""
    least = dict.fromkeys(works, NEVER)
    for number in range(1 + rounds):
        for name, work in works.items():
            if LONG < least[name].time < float("inf"):
                continue
            start, busy = time.perf_counter(), time.process_time()
            work()
            took = Took(time.perf_counter() - start, time.process_time() - busy)
            if number or took.time > LONG:
                least[name] = Took(*map(min, least[name], took))
    return least


def write(plan: ldp.Plan, folder: Path, reports: int) -> float:
    """Write files of as many reports, on all cores and a row group at a time, and return the bytes of one."""
    folder.mkdir()
    groups = range(-(-reports // ROW_GROUP))
    files = [groups[start : start + FILE // ROW_GROUP] for start in range(0, len(groups), FILE // ROW_GROUP)]
    size = min(reports, ROW_GROUP)

    def batches(numbers: range) -> Iterator[ldp.Batch]:
        for number in numbers:
            values = np.random.default_rng(number).integers(0, plan.domain.bins, size)
            yield ldp.encode_many(plan, values, seed=number)

    def file(numbers: range) -> int:
        return write_reports(folder / f"{numbers[0]:06}.parquet", plan, batches(numbers))

    assert sum(in_threads(file, files)) == reports  # noqa: S101 (a size that is not the one would mean nothing)
    return sum(path.stat().st_size for path in folder.iterdir()) / reports


def here(plan: ldp.Plan, folder: Path) -> ldp.Aggregate:
    """Count on one machine, as ``ldprange aggregate`` does."""
    return count_files(plan, report_files(folder))


def duckdb(folder: Path) -> int:
    """Count equal reports with DuckDB."""
    import duckdb

    query = f"select level, report, count(*) from '{folder}/*.parquet' group by all"  # noqa: S608 (our own folder)
    return len(duckdb.execute(query).fetchnumpy()["level"])


def polars(folder: Path) -> int:
    """Count equal reports with Polars."""
    import polars

    table = polars.scan_parquet(folder / "*.parquet").group_by("level", "report").len().collect()
    return int(table.height)


def measure(session: SparkSession | None, kind: str, power: int) -> float:
    """Measure one plan at one size, print it, and return the processors' seconds that it takes here."""
    plan, reports = PLANS[kind], 10**power
    root = Path(tempfile.mkdtemp())
    try:
        folder = root / "reports"
        start = time.perf_counter()
        size = write(plan, folder, reports)
        files = len(list(folder.iterdir()))
        print(
            f"{kind}, 10^{power} reports in {files} files, {size:.3f} bytes each, "
            f"written in {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        works: dict[str, Callable[[], object]] = {"here": partial(here, plan, folder)}
        if session is not None:
            works["Spark"] = partial(spark.aggregate, session, plan, folder)
            if kind != "sets" and power <= PYTHON_UP_TO:
                frame = frame_of(session, plan, spark.files_of(folder))
                works["Spark, Python workers"] = partial(counting._add_partials, plan, frame)
            if power <= PYTHON_UP_TO:
                assert spark.aggregate(session, plan, folder) == here(plan, folder)  # noqa: S101
        if kind in GROUPED:
            works |= {"DuckDB": partial(duckdb, folder), "Polars": partial(polars, folder)}
        took = seconds(works)
    finally:
        shutil.rmtree(root)
    alone = took["here"]
    for who, each in took.items():
        compared = f", {each.time / alone.time:.2f} times here, {each.time - alone.time:+.2f} s"
        print(
            f"  {who:22} {each.time:8.3f} s ({each.busy:.3f} of processors), "
            f"{each.time / reports * 1e9:6.1f} s a billion{'' if who == 'here' else compared}",
            flush=True,
        )
    if kind in GROUPED:
        faster = min("DuckDB", "Polars", key=took.__getitem__)
        print(
            f"  here is {took[faster].time / alone.time:.2f} times as fast as the faster of the two, "
            f"{faster}, and {took[faster].busy / alone.busy:.2f} times by processors (bar: 1)"
        )
    return alone.busy


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("powers", nargs="*", type=int, default=[6, 7])
    parser.add_argument("--spark", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--kinds", nargs="+", choices=PLANS, default=list(PLANS))
    options = parser.parse_args()
    start = time.perf_counter()
    with spark.session("local[*]") if options.spark else nullcontext() as session:
        if session is not None:
            session.range(1).count()
            print(f"Spark, local[*], starts in {time.perf_counter() - start:.1f} s", flush=True)
        for kind in options.kinds:
            each = [measure(session, kind, power) / 10**power for power in options.powers]
            large = [one for one, power in zip(each, options.powers, strict=True) if power >= 7]
            if len(large) > 1:
                ratio = max(large) / min(large)
                print(
                    f"{kind}: processors' seconds a report here, most over least from 10^7 up: "
                    f"{ratio:.2f} (bar: 1.15)"
                )


if __name__ == "__main__":
    main()
