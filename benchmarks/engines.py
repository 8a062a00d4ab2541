"""Counting the same files here, with Spark, and by others: ``python benchmarks/engines.py [powers …]``.

Prints seconds for 10^6 and 10^7 reports, or for the powers of ten that are named, and how they compare within
this run. DuckDB and Polars count codes only, with their own group-by: ``pip install duckdb polars``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ldprange as ldp
from ldprange.engines import spark
from ldprange.engines.spark import counting
from ldprange.engines.spark.reading import frame_of
from ldprange.files import read_reports, write_reports

CHUNK = 10**6
AGES = ldp.Domain.integers(0, 1023)
PLANS = {
    "codes (Haar, HRR)": ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR()),
    "bytes (windows, Hadamard)": ldp.Plan(AGES, 1.1, ldp.Windows(), ldp.HadamardHashing()),
    "sets (tree, OUE)": ldp.Plan(ldp.Domain.integers(0, 63), 1.1, ldp.Tree(8), ldp.OUE()),
}


def seconds(works: dict[str, Callable[[], object]], rounds: int = 3) -> dict[str, float]:
    """Return the least time of each: in turns, so that all share the noise; the first round warms up."""
    least = dict.fromkeys(works, float("inf"))
    for number in range(1 + rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if number:
                least[name] = min(least[name], time.perf_counter() - start)
    return least


def write(plan: ldp.Plan, folder: Path, reports: int) -> float:
    """Write files of as many reports, and return the bytes of one."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    for number in range(reports // CHUNK):
        batch = ldp.encode_many(plan, rng.integers(0, plan.domain.bins, CHUNK), seed=number)
        write_reports(folder / f"{number:04}.parquet", plan, [batch])
    return sum(file.stat().st_size for file in folder.iterdir()) / reports


def here(plan: ldp.Plan, folder: Path) -> ldp.Aggregate:
    """Count on one machine."""
    return ldp.Aggregate.of(plan, read_reports(folder, plan))


def duckdb(folder: Path) -> int:
    """Count codes with DuckDB."""
    import duckdb

    query = f"select level, report, count(*) from '{folder}/*.parquet' group by all"  # noqa: S608 (our own folder)
    return len(duckdb.execute(query).fetchnumpy()["level"])


def polars(folder: Path) -> int:
    """Count codes with Polars."""
    import polars

    table = polars.scan_parquet(folder / "*.parquet").group_by("level", "report").len().collect()
    return int(table.height)


def main(powers: list[int]) -> None:
    """Measure and print."""
    start = time.perf_counter()
    with spark.session("local[2]") as session:
        session.range(1).count()
        print(f"Spark local[2] starts in {time.perf_counter() - start:.1f} s")
        for name, plan in PLANS.items():
            for power in powers:
                measure(session, name, plan, power)


def measure(session: object, name: str, plan: ldp.Plan, power: int) -> None:
    """Measure one plan at one size."""
    root = Path(tempfile.mkdtemp())
    try:
        folder = root / "reports"
        size = write(plan, folder, 10**power)
        assert spark.aggregate(session, plan, folder) == here(plan, folder)  # type: ignore[arg-type]  # noqa: S101
        frame = frame_of(session, plan, spark.files_of(folder))  # type: ignore[arg-type]
        works: dict[str, Callable[[], object]] = {
            "here": lambda: here(plan, folder),
            "Spark": lambda: spark.aggregate(session, plan, folder),  # type: ignore[arg-type]
            # of sets the same as Spark: how far the two are apart is noise
            "Spark, Python workers": lambda: counting._add_partials(plan, frame),
        }
        if name.startswith("codes"):
            works["DuckDB"] = lambda: duckdb(folder)
            works["Polars"] = lambda: polars(folder)
        took = seconds(works)
        alone = took["here"]
        each = ", ".join(f"{who} {time:.2f} s ({time / alone:.1f})" for who, time in took.items())
        print(f"{name}, 10^{power} reports, {size:.2f} bytes each: {each}", flush=True)
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main([int(power) for power in sys.argv[1:]] or [6, 7])
