"""The collector over HTTP: submitting, asking, administering, refusing."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from ldprange.service.access import RateLimit, may_administer
from ldprange.service.collector import Settings
from ldprange.service.overview import Overviews, _bar_edges
from ldprange.service.store import Store
from serving import ADMINISTRATOR, ANALYST, PLAN, Service, packed, serving

PEOPLE = [(7 * person) % 120 for person in range(2000)]


@pytest.fixture
def service(place: str) -> Iterator[Service]:
    with serving(place) as running:
        assert running.create().status == 201
        yield running


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a collector that has a survey with answers, for tests that change nothing."""
    with serving(tmp_path_factory.mktemp("asked")) as running:
        running.create()
        running.create("nobody")
        running.create("open-to-all", public=True)
        for name in ("ages", "open-to-all"):
            running.put(packed(PEOPLE, 1), name=name)
        yield running


def counted(service: Service, name: str = "ages") -> ldp.Aggregate:
    survey = service.collector.surveys[name]
    return service.collector.writer.live(survey).aggregate()


class TestSubmitting:
    def test_what_is_acknowledged_is_counted_and_outlives_the_collector(self, place: str) -> None:
        bodies = [packed(PEOPLE[start : start + 100], start) for start in range(0, 2000, 100)]
        expected = ldp.Aggregate.of(PLAN, bodies)
        with serving(place) as running:
            running.create()
            for body in bodies[:10]:
                assert running.put(body).json == {"reports": 100}
        with serving(place) as running:
            for body in bodies[10:]:
                assert running.put(body).status == 201
            assert counted(running) == expected
        with serving(place) as running:
            assert counted(running) == expected
            assert running.get("/api/surveys").json["surveys"][0]["reports"] == 2000

    def test_the_same_batch_again_changes_nothing(self, service: Service) -> None:
        batch, body = secrets.token_hex(16), packed([1, 2, 3], 1)
        first, again = (service.put(body, batch=batch) for _ in range(2))
        assert (first.status, again.status) == (201, 200)
        assert first.json == again.json == {"reports": 3}
        assert counted(service).reports == 3

    def test_an_id_with_other_bytes_is_refused(self, service: Service) -> None:
        batch = secrets.token_hex(16)
        service.put(packed([1], 1), batch=batch)
        refused = service.put(packed([1, 2], 2), batch=batch)
        assert refused.status == 409
        assert "other bytes" in refused.json["error"]
        assert counted(service).reports == 1

    def test_an_id_is_a_survey_s_own(self, service: Service) -> None:
        service.create("other")
        batch, body = secrets.token_hex(16), packed([1], 1)
        assert service.put(body, batch=batch).status == 201
        assert service.put(body, batch=batch, name="other").status == 201

    def test_one_bad_report_refuses_its_whole_batch_and_no_other(self, service: Service) -> None:
        """Many at once, so that good and bad ones share a transaction."""
        good = [packed([value] * 5, value) for value in range(40)]
        bad = [body[:-1] + b"\xff" for body in good]
        replies: list[int] = []

        def send(body: bytes) -> None:
            replies.append(service.put(body).status)

        threads = [threading.Thread(target=send, args=[body]) for body in (*good, *bad)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(replies) == [201] * 40 + [400] * 40
        assert counted(service) == ldp.Aggregate.of(PLAN, good)

    def test_one_id_sent_many_times_at_once_counts_once(self, service: Service) -> None:
        batch, body = secrets.token_hex(16), packed([1, 2], 1)
        replies: list[int] = []
        threads = [
            threading.Thread(target=lambda: replies.append(service.put(body, batch=batch).status))
            for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(replies) == [200] * 15 + [201]
        assert counted(service).reports == 2

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            (b"", "at least 9 bytes"),
            (b"\x02" + bytes(20), "version"),
            (b"\x01" + bytes(20), "fingerprint"),
            (packed([], 1), "at least one report"),
            (packed([1] * 10, 1)[:-1], "cut short"),
        ],
    )
    def test_what_is_no_batch_is_refused(self, asked: Service, body: bytes, said: str) -> None:
        refused = asked.put(body, name="nobody")
        assert refused.status == 400
        assert said in refused.json["error"]
        assert counted(asked, "nobody").reports == 0

    def test_other_refusals(self, asked: Service) -> None:
        body = packed([1], 1)
        assert asked.put(body, name="nowhere").status == 404
        assert asked.put(body, batch="A" * 32).status == 400
        assert asked.put(body, batch="1").status == 400
        assert asked.put(body, headers={"Content-Type": "text/plain"}).status == 415
        assert asked.put(body, headers={}).status == 415

    def test_any_page_may_submit(self, asked: Service) -> None:
        path = f"/api/surveys/ages/batches/{secrets.token_hex(16)}"
        allowed = asked.ask("OPTIONS", path, headers={"Origin": "https://elsewhere.example"})
        assert allowed.status == 204
        assert allowed.headers["access-control-allow-origin"] == "*"
        assert "PUT" in allowed.headers["access-control-allow-methods"]
        assert asked.put(b"").headers["access-control-allow-origin"] == "*"

    def test_a_batch_larger_than_allowed_is_refused(self, tmp_path: Path) -> None:
        with serving(tmp_path, Settings(requests_per_second=0, largest_body=1000)) as service:
            service.ask("POST", "/api/surveys", b"{" * 1001, token=ADMINISTRATOR)
            assert service.put(bytes(1001)).status == 404  # no survey could be made with so little
        with serving(tmp_path, Settings(requests_per_second=0, largest_body=2000)) as service:
            service.create()
            assert service.put(bytes(2001)).status == 413
            assert service.put(packed([1], 1)).status == 201

    def test_a_closed_survey_takes_nothing(self, service: Service) -> None:
        path, batch, body = "/api/surveys/ages", secrets.token_hex(16), packed([9], 9)
        assert service.put(body, batch=batch).status == 201
        assert service.ask("PATCH", path, {"state": "closed"}, token=ADMINISTRATOR).json["state"] == "closed"
        assert service.put(packed([1], 1)).status == 410
        assert service.put(body, batch=batch).status == 200  # it is counted, whatever happened since
        assert service.put(b"nonsense").status == 400
        assert counted(service).reports == 1
        assert service.ask("PATCH", path, {"state": "open"}, token=ADMINISTRATOR).status == 200
        assert service.put(packed([1], 1)).status == 201


