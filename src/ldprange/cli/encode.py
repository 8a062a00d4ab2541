"""``ldprange encode``."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ldprange.cli.command import command
from ldprange.cli.options import (
    check_output,
    column_option,
    json_option,
    missing_option,
    output_option,
    plan_argument,
    seed_option,
    size_of,
    values_argument,
)
from ldprange.cli.output import Bar, note, progress, tell, tell_left_out
from ldprange.client.acceptance import check_accepted
from ldprange.files import read_plan, read_values, write_reports
from ldprange.files.sources import naming
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.simulation import encode_stream
from ldprange.support.checking import counted
from ldprange.support.columns import Missing
from ldprange.support.left_out import WITHOUT_A_VALUE, LeftOut


@command(
    "ldprange encode ages.plan.json people.csv --column age -o reports.parquet",
    "seq 0 119 | ldprange encode ages.plan.json - -o few.reports --seed 7",
)
@plan_argument
@values_argument
@column_option
@missing_option
@output_option
@seed_option
@click.option(
    "--max-epsilon", type=float, metavar="NUMBER", help="Refuse a plan that asks for more ε than this."
)
@click.option("--fingerprint", metavar="DIGITS", help="Refuse a plan of another fingerprint than this.")
@json_option
def encode(
    plan_file: str,
    values_file: str,
    column: str | None,
    missing: Missing,
    output: str,
    seed: int | None,
    max_epsilon: float | None,
    fingerprint: str | None,
    as_json: bool,
) -> None:
    """Rehearse: randomise a file of values as clients would.

    This is a rehearsal. Real clients encode on their own devices, with random numbers that no seed
    can repeat, and nobody ever holds a file of VALUES: a .csv, .tsv or .parquet table, or plain text with one
    value a line (- for standard input). Of people with several attributes it is a table with a column for
    each, by its name.

    Reports are written as .parquet, .csv, or packed as on the wire (.reports).
    """
    plan = read_plan(plan_file)
    check_accepted(plan, max_epsilon, fingerprint)
    check_output(output, [plan_file, values_file])
    seed, left_out = secrets.randbits(63) if seed is None else seed, LeftOut(WITHOUT_A_VALUE)
    with progress("encoding", "people", size_of([Path(values_file)])) as bar:
        skipped = left_out.add if missing == "skip" else None
        # loads what that takes
        values = read_values(values_file, column, plan.domain, skipped=skipped, progress=bar.advance)
        count = write_reports(output, plan, _batches(plan, values_file, values, seed, bar))
    tell_left_out(left_out)
    note(f"a rehearsal: real clients encode on their own devices. Seed {seed} repeats it.")
    result = {"reports": count, "plan": plan.fingerprint, "seed": seed, "output": output}
    result |= {"left_out": left_out.rows} if missing == "skip" else {}
    reports = counted(count, "report", "reports")
    tell(result, f"{reports} under plan {plan.fingerprint} written to {output}", as_json=as_json)


def _batches(plan: Plan, values_file: str, values: Iterator[Any], seed: int, bar: Bar) -> Iterator[Batch]:
    with naming(values_file):
        for batch in encode_stream(plan, values, seed=seed):
            bar.add(len(batch))
            yield batch
