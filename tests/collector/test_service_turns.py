"""Whoever asks much waits, or is refused; nobody else does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import ldprange as ldp
from ldprange.service import live_aggregate, turns
from ldprange.service.refusal import Refusal
from ldprange.service.turns import Lane
from running_collector import Service, counted, packed


@contextmanager
def counting_takes_long(service: Service, name: str) -> Iterator[None]:
    """Let whoever counts a survey's reports wait until the block ends."""
    counting = service.collector.writer.live(service.collector.surveys[name])._counting
    with counting:
        yield


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it did not come to pass")


def figure(service: Service, name: str) -> float:
    lines = service.get("/metrics").body.decode().splitlines()
    return float(next(line for line in lines if line.startswith(name)).split()[-1])


def test_anybody_s_questions_hold_up_neither_an_analyst_nor_reports(service: Service) -> None:
    service.create("all-may-ask", public=True)
    for name in ("ages", "all-may-ask"):
        assert service.put(packed([1, 2, 3] * 100, 1), name=name).status == 201
    replies: list[tuple[int, int]] = []

    def ask(number: int) -> None:
        confidence = (0.5, 0.8, 0.9)[number % 3]
        reply = service.get(f"/api/surveys/all-may-ask/overview?confidence={confidence}", token=None)
        replies.append((reply.status, int(reply.headers.get("retry-after", 0))))

    with counting_takes_long(service, "all-may-ask"):
        threads = [threading.Thread(target=ask, args=[number]) for number in range(30)]
        for thread in threads:
            thread.start()
        # two are being answered, and eight of one address may wait
        wait_until(lambda: len(replies) == 20)
        assert set(replies) == {(503, 5)}
        assert figure(service, 'ldprange_questions_waiting{asker="anonymous"}') == 8
        assert figure(service, 'ldprange_questions_refused_total{asker="anonymous"}') == 20
        assert service.get("/api/surveys/ages/overview").status == 200
        assert service.get("/api/surveys/ages/range?low=1&high=5").status == 200
        for name in ("ages", "all-may-ask"):  # nor does counting
            assert service.put(packed([1], 2), name=name).status == 201
    for thread in threads:
        thread.join()
    assert Counter(status for status, _ in replies) == {503: 20, 200: 10}
    assert counted(service, "all-may-ask").reports == 301


def test_addresses_take_turns() -> None:
    """A line of one address is as long as it may be; another that comes later is before most of it."""

    async def run() -> tuple[list[str], int]:
        lane, may_end, begun, refused = Lane(), threading.Semaphore(0), [], 0

        def work(address: str) -> bytes:
            begun.append(address)
            return bytes(may_end.acquire(timeout=20))

        async def ask(address: str) -> None:
            nonlocal refused
            try:
                await lane.answer(address, lambda: work(address))
            except Refusal:
                refused += 1

        tasks = [asyncio.create_task(ask("greedy")) for _ in range(50)]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(ask("late")))
        await asyncio.sleep(0)
        assert lane.waiting == turns._MAX_EACH + 1
        for ended in range(total := turns._AT_ONCE + lane.waiting):
            # one ends when as many as can be are at work, so that none overtakes another
            while len(begun) < min(ended + turns._AT_ONCE, total):
                await asyncio.sleep(0.001)
            may_end.release()
        await asyncio.gather(*tasks)
        assert (lane.waiting, lane._free) == (0, turns._AT_ONCE)
        return begun, refused

    begun, refused = asyncio.run(run())
    assert begun.count("greedy") == turns._AT_ONCE + turns._MAX_EACH
    assert refused == 50 - begun.count("greedy")
    assert begun.index("late") == turns._AT_ONCE + 1  # after one that waited before it came


def test_all_lines_together_have_an_end() -> None:
    async def run() -> int:
        lane, going = Lane(), threading.Event()
        tasks = [
            asyncio.create_task(lane.answer(f"10.0.0.{number}", lambda: bytes(going.wait(20))))
            for number in range(100)
        ]
        await asyncio.sleep(0.05)
        for task in tasks[10:20]:  # who goes away takes no turn
            task.cancel()
        going.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert (lane.waiting, lane._free) == (0, turns._AT_ONCE)
        return sum(isinstance(each, Refusal) for each in done)

    assert asyncio.run(run()) == 100 - turns._MAX_WAITING - turns._AT_ONCE


def test_reports_that_wait_to_be_counted_are_limited_by_their_bytes(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large reports: a bit for each of 4,096 bins. Other surveys take theirs all the while."""
    plan = ldp.Plan(ldp.Domain.integers(0, 4095), 1.0, ldp.Flat(), ldp.OUE())
    monkeypatch.setattr(live_aggregate, "_TOGETHER_BYTES", 1 << 16)
    assert service.create("large", plan).status == 201
    batch = ldp.encode_many(plan, np.arange(100), seed=1)
    size = sum(column.nbytes for column in batch.columns)
    held = service.collector.writer.live(service.collector.surveys["large"])
    statuses = []
    with counting_takes_long(service, "large"):
        for _ in range(20):
            reply = service.put(ldp.wire.pack(batch), name="large")
            statuses.append(reply.status)
            assert held._waiting_bytes <= live_aggregate._MAX_WAITING * live_aggregate._TOGETHER_BYTES + size
            assert service.put(packed([1], 2)).status == 201
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert "faster than" in reply.json["error"]
    wait_until(lambda: not held.full)
    assert service.put(ldp.wire.pack(batch), name="large").status == 201
    assert counted(service, "large") == ldp.Aggregate.of(plan, [batch] * (statuses.count(201) + 1))
    assert held._waiting_bytes == 0
