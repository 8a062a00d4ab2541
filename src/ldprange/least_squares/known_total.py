"""What some shares add up to is known, as where cells beyond the bins hold nobody: an estimate given that."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.support.arrays import Boundaries, Floats


class KnownTotal:
    """What conditioning on the total of some bins does to an estimate.

    With P their estimated total and T the known one, x' = x + Cov(x, P)(T − P)/Var(P).

    Parameters
    ----------
    boundaries
        Some boundaries, rising from 0 to the last bin's end.
    covariances
        Of the shares below them with P; between two boundaries they lie on a straight line.
    """

    def __init__(self, boundaries: Boundaries, covariances: Floats) -> None:
        self.variance = float(covariances[-1])
        even = boundaries / boundaries[-1]  # if P is certain, too
        self._boundaries = boundaries
        self._knots: Floats = np.divide(covariances, self.variance, out=even, where=self.variance > 0)

    @cached_property
    def weights(self) -> Floats:
        """ρ at every boundary: a range has ρ(high) − ρ(low) times T − P added to it."""
        return np.interp(np.arange(self._boundaries[-1] + 1), self._boundaries, self._knots)

    def condition(self, shares: Floats, total: float = 1.0) -> Floats:
        """Return the bins' shares, given their ``total``, from those of all cells."""
        bins = self.weights.size - 1
        conditioned: Floats = shares[:bins] + np.diff(self.weights) * (total - shares[:bins].sum())
        return conditioned

    def mean_gains(self) -> tuple[float, float]:
        """Return by how much knowing the total lowers the mean variance of ranges and of prefixes."""
        steps, first = np.diff(self._boundaries).astype(np.float64), self._knots[:-1]
        rise = np.diff(self._knots) / steps
        # Σ ρ and Σ ρ² over the boundaries of a line, its last one left out
        once, twice = steps * (steps - 1) / 2, (steps - 1) * steps * (2 * steps - 1) / 6
        total = 1 + (steps * first + rise * once).sum()
        squares = 1 + (steps * first**2 + 2 * first * rise * once + rise**2 * twice).sum()
        bins = int(self._boundaries[-1])
        pairs = (bins + 1) * squares - total**2  # Σ_{i<j} (ρ_j − ρ_i)²
        return float(self.variance * pairs / (bins * (bins + 1) / 2)), float(self.variance * squares / bins)
