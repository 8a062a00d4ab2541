"""The plan to take."""

from typing import Literal, get_args

from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.plan import Plan
from ldprange.planner.compare import check_survey, compare_plans
from ldprange.planner.denoised import coarse_plan, much_is_known, tilted
from ldprange.planner.optimise import Workload
from ldprange.support.checking import shown

Answers = Literal["unbiased", "denoised"]


def choose_plan(
    domain: Domain,
    *,
    epsilon: float,
    expected_users: float,
    workload: Workload = "both",
    answers: Answers = "unbiased",
) -> Plan:
    """Return the best plan for a survey.

    Parameters
    ----------
    domain, epsilon, expected_users, workload
        As for :func:`compare_plans`.
    answers
        ``"unbiased"``: the plan of least predicted error among all kinds, which does not depend on the number
        of people. ``"denoised"``: one that asks more about coarse scales, for estimates that are denoised;
        unbiased ones are a little less exact then. The more people are expected, the less the two differ.

    >>> import ldprange as ldp
    >>> plan = choose_plan(ldp.Domain.integers(0, 119), epsilon=1.1, expected_users=1_000_000)
    >>> plan.decomposition
    Windows(widths=(64, 32, 16, 8, 4, 2, 1))
    """
    if answers not in get_args(Answers):
        raise PlanError(f"answers must be 'unbiased' or 'denoised', got {shown(answers)}")
    check_survey(domain, epsilon, expected_users, workload)
    several = len(domain.attributes) > 1
    if answers == "denoised" and several and not much_is_known(epsilon, expected_users):
        return coarse_plan(domain, float(epsilon))
    plan = compare_plans(domain, epsilon=epsilon, expected_users=expected_users, workload=workload).best.plan
    return tilted(plan, expected_users) if answers == "denoised" and not several else plan
