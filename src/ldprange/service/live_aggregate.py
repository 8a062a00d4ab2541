"""A survey's live aggregate: what the store has counted, and what came since."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from ldprange.aggregate import Aggregate
from ldprange.errors import StoreError
from ldprange.reports import Batch
from ldprange.service.store import Store, Survey

_log = logging.getLogger("ldprange.service")
_TOGETHER = 1 << 17  # reports counted, and batches sorted, together: a tally goes through all of its counters
_TOGETHER_BYTES = 16 << 20  # or so many bytes
_COUNTER_BYTES = 8
_MAX_WAITING = 8  # times as many may wait to be counted


@dataclass(frozen=True, slots=True)
class Generation:
    """Batches of a survey that can be sorted together, and the counts of all up to them."""

    survey: int
    number: int
    aggregate: bytes


class Live:
    """The aggregate of all reports of a survey that are in the store.

    One thread adds, and never waits for counting. Any may count, one after the other.

    Batches come in generations. When one has ended and all of it is counted, the counts are put aside: they
    are exactly those of the batches up to there.
    """

    def __init__(self, survey: Survey, aggregate: Aggregate, generation: int = 0) -> None:
        self._survey = survey
        self._aggregate = aggregate
        self._adding = Lock()  # all below; held for moments
        self._counting = Lock()  # held while anything is counted
        self._waiting: list[Batch] = []
        self._waiting_reports = self._waiting_bytes = 0
        self.generation = generation
        """The number of the generation to which new batches belong."""
        self._batches = self._bytes = 0  # of this generation
        self._hour = 0  # in which its first batch came
        self._end: int | None = None  # how many of those that wait belong to the generation that ended
        self.ended: Generation | None = None
        """The generation that ended, once all of it is counted and until it is sorted."""
        self._sorting = False  # since a generation ended until its batches are sorted
        self._together = max(_TOGETHER, survey.plan.counters)
        self._sorted_bytes = max(_TOGETHER_BYTES, _COUNTER_BYTES * survey.plan.counters)

    @staticmethod
    def load(store: Store, survey: Survey) -> Live:
        """Return a survey's counts in a store: the stored aggregate, and the batches that it does not count.

        If the stored aggregate is damaged, all batches are counted again, and the log says so.
        """
        try:
            return Live._of(store, survey, store.counts(survey))
        except StoreError as error:
            _log.error("%s; all batches of the survey are counted again", error)
            return Live._of(store, survey, store.batches(survey))

    @staticmethod
    def _of(store: Store, survey: Survey, parts: Iterable[Aggregate | Batch]) -> Live:
        live = Live(survey, Aggregate.empty(survey.plan), store.last_generation(survey.id))
        for part in parts:
            if isinstance(part, Batch):
                live.add(part, 1, 0)
                live.count()
            else:
                live._aggregate = live._aggregate + part
        return live

    @property
    def reports(self) -> int:
        """How many people reported."""
        with self._adding:
            return self._aggregate.reports + self._waiting_reports

    @property
    def full(self) -> bool:
        """Whether more reports wait to be counted than should be held in memory."""
        return (
            self._waiting_bytes >= _MAX_WAITING * _TOGETHER_BYTES
            or self._waiting_reports >= _MAX_WAITING * self._together
        )

    def add(self, reports: Batch, batches: int, hour: int) -> bool:
        """Take the reports of batches that the store got in an hour; return whether to count soon."""
        size = _bytes_of(reports)
        with self._adding:
            if batches:
                self._hour = self._hour if self._batches else hour
                self._waiting.append(reports)
                self._waiting_reports += len(reports)
                self._waiting_bytes += size
                self._batches += batches
                self._bytes += size
            return self._waiting_reports >= self._together or self._waiting_bytes >= _TOGETHER_BYTES

    def end_generation(self, hour: int | None) -> bool:
        """End the generation if it is large, or of an earlier hour; with no hour, if there is any of it.

        Returns whether it ended; not while the one before is still to be sorted.
        """
        with self._adding:
            large = self._batches >= self._together or self._bytes >= self._sorted_bytes
            if self._sorting or not self._batches or not (large or hour != self._hour):
                return False
            self._sorting, self._end = True, len(self._waiting)
            self.generation += 1
            self._batches = self._bytes = 0
            return True

    def aggregate(self) -> Aggregate:
        """Return the counts of now; they will not change."""
        self.count()
        return self._aggregate

    def count(self) -> None:
        """Count what waits."""
        with self._counting:
            with self._adding:
                waiting, end = list(self._waiting), self._end
            if end is not None:
                self._count(waiting[:end])
                ended = Generation(self._survey.id, self.generation - 1, self._aggregate.to_bytes())
                with self._adding:
                    self.ended, self._end = ended, None
                waiting = waiting[end:]
            self._count(waiting)

    def sorted(self) -> None:
        """Note that the store has sorted the generation that ended."""
        with self._adding:
            self.ended, self._sorting = None, False

    def _count(self, batches: Sequence[Batch]) -> None:
        """Count those that wait longest; where that fails, they wait on."""
        if not batches:
            return
        total = self._aggregate + Aggregate.of(self._survey.plan, batches)
        size = sum(map(_bytes_of, batches))
        with self._adding:
            self._waiting_reports -= total.reports - self._aggregate.reports
            self._waiting_bytes -= size
            self._aggregate = total
            del self._waiting[: len(batches)]
            if self._end is not None:
                self._end -= len(batches)


def _bytes_of(batch: Batch) -> int:
    return sum(column.nbytes for column in batch.columns)
