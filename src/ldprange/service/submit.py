"""Submitting a batch: the one path on which very many requests come.

It speaks ASGI itself, and makes no object for a report: a body goes to the writer as it came.
"""

from __future__ import annotations

import re

from starlette.types import Receive, Scope, Send

from ldprange.service.collector import Collector
from ldprange.service.replies import ANYWHERE, Refusal, check_rate, refused, survey_in
from ldprange.service.store import OPEN
from ldprange.service.writer import Outcome

BATCH = "[0-9a-f]{32}"
BYTES = "application/octet-stream"
_ID = re.compile(BATCH)
_HEAD = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    *((name.encode(), value.encode()) for name, value in ANYWHERE.items()),
]
_RETRY = {"retry-after": "1"}


class Submit:
    """An ASGI application that takes one batch."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            outcome = await self._take(scope, receive)
        except Refusal as refusal:
            refusal.headers |= ANYWHERE
            await refused(refusal)(scope, receive, send)
            return
        body = b'{"reports":%d}' % outcome.reports
        headers = [*_HEAD, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": outcome.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _take(self, scope: Scope, receive: Receive) -> Outcome:
        collector, asked = self._collector, scope["path_params"]
        client = scope.get("client")
        check_rate(collector, client[0] if client else "")
        survey = survey_in(collector, asked["name"])
        if not _ID.fullmatch(asked["batch"]):
            raise Refusal(400, "a batch's id must be 32 lower-case hexadecimal digits, chosen at random")
        kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
        if kind.split(b";")[0].strip().lower() != BYTES.encode():
            raise Refusal(415, f"a batch must be sent as {BYTES}")
        body = await self._body(receive)
        if survey.state != OPEN:
            raise Refusal(410, "the survey is closed; no more reports are taken")
        outcome = await collector.writer.submit(survey, bytes.fromhex(asked["batch"]), body)
        if outcome.reason:
            raise Refusal(outcome.status, outcome.reason, dict(_RETRY) if outcome.status == 503 else {})
        return outcome

    async def _body(self, receive: Receive) -> bytes:
        body, more, largest = b"", True, self._collector.settings.largest_body
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise Refusal(400, "the body must come whole, and the connection ended")
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > largest:
                raise Refusal(413, f"a batch may have at most {largest} bytes; send less at a time")
        return body
