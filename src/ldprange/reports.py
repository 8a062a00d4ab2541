"""Reports: one person's, and many as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ldprange.oracles.contract import Column
from ldprange.plan import Plan

_GATHERED_REPORTS = 1 << 17
_GATHERED_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Report:
    """One person's randomised answer: which level, and the bytes of that level's mechanism."""

    fingerprint: str
    level: int
    payload: bytes


class Batch:
    """Many reports: one column per level, in that level's own form. Their order is not kept.

    Parameters
    ----------
    plan
        The plan under which the reports were made.
    columns
        One array per level, from the level's mechanism; empty where nobody reported.
    """

    __slots__ = ("columns", "plan")

    def __init__(self, plan: Plan, columns: Sequence[Column]) -> None:
        self.plan = plan
        self.columns = tuple(columns)

    def __len__(self) -> int:
        return sum(len(column) for column in self.columns)

    def __repr__(self) -> str:
        return f"Batch of {len(self):,} reports under plan {self.plan.fingerprint}"


def gathered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Join small batches of one plan, such as those of one report, so that counting them costs little.

    A tally goes through all of its counters, so there should be a report for each, unless they take more
    memory than the counts do.
    """
    held: list[Batch] = []
    reports = size = 0
    for batch in batches:
        held.append(batch)
        reports += len(batch)
        size += sum(column.nbytes for column in batch.columns)
        counters = batch.plan.counters
        if reports >= max(_GATHERED_REPORTS, counters) or size >= max(_GATHERED_BYTES, 8 * counters):
            yield joined(held)
            held, reports, size = [], 0, 0
    if held:
        yield joined(held)


def joined(batches: list[Batch]) -> Batch:
    """Return the reports of one or more ``batches`` of one plan as one batch."""
    if len(batches) == 1:
        return batches[0]
    together = zip(*(batch.columns for batch in batches), strict=True)
    return Batch(batches[0].plan, [np.concatenate(columns) for columns in together])
