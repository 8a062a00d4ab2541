"""A survey's live aggregate: a snapshot and what came since."""

from __future__ import annotations

from threading import Lock

from ldprange.aggregate import Aggregate
from ldprange.errors import StoreError
from ldprange.reports import Batch
from ldprange.service.store import Store, Survey

_TOGETHER = 1 << 17  # reports tallied together, at least: a tally goes through all of its counters
_APART = 1 << 20  # reports between snapshots, at least


class Live:
    """The aggregate of all reports of a survey that are in the store.

    One thread adds; any may ask.
    """

    def __init__(self, survey: Survey, aggregate: Aggregate, upto: int) -> None:
        self._id = survey.id
        self._aggregate = aggregate
        self._upto = upto
        self._waiting: list[Batch] = []
        self._waiting_reports = 0
        self._saved_reports = aggregate.reports
        self._lock = Lock()
        self._together = max(_TOGETHER, survey.plan.counters)

    @staticmethod
    def load(store: Store, survey: Survey) -> Live:
        """Read the snapshot, and every batch since."""
        saved = store.snapshot(survey.id)
        aggregate, upto = Aggregate.empty(survey.plan), 0
        if saved is not None:
            upto, aggregate = saved[0], Aggregate.from_bytes(saved[1], f"the snapshot of {survey.name}")
            if aggregate.plan.fingerprint != survey.plan.fingerprint:
                raise StoreError(
                    f"the snapshot of survey {survey.name} must be of its plan, and it is of another"
                )
        live = Live(survey, aggregate, upto)
        for number, batch in store.batches(survey, upto):
            live.add(batch, number)
        return live

    @property
    def upto(self) -> int:
        """The number of the last batch that is counted, or was passed over."""
        return self._upto

    @property
    def reports(self) -> int:
        """How many people reported."""
        with self._lock:
            return self._aggregate.reports + self._waiting_reports

    def add(self, batch: Batch, upto: int) -> None:
        """Count reports that are in the store now, up to the batch of this number."""
        with self._lock:
            self._upto = upto
            if len(batch):
                self._waiting.append(batch)
                self._waiting_reports += len(batch)
            if self._waiting_reports >= self._together:
                self._count()

    def aggregate(self) -> Aggregate:
        """Return the counts of now; they will not change."""
        with self._lock:
            self._count()
            return self._aggregate

    def _count(self) -> None:
        if self._waiting:
            self._aggregate = self._aggregate + Aggregate.of(self._aggregate.plan, self._waiting)
            self._waiting, self._waiting_reports = [], 0

    def save(self, store: Store, *, now: bool = False) -> None:
        """Put a snapshot into the store if many reports came since the last; ``now``, if any did."""
        with self._lock:
            apart = 1 if now else max(_APART, self._together)
            if self._aggregate.reports + self._waiting_reports - self._saved_reports < apart:
                return
            self._count()
            aggregate, upto = self._aggregate, self._upto
        store.keep_snapshot(self._id, upto, aggregate.to_bytes())
        self._saved_reports = aggregate.reports
