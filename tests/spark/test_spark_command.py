"""``ldprange aggregate --engine spark``: on a real cluster, the same file as one machine's; or none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click
import pytest

import ldprange as ldp
from example_plans import PLANS, batch_of
from ldprange.cli.group import commands
from ldprange.files import write_reports
from spark_cluster import Cluster, run_python

PACKED, SETS = PLANS["Windows"], PLANS["OUE"]


def command(plan: ldp.Plan, output: str) -> list[str]:
    """Write reports, and return the command that counts them."""
    Path("plan.json").write_text(plan.to_json())
    Path("reports").mkdir()
    for number in range(3):
        write_reports(f"reports/{number}.parquet", plan, [batch_of(plan, seed=number)])
    return ["-m", "ldprange", "aggregate", "plan.json", "reports", "-o", output]


def with_spark(
    cluster: Cluster, master: str, arguments: list[str], code: int = 0
) -> subprocess.CompletedProcess[str]:
    engine = ["--engine", "spark", "--master", master]
    # a folder of settings would be among Java's classes, and the file of classes that are ready of no use
    settings = f"--properties-file {cluster.settings} pyspark-shell"
    return run_python(*arguments, *engine, code=code, PYSPARK_SUBMIT_ARGS=settings)


def test_same_file_as_one_machine(cluster: Cluster, here: Path) -> None:
    arguments = command(SETS, "x.agg")  # for which the workers need Python
    run_python(*arguments)
    alone = Path("x.agg").read_bytes()
    Path("x.agg").unlink()
    done = with_spark(cluster, cluster.master, arguments)
    assert "1,500 reports" in done.stdout
    assert Path("x.agg").read_bytes() == alone


def test_damage(cluster: Cluster, here: Path) -> None:
    arguments = command(PACKED, "x.agg")
    wrong = Path("reports/1.parquet")
    data = bytearray(wrong.read_bytes())
    data[len(data) // 4] ^= 1  # in a page, so that only a task can see it
    wrong.write_bytes(data)
    # what a cluster's worker says of it is in test_spark.py; here, how the command ends
    done = with_spark(cluster, "local[1]", arguments, code=2)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert "/reports/1.parquet: " in last
    assert sorted(path.name for path in here.iterdir()) == ["plan.json", "reports"]


@pytest.mark.parametrize("options", [["--engine", "spark"], ["--master", "local[1]"]])
def test_options_that_go_together(options: list[str]) -> None:
    arguments = ["aggregate", "plan.json", "x.parquet", "-o", "x.agg", *options]
    with pytest.raises(click.UsageError, match="go together"):
        commands.main(arguments, standalone_mode=False)
