"""The sender: what is sent is counted once, refusals are final, and nobody else is spoken to."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from example_plans import PLANS, batch_of
from faulty_collector import (
    BATCH_ID,
    PLAN,
    Collector,
    FakeTime,
    Misbehaviour,
    drop_after,
    drop_before,
    running,
    saying,
)

REPORT = ldp.Client(PLAN).encode(42)


def test_a_survey_tells_its_plan(sender: ldp.Sender) -> None:
    assert sender.plan() == PLAN


def test_what_is_sent_is_counted(sender: ldp.Sender, collector: Collector) -> None:
    batch = batch_of(PLAN)
    assert sender.send(REPORT) == 1
    assert sender.send(batch) == 500
    assert sender.send(ldp.wire.pack(batch)) == 500
    assert len(set(collector.ids())) == 3
    assert all(re.fullmatch("[0-9a-f]{32}", batch_id) for batch_id in collector.ids())
    assert ldp.wire.pack(batch) in collector.batches.values()
    assert collector.counted() == 1001


def test_a_request_says_nothing_about_the_device(sender: ldp.Sender, collector: Collector) -> None:
    sender.send(REPORT)
    headers = collector.requests[0].headers
    assert set(headers) == {"Host", "Accept-Encoding", "Content-Length", "Content-Type"}
    assert headers["Content-Type"] == "application/octet-stream"


@pytest.fixture
def certified(collector: Collector, tmp_path: Path) -> Path:
    """Have the collector speak TLS, and return the certificate that it made for itself."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=collector", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*make.split(), *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    collector.socket = context.wrap_socket(collector.socket, server_side=True)
    return certificate


def test_who_cannot_prove_who_they_are_gets_nothing(
    collector: Collector, clock: FakeTime, certified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = ldp.Sender(collector.url.replace("http:", "https:"), _patience=clock.patience)
    with pytest.raises(ldp.SendError, match=r"must prove who it is.*self.signed") as caught:
        sender.send(REPORT, BATCH_ID)
    assert (collector.requests, clock.waits, caught.value.batch_id) == ([], [], BATCH_ID)
    monkeypatch.setenv("SSL_CERT_FILE", str(certified))
    assert sender.send(REPORT, BATCH_ID) == 1


def test_no_tls_is_an_error_in_the_end(collector: Collector, clock: FakeTime) -> None:
    with pytest.raises(ldp.SendError, match=r"SSL|Connection"):
        ldp.Sender(collector.url.replace("http:", "https:"), _patience=clock.patience).send(REPORT)
    assert collector.requests == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 410, 413, 415, 422])
def test_a_refusal_is_final_and_carries_the_reason(
    sender: ldp.Sender, collector: Collector, clock: FakeTime, status: int
) -> None:
    collector.script = [saying(status, {"error": "so it must be;\x1b[31m do this"})]
    with pytest.raises(ldp.SendError, match=rf"refused.*{status}: so it must be; \[31m do this$") as caught:
        sender.send(REPORT, BATCH_ID)
    assert (caught.value.batch_id, caught.value.status) == (BATCH_ID, status)
    assert len(collector.requests) == 1
    assert clock.waits == []


def test_what_a_good_collector_refuses(sender: ldp.Sender, collector: Collector) -> None:
    with pytest.raises(ldp.SendError, match=f"400: .*{PLAN.fingerprint}"):
        sender.send(batch_of(PLANS["OUE"]))
    sender.send(REPORT, BATCH_ID)
    with pytest.raises(ldp.SendError, match="409: this id came with other bytes"):
        sender.send(batch_of(PLAN), BATCH_ID)
    with pytest.raises(ldp.SendError, match=r"must be a survey; .*404: there must be"):
        ldp.Sender(collector.url.replace("commute", "other")).plan()
    assert collector.counted() == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(
    sender: ldp.Sender, collector: Collector, clock: FakeTime, status: int
) -> None:
    with running(PLAN) as elsewhere:
        for ask in (sender.plan, lambda: sender.send(REPORT)):
            collector.script = [saying(status, b"", Location=elsewhere.url)]
            with pytest.raises(ldp.SendError, match=f"{status}: it sends us on to {elsewhere.url}"):
                ask()
        assert elsewhere.requests == []
    assert len(collector.requests) == 2
    assert clock.waits == []


def test_no_proxy_of_the_environment_is_used(
    sender: ldp.Sender, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert sender.send(REPORT) == 1
    assert len(collector.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>Welcome</html>", b"\xff\xfe", b"[" * 100_000, [], {}, {"reports": "1"}, {"reports": True}],
)
def test_only_a_collector_s_own_words_are_an_acknowledgement(
    sender: ldp.Sender, collector: Collector, tmp_path: Path, answer: object
) -> None:
    ledger = ldp.Ledger(tmp_path / "ledger")
    ldp.Client(PLAN, ledger=ledger, survey=collector.url).encode(42)
    collector.script = [None, saying(200, answer)]
    with pytest.raises(ldp.SendError, match=r"must acknowledge .* may or may not be counted") as caught:
        sender.send_pending(ledger)
    (entry,) = ledger.pending()
    assert caught.value.batch_id == entry.batch_id
    collector.script = [saying(204, b"")]
    with pytest.raises(ldp.SendError, match="204"):
        sender.send(REPORT)


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"null", {"plan": 5}, {"plan": {}}, {"plan": {"ldprange_plan": 9}}]
)
def test_a_survey_without_a_plan_is_an_error(
    sender: ldp.Sender, collector: Collector, answer: object
) -> None:
    collector.script = [saying(200, answer)]
    with pytest.raises(ldp.LdprangeError, match=r"must be a survey|a plan must|reads plans"):
        sender.plan()


