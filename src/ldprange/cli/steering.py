"""What to change where a survey would tell too little."""

import click

from ldprange.cli.output import note
from ldprange.plan import Plan
from ldprange.planner import outlook
from ldprange.planner.compare import Candidate
from ldprange.prediction import WANTED_MARGIN


def steer(plan: Plan, users: int) -> bool:
    """Return whether so many ``users`` are too few for a ``plan``; say on standard error what would help."""
    too_few = plan.predict(users).margin > WANTED_MARGIN
    if too_few:
        click.echo(str(outlook(plan.domain, epsilon=plan.epsilon, expected_users=users)), err=True)
    return too_few


def ask_for_users(best: Candidate, users: int | None) -> None:
    """Say on standard error that the ``best`` plan depends on how many people answer, if nobody said it."""
    if best.non_uniformity and users is None:
        note("add --users: how fine the cells are that reports are about depends on how many people answer")
