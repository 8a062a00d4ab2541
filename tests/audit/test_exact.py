"""The true ε of whole plans: what an enumeration of small ones gives, and within bounds on large ones."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from exact_laws import law_of
from example_kinds import DECOMPOSITIONS, ORACLES
from ldprange.audit.exact import exact_privacy, logarithm_from_above
from ldprange.randomness import WORDS

EPSILONS = (0.01, 0.5, 1.1, 5.0, 10.0, 20.0)
SMALL = ldp.Domain.integers(1, 5)
TWO = ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.categories(["x", "y", "z"]))


def _worst_by_enumeration(plan: ldp.Plan) -> Fraction:
    """Return the greatest ratio of two bins' chances of one report, over all reports that there are."""
    shape = plan.domain.shape
    bins: list[Any] = list(range(*shape)) if len(shape) == 1 else list(product(*map(range, shape)))
    ends, worst = [0, *plan.level_thresholds, WORDS], Fraction(1)
    for number, (low, high) in enumerate(pairwise(ends)):
        if high > low:
            chances = law_of(plan.mechanisms[number]).chances
            held = {plan.levels[number].cell(np.array(each) if len(shape) > 1 else each) for each in bins}
            for one, other in combinations(held, 2):
                ratios = [a / b for a, b in zip(chances[one], chances[other], strict=True)]
                worst = max(worst, *ratios, *(1 / ratio for ratio in ratios))
    return worst


ENUMERATED = {
    f"{decomposition}, {oracle}": ldp.Plan(
        SMALL, 1.1, DECOMPOSITIONS[decomposition], ldp.OLH(symbols=3) if oracle == "olh" else ORACLES[oracle]
    )
    for decomposition, oracle in product(DECOMPOSITIONS, ORACLES)
    if (decomposition, oracle) != ("windows", "olh")  # too many hashes to list for every shift
}
ENUMERATED["a level that nobody is asked about"] = ldp.Plan(
    SMALL, 1.0, ldp.Tree(3), [ldp.GRR(), ldp.OUE()], [1.0, 0.0]
)
ENUMERATED["two attributes"] = ldp.Plan(TWO, 1.1, ldp.Tree(2), ldp.HadamardHashing(bits=2))
ENUMERATED["grids"] = ldp.Plan(TWO, 0.7, ldp.Grids.pairs(TWO, 5), ldp.SubsetSelection())


@pytest.mark.slow
@pytest.mark.parametrize("plan", ENUMERATED.values(), ids=ENUMERATED.keys())
def test_the_worst_ratio_is_that_of_all_reports_there_are(plan: ldp.Plan) -> None:
    assert exact_privacy(plan).worst_ratio == _worst_by_enumeration(plan)


def _check(plan: ldp.Plan | ldp.LabelledPlan) -> None:
    found = exact_privacy(plan)
    assert found.holds
    assert plan.epsilon - 1e-6 <= found.epsilon <= plan.epsilon
    assert all(each.epsilon <= found.epsilon for each in found.levels if each.chance)
    assert sum(each.chance for each in found.levels) == len({each.attribute for each in found.levels})


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_every_kind_of_plan_is_within_bounds(decomposition: str, oracle: str, epsilon: float) -> None:
    _check(ldp.Plan(ldp.Domain.integers(0, 119), epsilon, DECOMPOSITIONS[decomposition], ORACLES[oracle]))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("oracle", [ldp.GRR(), ldp.OUE(), ldp.OLH(), ldp.HRR()], ids=str)
def test_plans_on_very_many_bins_are_within_bounds(oracle: Any, epsilon: float) -> None:
    _check(ldp.Plan(ldp.Domain.integers(0, 2**26 - 1), epsilon, ldp.Flat(), oracle))


@pytest.mark.parametrize("bins", [2, 120, 1024, 70_000])
def test_chosen_plans_are_within_bounds(bins: int) -> None:
    _check(ldp.choose_plan(ldp.Domain.integers(1, bins), epsilon=1.1, expected_users=10**6))


def test_a_labelled_plan_tells_one_attribute_or_all() -> None:
    plans = [ldp.Plan(SMALL, epsilon, ldp.Flat(), ldp.GRR()) for epsilon in (0.5, 1.0)]
    each = [exact_privacy(plan).worst_ratio for plan in plans]
    one, all_of_them = (ldp.LabelledPlan(("a", "b"), plans, ("yes", "no"), asked) for asked in ("one", "all"))
    assert exact_privacy(one).worst_ratio == max(each)
    assert exact_privacy(all_of_them).worst_ratio == each[0] * each[1]
    _check(one)
    assert exact_privacy(all_of_them).holds
    assert 1.5 - 1e-6 < exact_privacy(all_of_them).epsilon <= 1.5


@given(st.fractions(min_value=1, max_value=10**12))
def test_logarithms_are_rounded_up_to_the_next_number(ratio: Fraction) -> None:
    found = logarithm_from_above(ratio)
    with localcontext() as context:
        context.prec = 80
        true = Fraction((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())
    slack = Fraction(1, 10**55)
    assert Fraction(found) >= true - slack
    assert ratio == 1 or Fraction(math.nextafter(found, 0)) < true + slack
