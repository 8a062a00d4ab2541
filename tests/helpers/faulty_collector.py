"""A collector over real sockets that keeps what it takes, and misbehaves as told."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import ldprange as ldp
from example_plans import PLANS
from ldprange.client.http import Patience

PLAN = PLANS["HRR"]
BATCH_ID = "00112233445566778899aabbccddeeff"

Misbehaviour = Callable[["Handler"], None]


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Handler(BaseHTTPRequestHandler):
    """Answers as the collector's interface says, unless the next misbehaviour does."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Collector

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.request_now = Request(self.command, self.path, dict(self.headers), body)
        self.server.requests.append(self.request_now)
        misbehave = self.server.script.pop(0) if self.server.script else None
        if misbehave is not None:
            misbehave(self)
        else:
            self.say(*self.take())

    do_GET = do_PUT = answer  # noqa: N815 (the base class's names)

    def take(self) -> tuple[int, object]:
        """Do what a good collector does, and return what it would say."""
        survey = f"{self.server.base}/api/surveys/commute"
        if self.command == "GET" and self.path == survey:
            plan = json.loads(self.server.plan.to_json())
            return 200, {"name": "commute", "question": "?", "unit": "", "state": "open", "plan": plan}
        if self.command != "PUT" or not self.path.startswith(f"{survey}/batches/"):
            return 404, {"error": "there must be a survey of this name"}
        batch_id, body = self.path.rpartition("/")[2], self.request_now.body
        if len(body) > 1 << 20:
            return 413, {"error": "a batch must have at most 1 MiB"}
        try:
            reports = len(ldp.wire.unpack(self.server.plan, body))
        except ldp.LdprangeError as error:
            return 400, {"error": str(error)}
        held = self.server.batches.setdefault(batch_id, body)
        if held != body:
            return 409, {"error": "this id came with other bytes"}
        return 200 if self.server.taken(batch_id) else 201, {"reports": reports}

    def say(self, status: int, answer: object, **headers: str) -> None:
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        pass


class Collector(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    base = ""

    def __init__(self, plan: ldp.Plan) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = plan
        self.script: list[Misbehaviour | None] = []
        self.requests: list[Request] = []
        self.batches: dict[str, bytes] = {}
        self._known: set[str] = set()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.base}/s/commute"

    def taken(self, batch_id: str) -> bool:
        """Say whether a batch was there already, and that it is from now on."""
        known = batch_id in self._known
        self._known.add(batch_id)
        return known

    def ids(self) -> list[str]:
        """Return the id of every PUT, in order."""
        return [request.path.rpartition("/")[2] for request in self.requests if request.method == "PUT"]

    def counted(self) -> int:
        """Return how many reports all batches hold."""
        return sum(len(ldp.wire.unpack(self.plan, body)) for body in self.batches.values())

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away is part of the game


@contextmanager
def running(plan: ldp.Plan) -> Iterator[Collector]:
    collector = Collector(plan)
    thread = threading.Thread(target=collector.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield collector
    finally:
        collector.released.set()
        collector.shutdown()
        collector.server_close()
        thread.join()


def drop_before(handler: Handler) -> None:
    """Close the connection without having taken anything."""
    handler.drop()


def drop_after(handler: Handler) -> None:
    """Take the batch, and close the connection instead of saying so."""
    handler.take()
    handler.drop()


def truncate_after(handler: Handler) -> None:
    """Take the batch, and say so in fewer bytes than announced."""
    handler.take()
    handler.send_response(201)
    handler.send_header("Content-Length", "14")
    handler.end_headers()
    handler.wfile.write(b'{"repor')
    handler.drop()


def truncate_chunks(handler: Handler) -> None:
    """The same, in chunks."""
    handler.take()
    handler.send_response(201)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b'7\r\n{"repor\r\n')
    handler.drop()


def gibberish(handler: Handler) -> None:
    """Answer in something that is not HTTP."""
    handler.take()
    handler.wfile.write(b"\x00\xffwhat?\r\n\r\n")
    handler.drop()


def hang(handler: Handler) -> None:
    """Take the batch, and say nothing for as long as the test runs."""
    handler.take()
    handler.server.released.wait()
    handler.drop()


def saying(status: int, answer: object = None, **headers: str) -> Misbehaviour:
    """Answer this, having taken nothing."""
    return lambda handler: handler.say(status, {"error": "not now"} if answer is None else answer, **headers)


@dataclass
class FakeTime:
    """A clock that only sleeping moves, and dice that always fall as told."""

    now: float = 0.0
    fall: float = 1.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def patience(self, attempt: float, total: float) -> Patience:
        return Patience(attempt, total, self.sleep, lambda: self.fall, lambda: self.now)
