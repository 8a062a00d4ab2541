"""The least mean variance that any unbiased scheme of one round can have, under ε-local differential privacy.

Two things limit what a report can tell about the D shares of people who are spread evenly over the bins. Of
any report, the likelihoods of two values differ by a factor of at most e = e^ε, so its relative likelihood
has mean 1 over the bins and a variance of at most (e − 1)²/4e: the trace of its Fisher information is
at most D/V, V = 4e/(e − 1)². And a report tells no more than the value itself does, whose information is D in
every direction: no eigenvalue is above D.

Let W have a row for each of m questions, let P project onto shares that add up to 0, and let μ be the
eigenvalues of P WᵀW P. By Cramér and Rao the mean variance is at least Σ μ_i/λ_i / (N m), λ the eigenvalues
of the information (in the directions of P WᵀW P: others are worse). It is least for λ_i = min(D, c √μ_i), c
such that they add up to D/V: water-filling. As long as none of them reaches D this is

    V/N · (Σ √μ_i)² / (D m),

and where all do, it is what drawing N people at random costs: the mean of R(1 − R)/N over the questions, R
the share of people asked about. In between, from ε = 2.5 or so on, we know of no scheme that comes near:
there the bound is loose.

For all ranges, and for all prefixes, the eigenvalues have a closed form: the inverse of WᵀW is a second
difference, so its eigenvectors are sines and cosines. The projection keeps those that add up to 0 and moves
the others to where they do.
"""

from __future__ import annotations

import math

import numpy as np

from ldprange.support.arrays import Floats


def unit(epsilon: float, users: float) -> float:
    """Return V/N of ``epsilon`` and N = ``users``, in which the bounds are told.

    >>> round(unit(math.log(3), users=1), 6)
    3.0
    """
    return 4 * math.exp(epsilon) / (math.expm1(epsilon) ** 2 * users)


def least_ranges(bins: int, epsilon: float) -> float:
    """Return the bound on the mean variance over all ranges of ``bins`` at ``epsilon``, in units of V/N.

    >>> round(least_ranges(256, 1), 2), round(least_ranges(1024, 1), 2), round(least_ranges(256, 4), 2)
    (6.54, 10.1, 6.57)
    """
    half = math.sqrt(bins + 1) / 2
    odd = half / np.sin(math.pi * np.arange(1, bins // 2 + 1) / (bins + 1))
    even = half / np.sin(math.pi * np.arange(1, (bins - 1) // 2 + 1) / bins)
    return _bound(np.concatenate([odd, even]), bins * bins * (bins + 1) / 2, epsilon)


def least_prefixes(bins: int, epsilon: float) -> float:
    """Return the bound on the mean variance over all prefixes of ``bins`` at ``epsilon``, in units of V/N.

    >>> round(least_prefixes(256, 1), 2), round(least_prefixes(1024, 1), 2), round(least_prefixes(256, 4), 2)
    (4.1, 6.08, 4.49)
    """
    return _bound(1 / (2 * np.sin(math.pi * np.arange(1, bins) / (2 * bins))), bins * bins, epsilon)


def _bound(roots: Floats, scale: float, epsilon: float) -> float:
    """Return the bound from all √μ, with ``scale`` = D·m."""
    rising, trace = np.sort(roots), 1 / unit(epsilon, users=1)
    information = water_filling(rising, trace)  # λ/D
    return float(trace * np.sum(rising**2 / information) / scale)


def water_filling(rising: Floats, total: float) -> Floats:
    """Return min(1, c·``rising``), c such that they add up to ``total``, or all 1 if that is not enough.

    ``rising`` are numbers above 0 in rising order. With the k largest at 1, c would be (``total`` − k) over
    the sum of the others; it is greatest for the right k, because with any other some number counts for more
    than min(1, c·``rising``).

    >>> water_filling(np.array([1.0, 2.0, 5.0]), 1.6).round(9).tolist()
    [0.2, 0.4, 1.0]
    >>> water_filling(np.array([1.0, 2.0]), 9.0).tolist()
    [1.0, 1.0]
    """
    at_most = np.arange(rising.size)[::-1]
    level = np.max((total - at_most) / np.cumsum(rising))
    return np.minimum(1.0, level * rising)
