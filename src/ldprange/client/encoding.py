"""The client: the only code that sees a true value. Its coins are the operating system's."""

from bisect import bisect_right
from typing import Any

from ldprange.client.acceptance import check_accepted, check_report_bytes
from ldprange.client.ledger import Ledger
from ldprange.errors import ArgumentError
from ldprange.plan import Plan
from ldprange.randomness import Coins, SystemCoins
from ldprange.reports import Report
from ldprange.support.addresses import SurveyAddress
from ldprange.support.checking import check_type, shown


class Client:
    """Randomises one person's value under a plan.

    Parameters
    ----------
    plan
        The public agreement.
    ledger
        Where reports are kept, so that nobody answers a survey twice or spends more than a budget.
        Without one every call draws fresh coins and costs ε anew.
    survey
        The address of the survey that is answered, such as ``https://example.org/s/commute``. A ledger
        needs it, for two surveys may ask different questions under one plan.
    max_epsilon
        The largest ε that is accepted; a plan that asks for more is a PlanError.
    fingerprint
        The only plan that is accepted, by its fingerprint, which you have from elsewhere than the plan.

    >>> from ldprange import Domain, Haar, HRR
    >>> client = Client(Plan(Domain.integers(0, 119), 1.1, Haar(), HRR()))
    >>> client.encode(42).level in range(7)
    True
    """

    def __init__(
        self,
        plan: Plan,
        *,
        ledger: Ledger | None = None,
        survey: str | None = None,
        max_epsilon: float | None = None,
        fingerprint: str | None = None,
    ) -> None:
        check_type(plan, Plan, "a client's plan")
        check_accepted(plan, max_epsilon, fingerprint)
        check_report_bytes([plan])
        self.plan = plan
        self.ledger = ledger
        self.survey = checked_survey(ledger, survey)
        self._thresholds = plan.level_thresholds
        self._levels = plan.levels

    def encode(self, value: Any, *, person: str = "") -> Report:
        """Return a report of the value that reveals at most the plan's ε about it.

        A value outside the domain is an error, never a silent clip. With a ledger, a person who
        already answered this survey under this plan gets the same report again, whatever the value is now;
        ``person`` tells apart those for whom one program speaks.
        """
        index = self.plan.domain.index_one(value)
        if self.ledger is not None and self.survey is not None:
            return self.ledger.once(
                self.survey, self.plan, person, lambda: encode_with(self, index, SystemCoins())
            )
        check_no_person(person)
        return encode_with(self, index, SystemCoins())


def checked_survey(ledger: Ledger | None, survey: str | None) -> str | None:
    """Return the address ``survey`` as a ledger keeps it; there must be a ``ledger`` too, or neither."""
    if ledger is not None:
        check_type(ledger, Ledger, "a client's ledger")
    if (ledger is None) != (survey is None):
        raise ArgumentError(
            "a client must have a ledger and the address of the survey that it answers, or neither, "
            f"got ledger={shown(ledger)} and survey={shown(survey)}; "
            'use Client(plan, ledger=ledger, survey="https://example.org/s/commute")'
        )
    return None if survey is None else str(SurveyAddress.read(survey))


def check_no_person(person: str) -> None:
    """Raise ArgumentError if a client without a ledger is told a ``person``."""
    if person != "":
        raise ArgumentError(
            f"a person can only be told apart by a client with a ledger, got {shown(person)} without; "
            "use Client(plan, ledger=Ledger(path), survey=address), or leave the person out"
        )


def encode_with(client: Client, index: Any, coins: Coins) -> Report:
    """Encode a bin with given coins: what the published test vectors replay."""
    plan = client.plan
    level = bisect_right(client._thresholds, coins.word()) if client._thresholds else 0
    payload = plan.mechanisms[level].encode(client._levels[level].cell(index), coins)
    return Report(plan.fingerprint, level, payload)
