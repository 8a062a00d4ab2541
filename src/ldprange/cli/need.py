"""``ldprange need``."""

import math

import click

from ldprange.cli.command import command
from ldprange.cli.domains import domain_options
from ldprange.cli.options import (
    epsilon_option,
    json_option,
    share,
    users_option,
    workload_given,
    workload_option,
)
from ldprange.cli.output import console, facts, print_json, tell
from ldprange.cli.steering import tell_of_declining
from ldprange.cli.summary import people_fact, privacy_fact, questions
from ldprange.domain import Domain
from ldprange.planner import epsilon_needed, outlook, useful_bins, users_needed
from ldprange.planner.needs import MOST_BINS
from ldprange.planner.optimise import Workload
from ldprange.support.checking import counted

_QUESTIONS = (
    "what can be learnt? (a domain, --epsilon, --users); how many people? (a domain, --epsilon, --error); "
    "which ε? (a domain, --users, --error); how many bins? (--epsilon, --users, and neither a domain nor "
    "--error)"
)


@command(
    "ldprange need --low 0 --high 120 --epsilon 1 --users 300",
    "ldprange need --low 0 --high 119 --epsilon 1.1 --error 1%",
    "ldprange need --low 0 --high 119 --users 100000 --error 0.01 --workload prefixes",
    "ldprange need --epsilon 1.1 --users 1000000",
)
@domain_options(required=False)
@epsilon_option()
@users_option()
@click.option(
    "--error", metavar="SHARE", type=share, help="The root mean squared error that you want: 0.01 or 1%."
)
@workload_option
@json_option
def need(
    domain: Domain | None,
    epsilon: float | None,
    users: int | None,
    error: float | None,
    workload: Workload,
    as_json: bool,
) -> None:
    """Tell how many people, how much ε, or how many bins you need.

    Leave out what you want to know. With a domain, --epsilon and --users: what you can learn, and what would
    help. With a domain, --epsilon and --error: how many people must answer. With a domain, --users and
    --error: which ε you need. With --epsilon and --users alone: how many bins are useful, as a power of two
    up to 65,536.
    """
    bins = domain.bins if domain else None
    if domain:
        tell_of_declining(domain)
    match domain, epsilon, users, error:
        case Domain(), float(), None, float():
            unknown = "users"
            users = users_needed(domain, epsilon=epsilon, error=error, workload=workload)
            sentence = f"It takes {_people(users)} at ε = {epsilon:g} for an error of {_percent(error)}."
        case Domain(), None, int(), float():
            unknown = "epsilon"
            epsilon = _rounded_up(
                epsilon_needed(domain, expected_users=users, error=error, workload=workload)
            )
            each = f"each of {users:,} people" if users > 1 else "one person"
            sentence = f"It takes ε = {epsilon:g} from {each} for an error of {_percent(error)}."
        case _, float(), int(), None if workload_given():
            raise click.UsageError(f"--workload goes with --error only, got {workload}; leave it out")
        case Domain(), float(), int(), None:
            found = outlook(domain, epsilon=epsilon, expected_users=users)
            tell({"asked": "outlook", **found.to_dict()}, str(found), as_json=as_json)
            return
        case None, float(), int(), None:
            unknown = "bins"
            bins = useful_bins(epsilon=epsilon, expected_users=users)
            with_more = (
                "that is the most that is looked at."
                if bins == MOST_BINS
                else "with more, a bin's margin of error would be larger than its share."
            )
            sentence = f"Up to {bins:,} bins are useful with {_people(users)} at ε = {epsilon:g}: {with_more}"
        case _:
            raise click.UsageError(f"ask one of: {_QUESTIONS}; got {_given(domain, epsilon, users, error)}")
    if as_json:
        wanted = {} if error is None else {"error": error, "workload": workload}
        print_json({"asked": unknown, "bins": bins, "epsilon": epsilon, "users": users, **wanted})
        return
    rows = [
        ("bins", f"{bins:,}") if domain is None else ("domain", domain.describe()),
        privacy_fact(epsilon),
        people_fact(users),
    ]
    if error is not None:
        both = ", their geometric mean" if workload == "both" else ""
        rows.append(("error", f"{_percent(error)} (root mean square over {questions(workload)}{both})"))
    screen = console()
    screen.print(sentence)
    screen.print()
    screen.print(facts(rows))


def _people(users: int) -> str:
    return counted(users, "person", "people")


def _percent(share: float) -> str:
    return f"{100 * share:g}%"


def _rounded_up(epsilon: float) -> float:
    """Return three digits of an ε, never too little for the wanted error."""
    digits = 2 - math.floor(math.log10(epsilon))
    return math.ceil(epsilon * 10.0**digits) / 10.0**digits


def _given(domain: Domain | None, epsilon: float | None, users: int | None, error: float | None) -> str:
    parts = {"a domain": domain, "--epsilon": epsilon, "--users": users, "--error": error}
    return ", ".join(name for name, part in parts.items() if part is not None) or "none of these"
