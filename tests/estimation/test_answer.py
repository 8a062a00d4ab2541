"""Answers: as a number, as a pair of ends, and in plain JSON types."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import ldprange as ldp

AGES = ldp.Domain.integers(0, 9)
WEEK = ldp.Domain.dates("2026-01-01", "2026-01-07")
SIZES = ldp.Domain.ordered(["XS", "S", "M"])


def estimate_on(domain: ldp.Domain) -> ldp.Estimate:
    plan = ldp.Plan(domain, 3.0, ldp.Flat(), ldp.GRR())
    return ldp.estimate(ldp.simulate(plan, [1000] * domain.bins, seed=1))


def test_an_answer_of_one_number_is_a_float() -> None:
    found = estimate_on(AGES)
    share, median = found.range(2, 5), found.quantile(0.5)
    assert float(share) == share.value
    assert (type(float(median)), float(median)) == (float, median.value)
    assert share.interval == (share.low, share.high)
    assert found.range(2, 5, confidence=None).interval is None


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (ldp.Answer(np.array([0.1, 0.2]), None, None, None), "an array of float64, 2"),
        (ldp.Answer(datetime.date(2026, 1, 31), None, None, None), r"datetime\.date\(2026, 1, 31\)"),
        (ldp.Answer("XS", None, None, None), "'XS'"),
    ],
)
def test_another_answer_is_no_float_and_says_so(answer: ldp.Answer[Any], got: str) -> None:
    with pytest.raises(TypeError, match=rf"one number, got {got}.*; use answer\.value"):
        float(answer)


@pytest.mark.parametrize(
    "domain",
    [
        AGES,
        WEEK,
        SIZES,
        ldp.Domain.real(0.0, 1.0, bins=4),
        ldp.Domain.dates("2026-01-01", "2026-01-07", open_ends=True),
    ],
)
@pytest.mark.parametrize("confidence", [0.95, None])
def test_every_answer_is_plain_json(domain: ldp.Domain, confidence: float | None) -> None:
    found = estimate_on(domain)
    low, high = domain.lower(0), domain.upper(1)
    answers: list[ldp.Answer[Any]] = [
        found.range(low, high, confidence=confidence),
        found.ranges([low, low], [high, high], confidence=confidence),
        found.quantile(0.5, confidence=confidence),
        found.quantiles([0.01, 0.25, 0.5], confidence=confidence),
        found.histogram(confidence=confidence),
    ]
    for answer in answers:
        described = answer.to_dict()
        assert json.loads(json.dumps(described, allow_nan=False)) == described
        assert list(described) == ["value", "low", "high", "confidence", "note"]
        assert described["confidence"] == confidence
        assert np.shape(described["value"]) == np.shape(answer.value)
        assert (
            np.asarray(described["value"]).astype(str).tolist()
            == np.asarray(answer.value).astype(str).tolist()
        )


JANUARY = [datetime.date(2026, 1, day) for day in (5, 3, 9)]


@pytest.mark.parametrize(
    ("value", "low", "high", "change"),
    [
        (0.5, 0.25, 1.0, lambda share: 1 - share),
        (np.array([0.5, 0.2]), np.array([0.25, 0.1]), np.array([1.0, 0.2]), lambda column: -column),
        (np.array([0.5, 2.0]), np.array([0.25, 1.0]), np.array([1.0, 4.0]), lambda c: c * [1, -1]),
        (*JANUARY, lambda day: datetime.date(2027, 1, 1) - (day - datetime.date(2026, 1, 1))),
        (*JANUARY, lambda day: (datetime.date(2026, 12, 31) - day).days),
        (*(np.array([day]) for day in JANUARY), lambda days: datetime.date(2026, 12, 31) - days),
        (3, 2, 9, lambda number: -Fraction(number, 2)),
    ],
)
def test_what_falls_swaps_the_ends(value: Any, low: Any, high: Any, change: Callable[[Any], Any]) -> None:
    fallen = ldp.Answer(value, low, high, 0.95).map(change)
    assert np.all(fallen.low <= fallen.value)
    assert np.all(fallen.value <= fallen.high)
    assert type(fallen.low) is type(change(low))


def test_names_are_not_put_into_the_order_of_the_alphabet() -> None:
    sizes = ldp.Answer("S", "XS", "M", 0.95)
    assert sizes.map(str.lower).interval == ("xs", "m")
    assert ldp.Answer(9.5, 9.0, 10.0, 0.95).map("{:g}".format).interval == ("9", "10")
    small, least, most = (np.array([each, 1], object) for each in ("S", "XS", "M"))
    column = ldp.Answer(small, least, most, 0.95)
    assert column.map(lambda each: each).interval == (least, most)
    assert ldp.Answer(0.5, None, None, None).map(lambda share: -share).interval is None
    assert ldp.Answer(0.5, 0.25, 1.0, 0.95).map(lambda share: {"share": share}).low == {"share": 0.25}


def wilson(share: float, people: int, z: float = 1.959964) -> tuple[float, float]:
    middle, reach = (
        share + z * z / 2 / people,
        z * (share * (1 - share) / people + (z / 2 / people) ** 2) ** 0.5,
    )
    return (middle - reach) / (1 + z * z / people), (middle + reach) / (1 + z * z / people)


PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 2.0, ldp.Tree(branching=4), ldp.OUE())
ESTIMATES: Any = [ldp.estimate(ldp.simulate(PLAN, np.arange(10) * 100, seed=seed)) for seed in (1, 2)]


class TestDifferences:
    """Of two independent surveys."""

    def test_newcombe(self) -> None:
        # R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, example (a): 56 of 70 less 48 of 80
        one, two = (
            ldp.Answer(share, *wilson(share, people), 0.95) for share, people in ((0.8, 70), (0.6, 80))
        )
        found: Any = one.minus(two)
        assert (found.value, *found.interval) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)

    def test_many_at_once_and_without_intervals(self) -> None:
        one, two = ESTIMATES
        differences = one.ranges([0, 3], [2, 9]).minus(two.ranges([0, 3], [2, 9]))
        single = one.range(3, 9).minus(two.range(3, 9))
        assert (differences.value[1], differences.low[1], differences.high[1]) == (
            single.value,
            *single.interval,
        )
        assert list(differences.to_frame()["to"]) == [2, 9]
        bare = one.median(confidence=None).minus(two.median(confidence=None))
        assert (bare.value, bare.interval) == (one.median().value - two.median().value, None)

    @pytest.mark.slow
    def test_they_hold_what_they_say(self) -> None:
        people = np.array([[40] * 5 + [20] * 5, [10] * 5 + [50] * 5])
        truth, held = (people[0, :5].sum() - people[1, :5].sum()) / 300, 0
        for seed in range(400):
            asked = np.random.default_rng(seed).multinomial(300, people / 300)
            one, two = (
                ldp.estimate(ldp.simulate(PLAN, group, seed=2 * seed + at)).range(0, 4)
                for at, group in enumerate(asked)
            )
            difference: Any = one.minus(two)
            held += difference.low <= truth <= difference.high
        assert 363 <= held <= 395  # 380 ± 4 standard deviations

    @pytest.mark.slow
    def test_those_of_quantiles_hold_where_these_jump(self) -> None:
        """Either median is 2 or 3 as often as not: of 200 pairs, 95% at least, less 3 standard errors.

        Did half-widths combine as those of normal errors do, it would be 78%.
        """
        shares = np.array([0.1, 0.2, 0.201, 0.2, 0.199, 0.1])
        domain, held = ldp.Domain.integers(0, 5), 0
        plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=2000)
        for seed in range(200):
            rng = np.random.default_rng([seed, 5])
            one, two = (
                ldp.estimate(ldp.simulate(plan, rng.multinomial(2000, each), seed=2 * seed + at)).median()
                for at, each in enumerate((shares, shares[::-1]))
            )
            difference = one.minus(two)
            assert difference.interval is not None
            held += difference.interval[0] <= -1 <= difference.interval[1]
        assert held >= 181

    def test_of_days_it_is_their_number(self) -> None:
        march = [datetime.date(2026, 3, day) for day in range(1, 32)]
        one, two = (
            ldp.Answer(march[day], march[day - 2], march[day + 3], 0.9, jumps=True) for day in (20, 9)
        )
        found: Any = one.minus(two)
        assert (found.value, *found.interval) == (11, 6, 16)
        many = ldp.Answer(np.array(march[:2]), np.array(march[:2]), np.array(march[1:3]), 0.9)
        assert many.minus(many).value.tolist() == [0, 0]

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_beyond_an_open_end_there_is_no_number(self, place: int) -> None:
        ends: list[Any] = [40, 38, 44]
        one: Any = ldp.Answer(ends[0], ends[1], ends[2], 0.95)
        ends[place] = "more than 60"
        two: Any = ldp.Answer(ends[0], ends[1], ends[2], 0.95)
        for this, other in ((one, two), (two, one)):
            with pytest.raises(ldp.ArgumentTypeError, match=r"numbers or days, .*got 'more than 60'"):
                this.minus(other)
        with pytest.raises(ldp.ArgumentTypeError, match="got 'more than 60'; leave out quantiles"):
            one.minus(ldp.Answer(np.array([3, "more than 60"], object), None, None, 0.95))

    def test_what_cannot_be(self) -> None:
        one, two = ESTIMATES
        with pytest.raises(
            ldp.ArgumentTypeError, match=r"if they are from different people, use answer.minus"
        ):
            one.mean() - two.mean()
        with pytest.raises(ldp.ArgumentError, match=r"the same confidence, got 0\.95 and 0\.9"):
            one.mean().minus(two.mean(confidence=0.9))
        with pytest.raises(ldp.ArgumentTypeError, match="what is subtracted must be of type Answer, got 3"):
            one.mean().minus(3)

    @pytest.mark.parametrize("confidence", [0.95, None])
    def test_of_different_questions(self, confidence: float | None) -> None:
        one = ESTIMATES[0]
        kinds = {
            "shares": one.range(0, 3, confidence=confidence),
            "means": one.mean(confidence=confidence),
            "quantiles": one.median(confidence=confidence),
            "shares of bins": one.histogram(confidence=confidence),
            "shares up to bins": one.cdf(confidence=confidence),
        }
        for (kind, this), (other, that) in permutations(kinds.items(), 2):
            if {kind, other} not in ({"shares", "shares of bins"}, {"shares", "shares up to bins"}):
                with pytest.raises(ldp.QueryError, match=f"the same kind, got {kind} and {other}; ask both"):
                    this.minus(that)

    def test_of_other_numbers_of_entries_or_of_days_and_numbers(self) -> None:
        one, two = ESTIMATES
        for this, other in (
            (one.histogram(), two.range(0, 3)),
            (one.ranges([0, 1], 3), two.prefixes([1, 2, 3])),
            (one.median(), estimate_on(WEEK).median()),
            (estimate_on(WEEK).median(), one.median()),
        ):
            with pytest.raises(ldp.QueryError, match=r"as many of both, got .*; ask both surveys"):
                this.minus(other)

    def test_of_the_same_kind_from_different_surveys(self) -> None:
        one, two = ESTIMATES
        real = estimate_on(ldp.Domain.real(0.0, 9.0, bins=10))
        assert one.mean().minus(real.mean()).kind == "means"
        assert one.range(0, 3).minus(real.prefix(3)).kind == "shares"
        assert one.histogram().minus(two.ranges(np.arange(10), np.arange(10))).kind == "shares of bins"
        by_hand: ldp.Answer[Any] = ldp.Answer(0.25, 0.25, 0.25, 0.95)
        assert one.range(0, 3).minus(by_hand).value == one.range(0, 3).value - 0.25
        assert by_hand.minus(one.range(0, 3)).value == 0.25 - one.range(0, 3).value
