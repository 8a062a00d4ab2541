"""Any order of submissions, repetitions, crashes, restarts and changes, held against a small model.

Nothing that was acknowledged is lost, nothing is counted twice. ``scripts/faults STEPS`` takes more steps.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import ldprange as ldp
from command_line_survey import answered
from ldprange import wire
from ldprange.service.store import Store
from modelled_collector import ADDRESSES, DIED, LARGEST_BODY, NAMES, REPORTS_PER_HOUR, ModelledCollector
from mortal_collector import MortalCollector
from postgresql_server import emptied
from running_collector import ADMINISTRATOR, ANALYST, PLAN, Service, packed

STEPS = int(os.environ.get("LDPRANGE_FAULT_STEPS", "100"))  # on either database
STEPS_EACH = 25  # of one store

surveys = st.sampled_from(NAMES)
addresses = st.sampled_from(ADDRESSES)
sizes = st.integers(1, 6)
seeds = st.integers(0, 10**6)
choices = st.integers(0, 10**6)  # of what is known by then, which depends on when the collector died


class Faults(ModelledCollector):
    """What people, an administrator, an analyst and fate may do, in any order."""

    # lives

    @initialize()
    def begin(self) -> None:
        self.start()
        for name in NAMES:
            assert Service(self.mortal.port).create(name).status == 201

    @rule(points=st.integers(1, 60), survey=surveys, size=sizes, seed=seeds)
    def live_until_a_statement(self, points: int, survey: str, size: int, seed: int) -> None:
        self.seen["step"] += 1
        self.mortal.kill()
        self.start(points)
        for each in range(3):
            self.send([self.new(survey, size, seed + each)], ADDRESSES[1])

    @rule(points=st.integers(0, 60))
    def restart(self, points: int) -> None:
        self.seen["step"] += 1
        if not self.mortal.stop():
            self.seen["deaths while it ended"] += 1
        self.start(points)
        self.look()

    @rule(number=st.integers(1, 6), size=sizes, seed=seeds, wait=st.floats(0, 0.01))
    def kill_under_load(self, number: int, size: int, seed: int, wait: float) -> None:
        self.seen["step"] += 1
        sent = [self.new(NAMES[each % 2], size, seed + each) for each in range(number)]
        replies = [self.senders.submit(self.put, each, ADDRESSES[0]) for each in sent]
        time.sleep(wait)
        self.mortal.kill()
        self.seen["kills under load"] += 1
        for one, reply in zip(sent, replies, strict=True):
            self.note(one, reply.result(), ADDRESSES[0], True)
        self.start()
        self.look()

    # submissions

    @rule(survey=surveys, size=sizes, seed=seeds, address=addresses)
    def submit(self, survey: str, size: int, seed: int, address: str) -> None:
        self.seen["step"] += 1
        self.send([self.new(survey, size, seed)], address)

    @rule(survey=surveys, number=st.integers(2, 6), seed=seeds, address=addresses)
    def submit_many_some_of_them_twice(self, survey: str, number: int, seed: int, address: str) -> None:
        self.seen["step"] += 1
        new = [self.new(survey, 1 + each, seed + each) for each in range(number)]
        known = [one for one in {**self.kept, **self.doubtful}.values() if one.survey == survey]
        order = [*new, *new[:2], *known[-2:]]
        random.Random(seed).shuffle(order)  # noqa: S311 (replayed)
        self.send(order, address)

    @rule(choice=choices, address=addresses)
    def submit_again(self, choice: int, address: str) -> None:
        self.seen["step"] += 1
        if known := [*self.kept.values(), *self.doubtful.values()]:
            self.send([known[choice % len(known)]], address)

    @rule(choice=choices, seed=seeds)
    def submit_an_id_with_other_bytes(self, choice: int, seed: int) -> None:
        self.seen["step"] += 1
        if not self.kept:
            return
        one = list(self.kept.values())[choice % len(self.kept)]
        other = one._replace(body=packed([seed % 120] * 7, seed))
        status = self.put(other, ADDRESSES[0])
        self.seen[f"{status or 'no answer'}"] += 1
        assert status in (409, 429, DIED)
        assert status != 429 or self.spent[ADDRESSES[0], one.survey] + 7 > REPORTS_PER_HOUR
        if status is DIED:
            self.bury()

    @rule(choice=choices, survey=surveys)
    def submit_an_id_of_the_other_survey(self, choice: int, survey: str) -> None:
        self.seen["step"] += 1
        if not self.kept:
            return
        one = list(self.kept.values())[choice % len(self.kept)]
        if (survey, one.batch) not in {**self.kept, **self.doubtful}:
            self.send([one._replace(survey=survey)], ADDRESSES[1])

    @rule(survey=surveys, size=sizes, seed=seeds, at=st.integers(0, 40), bit=st.integers(0, 7))
    def submit_damaged(self, survey: str, size: int, seed: int, at: int, bit: int) -> None:
        self.seen["step"] += 1
        one = self.new(survey, size, seed)
        damaged = bytearray(one.body)
        damaged[at % len(damaged)] ^= 1 << bit
        try:
            reports = len(wire.unpack(PLAN, bytes(damaged)))
        except ldp.LdprangeError:
            status = self.put(one._replace(body=bytes(damaged)), ADDRESSES[0])
            assert status in (400, 429, DIED)
            self.seen[f"{status or 'no answer'}"] += 1
            if status is DIED:
                self.bury()
        else:  # it is another good batch
            self.send([one._replace(body=bytes(damaged), reports=reports)], ADDRESSES[0])

    @rule(survey=surveys, seed=seeds)
    def submit_too_much(self, survey: str, seed: int) -> None:
        self.seen["step"] += 1
        many = self.new(survey, REPORTS_PER_HOUR + 1, seed)
        large = many._replace(body=bytes(LARGEST_BODY + 1))
        for one in (many, large):
            status = self.put(one, ADDRESSES[2])
            self.seen[f"{status or 'no answer'}"] += 1
            assert status in (413, DIED)
            if status is DIED:
                self.bury()

    @rule(survey=surveys, size=sizes, seed=seeds)
    def go_away_before_the_answer(self, survey: str, size: int, seed: int) -> None:
        self.seen["step"] += 1
        one = self.new(survey, size, seed)
        path = f"/api/surveys/{one.survey}/batches/{one.batch}"
        connection = HTTPConnection("127.0.0.1", self.mortal.port, timeout=30)
        try:
            connection.request("PUT", path, one.body, {"Content-Type": "application/octet-stream"})
        except OSError:
            pass
        finally:
            connection.close()
        self.doubtful[one.survey, one.batch] = one
        self.spent[ADDRESSES[0], survey] += size  # it may have been taken
        self.send([one], ADDRESSES[0])

    # what an administrator and an analyst do

    @rule(survey=surveys, closed=st.booleans())
    def close_or_open(self, survey: str, closed: bool) -> None:
        self.seen["step"] += 1
        self.closed[survey] = None
        state = {"state": "closed" if closed else "open"}
        try:
            reply = Service(self.mortal.port).ask(
                "PATCH", f"/api/surveys/{survey}", state, token=ADMINISTRATOR
            )
        except (OSError, HTTPException):
            self.bury()
            with Store(self.place) as store:
                self.closed = {each.name: each.state == "closed" for each in store.surveys()}
        else:
            assert reply.status == 200
            self.closed[survey] = closed

    @rule(survey=surveys, low=st.integers(0, 119))
    def ask(self, survey: str, low: int) -> None:
        self.seen["step"] += 1
        bodies = self.bodies(survey)
        if not bodies:
            return
        path = f"/api/surveys/{survey}/range?low={low}&high=119"
        try:
            reply = Service(self.mortal.port).get(path, ANALYST)
        except (OSError, HTTPException):
            self.bury()
        else:
            found = ldp.estimate(ldp.Aggregate.of(PLAN, bodies)).range(low, 119)
            assert reply.json["value"] == pytest.approx(found.value, abs=1e-9)

    @rule(survey=surveys)
    def export(self, survey: str) -> None:
        self.seen["step"] += 1
        folder = self.folder / "exported"
        shutil.rmtree(folder, ignore_errors=True)
        where = "--database" if "://" in self.place else "--data"
        bodies = self.bodies(survey)
        exported = answered("export", survey, "-o", folder, where, self.place)
        counted = folder / "all.agg"
        answered("aggregate", folder / "_plan.json", folder, "-o", counted)
        expected = ldp.Aggregate.of(PLAN, bodies) if bodies else ldp.Aggregate.empty(PLAN)
        assert exported["reports"] == expected.reports
        assert ldp.Aggregate.load(counted) == expected

    @rule(seconds=st.sampled_from([-86_400, -3600, -1, 1, 1800, 3600, 86_400, 10**9]))
    def change_the_clock(self, seconds: int) -> None:
        self.seen["step"] += 1
        now = max(0, self.clock.stat().st_mtime + seconds)
        os.utime(self.clock, (now, now))

    @precondition(lambda self: "://" in self.place)
    @rule(survey=surveys, seed=seeds)
    def lose_all_connections(self, survey: str, seed: int) -> None:
        self.seen["step"] += 1
        with psycopg.connect(self.place, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where pid <> pg_backend_pid() and backend_type = 'client backend'"
            )
        one = self.new(survey, 1, seed)
        for _ in range(100):
            self.send([one], ADDRESSES[2])
            if (one.survey, one.batch) not in self.doubtful:
                return
        pytest.fail("the collector does not find its database again")


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[MortalCollector]:
    collector = MortalCollector(tmp_path / "errors")
    yield collector
    collector.close()


def test_what_is_acknowledged_is_counted_once_whatever_happens(
    place: str, mortal: MortalCollector, tmp_path: Path
) -> None:
    def new_place() -> str:
        return emptied(place) if "://" in place else tempfile.mkdtemp(dir=tmp_path)

    long = "LDPRANGE_FAULT_STEPS" in os.environ
    machine = type(
        "FaultsHere",
        (Faults,),
        {"mortal": mortal, "new_place": staticmethod(new_place), "folder": tmp_path, "seen": Counter[Any]()},
    )
    how = settings(
        stateful_step_count=STEPS_EACH,
        derandomize=not long,
        database=None,
        phases=[Phase.generate],  # a crash falls differently each time, so that nothing can be shrunk
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    seen = machine.seen  # type: ignore[attr-defined]
    left = STEPS
    while left > 0:  # some histories end before they have had all their steps
        run_state_machine_as_test(machine, settings=settings(how, max_examples=-(-left // STEPS_EACH)))
        left = STEPS - seen["step"] if long else 0
    print(f"{place.split(':')[0]}: {dict(seen)}")
    assert seen["step"] >= STEPS / 2
    assert seen["deaths at a statement"] + seen["kills under load"]
