"""The noise of a table of two attributes on cells of some depths."""

from collections.abc import Sequence

import numpy as np

from ldprange.estimation.splits import NO_NOISE
from ldprange.least_squares.table import JointFit
from ldprange.support.arrays import Floats

_LEAST = 1e-9  # variance in any direction, of the greatest


class PairNoise:
    """The covariance of the cells' shares, were ``shares`` the population's.

    It is that of the products of both attributes' details. The first function of each basis is constant:
    what lies along it tells of the other attribute alone.
    """

    def __init__(self, table: JointFit, depths: Sequence[int], shares: Floats) -> None:
        self._bases = [
            axis.rebuild(np.eye(axis.cells[depth]), depth).T
            for axis, depth in zip(table.axes, depths, strict=True)
        ]
        joint: Floats = np.kron(*self._bases).astype(np.float64, copy=False)
        covariance = table.detail_covariance(joint, shares, depths) * table.leaves_of_a_cell(depths)
        known = np.diagonal(covariance) > 0
        known[0] = False  # the whole, which is certain
        alone = np.zeros(shares.shape, np.bool_)
        alone[0], alone[:, 0] = True, True
        self._own, self._both = (np.flatnonzero(known & which.reshape(-1)) for which in (alone, ~alone))
        self._of_own, self._of_both = joint[:, self._own], joint[:, self._both]
        _, self._own_precision = _root_and_inverse(covariance[np.ix_(self._own, self._own)])
        across = covariance[np.ix_(self._both, self._own)]
        self._following = across @ self._own_precision
        left = covariance[np.ix_(self._both, self._both)] - self._following @ across.T
        self._root, self._precision = _root_and_inverse(left)

    def with_own(self, estimate: Floats, own: Sequence[Floats]) -> Floats:
        """Return an ``estimate`` of which each attribute alone has its ``own`` distribution.

        What both tell together follows as far as its errors and theirs go together.
        """
        one, other = self._bases
        before = one.T @ estimate @ other
        known = before.copy()
        known[:, 0] = one.T @ own[0] / np.sqrt(len(other))
        known[0] = other.T @ own[1] / np.sqrt(len(one))
        known.flat[self._both] += self._following @ (known - before).flat[self._own]
        return one @ known @ other.T

    def precision(self, own: float) -> Floats:
        """Return the inverse of the covariance, ``own`` times as large for what tells of one attribute."""
        both: Floats = self._of_both @ self._precision @ self._of_both.T
        return both + own * (self._of_own @ self._own_precision @ self._of_own.T)

    @property
    def root(self) -> Floats:
        """A square root of the covariance of what both attributes tell together."""
        return self._of_both @ self._root


def _root_and_inverse(covariance: Floats) -> tuple[Floats, Floats]:
    """Return the square root of a covariance, and its inverse, where hardly any noise is taken for a little.

    The root is the symmetric one: which way eigenvectors point is up to the processor.
    """
    variances, directions = np.linalg.eigh(covariance)
    variances = np.maximum(variances, max(_LEAST * variances.max(initial=0.0), NO_NOISE))
    root, inverse = (directions * scale @ directions.T for scale in (np.sqrt(variances), 1 / variances))
    return root, inverse
