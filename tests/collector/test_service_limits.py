"""What one address may bring: reports, bytes, and never more than the disk can hold."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from pathlib import Path

import pytest

import ldprange as ldp
from ldprange.service import allowances
from ldprange.service.access import RateLimit
from ldprange.service.quota import Quota
from ldprange.service.refusal import Refusal
from ldprange.service.store import OPEN, Store, Survey
from running_collector import ADMINISTRATOR, PLAN, WITHOUT_LIMITS, counted, packed, serving


class TestOneReportAtATime:
    def test_a_page_s_survey_takes_one_report_in_a_submission(self, place: str) -> None:
        with serving(place) as service:
            assert service.create(batches=False).json["batches"] is False
            assert service.put(packed([1], 1)).status == 201
            refused = service.put(packed([1, 2], 2))
            assert (refused.status, "one report at a time, got 2" in refused.json["error"]) == (400, True)
            assert counted(service) == ldp.Aggregate.of(PLAN, packed([1], 1))
        with serving(place) as service:  # and so it stays
            assert service.put(packed([1, 2], 3)).status == 400
            assert counted(service) == ldp.Aggregate.of(PLAN, packed([1], 1))

    def test_it_can_be_changed(self, place: str) -> None:
        with serving(place) as service:
            service.create()
            for allowed, status in ((False, 400), (True, 201)):
                said = {"batches": allowed}
                changed = service.ask("PATCH", "/api/surveys/ages", said, token=ADMINISTRATOR)
                assert changed.json["batches"] is allowed
                assert service.put(packed([1, 2], 1)).status == status
            refused = service.ask("PATCH", "/api/surveys/ages", {"batches": 1}, token=ADMINISTRATOR)
            assert refused.status == 400
        with Store(place) as store:
            assert store.surveys()[0].batches

    def test_it_is_the_default(self, tmp_path: Path) -> None:
        with serving(tmp_path) as service:
            said = {"name": "ages", "question": "How old?", "plan": PLAN.to_dict()}
            assert service.describe(said).json["batches"] is False
            assert service.get("/api/surveys/ages", token=None).json["batches"] is False


class TestReportsAndBytes:
    def test_an_address_may_bring_so_many_reports_an_hour(self, tmp_path: Path) -> None:
        with serving(tmp_path, replace(WITHOUT_LIMITS, reports_per_hour=10)) as service:
            service.create()
            service.create("other")
            assert service.put(packed([1] * 6, 1)).status == 201
            refused = service.put(packed([1] * 6, 2))
            assert (refused.status, "10 reports an hour" in refused.json["error"]) == (429, True)
            assert 600 < int(refused.headers["retry-after"]) <= 720  # two more, at ten an hour
            assert refused.headers["access-control-allow-origin"] == "*"
            assert service.put(packed([1] * 4, 3)).status == 201
            assert service.put(packed([1] * 9, 4), name="other").status == 201
            large = service.put(packed([1] * 11, 5), name="other")
            assert (large.status, "send less" in large.json["error"]) == (413, True)
            assert counted(service).reports == 10
            figures = service.get("/metrics").body.decode()
        assert 'ldprange_over_quota_total{of="reports"} 2' in figures
        assert "ldprange_has_room 1" in figures

    def test_an_address_may_bring_so_many_bytes_an_hour(self, tmp_path: Path) -> None:
        body = packed([1] * 20, 1)
        with serving(tmp_path, replace(WITHOUT_LIMITS, bytes_per_hour=2 * len(body))) as service:
            service.create()
            assert [service.put(packed([1] * 20, seed)).status for seed in (1, 1, 1)] == [201, 201, 429]

    def test_what_is_not_taken_costs_nothing(self, tmp_path: Path) -> None:
        settings = replace(WITHOUT_LIMITS, reports_per_hour=3, bytes_per_hour=1000)
        with serving(tmp_path, settings) as service:
            service.create()
            batch, body = secrets.token_hex(16), packed([1], 1)
            again = [service.put(body, batch=batch).status for _ in range(9)]
            assert again == [201] + [200] * 8
            assert {service.put(packed([2], 2), batch=batch).status for _ in range(9)} == {409}
            assert {service.put(b"nonsense").status for _ in range(9)} == {400}
            assert {service.put(body[:-1] + b"\xff").status for _ in range(9)} == {400}
            assert [service.put(packed([1], seed)).status for seed in (3, 4, 5)] == [201, 201, 429]

    def test_addresses_are_remembered_within_bounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(allowances, "_MAX_REMEMBERED", 100)
        limit, brought = RateLimit(0.5), Quota(1, 0)
        survey, body = Survey(1, "ages", "How old?", "", False, OPEN, PLAN), packed([1], 1)
        addresses = [f"10.0.{number // 256}.{number % 256}" for number in range(1000)]
        assert not any(map(limit.wait, addresses))
        assert all(brought.spend(address, survey, body) for address in addresses)
        assert len(limit._allowances._left) == len(brought._allowances._left) == 100
        assert limit.wait(addresses[-1]) > 0  # the latest is known
        with pytest.raises(Refusal, match="1 reports an hour"):
            brought.spend(addresses[-1], survey, body)

    def test_what_was_brought_is_allowed_again_in_the_course_of_an_hour(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = 0.0
        monkeypatch.setattr("time.monotonic", lambda: now)
        brought = Quota(10, 0)
        survey = Survey(1, "ages", "How old?", "", False, OPEN, PLAN, batches=True)
        brought.spend("a", survey, packed([1] * 10, 1))
        for now, reports in ((360.0, 1), (1080.0, 2), (1e6, 10)):  # noqa: B007 (it is the clock)
            with pytest.raises(Refusal, match="10 reports an hour"):
                brought.spend("a", survey, packed([1] * (reports + 1), 1))
            brought.spend("a", survey, packed([1] * reports, 1))


class TestDisk:
    def test_a_disk_that_is_nearly_full_takes_no_more(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = replace(WITHOUT_LIMITS, least_free_bytes=500_000_000)
        batch, body = secrets.token_hex(16), packed([1], 1)
        with serving(tmp_path, settings) as service:
            service.create()
            assert service.put(body, batch=batch).status == 201
            monkeypatch.setattr(Store, "free_bytes", lambda self: 499_999_999)
            refused = service.put(packed([2], 2))
            assert (refused.status, "nearly full" in refused.json["error"]) == (507, True)
            assert int(refused.headers["retry-after"]) > 0
            assert service.put(body, batch=batch).status == 200  # it is there, whatever happened since
            assert service.get("/health").status == 503
            assert "ldprange_has_room 0" in service.get("/metrics").body.decode()
            assert counted(service).reports == 1
            monkeypatch.undo()
            assert service.put(packed([2], 2)).status == 201
            assert service.get("/health").status == 200

    def test_how_much_is_free_is_known_of_a_directory_only(self, place: str, tmp_path: Path) -> None:
        disk = os.statvfs(tmp_path)
        with Store(place, create=True) as store:
            free = store.free_bytes()
        assert (free is None) == ("://" in place)
        assert free is None or 0 <= free <= disk.f_blocks * disk.f_frsize
