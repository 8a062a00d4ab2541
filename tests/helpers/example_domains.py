"""A domain of every kind."""

from __future__ import annotations

from ldprange.domain import Domain

AGES = Domain.integers(18, 120)
SHARES = Domain.real(-1.0, 3.0, 8)
INCOMES = Domain.logarithmic(1.0, 1000.0, 3)
WEEK = Domain.dates("2026-01-28", "2026-02-03")
SIZES = Domain.ordered(["XS", "S", "M", "L"])
