"""Requests about surveys: make one, change it, delete it, see what there is."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ldprange.service.access import ADMINISTRATOR, ROLES
from ldprange.service.refusal import Refusal
from ldprange.service.replies import (
    ANYWHERE,
    KEPT_BY_NOBODY,
    Parameters,
    Reply,
    check_role,
    collector_of,
    json_of,
)
from ldprange.service.store import Survey


def description(survey: Survey) -> dict[str, Any]:
    """Return a survey as anybody may see it."""
    return {
        "name": survey.name,
        "question": survey.question,
        "unit": survey.unit,
        "state": survey.state,
        "public": survey.public,
        "batches": survey.batches,
        "plan": survey.plan.to_dict(),
    }


async def create(request: Request) -> Response:
    """Add a survey."""
    collector = collector_of(request)
    check_role(request, collector, (ADMINISTRATOR,))
    said = await json_of(request, collector)
    survey = await run_in_threadpool(collector.create, said)
    if survey is None:
        raise Refusal(409, "a survey of this name exists already; choose another name")
    return Reply(description(survey), 201, {"location": f"/api/surveys/{survey.name}"})


async def change(request: Request) -> Response:
    """Close a survey, open it again, make it public, let it take batches, or correct its texts."""
    collector = collector_of(request)
    check_role(request, collector, (ADMINISTRATOR,))
    name = collector.survey(request.path_params["name"]).name
    said = await json_of(request, collector)
    return Reply(description(await run_in_threadpool(collector.change, name, said)))


async def remove(request: Request) -> Response:
    """Delete a survey and all that is kept of it."""
    collector = collector_of(request)
    check_role(request, collector, (ADMINISTRATOR,))
    Parameters(request)
    survey = await run_in_threadpool(collector.remove, request.path_params["name"])
    if survey is None:
        raise Refusal(503, "the store could not be written; try again", {"retry-after": "1"})
    request.app.state.estimates.forget(survey)
    request.app.state.overviews.forget(survey)
    return Response(status_code=204, headers=KEPT_BY_NOBODY)


async def show(request: Request) -> Response:
    """Return a survey and its plan, to anybody."""
    collector = collector_of(request)
    Parameters(request)
    return Reply(description(collector.survey(request.path_params["name"])), headers=ANYWHERE)


async def listing(request: Request) -> Response:
    """Return all surveys."""
    collector = collector_of(request)
    check_role(request, collector, ROLES)
    Parameters(request)
    surveys = [
        {
            "name": survey.name,
            "question": survey.question,
            "unit": survey.unit,
            "epsilon": survey.plan.epsilon,
            "state": survey.state,
            "public": survey.public,
            "reports": collector.writer.reports(survey),
        }
        for survey in collector.surveys.values()
    ]
    return Reply({"surveys": surveys})
