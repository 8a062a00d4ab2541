"""Denoising one attribute with bins apart from the line: what lies beyond open ends, and no answer."""

from __future__ import annotations

import numpy as np

from ldprange.estimation.denoise_line import denoised
from ldprange.estimation.line_noise import Noise, NoiseGiven
from ldprange.estimation.splits import NO_NOISE
from ldprange.support.arrays import Floats

_MIN_REST = 0.05  # the share of people who have to have a value for them to be denoised by themselves


def denoised_beside(shares: Floats, noise: Noise, plain: slice) -> Floats:
    """Return denoised ``shares`` of all bins, of which ``plain`` are those with a place on the line.

    Others are no neighbours of the values beside them, and may be many people. Each keeps as much of its own
    share as that is beyond its noise, and the plain ones are denoised as shares among the people who have a
    value, given how many these are.
    """
    places = np.arange(shares.size + 1)
    others = np.delete(places[:-1], plain)
    squares = np.clip(shares[others], 0.0, None) ** 2
    apart = np.sqrt(squares) * squares / np.maximum(squares + noise.variances(others, others + 1), NO_NOISE)
    rest = 1 - float(apart.sum())
    if not others.size or rest < _MIN_REST:
        return denoised(shares, noise.block_variances, noise.variances, places)
    given = NoiseGiven(noise, plain)
    line = denoised(
        given.total.condition(shares[plain], rest) / rest,
        lambda width, step: given.block_variances(width, step) / rest**2,
        lambda low, high: given.variances(low, high) / rest**2,
        places[: places.size - others.size],
    )
    found = np.empty_like(shares)
    found[others], found[plain] = apart, rest * line
    return found
