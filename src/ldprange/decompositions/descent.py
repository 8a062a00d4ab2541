"""The probabilities of levels that make a convex error least, by multiplicative updates.

Given one report's information on every level, the mean variance over a workload's queries is a convex
function f of the level probabilities p, and its gradient is known. Updates p ← p·√(−∂log f/∂p), made to add
up to 1, keep p positive and rest only where all levels in use gain alike (Silvey, Titterington and Torsney,
"An algorithm for optimal designs on a design space", Communications in Statistics A7, 1978).
"""

from collections.abc import Callable, Sequence

import numpy as np

from ldprange.support.arrays import Floats

_STEPS = 50

Gradient = Callable[[Floats], Floats]


def best_told(parts: Sequence[tuple[Floats, Floats, Floats]], weights: Floats) -> Floats:
    """Return the best probabilities of levels for a variance Σ_m c_m/(Σ_k precision_k p_k tells_km).

    Every part of it has c, for ranges and for prefixes, whether level k tells of m, and what a report on each
    level tells. For the ``weights`` see Layout.best_probabilities.
    """

    def gradient(probabilities: Floats) -> Floats:
        variance, gains = np.zeros(2), np.zeros((2, probabilities.size))
        for c, tells, precision in parts:
            informed = (precision * probabilities) @ tells
            variance += c @ (1 / informed)
            gains += precision * ((c / informed**2) @ tells.T)
        return weights @ (gains / variance[:, None])

    return descend(gradient, parts[0][1].shape[0])


def descend(gradient: Gradient, levels: int, steps: int = _STEPS) -> Floats:
    """Return the probabilities of ``levels`` levels after ``steps`` along −∂log f/∂p, the ``gradient``."""
    probabilities = np.full(levels, 1 / levels)
    for _ in range(steps):
        probabilities = probabilities * np.sqrt(gradient(probabilities))
        probabilities /= probabilities.sum()
    return probabilities
