"""The planner's questions turned round: how many people, how much ε, how many bins a wanted error takes."""

import math
from collections.abc import Callable

import numpy as np

from ldprange.decompositions import Windows
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.plan import Plan
from ldprange.planner.compare import Candidate, check_users, compare_plans
from ldprange.planner.optimise import Workload, optimise_plan
from ldprange.support.checking import is_number, shown

_MAX_EPSILON = 20.0
_MIN_EPSILON = 1e-3
_MAX_OCTAVES = 16
MOST_BINS = 1 << _MAX_OCTAVES
"""The most bins that :func:`useful_bins` looks at."""
_LOOKED_AT = 9  # bins, spread over the domain
_NEAR_ENOUGH = 1.005
_MAX_USERS = 1 << 62
_SURE = 2.0  # standard deviations to either side that make an interval of 95%


def users_needed(domain: Domain, *, epsilon: float, error: float, workload: Workload = "both") -> int:
    """Return how many people it takes for a root mean squared error of ``error`` over the workload.

    Over both workloads it is the geometric mean of that over all ranges and that over all prefixes.

    >>> import ldprange as ldp
    >>> users_needed(ldp.Domain.integers(0, 119), epsilon=1.1, error=0.005)
    523663
    """
    _check_error(error)
    # with so many, all cells that pairs of attributes may have are looked at, and the finest are the best
    plans = compare_plans(domain, epsilon=epsilon, expected_users=_MAX_USERS, workload=workload)
    able = [each for each in plans.candidates if 0 < each.non_uniformity < error]
    able += [] if plans.best.non_uniformity else [plans.best]
    # for an even population the variance is that of one person over their number
    users = min(
        (
            (_noise(each.plan, workload) / error) ** 2 / (1 - (each.non_uniformity / error) ** 2)
            for each in able
        ),
        default=math.inf,
    )
    if users > _MAX_USERS:
        raise PlanError(f"an error of {error:g} would take more people than can be counted; allow for more")
    return max(1, math.ceil(users))


def epsilon_needed(
    domain: Domain, *, expected_users: float, error: float, workload: Workload = "both"
) -> float:
    """Return the ε at which ``expected_users`` people answer with a root mean squared error of ``error``.

    It is never below 0.001. If ε = 20, which is hardly any privacy, is not enough, that is an error that says
    what would be had.

    >>> import ldprange as ldp
    >>> round(epsilon_needed(ldp.Domain.integers(0, 119), expected_users=100_000, error=0.01), 2)
    1.25
    """
    _check_error(error)
    check_users(expected_users)

    def missing(epsilon: float) -> float:
        survey = compare_plans(domain, epsilon=epsilon, expected_users=expected_users, workload=workload)
        return survey.best.error(workload) - error

    if missing(_MAX_EPSILON) > 0:
        raise PlanError(
            f"an error of {error:g} cannot be had from {expected_users:,.0f} people: even "
            f"ε = {_MAX_EPSILON:g} leaves {missing(_MAX_EPSILON) + error:.2g}; ask more people"
        )
    return _root(missing, _MIN_EPSILON, _MAX_EPSILON)


def useful_bins(*, epsilon: float, expected_users: float) -> int:
    """Return into how many bins a domain can usefully be cut, as a power of two up to 65,536.

    A bin is useful as long as its share, in an even population, is at least as large as the half-width of its
    95% interval: more of them would tell nothing but noise apart.

    >>> useful_bins(epsilon=1.1, expected_users=1_000_000)
    128
    """
    check_users(expected_users)
    if not _told_apart(2, epsilon, expected_users):
        raise PlanError(
            f"not even two halves can be told apart by {expected_users:,.0f} people at ε = {epsilon:g}: a "
            f"half is off by {_bin_deviation(2, epsilon, expected_users):.2g} on average; ask more people"
        )
    octaves, beyond = 1, _MAX_OCTAVES + 1
    while beyond - octaves > 1:
        middle = (octaves + beyond) // 2
        useful = _told_apart(1 << middle, epsilon, expected_users)
        octaves, beyond = (middle, beyond) if useful else (octaves, middle)
    return 1 << octaves


def _told_apart(bins: int, epsilon: float, users: float) -> bool:
    return 1 / bins >= _SURE * _bin_deviation(bins, epsilon, users)


def _bin_deviation(bins: int, epsilon: float, users: float) -> float:
    """Return the root mean squared error of a bin's share in an even population."""
    plan = optimise_plan(Domain.integers(0, bins - 1), epsilon=epsilon, decomposition=Windows())
    variances = plan.estimator(users * np.array(plan.probabilities)).variances(np.linspace(0, 1, bins + 1))
    looked_at = np.unique(np.linspace(0, bins - 1, _LOOKED_AT).astype(np.int64))
    return math.sqrt(variances(looked_at, looked_at + 1).mean())


def _noise(plan: Plan, workload: Workload) -> float:
    """Return the error of one person's answers, from noise alone."""
    return Candidate("", plan, plan.predict(1.0)).error(workload)


def _check_error(error: object) -> None:
    if not is_number(error) or not 0 < error < 1:
        raise PlanError(f"the wanted error must be a share between 0 and 1, such as 0.01, got {shown(error)}")


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses 0, or a little beyond."""
    while high > _NEAR_ENOUGH * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high
