"""What to change where a survey would tell too little."""

import click

from ldprange.cli.output import note
from ldprange.plan import Plan
from ldprange.planner import outlook
from ldprange.planner.typical_error import non_uniformity, typical_margin
from ldprange.prediction import WANTED_MARGIN


def steer(plan: Plan, users: int) -> bool:
    """Return whether so many ``users`` are too few for a ``plan``; say on standard error what would help."""
    too_few = typical_margin(plan, users) > WANTED_MARGIN
    if too_few:
        click.echo(str(outlook(plan.domain, epsilon=plan.epsilon, expected_users=users)), err=True)
    return too_few


def ask_for_users(best: Plan, users: int | None) -> None:
    """Say on standard error that the ``best`` plan depends on how many people answer, if nobody said it."""
    if users is None and non_uniformity(best):
        note("add --users: how fine the cells are that reports are about depends on how many people answer")
