"""The noise of a table of two attributes on cells of some depths."""

from collections.abc import Sequence

import numpy as np

from ldprange.least_squares.table import JointFit
from ldprange.support.arrays import Floats


class PairNoise:
    """The covariance of the cells' shares, were people spread evenly.

    In the products of both attributes' details it is diagonal. The first function of each basis is constant:
    what lies along it tells of the other attribute alone.
    """

    def __init__(self, table: JointFit, depths: Sequence[int]) -> None:
        self._bases = [
            axis.rebuild(np.eye(axis.cells[depth]), depth).T
            for axis, depth in zip(table.axes, depths, strict=True)
        ]
        self._joint = np.kron(*self._bases)
        self._variances = table.by_coefficient(table.shrink, depths) * table.leaves_of_a_cell(depths)

    def with_own(self, estimate: Floats, own: Sequence[Floats]) -> Floats:
        """Return an ``estimate`` of which each attribute alone has its ``own`` distribution."""
        one, other = self._bases
        known = one.T @ estimate @ other
        known[:, 0] = one.T @ own[0] / np.sqrt(len(other))
        known[0] = other.T @ own[1] / np.sqrt(len(one))
        return one @ known @ other.T

    def precision(self, own: float) -> Floats:
        """Return the inverse of the covariance, ``own`` times as large for what tells of one attribute."""
        informed = np.divide(
            1.0, self._variances, out=np.zeros_like(self._variances), where=self._variances > 0
        )
        informed[:, 0] *= own
        informed[0] *= own
        return (self._joint * informed.reshape(-1)) @ self._joint.T

    @property
    def root(self) -> Floats:
        """A square root of the covariance of what both attributes tell together."""
        deviations: Floats = np.sqrt(self._variances)
        deviations[0], deviations[:, 0] = 0.0, 0.0
        return self._joint * deviations.reshape(-1)
