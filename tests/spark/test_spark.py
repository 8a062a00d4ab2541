"""Spark on a real cluster: the same bytes as one machine, whatever is killed, and clear refusals."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy import stats

import ldprange as ldp
from example_plans import AGES, PLANS, batch_of, every_plan, payloads_of
from ldprange.engines import spark
from ldprange.engines.spark import counting
from ldprange.errors import EngineError
from ldprange.files import read_reports, write_reports
from spark_cluster import Cluster, executors, running, session_on, tasks_of, wait_for_executors

# codes and packed bytes are counted in SQL; sets, of which there are too many, by Python on the workers
CODED, PACKED, SETS = PLANS["HRR"], PLANS["Windows"], PLANS["OUE"]
TASK_BYTES = "spark.sql.files.maxPartitionBytes"
every_kind = pytest.mark.parametrize("plan", [CODED, PACKED, SETS], ids=["coded", "packed", "sets"])


@pytest.fixture(scope="module")
def session(cluster: Cluster) -> Iterator[Any]:
    with session_on(cluster) as started:
        yield started


def folder_of(plan: ldp.Plan, folder: Path, files: int = 3, people: int = 500) -> Path:
    folder.mkdir()
    for number in range(files):
        write_reports(folder / f"part-{number:03}.parquet", plan, [batch_of(plan, people, seed=number)])
    write_reports(folder / "nobody.parquet", plan, [])
    return folder


def rewritten(path: Path, plan: ldp.Plan, level: int | None, report: int | bytes) -> None:
    """Put a table in the place of another that says the same of itself."""
    schema = pa.parquet.read_schema(path)
    pa.parquet.write_table(
        pa.table([pa.array([level]), pa.array([report])], ["level", "report"]).cast(schema), path
    )


class TestCounting:
    @every_plan
    def test_same_bytes_as_one_machine(self, session: Any, tmp_path: Path, plan: ldp.Plan) -> None:
        folder = folder_of(plan, tmp_path / "reports")
        alone = ldp.Aggregate.of(plan, read_reports(folder, plan))
        assert spark.aggregate(session, plan, folder).to_bytes() == alone.to_bytes()

    def test_names_that_look_like_patterns(self, session: Any, tmp_path: Path) -> None:
        folder = folder_of(PACKED, tmp_path / "a b[1]{x}*% é", files=1)
        write_reports(tmp_path / "a b1x.parquet", PACKED, [batch_of(PACKED)])
        assert spark.aggregate(session, PACKED, [folder, tmp_path / "a b1x.parquet"]).reports == 1000

    def test_addresses(self, session: Any, tmp_path: Path) -> None:
        folder = folder_of(CODED, tmp_path / "reports")
        assert spark.aggregate(session, CODED, f"file://{folder}").reports == 1500

    def test_counts_in_many_pieces(self, session: Any, tmp_path: Path) -> None:
        plan = ldp.Plan(ldp.Domain.integers(0, 99_999), 1.1, ldp.Tree(500), ldp.OLH())
        assert plan.counters > counting._PIECE
        folder = folder_of(plan, tmp_path / "reports", people=50)
        alone = ldp.Aggregate.of(plan, read_reports(folder, plan))
        assert spark.aggregate(session, plan, folder) == alone

    def test_packed_reports_in_a_column(self, session: Any) -> None:
        batch = batch_of(CODED, people=50)
        rows = [(number, bytearray(each)) for number, each in enumerate(payloads_of(batch))]
        frame = session.createDataFrame(rows, "who int, report binary")
        assert spark.count(CODED, frame, column="report") == ldp.Aggregate.of(CODED, batch)
        assert ldp.Aggregate.of(CODED, frame, column="report") == ldp.Aggregate.of(CODED, batch)
        with pytest.raises(ldp.ArgumentError, match="no column 'packed'; its columns are: who, report"):
            spark.count(CODED, frame, column="packed")
        with pytest.raises(ldp.WireError, match="made under another plan"):
            spark.count(PACKED, frame, column="report")

    def test_damaged_rows_of_a_column(self, session: Any) -> None:
        batch = batch_of(CODED, people=50)
        rows = [(bytearray(each),) for each in payloads_of(batch)]
        damaged = [(None,), (bytearray(b"something else"),)]
        frame = session.createDataFrame([*rows, *damaged], "report binary").repartition(3)
        with pytest.raises(ldp.WireError, match=r"^partition \d by spark_partition_id\(\): row \d+: "):
            spark.count(CODED, frame, column="report")
        with pytest.warns(UserWarning, match="left out 2 rows without a report of this plan"):
            assert spark.count(CODED, frame, column="report", damaged="skip") == ldp.Aggregate.of(
                CODED, batch
            )
        with pytest.raises(ldp.ArgumentError, match="name their column"):
            spark.count(CODED, frame, damaged="skip")

    @pytest.mark.parametrize("way", ["SQL", "Python"])
    def test_killed_worker(self, cluster: Cluster, session: Any, tmp_path: Path, way: str) -> None:
        plan, files, people = (CODED, 20, 1_000_000) if way == "SQL" else (PLANS["OLH"], 40, 15_000)
        folder = tmp_path / "reports"
        folder.mkdir()
        size = many_times(folder, plan, files, people)
        alone = ldp.Aggregate.of(plan, read_reports(folder, plan))
        found: list[ldp.Aggregate] = []
        work = threading.Thread(target=lambda: found.append(spark.aggregate(session, plan, folder)))
        before = session.conf.get(TASK_BYTES)
        session.conf.set(TASK_BYTES, size)  # a task for every file
        work.start()
        victim = len(cluster.workers) - 1
        lost = cluster.executors_of(victim, session.sparkContext.applicationId)
        stage, done, tasks = _wait_for_tasks(session, 4, lost)
        cluster.kill_worker(victim)
        assert work.is_alive()
        assert 4 <= done < tasks / 2  # it was in the middle
        work.join()
        session.conf.set(TASK_BYTES, before)
        assert [each.to_bytes() for each in found] == [alone.to_bytes()]
        assert executors(session) == 1
        history = tasks_of(session, stage)
        died = {
            which
            for which, where, _, why in history
            if where in lost and why.startswith("ExecutorLostFailure")
        }
        again = {which for which, where, how, _ in history if where not in lost and how == "SUCCESS"}
        assert died
        assert died <= again
        cluster.add_worker()
        wait_for_executors(session, 2)


def many_times(folder: Path, plan: ldp.Plan, files: int, people: int) -> int:
    """Put one file there under many names, and return its size."""
    first = folder / "0.parquet"
    write_reports(first, plan, [batch_of(plan, people)])
    for number in range(1, files):
        (folder / f"{number}.parquet").hardlink_to(first)
    return first.stat().st_size


def _wait_for_tasks(session: Any, number: int, workplaces: set[str]) -> tuple[int, int, int]:
    """Wait until so many tasks are done and one runs there; return the stage, and how many of how many."""
    tracker = session.sparkContext.statusTracker()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for stage in tracker.getActiveStageIds():
            about = tracker.getStageInfo(stage)
            if about and about.numTasks > 10 and about.numCompletedTasks >= number:
                busy = running(session)
                if any(busy.get(each, 0) for each in workplaces):
                    return stage, about.numCompletedTasks, about.numTasks
        time.sleep(0.02)
    raise AssertionError("the job did not come so far")


class TestRefusals:
    @every_kind
    def test_another_plan(self, session: Any, tmp_path: Path, plan: ldp.Plan) -> None:
        folder = folder_of(plan, tmp_path / "reports")
        other = PLANS["GRR"]
        write_reports(folder / "other.parquet", other, [batch_of(other)])
        with pytest.raises(ldp.MismatchError, match=r"other\.parquet: .*" + other.fingerprint):
            spark.aggregate(session, plan, folder)

    @every_kind
    def test_a_flipped_byte(self, session: Any, tmp_path: Path, plan: ldp.Plan) -> None:
        folder = folder_of(plan, tmp_path / "reports")
        data = bytearray((folder / "part-001.parquet").read_bytes())
        data[len(data) // 4] ^= 1
        (folder / "part-001.parquet").write_bytes(data)
        with pytest.raises(ldp.FileError, match=r"part-001\.parquet: "):
            spark.aggregate(session, plan, folder)

    @pytest.mark.parametrize("data", [b"", b"PAR1", b"level,report\n0,00\n"])
    def test_something_else(self, session: Any, tmp_path: Path, data: bytes) -> None:
        folder = folder_of(CODED, tmp_path / "reports")
        (folder / "part-001.parquet").write_bytes(data)
        with pytest.raises(ldp.FileError, match=r"part-001\.parquet: "):
            spark.aggregate(session, CODED, folder)

    @pytest.mark.parametrize(
        ("plan", "level", "report", "why"),
        [
            (CODED, 0, CODED.mechanisms[0].counters, "must lie in"),
            (CODED, 99, 0, "level must be below"),
            (CODED, None, 0, "some have not"),
            (PACKED, 0, b"", "as long as"),
            (PACKED, 0, b"\xff" * PACKED.mechanisms[0].width, "must lie in"),
            (SETS, 0, b"", "as long as"),
            (SETS, 99, b"", "level must be below"),
        ],
    )
    def test_no_report_of_this_plan(
        self, session: Any, tmp_path: Path, plan: ldp.Plan, level: int | None, report: Any, why: str
    ) -> None:
        folder = folder_of(plan, tmp_path / "a b")
        rewritten(folder / "part-001.parquet", plan, level, report)
        with pytest.raises(ldp.WireError, match=rf"a b/part-001\.parquet: .*{why}"):
            spark.aggregate(session, plan, folder)

    def test_what_cannot_be_counted_there(self, session: Any, tmp_path: Path) -> None:
        for name, why in (("x.csv", "Parquet"), ("absent.parquet", "cannot be read")):
            (tmp_path / "x.csv").touch()
            with pytest.raises(ldp.FileError, match=f"{name}: .*{why}"):
                spark.aggregate(session, CODED, tmp_path / name)
        one = tmp_path / "one.parquet"
        write_reports(one, CODED, [batch_of(CODED)])
        with pytest.raises(ldp.FileError, match="twice"):
            spark.aggregate(session, CODED, [one, one])
        with pytest.raises(ldp.FileError, match="none were given"):
            spark.aggregate(session, CODED, [])

    def test_reports_that_the_cluster_does_not_see(
        self, session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = folder_of(CODED, tmp_path / "reports")
        monkeypatch.setattr(counting, "reports_in", lambda plan, files: 1501)
        with pytest.raises(EngineError, match="1,501"):
            spark.aggregate(session, CODED, folder)

    def test_without_spark(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyspark", None)
        with pytest.raises(EngineError, match=r"pip install 'ldprange\[spark\]'"):
            spark.aggregate(None, CODED, "x")  # type: ignore[arg-type]


class TestEncoding:
    def test_law(self, session: Any) -> None:
        # by chance it fails in one of a million choices of the seed
        plan = ldp.Plan(ldp.Domain.integers(0, 7), 1.0, ldp.Flat(), ldp.GRR())
        people = session.range(0, 80_000, 1, 4).selectExpr("cast(pow(id % 8, 2) % 8 as int) as age")
        encoded = spark.encode(plan, people, "age", seed=7)
        total = spark.count(plan, encoded)
        assert total == spark.count(plan, encoded)  # the same coins, if it is made again
        held = plan.domain.count((np.arange(80_000) % 8) ** 2 % 8)
        mechanism = plan.mechanisms[0]
        expected = [
            float(sum(int(n) * mechanism.likelihood(bytes([code]), item) for item, n in enumerate(held)))
            for code in range(8)
        ]
        assert stats.chisquare(total.counts[0], expected).pvalue > 1e-6
        assert total != spark.count(plan, spark.encode(plan, people, "age", seed=8))

    def test_every_partition_has_its_own_coins(self, session: Any) -> None:
        people = session.range(0, 200, 1, 2).selectExpr("42 as age")
        parts = spark.encode(PACKED, people, "age", seed=1).toArrow().to_batches()
        assert len(parts) == 2
        assert not parts[0].equals(parts[1])

    @every_kind
    def test_written_as_by_one_machine(self, session: Any, tmp_path: Path, plan: ldp.Plan) -> None:
        people = session.range(0, 1000, 1, 2).selectExpr("id % 100 as age")
        encoded = spark.encode(plan, people, "age", seed=1)
        assert spark.write(plan, encoded, tmp_path / "reports") == 1000
        assert ldp.Aggregate.of(plan, read_reports(tmp_path / "reports", plan)) == spark.count(plan, encoded)
        with pytest.raises(ldp.FileError, match="must not be there"):
            spark.write(plan, encoded, tmp_path / "reports")

    def test_values_that_are_none(self, session: Any, tmp_path: Path) -> None:
        people = session.range(100, 130, 1, 2).withColumnRenamed("id", "age")
        plan = ldp.Plan(AGES, 1.0, ldp.Haar(), ldp.HRR())
        with pytest.raises(ldp.DomainError, match="between 0 and 119, got 12"):
            spark.write(plan, spark.encode(plan, people, "age", seed=1), tmp_path / "reports")
        assert list(tmp_path.iterdir()) == []
        missing = people.selectExpr("nullif(age % 120, 0) as age")
        with pytest.raises(ldp.FileError, match="has none"):
            spark.count(plan, spark.encode(plan, missing, "age", seed=1))


class TestStreaming:
    def test_a_wrong_file_stops_it_until_it_is_put_right(self, session: Any, tmp_path: Path) -> None:
        arriving, state = folder_of(PACKED, tmp_path / "arriving"), tmp_path / "state"
        assert spark.live(state) is None
        write_reports(arriving / "wrong.parquet", CODED, [batch_of(CODED)])
        for _ in range(2):
            query = spark.stream(session, PACKED, arriving, state, once=True)
            with pytest.raises(Exception, match=r"wrong\.parquet: reports must carry their plan"):
                query.awaitTermination()
            assert spark.live(state) is None
        write_reports(arriving / "wrong.parquet", PACKED, [])
        spark.stream(session, PACKED, arriving, state, once=True).awaitTermination()
        assert spark.live(state) == ldp.Aggregate.of(PACKED, read_reports(arriving, PACKED))
        with pytest.raises(ldp.MismatchError, match=CODED.fingerprint):
            spark.stream(session, CODED, arriving, state)

    def test_names_that_look_like_patterns_are_counted_once(self, session: Any, tmp_path: Path) -> None:
        arriving = folder_of(CODED, tmp_path / "a b[1]")
        (arriving / "part-000.parquet").rename(arriving / "c[1]{d}*.parquet")
        query = spark.stream(session, CODED, arriving, tmp_path / "state", files_per_batch=3, once=True)
        query.awaitTermination()
        total = spark.live(tmp_path / "state")
        assert total == ldp.Aggregate.of(CODED, read_reports(arriving, CODED))

    def test_a_state_that_lost_a_part(self, session: Any, tmp_path: Path) -> None:
        arriving, state = folder_of(CODED, tmp_path / "arriving"), tmp_path / "state"
        spark.stream(session, CODED, arriving, state, once=True).awaitTermination()
        (file,) = state.glob("aggregate-*")
        file.rename(tmp_path / "moved")
        write_reports(arriving / "later.parquet", CODED, [batch_of(CODED)])
        with pytest.raises(Exception, match="an aggregate was removed"):
            spark.stream(session, CODED, arriving, state, once=True).awaitTermination()
        (tmp_path / "moved").rename(file)
        (state / "checkpoint").rename(tmp_path / "moved")
        with pytest.raises(EngineError, match="it is gone"):
            spark.stream(session, CODED, arriving, state)
