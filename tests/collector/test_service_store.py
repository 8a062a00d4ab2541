"""The store and its writer: durable, alone, and right again after any failure."""

from __future__ import annotations

import secrets
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import func, insert, select, text

import ldprange as ldp
from aggregate_vectors import file_of_version_1
from command_line_survey import run
from ldprange.errors import StoreError
from ldprange.service.live_aggregate import Live
from ldprange.service.schema import ARRIVALS, RECENT, SORTED
from ldprange.service.store import OPEN, Kept, Store, Survey
from postgresql_server import emptied
from running_collector import ADMINISTRATOR, PLAN, Service, packed, serving

ROOT = Path(__file__).parents[2]


def aggregate_in(place: str) -> ldp.Aggregate:
    with Store(place) as store:
        return Live.load(store, store.surveys()[0]).aggregate()


def test_a_commit_is_synced(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store, store._engine.connect() as connection:
        assert connection.scalar(text("pragma journal_mode")) == "wal"
        assert connection.scalar(text("pragma synchronous")) == 2  # FULL


def test_one_writes_and_others_read(place: str) -> None:
    with Store(place, create=True) as first, Store(place) as second:
        first.lock()
        first.lock()  # again is no harm
        with pytest.raises(StoreError, match="another does"):
            second.lock()
        assert second.surveys() == []
    with Store(place) as third:
        third.lock()


def test_a_lock_of_a_service_that_died_is_waited_for(database: str) -> None:
    """The server of a database takes a moment to see that whoever held a lock was killed."""
    with Store(emptied(database), create=True) as dead, Store(database) as new:
        dead.lock()
        dying = threading.Timer(0.5, dead.close)
        dying.start()
        new.lock()
        dying.join()


def test_what_is_sorted_and_what_came_since_are_all_that_came(place: str) -> None:
    bodies = [packed([seed % 120] * (seed % 4 + 1), seed) for seed in range(30)]
    with Store(place, create=True) as store:
        store.lock()
        survey = store.add_survey(Survey(0, "ages", "How old?", "", False, OPEN, PLAN))
        assert survey is not None
        for number, body in enumerate(bodies, 1):
            generation = number // 10
            kept = Kept(survey.id, secrets.token_bytes(16), body, number % 4 + 1, generation)
            assert len(store.keep([kept], 3600 * number)) == 1
            if number in (12, 25):  # the generation before, while this one has begun
                counted = ldp.Aggregate.of(PLAN, bodies[: 10 * generation - 1])
                # the first as the collector stored it before aggregates had a version 2
                stored = file_of_version_1(counted) if number == 12 else counted.to_bytes()
                store.sort(survey.id, generation - 1, stored)
            assert Live.load(store, survey).aggregate() == ldp.Aggregate.of(PLAN, bodies[:number])
        assert store.last_generation(survey.id) == 3
        with store._engine.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(SORTED)) == 19
            assert connection.scalar(select(func.count()).select_from(RECENT)) == 11


