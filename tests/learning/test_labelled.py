"""Labelled plans, their clients and aggregates: private as a whole, unbiased, and added exactly."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import ldprange as ldp
from exact_laws import all_reports
from example_labelled import DOMAINS, PEOPLE, small
from ldprange.learning.choice import density_bins, part_of
from ldprange.learning.plan import Asked
from ldprange.randomness import exponential_from_below

FALSE_ALARM = 1e-6
ANY: Any = ldp
every_way = pytest.mark.parametrize("asked", ["one", "all"])


def law_of_one(plan: ldp.Plan, value: Any) -> dict[tuple[int, bytes], Fraction]:
    """Return the exact chance of every report on one attribute."""
    index = plan.domain.index_one(value)
    edges = [0, *plan.level_thresholds, 1 << 32]
    return {
        (k, report): Fraction(edges[k + 1] - edges[k], 1 << 32)
        * mechanism.likelihood(report, index // level.size)
        for k, (level, mechanism) in enumerate(zip(plan.levels, plan.mechanisms, strict=True))
        for report in all_reports(mechanism)
    }


def law(plan: ldp.LabelledPlan, person: tuple[Any, ...]) -> dict[Any, Fraction]:
    """Return the exact chance of everything that a person may send, all reports together."""
    each = [law_of_one(part, value) for part, value in zip(plan.plans, person, strict=True)]
    if plan.asked == "all":
        return {
            tuple(zip(plan.attributes, sent, strict=True)): math.prod(
                (chances[report] for chances, report in zip(each, sent, strict=True)), start=Fraction(1)
            )
            for sent in itertools.product(*each)
        }
    return {
        ((name, report),): chance / len(each)
        for name, chances in zip(plan.attributes, each, strict=True)
        for report, chance in chances.items()
    }


@every_way
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_all_that_a_person_sends_is_private_together(asked: Asked, epsilon: float) -> None:
    laws = [law(small(asked, epsilon), person) for person in PEOPLE]
    assert all(sum(each.values()) == 1 for each in laws)
    ratio = max(max(each[sent] for each in laws) / min(each[sent] for each in laws) for sent in laws[0])
    assert ratio <= exponential_from_below(epsilon) * (1 + Fraction(1, 10**40))
    assert math.log(ratio) > 0.999 * epsilon  # and the whole of it is used


@every_way
def test_the_client_sends_by_this_law(asked: Asked) -> None:
    plan, person, sent = small(asked), (2, 0.3), 20_000
    client = ldp.LabelledClient(plan)
    values = dict(zip(plan.attributes, person, strict=True))
    seen = Counter(
        tuple((name, (report.level, report.payload)) for name, report in client.encode(values).items())
        for _ in range(sent)
    )
    chances = law(plan, person)
    assert set(seen) <= set(chances)
    expected = np.array([float(chance) * sent for chance in chances.values()])
    found = np.array([seen[each] for each in chances])
    assert stats.chisquare(found, expected).pvalue > FALSE_ALARM


@pytest.mark.slow
@every_way
def test_counts_are_unbiased(asked: Asked) -> None:
    """The mean of many rehearsals, within 5 standard deviations of the truth for every bin and class."""
    plan, runs = small(asked, 2.0), 400
    values = np.array(PEOPLE * 20)
    labels = np.where(np.arange(len(values)) % 3 == 0, "a", "b")
    estimates = np.array(
        [
            [
                ldp.estimate(counts.part(label, name)).histogram(confidence=None).value
                for label in plan.classes
                for name in ("trips",)
            ]
            for counts in (ldp.simulate_labelled(plan, values, labels, seed=seed) for seed in range(runs))
        ]
    )
    truth = np.array(
        [
            DOMAINS["trips"].count(values[labels == label, 1]) / (labels == label).sum()
            for label in plan.classes
        ]
    )
    error = np.abs(estimates.mean(axis=0) - truth) / (estimates.std(axis=0) / math.sqrt(runs))
    assert error.max() < 5


@every_way
def test_one_report_at_a_time_and_all_at_once_count_alike(asked: Asked) -> None:
    plan = small(asked)
    client = ldp.LabelledClient(plan)
    people = [client.encode({"hours": 1, "trips": 0.5}) for _ in range(30)]
    one_by_one = [ldp.LabelledAggregate.of(plan, "b", each) for each in people]
    together = {
        name: [ldp.wire.pack(each[name]) for each in people if name in each] for name in plan.attributes
    }
    at_once = ldp.LabelledAggregate.of(plan, "b", together)
    assert sum(one_by_one[1:], start=one_by_one[0]) == at_once == sum(one_by_one)
    assert sum(reversed(one_by_one), start=ldp.LabelledAggregate.empty(plan)) == at_once
    assert at_once.people.tolist() == [0, 30]


@every_way
def test_rehearsals_add_and_depend_on_the_seed_alone(asked: Asked) -> None:
    plan = small(asked)
    values, labels = np.array(PEOPLE * 10), ["a", "b", "b"] * 40
    first, again, other = (ldp.simulate_labelled(plan, values, labels, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert (first + other).people.tolist() == [80, 160]
    assert first + other == other + first


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0, 9.0, 14.0, 30.0])
def test_the_way_of_less_predicted_error_is_taken(epsilon: float) -> None:
    users = 50_000
    chosen = ldp.choose_labelled_plan(DOMAINS, ["a", "b"], epsilon=epsilon, expected_users=users)
    errors = {}
    ways: list[tuple[Asked, float]] = [("one", epsilon), ("all", part_of(epsilon, 2))]
    for asked, each in ways:
        plans = [
            ldp.choose_plan(domain, epsilon=each, expected_users=users, workload="ranges")
            for domain in DOMAINS.values()
        ]
        errors[asked] = ldp.LabelledPlan(tuple(DOMAINS), plans, ["a", "b"], asked).predict(users)
    assert chosen.asked == min(errors, key=lambda asked: errors[asked])
    assert chosen.predict(users) == min(errors.values())
    assert chosen.epsilon <= epsilon


@pytest.mark.slow
def test_the_predicted_error_is_that_of_estimates_of_who_people_are_drawn_from() -> None:
    """Measured over 300 draws of people and coins, within 5%: drawing, asking one, randomising together."""
    plan, users, runs = small("one", 2.0), 2000, 300
    rng = np.random.default_rng(3)
    squares = []
    for seed in range(runs):
        people = np.stack([rng.integers(3, size=users), (rng.integers(4, size=users) + 0.5) / 4], axis=1)
        counts = ldp.simulate_labelled(plan, people, ["a"] * users, seed=seed)
        for name, part in zip(plan.attributes, plan.plans, strict=True):
            low, high = np.triu_indices(part.domain.bins)
            upto = np.cumsum(ldp.estimate(counts.part("a", name)).histogram(confidence=None).value)
            shares = upto[high] - np.concatenate([[0.0], upto])[low]
            squares.append(np.mean((shares - (high - low + 1) / part.domain.bins) ** 2))
    assert math.sqrt(np.mean(squares)) == pytest.approx(plan.predict(users), rel=0.05)


@pytest.mark.parametrize("parts", range(1, 40))
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, math.pi])
def test_parts_of_epsilon_never_exceed_it(epsilon: float, parts: int) -> None:
    part = part_of(epsilon, parts)
    assert Fraction(part) * parts <= Fraction(epsilon)
    assert part == pytest.approx(epsilon / parts, rel=1e-15)


@pytest.mark.slow
def test_bins_are_as_many_as_people_can_tell_apart() -> None:
    assert density_bins(2.0, 100_000) == ldp.useful_bins(epsilon=2.0, expected_users=100_000)
    assert density_bins(64.0, 1_000) == 128  # drawing people is what limits it
    assert density_bins(1e-3, 100_000) == density_bins(1.0, 3) == 8
    assert density_bins(6.0, 1_000_000) == 256


PLAN = small("all")
COUNTS = ldp.LabelledAggregate.empty(PLAN)
REPORTS = ldp.LabelledClient(PLAN).encode({"hours": 1, "trips": 0.5})
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no attributes": (lambda: ldp.LabelledPlan((), (), ("a",), "one"), "attributes must be a list"),
    "two of one name": (
        lambda: ldp.LabelledPlan(("x", "x"), PLAN.plans, ("a",), "one"),
        "names that differ from one another",
    ),
    "a plan too few": (
        lambda: ldp.LabelledPlan(("x", "y"), PLAN.plans[:1], ("a",), "one"),
        "a Plan for each of the 2 attributes",
    ),
    "labels as a domain": (
        lambda: ldp.choose_labelled_plan(
            {"x": ldp.Domain.ordered(["S", "M"])}, ["a"], epsilon=1.0, expected_users=100
        ),
        "must be of numbers",
    ),
    "no domains": (
        lambda: ldp.choose_labelled_plan({}, ["a"], epsilon=1.0, expected_users=100),
        "a domain for each attribute",
    ),
    "no ε": (
        lambda: ldp.choose_labelled_plan(DOMAINS, ["a"], epsilon=0.0, expected_users=100),
        "ε must be a finite number above 0",
    ),
    "nobody": (
        lambda: ldp.choose_labelled_plan(DOMAINS, ["a"], epsilon=1.0, expected_users=0),
        "expected_users must be",
    ),
    "a class twice": (
        lambda: ldp.choose_labelled_plan(DOMAINS, ["a", "a"], epsilon=1.0, expected_users=100),
        "classes must be",
    ),
    "classes of two kinds": (
        lambda: ldp.choose_labelled_plan(DOMAINS, ["a", 1], epsilon=1.0, expected_users=100),
        "classes must be strings, or finite numbers",
    ),
    "another way": (
        lambda: ANY.LabelledPlan(("x", "y"), PLAN.plans, ("a",), "two"),
        "must be 'one' or 'all', got 'two'",
    ),
    "predicting for nobody": (lambda: PLAN.predict(0), "users must be a finite number above 0"),
    "a text that is none": (lambda: ldp.LabelledPlan.from_json("a.json"), "must be JSON text"),
    "a plan's text": (lambda: ldp.LabelledPlan.from_json(PLAN.plans[0].to_json()), "read it with Plan.load"),
    "a later version": (
        lambda: ldp.LabelledPlan.from_json(
            PLAN.to_json().replace('"ldprange_labelled_plan": 1', '"ldprange_labelled_plan": 2')
        ),
        "upgrade ldprange",
    ),
    "attributes without plans": (
        lambda: ldp.LabelledPlan.from_json(
            '{"ldprange_labelled_plan": 1, "attributes": [1], "classes": ["a"], "asked": "one"}'
        ),
        "a list of names and plans",
    ),
    "a client of a plan": (lambda: ANY.LabelledClient(PLAN.plans[0]), "must be of type LabelledPlan"),
    "a number missing": (
        lambda: ldp.LabelledClient(PLAN).encode({"hours": 1}),
        "a number for each of hours, trips, got 'hours'",
    ),
    "a number outside": (
        lambda: ldp.LabelledClient(small("one")).encode({"hours": 3, "trips": 0.5}),
        "hours: numbers must lie between 0 and 2, got 3; stay within, or make the domain wider$",
    ),
    "an unknown class": (
        lambda: ldp.LabelledAggregate.of(PLAN, "c", REPORTS),
        "among the classes 'a', 'b', got 'c'",
    ),
    "a list for a label": (lambda: ANY.LabelledAggregate.of(PLAN, ["a"], REPORTS), "must be one column"),
    "half a person": (
        lambda: ldp.LabelledAggregate.of(PLAN, "a", {"hours": REPORTS["hours"]}),
        "each must have as many reports",
    ),
    "an unknown attribute": (
        lambda: ldp.LabelledAggregate.of(PLAN, "a", {"age": REPORTS["hours"]}),
        "must be one of hours, trips, got 'age'",
    ),
    "a report of another attribute": (
        lambda: ldp.LabelledAggregate.of(PLAN, "a", {"hours": REPORTS["trips"], "trips": REPORTS["hours"]}),
        "plan",
    ),
    "reports without attributes": (
        lambda: ANY.LabelledAggregate.of(PLAN, "a", list(REPORTS.values())),
        "must come by attribute",
    ),
    "a class too few": (lambda: ldp.LabelledAggregate(PLAN, COUNTS.parts[:1]), "each of 2 classes, got 1"),
    "attributes the other way round": (
        lambda: ldp.LabelledAggregate(PLAN, [row[::-1] for row in COUNTS.parts]),
        "an aggregate for each of hours, trips",
    ),
    "another plan": (lambda: COUNTS + ldp.LabelledAggregate.empty(small("one")), "differ in asked"),
    "columns too few": (
        lambda: ldp.simulate_labelled(PLAN, [[1], [2]], ["a", "b"], seed=1),
        "a column for each of hours, trips, or columns by name, as in {'hours': …}",
    ),
    "a column that is not there": (
        lambda: ldp.simulate_labelled(PLAN, {"hours": [1, 2]}, ["a", "b"], seed=1),
        "the mapping has no column 'trips'",
    ),
    "columns of another length": (
        lambda: ldp.simulate_labelled(PLAN, {"hours": [1, 2], "trips": [0.5]}, ["a", "b"], seed=1),
        r"as many as labels, 2, of each of hours, trips, got columns of shapes \(2,\), \(1,\)",
    ),
    "labels of nobody's": (
        lambda: ldp.simulate_labelled(PLAN, [[1, 0.5]], ["c"], seed=1),
        "among the classes",
    ),
    "a value outside": (
        lambda: ldp.simulate_labelled(PLAN, [[1, 1.5]], ["a"], seed=1),
        "between 0.0 and 1.0, got 1.5.*; stay within, or make the domain wider$",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_input_is_refused_in_words(what: str) -> None:
    work, words = WRONG[what]
    with pytest.raises(ldp.LdprangeError, match=words):
        work()


def test_nobody_is_counted_too() -> None:
    nobody = ldp.simulate_labelled(PLAN, np.empty((0, 2)), [], seed=1)
    assert nobody == COUNTS
    assert COUNTS.people.tolist() == [0, 0]


def test_classes_of_numpy_are_written_as_plain_ones() -> None:
    domains = {"a": ldp.Domain.integers(0, 7), "b": ldp.Domain.integers(0, 7)}
    for classes in (np.array([1, 2]), list(np.array([1, 2])), np.array(["u", "v"])):
        plan = ldp.choose_labelled_plan(domains, classes, epsilon=2.0, expected_users=1e4)  # type: ignore[arg-type]
        assert ldp.LabelledPlan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize("asked", ["one", "all"])
def test_columns_by_name_are_simulated_as_rows_are(asked: Any) -> None:
    rows, labels = np.array([[1, 0.5], [2, 0.25], [0, 1.0]]), ["a", "b", "a"]
    by_name = {"trips": rows[:, 1], "who": labels, "hours": rows[:, 0].astype(int)}
    expected = ldp.simulate_labelled(small(asked), rows, labels, seed=1)
    for columns in (by_name, pd.DataFrame(by_name), pa.table(by_name)):
        assert ldp.simulate_labelled(small(asked), columns, labels, seed=1) == expected
