"""Kill -9 at any moment: what was acknowledged is counted, exactly once."""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPException
from pathlib import Path

import pytest
from sqlalchemy import func, select

import ldprange as ldp
from ldprange.service.live_aggregate import Live
from ldprange.service.schema import AGGREGATES, RECENT
from ldprange.service.store import Store
from running_collector import PLAN, Service, packed

KILLS = 5  # on either database; scripts/faults has thousands
SENDERS = 4
# the command itself, but it sorts every few batches, so that it dies while it does that too
COMMAND = """
from ldprange.service import live_aggregate
live_aggregate._TOGETHER = 500
from ldprange.cli import main
main()
"""


class Sender(threading.Thread):
    """Sends batches one after the other, each until it is acknowledged."""

    def __init__(self, service: Service, number: int) -> None:
        super().__init__()
        self._service, self._number = service, number
        self.acknowledged: list[bytes] = []
        self.doubtful = 0  # sent again after no answer came
        self.ending = False

    def run(self) -> None:
        while not self.ending:
            seed = 1000 * self._number + len(self.acknowledged)
            body = packed([(seed * 13 + each) % 120 for each in range(seed % 7 + 1)], seed)
            batch = secrets.token_hex(16)
            while not self._acknowledged(body, batch):
                self.doubtful += 1
                time.sleep(0.01)
            self.acknowledged.append(body)

    def _acknowledged(self, body: bytes, batch: str) -> bool:
        try:
            status = self._service.put(body, batch=batch).status
        except (OSError, HTTPException):
            return False
        assert status in (200, 201, 503), status
        return status != 503


def started(place: str, port: int, plan: Path) -> subprocess.Popen[bytes]:
    where = ["--database", place] if "://" in place else ["--data", place]
    survey = ["--question", "How old?", "--name", "ages", "--plan", str(plan), "--batches"]
    survey += ["--requests-per-second", "0"]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "serve", *where, "--port", str(port), *survey],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def wait_until_it_answers(service: Service, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            if service.ask("GET", "/health").status == 200:
                return
        except (OSError, HTTPException):
            time.sleep(0.02)
    assert process.stderr is not None
    pytest.fail(f"the collector ended: {process.stderr.read().decode()}")


def own_port() -> int:
    """Return a free port that no other test's collector gets by chance while this one is down."""
    for port in random.Random(os.getpid()).sample(range(20_000, 30_000), 100):  # noqa: S311 (not a secret)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.fail("no port is free")


def test_acknowledged_is_counted_exactly(place: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(PLAN.to_json())
    port = own_port()
    service, moments = Service(port), random.Random(1)  # noqa: S311 (when to kill is no secret)
    senders = [Sender(service, number) for number in range(SENDERS)]
    process = started(place, port, plan)
    wait_until_it_answers(service, process)
    for sender in senders:
        sender.start()
    try:
        for _ in range(KILLS):
            time.sleep(moments.uniform(0.0, 0.4))
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert process.stderr is not None
            process.stderr.close()
            process = started(place, port, plan)
            wait_until_it_answers(service, process)
    finally:
        for sender in senders:
            sender.ending = True
        for sender in senders:
            sender.join()
        process.terminate()
        process.communicate()
    bodies = [body for sender in senders for body in sender.acknowledged]
    expected = ldp.Aggregate.of(PLAN, bodies)
    store = Store(place)
    survey = store.surveys()[0]
    assert Live.load(store, survey).aggregate() == expected
    # and without the stored aggregate, from every batch that is there
    assert sorted(store.read(survey.id)) == sorted(bodies)
    assert sum(store.arrivals(survey.id, 9)[1]) == expected.reports
    with store._engine.connect() as connection:  # at the end all was sorted and counted
        assert connection.scalar(select(func.count()).select_from(RECENT)) == 0
        stored = connection.scalar(select(AGGREGATES.c.aggregate))
    assert stored is not None
    assert ldp.Aggregate.from_bytes(stored) == expected
    assert sum(sender.doubtful for sender in senders) >= KILLS  # the kills came under load
    store.close()
