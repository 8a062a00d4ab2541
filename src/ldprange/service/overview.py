"""All that a dashboard draws, in one reply."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ldprange.estimation import Estimate
from ldprange.estimation.attribute_estimate import normal_quantile
from ldprange.estimation.beside import beside_the_axis
from ldprange.prediction import WANTED_MARGIN
from ldprange.service.attributes import check_attributes, may_be_unanswered, pair_pictures
from ldprange.service.collector import Collector
from ldprange.service.held import Held
from ldprange.service.questions import CONFIDENCE, POPULATION, Estimates
from ldprange.service.refusal import Refusal
from ldprange.service.replies import (
    KEPT_BY_NOBODY,
    Parameters,
    Reply,
    asked_by,
    columns,
    rendered,
)
from ldprange.service.store import CLOSED, Survey

if TYPE_CHECKING:
    from ldprange.estimation import EitherEstimate

_MAX_POINTS = 1024
_MIN_BARS, _MAX_BARS = 2, 64
_FEW_BINS = 12  # of so few each is a bar
_MAX_STEPS = 512  # of the time in which reports came
_MIN_ANSWERED = 0.01  # a share of people; where fewer seem to have answered, hardly anything is known
_LONG = 0.3  # seconds
_REST = 4  # times as long as it took, before it is drawn again
_QUARTILES = [0.25, 0.5, 0.75]
CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
_LISTED = ", ".join(map(str, CONFIDENCES))

Drawn = tuple[int, dict[str, Any]]
"""What was drawn, after the version of the survey that it shows."""


async def overview(request: Request) -> Response:
    """Return what there is to draw, or nothing if it is as before."""
    collector, survey, asker = asked_by(request)
    parameters = Parameters(request, "since", "confidence", "denoise", many=("attribute",))
    check_attributes(parameters, survey.plan)
    since = parameters.number("since", -1)
    version = _version(survey, collector.writer.live(survey).reports)
    if since == version:
        return Response(status_code=204, headers=KEPT_BY_NOBODY)
    confidence, denoised = parameters.number("confidence", CONFIDENCE), parameters.flag("denoise")
    if confidence not in CONFIDENCES:  # each costs a drawing; the questions themselves take any
        raise Refusal(400, f"an overview's confidence must be one of {_LISTED}, got {confidence}")
    state, attributes = request.app.state, tuple(parameters.texts("attribute"))
    drawn = partial(_overview, collector, survey, state.estimates, confidence, denoised, attributes)
    how = (confidence, denoised, attributes)
    work = partial(state.overviews.of, survey, version, how, drawn)
    return Reply(await state.turns.answer(*asker, work))


def _version(survey: Survey, reports: int) -> int:
    """Return a number that changes whenever there is something else to draw."""
    return 2 * reports + (survey.state == CLOSED)


class Overviews(Held[tuple[int, str, Hashable], tuple[int, float, bytes]]):
    """The overviews last drawn, by the survey's id, its state, and how it is drawn.

    Each is given again until there is something else to draw; if it took long, for a while longer: a large
    domain must not keep us busy.
    """

    most = 64

    def of(self, survey: Survey, version: int, how: Hashable, drawn: Callable[[], Drawn]) -> bytes:
        """Return an overview of a survey's ``version``, or of an earlier one that took long to draw."""
        key = (survey.id, survey.state, how)
        with self._locks[survey.id]:
            known, until, found = self._held.get(key, (-1, 0.0, b""))
            begin = time.monotonic()
            if known >= version or begin < until:
                return found
            known, new = drawn()
            found = rendered(new)
            took = time.monotonic() - begin
            self.hold(key, (known, begin + took * (1 + _REST) if took > _LONG else 0.0, found))
            return found


def _overview(
    collector: Collector,
    survey: Survey,
    estimates: Estimates,
    confidence: float,
    denoised: bool,
    attributes: tuple[str, ...],
) -> Drawn:
    normal_quantile(confidence, 1)  # refuses what is none, in the sender's own figures
    reports = collector.writer.live(survey).reports
    names = (
        ("attributes", "no_answer", "table", "marginals")
        if len(attributes) == 2
        else ("cdf", "histogram", "quartiles", "beside")
    )
    answers: dict[str, Any] = dict.fromkeys((*names, "error"))
    if reports:
        found = estimates.of(collector, survey, denoised)
        reports = found.users
        typical = partial(_typical, collector, survey, reports, attributes, _answered(found, attributes))
        answers = {
            **_pictures(found, attributes, confidence, typical(CONFIDENCE)),
            "error": {"typical": typical(confidence), "wanted": WANTED_MARGIN, "more": 3 * reports},
        }
    version = _version(survey, reports)
    starts, came = collector.store.arrivals(survey.id, _MAX_STEPS)
    return version, {
        "version": version,
        "reports": reports,
        "state": survey.state,
        "confidence": confidence,
        "denoised": denoised,
        "population": POPULATION,
        **answers,
        "arrivals": {"start": starts, "reports": came},
    }


