"""Denoising one attribute with bins apart from the line: what lies beyond open ends, and no answer."""

from __future__ import annotations

import numpy as np

from ldprange.estimation.denoise_line import denoised
from ldprange.estimation.line_noise import Noise, NoiseGiven
from ldprange.estimation.splits import NO_NOISE
from ldprange.support.arrays import Boundaries, Floats

_MIN_REST = 0.05  # the share of people who have to have a value for them to be denoised by themselves


def denoised_beside(
    shares: Floats, noise: Noise, plain: slice, places: Boundaries | None = None, nobody: int = 0
) -> Floats:
    """Return denoised ``shares`` of all bins, of which ``plain`` are those with a place on the line.

    Others are no neighbours of the values beside them, and may be many people. Each keeps as much of its own
    share as that is beyond its noise, and the plain ones are denoised as shares among the people who have a
    value, given how many these are.

    Parameters
    ----------
    shares, noise
        Unbiased, and what is known of their errors.
    plain
        Which of the bins lie on the line.
    places
        Where on it they begin, and where the last one ends; one follows the other if left out.
    nobody
        How many of the last bins are none, and hold nobody.
    """
    size = shares.size
    others = np.delete(np.arange(size), plain)
    squares = np.clip(shares[others], 0.0, None) ** 2
    apart = np.sqrt(squares) * squares / np.maximum(squares + noise.variances(others, others + 1), NO_NOISE)
    apart[others >= size - nobody] = 0.0
    rest = 1 - float(apart.sum())
    if rest < _MIN_REST:
        plain, places, rest = slice(0, size - nobody), None, 1.0
        others, apart = np.arange(size - nobody, size), np.zeros(nobody)
    places = np.arange(plain.stop - plain.start + 1) if places is None else places
    if not others.size:
        return denoised(shares, noise.block_variances, noise.variances, places)
    given = NoiseGiven(noise, plain)
    line = denoised(
        given.total.condition(shares[plain], rest) / rest,
        lambda width, step: given.block_variances(width, step) / rest**2,
        lambda low, high: given.variances(low, high) / rest**2,
        places,
    )
    found = np.empty_like(shares)
    found[others], found[plain] = apart, rest * line
    return found
