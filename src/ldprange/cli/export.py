"""``ldprange export``."""

from pathlib import Path

import click

from ldprange.cli.command import command
from ldprange.cli.options import json_option
from ldprange.cli.output import progress, tell
from ldprange.cli.store_options import store_options
from ldprange.errors import ArgumentError
from ldprange.support.checking import counted


@command("ldprange export how-long-is-your-commute -o reports")
@click.argument("name", metavar="SURVEY")
@click.option("-o", "--output", metavar="FOLDER", required=True, help="The folder to make.")
@click.option(
    "--reports-per-file", type=click.IntRange(min=1), default=1 << 22, help="At least; a batch stays whole."
)
@store_options
@json_option
def export(name: str, output: str, reports_per_file: int, place: str, as_json: bool) -> None:
    """Write a survey's reports as a folder of Parquet files.

    The collector may go on meanwhile. The plan is in the folder too, so that ldprange aggregate
    FOLDER/_plan.json FOLDER counts them.
    """
    from ldprange.service.export import export
    from ldprange.service.store import Store

    with Store(place) as store, store.reached(), progress("writing", "reports", None) as bar:
        surveys = {survey.name: survey for survey in store.surveys()}
        if name not in surveys:
            there = ", ".join(surveys) or "none"
            raise ArgumentError(f"there is no survey {name} in {store.place}, only {there}")
        reports = export(
            store, surveys[name], Path(output), reports_per_file=reports_per_file, progress=bar.add
        )
    result = {"survey": name, "reports": reports, "output": output}
    tell(result, f"{counted(reports, 'report', 'reports')} of {name} written to {output}", as_json=as_json)
