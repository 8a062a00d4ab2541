"""Spark in processes of its own: the command line, Spark Connect, and a stream that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ldprange as ldp
from clusters import SETTINGS, environment, kill_group, need_spark
from example_plans import PLANS, batch_of
from ldprange.cli import commands
from ldprange.engines import spark
from ldprange.files import read_reports, write_reports

pytestmark = pytest.mark.xdist_group("spark")  # as few of them at once as there may be

CODED, PACKED = PLANS["HRR"], PLANS["Windows"]
START = f"""
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[1]").config(map={SETTINGS!r}).getOrCreate()
"""


@pytest.fixture(autouse=True)
def _spark() -> None:
    need_spark()


def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run Python, in the environment of a cluster."""
    done = subprocess.run(
        [sys.executable, *arguments], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def files_of(plan: ldp.Plan, folder: Path, numbers: range) -> None:
    for number in numbers:
        write_reports(folder / f"{number}.parquet", plan, [batch_of(plan, seed=number)])


class TestCommand:
    def test_same_file_as_one_machine(self, here: Path) -> None:
        Path("plan.json").write_text(PACKED.to_json())
        Path("reports").mkdir()
        files_of(PACKED, Path("reports"), range(3))
        command = ["-m", "ldprange", "aggregate", "plan.json", "reports"]
        run(*command, "-o", "alone.agg")
        done = run(*command, "-o", "spark.agg", "--engine", "spark", "--master", "local[1]")
        assert "1,500 reports" in done.stdout
        assert Path("spark.agg").read_bytes() == Path("alone.agg").read_bytes()

    def test_damage(self, here: Path) -> None:
        Path("plan.json").write_text(CODED.to_json())
        files_of(CODED, here, range(3))
        data = bytearray(Path("1.parquet").read_bytes())
        data[len(data) // 4] ^= 1
        Path("1.parquet").write_bytes(data)
        command = ["aggregate", "plan.json", "0.parquet", "1.parquet", "2.parquet", "-o", "x.agg"]
        done = run("-m", "ldprange", *command, "--engine", "spark", "--master", "local[1]", code=2)
        last = done.stderr.splitlines()[-1]
        assert last.startswith("error: ")
        assert "/1.parquet: " in last
        assert not Path("x.agg").exists()

    def test_options_that_go_together(self, here: Path) -> None:
        for options in (["--engine", "spark"], ["--master", "local[1]"]):
            with pytest.raises(ValueError, match="go together"):
                _usage(["aggregate", "plan.json", "x.parquet", "-o", "x.agg", *options])


def _usage(arguments: list[str]) -> None:
    import click

    try:
        commands.main(arguments, standalone_mode=False)
    except click.UsageError as error:
        raise ValueError(str(error)) from None


def test_connect(tmp_path: Path) -> None:
    """A session of Spark Connect, to a server that the session starts for itself."""
    for name, plan in (("coded", CODED), ("packed", PACKED)):
        (tmp_path / name).mkdir()
        files_of(plan, tmp_path / name, range(2))
        (tmp_path / f"{name}.json").write_text(plan.to_json())
    code = """
import sys
from pathlib import Path
import ldprange as ldp
from ldprange.engines import spark
from ldprange.files import read_reports
from pyspark.sql import SparkSession
session = SparkSession.builder.remote("local[1]").getOrCreate()
assert type(session).__module__.startswith("pyspark.sql.connect")
for name in "coded", "packed":
    folder = Path(sys.argv[1]) / name
    plan = ldp.Plan.from_json(folder.with_suffix(".json").read_text())
    assert spark.aggregate(session, plan, folder) == ldp.Aggregate.of(plan, read_reports(folder, plan))
    people = session.range(100).withColumnRenamed("id", "age")
    assert spark.count(plan, spark.encode(plan, people, "age", seed=1)).reports == 100
    (folder / "0.parquet").write_bytes((folder / "0.parquet").read_bytes()[:-9] + bytes(9))
    try:
        spark.aggregate(session, plan, folder)
    except ldp.FileError as error:
        assert "0.parquet: " in str(error)
try:
    spark.stream(session, plan, folder, folder)
except ValueError as error:
    assert "classic" in str(error)
session.stop()
"""
    run("-c", code, str(tmp_path))


STREAM = f"""
import os, signal, sys
from pathlib import Path
{START}
import ldprange as ldp
from ldprange.engines import spark
from ldprange.engines.spark import streaming
arriving, state, when = sys.argv[1:]
plan = ldp.Plan.from_json((Path(state).parent / "plan.json").read_text())

def dies(work, after):
    def replaced(*arguments):
        counted = len(list(Path(state).glob("aggregate-*")))
        if after:
            work(*arguments)
        if counted >= 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(*arguments)
    return replaced

if when == "before the aggregate is there":
    ldp.Aggregate.save = dies(ldp.Aggregate.save, after=False)
elif when == "after it is there":
    streaming._keep = dies(streaming._keep, after=True)
query = spark.stream(session, plan, arriving, state, files_per_batch=3, once=when == "never")
query.awaitTermination()
session.stop()
"""


@pytest.mark.parametrize("plan", [CODED], ids=["coded"])
def test_a_stream_counts_exactly_once(tmp_path: Path, plan: ldp.Plan) -> None:
    (tmp_path / "plan.json").write_text(plan.to_json())
    arriving, state = tmp_path / "arri ving", tmp_path / "sta te"
    arriving.mkdir()
    assert not state.exists()

    def started(when: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", STREAM, str(arriving), str(state), when],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    counted = []
    for round_, when in enumerate(["before the aggregate is there", "after it is there", "at any moment"]):
        files_of(plan, arriving, range(10 * round_, 10 * round_ + 10))
        process = started(when)
        if when == "at any moment":
            seen = _total(state)
            while _total(state) == seen:
                assert process.poll() is None
            process.kill()
        assert process.wait(timeout=120) == -signal.SIGKILL
        kill_group(process)  # Java too, which would end by itself
        counted.append(_total(state))
    # it died on the way each time: something was counted, and something was not
    assert all(0 < number < 500 * 10 * (round_ + 1) for round_, number in enumerate(counted))
    (arriving / ".hidden.parquet").write_bytes(b"")
    (arriving / "half.parquet.partial").write_bytes(b"")
    assert started("never").wait(timeout=120) == 0
    for file in (".hidden.parquet", "half.parquet.partial"):
        (arriving / file).unlink()
    alone = ldp.Aggregate.of(plan, read_reports(arriving, plan))
    assert alone.reports == 30 * 500
    live = spark.live(state)
    assert live is not None
    assert live.to_bytes() == alone.to_bytes()
    assert len(list(state.glob("aggregate-*"))) <= 2


def _total(state: Path) -> int:
    live = spark.live(state)
    return 0 if live is None else live.reports
