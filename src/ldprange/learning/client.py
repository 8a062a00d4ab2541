"""One person's reports on several numbers. Coins are the operating system's."""

import json
from collections.abc import Mapping
from typing import Any

from ldprange import wire
from ldprange.client.acceptance import check_accepted, check_report_bytes
from ldprange.client.encoding import Client, check_no_person, checked_survey, encode_with
from ldprange.client.ledger import Ledger
from ldprange.errors import DomainError, FileError, LdprangeError, about
from ldprange.learning.plan import LabelledPlan, check_numbers
from ldprange.randomness import Coins, SystemCoins, below
from ldprange.reports import Report
from ldprange.support.checking import check_type, listed


class LabelledClient:
    """Randomises one person's numbers under a labelled plan.

    Parameters
    ----------
    plan
        The public agreement.
    ledger
        Where all reports of a person are kept together, so that who is asked again says the same again, and
        the sum of ε stays within the budget. Without one every call costs the plan's whole ε anew.
    survey
        The address, or any URL, that tells this survey from others. A ledger needs it.
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
        self,
        plan: LabelledPlan,
        *,
        ledger: Ledger | None = None,
        survey: str | None = None,
        max_epsilon: float | None = None,
        fingerprint: str | None = None,
    ) -> None:
        check_type(plan, LabelledPlan, "a labelled client's plan")
        check_accepted(plan, max_epsilon, fingerprint)
        if plan.asked == "all":
            check_report_bytes(plan.plans)
        self.plan = plan
        self.ledger = ledger
        self.survey = checked_survey(ledger, survey)
        self._clients = tuple(Client(each) for each in plan.plans)

    def encode(self, values: Mapping[str, Any], *, person: str = "") -> dict[str, Report]:
        """Return a report for each attribute that is asked: one of them, or all.

        All numbers must be given and lie in their domains; which are asked is drawn without looking at them.
        With a ledger, a ``person`` who answered before gets the same reports again, whatever has changed.
        """
        indices = _indices(self.plan, values)
        if self.ledger is None or self.survey is None:
            check_no_person(person)
            return _encode(self, indices, SystemCoins())
        made = self.ledger.keep_once(
            self.survey, self.plan, person, lambda: _packed(_encode(self, indices, SystemCoins()))
        )
        return self._reports(made)

    def _reports(self, packed: bytes) -> dict[str, Report]:
        """Read back what :func:`_packed` made of reports."""
        try:
            return {
                name: wire.unpack_one(self.plan.plans[self.plan.place(name)], bytes.fromhex(report))
                for name, report in json.loads(packed).items()
            }
        except (LdprangeError, ValueError, AttributeError, TypeError):
            raise FileError(
                f"{self.ledger} must hold reports of plan {self.plan.fingerprint}, but these are damaged"
            ) from None


def _packed(reports: Mapping[str, Report]) -> bytes:
    return json.dumps({name: wire.pack(report).hex() for name, report in reports.items()}).encode()


def _indices(plan: LabelledPlan, values: Mapping[str, Any]) -> list[int]:
    """Return the bin of each of a person's numbers, in the order of the attributes."""
    if not isinstance(values, Mapping) or set(values) != set(plan.attributes):
        # the names alone: a person's numbers are nobody's business
        came = listed(map(repr, values)) if isinstance(values, Mapping) else f"a {type(values).__name__}"
        raise DomainError(f"a person must have a number for each of {listed(plan.attributes)}, got {came}")
    for name, each in zip(plan.attributes, plan.plans, strict=True):
        with about(name):
            check_numbers(each.domain, values[name])
    return [
        each.domain.index_one(values[name]) for name, each in zip(plan.attributes, plan.plans, strict=True)
    ]


def _encode(client: LabelledClient, indices: list[int], coins: Coins) -> dict[str, Report]:
    plan, count = client.plan, len(indices)
    chosen = [below(coins, count)] if plan.asked == "one" else range(count)
    return {plan.attributes[at]: encode_with(client._clients[at], indices[at], coins) for at in chosen}
