"""The best share of people on each width of windows."""

from __future__ import annotations

import numpy as np

from ldprange.decompositions.descent import Gradient, descend
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_DENSE = 256  # bins up to which windows are optimised as they are
_ALONE = 64**3  # steps of a product that one thread does alone
_SMALL = 16  # half of a matrix that is inverted as it is


def windows_probabilities(bins: int, widths: Boundaries, information: Floats, weights: Floats) -> Floats:
    """Return the best probabilities of windows of ``widths`` on ``bins`` bins; see Layout.best_probabilities.

    They are optimised on at most 256 bins; beyond, the widths between get what the least above them has.

    (All places and all scales between a bin and the domain being alike, so are their levels.)
    """
    scale = 1 << max(0, (bins - 1).bit_length() - (_DENSE - 1).bit_length())
    wide = widths >= 2 * scale
    gradient = _gradient(
        -(-bins // scale),
        np.append(widths[wide] / scale, 1.0),
        np.append(information[wide], information[-1]),
        weights,
    )
    found = descend(gradient, wide.sum() + 1)
    between = np.full(widths.size - found.size, found[max(0, found.size - 2)])
    return np.concatenate([found[:-1], between, found[-1:]])


def _gradient(bins: int, widths: Floats, information: Floats, weights: Floats) -> Gradient:
    """Windows: f = tr(G H⁻¹), H = Σ_l p λ T_w, with the total known; G counts the queries that hold two bins.

    All of it is the same from either end of the line (prefixes are as exact as suffixes), so it falls into
    what is symmetric about the middle and what is antisymmetric, each on half the bins.
    """
    bins += bins % 2
    place = np.arange(bins)
    early, late = np.minimum.outer(place, place), np.maximum.outer(place, place)
    queries = _folded(np.stack([(early + 1.0) * (bins - late), (bins - late + early + 1) / 2]))
    parts = _folded(np.maximum(0, 1 - (late - early) / widths[:, None, None]) * information[:, None, None])

    def gradient(probabilities: Floats) -> Floats:
        covariance = _inverse((probabilities[:, None, None, None] * parts).sum(axis=0))
        sums = covariance[0].sum(axis=1)  # the total is symmetric
        covariance[0] -= np.outer(sums, sums) / sums.sum()
        variance = (queries * covariance).sum(axis=(1, 2, 3))
        turned = _product(_product(covariance, queries), covariance)
        gains = np.einsum("qsij,lsij->ql", turned, parts)
        towards: Floats = weights @ (gains / variance[:, None])
        return towards

    return gradient


def _product(left: Floats, right: Floats) -> Floats:
    """Return the product of matrices, or of stacks of them, a few rows at a time.

    NumPy's BLAS takes a thread for every core to products of 64³ steps and more. The threads are done within
    microseconds, and then spin while they wait for one another: on a machine with other work to do they burn
    ten times what the product takes.
    """
    rows = max(1, _ALONE // (right.shape[-2] * right.shape[-1]))
    parts = [left[..., some, :] @ right for some in slices(left.shape[-2], rows)]
    product: Floats = np.concatenate(parts, axis=-2)
    return product


def _inverse(matrices: Floats) -> Floats:
    """Return the inverses of symmetric positive definite ``matrices``, by halves: no product is large."""
    half = matrices.shape[-1] // 2
    if half < _SMALL:
        return np.linalg.inv(matrices).astype(np.float64, copy=False)
    near, between, far = matrices[..., :half, :half], matrices[..., :half, half:], matrices[..., half:, half:]
    first = _inverse(near)
    carried = _product(first, between)
    second = _inverse(far - _product(np.swapaxes(between, -1, -2), carried))
    across = -_product(carried, second)
    first = first - _product(across, np.swapaxes(carried, -1, -2))
    inverse: Floats = np.block([[first, across], [np.swapaxes(across, -1, -2), second]])
    return inverse


def _folded(matrices: Floats) -> Floats:
    """Return the symmetric and the antisymmetric half of matrices that are alike from either end."""
    half = matrices.shape[-1] // 2
    near, far = matrices[:, :half, :half], matrices[:, :half, : half - 1 : -1]
    return np.stack([near + far, near - far], axis=1)
