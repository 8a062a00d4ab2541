"""Trees: levels of ever smaller equal blocks (the paper's hierarchical histograms), and the flat one."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ldprange.decompositions.branchings import branchings_for
from ldprange.decompositions.contract import Decomposition, Layout
from ldprange.decompositions.grids import Grids, trees_of
from ldprange.decompositions.tree_layout import TreeLayout
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.support.checking import shown

_MAX_BRANCHING = 1 << 32


@dataclass(frozen=True, slots=True)
class Flat(Decomposition):
    """One level: the bins themselves.

    >>> from ldprange import Domain
    >>> [level.cells for level in Flat().on(Domain.integers(1, 7)).levels]
    [7]
    """

    kind: ClassVar[str] = "flat"

    def on(self, domain: Domain) -> Layout:
        if len(domain.shape) > 1:
            return Grids([[bins] for bins in domain.shape], [[1] * len(domain.shape)]).on(domain)
        return TreeLayout(self, (max(2, domain.bins),), domain)


@dataclass(frozen=True, slots=True)
class Tree(Decomposition):
    """A tree of about ``branching`` children to a node; every level but the root is asked.

    The number of bins need not be a power of the branching: each level gets a factor near it,
    so that their product is the number of bins or just above. Over several attributes there is such a tree
    for each, and every combination of their levels is a level.

    >>> from ldprange import Domain
    >>> [level.branching for level in Tree(4).on(Domain.integers(0, 119)).levels]
    [4, 5, 6]
    >>> [level.cells for level in Tree(4).on(Domain.integers(0, 255)).levels]
    [4, 16, 64, 256]
    """

    branching: int
    kind: ClassVar[str] = "tree"

    def __post_init__(self) -> None:
        if type(self.branching) is not int or not 2 <= self.branching <= _MAX_BRANCHING:
            raise PlanError(
                f"branching must be a whole number of at least 2 (and at most {_MAX_BRANCHING}), "
                f"got {shown(self.branching)}"
            )

    def on(self, domain: Domain) -> Layout:
        if len(domain.shape) > 1:
            return Grids.product(trees_of(domain, self.branching)).on(domain)
        return TreeLayout(self, branchings_for(domain.bins, self.branching), domain)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "branching": self.branching}

    def describe(self) -> str:
        return f"Tree, {self.branching} children to a node"
