"""Coins that decide nothing, for coins whose every word is accounted for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldprange.randomness import Coins


class UnusedCoins:
    """Words that are all 0."""

    def word(self) -> int:
        """Return 0."""
        return 0

    def words(self, count: int) -> NDArray[np.uint32]:
        """Return ``count`` times 0."""
        return np.zeros(count, np.uint32)

    @property
    def spare(self) -> Coins:
        """These."""
        return self
