"""Denoising categories, whose bins have no order.

On a line neighbours tell of each other, and categories are no neighbours. So they are denoised as if they lay
on a line in some order, then in others, and take the mean: its squared error is no greater than that of one
order on average, and how the labels are listed hardly matters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldprange.support.arrays import Boundaries, Floats

_ORDERS = 4


def in_orders(
    denoise: Callable[[Boundaries | slice], Floats], bins: int, plain: slice, *, unordered: bool
) -> Floats:
    """Return what ``denoise`` finds for the bins in their order; if ``unordered``, the mean over some orders.

    These are always the same. Bins that are not ``plain``, such as no answer, keep their place.
    """
    if not unordered:
        return denoise(slice(None))
    total = np.zeros(bins)
    for seed in range(_ORDERS):
        order = np.arange(bins)
        order[plain] = np.random.default_rng(seed).permutation(order[plain])
        total[order] += denoise(order)
    return total / _ORDERS
