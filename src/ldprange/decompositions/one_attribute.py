"""What the layouts of one attribute have in common: an estimator of the bins on a line."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ldprange.decompositions.contract import AnswerWeights, Decomposition, Estimator, Layout, Variances, Weigh
from ldprange.domain import Domain
from ldprange.levels import Level, block_ends, boundaries
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import ranges_of

EVEN_EXACTLY = 1024
"""Bins up to which an even population is like any other; beyond, the ends of a line are like the rest."""


class LineLayout(Layout):
    """A decomposition of one attribute."""

    def __init__(self, decomposition: Decomposition, levels: tuple[Level, ...], domain: Domain) -> None:
        self.decomposition, self.levels, self.bins = decomposition, levels, domain.bins
        self.shape, self.unordered = (domain.bins,), domain.unordered

    @abstractmethod
    def estimator(self, law: Law) -> Estimator: ...

    def mean_variances(self, law: Law, shares: Floats | None = None) -> tuple[float, float]:
        if shares is None and (self.bins <= EVEN_EXACTLY or self.unordered):
            shares = np.full(self.bins, 1 / self.bins)
        return super().mean_variances(law, shares)

    def answer_weights(self, law: Law, table: Sequence[int] = (0,)) -> Weigh:
        estimator = self.estimator(law)
        told = np.append(0.0, np.cumsum(estimator.fit([np.zeros(level.cells) for level in self.levels])))

        def weigh(low: Boundaries, high: Boundaries) -> AnswerWeights:
            ends, places = np.unique(np.concatenate([low, high], axis=1), return_inverse=True)
            at_ends = [estimator.gains(boundary) for boundary in ends.tolist()]
            first, last = places.reshape(-1, 2).T
            levels = [np.array(each)[last] - np.array(each)[first] for each in zip(*at_ends, strict=True)]
            return AnswerWeights(levels, told[high[:, 0]] - told[low[:, 0]])

        return weigh

    def even_variances(self, law: Law) -> tuple[float, float]:
        return self.estimator(law).mean_variances()

    def population_variances(self, law: Law, shares: Floats) -> tuple[float, float]:
        variances = self.estimator(law).variances(np.append(0.0, np.cumsum(shares)))
        told = boundaries(self.bins, self.levels[-1].size)  # what is finer nobody is asked about
        low, high = ranges_of(told.size - 1, ordered=not self.unordered)
        ranges = float(variances(told[low], told[high]).mean())
        if self.unordered:
            return ranges, ranges
        return ranges, float(variances(np.zeros_like(told[1:]), told[1:]).mean())


def narrow_blocks(variances: Variances, width: int, begins: Boundaries, bins: int, period: int) -> Floats:
    """Return the variances of blocks of ``width`` bins, as far as they lie among the ``bins``.

    They are taken to be alike at the same place of a ``period``, but at the line's ends.
    """

    def of(begins: Boundaries) -> Floats:
        return variances(*block_ends(begins, width, bins))

    middle = bins // 2 // period * period
    found = of(np.arange(middle, middle + period))[begins % period]
    first, last = np.searchsorted(begins, [period, bins - 2 * period])
    for end in (slice(first), slice(last, None)):
        found[end] = of(begins[end])
    return found
