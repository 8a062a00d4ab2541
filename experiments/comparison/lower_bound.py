"""The least mean variance that any unbiased scheme of one round can have, under ε-local differential privacy.

Of any report, the likelihoods of two values differ by a factor of at most e = e^ε. So, where people are
spread evenly over D bins, the relative likelihood of a report has mean 1 over the bins and a variance of at
most (e − 1)²/4e, and a report's Fisher information about the D shares has a trace of at most D(e − 1)²/4e.
Sharing that out among the directions so that the mean variance of the questions is least gives, with W a row
for each of m questions, P the projection onto shares that add up to 0, and V = 4e/(e − 1)²,

    V/N · (Σ √eigenvalue(P WᵀW P))² / (D m).

The bound counts what drawing N people at random adds, R(1 − R)/N for a range that holds a share R.

For all ranges, and for all prefixes, the eigenvalues have a closed form: the inverse of WᵀW is a second
difference, so its eigenvectors are sines and cosines. The projection keeps those that add up to 0 and moves
the others to where they do.
"""

from __future__ import annotations

import math

import numpy as np

from ldprange.details import Floats


def unit(epsilon: float, users: float) -> float:
    """Return V/N, in which the bounds are told.

    >>> round(unit(math.log(3), users=1), 6)
    3.0
    """
    return 4 * math.exp(epsilon) / (math.expm1(epsilon) ** 2 * users)


def least_ranges(bins: int) -> float:
    """Return the bound on the mean variance over all ranges, in units of V/N.

    >>> round(least_ranges(256), 2), round(least_ranges(1024), 2)
    (6.54, 10.1)
    """
    half = math.sqrt(bins + 1) / 2
    odd = half / np.sin(math.pi * np.arange(1, bins // 2 + 1) / (bins + 1))
    even = half / np.sin(math.pi * np.arange(1, (bins - 1) // 2 + 1) / bins)
    return _bound(np.concatenate([odd, even]), bins, bins * (bins + 1) / 2)


def least_prefixes(bins: int) -> float:
    """Return the bound on the mean variance over all prefixes, in units of V/N.

    >>> round(least_prefixes(256), 2), round(least_prefixes(1024), 2)
    (4.1, 6.08)
    """
    return _bound(1 / (2 * np.sin(math.pi * np.arange(1, bins) / (2 * bins))), bins, bins)


def _bound(roots: Floats, bins: int, questions: float) -> float:
    return float(roots.sum() ** 2 / (bins * questions))


def sampling_ranges(bins: int) -> float:
    """Return the mean of R(1 − R) over all ranges, where people are spread evenly."""
    return (bins + 2) * (bins - 1) / (6 * bins**2)


def sampling_prefixes(bins: int) -> float:
    """Return the mean of R(1 − R) over all prefixes, where people are spread evenly."""
    return (1 - 1 / bins**2) / 6
