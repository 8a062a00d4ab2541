"""``ldprange check``."""

import sys

import click

from ldprange.cli.command import command
from ldprange.cli.options import json_option, read_aggregate
from ldprange.cli.output import tell
from ldprange.tampering import check as check_aggregate

FOUND = 1
"""The exit code where something was found."""


@command(
    "ldprange check week.agg",
    "ldprange check week.agg --false-alarms 0.05 --json",
)
@click.argument("aggregate_file", metavar="AGGREGATE")
@click.option(
    "--false-alarms",
    type=float,
    default=0.001,
    metavar="CHANCE",
    help="The chance, at most, that something is found among honest reports.",
)
@json_option
def check(aggregate_file: str, false_alarms: float, as_json: bool) -> None:
    """Tell whether the reports in AGGREGATE are what honest clients send.

    Reports that were made up to move an answer break what is known of honest ones, whatever people's values
    are: how often each level and each other openly sent random choice (shift, hash) comes up, that shares lie
    between 0 and 1, that levels agree. The exit code is 0 if nothing was found and 1 if something was. People
    who lie about their own value, and have it randomised as everybody else, are never found; each of them
    counts for one person only.
    """
    found = check_aggregate(read_aggregate(aggregate_file), false_alarms=false_alarms)
    tell(found.to_dict(), str(found), as_json=as_json)
    if found.suspicious:
        sys.exit(FOUND)
