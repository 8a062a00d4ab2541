"""Least squares over several attributes: grids of some of them, brought together in one basis.

Grid k asks in which cell of its attributes a person lies, each attribute at one depth of its tree. A *table*
is the joint distribution of some attributes. In the products of their details it is diagonal, as on one
attribute: the detail of depths m is the precision-weighted mean of what every grid that is at least as deep
in each attribute says of it, and λ_m = 1/Σ precision is the variance of a unit vector among such details.
The weight of a cell of grid k in a question f is then precision_k · E_k, with E_k = Σ_{m ≤ k} λ_m P_m f.

Questions are products of functions, a range for each attribute. A range is constant on few pieces of its
line (:mod:`ldprange.axes`), and so is everything that a variance depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldprange.axes import Axis, Boundaries, Pieces
from ldprange.details import Floats
from ldprange.errors import PlanError
from ldprange.noise import Law
from ldprange.parallel import in_threads, slices

_BLOCK = 1 << 11  # questions worked out together

Depths = NDArray[np.int64]


class Question(NamedTuple):
    """Many questions at once: on every axis of a table a range, less a constant (0 for a mere range)."""

    low: Sequence[Boundaries]
    high: Sequence[Boundaries]
    less: Sequence[Floats]

    def part(self, block: slice) -> Question:
        """Return some of the questions."""
        low, high = ([each[block] for each in ends] for ends in (self.low, self.high))
        return Question(low, high, [each[block] for each in self.less])

    def without(self, axis: int, whole: int = 0) -> Question:
        """Return the questions without the constant of an axis; about all of it, if its length is said."""
        low, high, less = list(self.low), list(self.high), list(self.less)
        less[axis] = np.zeros(less[axis].shape)
        if whole:
            low[axis], high[axis] = np.zeros_like(low[axis]), np.full_like(high[axis], whole)
        return Question(low, high, less)


class Table:
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
        self.bins = tuple(axis.bins for axis in self.axes)
        self._law = law
        self._depths = depths[:, self.chosen]
        cells = np.array(
            [[axis.cells[depth] for axis, depth in zip(axes, row, strict=True)] for row in depths]
        )
        outside = np.delete(cells, self.chosen, axis=1).prod(axis=1)
        sizes = prod(self.bins) / cells[:, self.chosen].prod(axis=1)
        # from a grid's orthonormal coefficient to the table's
        self._factors = np.sqrt(outside / sizes)
        even = np.array(
            [
                noise.in_even_population(count)
                for noise, count in zip(law.noises, cells.prod(axis=1), strict=True)
            ]
        )
        self._precisions = law.users / (even * self._factors**2)
        spread = np.array([noise.spread for noise in law.noises])
        self._held = law.held_parts
        self.shrink = _inverse(self._deeper(self._precisions))
        """λ by depths; 0 where nothing is known, and of the whole, which is known."""
        self._spread_parts = self.shrink**2 * self._deeper(self._precisions * spread / even)

    def _deeper(self, numbers: Floats) -> Floats:
        """Add up, for every combination of depths, what belongs to grids at least as deep."""
        total = np.zeros([axis.depth + 1 for axis in self.axes])
        np.add.at(total, tuple(self._depths.T), numbers)
        for a in range(total.ndim):
            total = np.flip(np.cumsum(np.flip(total, a), axis=a), a)
        return total

    @cached_property
    def known(self) -> tuple[int, ...]:
        """How deep all is known: as deep as the grid of most cells that asks about all of the table."""
        asked = [row for row in self._depths.tolist() if all(row)]
        if not asked:
            raise PlanError("a table needs a grid that asks about all of its attributes")
        return tuple(
            max(asked, key=lambda row: prod(axis.cells[d] for axis, d in zip(self.axes, row, strict=True)))
        )

    def fit(self, coefficients: Sequence[Floats], depths: Sequence[int] | None = None) -> Floats:
        """Return the shares of the joint cells of some depths, of the bins if left out.

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
        return self.rebuild(total * self.by_coefficient(self.shrink, depths), depths)

    def by_coefficient(self, by_depths: Floats, depths: Sequence[int]) -> Floats:
        """Repeat what belongs to depths for each of their coefficients."""
        for a, (axis, depth) in enumerate(zip(self.axes, depths, strict=True)):
            moved = np.moveaxis(by_depths, a, -1)[..., : depth + 1]
            by_depths = np.moveaxis(axis.spread(moved), -1, a)
        return by_depths

    def rebuild(self, coefficients: Floats, depths: Sequence[int]) -> Floats:
        """Return the shares of joint cells from coefficients; that of the whole is known."""
        values = coefficients.copy()
        values[(0,) * values.ndim] = 1 / np.sqrt(prod(self.bins))
        for a, (axis, depth) in enumerate(zip(self.axes, depths, strict=True)):
            moved = axis.rebuild(np.moveaxis(values, a, -1), depth)
            values = np.moveaxis(moved, -1, a) * np.sqrt(axis.sizes[depth])
        return values

    def mean_variances(self) -> tuple[float, float]:
        """Return the mean working variance over all products of ranges, and over all of prefixes."""
        ranges, prefixes = zip(*(axis.mean_energies() for axis in self.axes), strict=True)
        return tuple(
            float((self.shrink * reduce(np.multiply.outer, each)).sum()) for each in (ranges, prefixes)
        )  # type: ignore[return-value]

    def variances(self, upto: Floats) -> Callable[[Question], Floats]:
        """Return a function that gives exact variances.

        ``upto`` is the population's share below every joint boundary: of all bins before it on every axis.
        """

        def block(asked: Question) -> Floats:
            return self._block_variances(asked, upto)

        def all_blocks(asked: Question) -> Floats:
            blocks = [asked.part(each) for each in slices(asked.low[0].size, _BLOCK)]
            return np.concatenate([np.zeros(0), *in_threads(block, blocks)])

        return all_blocks

    def _block_variances(self, asked: Question, upto: Floats) -> Floats:
        pieces = [
            _less(axis.pieces(low, high), less)
            for axis, low, high, less in zip(self.axes, *asked, strict=True)
        ]
        energies = _outer([each.energies for each in pieces])
        variance = energies.reshape(len(energies), -1) @ self._spread_parts.reshape(-1)
        held = _held(upto, [each.edges for each in pieces])
        levels = tuple(self._depths.T)
        towards = self.shrink * _contract(held, [each.details for each in pieces])
        for a in range(1, towards.ndim):
            towards = np.cumsum(towards, axis=a)
        scales = self._precisions**2 / self._law.users
        variance -= towards[(slice(None), *levels)] ** 2 @ scales
        for depth, scale in zip(self._depths, scales * self._held, strict=True):
            if scale:
                weights = self._weights(depth, pieces)
                variance += scale * (weights**2 * held).reshape(len(held), -1).sum(axis=1)
        values = _outer([each.details.sum(axis=-1) for each in pieces])
        mean, square = ((values**power * held).reshape(len(held), -1).sum(axis=1) for power in (1, 2))
        exact: Floats = np.maximum(variance - (square - mean**2) / self._law.users.sum(), 0.0)
        return exact

    def _weights(self, depth: Depths, pieces: Sequence[Pieces]) -> Floats:
        """Return E of a grid on all pieces."""
        block = tuple(slice(d + 1) for d in depth)
        start = np.broadcast_to(self.shrink[block], (len(pieces[0].edges), *(d + 1 for d in depth)))
        return _contract(
            start,
            [each.details[..., : d + 1].transpose(0, 2, 1) for each, d in zip(pieces, depth, strict=True)],
        )


