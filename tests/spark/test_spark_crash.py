"""A stream whose driver is killed again and again counts every file exactly once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import ldprange as ldp
from example_plans import PLANS, batch_of
from ldprange.engines import spark
from ldprange.engines.spark import streaming
from ldprange.files import read_reports, write_reports
from spark_cluster import SETTINGS, environment, kill, kill_group, need_spark

PLAN = PLANS["HRR"]
PEOPLE = 100  # a file
FILES = 6  # that arrive before each life of the driver
EXACTLY = ["before the aggregate is there", "after it is there"]
AT_RANDOM = 2  # a life of the driver is ten seconds of Java
SPARE = 2  # drivers that wait ready: starting one takes far longer than its life

# small jobs are done sooner than code is generated for them
QUICK = {**SETTINGS, "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
# Java is started when it says "ready": what is killed is the stream, not a start
DRIVER = f"""
import os, signal, sys
from pathlib import Path
from pyspark.sql import SparkSession
import ldprange as ldp
from ldprange.engines import spark
from ldprange.engines.spark import streaming

arriving, state, plan = map(Path, sys.argv[1:])
plan = ldp.Plan.from_json(plan.read_text())
session = SparkSession.builder.master("local[1]").config(map={QUICK!r}).getOrCreate()
print("ready", flush=True)
when = input()

def dies(work, after):
    def replaced(*arguments):
        if after:
            work(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    return replaced

if when == "before the aggregate is there":
    Path.replace = dies(Path.replace, after=False)  # when all of it is written under another name
elif when == "after it is there":
    streaming._keep = dies(streaming._keep, after=True)
query = spark.stream(session, plan, arriving, state, files_per_batch=2, once=when == "never")
print("started", flush=True)
query.awaitTermination()
session.stop()
"""


class Drivers:
    """Drivers of the same stream, one after another; the next ones are being started meanwhile."""

    def __init__(self, lives: int, *arguments: Path) -> None:
        self._command = [sys.executable, "-c", DRIVER, *map(str, arguments)]
        self._to_start = lives
        self._waiting: deque[subprocess.Popen[bytes]] = deque()
        self._all: list[subprocess.Popen[bytes]] = []
        self._fill()

    def _fill(self) -> None:
        while self._to_start and len(self._waiting) < SPARE:
            self._waiting.append(self._new())
            self._all.append(self._waiting[-1])
            self._to_start -= 1

    def _new(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def started(self, when: str) -> subprocess.Popen[bytes]:
        """Let the next driver stream, until it is killed at a moment."""
        driver = self._waiting.popleft()
        self._fill()
        assert driver.stdin is not None
        assert driver.stdout is not None
        assert driver.stdout.readline() == b"ready\n"
        driver.stdin.write(f"{when}\n".encode())
        driver.stdin.flush()
        assert when in EXACTLY or driver.stdout.readline() == b"started\n"
        return driver

    def end(self) -> None:
        for driver in self._all:
            kill(driver)
            for pipe in (driver.stdin, driver.stdout):
                assert pipe is not None
                pipe.close()


@contextmanager
def drivers(lives: int, *arguments: Path) -> Iterator[Drivers]:
    need_spark()
    all_of_them = Drivers(lives, *arguments)
    try:
        yield all_of_them
    finally:
        all_of_them.end()


def test_a_stream_counts_exactly_once(tmp_path: Path) -> None:
    arriving, state, plan_file = tmp_path / "arri ving", tmp_path / "sta te", tmp_path / "plan.json"
    plan_file.write_text(PLAN.to_json())
    arriving.mkdir()
    chance = np.random.default_rng(1)
    counted = [0]
    ends = [*EXACTLY, *["at random"] * AT_RANDOM]
    with drivers(len(ends) + 1, arriving, state, plan_file) as lives:
        for life, when in enumerate(ends):
            arrive(arriving, life)
            driver = lives.started(when)
            if when == "at random":
                late = life % 2 == 1
                if late:  # between batches and in them; otherwise mostly before and in the first
                    wait_for_more(state, counted[-1])
                time.sleep(chance.uniform(0, 1 if late else 2))
                kill_group(driver)  # Python and Java at once
            assert driver.wait(timeout=120) == -signal.SIGKILL
            kill_group(driver)
            counted.append(total(state))
            if when == EXACTLY[0]:
                assert list(state.glob("aggregate-*.partial"))  # what was being written: it is no aggregate
        for name in (".hidden.parquet", "half.parquet.partial"):
            (arriving / name).write_bytes(b"")
        assert lives.started("never").wait(timeout=120) == 0
    for name in (".hidden.parquet", "half.parquet.partial"):
        (arriving / name).unlink()
    there = [PEOPLE * FILES * life for life in range(len(counted))]
    more = np.diff(counted)
    assert (more >= 0).all()
    # some were killed on the way: something had been counted, and something had not
    assert np.sum((more > 0) & (np.array(counted) < there)[1:]) >= 2
    alone = ldp.Aggregate.of(PLAN, read_reports(arriving, PLAN))
    assert alone.reports == there[-1]
    live = spark.live(state)
    assert live is not None
    assert live.to_bytes() == alone.to_bytes()
    assert len(list(state.glob("aggregate-*"))) <= 2


def arrive(folder: Path, life: int) -> None:
    for number in range(FILES * life, FILES * (life + 1)):
        write_reports(folder / f"{number}.parquet", PLAN, [batch_of(PLAN, PEOPLE, seed=number)])


def total(state: Path) -> int:
    live = spark.live(state)
    return 0 if live is None else live.reports


def wait_for_more(state: Path, counted: int) -> None:
    deadline = time.monotonic() + 120
    while total(state) == counted:
        assert time.monotonic() < deadline, "nothing is counted"
        time.sleep(0.01)


def test_a_batch_that_is_given_again_clears_what_the_end_left(tmp_path: Path) -> None:
    """As where the driver ended after the last batch was counted, and before old aggregates were removed."""
    aggregate = ldp.Aggregate.of(PLAN, batch_of(PLAN, 10))
    for number in range(4):
        aggregate.save(tmp_path / f"aggregate-{number:09}.agg")
    streaming._count_batch(PLAN, tmp_path, None, 3)  # type: ignore[arg-type]
    assert [path.stem[-1] for path in sorted(tmp_path.iterdir())] == ["2", "3"]
    assert spark.live(tmp_path) == aggregate
