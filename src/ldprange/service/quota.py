"""How much one address may bring to a survey: so that nobody fills a survey, or the disk, alone."""

import math

from ldprange import wire
from ldprange.errors import LdprangeError
from ldprange.service.access import sender_of
from ldprange.service.allowances import Allowances
from ldprange.service.refusal import Refusal
from ldprange.service.schema import HOUR
from ldprange.service.store import Survey

_REPORTS, _BYTES = "reports", "bytes"


Spent = tuple[list[float], int, int]
"""What was left to an address, and the reports and bytes that a submission took of it."""


class Quota:
    """The reports and bytes that each address may bring to each survey in an hour; 0 for no limit.

    That much at once, and as much again in the course of every hour.
    """

    def __init__(self, reports_per_hour: int, bytes_per_hour: int) -> None:
        self._none = not (reports_per_hour or bytes_per_hour)
        self._most = reports_per_hour or math.inf, bytes_per_hour or math.inf
        self._allowances = Allowances(HOUR, *self._most)
        self.refused = {_REPORTS: 0, _BYTES: 0}

    def spend(self, address: str, survey: Survey, body: bytes) -> Spent | None:
        """Take the reports and bytes of a body from what an address is allowed, or refuse the body."""
        if self._none:
            return None
        left = self._allowances.of((sender_of(address), survey.id))
        amounts = _reports_in(survey, body), len(body)
        for what, amount, there, most in zip(self.refused, amounts, left, self._most, strict=True):
            self._check(what, amount, there, most)
        left[:] = [there - amount for there, amount in zip(left, amounts, strict=True)]
        return left, *amounts

    def settle(self, spent: Spent | None, kept: int) -> None:
        """Give back what a submission took, but for the reports that were kept, and its bytes if any were."""
        if spent is not None:
            left, reports, size = spent
            left[0] += reports - kept
            left[1] += 0 if kept else size

    def _check(self, what: str, amount: int, left: float, most: float) -> None:
        if amount <= left:
            return
        self.refused[what] += 1
        rule = f"an address may bring {most:.0f} {what} an hour to a survey"
        if amount > most:
            raise Refusal(413, f"{rule}, got {amount} at once; send less")
        seconds = max(1, math.ceil((amount - left) / most * HOUR))
        raise Refusal(429, f"{rule}, no more; try again in {seconds} s", {"retry-after": str(seconds)})


def _reports_in(survey: Survey, body: bytes) -> int:
    """Return how many reports a body says that it has; of a survey that takes one, no other will be kept."""
    if not survey.batches:
        return 1
    try:
        return wire.count(survey.plan, body)
    except LdprangeError as error:
        raise Refusal(400, str(error)) from None
