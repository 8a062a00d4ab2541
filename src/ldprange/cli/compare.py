"""``ldprange compare``."""

import json
from typing import Any

from ldprange.cli.command import command
from ldprange.cli.domains import domain_options
from ldprange.cli.options import epsilon_option, json_option, users_option, workload_option
from ldprange.cli.output import answers, console, facts, print_json
from ldprange.cli.steering import steer
from ldprange.cli.summary import people_fact, percent, prediction_object, privacy_fact, questions
from ldprange.domain import Domain
from ldprange.planner import Candidate, Comparison, compare_plans
from ldprange.planner.optimise import Workload

_HEADINGS = ("plan", "range RMSE", "prefix RMSE", "error", "bytes", "counters")


@command(
    "ldprange compare --low 0 --high 119 --epsilon 1.1 --users 1000000",
    "ldprange compare --labels XS,S,M,L,XL --epsilon 0.5 --users 2000 --workload prefixes --json",
)
@domain_options()
@epsilon_option(required=True)
@users_option(required=True)
@workload_option
@json_option
def compare(domain: Domain, epsilon: float, users: int, workload: Workload, as_json: bool) -> None:
    """Compare all kinds of plans by their predicted error, best first.

    Errors are root mean squares over all ranges and over all prefixes, predicted for people who are spread
    evenly over the bins. Where reports are about cells of several bins (four attributes or more), the error
    that a typical population adds by not being spread evenly inside cells is included; in --json, "error"
    includes it, "prediction" does not, and "non_uniformity" is it. Bytes are those of the longest report,
    counters those of an aggregate. The first plan is the one that ldprange plan makes.
    """
    comparison = compare_plans(domain, epsilon=epsilon, expected_users=users, workload=workload)
    if as_json:
        print_json(
            {
                "bins": domain.bins,
                "epsilon": epsilon,
                "users": users,
                "workload": workload,
                "useful": comparison.useful,
                "reason": comparison.reason,
                "candidates": [_object(each, workload) for each in comparison.candidates],
            }
        )
        return
    screen = console()
    purpose = ("best for", questions(workload))
    screen.print(facts([("domain", domain.describe()), privacy_fact(epsilon), people_fact(users), purpose]))
    screen.print(answers(_HEADINGS, [_row(each, comparison) for each in comparison.candidates]))
    screen.print(comparison.reason)
    steer(comparison.best.plan, users)


def _row(each: Candidate, comparison: Comparison) -> tuple[str, ...]:
    best, workload = comparison.best, comparison.workload
    return (
        each.name,
        percent(each.range_rmse, 3),
        percent(each.prefix_rmse, 3),
        "best" if each is best else f"{each.error(workload) / best.error(workload) - 1:+.0%}",
        f"{each.report_bytes:,}",
        f"{each.plan.counters:,}",
    )


def _object(each: Candidate, workload: Workload) -> dict[str, Any]:
    return {
        "name": each.name,
        "error": each.error(workload),
        "prediction": prediction_object(each.prediction),
        "non_uniformity": each.non_uniformity,
        "report_bytes": each.report_bytes,
        "counters": each.plan.counters,
        "plan": json.loads(each.plan.to_json()),
    }
