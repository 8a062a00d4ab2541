"""One person's reports on several numbers. Coins are the operating system's."""

from collections.abc import Mapping
from typing import Any

from ldprange.client.acceptance import check_accepted, check_report_bytes
from ldprange.client.encoding import Client, encode_with
from ldprange.errors import DomainError
from ldprange.learning.plan import LabelledPlan
from ldprange.randomness import Coins, SystemCoins, below
from ldprange.reports import Report
from ldprange.support.checking import check_type, listed


class LabelledClient:
    """Randomises one person's numbers under a labelled plan.

    Every call draws fresh coins and costs the plan's whole ε anew: call it once for a person.

    Parameters
    ----------
    plan
        The public agreement.
    max_epsilon
        The largest ε, over all of a person's numbers, that is accepted; more is a PlanError.
    fingerprint
        The only plan that is accepted, by its fingerprint.

    >>> from ldprange import Domain, Flat, GRR, Plan
    >>> hours = Plan(Domain.integers(0, 23), 1.0, Flat(), GRR())
    >>> client = LabelledClient(LabelledPlan(("at work", "asleep"), (hours, hours), ("a", "b"), "all"))
    >>> sorted(client.encode({"at work": 7, "asleep": 8}))
    ['asleep', 'at work']
    """

    def __init__(
        self, plan: LabelledPlan, *, max_epsilon: float | None = None, fingerprint: str | None = None
    ) -> None:
        check_type(plan, LabelledPlan, "a labelled client's plan")
        check_accepted(plan, max_epsilon, fingerprint)
        if plan.asked == "all":
            check_report_bytes(plan.plans)
        self.plan = plan
        self._clients = tuple(Client(each) for each in plan.plans)

    def encode(self, values: Mapping[str, Any]) -> dict[str, Report]:
        """Return a report for each attribute that is asked: one of them, or all.

        All numbers must be given and lie in their domains; which are asked is drawn without looking at them.
        """
        return encode_labelled_with(self, values, SystemCoins())


def encode_labelled_with(
    client: LabelledClient, values: Mapping[str, Any], coins: Coins
) -> dict[str, Report]:
    """Encode a person's numbers with given coins."""
    plan = client.plan
    if not isinstance(values, Mapping) or set(values) != set(plan.attributes):
        # the names alone: a person's numbers are nobody's business
        came = listed(map(repr, values)) if isinstance(values, Mapping) else f"a {type(values).__name__}"
        raise DomainError(f"a person must have a number for each of {listed(plan.attributes)}, got {came}")
    indices = [
        each.domain.index_one(values[name]) for name, each in zip(plan.attributes, plan.plans, strict=True)
    ]
    count = len(indices)
    chosen = [below(coins, count)] if plan.asked == "one" else range(count)
    return {plan.attributes[at]: encode_with(client._clients[at], indices[at], coins) for at in chosen}
