"""Reports: one person's, and many as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldprange.oracles.contract import Column
from ldprange.plan import Plan


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
