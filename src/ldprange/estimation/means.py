"""How a mean varies: it is a weighted sum of shares below boundaries, whose covariances ranges tell.

The share between two boundaries is the difference of those below them, so
2 cov(F_a, F_b) = V(0, a) + V(0, b) − V(a, b), where V are the exact variances of ranges.
"""

from __future__ import annotations

import numpy as np

from ldprange.estimation.shares import CentredShares
from ldprange.support.arrays import Floats

_MAX_RUNS = 256  # of bins, that are told apart


def mean_variance(shares: CentredShares, values: Floats) -> float:
    """Return the variance of Σ ``values`` × ``shares`` over all bins.

    It is exact on up to 256 bins. On more, bins are taken together in 256 runs; how people move within a run
    changes the mean by a 256th of the domain at most.
    """
    runs = min(shares.bins, _MAX_RUNS)
    ends = np.arange(runs + 1) * shares.bins // runs
    means = np.add.reduceat(values, ends[:-1]) / np.diff(ends)
    weights = means[:-1] - means[1:]  # of the shares below each boundary inside
    inside = ends[1:-1]
    first, second = np.triu_indices(inside.size, 1)
    below = shares.spread(np.zeros_like(inside), inside).variance
    between = shares.spread(inside[first], inside[second]).variance
    variance = weights.sum() * (weights @ below) - (weights[first] * weights[second]) @ between
    return max(float(variance), 0.0)
