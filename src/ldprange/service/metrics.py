"""Figures for Prometheus, in its text format."""

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ldprange.service.access import ROLES
from ldprange.service.replies import KEPT_BY_NOBODY, Parameters, check_role, collector_of

TYPE = "text/plain; version=0.0.4"


async def metrics(request: Request) -> Response:
    """Return what the collector did since it started."""
    collector = collector_of(request)
    check_role(request, collector, ROLES)
    Parameters(request)
    writer, lanes = collector.writer, request.app.state.turns.lanes
    reports = [
        (f'{{survey="{survey.name}"}}', writer.reports(survey)) for survey in collector.surveys.values()
    ]
    lines = [
        *_metric("ldprange_reports", "gauge", "Reports in the store.", reports),
        *_metric(
            "ldprange_submissions_total",
            "counter",
            "Batches submitted, by the status of the reply.",
            [(f'{{status="{status}"}}', number) for status, number in sorted(writer.outcomes.items())],
        ),
        *_metric(
            "ldprange_over_quota_total",
            "counter",
            "Batches refused because their address brought too much in an hour, by what of.",
            [(f'{{of="{what}"}}', number) for what, number in collector.quota.refused.items()],
        ),
        *_metric("ldprange_commits_total", "counter", "Transactions.", [("", writer.commits)]),
        *_metric("ldprange_commit_seconds_total", "counter", "Time in them.", [("", writer.commit_seconds)]),
        *_metric("ldprange_waiting", "gauge", "Submissions that wait.", [("", writer.waiting)]),
        *_metric(
            "ldprange_questions_waiting",
            "gauge",
            "Questions that wait for their turn.",
            [(f'{{asker="{asker}"}}', lane.waiting) for asker, lane in lanes.items()],
        ),
        *_metric(
            "ldprange_questions_refused_total",
            "counter",
            "Questions refused because too many waited.",
            [(f'{{asker="{asker}"}}', lane.refused) for asker, lane in lanes.items()],
        ),
        *_metric("ldprange_healthy", "gauge", "1 if the store can be written.", [("", int(writer.healthy))]),
        *_metric("ldprange_has_room", "gauge", "1 if the disk has room.", [("", int(writer.has_room))]),
    ]
    return PlainTextResponse("\n".join(lines) + "\n", media_type=TYPE, headers=KEPT_BY_NOBODY)


def _metric(name: str, kind: str, what: str, values: Iterable[tuple[str, float]]) -> list[str]:
    return [
        f"# HELP {name} {what}",
        f"# TYPE {name} {kind}",
        *(f"{name}{of} {value:.17g}" for of, value in values),
    ]
