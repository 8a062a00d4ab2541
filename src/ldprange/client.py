"""The client: the only code that sees a true value. Its coins are the operating system's."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from ldprange.checking import check_type
from ldprange.plan import Plan
from ldprange.randomness import Coins, SystemCoins
from ldprange.reports import Report


class Client:
    """Randomises one person's value under a plan.

    >>> from ldprange import Domain, Haar, HRR
    >>> client = Client(Plan(Domain.integers(0, 119), 1.1, Haar(), HRR()))
    >>> client.encode(42).level in range(7)
    True
    """

    def __init__(self, plan: Plan) -> None:
        check_type(plan, Plan, "a client's plan")
        self.plan = plan
        self._thresholds = plan.level_thresholds
        self._sizes = [level.size for level in plan.levels]

    def encode(self, value: Any) -> Report:
        """Return a report of the value that reveals at most the plan's ε about it.

        A value outside the domain is an error, never a silent clip.
        """
        return encode_with(self, self.plan.domain.index_one(value), SystemCoins())


def encode_with(client: Client, index: int, coins: Coins) -> Report:
    """Encode a bin with given coins: what the published test vectors replay."""
    plan = client.plan
    level = bisect_right(client._thresholds, coins.word()) if client._thresholds else 0
    payload = plan.mechanisms[level].encode(index // client._sizes[level], coins)
    return Report(plan.fingerprint, level, payload)
