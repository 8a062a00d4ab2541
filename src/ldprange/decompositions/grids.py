"""Grids over several attributes: a level asks for a cell on some of them, each at one scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange.decompositions.branchings import trees_of
from ldprange.decompositions.contract import Decomposition, Estimator, check_levels
from ldprange.errors import PlanError
from ldprange.least_squares.axis import Axis, analysed
from ldprange.least_squares.table import Question, Table, shares_below
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Floats
from ldprange.support.checking import shown
from ldprange.workloads import boxes_of, corners_of

_DEEPEST = 27  # a plan's attributes have at most 2**26 bins, their trees fewer than twice as many leaves
_MOST_SCALES = 3  # of tables of two attributes: 2 × 2, 4 × 4 and 8 × 8 cells


@dataclass(frozen=True, slots=True)
class Grid(Level):
    """A level over several attributes: so many cells on each, of so many bins."""

    shape: tuple[int, ...] = ()
    scales: tuple[int, ...] = ()

    @staticmethod
    def of(axes: Sequence[Axis], depths: Sequence[int]) -> Grid:
        """Return the grid at these depths of the attributes' trees."""
        shape = tuple(axis.cells[depth] for axis, depth in zip(axes, depths, strict=True))
        scales = tuple(axis.sizes[depth] for axis, depth in zip(axes, depths, strict=True))
        return Grid(prod(shape), 1, prod(scales), shape=shape, scales=scales)

    def cell(self, index: Any) -> int:
        found = 0
        for place, cells, scale in zip(index, self.shape, self.scales, strict=True):
            found = found * cells + place // scale
        return found

    def cells_of(self, indices: NDArray[Any]) -> NDArray[np.uint32]:
        found = np.zeros(indices.shape[1:], np.int64)
        for row, cells, scale in zip(indices, self.shape, self.scales, strict=True):
            found = found * cells + row // scale
        return found.astype(np.uint32)

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = [number for pair in zip(self.shape, self.scales, strict=True) for number in pair]
        counts = padded(counts, [cells * scale for cells, scale in zip(self.shape, self.scales, strict=True)])
        sums: NDArray[np.int64] = counts.reshape(pairs).sum(axis=tuple(range(1, len(pairs), 2))).reshape(-1)
        return sums


