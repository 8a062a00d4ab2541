"""Spark Connect: clients with all of Spark, and with no more than the extra, to a separate server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from built_package import link, modules_of, packages_of
from example_plans import PLANS, batch_of
from ldprange.files import write_reports
from spark_cluster import connect_server, need_spark, run_python

LARGE = {"grpcio", "numpy", "pandas", "pyarrow"}  # of the extra's packages: pip need not fetch these again
# codes and packed bytes are counted in SQL; sets by Python on the workers
KINDS = {"coded": PLANS["HRR"], "packed": PLANS["Windows"], "sets": PLANS["OUE"]}
CLIENT = """
import importlib.metadata as installed
import sys
from pathlib import Path
import ldprange as ldp
from ldprange.engines import spark
from ldprange.files import read_reports

address, client, *kinds = sys.argv[1:]
assert {each.name for each in installed.distributions()} & {"pyspark", "pyspark-client"} == {client}
with spark.session(address) as session:
    assert type(session).__module__.startswith("pyspark.sql.connect")
    for kind in kinds:
        reports = Path(__file__).parent / kind
        plan = ldp.Plan.from_json(reports.with_suffix(".json").read_text())
        alone = ldp.Aggregate.of(plan, read_reports(reports, plan))
        assert spark.aggregate(session, plan, reports).to_bytes() == alone.to_bytes()
        people = session.range(100).withColumnRenamed("id", "age")
        assert spark.count(plan, spark.encode(plan, people, "age", seed=1)).reports == 100
        whole = (reports / "0.parquet").read_bytes()
        (reports / "0.parquet").write_bytes(whole[:9] + bytes([whole[9] ^ 1]) + whole[10:])
        try:
            spark.aggregate(session, plan, reports)
        except ldp.FileError as error:
            assert "0.parquet: " in str(error)
        else:
            raise AssertionError("a damaged file was counted")
    try:
        spark.stream(session, plan, reports, reports)
    except ldp.errors.EngineError as error:
        assert "classic" in str(error)
    else:
        raise AssertionError("a stream was started over Spark Connect")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    need_spark()
    with connect_server(tmp_path_factory.mktemp("connect")) as address:
        yield address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, plan in KINDS.items():
        (tmp_path / name).mkdir()
        for number in range(2):
            write_reports(tmp_path / name / f"{number}.parquet", plan, [batch_of(plan, seed=number)])
        (tmp_path / f"{name}.json").write_text(plan.to_json())
    # a file, for the light client takes "python -c" for its own documentation's tests, and wants all of Spark
    (tmp_path / "client.py").write_text(CLIENT)
    return tmp_path


def test_all_of_spark(server: str, folder: Path) -> None:
    run_python(str(folder / "client.py"), server, "pyspark", "packed")


def test_no_more_than_the_extra(
    server: str, folder: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("light")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python, modules = str(place / "bin" / "python"), modules_of(place)
    link(LARGE, modules)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--quiet",
            "--no-compile",
            f"{wheel}[spark]",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        pytest.skip(f"pip cannot fetch ldprange[spark], so the light client was NOT tested ({said})")
    assert packages_of(wheel, "spark", modules=modules) >= LARGE
    # its warnings are errors, as in all tests
    run_python("-W", "error", str(folder / "client.py"), server, "pyspark-client", *KINDS, python=python)