def _pictures(
    found: EitherEstimate, attributes: tuple[str, ...], confidence: float, half: float
) -> dict[str, Any]:
    """Return what there is to draw of a survey's one attribute, of one of several, or of two."""
    if len(attributes) == 2:
        return pair_pictures(found, (attributes[0], attributes[1]), confidence, half)
    alone = found.marginal(*attributes)
    cdf = quartiles = None
    if not alone.domain.unordered:
        cdf = _cdf(alone, confidence)
        quartiles = {"q": _QUARTILES, **columns(alone.quantiles(_QUARTILES, confidence=confidence))}
    histogram, beside = _histogram(alone, confidence, half), _beside(alone, confidence)
    return {"cdf": cdf, "histogram": histogram, "quartiles": quartiles, "beside": beside}


def _beside(found: Estimate, confidence: float) -> dict[str, Any] | None:
    """Return the shares of what has no place on an axis in columns; None if everything has one."""
    shares = beside_the_axis(found, confidence)
    ends = {end: [getattr(share, end) for share in shares.values()] for end in ("value", "low", "high")}
    return {"name": list(shares), **ends} if shares else None


def _edges(bins: int, most: int) -> list[int]:
    """Cut bins into at most a number of runs, all of the same length but perhaps the last."""
    return [*range(0, bins, -(-bins // most)), bins]


def _cdf(found: Estimate, confidence: float) -> dict[str, Any]:
    """Return the cdf with a band that holds everywhere at once (by Bonferroni's inequality)."""
    plain = found.domain.plain  # what is beyond open ends has no place on an axis
    _, upper = plain.run_ends(_edges(plain.bins, _MAX_POINTS))
    each = 1 - (1 - confidence) / max(1, len(upper) - (plain is found.domain))
    return {"to": upper, **columns(found.prefixes(upper, confidence=each))}


def _bar_edges(bins: int, half: float) -> list[int]:
    """Cut bins into bars for a typical half-width of an interval.

    A bar says something if its interval is not longer than the bar is tall. So there are about 1/(2·half)
    bars, of which an even one's share is twice the half-width; but 2 to 64, or all bins if those are few.
    A bar has 1, 2, 3, 5, 10, 20, 30, 50, … bins, whichever comes nearest. What is left over is a bar if it
    is more than half of one, and else belongs to the last.
    """
    if bins <= _FEW_BINS:
        return list(range(bins + 1))
    share = max(2 * half, 1 / _MAX_BARS)
    widths = [factor * 10**power for power in range(len(str(bins))) for factor in (1, 2, 3, 5)]
    counts = {width: max(1, -((width - 2 * bins) // (2 * width))) for width in widths}
    fitting = [width for width in widths if _MIN_BARS <= counts[width] <= _MAX_BARS]
    width = min(fitting or [1], key=lambda width: abs(math.log(counts[width] * share)))
    return [*range(0, counts[width] * width, width), bins]


def _histogram(found: Estimate, confidence: float, half: float) -> dict[str, Any]:
    plain = found.domain.plain
    each = bool(plain.unordered) and plain.bins <= _MAX_BARS  # what has no order is not put together
    lows, highs = plain.run_ends(list(range(plain.bins + 1)) if each else _bar_edges(plain.bins, half))
    return {"from": lows, "to": highs, **columns(found.ranges(lows, highs, confidence=confidence))}


def _typical(
    collector: Collector,
    survey: Survey,
    reports: int,
    attributes: tuple[str, ...],
    answered: float,
    confidence: float,
) -> float:
    """Return the typical half-width of an interval; it falls with the root of the number of reports.

    Of the share ``answered`` of all people, who alone are asked about, it is as many times as long.
    """
    z = normal_quantile(confidence, 1) or 0.0
    return z * collector.unit_error(survey, attributes) / math.sqrt(reports) / answered


def _answered(found: EitherEstimate, attributes: tuple[str, ...]) -> float:
    """Return the share of all people who gave an answer on all ``attributes``: 1 where all have to."""
    if not may_be_unanswered(found, attributes):
        return 1.0
    return min(max(1 - found.no_answer(*attributes, confidence=None).value, _MIN_ANSWERED), 1.0)
