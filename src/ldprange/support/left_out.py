"""Rows that cannot be used: whether they are an error, and how many were left out."""

from collections.abc import Callable
from typing import Literal

Damaged = Literal["refuse", "skip"]
"""What becomes of rows that hold no report."""

Skipped = Callable[[int], None]
"""Called with numbers of rows that are left out; without it, such a row is an error."""

NO_REPORT = "without a report of this plan"
WITHOUT_A_VALUE = "without a value"


class LeftOut:
    """How many rows were left out, and ``why``, as in "without a value"."""

    def __init__(self, why: str) -> None:
        self.why = why
        self.rows = 0

    def add(self, rows: int) -> None:
        """Count more of them."""
        self.rows += rows

    def __str__(self) -> str:
        return f"left out {self.rows:,} row{'s' * (self.rows != 1)} {self.why}"
