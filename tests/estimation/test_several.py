"""Several attributes as a user meets them: from values to answers.

Seeds are fixed; had they been drawn afresh, each comparison of measured with predicted variance would fail a
correct library with probability below 1e-6 (five standard errors), each coverage below 1e-3. There is one
plan for every decomposition; variances of many more are held exactly in tests/least_squares/test_table.py.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from example_products import PRIME, THREE, TWO, boxes, estimated, joint, people
from ldprange.decompositions import Decomposition, GridsLayout
from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.shares import rising
from ldprange.least_squares.table import Boxes
from ldprange.oracles import Oracle

WIDE = ldp.Domain.product(a=ldp.Domain.integers(0, 10**6 - 1), b=ldp.Domain.integers(0, 10**6 - 1))
PLAN = ldp.Plan(TWO, 1.0, ldp.Tree(4), ldp.HRR())
METHODS: list[tuple[ldp.Domain, Decomposition, Oracle]] = [
    (TWO, ldp.Flat(), ldp.GRR()),
    (TWO, ldp.Haar(), ldp.HRR()),
    (PRIME, ldp.Tree(2), ldp.HadamardHashing()),
    (THREE, ldp.Tree(4), ldp.OUE()),
]


def name(method: tuple[ldp.Domain, Decomposition, Oracle]) -> str:
    return f"{len(method[0].shape)}, {method[1]}, {method[2]}"


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_predicted_variance_is_measured_variance(method: tuple[ldp.Domain, Decomposition, Oracle]) -> None:
    """Taken at an ε at which both noise and where people are make a difference."""
    domain, decomposition, oracle = method
    plan, counts, surveys = ldp.Plan(domain, 3.0, decomposition, oracle), people(domain), 150
    masks, asked = boxes(domain, 12)
    truth = np.array([(mask * counts).sum() for mask in masks]) / counts.sum()
    errors, widths = [], []
    for seed in range(surveys):
        answer = joint(ldp.simulate(plan, counts, seed=seed)).ranges(**asked)
        assert answer.low is not None
        assert answer.high is not None
        errors.append(answer.value - truth)
        widths.append((answer.high - answer.low) / (2 * 1.959964))
    measured, predicted = np.square(errors).mean(axis=0), np.square(widths).mean(axis=0)
    # the mean of squared normal numbers is off by its √(2/surveys); who goes to which level is chance, too
    assert np.all(np.abs(measured / predicted - 1) < 5 * np.sqrt(2 / surveys) + 0.03)
    assert np.all(np.abs(np.mean(errors, axis=0)) < 5 * np.sqrt(measured / surveys))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=name)
def test_95_percent_intervals_cover_95_percent(method: tuple[ldp.Domain, Decomposition, Oracle]) -> None:
    domain, decomposition, oracle = method
    plan, counts = ldp.Plan(domain, 1.1, decomposition, oracle), people(domain)
    masks, asked = boxes(domain, 30)
    truth = np.array([(mask * counts).sum() for mask in masks]) / counts.sum()
    covered = []
    for seed in range(100):
        answer = joint(ldp.simulate(plan, counts, seed=1000 + seed)).ranges(**asked)
        assert answer.low is not None
        assert answer.high is not None
        covered.append((answer.low <= truth) & (truth <= answer.high))
    assert 0.93 < np.mean(covered) < 0.97


@pytest.mark.parametrize("denoise", [False, True])
@pytest.mark.parametrize("domain", [TWO, THREE, PRIME], ids=["2", "3", "prime"])
def test_marginals_agree_with_the_joint(domain: ldp.domain.Product, denoise: bool) -> None:
    found = estimated(domain, denoise=denoise)
    whole = found.histogram(confidence=None).value
    assert whole.shape == domain.shape
    assert whole.sum() == pytest.approx(1, abs=1e-6)
    for place, each in enumerate(domain.names):
        others = tuple(a for a in range(len(domain.names)) if a != place)
        alone = found.marginal(each).histogram(confidence=None).value
        np.testing.assert_allclose(alone, whole.sum(axis=others), atol=1e-6 if denoise else 1e-12)
    some = found.histogram(*domain.names[1::-1], confidence=None).value
    np.testing.assert_allclose(some, whole.sum(axis=tuple(range(2, whole.ndim))).T, atol=1e-6)


@pytest.mark.parametrize("denoise", [False, True])
def test_the_share_of_everybody_is_exactly_1(denoise: bool) -> None:
    for seed in range(5):
        found = joint(ldp.simulate(PLAN, np.full(TWO.shape, 50), seed=seed), denoise=denoise)
        everybody = [found.marginal("age").prefix(15), found.marginal("age").range(0, 15)]
        everybody += [found.range(age=(0, 15), children=(0, 5))] if not denoise else []
        assert {(each.value, each.low, each.high) for each in everybody} == {(1, 1, 1)}


def test_leaves_beyond_the_last_bin_belong_to_it() -> None:
    found = estimated(PRIME)
    assert found.plan.decomposition.trees == ((3, 4), (4, 4))  # type: ignore[attr-defined]
    everybody = found.range(hour=(0, 10), year=(0, 13))
    assert (everybody.value, everybody.low, everybody.high) == (1, 1, 1)
    one, other = found.range(hour=(3, 10), year=(0, 13)), found.marginal("hour").range(3, 10)
    assert [one.value, one.low, one.high] == pytest.approx([other.value, other.low, other.high], rel=1e-3)
    assert found.marginal("hour").cdf().value[-1] == pytest.approx(1)
    among = found.marginal("hour", given={"year": (0, 13)})
    assert among.range(3, 10).value == pytest.approx(other.value)
    last = found.range(hour=10, year=(12, 13)).value
    assert found.range(hour=10, year=(12, 12.5)).value < last or last < 0
    assert found.quantile(1.0, of="hour").value == 10


HEAPED = (  # a variance that depends on where people are, and all of them in one place
    ldp.Plan(TWO, 3.0, ldp.Tree(4), ldp.GRR()),
    np.pad([[500]], [(0, bins - 1) for bins in TWO.shape]),
)


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
def test_one_attribute_is_asked_alike_either_way(denoise: bool) -> None:
    found = joint(ldp.simulate(*HEAPED, seed=1), denoise=denoise)
    together, alone = found.histogram("age"), found.marginal("age").histogram()
    for one, other in zip(together.interval or (), alone.interval or (), strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(together.value, alone.value)


def test_the_population_in_the_variance_of_a_marginal_is_a_distribution() -> None:
    plan, aggregate = HEAPED[0], ldp.simulate(*HEAPED, seed=1)
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(aggregate.users), (0,))
    low = np.arange(TWO.shape[0])
    shares = joint(aggregate).marginal("age")._shares
    assert isinstance(shares, ConsistentShares)
    assert np.diff(shares.cdf).min() < 0  # so that it would matter
    expected = table.variances(rising(shares.cdf))(Boxes([low], [low + 1]))
    np.testing.assert_allclose(shares.spread(low, low + 1).variance, expected)


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
@pytest.mark.parametrize("attributes", [1, 2])
def test_only_denoised_intervals_end_at_0_and_1(attributes: int, denoise: bool) -> None:
    domain = TWO if attributes == 2 else TWO.attributes["age"]
    plan, counts = ldp.Plan(domain, 0.5, ldp.Tree(4), ldp.HRR()), np.zeros(domain.shape, int)
    counts[(0,) * attributes] = 500
    for seed in range(10):
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=denoise)
        alone = found.marginal("age" if attributes == 2 else None)
        answers = [alone.histogram(), alone.cdf()]
        if attributes == 2:
            answers.append(found.histogram())
        for answer in answers:
            value, low, high = (np.asarray(each) for each in (answer.value, answer.low, answer.high))
            assert np.all((low <= value) & (value <= high))
            if denoise:
                assert low.min() >= 0
                assert high.max() <= 1
            else:  # evenly about the value, wherever that lies
                np.testing.assert_allclose((low + high) / 2, value, atol=0.02)
                assert low.min() < 0 or high.max() > 1


def test_it_says_whether_it_is_denoised() -> None:
    assert repr(estimated()).startswith("Estimate of age, children from 20,000 reports")
    assert repr(estimated(denoise=True)).startswith("Denoised estimate of age, children from 20,000 reports")


def test_an_attribute_may_have_any_name() -> None:
    domain = ldp.Domain.product(self=ldp.Domain.integers(0, 3), of=ldp.Domain.integers(0, 3))
    plan = ldp.Plan(domain, 2.0, ldp.Tree(4), ldp.HRR())
    found = joint(ldp.simulate_values(plan, {"self": [1] * 100, "of": [2] * 100}, seed=1))
    ranges: dict[str, Any] = {"self": (0, 1), "of": 2}
    assert -3 < found.range(**ranges).value < 3


def test_ranges_are_named_by_a_mapping_or_by_keywords() -> None:
    found = estimated()
    named = found.range(age=(3, 9), children=1)
    assert found.range({"age": (3, 9), "children": 1}) == found.range({"age": (3, 9)}, children=1) == named
    many = found.ranges({"age": ([3, 0], [9, 15])}, children=([1, 1], [1, 1]))
    assert many.value[0] == named.value
    rents = ldp.Domain.product(**{"Rent in €": ldp.Domain.integers(0, 7), "rooms": ldp.Domain.integers(1, 4)})
    plan = ldp.Plan(rents, 2.0, ldp.Tree(4), ldp.HRR())
    homes = joint(ldp.simulate(plan, people(rents), seed=1))
    assert homes.range({"Rent in €": (0, 3)}, given={"rooms": 2}).low is not None


@pytest.mark.parametrize("name", ["prefix", "prefixes", "cdf", "quantiles", "mean", "median"])
def test_what_needs_one_attribute_says_how_to_ask_it(name: str) -> None:
    found = estimated()
    assert not issubclass(ldp.JointEstimate, ldp.Estimate)
    with pytest.raises(
        AttributeError, match=rf"needs one attribute; use estimate.marginal\('age'\).{name}\("
    ):
        getattr(found, name)
    assert hasattr(found.marginal("age"), name)
    with pytest.raises(AttributeError, match="no attribute 'modes'"):
        found.modes  # type: ignore[attr-defined] # noqa: B018


def test_a_value_stands_for_itself() -> None:
    found = estimated(THREE)
    assert found.range(age=3, region="E").value == found.range(age=(3, 3), region=("E", "E")).value


def test_a_bound_inside_a_bin_widens_the_interval() -> None:
    found = estimated(THREE)
    whole, inside = found.range(income=(0, 200), age=(0, 3)), found.range(income=(0, 150), age=(0, 3))
    half = found.range(income=(0, 100), age=(0, 3)).value
    assert inside.value == pytest.approx((whole.value + half) / 2)
    assert inside.high == pytest.approx(whole.high)
    assert inside.low == pytest.approx(found.range(income=(0, 100), age=(0, 3)).low)


def test_a_wide_product_is_asked_about_in_pairs() -> None:
    plan = ldp.choose_plan(WIDE, epsilon=1.0, expected_users=1e6)
    assert max(level.cells for level in plan.levels) <= 2**20


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("times", [1, 10])
def test_denoising_does_not_pull_apart_what_goes_together(alike: float, times: int) -> None:
    bins, rng = 32, np.random.default_rng(1)
    both = rng.normal(size=(2, 200_000))
    both[1] = alike * both[0] + np.sqrt(1 - alike**2) * both[1]
    place = np.clip(16 + 5 * both, 0, bins - 1).astype(int)
    side = ldp.Domain.integers(0, bins - 1)
    domain = ldp.Domain.product(a=side, b=side)
    counts = domain.count({"a": place[0], "b": place[1]}) * times
    plan = ldp.Plan(domain, 2.0, ldp.Tree(2), ldp.HadamardHashing())
    masks, asked = boxes(domain, 200)
    truth = np.array([(mask * counts).sum() for mask in masks]) / counts.sum()
    errors = [
        [
            np.square(joint(drawn, denoise=denoise).ranges(**asked, confidence=None).value - truth).mean()
            for denoise in (False, True)
        ]
        for drawn in (ldp.simulate(plan, counts, seed=seed) for seed in range(2))
    ]
    unbiased, denoised = np.sqrt(np.mean(errors, axis=0))
    assert denoised < 0.9 * unbiased


def test_it_is_described_attribute_by_attribute() -> None:
    domain = ldp.Domain.product(
        age=ldp.Domain.integers(1, 8), way=ldp.Domain.categories(["bus", "foot"], no_answer=True)
    )
    plan = ldp.choose_plan(domain, epsilon=2.0, expected_users=240)
    found = joint(ldp.simulate(plan, np.full(domain.shape, 10), seed=1))
    people, *lines = found.describe().splitlines()
    assert people == "240 people reported"
    assert [line for line in lines if not line.startswith("  ")] == ["age", "way"]
    for name in ("age", "way"):
        assert all(f"  {line}" in lines for line in found.marginal(name).describe().splitlines()[1:])


@pytest.mark.parametrize(("shape", "epsilon"), [((2, 200), 8.0), ((64, 5), 16.0)])
def test_denoised_pairs_agree_with_both_attributes(shape: tuple[int, int], epsilon: float) -> None:
    """Where people are in a few places, fitting both in turns comes to an end only after many turns."""
    rng, counts = np.random.default_rng(1), np.zeros(shape, np.int64)
    np.add.at(counts.reshape(-1), rng.choice(rng.integers(0, counts.size, 12), 3000), 1)
    domain = ldp.Domain.product(a=ldp.Domain.integers(1, shape[0]), b=ldp.Domain.integers(1, shape[1]))
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=3000)
    found = joint(ldp.simulate(plan, counts, seed=2), denoise=True)
    both = found.histogram(confidence=None).value
    assert both.min() >= 0
    for axis, name in enumerate("ab"):
        alone = found.marginal(name).histogram(confidence=None).value
        np.testing.assert_allclose(both.sum(axis=1 - axis), alone, atol=1e-9)


def test_denoised_shares_are_a_distribution() -> None:
    found = estimated(epsilon=0.5, denoise=True)
    each = [found.range(age=a, children=c, confidence=None).value for a, c in product(range(16), range(6))]
    assert min(each) >= 0
    assert sum(each) == pytest.approx(1, abs=1e-6)
    answer = found.range(age=(3, 9), children=(0, 2))
    assert answer.low is not None
    assert answer.high is not None
    assert answer.low <= answer.value <= answer.high


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ldp.Domain.product(age=ldp.Domain.integers(0, 3)),
        lambda: ldp.Domain.product(a=TWO, b=TWO),
        lambda: ldp.Domain.product(confidence=ldp.Domain.integers(0, 3), b=ldp.Domain.integers(0, 3)),
        lambda: ldp.Domain.product(a=3, b=4),  # type: ignore[arg-type]
        lambda: ldp.Domain.product(a=ldp.Domain.integers(3, 3), b=ldp.Domain.integers(0, 3)),
        lambda: ldp.Domain.product(**{"a\0": ldp.Domain.integers(0, 3), "b": ldp.Domain.integers(0, 3)}),
        lambda: ldp.Grids(["x", [4]], [(0, 1)]),  # type: ignore[list-item]
        lambda: TWO.index({"age": [1]}),
        lambda: TWO.index({"age": [1], "children": [1, 2]}),
        lambda: TWO.index({"age": [99], "children": [1]}),
        lambda: TWO.index([1, 2]),
        lambda: TWO.index_one({"age": 1, "children": 2, "dogs": 3}),
        lambda: TWO.starts(3),
        lambda: ldp.Plan(TWO, 1.0, ldp.Windows(), ldp.HRR()),
        lambda: ldp.Plan(TWO, 1.0, ldp.Grids([(4, 4), (5,)], [(1, 1)]), ldp.HRR()),
        lambda: ldp.Plan(ldp.Domain.integers(0, 95), 1.0, ldp.Grids([(4, 4), (6,)], [(1, 1)]), ldp.HRR()),
        lambda: ldp.Grids([(4, 4), (6,)], [(3, 1)]),
        lambda: ldp.Grids([(4, 4), (6,)], [(0, 0)]),
        lambda: ldp.Grids([(4, 4), (6,)], [(1, 1), (1, 1)]),
        lambda: ldp.Grids([(4, 4)], [(1,)]),
        lambda: ldp.Grids([(4, 1), (6,)], [(1, 1)]),
        lambda: ldp.Grids("no", "no"),  # type: ignore[arg-type]
        lambda: ldp.simulate(PLAN, np.ones(96, np.int64), seed=1),
        lambda: estimated().histogram("age", "age"),
        lambda: estimated().range(age=(0, 3), given=[("children", 1)]),  # type: ignore[arg-type]
        lambda: estimated().range(age=(0, 3), given={"children": ([0, 1], [1, 2])}),
        lambda: estimated().range(age=([1, 2], [3])),
        lambda: estimated(THREE).quantile(0.5, of="region"),
        lambda: ldp.Plan(WIDE, 1.0, ldp.Tree(branching=4), ldp.HadamardHashing()),
        lambda: estimated().range(),
        lambda: estimated().range(dogs=(1, 2)),
        lambda: estimated().range(age=(9, 3)),
        lambda: estimated().range(age=(1, 2, 3)),
        lambda: estimated().ranges(age=(1, 2)),
        lambda: estimated().ranges(age=([1, 2], [2, 3]), children=([1, 2, 3], [2, 3, 4])),
        lambda: estimated().range(age=(1, 2), given={"age": 3}),
        lambda: estimated().range(age=(1, 2), given=()),  # type: ignore[arg-type]
        lambda: estimated().range(age=(1, 2), given=np.array([1, 2])),  # type: ignore[arg-type]
        lambda: estimated().range(age=(1, 2), confidence=95),
        lambda: estimated().quantile(2, of="age", given={"children": 1}),
        lambda: estimated().quantile(0.5),
        lambda: estimated().range((3, 4)),  # type: ignore[arg-type]
        lambda: estimated().range({"age": 3}, age=4),
        lambda: ldp.estimate(ldp.Aggregate.empty(PLAN), consistent=False),
    ],
)
def test_bad_input_is_refused_with_a_reason(wrong: Callable[[], object]) -> None:
    with pytest.raises(ldp.LdprangeError, match=r"\w"):
        wrong()


def test_without_any_report_nothing_is_known() -> None:
    found = joint(ldp.Aggregate.empty(PLAN))
    answer = found.range(age=(0, 7), children=(0, 2))
    assert answer.value == pytest.approx(0.25)
    assert (answer.low, answer.high) == pytest.approx((0, 1))


def test_a_marginal_is_of_one_attribute_at_a_time() -> None:
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.integers(0, 3))
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=100)
    found = ldp.estimate(ldp.simulate(plan, np.full((4, 4), 10), seed=1))
    for estimate in (found, found.marginal("a")):
        with pytest.raises(ldp.QueryError, match="name one at a time, got a, b"):
            estimate.marginal("a", "b")
