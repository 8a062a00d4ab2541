"""The estimate to expect, before anyone is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ldprange.errors import PlanError
from ldprange.estimation.answered import AnsweredShares
from ldprange.estimation.attribute_estimate import Estimate
from ldprange.estimation.consistent import ConsistentShares, shares_around
from ldprange.plan import Plan
from ldprange.sampling import Population
from ldprange.support.blas import callers_thread
from ldprange.support.checking import check_type


@callers_thread
def predict_estimate(
    plan: Plan, users: float, counts: ArrayLike | None = None, *, population: Population = None
) -> Estimate:
    """Return the estimate to expect of a survey of ``users`` people under a ``plan``, without simulating it.

    Its values are those of the assumed people, and its intervals say how far a survey's may be from them, in
    the domain's own units: what error a median, a mean, a range or the whole distribution will have.

    Parameters
    ----------
    plan
        Of one attribute.
    users
        How many people report.
    counts
        People per bin, in any unit (:meth:`ldprange.Domain.count` makes them); spread evenly if left out. A
        quantile is the surer the more people are near it, so it matters how they are spread.
    population
        Whom the answers are to speak of, as in :func:`ldprange.estimate`.

    >>> import ldprange as ldp
    >>> plan = ldp.choose_plan(ldp.Domain.integers(0, 120), epsilon=1.0, expected_users=10_000)
    >>> print(predict_estimate(plan, users=10_000).median())  # were people spread evenly
    60 [50, 70] at 95%
    """
    check_type(plan, Plan, "what is predicted")
    plan.check_predictable(users)
    if len(plan.domain.attributes) > 1:
        raise PlanError(
            "the estimate to expect is of one attribute, and this plan has several; plan.predict tells the "
            "error of their ranges"
        )
    shares = plan.shares_of(counts)
    cdf = np.linspace(0.0, 1.0, plan.domain.bins + 1) if shares is None else np.append(0.0, shares.cumsum())
    cdf[-1] = 1.0
    each = [users * probability for probability in plan.probabilities]
    return estimate_of(plan, shares_around(plan, plan.estimator(each, population), each, cdf, population))


def estimate_of(plan: Plan, shares: ConsistentShares) -> Estimate:
    """Return what ``shares`` of all people under a ``plan`` tell, of those who answered if some may not."""
    everyone = Estimate(plan, shares)
    if not plan.domain.optional:
        return everyone
    return Estimate(plan, AnsweredShares(shares), plan.domain.answered, everyone)
