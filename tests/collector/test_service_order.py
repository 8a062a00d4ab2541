"""Nothing that is kept tells when a batch came, beyond its hour."""

from __future__ import annotations

import random
import re
import secrets
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

import ldprange as ldp
from aggregate_vectors import file_of_version_1
from ldprange.service import writer
from ldprange.service.live_aggregate import Live
from ldprange.service.locations import url_of
from ldprange.service.store import Store
from running_collector import PLAN, packed, serving

FIRST = 1_700_000_000 // 3600 * 3600
BODIES = {secrets.token_bytes(16): packed([number % 120], number) for number in range(300)}

# a store of version 1, as it was made
OLD = """
create table ldprange_format (version integer primary key);
create table ldprange_surveys (id integer primary key, name varchar(63) not null unique,
    question text not null, unit text not null, public boolean not null,
    state varchar(6) not null, plan text not null);
create table ldprange_batches (number bigint primary key,
    survey integer not null references ldprange_surveys (id), batch BYTES not null, body BYTES not null,
    unique (survey, batch));
create table ldprange_arrivals (survey integer not null references ldprange_surveys (id),
    minute bigint not null, reports bigint not null, primary key (survey, minute));
create table ldprange_snapshots (survey integer primary key references ldprange_surveys (id),
    upto bigint not null, aggregate BYTES not null);
create table ldprange_tokens (role varchar(13) primary key, digest BYTES not null);
"""

