"""The error to expect, before anyone is asked: what it is, and what it is averaged over."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldprange.details import mean_overlap

_ALL_RANGES = 512  # up to this many bins a prediction for a population goes through every range
_SOME_RANGES = 1 << 17


@dataclass(frozen=True, slots=True)
class Prediction:
    """Expected squared error, averaged over all ranges and over all prefixes of the domain."""

    users: float
    range_variance: float
    prefix_variance: float

    def __repr__(self) -> str:
        return (
            f"Prediction(users={self.users:g}, range_rmse={self.range_rmse:.3g}, "
            f"prefix_rmse={self.prefix_rmse:.3g})"
        )

    @property
    def range_rmse(self) -> float:
        """Root mean squared error over all ranges."""
        return math.sqrt(self.range_variance)

    @property
    def prefix_rmse(self) -> float:
        """Root mean squared error over all prefixes."""
        return math.sqrt(self.prefix_variance)


def ranges_of(bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all ranges of a small domain, or an even sample (a lattice) of a large one's."""
    if bins <= _ALL_RANGES:
        low, high = np.triu_indices(bins)
        return low.astype(np.int64), high.astype(np.int64) + 1
    step = np.arange(_SOME_RANGES)
    one = (step + 0.5) / _SOME_RANGES
    other = (step * (math.sqrt(5) - 1) / 2) % 1.0
    ends = np.sort(np.stack([one, other]) * bins, axis=0).astype(np.int64)
    return ends[0], ends[1] + 1


def own_variances(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the mean of R(1 − R), R an even population's share in ranges, and in prefixes."""
    bins = np.array(shape, np.float64)[:, None]
    shares = np.hstack([(bins + 2) / (3 * bins), (bins + 1) / (2 * bins)])
    squares = np.array([mean_overlap(size, size) for size in shape]) / bins
    own: NDArray[np.float64] = shares.prod(axis=0) - squares.prod(axis=0)
    return own