class TestAsking:
    def test_answers_are_the_library_s(self, asked: Service) -> None:
        found = ldp.estimate(ldp.Aggregate.of(PLAN, packed(PEOPLE, 1)))
        share = asked.get("/api/surveys/ages/range?low=18&high=64").json
        expected = found.range(18, 64)
        assert (share["value"], share["low"], share["high"]) == (expected.value, expected.low, expected.high)
        assert (share["from"], share["to"], share["reports"], share["confidence"]) == (18, 64, 2000, 0.95)
        prefix = asked.get("/api/surveys/ages/prefix?value=30&confidence=0.5").json
        assert prefix["low"] == found.prefix(30, confidence=0.5).low
        median = asked.get("/api/surveys/ages/quantiles?q=0.5&q=0.9").json
        assert median["value"] == found.quantiles([0.5, 0.9]).value.tolist()
        cdf = asked.get("/api/surveys/ages/cdf?band=simultaneous").json
        assert cdf["high"] == found.cdf(band="simultaneous").high.tolist()  # type: ignore[union-attr]
        assert cdf["to"] == list(range(120))
        bars = asked.get("/api/surveys/ages/histogram?denoise=true").json
        assert sum(bars["value"]) == pytest.approx(1)
        assert min(bars["value"]) >= 0

    def test_an_overview_has_what_a_dashboard_draws(self, asked: Service) -> None:
        seen = asked.get("/api/surveys/ages/overview").json
        assert seen["reports"] == sum(seen["arrivals"]["reports"]) == 2000
        assert len(seen["cdf"]["to"]) == 120
        assert len(seen["histogram"]["to"]) == 6  # so few answers say little of narrow bars
        assert seen["cdf"]["value"][-1] == pytest.approx(1)
        assert sum(seen["histogram"]["value"]) == pytest.approx(1)
        assert seen["error"]["more"] == 6000
        assert 0 < seen["error"]["typical"] < 1
        assert asked.get(f"/api/surveys/ages/overview?since={seen['version']}").status == 204
        empty = asked.get("/api/surveys/nobody/overview").json
        assert (empty["cdf"], empty["error"], empty["arrivals"]["start"]) == (None, None, [])

    @pytest.mark.parametrize(
        "domain",
        [
            ldp.Domain.real(0, 10, 40),
            ldp.Domain.logarithmic(1, 1000, 30),
            ldp.Domain.dates("2026-01-01", "2026-03-31"),
            ldp.Domain.ordered(["low", "middle", "high"]),
            ldp.Domain.integers(0, 4999),
        ],
        ids=lambda domain: domain.kind,
    )
    def test_every_domain_has_an_overview(self, tmp_path: Path, domain: ldp.Domain) -> None:
        plan = ldp.Plan(domain, 1.0, ldp.Haar(), ldp.HRR())
        values = [domain.lower(index % domain.bins) for index in range(500)]
        with serving(tmp_path) as service:
            service.create(plan=plan)
            assert service.put(ldp.wire.pack(ldp.encode_many(plan, values, seed=1))).status == 201
            seen = service.get("/api/surveys/ages/overview").json
            low, high = seen["histogram"]["from"][0], seen["histogram"]["to"][-1]
            whole = service.get(f"/api/surveys/ages/range?low={low}&high={high}").json
        assert whole["value"] == pytest.approx(1)
        assert 1 < len(seen["cdf"]["to"]) <= 1024

    @pytest.mark.parametrize(
        ("bins", "half", "width", "bars"),
        [
            (120, 10.0, 20, 6),
            (120, 0.05, 10, 12),
            (121, 0.05, 10, 12),  # the last value alone is no bar
            (121, 0.001, 2, 60),
            (126, 0.05, 10, 13),
            (120, 0.02, 5, 24),
            (120, 0.001, 2, 60),
            (64, 0.001, 1, 64),
            (12, 10.0, 2, 6),
            (11, 10.0, 1, 11),
            (5, 10.0, 1, 5),
            (1, 0.0, 1, 1),
            (1 << 26, 0.001, 2_000_000, 34),
        ],
    )
    def test_bars_are_as_wide_as_precision_asks(self, bins: int, half: float, width: int, bars: int) -> None:
        edges = _bar_edges(bins, half)
        widths = [stop - start for start, stop in pairwise(edges)]
        assert (edges[0], edges[-1], len(widths)) == (0, bins, bars)
        assert set(widths[:-1]) <= {width}
        assert width < 2 * widths[-1] <= 3 * width

    def test_an_overview_that_takes_long_is_given_again_for_a_while(
        self, monkeypatch: pytest.MonkeyPatch, asked: Service
    ) -> None:
        monkeypatch.setattr("ldprange.service.overview._LONG", -1.0)
        monkeypatch.setattr("ldprange.service.overview._REST", 1e6)
        overviews, survey, drawn = Overviews(), asked.collector.surveys["ages"], iter(range(9))
        first, again, else_asked = (
            overviews.of(survey, how, lambda: {"drawn": next(drawn)}) for how in ("a", "a", "b")
        )
        assert (first, again, else_asked) == (b'{"drawn":0}', b'{"drawn":0}', b'{"drawn":1}')

    @pytest.mark.parametrize(
        "path",
        [
            "range",
            "range?low=1",
            "range?low=1&high=300",
            "range?low=9&high=1",
            "range?low=a&high=b",
            "range?low=1&high=2&low=3",
            "range?low=1&high=2&colour=red",
            "range?low=1&high=2&confidence=2",
            "range?low=1&high=2&confidence=nan",
            "range?low=1&high=2&denoise=perhaps",
            "prefix",
            "quantiles",
            "quantiles?q=2",
            "quantiles?q=x",
            "cdf?band=wide",
            "histogram?confidence=0",
            "overview?since=x",
        ],
    )
    def test_a_bad_question_gets_the_reason(self, asked: Service, path: str) -> None:
        refused = asked.get(f"/api/surveys/ages/{path}")
        assert refused.status == 400
        assert len(refused.json["error"]) > 10

    def test_before_anybody_answered_there_is_nothing_to_tell(self, asked: Service) -> None:
        assert asked.get("/api/surveys/nobody/cdf").status == 409

    def test_few_reports_can_be_asked_about(self, service: Service) -> None:
        service.put(packed([1], 1))
        assert service.get("/api/surveys/ages/overview").status == 200
        assert service.get("/api/surveys/ages/range?low=1&high=5").status in (200, 400)

    def test_health_and_description_are_for_anybody(self, asked: Service) -> None:
        assert asked.get("/health", token=None).json == {"status": "ok"}
        paths = asked.get("/openapi.json", token=None).json["paths"]
        assert "/api/surveys/{name}/batches/{batch}" in paths

    def test_metrics_count(self, asked: Service) -> None:
        text = asked.get("/metrics").body.decode()
        assert 'ldprange_reports{survey="ages"} 2000' in text
        assert "ldprange_commits_total" in text


