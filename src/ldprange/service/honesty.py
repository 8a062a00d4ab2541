"""Whether a survey's reports are what honest clients send."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from ldprange.service.collector import Collector
from ldprange.service.overview import Drawn
from ldprange.service.replies import Parameters, Reply, asked_by
from ldprange.service.store import Survey
from ldprange.tampering import check


async def check_reports(request: Request) -> Response:
    """Tell what the check of all reports found; it is made once for the reports that there are."""
    collector, survey, asker = asked_by(request)
    Parameters(request)
    state, reports = request.app.state, collector.writer.live(survey).reports
    work = partial(state.overviews.of, survey, reports, "check", partial(_checked, collector, survey))
    return Reply(await state.turns.answer(*asker, work))


def _checked(collector: Collector, survey: Survey) -> Drawn:
    aggregate = collector.writer.live(survey).aggregate()
    return aggregate.reports, {"reports": aggregate.reports, **check(aggregate).to_dict()}