def _inverse(informed: Floats) -> Floats:
    shrink = np.divide(1.0, informed, out=np.zeros_like(informed), where=informed > 0)
    shrink[(0,) * shrink.ndim] = 0.0
    return shrink


def _less(pieces: Pieces, less: Floats) -> Pieces:
    if np.any(less):
        pieces.details[..., 0] -= less[:, None]
    return pieces


def _outer(columns: Sequence[Floats]) -> Floats:
    """Return the products of rows: (queries, …) of every axis into (queries, …, …)."""
    return reduce(lambda a, b: a[..., None] * b[(slice(None), *[None] * (a.ndim - 1))], columns)


def _contract(values: Floats, matrices: Sequence[Floats]) -> Floats:
    """Multiply every axis but the first by that axis's matrices, one for each query."""
    for matrix in matrices:  # the axis in front is taken off, and comes back at the end
        rest = values.shape[2:]
        flat = values.reshape(len(values), values.shape[1], -1)
        values = (flat.transpose(0, 2, 1) @ matrix).reshape(len(values), *rest, matrix.shape[-1])
    return values


def _held(upto: Floats, edges: Sequence[Boundaries]) -> Floats:
    """Return the population in all products of pieces."""
    dimensions = len(edges)
    corners = upto[
        tuple(
            edge.reshape(len(edge), *(-1 if b == a else 1 for b in range(dimensions)))
            for a, edge in enumerate(edges)
        )
    ]
    for a in range(dimensions):
        corners = np.diff(corners, axis=a + 1)
    return corners
