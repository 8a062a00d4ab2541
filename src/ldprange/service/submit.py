"""Submitting a batch: the one path on which very many requests come.

It speaks ASGI itself, before anything else looks at a request, and makes no object for a report: a body goes
to the writer as it came.
"""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from ldprange.service.collector import Collector
from ldprange.service.refusal import Refusal
from ldprange.service.replies import ANYWHERE, KEPT_BY_NOBODY, check_rate, refused
from ldprange.service.writer import Outcome

BATCH = "[0-9a-f]{32}"
BYTES = "application/octet-stream"
_PATH = re.compile("/api/surveys/([^/]+)/batches/([^/]+)")
_ID = re.compile(BATCH)
_HEAD = [
    (b"content-type", b"application/json"),
    *((name.encode(), value.encode()) for name, value in {**KEPT_BY_NOBODY, **ANYWHERE}.items()),
]
_RETRY = {"retry-after": "1"}


class Submitting:
    """An ASGI application that takes batches, and leaves all other requests to another."""

    def __init__(self, collector: Collector, others: ASGIApp) -> None:
        self._collector = collector
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_put = scope["type"] == "http" and scope["method"] == "PUT"
        path = _PATH.fullmatch(scope["path"]) if is_put else None
        if path is None:
            await self._others(scope, receive, send)
            return
        try:
            outcome = await self._take(path[1], path[2], scope, receive)
        except Refusal as refusal:
            refusal.headers |= ANYWHERE
            await refused(refusal)(scope, receive, send)
            return
        body = b'{"reports":%d}' % outcome.reports
        headers = [*_HEAD, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": outcome.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _take(self, name: str, batch: str, scope: Scope, receive: Receive) -> Outcome:
        collector, client = self._collector, scope.get("client")
        address = client[0] if client else ""
        check_rate(collector, address)
        survey = collector.survey(name)
        if not _ID.fullmatch(batch):
            raise Refusal(400, "a batch's id must be 32 lower-case hexadecimal digits, chosen at random")
        kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
        if kind.split(b";")[0].strip().lower() != BYTES.encode():
            raise Refusal(415, f"a batch must be sent as {BYTES}")
        body = await collector.bodies.read(receive)
        spent = collector.quota.spend(address, survey, body)
        outcome = await collector.writer.submit(survey, bytes.fromhex(batch), body)
        collector.quota.settle(spent, outcome.reports if outcome.status == 201 else 0)
        if outcome.reason:
            raise Refusal(outcome.status, outcome.reason, dict(_RETRY) if outcome.status >= 500 else {})
        return outcome
