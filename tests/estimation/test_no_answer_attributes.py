"""People who would rather not say one of several things; shares are of those who answered what is asked."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

import ldprange as ldp
from exact_laws import all_reports
from example_products import joint
from ldprange.decompositions import Decomposition, GridsLayout
from ldprange.errors import DomainError, QueryError
from ldprange.estimation.among import Among
from ldprange.estimation.joint_shares import JointShares
from ldprange.oracles import Oracle
from ldprange.support.arrays import Floats

Domain = ldp.Domain
PAY = Domain.integers(0, 2, no_answer=True)  # four bins
BOTH = Domain.product(pay=PAY, size=Domain.ordered(["S", "M"], no_answer=True))
PADDED = Domain.product(pay=Domain.integers(0, 9, no_answer=True), region=Domain.categories(["N", "E", "S"]))
"""Eleven bins on a tree of twelve leaves, and categories that everybody tells."""
DECOMPOSITIONS: list[Decomposition] = [ldp.Flat(), ldp.Tree(branching=2), ldp.Tree(branching=4)]
every_decomposition = pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=str)


def population(domain: ldp.Domain, *, none: float = 0.25) -> Floats:
    """Return shares of which a part gives no answer, and in which attributes depend on each other."""
    shares = np.random.default_rng(5).gamma(0.7, size=domain.shape)
    for place, axis in enumerate(cast("Any", domain).axes):
        if axis.answered is not axis:
            along = np.moveaxis(shares, place, 0)
            along[-1] *= none * along[:-1].sum() / along[-1].sum()
    found: Floats = shares / shares.sum()
    return found


def boxes_inside(domain: ldp.Domain) -> tuple[list[Any], list[Any]]:
    """Return all boxes of whole bins among those who answered, by axis: where they start and stop."""
    bins = [axis.answered.bins for axis in cast("Any", domain).axes]
    ends = [[(low, high) for high in range(most + 1) for low in range(high)] for most in bins]
    places = np.indices([len(each) for each in ends]).reshape(len(bins), -1)
    each = [np.array(pairs)[place] for pairs, place in zip(ends, places, strict=True)]
    return [pair[:, 0].astype(float) for pair in each], [pair[:, 1].astype(float) for pair in each]


def shares_in(table: Floats, starts: list[Any], stops: list[Any]) -> Floats:
    return np.array(
        [
            table[tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))].sum()
            for low, high in zip(zip(*starts, strict=True), zip(*stops, strict=True), strict=True)
        ]
    )


# The domain


def test_what_is_missing_is_no_answer_where_there_may_be_none() -> None:
    values = {"pay": [1, None, math.nan], "size": ["S", "M", None]}
    assert BOTH.index(values).tolist() == [[1, 3, 3], [0, 1, 2]]
    assert BOTH.count(values).sum() == 3
    assert ldp.Client(ldp.Plan(BOTH, 1.0, ldp.Flat(), ldp.GRR())).encode({"pay": None, "size": "M"})
    assert [piece["pay"].size for piece in BOTH.pieces(values, 2)] == [2, 1]
    assert BOTH.count(values, missing="skip").sum() == 3  # to decline is an answer
    assert PAY.count([1, math.nan, math.nan], missing="skip").tolist() == [0, 1, 0, 2]
    with pytest.raises(DomainError, match="region: everyone must have a value"):
        PADDED.count({"pay": [1], "region": [None]})
    people = {"pay": [1, None, None, 2], "region": ["N", None, "N", "N"]}
    with pytest.warns(UserWarning, match="left out 1 of 4 people"):
        assert PADDED.count(people, missing="skip")[-1].sum() == 1  # no answer


def test_a_product_may_be_written_and_read_and_answered() -> None:
    assert Domain.from_dict(BOTH.to_dict()) == BOTH
    assert BOTH.answered == Domain.product(pay=PAY.answered, size=Domain.ordered(["S", "M"]))
    assert (answered := BOTH.answered).answered is answered
    plan = ldp.choose_plan(BOTH, epsilon=1.0, expected_users=1000)
    assert ldp.Plan.from_json(plan.to_json()) == plan
    with pytest.raises(DomainError, match="'pay' must have two bins or more"):
        Domain.product(pay=Domain.integers(1, 1, no_answer=True), size=BOTH.attribute("size"))


# Exact laws, by going through every report


@every_decomposition
@pytest.mark.parametrize("oracle", [ldp.GRR(), ldp.HRR()], ids=str)
def test_variances_of_a_ratio_are_exactly_those_of_all_reports(
    decomposition: Decomposition, oracle: Oracle
) -> None:
    plan, shares = ldp.Plan(BOTH, 1.3, decomposition, oracle), population(BOTH)
    users, grids = np.arange(len(plan.levels)) + 3.0, cast("GridsLayout", plan.layout)
    fit = grids.table(plan.law(users), (0, 1))
    starts, stops = boxes_inside(BOTH)
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    base = fit.fit(grids.coefficients(nothing))
    exact, mean = np.zeros((3, starts[0].size)), base.copy()
    for at, (level, mechanism) in enumerate(zip(plan.levels, plan.mechanisms, strict=True)):
        cells = level.cells_of(np.indices(BOTH.shape).reshape(2, -1))
        held = np.bincount(cells, shares.reshape(-1), minlength=level.cells)
        moments = np.zeros((2, 3, starts[0].size))
        for report in all_reports(mechanism):
            tally = mechanism.tally(mechanism.unpack(np.frombuffer(report, np.uint8)[None]))
            chance = sum(
                float(mechanism.likelihood(report, cell)) * each for cell, each in enumerate(held.tolist())
            )
            alone = [*nothing]
            alone[at] = mechanism.estimate(tally, 1)
            added = fit.fit(grids.coefficients(alone)) - base
            mean += chance * added
            part, whole = shares_in(added, starts, stops), added[:3, :2].sum()
            answers = np.array([part, np.full(part.size, whole), whole - part])
            moments += chance * np.array([answers, answers**2])
        exact += (moments[1] - moments[0] ** 2) / users[at]
    beyond = [(0, have - bins) for have, bins in zip(fit.leaves, BOTH.shape, strict=True)]
    np.testing.assert_allclose(mean, np.pad(shares, beyond), atol=1e-9)  # unbiased

    there = _shares_of(fit, np.pad(shares, beyond))
    asked = there.whole(starts, stops)
    assert there.populations[0].variances(asked) == pytest.approx(exact[0], abs=1e-12)
    covariances = fit.covariances(there.table, [0, 0], [3, 2])
    wanted = (exact[0] + exact[1] - exact[2]) / 2
    assert shares_in(covariances, starts, stops) == pytest.approx(wanted, abs=1e-12)
    assert Among(there, [0, 0], [3, 2])._rest_variances(asked)[0] == pytest.approx(exact[2], abs=1e-12)


def _shares_of(fit: Any, shares: Floats) -> JointShares:
    """Return the shares of a table in which the true ones were found."""
    found = JointShares.__new__(JointShares)
    found.fit, found.table = fit, shares
    found._cdf = np.pad(shares, [(1, 0)] * shares.ndim).cumsum(axis=0).cumsum(axis=1)
    return found


# Answers


@pytest.mark.slow
@pytest.mark.parametrize("domain", [BOTH, PADDED], ids=["both", "padded"])
@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Tree(branching=2)], ids=str)
def test_intervals_hold_as_often_as_they_say(domain: ldp.Domain, decomposition: Decomposition) -> None:
    """Of 200 surveys of 3,000 people: with a chance of 1 in 10,000 for each question a false alarm."""
    plan, shares = ldp.Plan(domain, 2.0, decomposition, ldp.HadamardHashing()), population(domain)
    rng, (first, second) = np.random.default_rng(1), cast("Any", domain).axes
    starts, stops = boxes_inside(domain)
    some = rng.choice(starts[0].size, min(40, starts[0].size), replace=False)
    starts, stops = [each[some] for each in starts], [each[some] for each in stops]
    asked = {
        name: (
            [axis.lower(int(low)) for low in lows],
            [axis.upper(int(high) - 1) for high in highs],
        )
        for name, axis, lows, highs in zip(
            domain.attributes, (first.answered, second.answered), starts, stops, strict=True
        )
    }
    truth = shares_in(shares, starts, stops)
    truth = truth / shares[: first.answered.bins, : second.answered.bins].sum()
    open_question = truth < 1 - 1e-9
    held, surveys = np.zeros(truth.size), 200
    for seed in range(surveys):
        counts = rng.multinomial(3000, shares.reshape(-1)).reshape(shares.shape)
        found = joint(ldp.simulate(plan, counts, seed=seed)).ranges(asked)
        assert found.interval is not None
        held += (found.interval[0] <= truth + 1e-9) & (truth - 1e-9 <= found.interval[1])
    slack = 3.9 * math.sqrt(0.95 * 0.05 / surveys)
    assert np.all(np.abs(held[open_question] / surveys - 0.95) < slack), held / surveys
    assert np.all(held[~open_question] == surveys)


def survey(domain: ldp.Domain, *, denoise: bool = False, users: int = 100_000) -> ldp.JointEstimate:
    plan = ldp.Plan(domain, 4.0, ldp.Tree(4), ldp.HadamardHashing())
    people = np.round(users * population(domain)).astype(int)
    return joint(ldp.simulate(plan, people, seed=2), denoise=denoise)


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
def test_shares_are_of_those_who_answered_all_that_is_named(denoise: bool) -> None:
    found, shares = survey(BOTH, denoise=denoise), population(BOTH)
    assert found.domain == BOTH.answered
    answered = shares[:-1, :-1].sum()
    assert found.range(pay=(1, 2), size="M").value == pytest.approx(shares[1:3, 1].sum() / answered, abs=0.02)
    assert found.range(pay=1).value == pytest.approx(shares[1].sum() / shares[:-1].sum(), abs=0.02)
    assert found.range(pay=1) == found.marginal("pay").range(1, 1)
    everyone = found.range(pay=(0, 2), size=("S", "M"))
    assert (everyone.value, everyone.low, everyone.high) == pytest.approx((1, 1, 1))
    histogram = found.histogram()
    assert histogram.value.shape == (3, 2)
    assert histogram.value.sum() == pytest.approx(1)


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
def test_everyone_is_asked_with_no_answer_as_a_value(denoise: bool) -> None:
    found, shares = survey(BOTH, denoise=denoise), population(BOTH)
    everyone = found.everyone
    assert everyone.domain == BOTH
    assert everyone.everyone is everyone
    assert everyone.range(pay="no answer", size="S").value == pytest.approx(shares[-1, 0], abs=0.02)
    assert everyone.histogram().value.shape == BOTH.shape
    assert found.marginal("pay").no_answer() == everyone.range(pay="no answer")
    with pytest.raises(QueryError, match=r"its share is no_answer\(\)"):
        found.range(pay="no answer", size="S")


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
def test_who_left_out_something_is_a_share_of_all_people(denoise: bool) -> None:
    found, shares = survey(BOTH, denoise=denoise), population(BOTH)
    some, pay = found.no_answer(), found.no_answer("pay")
    assert some.value == pytest.approx(1 - shares[:-1, :-1].sum(), abs=0.02)
    assert some.low is not None
    assert some.low <= some.value <= (some.high or 0)
    alone = found.marginal("pay").no_answer()
    assert (pay.value, pay.low, pay.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-3)
    assert found.no_answer(confidence=None).interval is None
    with pytest.raises(QueryError, match="everybody has to answer region"):
        survey(PADDED).no_answer("region")


@pytest.mark.parametrize("denoise", [False, True], ids=["unbiased", "denoised"])
def test_one_attribute_among_the_people_in_others(denoise: bool) -> None:
    found, shares = survey(BOTH, denoise=denoise), population(BOTH)
    given = found.marginal("pay", given={"size": "M"})
    assert given.range(0, 1).value == pytest.approx(shares[:2, 1].sum() / shares[:3, 1].sum(), abs=0.02)
    assert given.no_answer().value == pytest.approx(shares[3, 1] / shares[:, 1].sum(), abs=0.02)
    assert given.cdf().value[-1] == pytest.approx(1)
    mean = given.mean()
    assert mean.interval is not None
    assert mean.interval[0] <= np.arange(3) @ shares[:3, 1] / shares[:3, 1].sum() <= mean.interval[1]
    silent = found.marginal("pay", given={"size": "no answer"})
    assert silent.range(0, 1).value == pytest.approx(shares[:2, 2].sum() / shares[:3, 2].sum(), abs=0.05)
    assert found.range(pay=(0, 1), given={"size": "M"}) == given.range(0, 1)


def test_the_interval_of_a_ratio_is_fiellers() -> None:
    found, z = survey(BOTH, users=4000), 1.959963984540054
    answer = found.range(pay=(1, 2), size="M")
    table = found.everyone.histogram(confidence=None).value
    shares = found._joint((0, 1))
    among = Among(shares, [0, 0], [3, 2])
    part = shares.whole([np.array([1]), np.array([1])], [np.array([3]), np.array([2])])
    a, b = table[1:3, 1].sum(), table[:3, :2].sum()
    rest, (own,) = np.max(among._rest_variances(part)), shares.variance(part)
    whole = among.whole[1]
    slope = min(shares.spread(part).slope[0], own / a, rest / (b - a))
    for end in (answer.low, answer.high):
        assert end is not None
        variance = own - end * (own + whole - rest) + end**2 * whole
        variance += slope * b * (end - a / b) * (1 - 2 * end)
        assert abs(a - end * b) == pytest.approx(z * math.sqrt(variance))


FOUR = Domain.product(
    **{name: Domain.integers(0, 21, no_answer=True) for name in "abc"}, d=Domain.integers(0, 7)
)
"""So many that pairs are asked about in cells of several bins, which do not tell who answered."""


@pytest.mark.slow
@pytest.mark.parametrize("names", ["ab", "ad", "abc"])
def test_where_cells_do_not_tell_who_answered_intervals_are_wider_and_hold(names: str) -> None:
    """Of 12 surveys' 95% intervals at most 3 may miss: a chance of a false alarm below 1 in 400."""
    plan = ldp.Plan(FOUR, 3.0, ldp.Grids.pairs(FOUR, 40), ldp.HadamardHashing())
    rng, users = np.random.default_rng(3), 20_000
    common = rng.normal(10, 4, users)
    columns: dict[str, Any] = {
        each: np.clip(common + rng.normal(0, 3, users), 0, 21).round() for each in "abc"
    }
    columns["d"] = rng.integers(0, 8, users).astype(float)
    for each in "abc":
        columns[each][rng.random(users) < 0.2] = np.nan
    asked = {"a": (8, 21), "b": (0, 12), "c": (5, 21), "d": (0, 3)}
    ranges = {name: asked[name] for name in names}
    answered = np.all([~np.isnan(columns[name]) for name in names], axis=0)
    inside = np.all(
        [(low <= columns[name]) & (columns[name] <= high) for name, (low, high) in ranges.items()], axis=0
    )
    truth, missed = inside.sum() / answered.sum(), 0
    for seed in range(12):
        found = joint(ldp.simulate_values(plan, columns, seed=seed), denoise=len(names) > 2)
        answer = found.range(ranges)
        assert answer.interval is not None
        assert answer.interval[0] <= answer.value <= answer.interval[1]
        missed += not answer.interval[0] <= truth <= answer.interval[1]
    assert missed <= 3


