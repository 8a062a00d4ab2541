"""The Haar transform: each level asks in which half of its node the value lies (the paper's DHT)."""

from dataclasses import dataclass
from typing import ClassVar

from ldprange.decompositions.contract import Decomposition, Layout
from ldprange.decompositions.grids import Grids
from ldprange.decompositions.tree_layout import TreeLayout
from ldprange.domain import Domain


@dataclass(frozen=True, slots=True)
class Haar(Decomposition):
    """Signed dyadic levels, padded to a power of two.

    HRR reports the sign itself. Any other oracle reports the half among all halves of the level, and
    the coefficient is the difference of the two estimates. Over several attributes its levels are all
    combinations of those of binary trees, whose details are the products of Haar's.

    >>> from ldprange import Domain
    >>> [level.cells for level in Haar().on(Domain.integers(1, 6)).levels]
    [2, 4, 8]
    """

    kind: ClassVar[str] = "haar"

    def on(self, domain: Domain) -> Layout:
        halvings = [(2,) * max(1, (bins - 1).bit_length()) for bins in domain.shape]
        if len(domain.shape) > 1:
            unordered, whole = domain.unordered, enumerate(zip(halvings, domain.shape, strict=True))
            trees = [(bins,) if place in unordered else halving for place, (halving, bins) in whole]
            return Grids.product(trees).on(domain)
        return TreeLayout(self, halvings[0], domain, nested=False)
