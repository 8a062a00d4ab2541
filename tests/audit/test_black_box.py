"""What an artefact shows of itself: right ones pass and show nearly all of their ε, wrong ones are caught.

Runs are random. A right artefact fails with a probability of 1e−6 each time; what a wrong one must show is so
far from that limit that it is missed less often still.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

import ldprange as ldp
from example_kinds import DECOMPOSITIONS, ORACLES
from ldprange.audit.artefacts import Artefact, Made, PythonClient, Rehearsal
from ldprange.audit.auditing import Audit
from ldprange.audit.binomial import least_chance, most_chance
from ldprange.audit.black_box import look_at, pairs_of
from ldprange.audit.exact import exact_privacy

RISK = 1e-6
DOMAIN = ldp.Domain.integers(0, 19)


@pytest.mark.parametrize("risk", [0.05, 1e-3, 1e-7])
@pytest.mark.parametrize(
    ("seen", "runs"), [(0, 10), (1, 10), (10, 10), (5, 1000), (400, 1000), (250_000, 1_000_000), (3, 10**7)]
)
def test_bounds_are_those_of_clopper_and_pearson(seen: int, runs: int, risk: float) -> None:
    low = stats.beta.ppf(risk, seen, runs - seen + 1) if seen else 0.0
    high = stats.beta.ppf(1 - risk, seen + 1, runs - seen) if seen < runs else 1.0
    assert least_chance(seen, runs, risk) == pytest.approx(low, rel=1e-7)
    assert most_chance(seen, runs, risk) == pytest.approx(high, rel=1e-7)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("decomposition", ["flat", "windows"])
def test_a_right_rehearsal_shows_nearly_all_of_its_epsilon(decomposition: str, oracle: str) -> None:
    plan = ldp.Plan(DOMAIN, 1.1, DECOMPOSITIONS[decomposition], ORACLES[oracle])
    found = look_at(Rehearsal(), plan, 200_000, RISK)
    assert found.wrong == ""
    assert 0.85 < found.least_epsilon <= 1.1


def test_a_right_client_shows_much_of_its_epsilon() -> None:
    plan = ldp.Plan(DOMAIN, 2.0, ldp.Tree(5), ldp.HadamardHashing())
    told: list[int] = []
    found = look_at(PythonClient(), plan, 200_000, RISK, told.append)
    assert found.wrong == ""
    assert 1.0 < found.least_epsilon <= 2.0
    assert sum(told) == sum(2 * each.runs for each in found.findings) == 2 * 2 * 10_000


@pytest.mark.parametrize(
    "domain",
    [
        ldp.Domain.ordered(["S", "M", "L"]),
        ldp.Domain.dates("2026-01-01", "2026-01-31"),
        ldp.Domain.real(0, 1, 10),
        ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.ordered(["x", "y"])),
    ],
    ids=["labels", "dates", "real", "product"],
)
@pytest.mark.parametrize("artefact", [Rehearsal(), PythonClient()], ids=lambda each: each.name)
def test_every_kind_of_domain_can_be_looked_at(artefact: Artefact, domain: ldp.Domain) -> None:
    plan = ldp.Plan(domain, 1.0, ldp.Tree(2), ldp.HRR())
    found = look_at(artefact, plan, 2000, RISK)
    assert found.wrong == ""
    assert len(found.findings) == len(pairs_of(plan))


class _Other(Rehearsal):
    """Makes reports under another plan, or of other values, than it is asked for."""

    name = "wrong rehearsal"

    def __init__(self, under: ldp.Plan) -> None:
        self._under = under

    def make(self, plan: ldp.Plan, index: Any, runs: int) -> Made:
        return Made(ldp.Batch(plan, super().make(self._under, index, runs).batch.columns))


@pytest.mark.parametrize("oracle", ["grr", "oue", "hadamard", "subset"])
def test_an_epsilon_that_is_half_as_large_again_is_caught(oracle: str) -> None:
    stated = ldp.Plan(DOMAIN, 1.0, ldp.Flat(), ORACLES[oracle])
    true = ldp.Plan(DOMAIN, 1.5, ldp.Flat(), stated.oracles)
    found = look_at(_Other(true), stated, 100_000, RISK)
    assert 1.0 < found.least_epsilon <= 1.5
    assert "above the 1 that is stated" in found.wrong


def test_a_level_chosen_by_the_value_is_caught() -> None:
    plan = ldp.Plan(DOMAIN, 1.0, ldp.Tree(5), ldp.GRR())

    class Choosing(Rehearsal):
        def make(self, plan: ldp.Plan, index: Any, runs: int) -> Made:
            chosen = replace(plan, level_probabilities=[0.9, 0.1] if index == 0 else [0.1, 0.9])
            return Made(ldp.Batch(plan, super().make(chosen, index, runs).batch.columns))

    found = look_at(Choosing(), plan, 100_000, RISK)
    assert "above" in found.wrong
    assert any(each.event == "the report is on level 0" for each in found.findings) or found.least_epsilon > 2


def test_a_report_that_one_value_never_gives_is_caught() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 3), 1.0, ldp.Flat(), ldp.GRR())

    class Avoiding(Rehearsal):
        def make(self, plan: ldp.Plan, index: Any, runs: int) -> Made:
            column = super().make(plan, index, runs).batch.columns[0].copy()
            if index == 0:
                column[column == 2] = 1
            return Made(ldp.Batch(plan, [column]))

    found = look_at(Avoiding(), plan, 50_000, RISK)
    assert found.findings[0].event == "the report is 02 on level 0"
    assert found.least_epsilon > 5
    assert "above" in found.wrong


def test_a_length_that_depends_on_the_value_is_caught() -> None:
    plan = ldp.Plan(DOMAIN, 1.0, ldp.Flat(), ldp.GRR())

    class Padding(PythonClient):
        def make(self, plan: ldp.Plan, index: Any, runs: int) -> Made:
            made = super().make(plan, index, runs)
            return Made(
                made.batch, frozenset((level, length + (index == 0)) for level, length in made.lengths)
            )

    assert look_at(Padding(), plan, 2000, RISK).wrong == "reports of one level differ in length"


def test_a_report_that_the_collector_refuses_is_caught() -> None:
    plan = ldp.Plan(DOMAIN, 1.0, ldp.Flat(), ldp.GRR())

    class Unreadable(Rehearsal):
        def make(self, plan: ldp.Plan, index: Any, runs: int) -> Made:
            raise ldp.WireError("every report must lie in [0, 20)")

    found = look_at(Unreadable(), plan, 2000, RISK)
    assert "it made a report that is refused" in found.wrong
    assert Audit(plan, exact_privacy(plan), (("", found),)).wrong == [f"encode_many: {found.wrong}"]


def test_long_reports_are_made_less_often() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 2**20 - 1), 1.0, ldp.Flat(), ldp.OUE())
    assert Rehearsal().runs_for(plan, 10**6) == 4096
    assert PythonClient().runs_for(plan, 10**6) == 512
    found = look_at(Rehearsal(), plan, 40, RISK)
    assert found.wrong == ""


def test_one_value_alone_tells_nothing() -> None:
    plan = ldp.Plan(ldp.Domain.integers(7, 7), 1.0, ldp.Flat(), ldp.HRR())
    assert pairs_of(plan) == []
    assert look_at(Rehearsal(), plan, 2000, RISK).findings == ()
