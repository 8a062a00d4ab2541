"""What to change where a survey would tell too little."""

import click

from ldprange.plan import Plan
from ldprange.planner import outlook
from ldprange.prediction import WANTED_MARGIN


def steer(plan: Plan, users: int) -> bool:
    """Return whether so many ``users`` are too few for a ``plan``; say on standard error what would help."""
    too_few = plan.predict(users).margin > WANTED_MARGIN
    if too_few:
        click.echo(str(outlook(plan.domain, epsilon=plan.epsilon, expected_users=users)), err=True)
    return too_few
