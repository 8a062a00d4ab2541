"""Inverses by way of products of matrices, which are several times quicker than elimination."""

import numpy as np

from ldprange.support.arrays import Floats

_SMALL = 64


def inverses(matrices: Floats) -> Floats:
    """Return the inverses of symmetric matrices that are positive in every direction, far from 0.

    That of [[A, B], [Bᵀ, D]] is made of those of A and of D − BᵀA⁻¹B, which have half the size.

    >>> inverses(np.array([[2.0, 1.0], [1.0, 2.0]])).round(3).tolist()
    [[0.667, -0.333], [-0.333, 0.667]]
    """
    size = matrices.shape[-1]
    if size <= _SMALL:
        return np.asarray(np.linalg.inv(matrices), np.float64)
    half = size // 2
    across = matrices[..., :half, half:]
    first = inverses(matrices[..., :half, :half])
    follows = first @ across
    last = inverses(matrices[..., half:, half:] - np.swapaxes(across, -1, -2) @ follows)
    beside = -follows @ last
    return np.block(
        [[first - beside @ np.swapaxes(follows, -1, -2), beside], [np.swapaxes(beside, -1, -2), last]]
    )
