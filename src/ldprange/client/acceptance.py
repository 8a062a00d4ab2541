"""What a client accepts of a plan, which may come from a stranger."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from ldprange.agreement import FINGERPRINT_BYTES
from ldprange.errors import ArgumentError, PlanError
from ldprange.plan import Plan
from ldprange.support.checking import is_number, shown

MAX_REPORT_BYTES = 1_000_000
"""The most that one person sends at once: more fits into no request to a collector."""

_FINGERPRINT = re.compile(f"[0-9a-f]{{{2 * FINGERPRINT_BYTES}}}")


class Asking(Protocol):
    """A plan, of one value or of several numbers with a label."""

    @property
    def epsilon(self) -> float:
        """The total privacy loss of a person."""
        ...

    @property
    def fingerprint(self) -> str:
        """A short digest of everything in the plan."""
        ...


def check_accepted(plan: Asking, max_epsilon: float | None, fingerprint: str | None) -> None:
    """Raise PlanError unless the ε of ``plan`` is at most ``max_epsilon``, and ``fingerprint`` is its own.

    Either may be None: then anything is accepted.
    """
    if found := refusals(plan, max_epsilon, fingerprint):
        raise PlanError("; also, ".join(found))


def refusals(plan: Asking, max_epsilon: float | None, fingerprint: str | None) -> list[str]:
    """Return all reasons why ``plan`` is not accepted, a sentence each."""
    if max_epsilon is not None and (not is_number(max_epsilon) or max_epsilon <= 0):
        raise ArgumentError(f"max_epsilon must be a finite number above 0, or None, got {shown(max_epsilon)}")
    if fingerprint is not None and (
        not isinstance(fingerprint, str) or not _FINGERPRINT.fullmatch(fingerprint)
    ):
        raise ArgumentError(
            f"a fingerprint must be {2 * FINGERPRINT_BYTES} lower-case hexadecimal digits, or None, "
            f"got {shown(fingerprint)}"
        )
    found = []
    if max_epsilon is not None and plan.epsilon > max_epsilon:
        found.append(
            f"the plan's ε must be at most {max_epsilon!r}, the most that is accepted here, "
            f"got {plan.epsilon!r}; do not answer it"
        )
    if fingerprint is not None and plan.fingerprint != fingerprint:
        found.append(
            f"the plan's fingerprint must be {fingerprint}, the one that is accepted here, "
            f"got {plan.fingerprint}; it is another plan: do not answer it"
        )
    return found


def check_report_bytes(plans: Sequence[Plan]) -> None:
    """Raise PlanError if a report under each of ``plans`` can have more than ``MAX_REPORT_BYTES`` in all."""
    most = sum(max(mechanism.width for mechanism in plan.mechanisms) for plan in plans)
    if most > MAX_REPORT_BYTES:
        raise PlanError(
            f"what a person sends must have at most {MAX_REPORT_BYTES} bytes, and under this plan it can "
            f"have {most}; ask about fewer bins, or by HadamardHashing(), which has short reports"
        )
