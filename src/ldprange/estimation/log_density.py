"""Smooth densities that an unbiased estimate may come from, from the smoothest on.

Cells have shares θ ∝ base · e^f, so none is negative and they add up to 1. What is smooth is said by a
penalty P: f has the prior e^{−κ fᵀPf/2}. As κ falls, f is free to follow the estimate y, whose precision H is
known: for each κ the f of greatest −(y − θ)ᵀH(y − θ)/2 − κ fᵀPf/2 is found by Gauss and Newton's method,
beginning where the last ended. It is a sum of functions of rising penalty, as few as κ leaves any freedom.

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
_RIDGE = 1e-10  # of the curvature, where neither the penalty nor the estimate tells anything
_TOO_DEAR = 100.0  # penalty of a function, beside all that the estimate tells
_NO_COST = 1e-11  # of the dearest function's difference
_LEAST = 1e-300  # that can be divided by
_FREE = 0.9  # of the estimate's own freedom, from which on a density smooths nothing
_LOST = 1e300  # the score of a density that numbers were too large for
_RISK = 0.85  # of Akaike's criterion in the weights; the rest is the evidence's


class Penalty(NamedTuple):
    """A penalty P of f, by functions that are orthogonal and have penalties that simply add up.

    Attributes
    ----------
    functions
        A column for each, of length 1: all but constants together.
    costs
        Their penalties, rising; 0 of functions that are for the estimate to tell.
    """

    functions: Floats
    costs: Floats

    @staticmethod
    def of(differences: Floats) -> Penalty:
        """Return the penalty of squared ``differences`` of f, in rows, which are 0 for constants."""
        cells = differences.shape[1]
        # the dearest, to be left out
        constant = np.full((1, cells), np.abs(differences).max() * differences.size)
        _, roots, functions = np.linalg.svd(np.linalg.qr(np.vstack([differences, constant]), mode="r"))
        roots = np.pad(roots, (0, cells - roots.size))[:0:-1]
        return Penalty(functions[:0:-1].copy().T, np.where(roots > _NO_COST * roots[-1], roots, 0.0) ** 2)


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


def weighed(found: Iterable[Density], precision: Floats, told: int) -> Smooth:
    """Return the mean of densities, each weighed by how well it accounts for the estimate.

    The ``precision`` is the estimate's, and ``told`` its rank. Weights that follow the estimate are a freedom
    too: as much as the weighed densities differ, of which half is made up for by the mean's smaller misfit.
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
    free = weights @ [density.freedom for density in each] > _FREE * told
    return Smooth(shares, np.inf if free else float(weights @ criteria + differ))


def log_densities(
    estimate: Floats,
    precision: Floats,
    base: Floats,
    penalty: Penalty,
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
        P.
    judged
        The part of H by which misfit and freedom are judged; all of it, if left out.
    """
    judged = precision if judged is None else judged
    functions, costs = penalty
    free = int(np.count_nonzero(costs == 0))
    logs, c, shares = np.log(base), np.zeros(0), base / base.sum()

    def value(f: Floats, prior: Floats, c: Floats) -> tuple[float, Floats, Floats]:
        exponents = logs + f @ c
        shares: Floats = np.exp(exponents - exponents.max())
        shares /= shares.sum()
        away = estimate - shares
        return float(-(away @ precision @ away + prior @ c**2) / 2), shares, away

    for strength in strengths:
        # functions that cost so much are as good as 0
        known = float(shares**2 @ np.diagonal(judged))
        number = max(free + 1, int(np.searchsorted(strength * costs, _TOO_DEAR * known)))
        f, prior = functions[:, :number], strength * costs[:number]
        c = np.append(c[:number], np.zeros(max(0, number - c.size)))
        here, shares, away = value(f, prior, c)
        for _ in range(_STEPS):
            slopes = shares[:, None] * (f - shares @ f)
            curvature = slopes.T @ precision @ slopes
            curvature.flat[:: number + 1] += prior
            scales = 1 / np.sqrt(np.maximum(np.diagonal(curvature), _LEAST))
            curvature *= scales[:, None] * scales
            curvature.flat[:: number + 1] += _RIDGE
            gradient = slopes.T @ (precision @ away) - prior * c
            step = scales * np.linalg.solve(curvature, scales * gradient)
            change = float(np.abs(f @ step).max())
            length = min(1.0, _MAX_CHANGE / max(change, _LEAST))
            while (found := value(f, prior, c + length * step))[0] < here:
                length /= 2
                if length * change < 1e-9:
                    break
            gain = found[0] - here
            if gain > 0:
                c, (here, shares, away) = c + length * step, found
            if gain < _ENOUGH:
                break
        log_volume = np.linalg.slogdet(curvature)[1] - 2 * np.log(scales).sum()
        slopes *= scales
        told = np.linalg.solve(curvature, slopes.T @ judged)
        yield Density(
            shares,
            here + (np.log(prior[free:]).sum() - log_volume) / 2,
            float(away @ judged @ away),
            float((told * slopes.T).sum()),
        )
