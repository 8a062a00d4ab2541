"""How a mean varies: it is a weighted sum of shares below boundaries, whose covariances ranges tell.

The share between two boundaries is the difference of those below them, so
2 cov(F_a, F_b) = V(0, a) + V(0, b) − V(a, b), where V are the variances of ranges.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldprange.support.arrays import Boundaries, Floats

RangeVariances = Callable[[Boundaries, Boundaries], Floats]
"""The variances of the shares in ranges of bins, from where they begin and end."""

_MAX_RUNS = 256  # of bins, that are told apart


def sum_variance(
    variances: RangeVariances, bins: int, values: Floats, *, step: int = 1, max_runs: int = _MAX_RUNS
) -> float:
    """Return the variance of Σ ``values`` × shares over the first ``bins``, whose ranges have ``variances``.

    It is exact on up to ``max_runs`` cells of ``step`` bins. On more, cells are taken together in at most so
    many runs; how people move within a run changes a mean by a run's width at most.
    """
    ends = np.append(np.arange(0, bins, step * -(-bins // (step * max_runs))), bins)
    means = np.add.reduceat(values, ends[:-1]) / np.diff(ends)
    weights = np.append(means[:-1] - means[1:], means[-1])  # of the shares below each boundary but the first
    inside = ends[1:]
    first, second = np.triu_indices(inside.size, 1)
    below = variances(np.zeros_like(inside), inside)
    between = variances(inside[first], inside[second])
    variance = weights.sum() * (weights @ below) - (weights[first] * weights[second]) @ between
    return max(float(variance), 0.0)


def in_cells(values: Floats, step: int) -> tuple[Floats, Floats]:
    """Return the least and the greatest of the ``values`` in each bin's cell of ``step`` bins.

    The people in a cell that reports do not tell apart may all have the one, or the other.

    >>> [ends.tolist() for ends in in_cells(np.arange(5.0), 2)]
    [[0.0, 0.0, 2.0, 2.0, 4.0], [1.0, 1.0, 3.0, 3.0, 4.0]]
    """
    begins = np.arange(0, values.size, step)
    widths = np.diff(np.append(begins, values.size))
    least, greatest = (np.repeat(of.reduceat(values, begins), widths) for of in (np.minimum, np.maximum))
    return least, greatest
