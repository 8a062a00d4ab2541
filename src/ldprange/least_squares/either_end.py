"""Matrices that are the same from either end of a line, of which two of half the size say all."""

import numpy as np

from ldprange.least_squares import by_halves
from ldprange.support.arrays import Floats


def folded(matrices: Floats) -> Floats:
    """Return what such matrices, of even size, do to vectors that are the same, and that change their sign.

    >>> folded(np.array([[2.0, 1.0], [1.0, 2.0]])).tolist()
    [[[3.0]], [[1.0]]]
    """
    half = matrices.shape[-1] // 2
    near, far = matrices[..., :half, :half], matrices[..., :half, : half - 1 : -1]
    return np.stack([near + far, near - far], axis=-3)


def inverses(matrices: Floats) -> Floats:
    """Return the inverses of such matrices, if they are covariances or the inverses of some.

    >>> inverses(np.array([[2.0, 1.0], [1.0, 2.0]])).round(3).tolist()
    [[0.667, -0.333], [-0.333, 0.667]]
    """
    if matrices.shape[-1] % 2:
        return by_halves.inverses(matrices)
    same, changed = np.moveaxis(by_halves.inverses(folded(matrices)) / 2, -3, 0)
    near, far = same + changed, same - changed
    return np.block([[near, far[..., ::-1]], [far[..., ::-1, :], near[..., ::-1, ::-1]]])
