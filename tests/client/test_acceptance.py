"""What a client accepts of a plan: no more ε than it was told, no other plan, and no endless report."""

from __future__ import annotations

from typing import Any

import pytest

import ldprange as ldp
from ldprange.client.acceptance import MAX_REPORT_BYTES

AGES = ldp.Domain.integers(0, 119)
PLAN = ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR())
SIMILAR = ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR(), [0.5, 0.5, 0, 0, 0, 0, 0])
NUMBERS = ldp.LabelledPlan(("hours", "trips"), (PLAN, SIMILAR), ("stays", "leaves"), "all")

every_client = pytest.mark.parametrize(
    ("client", "plan"), [(ldp.Client, PLAN), (ldp.LabelledClient, NUMBERS)], ids=["one", "labelled"]
)


@every_client
def test_what_was_told_is_accepted(client: Any, plan: Any) -> None:
    assert client(plan, max_epsilon=plan.epsilon, fingerprint=plan.fingerprint).plan == plan
    assert client(plan, max_epsilon=None, fingerprint=None).plan == plan


@every_client
@pytest.mark.parametrize("less", [1e-12, 1, 1.0999999999999999])
def test_more_epsilon_is_refused(client: Any, plan: Any, less: float) -> None:
    with pytest.raises(ldp.PlanError, match=r"ε must be at most .* got (1\.1|2\.2); do not answer it"):
        client(plan, max_epsilon=less)


@every_client
def test_another_plan_is_refused(client: Any, plan: Any) -> None:
    with pytest.raises(ldp.PlanError, match=rf"must be {SIMILAR.fingerprint}, .* got {plan.fingerprint}"):
        client(plan, fingerprint=SIMILAR.fingerprint)


@every_client
@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), "2", True])
def test_a_largest_epsilon_that_is_none_is_an_error(client: Any, plan: Any, wrong: Any) -> None:
    with pytest.raises(ldp.ArgumentError, match="max_epsilon must be a finite number above 0"):
        client(plan, max_epsilon=wrong)


@every_client
@pytest.mark.parametrize("wrong", ["", PLAN.fingerprint[:15], PLAN.fingerprint.upper() + "F", 7, b"7" * 16])
def test_a_fingerprint_that_is_none_is_an_error(client: Any, plan: Any, wrong: Any) -> None:
    with pytest.raises(ldp.ArgumentError, match="a fingerprint must be 16 lower-case hexadecimal digits"):
        client(plan, fingerprint=wrong)


@every_client
def test_all_that_is_not_accepted_is_told(client: Any, plan: Any) -> None:
    with pytest.raises(ldp.PlanError, match=r"ε must be at most 1, .*; also, the plan's fingerprint must be"):
        client(plan, max_epsilon=1, fingerprint=SIMILAR.fingerprint)
    with pytest.raises(ldp.ArgumentError, match="a fingerprint must be"):
        client(plan, max_epsilon=1, fingerprint="abc")


def test_reports_that_fit_into_no_request_are_refused() -> None:
    fits, too_long = (
        ldp.Plan(ldp.Domain.integers(1, 8 * MAX_REPORT_BYTES + more), 1.0, ldp.Flat(), ldp.OUE())
        for more in (0, 1)
    )
    assert ldp.Client(fits).plan == fits
    with pytest.raises(ldp.PlanError, match="at most 1000000 bytes, and under this plan it can have 1000001"):
        ldp.Client(too_long)
    half = ldp.Plan(ldp.Domain.integers(1, 4 * MAX_REPORT_BYTES + 8), 1.0, ldp.Flat(), ldp.OUE())
    assert ldp.LabelledClient(ldp.LabelledPlan(("a", "b"), (half, half), (0, 1), "one"))
    with pytest.raises(ldp.PlanError, match="it can have 1000002"):
        ldp.LabelledClient(ldp.LabelledPlan(("a", "b"), (half, half), (0, 1), "all"))


def test_levels_of_all_attributes_are_limited() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 1), 1.0, ldp.Flat(), ldp.GRR())
    names = [f"a{place}" for place in range(1025)]
    assert ldp.LabelledPlan(names[:1024], [plan] * 1024, (0, 1), "one").asked == "one"
    with pytest.raises(ldp.PlanError, match="at most 1024 levels together, got 1025"):
        ldp.LabelledPlan(names, [plan] * 1025, (0, 1), "one")
