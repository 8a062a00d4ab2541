"""Questions about a survey's people, answered with intervals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ldprange.domain import Domain
from ldprange.estimation import estimate
from ldprange.sampling import Population, read_population
from ldprange.service.attributes import (
    GIVEN,
    asked_about,
    asked_edges,
    bound_of,
    given_in,
    may_be_unanswered,
    names_of,
    one_attribute,
    table_of,
    two_of,
)
from ldprange.service.collector import Collector
from ldprange.service.held import Held
from ldprange.service.refusal import Refusal
from ldprange.service.replies import (
    Parameters,
    Reply,
    asked_by,
    columns,
    rendered,
    share,
)
from ldprange.service.store import Survey

if TYPE_CHECKING:
    from ldprange.estimation import EitherEstimate

CONFIDENCE = 0.95
POPULATION = "endless"
"""Whom intervals speak of by default: those of whom the people who answered are a random sample."""
_MAX_BINS = 1 << 16  # of which all are told


class Estimates(Held[tuple[int, bool, bool], tuple[int, Population, "EitherEstimate"]]):
    """The estimates last asked for; each is made once for the reports that there are.

    Of a survey they are at most four: whoever asks of one population after another fills no memory.
    """

    most = 16

    def of(
        self, collector: Collector, survey: Survey, denoised: bool, population: Population = None
    ) -> EitherEstimate:
        """Return the estimate of a ``population`` from all reports of a survey."""
        live, key = collector.writer.live(survey), (survey.id, denoised, population is None)
        with self._locks[key]:  # one at a time: whoever waits will mostly find it made
            reports, of_whom, found = self._held.get(key, (-1, None, None))
            aggregate = live.aggregate()
            if found is None or (reports, of_whom) != (aggregate.reports, population):
                if not aggregate.reports:
                    raise Refusal(
                        409, "nobody has answered yet, so there is nothing to tell; ask again later"
                    )
                found = estimate(aggregate, denoise=denoised, population=population)
                reports = aggregate.reports
        self.hold(key, (reports, population, found))
        return found


Asked = Callable[[Parameters, "EitherEstimate", float], dict[str, Any]]


def answering(asked: Asked, *known: str, many: tuple[str, ...] = ()) -> Callable[[Request], Any]:
    """Return the handler of a question that takes these parameters."""

    async def answer(request: Request) -> Response:
        collector, survey, asker = asked_by(request)
        parameters = Parameters(
            request, *known, "confidence", "denoise", "everyone", "population", many=(*many, *GIVEN)
        )
        state = request.app.state
        work = partial(_answer, collector, survey, parameters, asked, state.estimates)
        return Reply(await state.turns.answer(*asker, work))

    return answer


def _answer(
    collector: Collector, survey: Survey, parameters: Parameters, asked: Asked, estimates: Estimates
) -> bytes:
    confidence, denoised = parameters.number("confidence", CONFIDENCE), parameters.flag("denoise")
    asked_of = parameters.text("population", POPULATION)
    population = None if asked_of == POPULATION else read_population(asked_of)
    everyone, answered = parameters.flag("everyone"), estimates.of(collector, survey, denoised, population)
    found = answered.everyone if everyone else answered
    answer = asked(parameters, found, confidence)
    of_whom = POPULATION if population is None else population
    how = {
        "reports": found.users,
        "confidence": confidence,
        "denoised": denoised,
        "everyone": everyone,
        "population": of_whom,
    }
    about = {**asked_about(parameters, found), **_unanswered(parameters, found, confidence)}
    return rendered({**how, **about, **answer})


def _unanswered(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the share of all people who gave no answer, where they may: all else is of those who gave one."""
    names, given = parameters.texts("attribute"), given_in(parameters, found)
    if not may_be_unanswered(found, names):
        return {}
    if given:
        among = found.marginal(*names, given=given)
        return {"no_answer": columns(among.no_answer(confidence=confidence))}
    return {"no_answer": columns(found.no_answer(*names, confidence=confidence))}


def share_of_prefix(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the share up to a value."""
    alone = one_attribute(parameters, found)
    bound = bound_of(parameters.text("value"), alone)
    return {"to": bound, **share(alone.prefix(bound, confidence=confidence))}


def quantiles(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the values up to which shares of the people lie."""
    qs = parameters.numbers("q")
    return {"q": qs, **columns(one_attribute(parameters, found).quantiles(qs, confidence=confidence))}


def mean(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the mean of people's numbers."""
    return columns(one_attribute(parameters, found).mean(confidence=confidence))


def cdf(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the share up to every bin."""
    alone = one_attribute(parameters, found)
    band = parameters.text("band", "pointwise")
    _, upper = _every_bin(alone.domain)
    return {"band": band, "to": upper, **columns(alone.cdf(confidence=confidence, band=band))}


def histogram(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the share of every bin; of two attributes, of 32 × 32 cells at most and those beyond open ends."""
    if names_of(found.domain) and len(parameters.texts("attribute")) != 1:
        if any(map(parameters.texts, GIVEN)):
            raise Refusal(400, "the histogram of two attributes is of all people; leave out given")
        names = two_of(parameters, found.plan)
        cells = table_of(found, names, asked_edges(found, names), confidence)
        return {"attributes": list(names), **cells}
    alone = one_attribute(parameters, found)
    lower, upper = _every_bin(alone.domain)
    return {"from": lower, "to": upper, **columns(alone.histogram(confidence=confidence))}


def _every_bin(domain: Domain) -> tuple[list[Any], list[Any]]:
    """Return the least and the greatest value of every bin."""
    bins = domain.bins
    if bins > _MAX_BINS:
        raise Refusal(
            400, f"at most {_MAX_BINS} bins are told one by one, and there are {bins}; ask for ranges"
        )
    return domain.run_ends(range(bins + 1))
