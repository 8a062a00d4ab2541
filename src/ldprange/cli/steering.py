"""What to change where a survey would tell too little."""

import click

from ldprange.cli.output import note
from ldprange.domain import Domain
from ldprange.plan import Plan
from ldprange.planner import outlook
from ldprange.planner.outlooks import points
from ldprange.planner.typical_error import non_uniformity, typical_margin
from ldprange.prediction import WANTED_MARGIN

_ANOTHER = 1.02  # times the margin of the most accurate plan, from where on a plan is another


def steer(plan: Plan, users: int) -> bool:
    """Return whether so many ``users`` are too few for a ``plan``; say on standard error what would help."""
    margin = typical_margin(plan, users)
    if margin <= WANTED_MARGIN:
        return False
    found = outlook(plan.domain, epsilon=plan.epsilon, expected_users=users)
    if margin <= _ANOTHER * found.margin:
        click.echo(str(found), err=True)
        return True
    click.echo(
        f"With {users:,} answers at ε = {plan.epsilon:g}, this plan tells the share of people in a "
        f"typical {found.question} to {points(margin)} percentage points. The most accurate plan, which "
        f"ldprange plan makes without further choices, tells it to {points(found.margin)}.",
        err=True,
    )
    if not found.enough:
        click.echo(f"With that one:\n{found}", err=True)
    return True


def tell_of_declining(domain: Domain) -> None:
    """Say on standard error whose shares the errors are of, where people may decline to answer."""
    if any(each.optional for each in domain.attributes.values()):
        note(
            "errors are those of shares of all people; a share among those who answered is off by more: "
            "twice as much if half of all people decline"
        )


def ask_for_users(best: Plan, users: int | None) -> None:
    """Say on standard error that the ``best`` plan depends on how many people answer, if nobody said it."""
    if users is None and non_uniformity(best):
        note("add --users: how fine the cells are that reports are about depends on how many people answer")
