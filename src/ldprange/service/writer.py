"""Group commit: submissions that come while a sync is under way share the next one.

One thread writes. It takes all submissions that wait, reads the batches of each survey together, puts those
that are good and new into the store in one transaction, hands them to another thread that counts, and only
then lets anybody know. What is acknowledged is durable, and counted once.

Once an hour, or after many, it also lets the store sort what came, so that nothing there tells when.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from threading import Condition, Lock, Thread
from typing import NamedTuple

from ldprange import wire
from ldprange.errors import LdprangeError
from ldprange.reports import Batch
from ldprange.service.live_aggregate import Live
from ldprange.service.refusal import Refusal
from ldprange.service.schema import HOUR
from ldprange.service.store import CLOSED, Kept, Store, Survey

_log = logging.getLogger("ldprange.service")
_MAX_WAITING = 20_000  # submissions
_MAX_WAITING_BYTES = 256 << 20
_TOGETHER_BYTES = 16 << 20  # in one transaction
_PAUSE = 0.5  # seconds before the store is tried again


class Outcome(NamedTuple):
    """What became of a submission: its HTTP status, its number of reports, or why it was refused."""

    status: int
    reports: int = 0
    reason: str = ""


UNCOUNTED = Outcome(
    503, reason="reports come faster than this survey's can be counted; send the batch again later"
)
BUSY = Outcome(503, reason="the collector has more waiting than it can hold; send the batch again later")
FAILED = Outcome(
    503, reason="the store could not be written; send the batch again with the same id, it will count once"
)
FULL = Outcome(
    507, reason="the collector's disk is nearly full, and it takes no reports; send the batch again later"
)
OVER = Outcome(410, reason="the survey is closed; no more reports are taken")
GONE = Outcome(404, reason="there is no survey of this name")
STOPPING = Outcome(503, reason="the collector is shutting down; send the batch again with the same id")


class _Submission:
    __slots__ = ("batch", "body", "future", "outcome", "survey")

    def __init__(self, survey: Survey, batch: bytes, body: bytes, future: asyncio.Future[Outcome]) -> None:
        self.survey, self.batch, self.body, self.future = survey, batch, body, future
        self.outcome = FAILED


class Writer:
    """The only one who adds batches to the store, and to the live aggregates."""

    _loop: asyncio.AbstractEventLoop  # since it was started

    def __init__(self, store: Store, least_free_bytes: int) -> None:
        self._store = store
        self._least_free_bytes = least_free_bytes
        self._lives: dict[int, Live] = {}
        self._closed: set[int] = set()
        self._writing = Lock()  # what the store holds, and what is known of it
        self._counter = ThreadPoolExecutor(1, "counter")
        self._counted: list[Live] = []  # of which a generation ended and can be sorted
        self._hour = 0
        self._waiting: list[_Submission] = []
        self._waiting_bytes = 0
        self._wake = Condition()
        self._stopping = False
        self._thread = Thread(target=self._run, name="writer")
        self.healthy = True
        self.commits = 0
        self.commit_seconds = 0.0
        self.outcomes: dict[int, int] = {}

    def load(self) -> None:
        """Read what is in the store."""
        surveys = self._store.surveys()
        self._lives = {survey.id: Live.load(self._store, survey) for survey in surveys}
        self._closed = {survey.id for survey in surveys if survey.state == CLOSED}

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write."""
        self._loop = loop
        self._thread.start()

    def add_survey(self, survey: Survey) -> None:
        """Be ready for a new survey's reports."""
        with self._writing:
            self._lives[survey.id] = Live.load(self._store, survey)

    def remove_survey(self, survey: Survey) -> bool:
        """Delete a survey from the store, and take nothing more for it; return whether that went well."""

        def remove() -> None:
            self._store.delete_survey(survey.id)
            # not in place: somebody may be going through them
            self._lives = {key: live for key, live in self._lives.items() if key != survey.id}
            self._closed.discard(survey.id)

        return self._attempted(remove)

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Keep no batch meanwhile."""
        with self._writing:
            yield

    def set_closed(self, survey: int, closed: bool) -> None:
        """From now on take a survey's new batches, or no more."""
        with self._writing:
            (self._closed.add if closed else self._closed.discard)(survey)

    def live(self, survey: Survey) -> Live:
        """Return the live aggregate of a survey."""
        live = self._lives.get(survey.id)
        if live is None:
            raise Refusal(GONE.status, GONE.reason)
        return live

    def reports(self, survey: Survey) -> int:
        """Return how many reports a survey has; none if it was deleted just now."""
        live = self._lives.get(survey.id)
        return 0 if live is None else live.reports

    @property
    def waiting(self) -> int:
        """How many submissions wait."""
        return len(self._waiting)

    @property
    def has_room(self) -> bool:
        """Whether there is enough disk left to take more."""
        free = self._store.free_bytes()
        return free is None or free >= self._least_free_bytes

    def submit(self, survey: Survey, batch: bytes, body: bytes) -> asyncio.Future[Outcome]:
        """Hand a batch over; the future is done when it is durable and counted, or refused."""
        future: asyncio.Future[Outcome] = self._loop.create_future()
        with self._wake:
            live = self._lives.get(survey.id)
            if self._stopping:
                future.set_result(STOPPING)
            elif live is None:
                future.set_result(GONE)
            elif len(self._waiting) >= _MAX_WAITING or self._waiting_bytes >= _MAX_WAITING_BYTES:
                future.set_result(BUSY)
            elif live.full:
                future.set_result(UNCOUNTED)
            else:
                self._waiting.append(_Submission(survey, batch, body, future))
                self._waiting_bytes += len(body)
                self._wake.notify()
        return future

    def stop(self) -> None:
        """Write what waits, count and sort it, and end."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join()
        self._counter.shutdown()
        if self.healthy and self._thread.ident is not None:  # it was started
            for live in self._lives.values():
                live.count()
                self._sort(live)  # the generation that ended before this one, if it is not sorted yet
                live.end_generation(None)
                live.count()
                self._sort(live)

    def _run(self) -> None:
        while (group := self._next()) or not self._stopping:
            if not self._attempted(partial(self._recover_and_write, group)):
                for submission in group:
                    submission.outcome = FAILED
            with suppress(RuntimeError):  # the loop has ended, and nobody is left to be told
                self._loop.call_soon_threadsafe(_tell, group)
            if self.healthy:
                self._attempted(self._sort_all)

    def _attempted(self, work: Callable[[], None]) -> bool:
        """Do something with the store, and return whether that went well.

        Otherwise nothing is known of the transaction: all will be read anew.
        """
        try:
            with self._writing:
                work()
        except Exception as error:
            if self.healthy:
                _log.error("the store could not be written: %s", str(error).split("\n")[0])
            self.healthy = False
            with self._wake:
                self._counted = []  # nothing is sorted until all is read anew
                self._wake.notify()
            return False
        return True

    def _next(self) -> list[_Submission]:
        """Wait for submissions, and take those that can share a transaction.

        There are none when it is time to end, to sort, and to try the store again.
        """
        with self._wake:
            while not self._waiting and not self._stopping and not self._counted:
                if not self._wake.wait(HOUR - time.time() % HOUR if self.healthy else _PAUSE):
                    break
            size, ids = 0, set()
            for submission in self._waiting:
                one = (submission.survey.id, submission.batch)
                if size >= _TOGETHER_BYTES or one in ids:  # an id that comes twice has to wait for its first
                    break
                ids.add(one)
                size += len(submission.body)
            group, self._waiting = self._waiting[: len(ids)], self._waiting[len(ids) :]
            self._waiting_bytes -= size
            return group

    def _recover_and_write(self, group: list[_Submission]) -> None:
        if not self.healthy:
            self._store.lock()
            self.load()  # what became of the last transaction is in the store
            self.healthy = True
            _log.warning("the store can be written again")
        if group:
            self._write(group)

    def _sort_all(self) -> None:
        """Sort the generations that are counted, and in a new hour end all those of the last."""
        with self._wake:
            counted, self._counted = self._counted, []
        hour = _hour()
        for live in counted:
            if live.ended is not None and self._lives.get(live.ended.survey) is live:  # as it was
                self._sort(live)
        if hour != self._hour:
            self._hour = hour
            for live in self._lives.values():
                self._count_soon(live, live.end_generation(hour))

    def _sort(self, live: Live) -> None:
        if live.ended is not None:
            self._store.sort(live.ended.survey, live.ended.number, live.ended.aggregate)
            live.sorted()

    def _count_soon(self, live: Live, wanted: bool) -> None:
        if wanted:
            self._counter.submit(self._count, live)

    def _count(self, live: Live) -> None:
        try:
            live.count()
        except Exception:
            _log.exception("reports could not be counted")
            raise
        if live.ended is not None:
            with self._wake:
                self._counted.append(live)
                self._wake.notify()

    def _write(self, group: list[_Submission]) -> None:
        by_survey: dict[int, list[_Submission]] = {}
        for submission in group:
            if submission.survey.id in self._lives:
                by_survey.setdefault(submission.survey.id, []).append(submission)
            else:  # it was deleted while this waited
                submission.outcome = GONE
        good: dict[int, list[_Submission]] = {}
        unpacked: dict[int, tuple[Batch, int]] = {}  # reports, and of how many submissions
        for survey, submissions in by_survey.items():
            plan = submissions[0].survey.plan
            reports, found = wire.unpack_many(plan, [each.body for each in submissions])
            unpacked[survey] = reports, sum(isinstance(what, int) for what in found)
            for submission, what in zip(submissions, found, strict=True):
                submission.outcome = _first(submission.survey, what)
            good[survey] = [each for each in submissions if each.outcome.status == 201]
        hour = _hour()
        for survey in good:
            self._count_soon(self._lives[survey], self._lives[survey].end_generation(hour))
        refusals = dict.fromkeys(self._closed, OVER)
        if not self.has_room:
            refusals = {**dict.fromkeys(good, FULL), **refusals}
        kept = [
            Kept(survey, each.batch, each.body, each.outcome.reports, self._lives[survey].generation)
            for survey, submissions in good.items()
            if survey not in refusals
            for each in submissions
        ]
        new = self._keep(kept, hour) if kept else set()
        for survey, submissions in good.items():
            known = [each for each in submissions if (survey, each.batch) not in new]
            if known:
                there = self._store.bodies(survey, [each.batch for each in known])
                for submission in known:
                    body = there.get(submission.batch)
                    submission.outcome = refusals[survey] if body is None else _again(submission, body)
            taken = [each for each in submissions if each.outcome.status == 201]
            reports, together = unpacked[survey]
            if len(taken) != together:  # some were fit to be read, but not to be taken
                reports, _ = wire.unpack_many(reports.plan, [each.body for each in taken])
            live = self._lives[survey]
            self._count_soon(live, live.add(reports, len(taken), hour))
        for submission in group:
            self.outcomes[submission.outcome.status] = self.outcomes.get(submission.outcome.status, 0) + 1

    def _keep(self, kept: list[Kept], hour: int) -> set[tuple[int, bytes]]:
        begin = time.perf_counter()
        new = self._store.keep(kept, hour)
        self.commit_seconds += time.perf_counter() - begin
        self.commits += 1
        return new


def _hour() -> int:
    return int(time.time()) // HOUR * HOUR


def _tell(group: list[_Submission]) -> None:
    for submission in group:
        if not submission.future.done():  # whoever sent it may be gone
            submission.future.set_result(submission.outcome)


def _first(survey: Survey, what: int | LdprangeError) -> Outcome:
    if not isinstance(what, int):
        return Outcome(400, reason=str(what))
    if what > 1 and not survey.batches:
        return Outcome(400, reason=f"this survey takes one report at a time, got {what}; send each alone")
    return (
        Outcome(201, what) if what else Outcome(400, reason="a batch must hold at least one report, got none")
    )


def _again(submission: _Submission, body: bytes) -> Outcome:
    """Tell what becomes of a batch of which the id is there already."""
    if submission.body == body:
        return Outcome(200, submission.outcome.reports)
    return Outcome(409, reason="this batch id was already used for different bytes; draw a new one")