def test_cells_that_do_not_tell_who_answered_leave_all_possible_that_is() -> None:
    """Whoever leaves out the one leaves out the other: an estimate of both alone would be far too small."""
    plan = ldp.Plan(FOUR, 3.0, ldp.Grids.pairs(FOUR, 40), ldp.HadamardHashing())
    some = np.array([4.0, 4.0, 4.0, np.nan, np.nan] * 8000)
    columns = {"a": some, "b": some, "c": some, "d": np.zeros(some.size)}
    found = joint(ldp.simulate_values(plan, columns, seed=1))
    answer = found.range(a=(3, 5), b=(3, 5))
    assert answer.low is not None
    assert answer.low <= answer.value <= 1  # the truth
    assert answer.high == 1
    shares, z = found._joint((0, 1)), 2.241402727604947  # each holds 97.5% of the time, both 95%
    part = shares.interval([np.array([3.0])] * 2, [np.array([6.0])] * 2, z)
    whole = shares.interval([np.zeros(1)] * 2, [np.array([22.0])] * 2, z)
    assert answer.low == pytest.approx(part[0][0] / whole[1][0])
    everyone = found.range(a=(0, 21), b=(0, 21))
    assert (everyone.value, everyone.low, everyone.high) == pytest.approx((1, 1, 1))


