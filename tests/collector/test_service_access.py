"""The collector over HTTP: who may do what, and administering it."""

from __future__ import annotations

import select
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from ldprange.service.access import RateLimit, may_administer
from ldprange.service.settings import Settings
from ldprange.service.store import Store
from running_collector import ADMINISTRATOR, ANALYST, PLAN, Service, packed, serving


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

    def test_what_is_missing_or_unknown_in_it_is_named(self, asked: Service) -> None:
        good = {"name": "new", "question": "How old are you?", "plan": PLAN.to_dict()}
        assert b"got 'colour' besides" in asked.describe({**good, "colour": "red"}).body
        assert b"got no question" in asked.describe({key: good[key] for key in ("name", "plan")}).body

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
        monkeypatch.setattr("ldprange.service.bodies.MAX_SECONDS", 0.05)
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
        assert service.put(packed([1], 1)).status == 201

    def test_bodies_under_way_have_one_limit(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ldprange.service.bodies._MAX_BYTES", 150)
        begun = []
        for _ in range(2):
            slow = HTTPConnection("127.0.0.1", service.port, timeout=5)
            slow.putrequest("PUT", f"/api/surveys/ages/batches/{'0' * 32}")
            slow.putheader("Content-Type", "application/octet-stream")
            slow.putheader("Content-Length", "1000")
            slow.endheaders()
            slow.send(b"x" * 100)
            begun.append(slow)
        ready, _, _ = select.select([each.sock for each in begun], [], [], 5)
        refused = next(each for each in begun if each.sock in ready)
        answer = refused.getresponse()
        assert (answer.status, answer.getheader("retry-after")) == (503, "1")
        for each in begun:
            each.close()
        assert service.put(packed([1], 1)).status == 201

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
