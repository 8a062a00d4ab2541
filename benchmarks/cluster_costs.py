"""What counting on a cluster moves and holds, by Spark's own metrics: ``python benchmarks/cluster_costs.py``.

For plans with few and many counters, counted in SQL and by Python workers: bytes that go to the driver, bytes
that are shuffled, and the greatest memory of a Python worker. Each in a process and a session of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ldprange as ldp
from ldprange.engines import spark
from ldprange.engines.spark import counting
from ldprange.engines.spark.reading import frame_of
from ldprange.files import write_reports

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPORTS = 10**6  # in each of the files
FILES = 4
SQL, PYTHON = "SQL", "Python"
CASES = [(way, bits) for way in (SQL, PYTHON) for bits in (10, 16, 20, 22)]


def measure(way: str, bits: int) -> None:
    """Count once, and print what Spark says of it."""
    from pyspark.sql import SparkSession

    plan = ldp.Plan(ldp.Domain.integers(0, (1 << bits) - 1), 1.1, ldp.Haar(), ldp.HRR())
    builder = SparkSession.builder.master("local[2]").config("spark.ui.port", "0")
    session = builder.config("spark.log.level", "FATAL").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            values = np.random.default_rng(number).integers(0, 1 << bits, REPORTS)
            write_reports(f"{folder}/{number}.parquet", plan, [ldp.encode_many(plan, values, seed=number)])
        frame = frame_of(session, plan, spark.files_of(folder))
        total = counting._count_equal(plan, frame) if way == SQL else counting._add_partials(plan, frame)
        assert total.reports == FILES * REPORTS  # noqa: S101 (what lost reports would mean nothing)
    stages = [stage for stage in _stages(session) if stage["status"] == "COMPLETE"]
    driver = sum(stage["resultSize"] for stage in stages)
    shuffled = sum(stage["shuffleWriteBytes"] for stage in stages)
    tasks = min(stages, key=lambda stage: int(stage["stageId"]))["numTasks"]  # those that read files
    different = sum(int(np.count_nonzero(counts)) for counts in total.counts)
    # SQL moves a row for each different report, Python workers move every counter
    unit, number = ("different report", different) if way == SQL else ("counter", plan.counters)
    line = (
        f"{way}, D = 2^{bits}, {plan.counters:,} counters, {different:,} different reports, {tasks} tasks: "
        f"to the driver {driver:,} bytes ({driver / number:.1f} a {unit}), "
        f"shuffled {shuffled:,} bytes ({shuffled / number / tasks:.1f} a {unit} and task)"
    )
    if way == PYTHON:
        line += f", greatest memory of a Python worker {_worker_memory() / 1e6:.0f} MB"
    print(line, flush=True)
    session.stop()


def _stages(session: SparkSession) -> list[dict[str, Any]]:
    """Return what the session's own pages say of its stages."""
    context = session.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(address) as answer:  # noqa: S310 (our own session's)
        found: list[dict[str, Any]] = json.load(answer)
    return found


def _worker_memory() -> int:
    """Return the greatest memory that a Python worker of this process's session ever had, in bytes."""
    parents, names = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            names[int(lines["Pid"])] = (status.parent / "cmdline").read_text()
        except OSError:
            continue  # it ended meanwhile
        parents[int(lines["Pid"])] = (int(lines["PPid"]), int(lines.get("VmHWM", "0").split()[0]) * 1024)
    # the daemon forks the workers, so they have its name, and it is their parent
    daemons = {pid for pid, name in names.items() if "pyspark.daemon" in name and _is_ours(pid, parents)}
    return max(peak for pid, (parent, peak) in parents.items() if pid in daemons and parent in daemons)


def _is_ours(pid: int, parents: dict[int, tuple[int, int]]) -> bool:
    while pid in parents and pid != os.getpid():
        pid = parents[pid][0]
    return pid == os.getpid()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        for case in CASES:
            subprocess.run([sys.executable, __file__, *map(str, case)], stderr=subprocess.DEVNULL, check=True)