def test_cells_that_do_not_tell_who_answered_have_shares_that_add_up_to_1() -> None:
    """Those of the least, which noise makes negative as often as not, stay what they are."""
    rent = Domain.integers(0, 30, no_answer=True)
    domain = Domain.product(rent=rent, pay=rent)
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=5_000, answers="denoised")
    people = np.full(domain.shape, 5, np.int64)
    found = joint(ldp.simulate(plan, people, seed=1))
    assert not found._who_answered((0, 1)).told_apart
    shares = found.histogram(confidence=None).value
    assert shares.min() < 0
    assert shares.sum() == pytest.approx(1)


def test_noise_among_values_does_not_change_how_many_gave_no_answer() -> None:
    """Conditional shares come from a cdf that is made to rise, which would raise it at its end."""
    plan = ldp.Plan(PADDED, 1.0, ldp.Tree(4), ldp.HadamardHashing())
    people = np.round(20_000 * population(PADDED)).astype(int)
    for seed in range(5):
        found = joint(ldp.simulate(plan, people, seed=seed))
        everyone = found.everyone
        wanted = everyone.range(pay="no answer", region="N").value
        wanted /= everyone.range(pay=(0, "no answer"), region="N").value
        none = found.marginal("pay", given={"region": "N"}).no_answer(confidence=None)
        assert none.value == pytest.approx(
            np.clip(wanted, 0, 1)
        )  # as all shares among some of the people are


