"""The whole protocol on one page: what each role does, knows and sends.

It is written to be read, and tests hold every faster way to it. It takes people one by one;
:mod:`ldprange.simulation` does the same for millions.

>>> import ldprange as ldp
>>> plan = ldp.Plan(ldp.Domain.integers(0, 9), 3.0, ldp.Flat(), ldp.OUE())
>>> total, found = run_protocol(plan, [2] * 3000 + [7] * 1000)
>>> total
Aggregate of 4,000 reports under plan e675ed3a9c44a932
>>> 0.5 < found.range(0, 4).value < 1  # three in four, give or take what the coins say
True
"""

from collections.abc import Callable, Iterable
from typing import Any

from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.client import Client, encode_with
from ldprange.estimation import Estimate, JointEstimate, estimate
from ldprange.plan import Plan
from ldprange.randomness import Coins, SystemCoins


def run_protocol(
    plan: Plan, values: Iterable[Any], coins: Callable[[], Coins] = SystemCoins
) -> tuple[Aggregate, Estimate | JointEstimate]:
    """Return the aggregate and the estimate of people's values, under a plan, with fresh coins for each."""
    # Everyone: the plan is public. It says what may be asked, and how much a report may tell of its sender.
    domain = plan.domain

    # Each person, on their own device: nobody else sees the value or the coins, and only bytes leave it.
    sent = []
    for value in values:
        report = encode_with(Client(plan), domain.index_one(value), coins())
        sent.append(wire.pack(report))

    # The collector: counts what arrives, in any order. Counts of several collectors add up exactly.
    total = Aggregate.of(plan, sent)

    # Anyone who has the counts: answers questions, each with its interval.
    return total, estimate(total)