def test_many_years_of_arrivals_are_told_in_few_steps(place: str) -> None:
    hours = 3 * 365 * 24
    with serving(place) as service:
        service.create()
        service.put(packed([1], 1))
        now = service.get("/api/surveys/ages/overview").json["arrivals"]
        assert (len(now["start"]), now["reports"]) == (1, [1])
        (last,) = now["start"]
        with service.collector.store._engine.begin() as connection:
            earlier = [{"survey": 1, "hour": last - 3600 * ago, "reports": 2} for ago in range(1, hours)]
            connection.execute(insert(ARRIVALS), earlier)
        assert service.put(packed([2], 2)).status == 201
        told = service.get("/api/surveys/ages/overview").json["arrivals"]
    assert sum(told["reports"]) == 2 * hours
    assert 256 < len(told["start"]) <= 512
    step = 3600 * (1 + (hours - 1) // 512)
    assert {later - earlier for earlier, later in pairwise(told["start"])} == {step}
    assert told["start"][0] == last - 3600 * (hours - 1)


def test_a_transaction_of_which_nothing_is_known(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was kept, but the answer got lost: nobody is told so, and it counts once when it comes again."""
    keep, failing = Store.keep, [True]

    def kept_and_lost(self: Store, batches: Sequence[Kept], hour: int) -> set[tuple[int, bytes]]:
        new = keep(self, batches, hour)
        if failing:
            failing.pop()
            raise OSError("the connection is gone")
        return new

    with serving(place) as service:
        service.create()
        monkeypatch.setattr(Store, "keep", kept_and_lost)
        batch, body = secrets.token_hex(16), packed([1, 2, 3], 1)
        lost = service.put(body, batch=batch)
        assert lost.status == 503
        assert "same id" in lost.json["error"]
        assert lost.headers["retry-after"] == "1"
        assert service.put(body, batch=batch).status == 200
        assert service.put(packed([4], 2)).status == 201
        assert service.get("/health").status == 200
        assert service.collector.writer.live(service.collector.surveys["ages"]).reports == 4
    assert aggregate_in(place) == ldp.Aggregate.of(PLAN, [body, packed([4], 2)])


def test_a_store_that_cannot_be_written_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [True]
    keep = Store.keep

    def full(self: Store, *arguments: Any) -> set[tuple[int, bytes]]:
        if broken:
            raise OSError("no space left")
        return keep(self, *arguments)

    surveys = Store.surveys

    def unreachable(self: Store) -> list[Survey]:
        if broken:
            raise OSError("no space left")
        return surveys(self)

    with serving(tmp_path) as service:
        service.create()
        monkeypatch.setattr(Store, "keep", full)
        monkeypatch.setattr(Store, "surveys", unreachable)
        assert service.put(packed([1], 1)).status == 503
        assert service.get("/health").status == 503
        broken.clear()
        for _ in range(100):  # without any submission
            if service.get("/health").status == 200:
                break
            time.sleep(0.05)
        assert service.get("/health").status == 200
        assert service.put(packed([1], 1)).status == 201


def test_connections_that_a_database_ends(database: str) -> None:
    """All of them, again and again under load, the lock's too: acknowledged is counted all the same."""
    place = emptied(database)
    acknowledged: list[bytes] = []
    ending = threading.Event()

    def send(service: Service, number: int) -> None:
        seed = number
        while not ending.is_set():
            body, batch = packed([seed % 120], seed), secrets.token_hex(16)
            while service.put(body, batch=batch).status not in (200, 201):
                time.sleep(0.02)
            acknowledged.append(body)
            seed += 10

    with serving(place) as service:
        service.create()
        threads = [threading.Thread(target=send, args=[service, number]) for number in range(4)]
        for thread in threads:
            thread.start()
        with psycopg.connect(place, autocommit=True) as connection:
            for _ in range(8):
                time.sleep(0.3)
                connection.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where pid <> pg_backend_pid() and backend_type = 'client backend'"
                )
        # the lock comes back with the next batch that is written; each sender may wait for one from before
        enough, deadline = max(100, len(acknowledged) + len(threads)), time.monotonic() + 120
        while len(acknowledged) <= enough and time.monotonic() < deadline:
            time.sleep(0.02)
        ending.set()
        for thread in threads:
            thread.join()
        assert service.get("/health").status == 200
        with pytest.raises(StoreError, match="another does"), Store(place) as other:
            other.lock()
    assert len(acknowledged) > 100
    assert aggregate_in(place) == ldp.Aggregate.of(PLAN, acknowledged)


def test_a_store_that_is_moved_takes_no_more(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.create()
        (tmp_path / "ldprange.sqlite").rename(tmp_path / "elsewhere.sqlite")
        assert service.put(packed([1], 1)).status == 503
        (tmp_path / "elsewhere.sqlite").rename(tmp_path / "ldprange.sqlite")


def test_a_store_that_another_keeps_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldprange.service.locations._BUSY", 50)
    with serving(tmp_path) as service:
        service.create()
        with sqlite3.connect(tmp_path / "ldprange.sqlite", isolation_level=None) as other:
            other.execute("begin immediate")
            for method, path, said in (
                ("PATCH", "/api/surveys/ages", {"public": True}),
                ("POST", "/api/surveys", {"name": "b", "question": "B?", "plan": PLAN.to_dict()}),
            ):
                busy = service.ask(method, path, said, token=ADMINISTRATOR)
                assert (busy.status, busy.headers["retry-after"]) == (503, "1")
            other.execute("rollback")
        other.close()
        assert service.ask("PATCH", "/api/surveys/ages", {"public": True}, token=ADMINISTRATOR).status == 200


def test_only_its_owner_can_read_a_store(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    victim = tmp_path / "victim"
    victim.write_text("somebody's")
    with serving(tmp_path / "data") as service:
        service.create()
        modes = {file.name: oct(file.stat().st_mode)[-3:] for file in (tmp_path / "data").iterdir()}
    assert set(modes.values()) == {"600"}, modes
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "lock").symlink_to(victim)
    assert run("serve", "--data", tmp_path / "linked", "--port", "0").exit_code == 2
    assert victim.read_text() == "somebody's"


def test_a_store_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store, store._engine.begin() as connection:
        connection.execute(text("update ldprange_format set version = 3"))
    refused = run("serve", "--data", tmp_path, "--port", "0")
    assert refused.exit_code == 2
    assert "upgrade ldprange" in refused.stderr


def test_a_package_has_the_pages_and_the_client(tmp_path: Path) -> None:
    wheel_of = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    wheel_of += ["--config-settings", "wheel.cmake=false"]  # pages are no matter of the compiled kernels
    subprocess.run([*wheel_of, "-w", str(tmp_path), str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if "/service/static/" in name}
    assert names == {file.name for file in (ROOT / "src/ldprange/service/static").iterdir()}


def test_a_batch_after_one_that_came_twice_is_counted_after_a_crash(place: str) -> None:
    """A second process sees what the collector would, were it killed now."""
    batch = "0" * 32
    with serving(place) as service:
        service.create()
        assert service.put(packed([1], 1), batch=batch).status == 201
        assert service.put(packed([1], 1), batch=batch).status == 200
    with serving(place) as service:
        assert service.put(packed([2, 3], 2)).status == 201
        with Store(place) as seen_after_a_crash:
            assert Live.load(seen_after_a_crash, seen_after_a_crash.surveys()[0]).reports == 3