def test_a_ledger_is_sent_once(sender: ldp.Sender, collector: Collector, tmp_path: Path) -> None:
    ledger = ldp.Ledger(tmp_path / "ledger", budget=5.0)
    assert sender.send_pending(ledger) == 0
    assert collector.requests == []  # nothing to say, so nothing is said
    reports = [
        ldp.Client(PLAN, ledger=ledger, survey=collector.url).encode(42, person=person) for person in "abc"
    ]
    ldp.Client(PLANS["OUE"], ledger=ledger, survey=collector.url).encode(42, person="a")  # another survey's
    expected = {
        entry.batch_id: entry.report for entry in ledger.pending() if entry.fingerprint == PLAN.fingerprint
    }
    assert sender.send_pending(ledger) == 3
    assert collector.batches == expected
    assert sorted(expected.values()) == sorted(map(ldp.wire.pack, reports))
    assert [entry.fingerprint for entry in ledger.pending()] == [PLANS["OUE"].fingerprint]
    assert sender.send_pending(ledger) == 0
    assert collector.counted() == 3


@pytest.mark.parametrize("misbehave", [drop_before, drop_after, saying(410), saying(200, b"<html>")])
def test_a_ledger_sent_half_way_is_sent_on_from_there(
    sender: ldp.Sender, collector: Collector, tmp_path: Path, misbehave: Misbehaviour
) -> None:
    ledger = ldp.Ledger(tmp_path / "ledger")
    for person in "abcde":
        ldp.Client(PLAN, ledger=ledger, survey=collector.url).encode(42, person=person)
    before = ledger.pending()
    collector.script = [None, None, None, *[misbehave] * 100]
    with pytest.raises(ldp.SendError) as caught:
        sender.send_pending(ledger)
    assert ledger.pending() == before[2:]
    assert caught.value.batch_id == before[2].batch_id
    collector.script = []
    assert sender.send_pending(ledger) == 3
    assert (ledger.pending(), collector.counted()) == ([], 5)


def test_many_threads_share_a_sender(collector: Collector) -> None:
    sender = ldp.Sender(collector.url)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(sender.send, [ldp.Client(PLAN).encode(5) for _ in range(64)])) == [1] * 64
    assert collector.counted() == 64


def test_a_collector_may_live_under_a_path(collector: Collector) -> None:
    collector.base = "/surveys/of-2026"
    assert ldp.Sender(collector.url).send(REPORT) == 1
    assert ldp.Sender(collector.url.replace("/s/", "/api/surveys/")).send(REPORT) == 1
    assert ldp.Sender(f"{collector.url}/").plan() == PLAN


@pytest.mark.parametrize(
    "batch_id", ["", BATCH_ID[:-1], BATCH_ID.upper(), BATCH_ID + "\n", f"../{BATCH_ID}", 7, b"a" * 32]
)
def test_an_id_is_32_digits(sender: ldp.Sender, collector: Collector, batch_id: Any) -> None:
    with pytest.raises(ldp.LdprangeError, match="32 lower-case hexadecimal digits"):
        sender.send(REPORT, batch_id)
    assert collector.requests == []


def test_wrong_kinds_are_refused(sender: ldp.Sender, collector: Collector) -> None:
    wrong: Any
    for wrong in (None, 42, "report", [REPORT]):
        with pytest.raises(ldp.LdprangeError, match="what is sent must be of type Report or Batch or bytes"):
            sender.send(wrong)
        with pytest.raises(ldp.LdprangeError, match="what is sent from must be of type Ledger"):
            sender.send_pending(wrong)
    for wrong in (0, -1, float("nan"), float("inf"), "5", None):
        with pytest.raises(ldp.LdprangeError, match="a timeout must be a finite number of seconds"):
            ldp.Sender(collector.url, timeout=wrong)
        with pytest.raises(ldp.LdprangeError, match="a patience must be a finite number of seconds"):
            ldp.Sender(collector.url, patience=wrong)
    assert collector.requests == []


def test_the_documentation_s_programs_run(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[2] / "docs" / "sending.md"
    programs = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 2
    monkeypatch.chdir(tmp_path)
    for number, program in enumerate(programs):
        there = program.replace("https://example.org/s/commute", collector.url)
        assert there != program
        exec(compile(there, f"program {number}", "exec"), {})  # noqa: S102 (our own page)
    assert collector.counted() > 1
