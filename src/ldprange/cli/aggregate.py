"""``ldprange aggregate`` and ``ldprange merge``."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

import click
import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.cli.command import command
from ldprange.cli.options import (
    check_distinct,
    check_output,
    json_option,
    output_option,
    plan_argument,
    read_aggregate,
    size_of,
)
from ldprange.cli.output import note, progress, tell, tell_left_out
from ldprange.errors import FileError
from ldprange.files import read_plan
from ldprange.files.copies import copies
from ldprange.files.counting import count_files
from ldprange.files.reports import report_files
from ldprange.files.sniffing import Kind
from ldprange.files.sources import STANDARD_INPUT, naming
from ldprange.plan import Plan
from ldprange.support.checking import counted
from ldprange.support.left_out import NO_REPORT, Damaged, LeftOut

_TELLING_BYTES = 1 << 12  # of a file of reports; a few reports may well be the same by chance
_TELLING_BITS = 100  # of an aggregate's counts, as if none depended on another


@command(
    "ldprange aggregate ages.plan.json reports.parquet more-reports/ -o monday.agg",
    "ldprange aggregate ages.plan.json own.parquet --column report -o monday.agg",
    "ldprange aggregate ages.plan.json reports/ -o monday.agg --engine spark --master spark://host:7077",
)
@plan_argument
@click.argument("report_paths", metavar="REPORTS...", nargs=-1, required=True)
@click.option(
    "--column", metavar="NAME", help="Of tables of your own: the column with a packed report in every row."
)
@click.option(
    "--damaged",
    type=click.Choice(get_args(Damaged)),
    default="refuse",
    help="With --column: whether a row that is empty, or no report of this plan, is an error, or left out.",
)
@output_option
@json_option
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    help="Count here, or on a Spark cluster, which reads .parquet only.",
)
@click.option(
    "--master", metavar="URL", help="The cluster: spark://host:7077, local[2], or sc://host (Spark Connect)."
)
def aggregate(
    plan_file: str,
    report_paths: tuple[str, ...],
    column: str | None,
    damaged: Damaged,
    output: str,
    as_json: bool,
    engine: str,
    master: str | None,
) -> None:
    """Count report files into an aggregate.

    REPORTS are files (.parquet, .csv, or packed) or directories of them; with --column, tables of your own
    (.parquet, .csv, .tsv) with a packed report in every row: bytes, hexadecimal digits or base64. If anything
    in them is not a report of this plan, nothing is written; --damaged skip leaves such rows out. All cores
    are used; after an interruption, the same command goes on where it stopped, from OUTPUT.checkpoint.
    """
    if (engine == "spark") != (master is not None):
        raise click.UsageError("--engine spark and --master go together: say on which cluster")
    if master is not None and column is not None:
        raise click.UsageError(
            "--column is for --engine local; in Python, spark.count(plan, frame, column=…)"
        )
    if damaged == "skip" and column is None:
        raise click.UsageError("--damaged skip is for tables of your own, whose --column you name")
    plan = read_plan(plan_file)
    if master is not None:
        total = _on_cluster(plan, [plan_file], report_paths, output, master)
        total.save(output)
        _tell(total, output, as_json)
        return
    files = [name for path in report_paths for name in report_files(path)]
    check_output(output, [plan_file, *map(str, files)], writes=Kind.AGGREGATE)
    check_distinct(files)
    large = [file for file in files if file.is_file() and file.stat().st_size >= _TELLING_BYTES]
    _check_none(copies(large))
    resume = None if STANDARD_INPUT in map(str, files) else Path(f"{output}.checkpoint")
    if resume is not None and resume.exists():
        note(f"carrying on from {resume}")
    left_out = LeftOut(NO_REPORT)
    skipped = left_out.add if damaged == "skip" else None
    with progress("counting", "reports", size_of(files)) as bar:

        def done(size: int, reports: int) -> None:
            bar.advance(size)
            bar.add(reports)

        total = count_files(plan, files, column=column, skipped=skipped, resume=resume, progress=done)
    total.save(output)
    if resume is not None:
        resume.unlink(missing_ok=True)
    tell_left_out(left_out)
    _tell(total, output, as_json, {"left_out": left_out.rows} if damaged == "skip" else {})


@command("ldprange merge monday.agg tuesday.agg -o week.agg")
@click.argument("aggregate_files", metavar="AGGREGATES...", nargs=-1, required=True)
@output_option
@json_option
def merge(aggregate_files: tuple[str, ...], output: str, as_json: bool) -> None:
    """Add aggregates up, in any order.

    All must be of the same plan, and the sum gets a file of its own: a sum that replaced one of them would
    count the others again if the command were repeated.
    """
    check_output(output, aggregate_files, writes=Kind.AGGREGATE)
    paths = [Path(name) for name in aggregate_files]
    check_distinct(paths)
    _check_none(group for group in copies(paths) if not _may_coincide(read_aggregate(str(group[0]))))
    total = read_aggregate(aggregate_files[0])
    for name in aggregate_files[1:]:
        other = read_aggregate(name)
        with naming(name):
            total += other
    total.save(output)
    _tell(total, output, as_json)


def _check_none(copied: Iterable[Sequence[Path]]) -> None:
    """Raise FileError if any files are ``copied``: groups of the same content, which is no chance."""
    for first, second, *_ in copied:
        raise FileError(
            f"every input must be given once, got {first} and its copy {second}; it would be counted twice"
        )


def _may_coincide(total: Aggregate) -> bool:
    """Say whether the counts of other people might be the same as those in ``total``.

    A count c of n has a variance of c (1 − c/n) or so, and two such are the same with a chance of
    1/√(4π variance). Of yes or no, that's once in fifty pairs of a thousand people.
    """
    bits = 0.0
    for counts, users in zip(total.counts, total.users, strict=True):
        variance = counts * (1 - counts / max(users, 1))
        bits += float(np.log2(np.maximum(1.0, 4 * np.pi * variance)).sum()) / 2
    return bits < _TELLING_BITS


def _on_cluster(
    plan: Plan, inputs: list[str], report_paths: Sequence[str], output: str, master: str
) -> Aggregate:
    from ldprange.engines import spark

    files = spark.files_of(report_paths)
    check_output(output, [*inputs, *files], writes=Kind.AGGREGATE)
    with spark.session(master) as session:
        return spark.aggregate(session, plan, files)


def _tell(total: Aggregate, output: str, as_json: bool, more: dict[str, int] | None = None) -> None:
    result = {"reports": total.reports, "plan": total.plan.fingerprint, "output": output, **(more or {})}
    reports = counted(total.reports, "report", "reports")
    tell(result, f"{reports} under plan {total.plan.fingerprint} written to {output}", as_json=as_json)
