"""One of several attributes by itself: its table, asked as a plan of this attribute alone would be."""

from collections.abc import Callable

import numpy as np

from ldprange.decompositions.contract import Variances
from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.joint_shares import JointShares
from ldprange.least_squares.table import Boxes
from ldprange.support.arrays import Boundaries, Floats


def marginal_shares(table: JointShares, users: int, denoised: Floats | None) -> ConsistentShares:
    """Return the shares in the ``table`` of one attribute, on which ``users`` reported.

    ``denoised`` are the shares of its leaves where the estimate is denoised, and else None.
    """
    (axis,), fit = table.axes, table.fit
    boundaries = axis.leaf(np.arange(axis.bins + 1))

    def cdf_of(shares: Floats) -> Floats:
        cdf: Floats = np.append(0.0, np.cumsum(shares))[boundaries]
        cdf[-1] = 1.0  # without rounding errors
        return cdf

    def of_ranges(of_boxes: Callable[[Boxes], Floats]) -> Variances:
        def variances(low: Boundaries, high: Boundaries) -> Floats:
            low, high = np.broadcast_arrays(low, high)
            return of_boxes(table.whole([low.reshape(-1)], [high.reshape(-1)])).reshape(low.shape)

        return variances

    def variances_in(cdf: Floats) -> Variances:
        # nobody is in leaves beyond the last bin
        return of_ranges(fit.variances(cdf[np.minimum(np.arange(axis.leaves + 1), axis.bins)]))

    def empty(low: Boundaries, high: Boundaries, even: Floats) -> Floats:
        return of_ranges(fit.spread_variances)(low, high)

    cdf, smooth = cdf_of(table.table), None if denoised is None else cdf_of(denoised).clip(0.0, 1.0)
    return ConsistentShares(cdf, smooth, users, tuple(table.steps), variances_in, empty, fit.sampled)
