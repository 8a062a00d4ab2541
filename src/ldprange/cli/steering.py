"""What to change where a survey would tell too little."""

import click

from ldprange.plan import Plan
from ldprange.planner import outlook
from ldprange.prediction import WANTED_MARGIN


def steer(plan: Plan, users: int) -> None:
    """Say on standard error what would make a ``plan`` tell more, if so many ``users`` are too few for it."""
    if plan.predict(users).margin > WANTED_MARGIN:
        click.echo(str(outlook(plan.domain, epsilon=plan.epsilon, expected_users=users)), err=True)
