"""A collector on a real port of this machine, in a thread, and how to talk to it."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np

import ldprange as ldp
from ldprange import wire
from ldprange.service.access import ROLES, digest
from ldprange.service.collector import Collector
from ldprange.service.server import listen, make_server
from ldprange.service.settings import Settings
from ldprange.service.store import Store

ADMINISTRATOR, ANALYST = ROLES
WITHOUT_LIMITS = Settings(requests_per_second=0, reports_per_hour=0, bytes_per_hour=0)
PLAN = ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Haar(), ldp.HRR())
PEOPLE = [(7 * person) % 120 for person in range(2000)]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Service:
    """What is known of a running collector: its port, and its tokens, which are the roles' names."""

    def __init__(self, port: int, collector: Collector | None = None) -> None:
        self.port = port
        self._collector = collector

    @property
    def collector(self) -> Collector:
        assert self._collector is not None
        return self._collector

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | object | None = None,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            named = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, named, reply.read())
        finally:
            connection.close()

    def get(self, path: str, token: str | None = ANALYST) -> Reply:
        return self.ask("GET", path, token=token)

    def create(self, name: str = "ages", plan: ldp.Plan = PLAN, **more: Any) -> Reply:
        said: dict[str, Any] = {"name": name, "question": "How old are you?", "plan": plan.to_dict()}
        return self.describe({**said, "batches": True, **more})

    def describe(self, said: object) -> Reply:
        return self.ask("POST", "/api/surveys", said, token=ADMINISTRATOR)

    def put(self, body: bytes, *, name: str = "ages", batch: str | None = None, **more: Any) -> Reply:
        headers = more.pop("headers", {"Content-Type": "application/octet-stream"})
        path = f"/api/surveys/{name}/batches/{batch or secrets.token_hex(16)}"
        return self.ask("PUT", path, body, headers=headers, **more)


@contextmanager
def serving(place: str | Path, settings: Settings | None = None) -> Iterator[Service]:
    """Run a collector, started and ended as the command does it."""
    store = Store(place, create=True)
    store.lock()
    store.keep_digests({role: digest(role) for role in ROLES})
    collector = Collector(store, settings or WITHOUT_LIMITS)
    collector.load()
    listening = listen("127.0.0.1", 0)
    server = make_server(collector)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield Service(listening.getsockname()[1], collector)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def wait_for(service: Service, status: int = 200) -> None:
    """Wait until a collector that is being started answers with this ``status``."""
    for _ in range(500):
        try:
            if service.get("/health").status == status:
                return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("the collector does not answer")


def packed(values: list[int], seed: int, plan: ldp.Plan = PLAN) -> bytes:
    return wire.pack(ldp.encode_many(plan, values, seed=seed))


def copies(plan: ldp.Plan, number: int) -> bytes:
    """Return so many times the same report, which no honest clients send."""
    one = ldp.encode_many(plan, [plan.domain.lower(0)], seed=1)
    return wire.pack(ldp.Batch(plan, [np.repeat(column, number, axis=0) for column in one.columns]))


def counted(service: Service, name: str = "ages") -> ldp.Aggregate:
    """Return what a collector in this process has counted for a survey, also before it is stored."""
    survey = service.collector.surveys[name]
    return service.collector.writer.live(survey).aggregate()
