"""Plans for denoised answers.

What makes unbiased answers most accurate asks much about fine scales, which denoising then mostly ignores:
most populations are smooth there. So coarse ones are asked more of, and the more so the less can be known.
"""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np

from ldprange.decompositions import Grids, Windows
from ldprange.domain import Domain
from ldprange.plan import Plan
from ldprange.planner.optimise import Workload, best_oracles, optimise_plan, rounded_probabilities

_TILT = 0.15  # by which the logarithm of a level's share falls with every halving of its windows
_ENOUGH = 3e5  # 1 over the variance of a bin from which on nothing needs to be tilted
_LITTLE = 1e4  # and up to which all is
_FEW_BINS = 8  # of each attribute, up to which there is little to smooth
_PLENTY = 3e4  # the same of each pair, for each bin of an attribute: from here on noise no longer decides
_FINER = (5e3, 2.5e4, 1e7)  # the same of each pair, from where on its grids have more cells:
_MAX_CELLS = (64, 256, 1024, 4096)
_EVEN = 2  # from which of these on as many people are asked about every grid
_TELLING = (250, 1500)  # the same of each attribute, up to where it is asked about coarsely:
_DEEPEST = (3, 4, None)  # on 8 cells at most, or 16
_ALONE = (0.85, 0.85, 0.65)  # of all people, who are then asked about one attribute
_CELLS_TOLD = 0.25  # of a line, for each unit of what can be known
_MIN_CELLS_TOLD = 128
_WORTH = 2.5  # times as many bins, from where on asking about cells is worth it


def coarse_line(domain: Domain, epsilon: float, expected_users: float, workload: Workload) -> Plan | None:
    """Return the best plan of as many cells of one attribute as can be told apart; None if bins can be.

    Whatever is asked about finer ones costs more than it tells. But bins that lie apart from the line, such
    as no answer, are always asked about.

    >>> import ldprange as ldp
    >>> coarse_line(ldp.Domain.integers(0, 9_999), 0.2, 100_000, "both").decomposition
    Windows(stages=((40, 250, (128, 64, 32, 16, 8, 4, 2, 1)),))
    """
    cells = max(_MIN_CELLS_TOLD, round(_CELLS_TOLD * _known(epsilon, expected_users)))
    if domain.bins < _WORTH * cells or domain.unordered or domain.plain is not domain:
        return None
    coarse = Windows.coarse(domain, cells)
    return optimise_plan(domain, epsilon=epsilon, decomposition=coarse, workload=workload)


def tilted(plan: Plan, expected_users: float) -> Plan:
    """Return a ``plan`` of one attribute that asks more about wide windows, as denoised answers want it.

    How much more depends on how many people are expected: with very many nothing changes.

    >>> import ldprange as ldp
    >>> plan = ldp.choose_plan(ldp.Domain.integers(0, 99), epsilon=1, expected_users=10_000)
    >>> tilted(plan, 10_000).probabilities[0] > plan.probabilities[0]
    True
    """
    known = _known(plan.epsilon, expected_users)
    tilt = _TILT * min(1.0, max(0.0, math.log(_ENOUGH / known) / math.log(_ENOUGH / _LITTLE)))
    widths = np.array([level.size * level.shifts for level in plan.levels], np.float64)
    probabilities = plan.probabilities * np.exp(-tilt * np.log2(widths.max() / widths))
    return Plan(
        plan.domain, plan.epsilon, plan.decomposition, plan.oracles, rounded_probabilities(probabilities)
    )


def _known(epsilon: float, users: float) -> float:
    """Return 1 over the variance of a bin's share, were all people asked about bins by the best oracle."""
    return users * math.expm1(epsilon) ** 2 / (4 * math.exp(epsilon))


def coarse_plan(domain: Domain, epsilon: float, expected_users: float, workload: Workload) -> Plan | None:
    """Return the plan for denoised answers about several attributes: coarse grids of pairs, and each alone.

    The less can be known of a pair, the coarser its grids, and the more people are asked about one attribute:
    on coarse scales only, where little can be known even of that. Where much can be known, as many are asked
    about every grid. Where there is plenty, or where privacy adds less noise than the drawing of people, as
    many as unbiased answers want. Then all combinations of the scales of two attributes are worth asking for,
    and no plan is returned; nor is any where attributes have few bins, so that coarse scales tell little.
    """
    known, attributes = _known(epsilon, expected_users), len(domain.attributes)
    of_pair = known / math.comb(attributes, 2)
    much, of_one = bisect_right(_FINER, of_pair), bisect_right(_TELLING, known / attributes)
    bins = math.prod(domain.shape) ** (1 / attributes)
    plenty = of_pair > _PLENTY * bins or known > expected_users * bins
    if bins <= _FEW_BINS or (plenty and attributes == 2):
        return None
    if plenty:
        grids = Grids.coarse(domain, _MAX_CELLS[max(much, _EVEN)])
        return optimise_plan(domain, epsilon=epsilon, decomposition=grids, workload=workload)
    grids = Grids.coarse(domain, _MAX_CELLS[much], deepest=_DEEPEST[of_one])
    oracles = best_oracles(grids.on(domain).levels, epsilon)
    alone = np.count_nonzero(grids.depths, axis=1) == 1
    if much >= _EVEN:
        return Plan(domain, epsilon, grids, oracles)
    part = _ALONE[of_one]
    probabilities = np.where(alone, part / alone.sum(), (1 - part) / (~alone).sum())
    return Plan(domain, epsilon, grids, oracles, rounded_probabilities(probabilities))
