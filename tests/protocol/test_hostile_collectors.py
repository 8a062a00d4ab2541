"""What a collector of ill intent gets from a client: never more than e^ε, never more than the budget."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import ldprange as ldp
from exact_laws import all_reports
from ldprange.randomness import exponential_from_below

SIX = ldp.Domain.integers(0, 5)
POINTED = {
    "all probability on one level": ldp.Plan(SIX, 1.0, ldp.Haar(), ldp.HRR(), [0, 1, 0]),
    "one value alone on its level": ldp.Plan(
        ldp.Domain.integers(0, 4), 1.0, ldp.Haar(), ldp.GRR(), [1, 0, 0]
    ),
    "one value alone in a set": ldp.Plan(SIX, 1.0, ldp.Flat(), ldp.SubsetSelection(5)),
    "two values": ldp.Plan(ldp.Domain.integers(0, 1), 1.0, ldp.Flat(), ldp.GRR()),
    "windows of all but one": ldp.Plan(SIX, 1.0, ldp.Windows((5, 1)), ldp.GRR(), [1, 0]),
    "several oracles": ldp.Plan(
        SIX, 1.0, ldp.Haar(), [ldp.GRR(), ldp.OUE(), ldp.HadamardHashing(bits=4)], [0.1, 0.8, 0.1]
    ),
}


@pytest.mark.parametrize("plan", POINTED.values(), ids=POINTED.keys())
def test_no_report_tells_more_than_its_epsilon(plan: ldp.Plan) -> None:
    most = exponential_from_below(plan.epsilon + 1e-12)
    for level, mechanism in zip(plan.levels, plan.mechanisms, strict=True):
        cells = {level.cell(index) for index in range(plan.domain.bins)}
        for report in all_reports(mechanism):
            chances = [mechanism.likelihood(report, cell) for cell in cells]
            assert max(chances) <= most * min(chances)


def test_the_one_value_that_a_level_singles_out_is_told_apart_by_almost_that_much() -> None:
    plan = POINTED["one value alone on its level"]
    assert [plan.levels[0].cell(index) for index in range(5)] == [0, 0, 0, 0, 1]
    chances = [plan.mechanisms[0].likelihood(b"\1", cell) for cell in (0, 1)]
    assert Fraction(999, 1000) < chances[1] / chances[0] / exponential_from_below(1.0) <= 1


def test_a_fresh_plan_each_day_gets_answers_until_the_budget_is_spent(tmp_path: Path) -> None:
    ledger = ldp.Ledger(tmp_path / "answers.ledger", budget=2.0)
    days = [ldp.Plan(ldp.Domain.integers(0, 100 + day), 0.6, ldp.Haar(), ldp.HRR()) for day in range(9)]
    assert len({plan.fingerprint for plan in days}) == len(days)
    answered = []
    for plan in days:
        client = ldp.Client(plan, ledger=ledger, survey="https://example.org/s/daily")
        try:
            answered.append(client.encode(42))
        except ldp.BudgetError:
            continue
        assert client.encode(42) == client.encode(17) == answered[-1]
    assert len(answered) == 3
    assert ledger.spent() == pytest.approx(1.8)


def test_a_plan_made_for_one_person_is_refused_by_who_knows_the_others() -> None:
    theirs = ldp.Plan(SIX, 1.0, ldp.Haar(), ldp.HRR())
    mine = ldp.Plan(SIX, 1.0, ldp.Haar(), ldp.HRR(), [0.33, 0.33, 0.34])
    assert ldp.Client(theirs, fingerprint=theirs.fingerprint).encode(3).fingerprint == theirs.fingerprint
    with pytest.raises(ldp.PlanError, match="it is another plan"):
        ldp.Client(mine, fingerprint=theirs.fingerprint)


def test_a_plan_says_nothing_of_thresholds() -> None:
    plan = POINTED["several oracles"].to_dict()
    assert set(plan) == {
        "ldprange_plan",
        "domain",
        "epsilon",
        "decomposition",
        "branchings",
        "oracles",
        "level_probabilities",
        "fingerprint",
    }
    assert plan["oracles"] == [{"kind": "grr"}, {"kind": "oue"}, {"kind": "hadamard", "bits": 4}]
