"""The best share of people on each width of windows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ldprange.decompositions.descent import Gradient, descend
from ldprange.least_squares.either_end import folded
from ldprange.support.arrays import Boundaries, Floats

_DENSE = 256  # bins up to which windows are optimised as they are


def windows_probabilities(bins: int, widths: Boundaries, information: Floats, weights: Floats) -> Floats:
    """Return the best probabilities of windows of ``widths`` on ``bins`` bins; see Layout.best_probabilities.

    They are optimised on at most 256 bins; beyond, the widths between get what the least above them has.

    (All places and all scales between a bin and the domain being alike, so are their levels.)
    """
    scale = 1 << max(0, (bins - 1).bit_length() - (_DENSE - 1).bit_length())
    wide = widths >= 2 * scale
    found = _dense_probabilities(
        -(-bins // scale),
        (*(widths[wide] / scale).tolist(), 1.0),
        (*information[wide].tolist(), float(information[-1])),
        tuple(weights.tolist()),
    )
    between = np.full(widths.size - found.size, found[max(0, found.size - 2)])
    return np.concatenate([found[:-1], between, found[-1:]])


@lru_cache(maxsize=64)  # whoever asks what error to expect asks for several numbers of people
def _dense_probabilities(
    bins: int, widths: tuple[float, ...], information: tuple[float, ...], weights: tuple[float, ...]
) -> Floats:
    gradient = _gradient(bins, np.array(widths), np.array(information), np.array(weights))
    return descend(gradient, len(widths))


def _gradient(bins: int, widths: Floats, information: Floats, weights: Floats) -> Gradient:
    """Windows: f = tr(G H⁻¹), H = Σ_l p λ T_w, with the total known; G counts the queries that hold two bins.

    All of it is the same from either end of the line (prefixes are as exact as suffixes), so it falls into
    what is symmetric about the middle and what is antisymmetric, each on half the bins.
    """
    bins += bins % 2
    place = np.arange(bins)
    early, late = np.minimum.outer(place, place), np.maximum.outer(place, place)
    queries = folded(np.stack([(early + 1.0) * (bins - late), (bins - late + early + 1) / 2]))
    parts = folded(np.maximum(0, 1 - (late - early) / widths[:, None, None]) * information[:, None, None])

    def gradient(probabilities: Floats) -> Floats:
        covariance = np.linalg.inv((probabilities[:, None, None, None] * parts).sum(axis=0))
        sums = covariance[0].sum(axis=1)  # the total is symmetric
        covariance[0] -= np.outer(sums, sums) / sums.sum()
        variance = (queries * covariance).sum(axis=(1, 2, 3))
        turned = covariance @ queries @ covariance
        gains = np.einsum("qsij,lsij->ql", turned, parts)
        towards: Floats = weights @ (gains / variance[:, None])
        return towards

    return gradient
