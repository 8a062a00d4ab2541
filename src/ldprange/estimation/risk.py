"""Akaike's criterion for a denoiser of any kind, from what small errors do to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ldprange.support.arrays import Floats

_DIRECTIONS = 6  # in which is seen how free a denoiser is
_NUDGE = 0.1  # of a standard error
_TEMPERATURE = 4.0  # a difference of criteria, themselves uncertain, that matters
_LEAST = -50.0  # logarithm of a weight, of the greatest
_DOUBT = 3.0  # by which a smooth density has to be better: what it hides may be what matters


def criterion(
    denoise: Callable[[Floats], Floats], estimate: Floats, found: Floats, precision: Floats, root: Floats
) -> float:
    """Return misfit + 2 × freedom of what ``denoise`` has ``found`` for an unbiased ``estimate``.

    The freedom is the trace of what an error does to the denoised values (Stein's unbiased estimate of the
    risk has it so), seen in a few directions that are always the same.

    Parameters
    ----------
    denoise
        Makes denoised values of unbiased ones.
    estimate, precision
        The unbiased values, and the inverse of their covariance.
    root
        A square root of the covariance: times independent errors of variance 1 it has that covariance.
    """
    away = estimate - found
    coins = np.random.default_rng(0).choice([-_NUDGE, _NUDGE], (_DIRECTIONS, root.shape[1]))
    freedom = np.mean([(denoise(estimate + error) - found) @ precision @ error for error in coins @ root.T])
    return float(away @ precision @ away + 2 * freedom / _NUDGE**2)


def weights_of_ways(smooth: float, others: Sequence[float]) -> Floats:
    """Return the weights of a smooth density and of what other denoisers find, from the criteria of all."""
    criteria = np.array([smooth + _DOUBT, *others])
    weights = np.exp(np.maximum((criteria.min() - criteria) / _TEMPERATURE, _LEAST))
    found: Floats = weights / weights.sum()
    return found
