"""A collector that may die at any moment, beside a small model of what its store must hold."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest
from hypothesis.stateful import RuleBasedStateMachine
from sqlalchemy import select, union_all

import ldprange as ldp
from ldprange.service.live_aggregate import Live
from ldprange.service.schema import AGGREGATES, RECENT, SORTED
from ldprange.service.store import Store, Survey
from mortal_collector import Life, MortalCollector
from running_collector import PLAN, packed

NAMES = ("ages", "years")
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
REPORTS_PER_HOUR, LARGEST_BODY = 120, 2000
FIRST = 1_700_000_000
DIED = None


class Sent(NamedTuple):
    survey: str
    batch: str
    body: bytes
    reports: int


class ModelledCollector(RuleBasedStateMachine):
    """The collector, what was sent to it, and what became of that."""

    mortal: ClassVar[MortalCollector]
    new_place: ClassVar[Callable[[], str]]
    folder: ClassVar[Path]
    seen: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.place = type(self).new_place()
        self.kept: dict[tuple[str, str], Sent] = {}
        self.doubtful: dict[tuple[str, str], Sent] = {}  # no answer came: there, or not
        self.closed: dict[str, bool | None] = dict.fromkeys(NAMES, False)  # None: no answer came
        self.spent: Counter[tuple[str, str]] = Counter()  # by address and survey, in this life
        self.clock = self.folder / "clock"
        self.clock.touch()
        os.utime(self.clock, (FIRST, FIRST))
        self.ids = 0
        self.senders = ThreadPoolExecutor(6)

    def start(self, points: int = 0) -> None:
        self.spent.clear()
        where = self.place, str(self.clock)
        for until in (points, 0):
            if self.mortal.start(Life(*where, until, 8, REPORTS_PER_HOUR, LARGEST_BODY)):
                return
            self.seen["deaths while it started"] += 1
        pytest.fail("it does not start")

    def bury(self) -> None:
        """The collector gave no answer: it must be dead. The next one has what was acknowledged."""
        self.mortal.died()
        self.seen["deaths at a statement"] += 1
        self.start()
        self.look()

    def new(self, survey: str, size: int, seed: int) -> Sent:
        self.ids += 1
        body = packed([(seed + each) % 120 for each in range(size)], seed)
        batch = random.Random(seed).randbytes(12).hex() + f"{self.ids:08x}"  # noqa: S311 (replayed)
        return Sent(survey, batch, body, size)

    def put(self, sent: Sent, address: str) -> int | None:
        """Return the status of a submission, or that the collector died."""
        connection = HTTPConnection("127.0.0.1", self.mortal.port, timeout=30, source_address=(address, 0))
        path = f"/api/surveys/{sent.survey}/batches/{sent.batch}"
        try:
            connection.request("PUT", path, sent.body, {"Content-Type": "application/octet-stream"})
            return connection.getresponse().status
        except (OSError, HTTPException):
            return DIED
        finally:
            connection.close()

    def note(self, sent: Sent, status: int | None, address: str, may_be_over: bool = False) -> None:
        """Hold what became of a submission against the model, and note it."""
        key = sent.survey, sent.batch
        before, sender = self.kept.get(key), (address, sent.survey)
        self.seen[f"{status or 'no answer'}"] += 1
        if status in (DIED, 503):
            if before is None:
                self.doubtful[key] = sent
        elif status == 201:
            assert before is None
            assert not self.closed[sent.survey]
            self.spent[sender] += sent.reports
            assert self.spent[sender] <= REPORTS_PER_HOUR + 1  # some of it comes back in time
            self.doubtful.pop(key, None)
            self.kept[key] = sent
        elif status == 200:
            assert before is not None or key in self.doubtful
            self.doubtful.pop(key, None)
            self.kept[key] = sent
        elif status == 410:
            assert before is None
            assert self.closed[sent.survey] is not False
            self.doubtful.pop(key, None)
        elif status == 429:
            assert may_be_over or self.spent[sender] + sent.reports > REPORTS_PER_HOUR
        else:
            pytest.fail(f"{status} for {sent}")

    def send(self, sent: Sequence[Sent], address: str) -> None:
        """Send all at once, and note what became of each; of one id, what was taken first."""
        statuses = list(self.senders.map(lambda one: self.put(one, address), sent))
        over = sum(one.reports for one in sent) + self.spent[address, sent[0].survey] > REPORTS_PER_HOUR
        answers = sorted(
            zip(sent, statuses, strict=True), key=lambda one: (one[1] != 201, one[1] is DIED, one[1])
        )
        for one, status in answers:
            self.note(one, status, address, over)
        if DIED in statuses:
            self.bury()

    # what must hold

    def bodies(self, survey: str) -> list[bytes]:
        self.look()
        return [one.body for (name, _), one in self.kept.items() if name == survey]

    def look(self) -> None:
        """Hold the store, and what a second process counts of it, against the model; and end all doubts."""
        with Store(self.place) as store:
            for survey in store.surveys():
                self._look_at(store, survey)
        self.doubtful.clear()

    def _look_at(self, store: Store, survey: Survey) -> None:
        tables = (
            select(table.c.batch, table.c.body).where(table.c.survey == survey.id)
            for table in (SORTED, RECENT)
        )
        with store._engine.connect() as connection:
            rows = [(batch.hex(), body) for batch, body in connection.execute(union_all(*tables))]
        there = dict(rows)
        assert len(there) == len(rows)
        kept = {batch: one for (name, batch), one in self.kept.items() if name == survey.name}
        doubtful = {batch: one for (name, batch), one in self.doubtful.items() if name == survey.name}
        assert set(kept) <= set(there), "what was acknowledged is lost"
        for batch, body in rows:
            one = kept.get(batch) or doubtful[batch]  # or it was never sent
            assert one.body == body
            self.kept[survey.name, batch] = one
        expected = ldp.Aggregate.of(PLAN, list(there.values())) if there else ldp.Aggregate.empty(PLAN)
        assert Live.load(store, survey).aggregate() == expected
        assert sum(store.arrivals(survey.id, 512)[1]) == expected.reports

    def teardown(self) -> None:
        self.senders.shutdown()
        if not self.mortal.stop():
            self.start()
            assert self.mortal.stop()
        self.look()
        with Store(self.place) as store, store._engine.connect() as connection:
            assert connection.execute(select(RECENT.c.batch)).all() == []  # all was sorted, and counted
            rows = connection.execute(select(AGGREGATES.c.survey, AGGREGATES.c.aggregate))
            for survey, stored in rows:
                bodies = [one.body for (name, _), one in self.kept.items() if name == NAMES[survey - 1]]
                assert ldp.Aggregate.from_bytes(stored) == ldp.Aggregate.of(PLAN, bodies)
        self.seen["batches kept"] += len(self.kept)
