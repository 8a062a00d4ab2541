"""How far sums of independent reports may lie from what is expected, by Bernstein's inequality.

A sum of independent numbers, none further than b from its mean, with variance v in all, is further than t
from its mean with a chance of at most 2 exp(−t²/(2(v + bt/3))). So with L = ln(2 × comparisons/false alarms)
and t = bL/3 + √((bL/3)² + 2vL), no comparison out of so many fails by more than the stated chance, however
small the survey is and however the comparisons hang together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ldprange.support.arrays import Floats


class Comparisons(NamedTuple):
    """Sums of reports beside what they should be, many of one kind.

    Attributes
    ----------
    kind
        What is compared: one of the keys of :data:`ldprange.tampering.check.KINDS`.
    level
        The level that it is about, or None.
    off
        How far each sum is from what is expected, or from the nearest of what may be expected.
    variance
        Of the sum.
    most
        How far one report can be off.
    describe
        Says in words what the comparison at a place is about.
    """

    kind: str
    level: int | None
    off: Floats
    variance: Floats
    most: Floats
    describe: Callable[[int], str]

    def allowed(self, logarithm: float) -> Floats:
        """Return how far honest reports may be off; ``logarithm`` is L of the module."""
        part = self.most * logarithm / 3
        return part + np.sqrt(part**2 + 2 * self.variance * logarithm)


def logarithm_of(comparisons: int, false_alarms: float) -> float:
    """Return L of the module for so many ``comparisons``, of which any fails with chance ``false_alarms``."""
    return math.log(2 * comparisons / false_alarms)