class TestAccess:
    @pytest.mark.parametrize(
        ("method", "path", "roles"),
        [
            ("POST", "/api/surveys", {ADMINISTRATOR}),
            ("PATCH", "/api/surveys/ages", {ADMINISTRATOR}),
            ("GET", "/api/surveys", {ADMINISTRATOR, ANALYST}),
            ("GET", "/metrics", {ADMINISTRATOR, ANALYST}),
            ("GET", "/api/surveys/ages/range?low=1&high=2", {ADMINISTRATOR, ANALYST}),
            ("GET", "/api/surveys/ages/overview", {ADMINISTRATOR, ANALYST}),
            ("GET", "/api/surveys/open-to-all/overview", {ADMINISTRATOR, ANALYST, "wrong", None}),
            ("GET", "/api/surveys/ages", {ADMINISTRATOR, ANALYST, "wrong", None}),
            ("GET", "/s/ages", {ADMINISTRATOR, ANALYST, "wrong", None}),
            ("GET", "/d/ages", {ADMINISTRATOR, ANALYST, "wrong", None}),
        ],
    )
    def test_who_may_do_what(self, asked: Service, method: str, path: str, roles: set[str | None]) -> None:
        for token in (ADMINISTRATOR, ANALYST, "wrong", None):
            body: object = {} if method in ("POST", "PATCH") else None
            status = asked.ask(method, path, body, token=token).status
            refused = 403 if token == ANALYST else 401
            assert (status == refused) == (token not in roles), (token, status)

    @pytest.mark.parametrize("path", ["", "/range?low=1&high=2", "/overview"])
    def test_no_survey_of_that_name(self, asked: Service, path: str) -> None:
        assert asked.get(f"/api/surveys/nowhere{path}").status == 404

    @pytest.mark.parametrize(("path", "status"), [("/", 200), ("/s/nowhere", 404), ("/d/nowhere", 404)])
    def test_people_get_pages_and_programs_json(self, asked: Service, path: str, status: int) -> None:
        page = asked.get(path, token=None)
        assert page.status == status
        assert page.headers["content-type"].startswith("text/html")
        assert b"ages" not in page.body.replace(b"pages", b"")  # which surveys there are is not told
        refused = asked.get("/api/surveys/nowhere", token=None)
        assert refused.headers["content-type"] == "application/json"

    def test_tokens_are_kept_as_digests_only(self, tmp_path: Path) -> None:
        with serving(tmp_path) as service:
            service.create()
        assert b"Bearer" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        digests = Store(tmp_path).digests()
        assert all(len(kept) == 32 and role.encode() not in kept for role, kept in digests.items())

    @pytest.mark.parametrize(
        ("address", "host", "origin", "allowed"),
        [
            ("127.0.0.1", "127.0.0.1:8000", None, True),
            ("::1", "[::1]:8000", None, True),
            ("127.0.0.1", "localhost:8000", "http://localhost:8000", True),
            ("10.0.0.5", "survey.example.org", None, True),
            ("10.0.0.5", "survey.example.org", "https://survey.example.org", True),
            ("10.0.0.5", "127.0.0.1:8000", None, False),
            ("10.0.0.5", "10.0.0.1:8000", None, False),
            ("127.0.0.1", "evil.example:8000", None, False),
            ("127.0.0.1", "127.0.0.1:8000", "https://evil.example", False),
            ("10.0.0.5", "survey.example.org", "https://evil.example", False),
            ("10.0.0.5", "survey.example.org", "null", False),
            ("::ffff:127.0.0.1", "localhost:8000", None, True),
            ("127.0.0.1", "user@localhost", None, False),
            ("127.0.0.1", "localhost/evil", None, False),
            ("127.0.0.1", "[", None, False),
            ("127.0.0.1", "localhost", "http://[", False),
            ("127.0.0.1", "localhost", "http://evil@localhost", False),
        ],
    )
    def test_from_where_it_is_administered(
        self, address: str, host: str, origin: str | None, allowed: bool
    ) -> None:
        assert may_administer(address, host, origin, ["https://survey.example.org"]) is allowed

    def test_a_page_elsewhere_cannot_administer(self, asked: Service) -> None:
        headers = {"Origin": "https://evil.example"}
        path, said = "/api/surveys/ages", {"public": True}
        refused = asked.ask("PATCH", path, said, token=ADMINISTRATOR, headers=headers)
        assert refused.status == 403

    def test_an_address_may_not_ask_too_often(self, tmp_path: Path) -> None:
        with serving(tmp_path, Settings(requests_per_second=0.001)) as service:
            assert service.get("/health").status == 200
            refused = service.get("/health")
        assert refused.status == 429
        assert int(refused.headers["retry-after"]) > 0

    def test_addresses_are_counted_apart_and_forgotten(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr("time.monotonic", lambda: now)
        limit = RateLimit(1.0)
        assert [limit.wait("a") for _ in range(3)] == [0, 0, 1]
        assert limit.wait("b") == 0
        now = 1.0
        assert [limit.wait("a") for _ in range(2)] == [0, 1]

    def test_a_household_of_many_addresses_is_one_sender(self) -> None:
        limit = RateLimit(0.5)
        addresses = (
            "2001:db8::1",
            "2001:db8::2",
            "2001:db8:0:1::1",
            "::ffff:10.0.0.1",
            "10.0.0.1",
            "10.0.0.2",
        )
        assert [limit.wait(address) > 0 for address in addresses] == [False, True, False, False, True, False]

    def test_nobody_is_sent_elsewhere(self, asked: Service) -> None:
        assert asked.ask("GET", "/s/ages/", headers={"Host": "evil.example"}).status == 404

    def test_every_page_carries_the_policy(self, asked: Service) -> None:
        for path in ("/", "/s/ages", "/d/ages", "/s/nope", "/static/page.css"):
            assert asked.get(path).headers["content-security-policy"].startswith("default-src 'none'")
        for path in ("/s/ages", "/health", "/nowhere", "/api/surveys/ages", "/metrics"):
            headers = asked.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert "server" not in headers


class TestAdministering:
    @pytest.mark.parametrize(
        "change",
        [
            {"name": "Ages"},
            {"name": "-a"},
            {"name": ""},
            {"name": "a" * 64},
            {"name": 5},
            {"question": ""},
            {"question": "  "},
            {"question": "a\nb"},
            {"question": "a\x00b"},
            {"question": "\ud800"},
            {"question": "x" * 501},
            {"unit": "x" * 41},
            {"unit": None},
            {"public": "yes"},
            {"public": 1},
            {"plan": {}},
            {"plan": None},
            {"plan": {**PLAN.to_dict(), "epsilon": -1}},
            {"plan": {**PLAN.to_dict(), "epsilon": 2}},
            {"colour": "red"},
        ],
    )
    def test_a_bad_survey_is_refused(self, asked: Service, change: dict[str, Any]) -> None:
        good = {"name": "new", "question": "How old are you?", "plan": PLAN.to_dict()}
        refused = asked.describe({**good, **change})
        assert refused.status == 400, refused.body
        assert asked.get("/api/surveys/new").status == 404

    @pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b"[" * 100_000, b"\xff", b"null"])
    def test_a_bad_body_is_refused(self, asked: Service, body: bytes) -> None:
        assert asked.ask("POST", "/api/surveys", body, token=ADMINISTRATOR).status == 400
        assert asked.ask("PATCH", "/api/surveys/ages", body, token=ADMINISTRATOR).status == 400

    @pytest.mark.parametrize("change", [{}, {"state": "shut"}, {"state": 1}, {"public": 1}, {"name": "b"}])
    def test_a_bad_change_is_refused(self, asked: Service, change: dict[str, Any]) -> None:
        assert asked.ask("PATCH", "/api/surveys/ages", change, token=ADMINISTRATOR).status == 400

    def test_a_name_is_given_once(self, service: Service) -> None:
        assert service.create().status == 409

    def test_changes_at_once_do_not_undo_each_other(self, service: Service) -> None:
        """A change whose body comes late is made to the survey as it is then."""
        late = HTTPConnection("127.0.0.1", service.port, timeout=5)
        late.putrequest("PATCH", "/api/surveys/ages")
        late.putheader("Authorization", f"Bearer {ADMINISTRATOR}")
        body = b'{"public":true}'
        late.putheader("Content-Length", str(len(body)))
        late.endheaders()
        closed = service.ask("PATCH", "/api/surveys/ages", {"state": "closed"}, token=ADMINISTRATOR)
        assert closed.json["state"] == "closed"
        late.send(body)
        assert late.getresponse().status == 200
        late.close()
        seen = service.get("/api/surveys/ages").json
        assert (seen["state"], seen["public"]) == ("closed", True)
        assert service.put(packed([1], 1)).status == 410

    def test_a_body_must_come_in_time(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ldprange.service.submit.LONGEST_BODY", 0.05)
        monkeypatch.setattr("ldprange.service.replies.LONGEST_BODY", 0.05)
        for method, path in (("PUT", f"/api/surveys/ages/batches/{'0' * 32}"), ("POST", "/api/surveys")):
            slow = HTTPConnection("127.0.0.1", service.port, timeout=5)
            slow.putrequest(method, path)
            slow.putheader("Authorization", f"Bearer {ADMINISTRATOR}")
            slow.putheader("Content-Type", "application/octet-stream")
            slow.putheader("Content-Length", "100")
            slow.endheaders()
            slow.send(b"x")
            assert slow.getresponse().status == 408
            slow.close()

    def test_changes_outlive_the_collector(self, place: str) -> None:
        with serving(place) as service:
            service.create(unit="years")
            service.ask(
                "PATCH", "/api/surveys/ages", {"state": "closed", "public": True}, token=ADMINISTRATOR
            )
        with serving(place) as service:
            seen = service.get("/api/surveys/ages", token=None).json
        assert (seen["state"], seen["public"], seen["unit"]) == ("closed", True, "years")
        assert ldp.Plan.from_dict(seen["plan"]) == PLAN
