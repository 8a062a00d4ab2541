"""What tests of the planner's commands share."""

from __future__ import annotations

from functools import cache

import pytest

import ldprange as ldp
from ldprange.planner import compare_plans

_compared_once = cache(compare_plans)
_influence_once = cache(ldp.Plan.influence)


@pytest.fixture
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a terminal as wide as most are."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare plans for the same survey once: a hundred commands ask about a few."""
    for module in ("cli.compare", "cli.plan", "planner.choose", "planner.needs", "planner.outlooks"):
        monkeypatch.setattr(f"ldprange.{module}.compare_plans", _compared_once)
    monkeypatch.setattr(ldp.Plan, "influence", _influence_once)
