"""Denoising one attribute with bins apart from the line: what lies beyond open ends, and no answer."""

from __future__ import annotations

import numpy as np

from ldprange.decompositions.contract import Variances
from ldprange.estimation.denoise_line import denoised
from ldprange.estimation.denoise_splits import BlockVariances
from ldprange.support.arrays import Floats

_MIN_REST = 0.05  # the share of people who have to have a value for them to be denoised by themselves


def denoised_beside(
    shares: Floats,
    block_variances: BlockVariances,
    variances: Variances,
    plain: slice,
) -> Floats:
    """Return denoised ``shares`` of all bins, of which ``plain`` are those with a place on the line.

    Others are no neighbours of the values beside them, and may be many people. So they keep their own
    shares, and the plain ones are denoised as if an average one were in the place of each. All else is as
    :func:`~ldprange.estimation.denoise_line.denoised` has it.
    """
    bins, places = shares.size, np.arange(shares.size + 1)
    on_the_line = np.zeros(bins, np.bool_)
    on_the_line[plain] = True
    apart = np.clip(shares[~on_the_line], 0.0, None)
    rest = 1 - float(apart.sum())
    if on_the_line.all() or rest < _MIN_REST:
        return denoised(shares, block_variances, variances, places)
    # to what they are with average ones
    scale = np.count_nonzero(on_the_line) / (bins * float(shares[on_the_line].sum()))
    alone = denoised(
        np.where(on_the_line, scale * shares, 1 / bins),
        lambda width, step: scale**2 * block_variances(width, step),
        lambda low, high: scale**2 * variances(low, high),
        places,
    )
    found = np.empty_like(shares)
    found[~on_the_line] = apart
    found[on_the_line] = rest * alone[on_the_line] / alone[on_the_line].sum()
    return found
