"""Smooth densities that an unbiased estimate may come from, from the smoothest on.

Cells have shares θ ∝ base · e^f, so none is negative and they add up to 1. What is smooth is said by a
penalty P: f has the prior e^{−κ fᵀPf/2}. As κ falls, f is free to follow the estimate y, whose precision H is
known: for each κ the f of greatest −(y − θ)ᵀH(y − θ)/2 − κ fᵀPf/2 is found by Gauss and Newton's method,
beginning where the last ended.

How strong the prior is to be nobody knows, so all are weighed: by Akaike's criterion, an estimate of the risk
that knows how free each density was to follow the noise, and a little by the evidence, how likely the
estimate is under κ (by Laplace's approximation), which is less easily misled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ldprange.support.arrays import Floats

_STEPS = 20  # of the method, at most, for a κ
_MAX_CHANGE = 3.0  # of f in a step
_ENOUGH = 1e-2  # a gain of log probability that ends the search
_RIDGE = 1e-10  # of the mean curvature, where neither the penalty nor the estimate tells anything
_FREE = 0.9  # of the estimate's own freedom, from which on a density smooths nothing
_LOST = 1e300  # the score of a density that numbers were too large for
_RISK = 0.85  # of Akaike's criterion in the weights; the rest is the evidence's


class Density(NamedTuple):
    """The best density for a κ.

    Attributes
    ----------
    shares
        θ of the cells.
    evidence
        The logarithm of how likely the estimate is under κ, but for a constant.
    misfit
        (y − θ)ᵀH(y − θ), or of the part of H that is judged by.
    freedom
        How many parameters it really has: the trace of what an error of the estimate does to it.
    """

    shares: Floats
    evidence: float
    misfit: float
    freedom: float


class Smooth(NamedTuple):
    """The mean of smooth densities.

    Attributes
    ----------
    shares
        Of the cells.
    criterion
        Akaike's: misfit + 2 × freedom. Infinite if hardly anything was smoothed.
    """

    shares: Floats
    criterion: float


def weighed(found: Iterable[Density], precision: Floats) -> Smooth:
    """Return the mean of densities, each weighed by how well it accounts for the estimate.

    The ``precision`` is the estimate's. Weights that follow the estimate are a freedom too: as much as the
    weighed densities differ, of which half is made up for by the mean's smaller misfit.
    """
    each = list(found)
    criteria = np.array([density.misfit + 2 * density.freedom for density in each])
    scores = _RISK * criteria / 2 - (1 - _RISK) * np.array([density.evidence for density in each])
    scores[~np.isfinite(scores)] = _LOST
    weights = np.exp(scores.min() - scores)
    weights /= weights.sum()
    rows = np.stack([density.shares for density in each])
    shares: Floats = weights @ rows
    differ = weights @ np.einsum("ki,ki->k", (rows - shares) @ precision, rows - shares)
    free = weights @ [density.freedom for density in each] > _FREE * np.linalg.matrix_rank(precision)
    return Smooth(shares, np.inf if free else float(weights @ criteria + differ))


def log_densities(
    estimate: Floats,
    precision: Floats,
    base: Floats,
    penalty: Floats,
    strengths: Floats,
    judged: Floats | None = None,
) -> Iterator[Density]:
    """Yield the best density for each of the ``strengths`` κ, in falling order.

    Parameters
    ----------
    estimate, precision
        y and H, over the cells. H says nothing of the sum of all, which is 1.
    base
        What the cells' shares would be if f were 0, or a multiple of it. None is 0.
    penalty
        P. Functions of no penalty, constants among them, are for the estimate to tell.
    judged
        The part of H by which misfit and freedom are judged; all of it, if left out.
    """
    judged = precision if judged is None else judged
    cells = base.size
    rank = np.linalg.matrix_rank(penalty, hermitian=True)
    whole = np.full((cells, cells), 1 / cells)
    logs, f = np.log(base), np.zeros(cells)

    def value(f: Floats, prior: Floats) -> tuple[float, Floats, Floats]:
        exponents = logs + f
        shares = np.exp(exponents - exponents.max())
        shares /= shares.sum()
        away = estimate - shares
        return float(-(away @ precision @ away + f @ prior @ f) / 2), shares, away

    for strength in strengths:
        prior = strength * penalty
        here, shares, away = value(f, prior)
        for _ in range(_STEPS):
            known = _curvature(precision, shares)
            # constants change nothing: some penalty makes the step unique
            scale = (np.trace(known) + np.trace(prior)) / cells
            curvature = known + prior + scale * whole
            curvature.flat[:: cells + 1] += _RIDGE * scale
            pull = precision @ away
            gradient = shares * (pull - shares @ pull) - prior @ f
            step = np.linalg.solve(curvature, gradient)
            step *= min(1.0, _MAX_CHANGE / max(np.abs(step).max(), 1e-300))
            while (found := value(f + step, prior))[0] < here and np.abs(step).max() > 1e-9:
                step /= 2
            gain = found[0] - here
            if gain > 0:
                f, (here, shares, away) = f + step, found
            if gain < _ENOUGH:
                break
        log_volume = np.linalg.slogdet(curvature)[1] - np.log(scale)
        yield Density(
            shares,
            here + (rank * np.log(strength) - log_volume) / 2,
            float(away @ judged @ away),
            float(np.trace(np.linalg.solve(curvature, _curvature(judged, shares)))),
        )


def _curvature(precision: Floats, shares: Floats) -> Floats:
    """Return JᵀHJ, J being how θ changes with f: diag(θ) − θθᵀ."""
    seen = shares * (precision @ shares)
    curvature: Floats = shares[:, None] * precision * shares
    curvature -= np.outer(seen, shares) + np.outer(shares, seen - shares * seen.sum())
    return curvature
