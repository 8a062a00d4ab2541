"""The plan to take."""

import math
from typing import Literal, get_args

from ldprange.decompositions import Windows
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.oracles import HRR
from ldprange.plan import Plan
from ldprange.planner.compare import Candidate, check_survey, compare_plans
from ldprange.planner.denoised import coarse_line, coarse_plan, tilted
from ldprange.planner.optimise import Workload, optimise_plan
from ldprange.support.checking import check_choice, is_number, shown

_LIARS = 0.01  # the share of reports whose influence is limited

Answers = Literal["unbiased", "denoised"]


def choose_plan(
    domain: Domain,
    *,
    epsilon: float,
    expected_users: float,
    workload: Workload = "both",
    answers: Answers = "unbiased",
    max_influence: float | None = None,
) -> Plan:
    """Return the best plan for a survey.

    Parameters
    ----------
    domain
        What values people may have.
    epsilon
        The total privacy loss of a person who reports once.
    expected_users
        How many people are expected to report.
    workload
        What is to be accurate: ``"ranges"``, ``"prefixes"`` (and quantiles), or ``"both"``.
    answers
        ``"unbiased"``: the plan of least predicted error. With up to three attributes and 2**24 joint bins it
        does not depend on the number of people; beyond, reports are about one or two attributes, in cells
        that are the finer the more people there are. ``"denoised"``: more reports about coarse scales, and
        about cells of several bins where people are few; unbiased answers are less accurate then. With three
        attributes or more of more than 8 bins each, reports are about one or two attributes only, so ranges
        over three need a denoised estimate.
    max_influence
        The furthest that 1% of all reports, made up to that end, may move the share of any range (see
        :meth:`Plan.influence`). Left out, there is no such limit.

    >>> import ldprange as ldp
    >>> plan = choose_plan(ldp.Domain.integers(0, 119), epsilon=1.1, expected_users=1_000_000)
    >>> plan.decomposition
    Windows(widths=(64, 32, 16, 8, 4, 2, 1))
    """
    check_choice(answers, get_args(Answers), "answers", PlanError)
    check_survey(domain, epsilon, expected_users, workload)
    if max_influence is not None:
        _check_limit(domain, answers, max_influence)
        return _least_error(domain, epsilon, expected_users, workload, max_influence)
    survey = domain, float(epsilon), expected_users, workload
    if answers == "unbiased":
        return _best(*survey)
    if len(domain.attributes) > 1:
        return coarse_plan(*survey) or _best(*survey)
    return tilted(coarse_line(*survey) or _best(*survey), expected_users)


def _best(domain: Domain, epsilon: float, expected_users: float, workload: Workload) -> Plan:
    return compare_plans(domain, epsilon=epsilon, expected_users=expected_users, workload=workload).best.plan


def _check_limit(domain: Domain, answers: Answers, max_influence: object) -> None:
    if not is_number(max_influence) or max_influence <= 0:
        raise PlanError(f"max_influence must be a number above 0, got {shown(max_influence)}")
    if answers == "denoised" or len(domain.attributes) > 1 or domain.unordered:
        raise PlanError(
            "max_influence goes with unbiased answers about one attribute whose values have an order; "
            "leave it out"
        )


def _least_error(
    domain: Domain, epsilon: float, expected_users: float, workload: Workload, max_influence: float
) -> Plan:
    """Return the plan of least predicted error of those on which liars have no more than this influence."""
    plans = compare_plans(domain, epsilon=epsilon, expected_users=expected_users, workload=workload)
    candidates = list(plans.candidates)
    if domain.bins > 2:  # a report of one sign adds as much as its noise does, and never more
        signs = optimise_plan(
            domain, epsilon=epsilon, decomposition=Windows(), oracle=HRR(), workload=workload
        )
        candidates.append(Candidate("Windows, one sign", signs, signs.predict(expected_users)))
    candidates.sort(key=lambda each: each.error(workload))
    least = math.inf
    for candidate in candidates:
        found = candidate.plan.influence(_LIARS).fair_coins
        if found <= max_influence:
            return candidate.plan
        least = min(least, found)
    raise PlanError(
        f"max_influence must be at least {least:.2g} here, got {max_influence:g}: of {domain.bins} bins at "
        f"ε = {epsilon:g}, {_LIARS:.0%} of all reports can always move an answer as far; "
        "raise it or ε, or use fewer bins"
    )
