"""How much one address may bring to a survey: so that nobody fills a survey, or the disk, alone."""

from __future__ import annotations

from dataclasses import dataclass

from ldprange import wire
from ldprange.errors import LdprangeError
from ldprange.service.access import RateLimit
from ldprange.service.refusal import Refusal
from ldprange.service.store import Survey
from ldprange.service.tables import HOUR


@dataclass(frozen=True, slots=True)
class Spent:
    """What a submission took of its address's allowance."""

    address: str
    survey: int
    reports: int
    size: int


class Quota:
    """The reports and bytes that each address may bring to each survey in an hour; 0 for no limit."""

    def __init__(self, reports_per_hour: int, bytes_per_hour: int) -> None:
        self._reports_per_hour, self._bytes_per_hour = reports_per_hour, bytes_per_hour
        self._reports = RateLimit(reports_per_hour / HOUR, reports_per_hour)
        self._bytes = RateLimit(bytes_per_hour / HOUR, bytes_per_hour)
        self.refused = {"reports": 0, "bytes": 0}

    def spend(self, address: str, survey: Survey, body: bytes) -> Spent:
        """Take the reports and bytes of a body from an address's allowance, or refuse the body."""
        reports = _reports_in(survey, body) if self._reports_per_hour else 0
        spent = Spent(address, survey.id, reports, len(body))
        self._take(self._reports, spent, reports, "reports", self._reports_per_hour)
        try:
            self._take(self._bytes, spent, spent.size, "bytes", self._bytes_per_hour)
        except Refusal:
            self._reports.give_back(address, survey.id, reports)
            raise
        return spent

    def give_back(self, spent: Spent) -> None:
        """Return what a submission took that did not become part of the survey."""
        self._reports.give_back(spent.address, spent.survey, spent.reports)
        self._bytes.give_back(spent.address, spent.survey, spent.size)

    def _take(self, limit: RateLimit, spent: Spent, amount: int, what: str, most: int) -> None:
        if most and amount > most:
            self.refused[what] += 1
            raise Refusal(
                413,
                f"an address may bring {most} {what} an hour to a survey, got {amount} at once; send less",
            )
        if seconds := limit.wait(spent.address, spent.survey, amount):
            self.refused[what] += 1
            raise Refusal(
                429,
                f"an address may bring {most} {what} an hour to a survey, no more; try again in {seconds} s",
                {"retry-after": str(seconds)},
            )


def _reports_in(survey: Survey, body: bytes) -> int:
    """Return how many reports a body says that it has; a survey that takes one at a time refuses others."""
    if not survey.batches:
        return 1
    try:
        return wire.count(survey.plan, body)
    except LdprangeError as error:
        raise Refusal(400, str(error)) from None
