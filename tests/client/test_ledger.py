"""The ledger: one report per person and plan, the same again, within a budget."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldprange as ldp
from example_plans import AGES, PLANS, every_plan

PLAN = PLANS["HRR"]  # over 0 … 999, ε = 1.1
SURVEY = "https://example.org/s/commute"


def _plan(epsilon: float, bins: int = 100) -> ldp.Plan:
    return ldp.Plan(ldp.Domain.integers(0, bins - 1), epsilon, ldp.Haar(), ldp.HRR())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.ledger"


@every_plan
def test_whoever_asks_again_gets_the_same_report(path: Path, plan: ldp.Plan) -> None:
    first = ldp.Client(plan, ledger=ldp.Ledger(path), survey=SURVEY).encode(42)
    for value in range(100):
        again = ldp.Client(plan, ledger=ldp.Ledger(path), survey=SURVEY).encode(value)
        assert again == first
    assert ldp.Aggregate.of(plan, first).reports == 1
    assert ldp.Ledger(path).spent() == 1.1


def test_each_person_and_each_plan_has_a_report_of_its_own(path: Path) -> None:
    ledger = ldp.Ledger(path, budget=5.0)
    plans = [_plan(1.0), _plan(1.5)]
    people = ["", "alice", "Alice", "alice ", "älice", "a'; DROP TABLE reports; --", "a\0b", "a\0c"]
    made = {
        (person, plan.fingerprint): ldp.wire.pack(
            ldp.Client(plan, ledger=ledger, survey=SURVEY).encode(7, person=person)
        )
        for person in people
        for plan in plans
    }
    pending = ledger.pending()
    assert {(entry.person, entry.fingerprint): entry.report for entry in pending} == made
    assert len({entry.batch_id for entry in pending}) == len(made)
    assert all(re.fullmatch("[0-9a-f]{32}", entry.batch_id) for entry in pending)
    assert {ledger.spent(person) for person in people} == {2.5}
    assert ledger.spent("nobody") == 0.0
    assert ledger.remaining("nobody") == 5.0


def test_it_tells_which_survey_cost_a_person_what(path: Path) -> None:
    ledger, small, large = ldp.Ledger(path, budget=5.0), _plan(1.0), _plan(1.5)
    for survey, plan in [("wait", large), ("commute", small), ("commute", large), ("commute", small)]:
        client = ldp.Client(plan, ledger=ledger, survey=f"https://example.org/s/{survey}")
        client.encode(7, person="alice")
    told = [(each.survey, each.fingerprint, each.epsilon) for each in ledger.answered("alice")]
    commute, wait = (f"https://example.org/s/{survey}" for survey in ("commute", "wait"))
    twice = sorted((commute, plan.fingerprint, plan.epsilon) for plan in (small, large))
    assert told == [*twice, (wait, large.fingerprint, 1.5)]
    assert sum(each.epsilon for each in ledger.answered("alice")) == ledger.spent("alice")
    assert ledger.answered() == ledger.answered("nobody") == []


def test_a_first_report_has_the_law_of_any_other(path: Path) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 3), 1.0, ldp.Flat(), ldp.GRR())
    client = ldp.Client(plan, ledger=ldp.Ledger(path), survey=SURVEY)
    kept = sum(client.encode(2, person=str(number)).payload == b"\2" for number in range(400))
    # binomial with probability e/(e + 3) = 0.475; false alarm below 1e-8
    assert 130 < kept < 250


@pytest.mark.parametrize("value", [-1, 1000, 5.5, "5", None])
def test_a_value_outside_the_domain_is_an_error_before_and_after(path: Path, value: Any) -> None:
    ledger = ldp.Ledger(path)
    client = ldp.Client(PLAN, ledger=ledger, survey=SURVEY)
    with pytest.raises(ldp.DomainError):
        client.encode(value)
    assert ledger.spent() == 0.0
    client.encode(42)
    with pytest.raises(ldp.DomainError):
        client.encode(value)


@pytest.mark.parametrize(
    ("epsilons", "budget"),
    [
        ([0.1] * 10, 1.0),  # in doubles the exact sum is above 1
        ([0.1] * 3, 0.3),
        ([1.1, 0.9], 2.0),
        ([0.7, 0.1, 0.2], 1.0),
        ([1.1, 2.2], 3.3),  # and here it is another double
        ([1e-6, 1.0], 1.000001),
    ],
)
def test_exactly_enough_passes_and_a_hair_more_does_not(
    path: Path, epsilons: list[float], budget: float
) -> None:
    ledger = ldp.Ledger(path, budget=budget)
    for number, epsilon in enumerate(epsilons):
        ldp.Client(_plan(epsilon, bins=10 + number), ledger=ledger, survey=SURVEY).encode(1)
    assert ledger.spent() == budget
    assert ledger.remaining() == 0.0
    with pytest.raises(ldp.BudgetError):
        ldp.Client(_plan(1e-6), ledger=ledger, survey=SURVEY).encode(1)
    assert ledger.spent() == budget


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(st.decimals("0.01", "1.5", places=2), min_size=1, max_size=8))
def test_the_budget_is_never_exceeded_and_never_refused_without_cause(
    tmp_path_factory: pytest.TempPathFactory, asked: list[Any]
) -> None:
    ledger = ldp.Ledger(tmp_path_factory.mktemp("ledgers") / "ledger", budget=2.0)
    spent = Fraction(0)
    for number, epsilon in enumerate(asked):
        client = ldp.Client(_plan(float(epsilon), bins=10 + number), ledger=ledger, survey=SURVEY)
        if spent + Fraction(epsilon) <= 2:
            client.encode(1)
            spent += Fraction(epsilon)
        else:
            with pytest.raises(ldp.BudgetError):
                client.encode(1)
        assert ledger.spent() == float(spent)
        assert ledger.remaining() == float(2 - spent)


def test_sums_are_exact_where_doubles_are_not(path: Path) -> None:
    ledger = ldp.Ledger(path, budget=2.0)
    ldp.Client(_plan(1.1), ledger=ledger, survey=SURVEY).encode(1)
    with pytest.raises(ldp.BudgetError, match=r"asks for 0\.9000000000001; .*at most 0\.9$"):
        ldp.Client(_plan(0.9000000000001), ledger=ledger, survey=SURVEY).encode(1)
    ldp.Client(_plan(0.9), ledger=ledger, survey=SURVEY).encode(1)
    assert ledger.spent() == 2.0


def test_over_budget_says_what_is_spent_asked_for_and_left_and_takes_no_coin(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ldp.Ledger(path, budget=2.0)
    ldp.Client(_plan(1.1), ledger=ledger, survey=SURVEY).encode(5)
    before = path.read_bytes()
    monkeypatch.setattr("ldprange.client.encoding.SystemCoins", lambda: pytest.fail("a coin was taken"))
    words = r"budget of 2\.0: 1\.1 is spent and this survey asks for 1\.2; .* ε at most 0\.9$"
    with pytest.raises(ldp.BudgetError, match=words):
        ldp.Client(_plan(1.2), ledger=ledger, survey=SURVEY).encode(5)
    assert path.read_bytes() == before
    ldp.Client(_plan(1.1), ledger=ledger, survey=SURVEY).encode(5)  # what is there already costs nothing


def test_one_person_does_not_spend_what_is_another_s(path: Path) -> None:
    ledger = ldp.Ledger(path, budget=1.1)
    for person in ("alice", "bob"):
        ldp.Client(_plan(1.1), ledger=ledger, survey=SURVEY).encode(5, person=person)
    with pytest.raises(ldp.BudgetError):
        ldp.Client(_plan(0.1), ledger=ledger, survey=SURVEY).encode(5, person="alice")


def test_another_budget_is_an_explicit_act(path: Path) -> None:
    ledger = ldp.Ledger(path, budget=1.5)
    ldp.Client(_plan(1.1), ledger=ledger, survey=SURVEY).encode(5)
    for other in (2.0, 1.0):
        with pytest.raises(ldp.BudgetError, match=rf"its own budget, 1\.5, got {other}; .*set_budget"):
            ldp.Ledger(path, budget=other)
    with pytest.raises(ldp.BudgetError):
        ldp.Ledger(path)  # the default is 2.0, which is another
    assert ldp.Ledger(path, budget=None).budget == 1.5
    ldp.Ledger(path, budget=None).set_budget(3.0)
    assert ldp.Ledger(path, budget=3).remaining() == 1.9
    ldp.Client(_plan(1.9), ledger=ledger, survey=SURVEY).encode(5)  # one that was open before knows it too
    ledger.set_budget(0.5)
    assert (ledger.budget, ledger.remaining()) == (0.5, 0.0)
    with pytest.raises(ldp.BudgetError, match=r"; leave it unanswered$"):
        ldp.Client(_plan(0.1), ledger=ledger, survey=SURVEY).encode(5)


@pytest.mark.parametrize("budget", [0, -1.0, float("inf"), float("nan"), "2", True])
def test_a_budget_is_a_number_above_0(path: Path, budget: Any) -> None:
    with pytest.raises(ldp.BudgetError, match="a budget must be a finite number above 0"):
        ldp.Ledger(path, budget=budget)
    assert not path.exists()
    with pytest.raises(ldp.BudgetError, match="a budget must be"):
        ldp.Ledger(path).set_budget(budget)


def test_a_person_needs_a_ledger_and_a_proper_name(path: Path) -> None:
    with pytest.raises(ldp.LdprangeError, match="by a client with a ledger"):
        ldp.Client(PLAN).encode(42, person="alice")
    ledger: Any = str(path)
    with pytest.raises(ldp.LdprangeError, match="a client's ledger must be of type Ledger"):
        ldp.Client(PLAN, ledger=ledger, survey=SURVEY)
    client = ldp.Client(PLAN, ledger=ldp.Ledger(path), survey=SURVEY)
    for wrong in (None, 7, b"alice", "\ud800"):
        person: Any = wrong
        with pytest.raises(ldp.LdprangeError, match="a person's name must be"):
            client.encode(42, person=person)


def test_without_a_ledger_every_report_has_fresh_coins() -> None:
    client = ldp.Client(PLAN)
    assert len({client.encode(42) for _ in range(100)}) > 50


def test_what_is_acknowledged_is_no_longer_pending(path: Path) -> None:
    ledger = ldp.Ledger(path)
    client = ldp.Client(PLAN, ledger=ledger, survey=SURVEY)
    reports = {person: client.encode(42, person=person) for person in "abc"}
    gone, *rest = ledger.pending()
    ledger.acknowledge(gone.batch_id)
    ledger.acknowledge(gone.batch_id)
    assert ldp.Ledger(path).pending() == rest
    assert client.encode(7, person=gone.person) == reports[gone.person]
    assert ledger.spent(gone.person) == 1.1


def test_the_ages_of_a_family_on_one_device(path: Path) -> None:
    plan = ldp.choose_plan(AGES, epsilon=1.0, expected_users=1000)
    client = ldp.Client(plan, ledger=ldp.Ledger(path), survey=SURVEY)
    family = {"mother": 41, "father": 43, "child": 9}
    reports = {name: client.encode(age, person=name) for name, age in family.items()}
    a_year_later = {name: client.encode(age + 1, person=name) for name, age in family.items()}
    assert reports == a_year_later
