"""How much one address may bring to a survey: so that nobody fills a survey, or the disk, alone."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import dataclass

from ldprange import wire
from ldprange.errors import LdprangeError
from ldprange.service.access import MAX_ADDRESSES, sender_of
from ldprange.service.refusal import Refusal
from ldprange.service.schema import HOUR
from ldprange.service.store import Survey

_REPORTS, _BYTES = "reports", "bytes"


@dataclass(slots=True)
class Allowance:
    """What an address may still bring to a survey, as of a moment."""

    reports: float
    size: float
    since: float


class Quota:
    """The reports and bytes that each address may bring to each survey in an hour; 0 for no limit.

    That much at once, and as much again in the course of every hour. It looks at one entry for a submission,
    and remembers a bounded number of them.
    """

    def __init__(self, reports_per_hour: int, bytes_per_hour: int) -> None:
        self._none = not (reports_per_hour or bytes_per_hour)
        self._reports, self._bytes = reports_per_hour or math.inf, bytes_per_hour or math.inf
        self._left: OrderedDict[tuple[str, int], Allowance] = OrderedDict()  # the latest last
        self.refused = {_REPORTS: 0, _BYTES: 0}

    def spend(self, address: str, survey: Survey, body: bytes) -> tuple[Allowance, int, int] | None:
        """Take the reports and bytes of a body from what an address is allowed, or refuse the body."""
        if self._none:
            return None
        left, reports, size = self._allowance(address, survey), _reports_in(survey, body), len(body)
        self._check(_REPORTS, reports, left.reports, self._reports)
        self._check(_BYTES, size, left.size, self._bytes)
        left.reports -= reports
        left.size -= size
        return left, reports, size

    def settle(self, spent: tuple[Allowance, int, int] | None, kept: int) -> None:
        """Give back what a submission took, but for the reports that were kept, and its bytes if any were."""
        if spent is not None:
            left, reports, size = spent
            left.reports += reports - kept
            left.size += 0 if kept else size

    def _allowance(self, address: str, survey: Survey) -> Allowance:
        now, key = time.monotonic(), (sender_of(address), survey.id)
        left = self._left.get(key)
        if left is None:
            left = self._left[key] = Allowance(self._reports, self._bytes, now)
            if len(self._left) > MAX_ADDRESSES:
                self._left.popitem(last=False)  # who was silent longest, and has most of it back
            return left
        self._left.move_to_end(key)
        hours, left.since = (now - left.since) / HOUR, now
        left.reports = min(self._reports, left.reports + hours * self._reports)
        left.size = min(self._bytes, left.size + hours * self._bytes)
        return left

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
