"""What a survey's owner does with it: plan it, correct it, delete it."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

import ldprange as ldp
from command_line_survey import done, run
from ldprange.prediction import WANTED_MARGIN
from ldprange.service.locations import url_of
from running_collector import ADMINISTRATOR, ANALYST, Service, packed, serving

TABLES = ("ldprange_recent", "ldprange_sorted", "ldprange_aggregates", "ldprange_hours")
AGES = ldp.Domain.integers(0, 119)


def planned(service: Service, **more: Any) -> Any:
    said = {"domain": AGES.to_dict(), "epsilon": 1.0, "users": 10_000, **more}
    return service.ask("POST", "/api/plans", said, token=ADMINISTRATOR)


def change(service: Service, changes: object, name: str = "ages") -> Any:
    return service.ask("PATCH", f"/api/surveys/{name}", changes, token=ADMINISTRATOR)


def delete(service: Service, name: str = "ages", token: str | None = ADMINISTRATOR) -> int:
    return service.ask("DELETE", f"/api/surveys/{name}", token=token).status


def rows(place: str, survey: int) -> list[int]:
    """Return how many rows each table has of a survey."""
    engine = create_engine(url_of(place, create=False))
    with engine.connect() as connection:
        counts = [
            connection.scalar(text(f"select count(*) from {table} where survey = {survey}"))  # noqa: S608
            for table in TABLES
        ]
        counts.append(connection.scalar(text(f"select count(*) from ldprange_surveys where id = {survey}")))  # noqa: S608
    engine.dispose()
    return [int(count or 0) for count in counts]


class TestPlanning:
    def test_it_is_the_plan_of_the_library(self, asked: Service) -> None:
        plan = ldp.choose_plan(AGES, epsilon=1.0, expected_users=10_000)
        told = planned(asked).json
        assert ldp.Plan.from_dict(told["plan"]) == plan
        assert told["typical"] == pytest.approx(1.96 * plan.predict(10_000).range_rmse, rel=1e-3)
        assert told["wanted"] == WANTED_MARGIN

    def test_what_cells_hide_is_in_what_is_promised(self, asked: Service) -> None:
        four = ldp.Domain.product(**dict.fromkeys("abcd", ldp.Domain.integers(1, 64)))
        best = ldp.compare_plans(four, epsilon=1.0, expected_users=10_000).best
        told = planned(asked, domain=four.to_dict()).json
        assert told["typical"] == pytest.approx(1.96 * best.range_rmse, rel=1e-3)
        assert best.range_rmse > best.prediction.range_rmse

    @pytest.mark.parametrize(
        ("said", "words"),
        [
            ({"domain": AGES.to_dict(), "epsilon": 1.0}, "and this one lacks 'users'"),
            ({"domain": {}, "epsilon": 1.0, "users": 1, "people": 1}, "also has 'people'"),
            ([], "an object with domain, epsilon and users, got []"),
        ],
    )
    def test_what_is_missing_is_told(self, asked: Service, said: object, words: str) -> None:
        refused = asked.ask("POST", "/api/plans", said, token=ADMINISTRATOR)
        assert (refused.status, words in refused.json["error"]) == (400, True)

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"domain": {"kind": "integers", "low": 0, "high": 1 << 17}}, "at most 65536 bins"),
            ({"domain": {"kind": "colours"}}, "domain"),
            ({"domain": 3}, "must be an object"),
            ({"epsilon": 0}, "above 0"),
            ({"epsilon": "much"}, "number"),
            ({"users": 0}, "users"),
            ({"users": None}, "users"),
            ({"more": 1}, "domain, epsilon and users"),
        ],
    )
    def test_what_cannot_be_planned_is_told(self, asked: Service, wrong: dict[str, Any], words: str) -> None:
        refused = planned(asked, **wrong)
        assert refused.status == 400
        assert words in refused.json["error"]

    def test_it_takes_the_administrators_token(self, asked: Service) -> None:
        for token, status in ((ANALYST, 403), (None, 401)):
            assert asked.ask("POST", "/api/plans", {}, token=token).status == status


class TestCorrecting:
    def test_a_typo_is_corrected_before_anybody_answers(self, place: str) -> None:
        with serving(place) as service:
            service.create(question="How lod are you?")
            changed = change(service, {"question": " How old are you? ", "unit": "years"})
            assert (changed.status, changed.json["question"], changed.json["unit"]) == (
                200,
                "How old are you?",
                "years",
            )
            service.put(packed([7], 1))
            refused = change(service, {"unit": "months"})
            assert refused.status == 409
            assert "make another survey" in refused.json["error"]
            assert change(service, {"state": "closed"}).status == 200
        with serving(place) as service:
            kept = service.get("/api/surveys/ages").json
            assert (kept["question"], kept["unit"], kept["state"]) == ("How old are you?", "years", "closed")

    @pytest.mark.parametrize(
        "changes", [{"question": ""}, {"question": "a\nb"}, {"unit": "x" * 41}, {"question": 3}]
    )
    def test_texts_are_held_to_the_same_rules_as_new_ones(
        self, asked: Service, changes: dict[str, Any]
    ) -> None:
        assert change(asked, changes, "nobody").status == 400
        assert asked.get("/api/surveys/nobody").json["question"] == "How old are you?"


class TestDeleting:
    def test_nothing_of_it_is_left_in_the_database(self, place: str) -> None:
        with serving(place) as service:
            for name in ("ages", "others"):
                service.create(name)
                service.put(packed([7] * 50, 1), name=name)
            first, second = (service.collector.surveys[name].id for name in ("ages", "others"))
        with serving(place) as service:  # what came before is sorted now
            service.put(packed([8] * 50, 2))
            assert min(rows(place, first)) == 1
            assert delete(service) == 204
            assert rows(place, first) == [0] * 5
            assert rows(place, second)[1:] == [1, 1, 1, 1]
            assert service.get("/api/surveys/ages").status == 404
            assert service.put(packed([7], 3)).status == 404
            assert delete(service) == 404
            listed = service.get("/api/surveys").json["surveys"]
            assert [(each["name"], each["reports"]) for each in listed] == [("others", 50)]
            assert service.get("/api/surveys/others/range?low=0&high=10").json["reports"] == 50
            assert "ages" not in service.get("/metrics").body.decode()
        with serving(place) as service:
            assert [each["name"] for each in service.get("/api/surveys").json["surveys"]] == ["others"]

    def test_the_files_have_no_trace_of_it(self, tmp_path: Path) -> None:
        bodies = {secrets.token_bytes(16): packed([number % 120], number) for number in range(300)}
        with serving(tmp_path) as service:
            service.create("secret-survey", question="Who killed Laura Palmer?")
            for batch, body in list(bodies.items())[:200]:
                assert service.put(body, name="secret-survey", batch=batch.hex()).status == 201
        with serving(tmp_path) as service:  # some are sorted, some are not
            for batch, body in list(bodies.items())[200:]:
                assert service.put(body, name="secret-survey", batch=batch.hex()).status == 201
            traces = (b"secret-survey", b"Laura Palmer", *bodies)
            assert all(trace in _bytes_in(tmp_path) for trace in traces)
            assert delete(service, "secret-survey") == 204
            left = _bytes_in(tmp_path)
            assert [trace for trace in traces if trace in left] == []
        file = sqlite3.connect(tmp_path / "ldprange.sqlite")
        assert file.execute("pragma integrity_check").fetchone() == ("ok",)
        file.close()

    def test_a_new_one_of_its_name_begins_anew(self, place: str) -> None:
        with serving(place) as service:
            service.create()
            service.put(packed([7] * 50, 1), batch="00" * 16)
            assert service.get("/api/surveys/ages/overview").json["reports"] == 50
            before = service.collector.surveys["ages"].id
            assert delete(service) == 204
            assert service.create().status == 201
            assert service.collector.surveys["ages"].id > before
            assert service.get("/api/surveys/ages/overview").json["reports"] == 0
            assert service.put(packed([9] * 60, 2), batch="00" * 16).status == 201
            assert service.get("/api/surveys/ages/range?low=0&high=10").json["reports"] == 60

    def test_reports_on_their_way_do_not_reach_the_next_of_its_name(self, service: Service) -> None:
        body = packed([7], 1)
        late = HTTPConnection("127.0.0.1", service.port, timeout=10)
        late.putrequest("PUT", f"/api/surveys/ages/batches/{os.urandom(16).hex()}")
        late.putheader("Content-Type", "application/octet-stream")
        late.putheader("Content-Length", str(len(body)))
        late.endheaders(body[:3])
        while not service.collector.bodies._begun:  # the collector knows for which survey it comes
            pass
        assert delete(service) == 204
        assert service.create().status == 201
        late.send(body[3:])
        assert late.getresponse().status == 404
        late.close()
        assert service.get("/api/surveys").json["surveys"][0]["reports"] == 0

    def test_it_may_happen_while_many_answer(self, service: Service) -> None:
        found: list[int] = []

        def answer(number: int) -> None:
            found.extend(service.put(packed([7], number + step)).status for step in range(20))

        threads = [threading.Thread(target=answer, args=[100 * number]) for number in range(4)]
        for thread in threads:
            thread.start()
        while not found:
            pass
        assert delete(service) == 204
        for thread in threads:
            thread.join()
        assert set(found) == {201, 404}
        assert service.get("/health").status == 200
        assert service.create().status == 201
        assert service.put(packed([7], 1)).status == 201

    def test_it_takes_the_administrators_token(self, asked: Service) -> None:
        for token, status in ((ANALYST, 403), (None, 401)):
            assert delete(asked, token=token) == status
        assert asked.get("/api/surveys/ages").status == 200

    def test_on_the_command_line_it_is_confirmed(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LDPRANGE_TOKEN", ADMINISTRATOR)
        server = ("--server", f"http://127.0.0.1:{service.port}")
        refused = run("survey", "delete", "ages", *server)
        assert refused.exit_code == 2
        assert "--yes" in refused.stderr
        assert service.get("/api/surveys/ages").status == 200
        assert done("survey", "delete", "ages", "--yes", *server) == "ages is deleted\n"
        assert service.get("/api/surveys/ages").status == 404
        assert "no survey named 'ages'" in run("survey", "delete", "ages", "--yes", *server).stderr


def test_a_typo_is_corrected_on_the_command_line(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDPRANGE_TOKEN", ADMINISTRATOR)
    server = ("--server", f"http://127.0.0.1:{service.port}")
    said = done("survey", "correct", "ages", "--question", "How old are you?", "--unit", "years", *server)
    assert said == "ages asks “How old are you?”\n"
    about = service.get("/api/surveys/ages").json
    assert (about["question"], about["unit"]) == ("How old are you?", "years")
    assert "--question or --public" in run("survey", "correct", "ages", *server).stderr
    assert service.put(packed([7], 1)).status == 201
    late = run("survey", "correct", "ages", "--question", "How tall are you?", *server)
    assert late.exit_code == 2
    assert service.get("/api/surveys/ages").json["question"] == "How old are you?"
    said = done("survey", "correct", "ages", "--public", "--batches", *server)
    assert said == "ages shows its results to anybody, takes many reports in a submission\n"
    about = service.get("/api/surveys/ages").json
    assert (about["public"], about["batches"]) == (True, True)
    done("survey", "correct", "ages", "--private", "--no-batches", *server)
    about = service.get("/api/surveys/ages").json
    assert (about["public"], about["batches"]) == (False, False)


def _bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))
