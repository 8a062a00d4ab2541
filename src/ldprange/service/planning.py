"""What a survey would be able to tell, before it is made."""

from __future__ import annotations

import math
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ldprange.domain import Domain
from ldprange.errors import ArgumentError
from ldprange.planner import compare_plans
from ldprange.prediction import WANTED_MARGIN
from ldprange.service.access import ADMINISTRATOR
from ldprange.service.replies import Parameters, Reply, check_role, collector_of, json_of, rendered
from ldprange.support.checking import shown

_MAX_BINS = 1 << 16
_WANTED = {"domain", "epsilon", "users"}
_MUST_BE = "what is planned must be an object with domain, epsilon and users"


async def choose(request: Request) -> Response:
    """Return the best plan for a domain, an ε and a number of people, and how accurate it will be."""
    collector = collector_of(request)
    check_role(request, collector, (ADMINISTRATOR,))
    Parameters(request)
    return Reply(await run_in_threadpool(_chosen, await json_of(request, collector)))


def _chosen(description: object) -> bytes:
    if not isinstance(description, Mapping):
        raise ArgumentError(f"{_MUST_BE}, got {shown(description)}")
    for key in sorted(_WANTED ^ set(description)):
        wrong = "lacks" if key in _WANTED else "also has"
        raise ArgumentError(f"{_MUST_BE}, and this one {wrong} {shown(key)}")
    domain, epsilon, users = (description[key] for key in ("domain", "epsilon", "users"))
    if not isinstance(domain, Mapping):
        raise ArgumentError(f"a domain must be an object, as in a plan, got {shown(domain)}")
    values = Domain.from_dict(domain)
    bins = math.prod(sorted(values.shape)[-2:])  # many attributes are asked about two at a time
    if bins > _MAX_BINS:
        together = "a domain" if len(values.shape) == 1 else "two attributes together"
        raise ArgumentError(
            f"{together} must have at most {_MAX_BINS} bins to be planned here, got {bins}; "
            "use ldprange plan, and ldprange survey create --plan"
        )
    best = compare_plans(values, epsilon=epsilon, expected_users=users).best
    return rendered({"plan": best.plan.to_dict(), "typical": best.margin, "wanted": WANTED_MARGIN})
