"""One attribute's tree, as the basis in which estimates over several attributes come together.

A tree cuts its n leaves into nested equal parts: 1, b₁, b₁b₂, …, n cells. Its *details* of depth m are what
the cells of depth m say beyond those of depth m − 1. An orthonormal basis of all of them, coarsest first, has
the nice property that its first ``cells[m]`` functions are constant on the cells of depth m.

Leaves are the attribute's bins. Where there are more of them, nobody is in the last ones, and they count as
part of the last bin: what reaches to its end reaches to that of the tree.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import mean_overlap


class Axis:
    """The tree of one attribute, by its branchings from the root down, and its bins, in order or not."""

    def __init__(self, branchings: Sequence[int], bins: int | None = None, *, ordered: bool = True) -> None:
        self.branchings = tuple(branchings)
        self.cells = tuple(accumulate(self.branchings, mul, initial=1))
        """At every depth, from 0 on."""
        self.leaves = self.cells[-1]
        self.bins = self.leaves if bins is None else bins
        self.sizes = tuple(self.leaves // cells for cells in self.cells)
        self.depth = len(self.branchings)
        self._ordered = ordered

    def leaf(self, boundaries: NDArray[Any]) -> NDArray[Any]:
        """Return where boundaries between bins, or positions, lie among the leaves."""
        return np.where(boundaries == self.bins, self.leaves, boundaries)

    def among_bins(self, shares: Floats, depth: int) -> Floats:
        """Return shares of leaves, even within cells of a ``depth``, with those of the last bin's cell moved.

        Nobody is in its leaves that are no bins: the people in it are spread over the others. They lie along
        the last axis.
        """
        size = self.sizes[depth]
        first = (self.bins - 1) // size * size
        cell, moved = slice(first, first + size), shares.copy()
        moved[..., cell] = 0.0
        moved[..., first : self.bins] = shares[..., cell].sum(axis=-1, keepdims=True) / (self.bins - first)
        return moved

    def analyse(self, values: Floats, depth: int) -> Floats:
        """Return the coefficients of values on the cells of a depth: along the last axis, coarsest first."""
        details = []
        for branching in reversed(self.branchings[:depth]):
            values = values.reshape(*values.shape[:-1], -1, branching) @ _orthonormal(branching)
            details.append(values[..., 1:].reshape(*values.shape[:-2], -1))
            values = values[..., 0]
        return np.concatenate([values, *reversed(details)], axis=-1)

    def rebuild(self, coefficients: Floats, depth: int) -> Floats:
        """Return values on the cells of a depth from their coefficients, along the last axis."""
        values = coefficients[..., :1]
        for branching, (coarse, fine) in zip(
            self.branchings[:depth], pairwise(self.cells[: depth + 1]), strict=True
        ):
            rest = coefficients[..., coarse:fine].reshape(*values.shape, branching - 1)
            parts = np.concatenate([values[..., None], rest], axis=-1) @ _orthonormal(branching).T
            values = parts.reshape(*values.shape[:-1], -1)
        return values

    def spread(self, by_depth: Floats) -> Floats:
        """Repeat what belongs to depths, from 0 on, for each of their coefficients, along the last axis."""
        return np.repeat(by_depth, np.diff(self.cells[: by_depth.shape[-1]], prepend=0), axis=-1)

    def energies(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the squared lengths of ranges on the details of every depth: a row each."""
        norms = np.empty((len(self.sizes), low.size))
        for norm, size in zip(norms, self.sizes, strict=True):
            # where the cells begin that hold the range's first leaf, and its last
            first, last = low // size * size, (high - 1) // size * size
            left, right = np.minimum(first + size, high) - low, high - last
            norm[:] = left**2 / size + (last > first) * (right**2 / size + last - first - size)
        return np.diff(norms, axis=0, prepend=0.0).T

    def cell_energies(self, size: int) -> Floats:
        """Return the squared length of the projections, on the details of every depth, of a cell of a size.

        It is a cell of some depth, or some neighbouring ones of the same parent.
        """
        return np.diff(size * np.minimum(size / np.array(self.sizes), 1.0), prepend=0.0)

    def mean_energies(self, *, alone: bool) -> tuple[Floats, Floats]:
        """Return the mean squared length of the projections, over all ranges and over all prefixes.

        Bins without an order are asked about one by one and, unless ``alone``, as often all together.
        """
        if not self._ordered:
            single, together = self.cell_energies(1), self.cell_energies(self.leaves)
            mean = single if alone else (single + together) / 2
            return mean, mean
        norms = np.array([mean_overlap(self.bins, size) for size in self.sizes])
        ranges, prefixes = np.diff(norms, axis=0, prepend=0.0).T
        return ranges, prefixes


def analysed(axes: Sequence[Axis], values: Floats, depths: Sequence[int]) -> Floats:
    """Return the coefficients of values on joint cells, with an axis for each attribute."""
    for a, (axis, depth) in enumerate(zip(axes, depths, strict=True)):
        values = axis.analyse(values.swapaxes(a, -1), depth).swapaxes(a, -1)
    return values


def rebuilt(axes: Sequence[Axis], coefficients: Floats, depths: Sequence[int]) -> Floats:
    """Return the values on joint cells from their coefficients."""
    for a, (axis, depth) in enumerate(zip(axes, depths, strict=True)):
        coefficients = axis.rebuild(coefficients.swapaxes(a, -1), depth).swapaxes(a, -1)
    return coefficients


@cache
def _orthonormal(branching: int) -> Floats:
    """Return orthonormal columns of which the first is constant: the discrete cosines."""
    place, order = np.arange(branching)[:, None] + 0.5, np.arange(branching)
    cosines = np.cos(np.pi * place * order / branching) * np.sqrt(2 / branching)
    cosines[:, 0] = np.sqrt(1 / branching)
    basis: Floats = cosines
    return basis
