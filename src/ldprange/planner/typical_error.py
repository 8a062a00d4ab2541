"""How far off a plan's answers typically are: noise, and what cells of several bins hide.

Inside a cell people are taken to be spread evenly, and they are not. What that adds is the non-uniformity
error.
"""

import math
from statistics import fmean

from ldprange.domain import Domain
from ldprange.plan import Plan
from ldprange.prediction import TWO_SIDED

_OF_A_CELL = 0.11  # of a cell's part of its attribute: how far off an answer typically is in there


def typical_question(domain: Domain) -> str:
    """Return, in a word, over what errors are averaged: ranges, or categories where there is nothing else."""
    return "category" if domain.unordered and len(domain.attributes) == 1 else "range"


def non_uniformity(plan: Plan) -> float:
    """Return the non-uniformity error of ranges of two attributes (root mean square); 0 where cells are bins.

    >>> import ldprange as ldp
    >>> two = ldp.Domain.product(a=ldp.Domain.integers(1, 64), b=ldp.Domain.integers(1, 64))
    >>> round(non_uniformity(ldp.Plan(two, 1.0, ldp.Grids.pairs(two), ldp.OLH())), 4)
    0.0194
    """
    return _OF_A_CELL * math.sqrt(2 * fmean(part**2 for part in plan.layout.finest_together))


def typical_margin(plan: Plan, users: float) -> float:
    """Return half the length of a 95% interval of a typical question: 0.05 is ± 5 points."""
    return TWO_SIDED * math.hypot(plan.predict(users).range_rmse, non_uniformity(plan))
