"""How a mass is split in two, given an unbiased estimate of one part and what all other splits look like.

A part is expected about a centre, more or less near to it; or it has all of the mass, or nothing. How often
each is so is learnt from all the splits together: empirical Bayes, with a small mixture.
"""

from __future__ import annotations

import numpy as np

from ldprange import kernels
from ldprange.support.arrays import Floats

SPREADS = np.array([1 / 3, 1 / 9, 1 / 27, 0.0])
"""Of a part's mass about what is expected of it, as a share of the whole mass: the mixture's normal parts."""

NO_NOISE = 1e-30
"""The least variance of an estimate."""

BROAD_SPLITS = 1.0
"""Splits that are anyhow, with which a mixture begins: where there are few others, little is shrunk."""

_ROUNDS = 30


def mixture(
    value: Floats,
    noise: Floats,
    centre: Floats,
    parent: Floats,
    *,
    counts: float = 1.0,
    broad: float = BROAD_SPLITS,
) -> Floats:
    """Return the weights of the mixture's parts, by expectation maximisation over splits.

    Parameters
    ----------
    value
        Unbiased estimates of the parts.
    noise
        Their variances.
    centre
        What is expected of each, were there no estimate.
    parent
        The masses of which they are parts.
    counts
        For how many splits each of these counts.
    broad
        How many splits there are besides that are anyhow.
    """
    start = np.full(SPREADS.size + 1, 1e-9)
    start[0] = broad
    return kernels.mixture_weights(value, noise, centre, parent, SPREADS, start, counts, _ROUNDS)


def split(value: Floats, noise: Floats, centre: Floats, parent: Floats, weights: Floats) -> Floats:
    """Return how much of each ``parent`` a part has; all as in :func:`mixture`, which gives the weights."""
    return kernels.mixture_means(value, noise, centre, parent, SPREADS, weights)
