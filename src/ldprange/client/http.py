"""One question to one host over HTTP, asked again until there is an answer or patience ends."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from threading import Timer
from typing import TYPE_CHECKING, Any

from ldprange.errors import SendError
from ldprange.support.addresses import Host

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse

_FIRST_WAIT = 0.5
_MAX_WAIT = 30.0
_MAX_DOUBLINGS = 16
_MAX_ANSWER_BYTES = 16 << 20
_ASK_AGAIN = (408, 429)  # and all from 500 on: what the next attempt may change
_MAX_TEXT_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, for one attempt and for all of them, and with which clock and dice."""

    attempt: float
    total: float
    sleep: Callable[[float], None] = time.sleep
    dice: Callable[[], float] = random.SystemRandom().random
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Reply:
    """What a host answered."""

    status: int
    body: bytes
    retry_after: str | None
    location: str | None

    def json(self) -> Any:
        """Return the answer read as JSON, or None if it is not."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def reason(self) -> str:
        """What the host says is wrong, made fit for a message."""
        said = self.json()
        if isinstance(said, dict) and isinstance(said.get("error"), str):
            return _printable(said["error"])
        if self.location is not None:
            return f"it sends us on to {_printable(self.location)}, and no redirect is followed"
        return "it gives no reason"

    @property
    def wait(self) -> float:
        """How many seconds the host asks us to stay away."""
        header = (self.retry_after or "").strip()
        if header.isascii() and header.isdigit():
            return float(header)
        from email.utils import parsedate_to_datetime

        with suppress(ValueError, TypeError, OverflowError):
            return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
        return 0.0


def _printable(text: str) -> str:
    """Return what a stranger said, fit for a message and a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:_MAX_TEXT_LENGTH])


class Exchange:
    """A connection to a host, opened when it is needed and again when it broke. For one thread.

    It takes no proxy from the environment, follows no redirect, and adds no header about the device.
    """

    def __init__(self, host: Host, patience: Patience, headers: Mapping[str, str] | None = None) -> None:
        self._host = host
        self._patience = patience
        self._headers = headers or {}
        self._connection: HTTPConnection | None = None

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def ask(self, method: str, path: str, body: bytes | None = None) -> Reply:
        """Return the first answer that asking again would not change."""
        from http.client import HTTPException
        from ssl import SSLCertVerificationError

        patience = self._patience
        deadline = patience.clock() + patience.total
        for attempt in count():
            asked_to_wait, status = 0.0, None
            try:
                reply = self._attempt(method, path, body, deadline)
                if reply.status not in _ASK_AGAIN and reply.status < 500:
                    return reply
                asked_to_wait, status = reply.wait, reply.status
                problem = f"it answered {reply.status}: {reply.reason}"
            except SSLCertVerificationError as error:  # who answers is not who was asked
                self._close()
                raise SendError(
                    f"{self._host} must prove who it is, but its certificate is bad: {error.verify_message}"
                ) from None
            except (OSError, HTTPException) as error:
                self._close()
                problem = f"{type(error).__name__}: {_printable(str(error))}"
            # full jitter: devices that failed together do not come back together
            longest = min(_MAX_WAIT, _FIRST_WAIT * 2 ** min(attempt, _MAX_DOUBLINGS))
            wait = asked_to_wait + patience.dice() * longest
            if patience.clock() + wait > deadline:
                advice = f", and asks to wait {asked_to_wait:g} seconds" if asked_to_wait else ""
                raise SendError(
                    f"{self._host} must answer within {patience.total:g} seconds, and did not in "
                    f"{attempt + 1} attempts; at last {problem}{advice}",
                    status=status,
                )
            patience.sleep(wait)
        raise AssertionError  # pragma: no cover (counting never ends)

    def _attempt(self, method: str, path: str, body: bytes | None, deadline: float) -> Reply:
        limit = max(0.01, min(self._patience.attempt, deadline - self._patience.clock()))
        connection = self._connection = self._connection or self._connect()
        connection.timeout = limit
        if connection.sock is not None:
            connection.sock.settimeout(limit)
        kind = {} if body is None else {"Content-Type": "application/octet-stream"}
        headers = {**kind, **self._headers}
        # a host that sends a byte now and then keeps every single wait short: the whole must end too
        watch = Timer(max(0.01, deadline - self._patience.clock()), self._cut)
        watch.daemon = True
        watch.start()
        try:
            with suppress(BrokenPipeError):  # a host may refuse before it has read all, and says why
                connection.request(method, path, body, headers)
            response = connection.getresponse()
            try:
                data = self._read(response, deadline)
            finally:
                response.close()
        finally:
            watch.cancel()
        return Reply(response.status, data, response.getheader("Retry-After"), response.getheader("Location"))

    def _read(self, response: HTTPResponse, deadline: float) -> bytes:
        from http.client import HTTPException, IncompleteRead

        # Counted here: an answer that stops short must not pass for a whole one, and one that
        # trickles must not hold us beyond the deadline.
        wanted = response.length
        data = bytearray()
        while wanted is None or len(data) < wanted:
            part = response.read1(1 << 16 if wanted is None else min(1 << 16, wanted - len(data)))
            if not part:
                break
            data += part
            if len(data) > _MAX_ANSWER_BYTES:
                raise HTTPException(f"an answer must have at most {_MAX_ANSWER_BYTES} bytes")
            if self._patience.clock() > deadline:
                raise TimeoutError("the answer came too slowly")
        if wanted is not None and len(data) < wanted:
            raise IncompleteRead(bytes(data), wanted - len(data))
        return bytes(data)

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection
        from ssl import create_default_context

        if self._host.secure:
            return HTTPSConnection(self._host.name, self._host.port, context=create_default_context())
        return HTTPConnection(self._host.name, self._host.port)

    def _cut(self) -> None:
        from socket import SHUT_RDWR

        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(SHUT_RDWR)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
