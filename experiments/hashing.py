"""OLH on large domains: the counts drawn at once, as if every hash function were perfectly random.

Decoding OLH takes users × cells steps, so the paper has it on the smallest domain only. With a
perfectly random hash each report supports each item that its sender does not hold with
probability q, all of them independently; then the support of an item that n of N people hold is
Binomial(n, p) + Binomial(N − n, q), independent of all others, as for OUE. The library's hash has
the same means and covariances (any three items are independent under it), so errors are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldprange.oracles.contract import Users
from ldprange.oracles.local_hashing import OLH, HashingMechanism
from ldprange.support.arrays import Counts


@dataclass(frozen=True, slots=True)
class PerfectHashing(OLH):
    """OLH whose tally can be drawn from counts; for simulation only."""

    def resolve(self, epsilon: float, cells: int) -> PerfectHashing:
        return PerfectHashing(OLH.resolve(self, epsilon, cells).symbols)

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> PerfectMechanism:
        return PerfectMechanism(cells, epsilon, self.resolve(epsilon, cells).symbols or 2)


class PerfectMechanism(HashingMechanism):
    """Supports drawn cell by cell."""

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        return self.supports(holders, int(holders.sum()), rng)

    def supports(self, holders: Counts, users: Users, rng: np.random.Generator) -> Counts:
        """Draw the supports of some cells only, each held by ``holders`` of ``users`` who report."""
        return rng.binomial(holders, self._p) + rng.binomial(users - holders, self._q)
