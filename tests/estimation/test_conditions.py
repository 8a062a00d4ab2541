"""One attribute among the people in ranges of others.

Seeds are fixed; had they been drawn afresh, each coverage would fail a correct library with probability below
1e-3.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from example_products import PRIME, THREE, TWO, estimated, joint, people


@pytest.mark.slow
def test_conditional_shares_cover() -> None:
    plan, counts = ldp.Plan(TWO, 2.0, ldp.Tree(4), ldp.HadamardHashing()), people(TWO)
    truth = counts[4:9, 1:3].sum() / counts[4:9].sum()
    covered = []
    for seed in range(300):
        found = joint(ldp.simulate(plan, counts, seed=seed))
        answer = found.range(children=(1, 2), given={"age": (4, 8)})
        assert answer.low is not None
        assert answer.high is not None
        covered.append(answer.low <= truth <= answer.high)
    assert 0.91 < np.mean(covered) < 0.99


@pytest.mark.slow
def test_conditional_quantiles_cover() -> None:
    plan, counts = ldp.Plan(TWO, 2.0, ldp.Tree(4), ldp.HadamardHashing()), people(TWO)
    below = np.cumsum(counts[:, 2:].sum(axis=1)) / counts[:, 2:].sum()
    truth = int(np.searchsorted(below, 0.5))
    covered = []
    for seed in range(200):
        found = joint(ldp.simulate(plan, counts, seed=seed))
        answer = found.quantile(0.5, of="age", given={"children": (2, 5)})
        assert answer.low is not None
        assert answer.high is not None
        assert answer.low <= answer.value <= answer.high
        covered.append(answer.low <= truth <= answer.high)
    assert np.mean(covered) > 0.92


def test_the_interval_of_a_ratio_is_fiellers() -> None:
    found, z = estimated(), 1.959963984540054
    answer = found.range(age=(3, 9), given={"children": (1, 3)})
    shares = found._joint((0, 1))
    part, given = (
        shares.whole([np.array([first]), np.array([1])], [np.array([stop]), np.array([4])])
        for first, stop in ((3, 10), (0, 16))
    )
    a, b, own, whole = (float(of(box)[0]) for of in (shares.ask, shares.variance) for box in (part, given))
    rests = []
    for assumed in shares.populations:
        between = shares.fit.covariances(assumed.shares, [0, 1], [16, 4])[3:10, 1:4].sum()
        rests.append(sum(float(assumed.variances(box)[0]) for box in (part, given)) - 2 * between)
    rest = max(rests)
    covariance = (own + whole - rest) / 2
    slope = min(shares.spread(part).slope[0], own / a, rest / (b - a))
    for end in (answer.low, answer.high):
        assert end is not None
        variance = own - 2 * end * covariance + end**2 * whole
        variance += slope * b * (end - a / b) * (1 - 2 * end)
        assert abs(a - end * b) == pytest.approx(z * np.sqrt(variance))


def test_among_people_who_may_be_nobody_a_share_is_anything() -> None:
    plan, counts = ldp.Plan(TWO, 0.2, ldp.Tree(4), ldp.HadamardHashing()), people(TWO, 300)
    unknown = 0
    for seed in range(30):
        found = joint(ldp.simulate(plan, counts, seed=seed))
        some = found.range(children=5)
        assert some.high is not None
        if 0 < some.value < some.high - some.value:  # may as well be 0
            answer = found.range(age=(0, 3), given={"children": 5})
            assert (answer.low, answer.high) == (0, 1)
            unknown += 1
    assert unknown > 3


def test_among_people_of_whom_reports_see_less_than_none_a_denoised_share_is_anything() -> None:
    plan, counts = ldp.Plan(TWO, 1.0, ldp.Flat(), ldp.HadamardHashing()), people(TWO, 2000)
    counts[:, 5] = 0
    seen = 0
    for seed in range(60):
        drawn = ldp.simulate(plan, counts, seed=seed)
        some = joint(drawn).range(children=5)
        assert some.high is not None
        if some.high <= 0:
            answer = joint(drawn, denoise=True).range(age=(0, 3), given={"children": 5})
            assert (answer.low, answer.high) == (0, 1)
            seen += 1
    assert seen


def test_what_is_given_must_be_whole_cells_of_a_coarse_grid() -> None:
    many = ldp.Domain.product(**{each: ldp.Domain.integers(0, 15) for each in "abcd"})
    plan = ldp.Plan(many, 2.0, ldp.Grids.pairs(many, 20), ldp.HadamardHashing())
    rng = np.random.default_rng(1)
    found = joint(ldp.simulate_values(plan, {each: rng.integers(0, 16, 20_000) for each in "abcd"}, seed=1))
    step = found._joint((0, 1)).steps[1]
    assert step > 1
    assert found.range(a=(0, 7), given={"b": (0, step - 1)}).value > 0
    with pytest.raises(ldp.QueryError, match=f"the nearest is from 0 to {step - 1}"):
        found.range(a=(0, 7), given={"b": (0, step)})
    among = found.marginal("a", given={"b": (0, step - 1)})
    inside, cell = among.range(1, 1), among.range(0, step - 1)  # nobody knows where in a cell people are
    assert (inside.low, inside.high) == (0, cell.high)


def test_the_nearest_cells_that_are_named_can_be_given() -> None:
    many = ldp.Domain.product(**{each: ldp.Domain.integers(0, 22) for each in "abcd"})
    plan = ldp.Plan(many, 2.0, ldp.Grids.pairs(many, 20), ldp.HadamardHashing())
    rng = np.random.default_rng(1)
    found = joint(ldp.simulate_values(plan, {each: rng.integers(0, 23, 20_000) for each in "abcd"}, seed=1))
    refused = 0
    for low, high in itertools.combinations_with_replacement(range(23), 2):
        try:
            found.marginal("a", given={"b": (low, high)})
        except ldp.QueryError as error:
            told = re.search(r"the nearest is from (\d+) to (\d+), ", str(error))
            assert told is not None
            found.marginal("a", given={"b": (int(told[1]), int(told[2]))})
            refused += 1
    assert refused


def test_denoised_conditions_agree_with_the_joint() -> None:
    cases: list[tuple[Any, dict[str, Any]]] = [(TWO, {"children": (1, 3)}), (PRIME, {"year": (0.0, 5.0)})]
    for domain, given in cases:
        found = estimated(domain, denoise=True)
        name = domain.names[0]
        among = found.marginal(name, given=given)
        whole = found.range(**given, confidence=None).value
        for bound in range(11):
            both: dict[str, Any] = {name: (0, bound), **given}
            part = found.range(**both, confidence=None).value
            assert among.prefix(bound, confidence=None).value == pytest.approx(part / whole, abs=1e-6)


def test_conditions_are_asked_many_at_a_time_in_any_shape() -> None:
    among = estimated().marginal("age", given={"children": (0, 2)})
    table = among.ranges([[0, 1], [2, 3]], [[4, 5], [6, 7]])
    assert table.value.shape == (2, 2)
    assert np.asarray(table.low)[1, 0] == among.range(2, 6).low
    assert among.ranges(0, 4).value == among.range(0, 4).value


def test_among_all_people_an_attribute_is_what_it_is() -> None:
    found = estimated(THREE, epsilon=2.0)
    alone, among = (
        found.marginal("age"),
        found.marginal("age", given={"income": (0, 400), "region": ("N", "S")}),
    )
    for one, other in (
        (alone.range(2, 5), among.range(2, 5)),
        (alone.prefix(3), among.prefix(3)),
        (alone.quantile(0.5), among.quantile(0.5)),
    ):
        assert other.value == pytest.approx(one.value)
        # all but the same: who lives where is read off another table
        assert (other.low, other.high) == (
            pytest.approx(one.low, rel=1e-3),
            pytest.approx(one.high, rel=1e-3),
        )


def test_among_some_people_all_questions_agree() -> None:
    found = estimated(THREE, epsilon=3.0)
    among = found.marginal("age", given={"region": ("N", "E"), "income": (0, 200)})
    bins, below = among.histogram(), among.cdf()
    assert np.cumsum(bins.value) == pytest.approx(below.value)
    assert bins.value.min() >= 0
    assert below.value[-1] == pytest.approx(1)
    assert "among some" in repr(among)
    assert among.prefix(4).value == below.value[4]
    assert found.range(age=(2, 3), given={"region": ("N", "E"), "income": (0, 200)}) == among.range(2, 3)
    joint_share = found.range(age=(2, 3), region=("N", "E"), income=(0, 200)).value
    all_of_them = found.range(region=("N", "E"), income=(0, 200)).value
    assert among.range(2, 3).value == pytest.approx(joint_share / all_of_them, abs=0.01)  # but for its rise
    widest = among.cdf(band="simultaneous")
    assert np.all(np.asarray(widest.low) <= np.asarray(below.low))


def test_conditional_shares_are_shares_and_many_may_be_none() -> None:
    plan = ldp.Plan(TWO, 0.3, ldp.Tree(4), ldp.HadamardHashing())
    for seed in range(20):
        found = joint(ldp.simulate(plan, people(TWO, 500), seed=seed), denoise=seed % 2 == 0)
        assert found.ranges(age=([], []), children=([], [])).value.shape == (0,)
        try:
            answer = found.range(age=(0, 7), given={"children": 3})
        except ldp.QueryError:  # nobody seems to have three
            continue
        assert answer.low is not None
        assert answer.high is not None
        assert 0 <= answer.low <= answer.value <= answer.high <= 1


def test_if_nobody_reported_on_both_all_is_possible() -> None:
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 7), b=ldp.Domain.integers(0, 7))
    grids = ldp.Grids([(2, 4), (2, 4)], [(2, 0), (0, 2), (1, 1)])
    plan = ldp.Plan(domain, 4.0, grids, ldp.GRR(), [0.5, 0.5, 0.0])
    found = ldp.estimate(ldp.simulate_values(plan, {"a": [1] * 50, "b": [5] * 50}, seed=1), denoise=True)
    answer = found.range(a=(0, 3), given={"b": (0, 7)})
    assert (answer.low, answer.high) == (0.0, 1.0)


@pytest.mark.parametrize("given", [(0, 1), (0, 9)], ids=["few", "all"])
def test_shares_of_categories_do_not_depend_on_their_order(given: tuple[int, int]) -> None:
    labels = ["bus", "car", "bike", "foot", "train"]
    domain = ldp.Domain.product(
        minutes=ldp.Domain.integers(0, 9), mode=ldp.Domain.categories(labels, no_answer=True)
    )
    counts = np.random.default_rng(3).multinomial(5000, [1 / 60] * 60).reshape(10, 6)
    plan, negative = ldp.choose_plan(domain, epsilon=1.0, expected_users=5000), 0
    for seed in range(5):
        found = joint(ldp.simulate(plan, counts, seed=seed))
        ratios = np.array([found.everyone.range(minutes=given, mode=label).value for label in labels])
        among = found.marginal("mode", given={"minutes": given})
        shares, declined = among.histogram().value, among.no_answer()
        assert declined.low is not None
        assert 0 <= declined.low <= declined.value <= 1
        assert shares.sum() == pytest.approx(1)
        kept = shares > 0
        assert np.ptp((ratios / ratios.sum() - shares)[kept]) < 1e-12  # as much is taken from each
        assert shares.min() == 0 or np.allclose(shares, ratios / ratios.sum())
        negative += bool(np.any(ratios < 0))
    assert (negative > 0) == (given == (0, 1))


def test_among_people_who_may_be_few_or_nobody_no_interval_is_empty() -> None:
    """Not even where Fieller's set is all but a part in the middle, which is what a few surveys see."""
    people = ldp.Domain.product(age=ldp.Domain.integers(0, 31), pay=ldp.Domain.integers(0, 15))
    plan = ldp.choose_plan(people, epsilon=1.0, expected_users=2000)
    low, high = np.triu_indices(16)
    asked = low + high < 15  # all but the whole
    held = []
    for seed in range(20):
        counts = np.random.default_rng(seed).multinomial(2000, np.full(512, 1 / 512)).reshape(32, 16)
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed))
        try:
            alone = found.marginal("pay", given={"age": (3, 4)})
        except ldp.QueryError:  # nobody seems to be there
            continue
        ends = alone.ranges(low[asked], high[asked]).interval
        assert ends is not None
        assert np.all(ends[0] < ends[1])
        truth = (high - low + 1)[asked] / 16
        held.append(np.mean((ends[0] <= truth) & (truth <= ends[1])))
    assert np.mean(held) > 0.95
