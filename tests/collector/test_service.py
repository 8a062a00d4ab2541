"""The collector over HTTP: submitting and asking."""

from __future__ import annotations

import secrets
import threading
from itertools import pairwise
from pathlib import Path

import pytest

import ldprange as ldp
from ldprange.prediction import WANTED_MARGIN
from ldprange.sampling import Population
from ldprange.service.overview import Overviews, _bar_edges
from ldprange.service.questions import Estimates
from ldprange.service.settings import Settings
from running_collector import ADMINISTRATOR, PEOPLE, PLAN, Service, copies, counted, packed, serving


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
        assert "different bytes" in refused.json["error"]
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
            (b"\x03" + bytes(20), "version"),
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
        assert (share["reports"], share["confidence"]) == (2000, 0.95)
        # by attribute, of which an only one has no name
        assert (share["attributes"], share["from"], share["to"]) == ([""], [18], [64])
        prefix = asked.get("/api/surveys/ages/prefix?value=30&confidence=0.5").json
        assert prefix["low"] == found.prefix(30, confidence=0.5).low
        median = asked.get("/api/surveys/ages/quantiles?q=0.5&q=0.9").json
        assert median["value"] == found.quantiles([0.5, 0.9]).value.tolist()
        mean = asked.get("/api/surveys/ages/mean?confidence=0.9").json
        assert (mean["value"], mean["high"]) == (found.mean().value, found.mean(confidence=0.9).high)
        cdf = asked.get("/api/surveys/ages/cdf?band=simultaneous").json
        assert cdf["high"] == found.cdf(band="simultaneous").high.tolist()  # type: ignore[union-attr]
        assert cdf["to"] == list(range(120))
        populations: list[Population] = ["respondents", 5000.0, None]
        for population in populations:
            text = "endless" if population is None else f"{population}".removesuffix(".0")
            ages = asked.get(f"/api/surveys/ages/range?low=18&high=64&population={text}").json
            by_library = ldp.estimate(ldp.Aggregate.of(PLAN, packed(PEOPLE, 1)), population=population)
            assert ages["low"] == by_library.range(18, 64).low
            assert ages["population"] == (population or "endless")
        bars = asked.get("/api/surveys/ages/histogram?denoise=true").json
        assert sum(bars["value"]) == pytest.approx(1)
        assert min(bars["value"]) >= 0

    def test_an_overview_has_what_a_dashboard_draws(self, asked: Service) -> None:
        seen = asked.get("/api/surveys/ages/overview").json
        assert seen["reports"] == sum(seen["arrivals"]["reports"]) == 2000
        assert len(seen["cdf"]["to"]) == 120
        assert len(seen["histogram"]["to"]) == 2  # so few answers say little of narrow bars
        assert seen["cdf"]["value"][-1] == pytest.approx(1)
        assert sum(seen["histogram"]["value"]) == pytest.approx(1)
        assert seen["error"]["more"] == 6000
        assert 0 < seen["error"]["typical"] < 1
        assert seen["error"]["wanted"] == WANTED_MARGIN
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
            (120, 10.0, 50, 2),
            (120, 0.13, 30, 4),
            (120, 0.05, 10, 12),
            (121, 0.05, 10, 12),  # the last value alone is no bar
            (121, 0.001, 2, 60),
            (126, 0.05, 10, 13),
            (120, 0.02, 5, 24),
            (120, 0.001, 2, 60),
            (64, 0.001, 1, 64),
            (13, 10.0, 5, 3),
            (12, 10.0, 1, 12),
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
            overviews.of(survey, version, how, lambda: (number := next(drawn), {"drawn": number}))
            for version, how in enumerate(("a", "a", "b"))
        )
        assert (first, again, else_asked) == (b'{"drawn":0}', b'{"drawn":0}', b'{"drawn":1}')

    def test_an_overview_is_drawn_once_until_there_is_something_new(self, asked: Service) -> None:
        overviews, survey = Overviews(), asked.collector.surveys["ages"]
        versions = iter((4, 6))
        found = [
            overviews.of(survey, version, "a", lambda: (number := next(versions), {"drawn": number}))
            for version in (4, 4, 5, 6)
        ]
        assert found == [b'{"drawn":4}'] * 2 + [b'{"drawn":6}'] * 2

    def test_a_population_may_be_typed_as_users_are(self, asked: Service) -> None:
        plain, *others = (
            asked.get(f"/api/surveys/ages/range?low=18&high=64&population={text}").json
            for text in ("50000", "50,000", "5e4", "5E%2B4")
        )
        assert plain["population"] == 50_000
        assert others == [plain] * 3

    def test_whoever_asks_of_many_populations_fills_no_memory(self, asked: Service) -> None:
        estimates, survey = Estimates(), asked.collector.surveys["ages"]
        made = [
            estimates.of(asked.collector, survey, denoised, population)
            for denoised in (False, True)
            for population in (None, *range(2000, 2010))
        ]
        assert len({id(found) for found in made}) == 22
        assert len(estimates._held) == 4
        assert estimates.of(asked.collector, survey, True, 2009) is made[-1]
        assert estimates.of(asked.collector, survey, False) is made[0]

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
            "range?low=1&high=2&population=many",
            "range?low=1&high=2&population=1999",
            "range?low=1&high=2&population=0",
            "range?low=1&high=2&population=1e16",
            f"range?low=1&high=2&population={'9' * 400}",
            f"range?low=1&high=2&population={'9' * 5000}",
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


def test_made_up_reports_are_told_of(service: Service) -> None:
    """A thousand copies of one report among three thousand honest ones."""
    service.put(packed([30, 40, 50] * 1000, 1))
    honest = service.get("/api/surveys/ages/check")
    assert (honest.status, honest.json["suspicious"], honest.json["reports"]) == (200, False, 3000)
    service.put(copies(PLAN, 1000))
    found = service.get("/api/surveys/ages/check").json
    assert (found["suspicious"], found["reports"]) == (True, 4000)
    assert "levels" in {finding["kind"] for finding in found["findings"]}
    assert service.get("/api/surveys/ages/check", token=None).status == 401
    refused = service.get("/api/surveys/ages/check?level=1")
    assert (refused.status, refused.json["error"]) == (400, "this takes no parameters; got 'level'")


def test_nothing_is_checked_before_anybody_answered(service: Service) -> None:
    assert service.get("/api/surveys/ages/check").json["suspicious"] is False
