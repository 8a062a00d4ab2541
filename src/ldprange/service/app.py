"""The collector's network side: which request goes where."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ldprange.errors import LdprangeError
from ldprange.service import attributes, honesty, metrics, overview, pages, planning, questions, surveys
from ldprange.service.collector import Collector
from ldprange.service.openapi import DESCRIPTION
from ldprange.service.refusal import Refusal
from ldprange.service.replies import ANYWHERE, Reply, collector_of, refused
from ldprange.service.submit import Submitting
from ldprange.service.turns import Turns

_SURVEY = "/api/surveys/{name}"


def make_app(collector: Collector) -> ASGIApp:
    """Return the application of a collector, which it starts and stops."""

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        collector.start(asyncio.get_running_loop())
        yield
        await asyncio.to_thread(collector.stop)

    app = Starlette(
        routes=[
            Route(f"{_SURVEY}/batches/{{batch}}", _preflight, methods=["OPTIONS"]),
            Route("/api/surveys", surveys.create, methods=["POST"]),
            Route("/api/surveys", surveys.listing, methods=["GET"]),
            Route(_SURVEY, surveys.show, methods=["GET"]),
            Route(_SURVEY, surveys.change, methods=["PATCH"]),
            Route(_SURVEY, surveys.remove, methods=["DELETE"]),
            Route("/api/plans", planning.choose, methods=["POST"]),
            _question("range", attributes.share_of_range, many=("attribute", "low", "high")),
            _question("prefix", questions.share_of_prefix, "value", "attribute"),
            _question("quantiles", questions.quantiles, "attribute", many=("q",)),
            _question("mean", questions.mean, "attribute"),
            _question("cdf", questions.cdf, "band", "attribute"),
            _question("histogram", questions.histogram, many=("attribute",)),
            Route(f"{_SURVEY}/overview", overview.overview, methods=["GET"]),
            Route(f"{_SURVEY}/check", honesty.check_reports, methods=["GET"]),
            Route("/health", _health, methods=["GET"]),
            Route("/metrics", metrics.metrics, methods=["GET"]),
            Route("/openapi.json", _openapi, methods=["GET"]),
            Route("/", pages.home_page, methods=["GET"]),
            Route("/surveys", pages.surveys_page, methods=["GET"]),
            Route("/s/{name}", pages.survey_page, methods=["GET"]),
            Route("/d/{name}", pages.dashboard_page, methods=["GET"]),
            Route("/static/{file}", pages.static_file, methods=["GET"]),
        ],
        exception_handlers=_HANDLERS,
        lifespan=running,
    )
    app.router.redirect_slashes = False  # it would send people to whatever host they named
    app.state.collector = collector
    app.state.turns = Turns()
    app.state.estimates = questions.Estimates()
    app.state.overviews = overview.Overviews()
    return Submitting(collector, app)


def _question(name: str, asked: questions.Asked, *known: str, many: tuple[str, ...] = ()) -> Route:
    return Route(f"{_SURVEY}/{name}", questions.answering(asked, *known, many=many), methods=["GET"])


async def _health(request: Request) -> Response:
    """Tell whether reports can be taken."""
    writer = collector_of(request).writer
    if not writer.healthy:
        raise Refusal(503, "the store cannot be written; see the collector's log", {"retry-after": "1"})
    if not writer.has_room:
        raise Refusal(503, "the disk is nearly full; free some of it", {"retry-after": "1"})
    return Reply({"status": "ok"})


async def _openapi(request: Request) -> Response:
    return Reply(DESCRIPTION)


async def _preflight(request: Request) -> Response:
    """Let pages of other sites submit: nothing that a batch does depends on whose browser sends it."""
    allowed = {"access-control-allow-methods": "PUT", "access-control-allow-headers": "content-type"}
    return Response(status_code=204, headers={**ANYWHERE, **allowed, "access-control-max-age": "86400"})


async def _refused(request: Request, error: Refusal) -> Response:
    return refused(error)


async def _wrong(request: Request, error: LdprangeError) -> Response:
    return refused(Refusal(400, str(error)))  # what was asked or sent is wrong


async def _elsewhere(request: Request, error: HTTPException) -> Response:
    reason = {404: "there is nothing at this address", 405: "this address does not take this method"}
    headers = dict(error.headers or {})
    return Reply({"error": reason.get(error.status_code, error.detail)}, error.status_code, headers)


async def _unreachable(request: Request, error: Exception) -> Response:
    reason = "the store cannot be read or written now; try again, and see the collector's log"
    return refused(Refusal(503, reason, {"retry-after": "1"}))


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # nobody will read it


_HANDLERS: dict[Any, Callable[[Request, Any], Any]] = {
    Refusal: _refused,
    LdprangeError: _wrong,
    HTTPException: _elsewhere,
    ClientDisconnect: _gone,
    SQLAlchemyError: _unreachable,
}
