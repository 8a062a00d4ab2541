"""How grids over several attributes come together: in tables of those asked about at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.decompositions.contract import AnswerWeights, Decomposition, Layout, Weigh
from ldprange.decompositions.descent import best_told
from ldprange.domain import Domain
from ldprange.least_squares.axis import Axis, analysed
from ldprange.least_squares.table import Boxes, JointFit, shares_below
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import boxes_of, corners_of


@dataclass(frozen=True, slots=True)
class Grid(Level):
    """A level over several attributes: ``shape`` cells, each of ``scales`` bins, by attribute."""

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
            if cells > 1:
                found = found * cells + row // scale
        return found.astype(np.uint32)

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = [number for pair in zip(self.shape, self.scales, strict=True) for number in pair]
        counts = padded(counts, [cells * scale for cells, scale in zip(self.shape, self.scales, strict=True)])
        sums: NDArray[np.int64] = counts.reshape(pairs).sum(axis=tuple(range(1, len(pairs), 2))).reshape(-1)
        return sums


class GridsLayout(Layout):
    """Grids at ``depths`` of every attribute's tree, the trees being cut by ``trees`` over a ``domain``."""

    levels: tuple[Grid, ...]

    def __init__(
        self,
        decomposition: Decomposition,
        trees: Sequence[Sequence[int]],
        depths: Sequence[Sequence[int]],
        domain: Domain,
    ) -> None:
        self.decomposition, self.depths = decomposition, np.array(depths)
        self.shape, self.unordered = domain.shape, domain.unordered
        self.axes = tuple(
            Axis(tree, bins, ordered=place not in self.unordered)
            for place, (tree, bins) in enumerate(zip(trees, self.shape, strict=True))
        )
        self.levels = tuple(Grid.of(self.axes, row) for row in depths)
        together = {tuple(np.flatnonzero(row).tolist()) for row in self.depths}
        self.tables = tuple(
            sorted(each for each in together if not any(set(each) < set(other) for other in together))
        )

    def table(self, law: Law, chosen: Sequence[int]) -> JointFit:
        """Return how the grids come together in the joint distribution of the ``chosen`` attributes."""
        return JointFit(self.axes, self.depths, chosen, law)

    def asks_together(self, chosen: Iterable[int]) -> bool:
        """Tell whether some grid asks about all of the ``chosen`` attributes."""
        return any(set(chosen) <= set(each) for each in self.tables)

    @property
    def finest_together(self) -> Sequence[float]:
        together = self.depths[np.count_nonzero(self.depths, axis=1) > 1]
        if not len(together):
            return super().finest_together
        deepest = zip(self.axes, together.max(axis=0).tolist(), strict=True)
        return [0.0 if depth == axis.depth else 1 / axis.cells[depth] for axis, depth in deepest]

    def answer_weights(self, law: Law, table: Sequence[int]) -> Weigh:
        fit = self.table(law, table)

        def weigh(low: Boundaries, high: Boundaries) -> AnswerWeights:
            starts, stops = low.T, [axis.leaf(each) for axis, each in zip(fit.axes, high.T, strict=True)]
            asked = [
                (
                    (np.arange(axis.leaves) >= start[:, None]) & (np.arange(axis.leaves) < stop[:, None])
                ).astype(np.float64)
                for axis, start, stop in zip(fit.axes, starts, stops, strict=True)
            ]
            levels = []
            for grid, weights in zip(self.levels, fit.weights(asked), strict=True):
                sides = [grid.shape[place] if place in table else 1 for place in range(len(grid.shape))]
                everywhere = np.broadcast_to(weights.reshape(-1, *sides), (len(low), *grid.shape))
                levels.append(everywhere.reshape(len(low), -1))
            parts = [each.mean(axis=1) for each in asked]
            return AnswerWeights(levels, np.prod(parts, axis=0))

        return weigh

    def coefficients(self, estimates: Sequence[Floats]) -> list[Floats]:
        """Return every level's ``estimates`` in the basis of details, with an axis for each attribute."""
        return [
            analysed(self.axes, estimate.reshape(grid.shape), row)
            for grid, row, estimate in zip(self.levels, self.depths.tolist(), estimates, strict=True)
        ]

    def even_variances(self, law: Law) -> tuple[float, float]:
        each = [self.table(law, chosen).mean_variances() for chosen in self.tables]
        ranges, prefixes = np.mean(each, axis=0).tolist()
        return ranges, prefixes

    def population_variances(self, law: Law, shares: Floats) -> tuple[float, float]:
        each = []
        for chosen in self.tables:
            table, others = self.table(law, chosen), set(range(shares.ndim)) - set(chosen)
            there = shares.sum(axis=tuple(others))
            variances = table.variances(shares_below(padded(there, table.leaves)))
            means = []
            unordered = self.unordered_in(chosen)
            for low, high in boxes_of(there.shape, unordered), corners_of(there.shape, unordered):
                stops = [axis.leaf(end) for axis, end in zip(table.axes, high, strict=True)]
                means.append(variances(Boxes(low, stops)).mean())
            each.append(means)
        ranges, prefixes = np.mean(each, axis=0).tolist()
        return ranges, prefixes

    def best_probabilities(self, information: Floats, weights: Floats) -> Floats:
        """Minimise what a tree does, m being depths into every tree, k ≥ m in each; the mean over tables."""
        parts, cells = [], np.array([level.cells for level in self.levels])
        for chosen in self.tables:
            axes = [self.axes[a] for a in chosen]
            energies = zip(*(axis.mean_energies(alone=len(axes) == 1) for axis in axes), strict=True)
            c = np.stack([reduce(np.multiply.outer, each).reshape(-1) for each in energies])
            wanted = np.indices([axis.depth + 1 for axis in axes]).reshape(len(axes), -1)
            tells = np.all(self.depths[:, chosen, None] >= wanted, axis=1)
            tells[:, 0] = False  # the whole is known
            told = tells.any(axis=0)  # what no grid tells is not in question
            precision = information * prod(axis.leaves for axis in axes) / cells
            parts.append((c[:, told], tells[:, told], precision))
        return best_told(parts, weights)


def padded(numbers: NDArray[Any], leaves: Sequence[int]) -> NDArray[Any]:
    """Return an array over the leaves from one over the bins: nobody is in leaves beyond them."""
    return np.pad(numbers, [(0, more - have) for more, have in zip(leaves, numbers.shape, strict=True)])