def test_among_cells_that_do_not_tell_who_answered_a_mean_may_be_anything() -> None:
    plan = ldp.Plan(FOUR, 3.0, ldp.Grids.pairs(FOUR, 40), ldp.HadamardHashing())
    rng = np.random.default_rng(3)
    columns = {each: rng.integers(0, 8, 20_000) for each in "abcd"}
    found = joint(ldp.simulate_values(plan, columns, seed=1))
    step = found._joint((0, 3)).steps[0]
    assert 22 % step
    among = found.marginal("a", given={"d": (0, 3)})
    assert among.mean().interval == (0, 21)
    assert found.marginal("a").mean().interval != (0, 21)


def test_where_nobody_is_seen_to_have_answered_all_is_possible() -> None:
    plan = ldp.Plan(BOTH, 4.0, ldp.Flat(), ldp.GRR())
    nothing = joint(ldp.Aggregate.empty(plan)).range(pay=(0, 1), size="S")
    assert (nothing.low, nothing.high) == (0, 1)
    people = np.zeros(BOTH.shape, int)
    people[-1, -1] = 500
    for seed in range(20):
        answer = joint(ldp.simulate(plan, people, seed=seed)).range(pay=(0, 1), size="S")
        assert answer.interval is not None
        assert answer.interval[0] <= answer.value <= answer.interval[1]


