"""The error to expect, before anyone is asked."""

import math
from dataclasses import dataclass


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
