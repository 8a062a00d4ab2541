"""Least squares over several attributes: grids of some of them, brought together in one basis.

Grid k asks in which cell of its attributes a person lies, each attribute at one depth of its tree. A *table*
is the joint distribution of some attributes. In the products of their details it is diagonal, as on one
attribute: the detail of depths m is the precision-weighted mean of what every grid that is at least as deep
in each attribute says of it, and λ_m = 1/Σ precision is the variance of a unit vector among such details.
The weight of a cell of grid k in a question f is then precision_k · E_k, with E_k = Σ_{m ≤ k} λ_m P_m f.

Questions are products of functions, a range for each attribute. A range is constant on few pieces of its
line, and so is everything that a variance depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import PlanError
from ldprange.kernels import joint_variances
from ldprange.least_squares.axis import Axis, analysed, rebuilt
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats

Depths = NDArray[np.int64]


class Boxes(NamedTuple):
    """Many questions at once: on every axis of a table the range of leaves ``low`` … ``high − 1``."""

    low: Sequence[Boundaries]
    high: Sequence[Boundaries]


class JointFit:
    """The joint distribution of some attributes, from all grids that tell of them.

    Parameters
    ----------
    axes
        Every attribute's tree.
    depths
        (grids, attributes): how deep each grid goes; 0 where it does not ask.
    chosen
        The attributes of this table, in increasing order.
    law
        Users and noise of every grid.
    """

    def __init__(self, axes: Sequence[Axis], depths: Depths, chosen: Sequence[int], law: Law) -> None:
        self.chosen = tuple(chosen)
        self.axes = [axes[a] for a in self.chosen]
        self.leaves = tuple(axis.leaves for axis in self.axes)
        self._law = law
        self.sampled, self.users = law.sampled, float(law.users.sum())
        self._depths = depths[:, self.chosen]
        cells = np.array(
            [
                prod(axis.cells[depth] for axis, depth in zip(axes, row, strict=True))
                for row in depths.tolist()
            ]
        )
        self._cells = cells
        # from a grid's orthonormal coefficient to the table's
        self._factors = np.sqrt(cells / prod(self.leaves))
        even = np.array(
            [noise.in_even_population(count) for noise, count in zip(law.noises, cells.tolist(), strict=True)]
        )
        self._precisions = law.users / (even * self._factors**2)
        spread = np.array([noise.spread for noise in law.noises])
        self.shrink = _inverse(self._deeper(self._precisions))
        """λ by depths; 0 where nothing is known, and of the whole, which is known."""
        self.spread_parts = self.shrink**2 * self._deeper(self._precisions * spread / even)
        """Of ``shrink``, what is the same wherever people are."""

    @cached_property
    def occupied_parts(self) -> Floats:
        """Of ``shrink``, what depends on who is where, in an even population."""
        fixed = 1 / (prod(self.leaves) * self._law.fixed_people)
        return np.where(self.shrink > 0, np.maximum(self.shrink - self.spread_parts - fixed, 0.0), 0.0)

    def _deeper(self, numbers: Floats) -> Floats:
        """Add up, for every combination of depths, what belongs to grids at least as deep."""
        total = self._at(numbers)
        for a in range(total.ndim):
            total = np.flip(np.cumsum(np.flip(total, a), axis=a), a)
        return total

    def _at(self, numbers: Floats) -> Floats:
        """Add up, for every combination of depths, what belongs to grids of just these."""
        total = np.zeros([axis.depth + 1 for axis in self.axes])
        np.add.at(total, tuple(self._depths.T), numbers)
        return total

    @cached_property
    def known(self) -> tuple[int, ...]:
        """How deep all is known: as deep as the grid of most cells that was asked about all of the table.

        If nobody was asked by such a grid, only the whole is known.
        """
        asks = np.all(self._depths > 0, axis=1)
        if not asks.any():
            raise PlanError("a table needs a grid that asks about all of its attributes")
        return tuple(
            max(
                self._depths[asks & self._law.reported].tolist(),
                key=lambda row: prod(axis.cells[d] for axis, d in zip(self.axes, row, strict=True)),
                default=[0] * len(self.axes),
            )
        )

    @property
    def deepest(self) -> tuple[int, ...]:
        """How deep any grid that was asked goes in each attribute: beyond, nothing is known."""
        return tuple(self._depths[self._law.reported].max(axis=0, initial=0).tolist())

    def fit(self, coefficients: Sequence[Floats], depths: Sequence[int] | None = None) -> Floats:
        """Return the shares of the joint cells of some depths, of the leaves if left out.

        ``coefficients`` are those of every grid, with an axis for each of all attributes.
        """
        depths = [axis.depth for axis in self.axes] if depths is None else depths
        total = np.zeros([axis.cells[depth] for axis, depth in zip(self.axes, depths, strict=True)])
        for grid, (row, factor, precision) in enumerate(
            zip(self._depths, self._factors, self._precisions, strict=True)
        ):
            known = np.moveaxis(coefficients[grid], self.chosen, range(len(self.chosen)))
            known = known.reshape(*known.shape[: len(self.chosen)], -1)[..., 0]
            block = tuple(
                slice(axis.cells[min(d, most)]) for axis, d, most in zip(self.axes, row, depths, strict=True)
            )
            total[block] += precision * factor * known[block]
        total *= self.by_coefficient(self.shrink, depths)
        total[(0,) * total.ndim] = 1 / np.sqrt(prod(self.leaves))  # the whole is known
        shares: Floats = rebuilt(self.axes, total, depths) * np.sqrt(self.leaves_of_a_cell(depths))
        return shares

    def weights(self, questions: Sequence[Floats]) -> list[Floats]:
        """Return by how much answers grow with every grid's estimates, which are alike on other attributes.

        ``questions`` has, for each axis, a row of leaves for each question: what is asked is their product.
        So has what is returned a row for each question, and an axis for each attribute of this table.
        """
        alone = [
            axis.analyse(leaves, axis.depth).T for axis, leaves in zip(self.axes, questions, strict=True)
        ]
        asked = reduce(lambda some, more: some[..., None, :] * more, alone)
        asked = asked * self.by_coefficient(self.shrink, [axis.depth for axis in self.axes])[..., None]
        found = []
        for row, factor, precision, cells in zip(
            self._depths.tolist(), self._factors, self._precisions, self._cells, strict=True
        ):
            shape = [axis.cells[depth] for axis, depth in zip(self.axes, row, strict=True)]
            known = asked[tuple(slice(number) for number in shape)]
            one = precision * factor / np.sqrt(cells / prod(shape))
            found.append(one * np.moveaxis(rebuilt(self.axes, known, row), -1, 0))
        return found

    def by_coefficient(self, by_depths: Floats, depths: Sequence[int]) -> Floats:
        """Repeat what belongs to depths for each of their coefficients."""
        for a, (axis, depth) in enumerate(zip(self.axes, depths, strict=True)):
            moved = np.moveaxis(by_depths, a, -1)[..., : depth + 1]
            by_depths = np.moveaxis(axis.spread(moved), -1, a)
        return by_depths

    def detail_covariance(self, details: Floats, shares: Floats, depths: Sequence[int]) -> Floats:
        """Return the exact covariance of the estimated coefficients of all details of some depths.

        ``details`` has a column for each, by joint cell, and ``shares`` are the population's in these cells.
        """
        leaves, cells = self.leaves_of_a_cell(depths), shares.reshape(-1)
        there, mean = (details.T * cells) @ details / leaves, details.T @ cells / np.sqrt(leaves)
        drawn, shrink = np.outer(mean, mean), self.by_coefficient(self.shrink, depths).reshape(-1)
        # two details are both seen by grids as deep as the deeper of them in every attribute
        alone = [
            axis.spread(np.arange(depth + 1.0)).astype(np.int64)
            for axis, depth in zip(self.axes, depths, strict=True)
        ]
        each = [depth.reshape(-1) for depth in np.meshgrid(*alone, indexing="ij")]
        both = tuple(np.maximum.outer(depth, depth) for depth in each)
        scales, held = (self._deeper(numbers)[both] for numbers in self._held_by_grid)
        covariance: Floats = np.outer(shrink, shrink) * (held * there - scales * drawn)
        covariance -= (there - drawn) / self._law.fixed_people
        covariance.flat[:: len(covariance) + 1] += self.by_coefficient(self.spread_parts, depths).reshape(-1)
        return covariance

    def leaves_of_a_cell(self, depths: Sequence[int]) -> int:
        """Return how many joint leaves a cell of some depths has."""
        return prod(axis.sizes[depth] for axis, depth in zip(self.axes, depths, strict=True))

    def mean_variances(self) -> tuple[float, float]:
        """Return the mean working variance over all products of ranges, and over all of prefixes."""
        ranges, prefixes = zip(
            *(axis.mean_energies(alone=len(self.axes) == 1) for axis in self.axes), strict=True
        )
        over_ranges, over_prefixes = (
            float((self.shrink * reduce(np.multiply.outer, each)).sum()) for each in (ranges, prefixes)
        )
        return over_ranges, over_prefixes

    def spread_variances(self, boxes: Boxes) -> Floats:
        """Return what variances would be if nobody were in any cell that a question weighs."""
        return self._by_energies(boxes, self.spread_parts)

    def even_variances(self, boxes: Boxes) -> Floats:
        """Return the exact variances in an even population: what all details have to do with it is in λ."""
        share = prod((high - low) / leaves for low, high, leaves in zip(*boxes, self.leaves, strict=True))
        drawn = share * (1 - share) / self._law.fixed_people
        return np.maximum(self._by_energies(boxes, self.shrink) - drawn, 0.0)

    def _by_energies(self, boxes: Boxes, by_depths: Floats) -> Floats:
        """Return the squared lengths of the projections of ``boxes``, weighed by their depths, added up."""
        first, *others = (axis.energies(*ends) for axis, *ends in zip(self.axes, *boxes, strict=True))
        parts: Floats = np.tensordot(first, by_depths, axes=1)
        for energies in others:
            parts = np.einsum("qm...,qm->q...", parts, energies)
        return parts

    def variances(self, cdf: Floats) -> Callable[[Boxes], Floats]:
        """Return a function that gives exact variances.

        ``cdf`` is the population's share below every joint boundary: of all leaves before it on every axis.
        """
        sizes, by_depths = [axis.sizes for axis in self.axes], (self.shrink, self.spread_parts, *self._held)
        return lambda boxes: joint_variances(*boxes, sizes, cdf, *by_depths, self._law.fixed_people)

    def covariances(self, shares: Floats, low: Sequence[int], high: Sequence[int]) -> Floats:
        """Return the exact covariance of every leaf's estimated share with that of one box, a range an axis.

        The box holds the leaves ``low`` … ``high − 1``. The covariance of two questions is linear in each, so
        that of any other box is the sum over its leaves. ``shares`` are the population's, by leaf.
        """
        ranges = zip(self.leaves, low, high, strict=True)
        lines = [(np.arange(n) >= start) & (np.arange(n) < stop) for n, start, stop in ranges]
        box: Floats = reduce(np.multiply.outer, [line.astype(np.float64) for line in lines])
        all_depths = [axis.depth for axis in self.axes]
        asked = analysed(self.axes, box, all_depths)
        found = self.by_coefficient(self.spread_parts, all_depths) * asked
        shrink = self.by_coefficient(self.shrink, all_depths)
        scales, held = self._held
        for depths in np.argwhere(scales).tolist():
            cells = [axis.cells[depth] for axis, depth in zip(self.axes, depths, strict=True)]
            block, leaves = tuple(map(slice, cells)), np.sqrt(self.leaves_of_a_cell(depths))
            there = coarser(shares, cells)
            weights = rebuilt(self.axes, shrink[block] * asked[block], depths) / leaves  # E_k
            moved = there * (held[tuple(depths)] * weights - scales[tuple(depths)] * (there * weights).sum())
            found[block] += shrink[block] * analysed(self.axes, moved, depths) / leaves
        fixed = shares * (box - (shares * box).sum()) / self._law.fixed_people
        covariances: Floats = rebuilt(self.axes, found, all_depths) - fixed
        return covariances

    @cached_property
    def _held(self) -> tuple[Floats, Floats]:
        """By depths: the coefficients of (Σ_{m≤k} λ_m⟨θ, P_m f⟩)², and of ⟨θ, E_k²⟩."""
        scales, held = self._held_by_grid
        return self._at(scales), self._at(held)

    @property
    def _held_by_grid(self) -> tuple[Floats, Floats]:
        scales = self._precisions**2 / self._law.users
        return scales, scales * self._law.occupied_parts


def shares_below(shares: Floats) -> Floats:
    """Return the share below every joint boundary, from that of every joint bin."""
    cdf = np.zeros([bins + 1 for bins in shares.shape])
    cdf[(slice(1, None),) * shares.ndim] = shares
    for a in range(shares.ndim):
        cdf = np.cumsum(cdf, axis=a)
    return cdf


def from_corners(starts: Sequence[Boundaries], stops: Sequence[Boundaries], cdf: Floats) -> Floats:
    """Return shares in products of ranges from the shares ``cdf`` below every joint boundary."""
    found: Floats = np.zeros(starts[0].shape)
    for corner in product(*[((1, stop), (-1, start)) for start, stop in zip(starts, stops, strict=True)]):
        share = cdf[tuple(end for _, end in corner)]
        found = found + share if prod(sign for sign, _ in corner) > 0 else found - share
    return found


def coarser(values: Floats, cells: Sequence[int]) -> Floats:
    """Add neighbours up until every axis has the wanted number of cells."""
    pairs = [
        number for have, want in zip(values.shape, cells, strict=True) for number in (want, have // want)
    ]
    sums: Floats = values.reshape(pairs).sum(axis=tuple(range(1, len(pairs), 2)))
    return sums


def _inverse(informed: Floats) -> Floats:
    shrink = np.divide(1.0, informed, out=np.zeros_like(informed), where=informed > 0)
    shrink[(0,) * shrink.ndim] = 0.0
    return shrink