@dataclass(frozen=True)
class Grids(Decomposition):
    """Grids over the attributes of a product, each attribute cut by a tree.

    Parameters
    ----------
    trees
        The branchings of every attribute's tree, from the root down; their product is its number of bins. It
        may be more, and nobody is then in the last leaves.
    depths
        For every level, how deep it goes into each tree; 0 where it does not ask.

    >>> [level.shape for level in Grids.product([(2, 3), (4,)]).levels(24)]
    [(1, 4), (2, 1), (2, 4), (6, 1), (6, 4)]
    """

    trees: Sequence[Sequence[int]]
    depths: Sequence[Sequence[int]]
    kind: ClassVar[str] = "grids"
    nested: ClassVar[bool] = True
    axes: tuple[Axis, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        trees, depths = _numbers(self.trees, 2, "trees"), _numbers(self.depths, 0, "depths")
        if len(trees) < 2 or not all(trees):
            raise PlanError(f"grids need the branchings of two trees or more, got {shown(self.trees)}")
        heights = [len(tree) for tree in trees]
        # looked at before anything is built from them: every branching is 2 or more
        if max(heights) > _DEEPEST or max(map(prod, trees)) > 1 << _DEEPEST:
            raise PlanError(
                f"a tree may have at most 2**{_DEEPEST} leaves, got {shown(self.trees)}; use fewer bins"
            )
        check_levels(len(depths))
        for depth in depths:
            if (
                len(depth) != len(trees)
                or not any(depth)
                or any(d > h for d, h in zip(depth, heights, strict=True))
            ):
                raise PlanError(
                    f"a grid must go 0 to {shown(heights)} deep into the trees, and into one of them at "
                    f"least, got {shown(list(depth))}"
                )
        if not depths or len(set(depths)) != len(depths):
            raise PlanError(f"grids must be one or more, each once, got {shown(self.depths)}")
        object.__setattr__(self, "trees", trees)
        object.__setattr__(self, "depths", depths)
        object.__setattr__(self, "axes", tuple(Axis(tree) for tree in trees))

    @staticmethod
    def product(trees: Iterable[Sequence[int]]) -> Grids:
        """Return all combinations of depths: what a question about all attributes at once needs."""
        kept, combinations_of_depths = [], 1
        for tree in trees:  # counted as they come, because few bytes can ask for any number of combinations
            kept.append(tree)
            combinations_of_depths *= len(tree) + 1
            check_levels(combinations_of_depths - 1)
        heights = [range(len(tree) + 1) for tree in kept]
        return Grids(kept, [depths for depths in product(*heights) if any(depths)])

    @staticmethod
    def of_trees(shape: tuple[int, ...], branching: int, unordered: frozenset[int] = frozenset()) -> Grids:
        """Return all combinations of the depths of trees with about so many children to a node."""
        return Grids.product(trees_of(shape, branching, unordered)).resolve(shape)

    @staticmethod
    def pairs(shape: Sequence[int], most: int, unordered: frozenset[int] = frozenset()) -> Grids:
        """Return coarse grids of every two of many attributes, and finer ones of each alone, at most so many.

        >>> [level.shape for level in Grids.pairs((4, 4, 4), 9).levels(64)][-3:]
        [(4, 4, 1), (4, 1, 4), (1, 4, 4)]
        """
        trees = list(trees_of(shape, 2, unordered))
        together = list(combinations(range(len(trees)), 2))
        alone = [
            [depth if b == a else 0 for b in range(len(trees))]
            for a, tree in enumerate(trees)
            for depth in range(len(tree), 0, -1)
        ]
        alone.sort(key=lambda row: -max(row))
        scales = min(_MOST_SCALES, max(1, (most - len(trees)) // len(together)))
        first = 1 if scales > 1 else min(2, *(len(tree) for tree in trees))
        asked: dict[tuple[int, ...], None] = {}
        for depth in range(first, first + scales):
            for pair in together:
                asked[tuple(min(depth, len(tree)) if a in pair else 0 for a, tree in enumerate(trees))] = None
        singles = [tuple(row) for row in alone][: most - len(asked)]
        return Grids(trees, [*sorted(singles), *asked]).resolve(tuple(shape))

    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Grids:
        leaves = [axis.leaves for axis in self.axes]
        if len(leaves) != len(shape) or not all(
            bins <= have < 2 * bins for have, bins in zip(leaves, shape, strict=True)
        ):
            raise PlanError(
                f"the trees must have as many leaves as the attributes have bins, {shown(list(shape))}, or "
                f"more, but not twice as many, got {shown(leaves)}"
            )
        resolved = Grids(self.trees, self.depths)
        axes = tuple(Axis(tree, bins) for tree, bins in zip(self.trees, shape, strict=True))
        object.__setattr__(resolved, "axes", axes)
        return resolved

    def levels(self, bins: int) -> tuple[Level, ...]:
        return tuple(Grid.of(self.axes, depths) for depths in self.depths)

    def table(self, law: Law, chosen: Sequence[int]) -> Table:
        """Return how the grids come together in the joint distribution of some attributes."""
        return Table(self.axes, np.array(self.depths), chosen, law)

    def tables(self) -> list[tuple[int, ...]]:
        asked = {tuple(np.flatnonzero(depths).tolist()) for depths in self.depths}
        return sorted(each for each in asked if not any(set(each) < set(other) for other in asked))

    def asks_together(self, chosen: Iterable[int]) -> bool:
        """Tell whether some grid asks about all of these attributes."""
        return any(set(chosen) <= set(each) for each in self.tables())

    def coefficients(self, estimates: Sequence[Floats]) -> list[Floats]:
        """Return every level's estimates in the basis of details, with an axis for each attribute."""
        found = []
        for depths, estimate in zip(self.depths, estimates, strict=True):
            shape = [axis.cells[depth] for axis, depth in zip(self.axes, depths, strict=True)]
            found.append(analysed(self.axes, estimate.reshape(shape), depths))
        return found

    def estimator(self, bins: int, law: Law) -> Estimator:
        raise PlanError("this is asked of one attribute at a time, and the plan has several")

    def mean_variances(self, bins: int, law: Law) -> tuple[float, float]:
        each = [self.table(law, chosen).mean_variances() for chosen in self.tables()]
        ranges, prefixes = np.mean(each, axis=0).tolist()
        return ranges, prefixes

    def population_variances(self, law: Law, shares: Floats) -> tuple[float, float]:
        each = []
        for chosen in self.tables():
            table, others = self.table(law, chosen), set(range(shares.ndim)) - set(chosen)
            there = shares.sum(axis=tuple(others))
            variances = table.variances(shares_below(padded(there, table.leaves)))
            corners, means = corners_of(there.shape), []
            for low, high in boxes_of(there.shape), ([np.zeros_like(end) for end in corners], corners):
                stops = [axis.leaf(end) for axis, end in zip(table.axes, high, strict=True)]
                asked = Question(low, stops, [np.zeros(end.shape) for end in low])
                means.append(variances(asked).mean())
            each.append(means)
        ranges, prefixes = np.mean(each, axis=0).tolist()
        return ranges, prefixes

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "trees": [list(tree) for tree in self.trees],
            "depths": [list(depth) for depth in self.depths],
        }


def padded(numbers: NDArray[Any], leaves: Sequence[int]) -> NDArray[Any]:
    """Return an array over the leaves from one over the bins: nobody is in leaves beyond them."""
    return np.pad(numbers, [(0, more - have) for more, have in zip(leaves, numbers.shape, strict=True)])


def _numbers(given: object, least: int, what: str) -> tuple[tuple[int, ...], ...]:
    rows = [list(row) if isinstance(row, list | tuple) else [None] for row in _listed(given)]
    if not all(type(number) is int and number >= least for row in rows for number in row):
        raise PlanError(f"{what} must be lists of whole numbers of at least {least}, got {shown(given)}")
    return tuple(map(tuple, rows))


def _listed(given: object) -> list[object]:
    return list(given) if isinstance(given, list | tuple) else [None]
