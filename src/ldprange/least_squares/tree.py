"""The one basis in which consistent trees and the Haar transform are the same object.

Call *detail of level l* the deviation of a node from the mean of its siblings. Least squares over
a tree whose level l has variance σ_l² per node, with the root fixed at 1, is diagonal in this
basis, for any branching on any level:

- the detail of level l is the precision-weighted mean of what each level k ≥ l says of it (its
  values summed up to level l), with weights size_k/σ_k²;
- the covariance of the leaves is Σ_l λ_l P_l with λ_l = 1/Σ_{k≥l} size_k/σ_k², where P_l projects
  onto the details of level l.

The paper's two-stage procedure (its section on consistency) is the case of equal variances
without the root. A Haar level speaks of its own detail only; then λ_l = σ_l²/size_l.

Leaves beyond the real bins are padding, known to hold nobody: the estimate is conditioned on
their total being 0, so that the real bins add up to exactly 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ldprange.least_squares.known_total import KnownTotal
from ldprange.levels import Level
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import mean_overlap


class TreeFit:
    """Levels with a variance per node each: the estimator and its working covariance.

    Parameters
    ----------
    levels
        From the root's children down to the leaves.
    bins
        Number of real leaves; the rest is padding.
    nested
        Whether a level also speaks of coarser levels' details (a tree) or of its own only (Haar).
    variances
        σ² of a node's estimate, level by level.
    """

    def __init__(self, levels: Sequence[Level], bins: int, nested: bool, variances: ArrayLike) -> None:
        self.levels = tuple(levels)
        self.bins = bins
        self.nested = nested
        self.sizes = np.array([level.size for level in levels])
        self.leaves = levels[0].size * levels[0].branching
        self.precisions = self.sizes / np.asarray(variances, np.float64)
        informed = np.cumsum(self.precisions[::-1])[::-1] if nested else self.precisions
        self.shrink = 1.0 / informed
        """λ_l: the variance of a unit vector among the details of level l."""
        self.padding = self._padding() if self.leaves > bins else None

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        """Return the fractions of the real bins from every level's node estimates."""
        leaves = self._rebuild(self._gather(estimates))
        return self.padding.condition(leaves) if self.padding else leaves

    def _gather(self, estimates: Sequence[Floats]) -> list[Floats]:
        """Go up the tree: each detail is the weighted mean of all that speaks of it."""
        details: list[Floats] = []
        below: Floats | float = 0.0
        for level, estimate, precision, shrink in reversed(
            list(zip(self.levels, estimates, self.precisions, self.shrink, strict=True))
        ):
            siblings = (precision * estimate + below).reshape(-1, level.branching)
            details.append(shrink * (siblings - siblings.mean(axis=1, keepdims=True)))
            below = siblings.sum(axis=1) if self.nested else 0.0
        return details[::-1]

    def _rebuild(self, details: Sequence[Floats]) -> Floats:
        """Go down the tree: a child is its share of the parent plus its detail."""
        nodes = np.ones(1)
        for level, detail in zip(self.levels, details, strict=True):
            nodes = (nodes[:, None] / level.branching + detail).reshape(-1)
        return nodes

    def gains(self, boundary: int) -> list[Floats]:
        """Return what the share below a boundary gains from the nodes' estimates on each level."""
        found = self._gains(boundary)
        if self.padding:
            known, whole = float(self.padding.weights[boundary]), self._gains(self.bins)
            found = [own - known * all_bins for own, all_bins in zip(found, whole, strict=True)]
        return found

    def _gains(self, boundary: int) -> list[Floats]:
        """Return them, were there no padding: a node's covariance with that share, over its own variance."""
        below = (np.arange(self.leaves) < boundary).astype(np.float64)
        found, each, parents = list[Floats](), np.zeros(1), below.mean(keepdims=True)
        for level, precision, shrink in zip(self.levels, self.precisions, self.shrink, strict=True):
            means = below.reshape(level.cells, level.size).mean(axis=1)
            detail = shrink * (means.reshape(-1, level.branching) - parents[:, None])
            each = (detail + each[:, None] if self.nested else detail).reshape(-1)
            found.append(precision * each)
            parents = means
        return found

    def below(self, cut: int) -> tuple[Boundaries, Floats]:
        """Return the working covariance, were there no padding, with the share below ``cut``.

        That is boundaries, and the covariances of the shares below them; between two they lie on a line, for
        a node that the cut does not fall into has the same covariance in all of its leaves.
        """
        widths: list[list[int]] = [[], []]  # of what lies left of the cut, and right of it, outermost first
        rises: list[list[float]] = [[], []]
        start, size, parent, mean = 0, self.leaves, 0.0, cut / self.leaves
        for level, shrink in zip(self.levels, self.shrink, strict=True):
            before = min((cut - start) // level.size, level.branching - 1)
            each = parent / size
            for side, number, whole in ((0, before, 1.0), (1, level.branching - 1 - before, 0.0)):
                widths[side].append(number * level.size)
                rises[side].append(number * level.size * (each + shrink * (whole - mean)))
            start, size = start + before * level.size, level.size
            inside = (cut - start) / size
            parent, mean = size * (each + shrink * (inside - mean)), inside
        boundaries = np.cumsum([0, *widths[0], size, *reversed(widths[1])])
        return boundaries, np.cumsum([0.0, *rises[0], parent, *reversed(rises[1])])

    def _padding(self) -> KnownTotal:
        boundaries, covariances = self.below(self.bins)
        kept = boundaries <= self.bins
        kept[1:] &= np.diff(boundaries) > 0
        return KnownTotal(boundaries[kept], covariances[kept])

    def mean_variances(self) -> tuple[float, float]:
        """Return the exact mean working variance over all D(D + 1)/2 ranges and over all D prefixes."""
        steps = [self.leaves, *self.sizes]
        norms = np.array([mean_overlap(self.bins, int(size)) for size in steps])
        ranges, prefixes = self.shrink @ np.diff(norms, axis=0)
        if self.padding:
            known_ranges, known_prefixes = self.padding.mean_gains()
            ranges, prefixes = ranges - known_ranges, prefixes - known_prefixes
        return float(ranges), float(prefixes)
