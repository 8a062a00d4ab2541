"""Least squares over small trees by plain linear algebra: the witness for what the paper says of consistency.

Every node's estimate has variance 1, so what comes out is in units of the variance of a node.
"""

from __future__ import annotations

import numpy as np

from ldprange.support.arrays import Floats


def hierarchy(branching: int, height: int) -> list[Floats]:
    """Return the matrices that add leaves up into nodes, level by level from the root down to the leaves."""
    return [
        np.repeat(np.eye(branching**depth), branching ** (height - depth), axis=1)
        for depth in range(height + 1)
    ]


def with_noisy_root(levels: list[Floats]) -> Floats:
    """Return the leaves' covariance where the root is one more noisy node: the paper's (HᵀH)⁻¹."""
    information = np.sum([level.T @ level for level in levels], axis=0)
    return np.asarray(np.linalg.inv(information), np.float64)


def without_root(levels: list[Floats]) -> Floats:
    """Return the leaves' covariance where nothing is said of the root."""
    return with_noisy_root(levels[1:])


def with_known_root(levels: list[Floats]) -> Floats:
    """Return the leaves' covariance where they are known to add up to 1."""
    free = without_root(levels)
    total = free.sum(axis=1)
    covariance: Floats = free - np.outer(total, total) / total.sum()
    return covariance


def between_boundaries(covariance: Floats) -> Floats:
    """Return the variance of the leaves from boundary i up to boundary j, at row i and column j."""
    prefixes = np.pad(covariance.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    own = np.diag(prefixes)
    variances: Floats = own[:, None] + own - 2 * prefixes
    return variances


def mean_variances(covariance: Floats) -> tuple[float, float]:
    """Return the mean variance over all ranges and over all prefixes."""
    variances = between_boundaries(covariance)
    return float(variances[np.triu_indices_from(variances, 1)].mean()), float(variances[0, 1:].mean())