Clock = Callable[[float], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return how to set the clock by which the collector tells the hour."""
    now = [float(FIRST)]

    class Time:
        perf_counter = staticmethod(time.perf_counter)

        @staticmethod
        def time() -> float:
            return now[0]

    monkeypatch.setattr(writer, "time", Time)

    def set_clock(seconds: float) -> None:
        now[0] = seconds

    return set_clock


def kept_in(place: Path, order: list[bytes], clock: Clock) -> bytes:
    """Submit the batches in an order, some each minute, and return the files that are left."""
    with serving(place) as service:
        service.create()
        for at, batch in enumerate(order):
            clock(FIRST + 10.0 * at)  # all within an hour
            assert service.put(BODIES[batch], batch=batch.hex()).status == 201
    return b"".join(file.read_bytes() for file in sorted(place.iterdir()))


def test_the_files_are_the_same_whatever_order_batches_came_in(tmp_path: Path, clock: Clock) -> None:
    order = list(BODIES)
    files = []
    for number in range(3):
        random.Random(number).shuffle(order)  # noqa: S311 (not a secret)
        files.append(kept_in(tmp_path / str(number), order, clock))
    places = [
        [[found.start() for found in re.finditer(re.escape(batch), file)] for batch in BODIES]
        for file in files
    ]
    assert places[0] == places[1] == places[2]
    assert all(places[0])


def test_no_column_has_an_order_or_a_time(tmp_path: Path, clock: Clock) -> None:
    kept_in(tmp_path, list(BODIES), clock)
    file = sqlite3.connect(tmp_path / "ldprange.sqlite")
    columns = {
        table: [row[1] for row in file.execute(f"pragma table_info({table})")]
        for (table,) in file.execute("select name from sqlite_master where type = 'table'").fetchall()
    }
    assert columns["ldprange_sorted"] == ["survey", "batch", "body"]
    assert columns["ldprange_hours"] == ["survey", "hour", "reports"]
    assert file.execute("select count(*) from ldprange_recent").fetchone() == (0,)
    assert file.execute("select hour, reports from ldprange_hours").fetchall() == [(FIRST, 300)]
    with pytest.raises(sqlite3.OperationalError, match="rowid"):
        file.execute("select rowid from ldprange_sorted")
    file.close()


def test_what_came_is_sorted_when_its_hour_has_ended(tmp_path: Path, clock: Clock) -> None:
    def tables() -> tuple[set[bytes], set[bytes]]:
        with sqlite3.connect(tmp_path / "ldprange.sqlite") as file:
            found = [
                {row[0] for row in file.execute(f"select batch from {table}")}  # noqa: S608
                for table in ("ldprange_sorted", "ldprange_recent")
            ]
        file.close()
        return found[0], found[1]

    first, second, third = list(BODIES)[:3]
    with serving(tmp_path) as service:
        service.create()
        for batch, seconds in ((first, 0), (second, 3599), (third, 3600)):
            clock(FIRST + seconds)
            assert service.put(BODIES[batch], batch=batch.hex()).status == 201
        for _ in range(200):
            if tables() == ({first, second}, {third}):
                break
            time.sleep(0.02)
        assert tables() == ({first, second}, {third})
        log = tmp_path / "ldprange.sqlite-wal"  # emptied right after the tables have changed
        for _ in range(200):
            if first not in log.read_bytes():
                break
            time.sleep(0.02)
        assert first not in log.read_bytes()
        # an id that was sorted is known
        assert service.put(BODIES[first], batch=first.hex()).status == 200
        assert service.put(BODIES[second], batch=first.hex()).status == 409
        assert service.get("/api/surveys/ages/overview").json["arrivals"] == {
            "start": [FIRST, FIRST + 3600],
            "reports": [2, 1],
        }


def test_a_store_that_fails_as_an_hour_ends_is_not_tried_without_a_pause(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0

    def fail(*_: object) -> None:
        nonlocal tried
        tried += 1
        raise OSError("the disk is gone")

    first, second, *_ = BODIES
    with serving(tmp_path) as service:
        service.create()
        assert service.put(BODIES[first], batch=first.hex()).status == 201
        live = service.collector.writer.live(service.collector.surveys["ages"])
        monkeypatch.setattr(writer, "_PAUSE", 3600.0)
        for name in ("keep", "sort", "lock"):
            monkeypatch.setattr(Store, name, fail)
        clock(FIRST + 3600)
        assert service.put(BODIES[second], batch=second.hex()).status == 503
        while live.ended is None:
            time.sleep(0.01)
        time.sleep(0.3)
        assert tried <= 3  # what came, what is to be sorted, and once more as that was counted


def test_an_export_is_in_the_order_of_the_ids(place: str) -> None:
    with serving(place) as service:
        service.create()
        for batch, body in BODIES.items():
            service.put(body, batch=batch.hex())
        with Store(place) as store:
            assert list(store.read(1)) == [BODIES[batch] for batch in sorted(BODIES)]


def test_who_reads_meanwhile_sees_every_batch_once(
    place: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldprange.service.store._READ_TOGETHER", 10)
    first, *others = BODIES
    with serving(place) as service:
        service.create()
        for batch in others:
            service.put(BODIES[batch], batch=batch.hex())
        with Store(place) as store:
            reading = store.read(1)
            seen = [next(reading)]
            clock(FIRST + 3600)
            assert service.put(BODIES[first], batch=first.hex()).status == 201
            for _ in range(200):
                with store._engine.connect() as connection:
                    if connection.scalar(text("select count(*) from ldprange_sorted")):
                        break
                time.sleep(0.02)
            else:
                pytest.fail("nothing was sorted")
            assert sorted([*seen, *reading]) == sorted(BODIES[batch] for batch in others)
            assert Live.load(store, store.surveys()[0]).reports == len(BODIES)


def test_a_store_of_the_version_before_is_carried_over(place: str) -> None:
    bodies = list(BODIES.values())
    make_old(place, bodies)
    with Store(place) as store:
        (survey,) = store.surveys()
        assert survey.batches  # as it was
        assert Live.load(store, survey).aggregate() == ldp.Aggregate.of(PLAN, bodies)
        assert store.arrivals(survey.id, 9) == ([FIRST, FIRST + 3600], [60, 240])
        assert sorted(store.read(survey.id)) == sorted(bodies)
        with store._engine.connect() as connection:
            assert connection.scalar(text("select count(*) from ldprange_sorted")) == 200
    with serving(place) as service:
        (batch, body), *_ = BODIES.items()
        assert service.put(body, batch=batch.hex()).status == 200
        assert service.put(packed([1, 2], 1)).status == 201
        assert service.get("/api/surveys").json["surveys"][0]["reports"] == 302
    with Store(place) as store:
        expected = ldp.Aggregate.of(PLAN, [*bodies, packed([1, 2], 1)])
        assert Live.load(store, survey).aggregate() == expected


def test_a_store_of_the_version_before_is_not_taken_from_who_writes_to_it(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as held:
        held.lock()
        with held._engine.begin() as connection:
            connection.execute(text("update ldprange_format set version = 1"))
        with pytest.raises(ldp.errors.StoreError, match="another does"):
            Store(tmp_path)


def make_old(place: str, bodies: list[bytes]) -> None:
    """Make a store of version 1 with a survey; a snapshot counts 200 of its batches, and 100 came since."""
    if "://" not in place:
        Path(place).mkdir()
        (Path(place) / "ldprange.sqlite").touch()
    engine = create_engine(url_of(place, create=False))
    kind = "bytea" if engine.dialect.name == "postgresql" else "blob"
    with engine.begin() as connection:
        for statement in OLD.replace("BYTES", kind).split(";")[:-1]:
            connection.execute(text(statement))
        connection.execute(text("insert into ldprange_format values (1)"))
        survey = {"plan": PLAN.to_json(), "public": False}
        connection.execute(
            text("insert into ldprange_surveys values (1, 'ages', 'How old?', '', :public, 'open', :plan)"),
            survey,
        )
        connection.execute(
            text("insert into ldprange_batches values (:number, 1, :batch, :body)"),
            [
                {"number": number, "batch": batch, "body": body}
                for number, (batch, body) in enumerate(BODIES.items(), 1)
            ],
        )
        connection.execute(
            text("insert into ldprange_arrivals values (1, :minute, 1)"),
            [{"minute": FIRST + 60 * minute} for minute in range(60)],
        )
        connection.execute(text(f"insert into ldprange_arrivals values (1, {FIRST + 3600}, 240)"))  # noqa: S608
        counted = file_of_version_1(ldp.Aggregate.of(PLAN, bodies[:200]))
        connection.execute(
            text("insert into ldprange_snapshots values (1, 200, :counted)"), {"counted": counted}
        )
    engine.dispose()
