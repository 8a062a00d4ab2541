"""Levels of ever smaller equal blocks, each within one of the level above: trees, and Haar's signs."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from ldprange.decompositions.contract import Decomposition, Estimator, Variances
from ldprange.decompositions.descent import best_told
from ldprange.decompositions.one_attribute import EVEN_EXACTLY, LineLayout, narrow_blocks
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.tree import TreeFit
from ldprange.least_squares.tree_variances import range_variances
from ldprange.levels import Level, block_begins, neighbours
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.checking import shown
from ldprange.support.parallel import in_threads, slices
from ldprange.workloads import mean_overlap

_TOGETHER = 1 << 12  # ranges that a thread works on together
_LONG = 8  # widths


class TreeLayout(LineLayout):
    """The tree with these branchings from the root down, over the bins and padding beyond them.

    Parameters
    ----------
    decomposition
        What describes it.
    branchings
        Of every level; their product is the number of bins or more.
    domain
        Whose bins the first leaves are.
    nested
        Whether a level also speaks of the coarser ones (a tree), or of its own details only (Haar).
    """

    def __init__(
        self, decomposition: Decomposition, branchings: Sequence[int], domain: Domain, *, nested: bool = True
    ) -> None:
        if math.prod(branchings) < domain.bins:
            raise PlanError(
                f"branchings must multiply to at least {domain.bins}, the number of bins, "
                f"got {shown(branchings)}; make one larger, or add a level"
            )
        super().__init__(decomposition, stacked(branchings, contrast=not nested), domain)
        self.nested = self.has_nodes = nested

    @property
    def required(self) -> Sequence[int]:
        return super().required if self.nested else range(len(self.levels))

    def estimator(self, law: Law) -> Estimator:
        return _TreeEstimator(self.levels, self.bins, self.nested, law)

    def known_sizes(self, users: Sequence[float], *, consistent: bool = True) -> tuple[int, ...]:
        # in a nested tree any level tells of all coarser ones; otherwise a level needs those above it
        reported, leaves = np.array(users) > 0, self.levels[0].size * self.levels[0].branching
        if not reported.any():
            return (max(leaves, self.bins),)
        nested = self.nested and consistent
        known = np.maximum.accumulate(reported[::-1])[::-1] if nested else np.minimum.accumulate(reported)
        sizes = [level.size for level, is_known in zip(self.levels, known, strict=True) if is_known]
        return tuple(sizes) or (leaves,)

    def best_probabilities(self, information: Floats, weights: Floats) -> Floats:
        """Minimise f = Σ_l c_l/(Σ_{k≥l} size_k λ_k p_k), c_l the mean of ‖P_l r‖² (Haar: k = l alone)."""
        sizes = [level.size for level in self.levels]
        root = self.levels[0].size * self.levels[0].branching
        c = np.diff([mean_overlap(self.bins, size) for size in (root, *sizes)], axis=0).T
        tells = np.tri(len(sizes)) if self.nested else np.eye(len(sizes))
        return best_told([(c, tells, information * sizes)], weights)


class _TreeEstimator(TreeFit):
    def __init__(self, levels: Sequence[Level], bins: int, nested: bool, law: Law) -> None:
        super().__init__(levels, bins, nested, law.node_variances([level.cells for level in levels]))
        self._law, self._axis = law, Axis([level.branching for level in levels])

    def variances(self, cdf: Floats) -> Variances:
        return partial(range_variances, self, self._law, cdf)

    def even_variances(self, low: Boundaries, high: Boundaries) -> Floats:
        def work(some: slice) -> Floats:
            first, last = low[some], high[some]
            found: Floats = self._axis.energies(first, last)[:, 1:] @ self.shrink
            if self.padding:
                found -= self.padding.variance * np.subtract(*self.padding.weights[[last, first]]) ** 2
            share = (last - first) / self.bins
            return np.maximum(found - share * (1 - share) / self._law.fixed_people, 0.0)

        return np.concatenate([np.zeros(0), *in_threads(work, slices(low.size, _TOGETHER))])

    def block_variances(self, width: int, step: int) -> Floats:
        period = next((size for size in self.sizes[::-1].tolist() if size >= _LONG * width), self.bins)
        if self.bins <= EVEN_EXACTLY or 4 * period > self.bins:
            return self.even_variances(*neighbours(width, self.bins, step))
        # cells that are so much longer make hardly any difference, wherever they end
        begins = block_begins(width, self.bins, step)
        return narrow_blocks(self.even_variances, width, begins, self.bins, period)


def stacked(branchings: Sequence[int], *, contrast: bool = False) -> tuple[Level, ...]:
    """Return the levels of a tree with these ``branchings`` from the root down."""
    cells = np.cumprod(branchings).tolist()
    return tuple(
        Level(number, branching, cells[-1] // number, contrast)
        for number, branching in zip(cells, branchings, strict=True)
    )
