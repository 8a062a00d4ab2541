"""The sender tries again, with the same id, for as long as it says: then it says what is safe."""

from __future__ import annotations

import pickle
import socket
import time
from email.utils import formatdate

import pytest

import ldprange as ldp
from faulty_collector import (
    BATCH_ID,
    PLAN,
    Collector,
    FakeTime,
    Misbehaviour,
    drop_after,
    drop_before,
    gibberish,
    hang,
    saying,
    truncate_after,
    truncate_chunks,
)
from ldprange.client.http import Reply

REPORT = ldp.Client(PLAN).encode(42)


TRANSIENT: dict[str, Misbehaviour] = {
    "dropped before": drop_before,
    "dropped after": drop_after,
    "cut short": truncate_after,
    "cut short in chunks": truncate_chunks,
    "not HTTP": gibberish,
    "408": saying(408),
    "429": saying(429),
    "500": saying(500),
    "502 without a reason": saying(502, b"<html>"),
    "503": saying(503),
}


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("kind", TRANSIENT)
def test_what_may_pass_is_tried_again_with_the_same_id(
    sender: ldp.Sender, collector: Collector, clock: FakeTime, kind: str, times: int
) -> None:
    collector.script = [TRANSIENT[kind]] * times
    assert sender.send(REPORT, BATCH_ID) == 1
    assert collector.ids() == [BATCH_ID] * (times + 1)
    assert len({request.body for request in collector.requests}) == 1
    assert collector.counted() == 1
    assert clock.waits == [0.5, 1.0, 2.0][:times]


def test_a_fresh_id_is_kept_over_all_attempts(sender: ldp.Sender, collector: Collector) -> None:
    collector.script = [TRANSIENT[kind] for kind in list(TRANSIENT)[:6]]
    sender.send(REPORT)
    assert len(collector.ids()) == 7
    assert len(set(collector.ids())) == 1


def test_a_collector_that_hangs_is_asked_again(collector: Collector, clock: FakeTime) -> None:
    collector.script = [hang]
    assert ldp.Sender(collector.url, timeout=0.1, _patience=clock.patience).send(REPORT, BATCH_ID) == 1
    assert collector.ids() == [BATCH_ID] * 2
    assert collector.counted() == 1


def test_waits_double_up_to_half_a_minute_and_are_a_random_share(
    collector: Collector, clock: FakeTime
) -> None:
    collector.script = [saying(500)] * 9
    sender = ldp.Sender(collector.url, patience=1000, _patience=clock.patience)
    sender.send(REPORT)
    assert clock.waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    clock.waits.clear()
    clock.fall = 0.25
    collector.script = [saying(500)] * 3
    sender.send(REPORT)
    assert clock.waits == [0.125, 0.25, 0.5]


@pytest.mark.parametrize("status", [429, 503])
def test_a_collector_s_wish_to_wait_is_honoured(
    sender: ldp.Sender, collector: Collector, clock: FakeTime, status: int
) -> None:
    collector.script = [saying(status, Retry_After="7"), saying(status, Retry_After="soon")]
    sender.send(REPORT)
    assert clock.waits == [7.5, 1.0]  # its seconds and ours; a wish that cannot be read is none


def test_a_wish_to_wait_may_be_a_date() -> None:
    def wait(text: str | None) -> float:
        return Reply(503, b"", text, None).wait

    assert 3500 < wait(formatdate(time.time() + 3600, usegmt=True)) <= 3600
    assert wait(formatdate(time.time() - 3600, usegmt=True)) == 0.0
    assert [wait(text) for text in (None, "", "-5", "1.5", "²", "Mon, 99 Foo")] == [0.0] * 6


def test_a_wish_to_wait_longer_than_patience_ends_it_at_once(
    sender: ldp.Sender, collector: Collector, clock: FakeTime
) -> None:
    collector.script = [saying(429, Retry_After="86400")]
    with pytest.raises(ldp.SendError, match="asks to wait 86400 seconds") as caught:
        sender.send(REPORT, BATCH_ID)
    assert (caught.value.batch_id, caught.value.status, clock.waits) == (BATCH_ID, 429, [])


@pytest.mark.parametrize("kind", TRANSIENT)
def test_it_gives_up_after_the_stated_time_and_says_what_is_safe(
    collector: Collector, clock: FakeTime, kind: str
) -> None:
    collector.script = [TRANSIENT[kind]] * 100
    sender = ldp.Sender(collector.url, patience=20, _patience=clock.patience)
    words = rf"within 20 seconds.* 6 attempts.*batch {BATCH_ID} may or may not be counted; .*same id is safe"
    with pytest.raises(ldp.SendError, match=words) as caught:
        sender.send(REPORT, BATCH_ID)
    assert sum(clock.waits) == 15.5
    assert caught.value.batch_id == BATCH_ID
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own)
    assert (again.batch_id, again.status, str(again)) == (BATCH_ID, caught.value.status, str(caught.value))
    collector.script = []
    assert sender.send(REPORT, again.batch_id) == 1
    assert collector.counted() == 1


def test_a_fresh_id_is_in_the_error(sender: ldp.Sender, collector: Collector) -> None:
    collector.script = [drop_after] * 100
    with pytest.raises(ldp.SendError) as caught:
        sender.send(REPORT)
    assert {caught.value.batch_id} == set(collector.ids())


def test_nobody_listening_is_an_error_in_the_end(clock: FakeTime) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        sender = ldp.Sender(f"http://127.0.0.1:{port}/s/commute", _patience=clock.patience)
        for ask in (sender.plan, lambda: sender.send(REPORT)):
            with pytest.raises(ldp.SendError, match="ConnectionRefusedError"):
                ask()


def test_an_endless_answer_is_not_read_to_its_end(
    sender: ldp.Sender, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldprange.client.http._MAX_ANSWER_BYTES", 1000)
    collector.script = [saying(200, bytes(2000))] * 100
    with pytest.raises(ldp.SendError, match="at most 1000 bytes"):
        sender.send(REPORT)
