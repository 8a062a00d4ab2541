"""All that a dashboard draws, in one reply."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ldprange.estimation import Estimate
from ldprange.service.access import ROLES
from ldprange.service.collector import Collector
from ldprange.service.questions import CONFIDENCE, Estimates, columns
from ldprange.service.replies import KEPT_BY_NOBODY, Parameters, Reply, check_role, collector_of, survey_in
from ldprange.service.store import CLOSED, Survey
from ldprange.units import plain

_MOST_POINTS = 1024
_MOST_BARS = 64
_MOST_MINUTES = 512
_QUARTILES = [0.25, 0.5, 0.75]


async def overview(request: Request) -> Response:
    """Return what there is to draw, or nothing if it is as before."""
    collector = collector_of(request)
    survey = survey_in(collector, request.path_params["name"])
    if not survey.public:
        check_role(request, collector, ROLES)
    parameters = Parameters(request, "since", "confidence", "denoise")
    since = parameters.number("since", -1)
    version = 2 * collector.writer.live(survey).reports + (survey.state == CLOSED)
    if since == version:
        return Response(status_code=204, headers=KEPT_BY_NOBODY)
    estimates: Estimates = request.app.state.estimates
    return Reply(await run_in_threadpool(_overview, collector, survey, parameters, estimates))


def _overview(
    collector: Collector, survey: Survey, parameters: Parameters, estimates: Estimates
) -> dict[str, Any]:
    confidence, denoised = parameters.number("confidence", CONFIDENCE), parameters.flag("denoise")
    reports = collector.writer.live(survey).reports
    answers: dict[str, Any] = {"cdf": None, "histogram": None, "quartiles": None, "error": None}
    if reports:
        found = estimates.of(collector, survey, denoised)
        reports = found.users
        answers = {
            "cdf": _cdf(found, confidence),
            "histogram": _histogram(found, confidence),
            "quartiles": {"q": _QUARTILES, **columns(found.quantiles(_QUARTILES, confidence=confidence))},
            "error": _error(collector, survey, reports, confidence),
        }
    return {
        "version": 2 * reports + (survey.state == CLOSED),
        "reports": reports,
        "state": survey.state,
        "confidence": confidence,
        "denoised": denoised,
        **answers,
        "arrivals": _arrivals(collector, survey),
    }


def _edges(bins: int, most: int) -> list[int]:
    """Cut bins into at most so many runs, all of the same length but perhaps the last."""
    return [*range(0, bins, -(-bins // most)), bins]


def _cdf(found: Estimate, confidence: float) -> dict[str, Any]:
    """Return the cdf with a band that holds everywhere at once (by Bonferroni's inequality)."""
    domain = found.plan.domain
    upper = [domain.upper(edge - 1) for edge in _edges(domain.bins, _MOST_POINTS)[1:]]
    each = 1 - (1 - confidence) / max(1, len(upper) - 1)
    return {"to": [plain(bound) for bound in upper], **columns(found.prefixes(upper, confidence=each))}


def _histogram(found: Estimate, confidence: float) -> dict[str, Any]:
    domain = found.plan.domain
    edges = _edges(domain.bins, _MOST_BARS)
    lows = [domain.lower(edge) for edge in edges[:-1]]
    highs = [domain.upper(edge - 1) for edge in edges[1:]]
    ends = {"from": [plain(low) for low in lows], "to": [plain(high) for high in highs]}
    return {**ends, **columns(found.ranges(lows, highs, confidence=confidence))}


def _error(collector: Collector, survey: Survey, reports: int, confidence: float) -> dict[str, Any]:
    """Return the typical half-width of an interval; it falls with the root of the number of answers."""
    half = NormalDist().inv_cdf((1 + confidence) / 2)
    return {"typical": half * collector.unit_error(survey) / reports**0.5, "more": 3 * reports}


def _arrivals(collector: Collector, survey: Survey) -> dict[str, list[int]]:
    minutes, reports = collector.store.arrivals(survey.id)
    if not minutes:
        return {"start": [], "reports": []}
    step = 60 * (1 + (minutes[-1] - minutes[0]) // (60 * _MOST_MINUTES))
    place = (np.array(minutes) - minutes[0]) // step
    sums = np.bincount(place, reports).astype(np.int64).tolist()
    return {"start": [minutes[0] + step * index for index in range(len(sums))], "reports": sums}
