"""What has no place on an axis: what lies beyond open ends, and no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldprange.answer import Answer
from ldprange.domain.extended import Extended
from ldprange.domain.no_answer import NO_ANSWER

if TYPE_CHECKING:
    from ldprange.estimation.attribute_estimate import Estimate


def beside_the_axis(found: Estimate, confidence: float) -> dict[str, Answer[float]]:
    """Return the shares, by name, of what has no place on an axis, each with its interval at ``confidence``.

    What is beyond open ends is a share of those who answered, as all else is; no answer is one of all people.
    """
    domain, everyone = found.domain, found.everyone
    names = [name for name in (domain.before, domain.after) if name] if isinstance(domain, Extended) else []
    shares = {name: found.range(name, name, confidence=confidence) for name in names}
    if everyone.domain.optional:
        shares[NO_ANSWER] = found.no_answer(confidence=confidence)
    return shares
