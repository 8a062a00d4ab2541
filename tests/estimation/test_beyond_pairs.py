"""What three attributes show together and no two of them do, in denoised answers.

Seeds are fixed. Errors compared differ many times over from those of pairs alone.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from example_products import joint


def odd_one_out(shape: tuple[int, ...], people: int) -> Any:
    """Return counts of people, all in cells of which an even number of attributes are in their upper half.

    Any attributes but all of them together are even, and independent.
    """
    upper = sum(np.ix_(*(2 * np.arange(bins) // bins for bins in shape)))
    cells = upper % 2 == 0
    return cells * (people // np.count_nonzero(cells))


def compared(plan: ldp.Plan, counts: Any) -> tuple[float, float]:
    """Return the mean squared errors, over four surveys and all boxes of halves, unbiased and denoised."""
    boxes = list(product(*([(0, bins // 2 - 1), (bins // 2, bins - 1)] for bins in counts.shape)))
    truth = [counts[tuple(slice(a, b + 1) for a, b in box)].sum() / counts.sum() for box in boxes]
    ends = map(tuple, np.transpose(boxes, (1, 2, 0)))
    asked: Any = dict(zip(plan.domain.attributes, ends, strict=True))
    errors: list[list[float]] = [[], []]
    for seed in range(4):
        reports = ldp.simulate(plan, counts, seed=seed)
        for found, denoise in zip(errors, (False, True), strict=True):
            answers = joint(reports, denoise=denoise).ranges(**asked, confidence=None).value
            found.append(float(np.square(answers - truth).mean()))
    return float(np.mean(errors[0])), float(np.mean(errors[1]))


@pytest.mark.parametrize(
    ("shape", "people", "epsilon"), [((2, 2, 2), 100_000, 2.0), ((4, 10, 6), 300_000, 2.0)]
)
def test_reports_about_three_attributes_are_heard(
    shape: tuple[int, ...], people: int, epsilon: float
) -> None:
    """By their pairs these people are spread evenly: the error was 160 and 30 times the unbiased one."""
    domain = ldp.Domain.product(
        **{name: ldp.Domain.integers(0, bins - 1) for name, bins in zip("abc", shape, strict=True)}
    )
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=people)
    unbiased, denoised = compared(plan, odd_one_out(shape, people))
    assert denoised < unbiased


@pytest.mark.slow
def test_reports_about_four_are_heard_too() -> None:
    domain = ldp.Domain.product(**{name: ldp.Domain.integers(0, 3) for name in "abcd"})
    plan = ldp.Plan(domain, 3.0, ldp.Tree(2), ldp.HadamardHashing())
    unbiased, denoised = compared(plan, odd_one_out((4, 4, 4, 4), 400_000))
    assert denoised < unbiased


def test_a_condition_on_two_attributes_tells_of_the_third() -> None:
    labels = ldp.Domain.categories(["no", "yes"])
    domain = ldp.Domain.product(a=labels, b=labels, c=labels)
    plan = ldp.choose_plan(domain, epsilon=2.0, expected_users=100_000)
    found = joint(ldp.simulate(plan, odd_one_out((2, 2, 2), 100_000), seed=0), denoise=True)
    assert found.range(c="no", given={"a": "yes", "b": "yes"}).value == pytest.approx(1.0, abs=0.03)


@pytest.mark.slow
def test_where_pairs_tell_all_hardly_anything_is_added() -> None:
    """Independent attributes: what three tell together is noise."""
    domain = ldp.Domain.product(**{name: ldp.Domain.integers(0, 7) for name in "abc"})
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=20_000)
    unbiased, denoised = compared(plan, np.full((8, 8, 8), 40))
    assert denoised < 0.5 * unbiased


def test_cells_that_are_all_but_ruled_out_have_a_share_all_the_same() -> None:
    """Copies of one another leave most cells a share too small for a computer's numbers: it was no number."""
    one, people = ldp.Domain.integers(0, 4), np.random.default_rng(14).integers(0, 5, 500)
    plan = ldp.choose_plan(ldp.Domain.product(a=one, b=one, c=one), epsilon=6, expected_users=500)
    reports = ldp.simulate_values(plan, {"a": people, "b": people, "c": 4 - people}, seed=14)
    shares = joint(reports, denoise=True).histogram("a", "b", "c", confidence=None).value
    assert np.all(shares >= 0)
    assert shares.sum() == pytest.approx(1)
