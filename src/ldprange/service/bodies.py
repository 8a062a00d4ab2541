"""Reading the bodies of requests: in time, and never more than fits."""

import asyncio
from typing import cast

from starlette.types import Receive

from ldprange.service.refusal import Refusal

MAX_SECONDS = 8.0
"""Seconds in which a body must come; less than a collector that ends waits for requests under way."""

_MAX_BYTES = 256 << 20  # of bodies that are not whole yet
_LOOKS = 8  # at the time, while a body may take


class Bodies:
    """The bodies under way.

    One timer looks after all of them: most bodies come whole, in the same packet as their head, and a timer
    for each would cost more than reading it.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._begun: dict[asyncio.Task[object], float] = {}  # oldest first
        self._bytes = 0
        self._looking = False

    async def read(self, receive: Receive) -> bytes:
        """Return the next body."""
        task, loop = cast("asyncio.Task[object]", asyncio.current_task()), asyncio.get_running_loop()
        self._begun[task] = loop.time()
        if not self._looking:
            self._looking = True
            loop.call_later(MAX_SECONDS / _LOOKS, self._look, loop)
        try:
            return await self._read(receive)
        except asyncio.CancelledError:
            if task in self._begun or task.uncancel():
                raise
            raise Refusal(408, f"a body must come within {MAX_SECONDS:g} seconds, and it did not") from None
        finally:
            self._begun.pop(task, None)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """End what takes too long, and look again while there is anything under way."""
        late = loop.time() - MAX_SECONDS
        for task in [task for task, begun in self._begun.items() if begun < late]:
            del self._begun[task]
            task.cancel()
        self._looking = bool(self._begun)
        if self._looking:
            loop.call_later(MAX_SECONDS / _LOOKS, self._look, loop)

    async def _read(self, receive: Receive) -> bytes:
        body, more, kept = b"", True, 0
        try:
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refusal(400, "the body must come whole, and the connection ended")
                part, more = message.get("body", b""), message.get("more_body", False)
                body = body + part if body else part
                if len(body) > self._largest:
                    raise Refusal(413, f"a body may have at most {self._largest} bytes; send less at a time")
                if more:
                    self._bytes += len(part)
                    kept += len(part)
                    if self._bytes > _MAX_BYTES:
                        raise Refusal(
                            503, "too many bodies are under way; send it again", {"retry-after": "1"}
                        )
        finally:
            self._bytes -= kept
        return body