def test_denoising_keeps_no_answer_apart_from_the_values_beside_it() -> None:
    """Were it one of the values, their distribution would be twice as far off: 0.34 in the mean."""
    ages = Domain.product(age=Domain.integers(0, 63, no_answer=True), region=Domain.categories(["N", "S"]))
    plan = ldp.choose_plan(ages, epsilon=1.0, expected_users=50_000, answers="denoised")
    rng = np.random.default_rng(0)
    age = np.clip(rng.normal(30, 8, 50_000), 0, 63).round()
    age[rng.random(age.size) < 0.3] = np.nan
    values = {"age": age, "region": rng.choice(["N", "S"], age.size)}
    heard = [ldp.simulate_values(plan, values, seed=seed) for seed in range(12)]
    found = [joint(aggregate, denoise=True).marginal("age") for aggregate in heard]
    truth = np.bincount(age[~np.isnan(age)].astype(int), minlength=64) / np.count_nonzero(~np.isnan(age))
    off = [np.abs(each.histogram(confidence=None).value - truth).sum() for each in found]
    assert np.mean(off) < 0.22
    # one of them has a standard deviation of 0.028
    assert np.mean([each.no_answer().value for each in found]) == pytest.approx(0.3, abs=0.03)


def test_pictures_are_of_those_who_answered() -> None:
    pytest.importorskip("matplotlib")
    found = survey(PADDED)
    assert found.plot("pay", "region") is not None
    assert found.plot("pay") is not None


def test_quantiles_of_everyone_are_refused() -> None:
    found = survey(BOTH)
    assert found.quantile(0.5, of="pay").value in (0, 1, 2)
    with pytest.raises(QueryError, match="people who gave no answer have no place among values"):
        found.everyone.quantile(0.5, of="pay")


def test_reports_are_checked_as_ever() -> None:
    plan = ldp.Plan(BOTH, 4.0, ldp.Tree(4), ldp.HadamardHashing())
    people = np.round(10_000 * population(BOTH)).astype(int)
    assert not ldp.check(ldp.simulate(plan, people, seed=3)).findings
