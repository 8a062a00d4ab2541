"""Plans for denoised answers: coarser where little is known, the same where much is, and less error."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp
from experiments.data import people as people_of
from ldprange.errors import PlanError

AGES = ldp.Domain.integers(0, 119)
TWO = ldp.Domain.product(age=ldp.Domain.integers(0, 63), income=ldp.Domain.integers(0, 63))


def _plan(domain: ldp.Domain, users: float, answers: str, epsilon: float = 1.0) -> ldp.Plan:
    return ldp.choose_plan(domain, epsilon=epsilon, expected_users=users, answers=answers)  # type: ignore[arg-type]


def test_wide_windows_are_asked_more_of_and_the_less_the_more_people_there_are() -> None:
    unbiased = np.array(_plan(AGES, 10_000, "unbiased").probabilities)
    ratios = [np.array(_plan(AGES, users, "denoised").probabilities) / unbiased for users in (1e4, 2e5, 1e9)]
    assert np.all(np.diff(ratios[0]) < 0)
    np.testing.assert_allclose(ratios[0][0] / ratios[0][-1], np.exp(0.15 * 6), rtol=0.02)
    assert 1 < ratios[1][0] < ratios[0][0]
    np.testing.assert_allclose(ratios[2], 1)


def test_unbiased_answers_lose_a_little() -> None:
    one, other = (_plan(AGES, 10_000, answers).predict(10_000) for answers in ("unbiased", "denoised"))
    assert 1 < other.range_variance / one.range_variance < 1.3


@pytest.mark.parametrize(
    ("users", "bins", "cells"),
    [
        (100_000, 1024, [(4, 256)]),  # a quarter of what can be known
        (100_000, 2048, [(8, 256)]),
        (100_000, 2000, [(8, 250)]),
        (100_000, 1997, [(8, 250)]),  # cannot be divided
        (1_000, 1024, [(8, 128)]),  # never fewer
        (100_000, 1 << 20, [(4096, 256)]),
        (6_000_000, 65_536, [(256, 256), (4, 256)]),  # in stages
    ],
)
def test_a_line_is_asked_about_in_no_more_cells_than_can_be_told_apart(
    users: int, bins: int, cells: list[tuple[int, int]]
) -> None:
    decomposition = _plan(ldp.Domain.integers(0, bins - 1), users, "denoised", 0.2).decomposition
    assert isinstance(decomposition, ldp.Windows)
    assert decomposition.stages is not None
    assert [(size, block) for size, block, _ in decomposition.stages] == cells


@pytest.mark.parametrize(
    "domain", [AGES, ldp.Domain.integers(0, 511), ldp.Domain.integers(0, 9_998, no_answer=True)]
)
def test_bins_that_can_be_told_apart_or_lie_apart_are_asked_about(domain: ldp.Domain) -> None:
    assert _plan(domain, 100_000, "denoised", 0.2).levels[-1].size == 1


def test_answers_say_what_the_plan_does_not_tell_apart() -> None:
    line = ldp.Domain.integers(0, 1023)
    plan = ldp.Plan.from_json(_plan(line, 30_000, "denoised", 0.2).to_json())
    found = ldp.estimate(ldp.simulate(plan, line.count(np.full(30_000, 517)), seed=1), denoise=True)
    assert "a cell of 8 bins that the reports do not tell apart" in found.range(515, 530).note
    whole, part = found.range(512, 519), found.range(512, 516)
    assert not whole.note
    assert (
        0.6 * whole.value < part.value < 0.7 * whole.value
    )  # nobody is beside them, so few are near its ends
    assert part.low == pytest.approx(0.0)
    assert part.high == pytest.approx(whole.high)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["cauchy", "bimodal", "step", "spiky"])
def test_where_little_is_known_fewer_cells_leave_less_error(population: str) -> None:
    """Of 8 surveys each: about half, which is off by a third of that; none less once in 300 times."""
    users, bins = 30_000, 4096
    line, counts = ldp.Domain.integers(0, bins - 1), people_of(population, bins, users)
    truth = np.append(0.0, np.cumsum(counts) / users)
    errors = []
    for plan in (_plan(line, users, answers, 0.2) for answers in ("unbiased", "denoised")):
        surveys = [ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=True) for seed in range(8)]
        off = [np.append(0.0, found.cdf(confidence=None).value) - truth for found in surveys]
        errors.append(np.square(off).mean())
    assert errors[1] < errors[0]


def test_several_attributes_are_asked_about_on_coarse_grids_unless_much_is_known() -> None:
    plan = _plan(TWO, 1_000_000, "denoised")
    assert [level.cells for level in plan.levels] == [64, 16, 4, 64, 16, 4, 4, 16, 64, 256, 1024]
    assert set(plan.probabilities) == {1 / 11}
    assert [level.cells for level in _plan(TWO, 50_000, "denoised").levels][6:] == [4, 16, 64, 256]
    assert [level.cells for level in _plan(TWO, 1_000, "denoised").levels][6:] == [4, 16, 64]
    assert _plan(TWO, 1e9, "denoised") == _plan(TWO, 1e9, "unbiased")


@pytest.mark.parametrize("attributes", [2, 3, 4])
@pytest.mark.parametrize("users", [1e3, 1e5])
def test_few_bins_are_asked_about_as_unbiased_answers_want_it(attributes: int, users: float) -> None:
    few, more = (
        ldp.Domain.product(**{name: ldp.Domain.integers(1, bins) for name in "abcd"[:attributes]})
        for bins in (8, 9)
    )
    assert _plan(few, users, "denoised") == _plan(few, users, "unbiased")
    assert _plan(more, users, "denoised") != _plan(more, users, "unbiased")


@pytest.mark.slow
def test_two_questions_of_three_answers_are_best_asked_about_so() -> None:
    """Ten thousand people, denoised, six kinds of populations: the coarse plan has more error in the mean."""
    two = ldp.Domain.product(a=ldp.Domain.integers(1, 3), b=ldp.Domain.integers(1, 3))
    grids = ldp.Grids.coarse(two)
    alone = np.count_nonzero(grids.depths, axis=1) == 1
    coarse = ldp.Plan(
        two, 1.0, grids, ldp.GRR(), np.where(alone, 0.65 / alone.sum(), 0.35 / (~alone).sum()).tolist()
    )
    chosen = _plan(two, 1e4, "denoised")
    greatest = [ldp.predict_denoised(plan, 1e4).range_rmse[1] for plan in (chosen, coarse)]
    assert greatest[0] < greatest[1]


@pytest.mark.parametrize(
    ("users", "bins", "plenty"), [(6e6, 64, False), (8e6, 64, True), (8e6, 256, False), (3e6, 16, True)]
)
def test_how_much_is_plenty_of_two_attributes_goes_with_their_bins(
    users: float, bins: int, plenty: bool
) -> None:
    two = ldp.Domain.product(a=ldp.Domain.integers(1, bins), b=ldp.Domain.integers(1, bins))
    assert (_plan(two, users, "denoised") == _plan(two, users, "unbiased")) == plenty


def test_where_drawing_people_adds_more_noise_than_privacy_there_is_plenty_of_few_people() -> None:
    """The share of one of 64 even bins has a variance of 1/64 a person; privacy's is 0.011 at ε = 5.9."""
    assert _plan(TWO, 100, "denoised", 5.9) == _plan(TWO, 100, "unbiased", 5.9)
    assert _plan(TWO, 100, "denoised", 5.4) != _plan(TWO, 100, "unbiased", 5.4)


def test_with_plenty_the_grids_of_three_attributes_are_asked_as_unbiased_answers_want() -> None:
    three = ldp.Domain.product(**{name: ldp.Domain.integers(0, 63) for name in "abc"})
    plan = _plan(three, 1e9, "denoised")
    assert [level.cells for level in plan.levels][9::3] == [4, 16, 64, 256, 1024, 4096]
    best = ldp.optimise_plan(three, epsilon=1.0, decomposition=plan.decomposition)
    assert plan == best
    assert [level.cells for level in _plan(three, 10, "denoised", 6.0).levels][9::3] == [4, 16, 64, 256, 1024]
    assert plan != ldp.Plan(three, 1.0, plan.decomposition, plan.oracles)


def test_where_little_is_known_most_people_are_asked_about_one_attribute() -> None:
    five = ldp.Domain.product(**{name: ldp.Domain.integers(0, 63) for name in "abcde"})
    plan = _plan(five, 100_000, "denoised")
    assert isinstance(plan.decomposition, ldp.Grids)
    alone = np.count_nonzero(plan.decomposition.depths, axis=1) == 1
    assert alone.sum() == 15
    assert alone.size == 45
    np.testing.assert_allclose(np.array(plan.probabilities)[alone].sum(), 0.65, atol=2e-3)


@pytest.mark.parametrize(("users", "cells"), [(1_000, [8, 4, 2]), (9_000, [16, 8, 4, 2])])
def test_where_hardly_anything_is_known_even_one_attribute_is_asked_about_coarsely(
    users: int, cells: list[int]
) -> None:
    plan = _plan(TWO, users, "denoised")
    assert [level.cells for level in plan.levels][: 2 * len(cells)] == 2 * cells
    np.testing.assert_allclose(sum(plan.probabilities[: 2 * len(cells)]), 0.85, atol=2e-3)
    people = {"age": [20, 40] * (users // 2), "income": [10, 50] * (users // 2)}
    found = ldp.estimate(ldp.simulate_values(plan, people, seed=1), denoise=True)
    answer = found.range(age=(10, 30))
    assert f"a cell of {64 // cells[0]} bins that the reports do not tell apart" in answer.note


def test_bins_that_lie_apart_are_always_asked_about() -> None:
    """Or nobody could tell who declined to answer."""
    optional = ldp.Domain.integers(0, 62, no_answer=True)
    plan = _plan(ldp.Domain.product(age=optional, income=ldp.Domain.integers(0, 63)), 1_000, "denoised")
    assert [level.cells for level in plan.levels][:6] == [64, 16, 4, 8, 4, 2]


@pytest.mark.parametrize("attributes", [2, 3, 5, 12, 20])
def test_coarse_grids_ask_about_every_pair_in_at_most_255_levels(attributes: int) -> None:
    kinds = [
        ldp.Domain.integers(0, 99),
        ldp.Domain.categories(["a", "b", "c"]),
        ldp.Domain.integers(0, 2**20),
    ]
    domain = ldp.Domain.product(**{f"x{at}": kinds[at % 3] for at in range(attributes)})
    layout = ldp.Grids.coarse(domain).on(domain)
    assert len(layout.levels) <= 255
    assert len(layout.tables) == attributes * (attributes - 1) / 2
    assert all(any(row[a] and not any(np.delete(row, a)) for row in layout.depths) for a in range(attributes))


def test_a_domain_of_categories_has_nothing_coarser() -> None:
    kinds = ldp.Domain.categories(["bus", "car", "train"])
    assert _plan(kinds, 1000, "denoised") == _plan(kinds, 1000, "unbiased")


def test_answers_of_another_kind_are_refused() -> None:
    with pytest.raises(PlanError, match="answers must be 'unbiased' or 'denoised', got 'best'"):
        _plan(AGES, 1000, "best")


@pytest.mark.slow
def test_two_smooth_attributes_are_known_far_better_than_without() -> None:
    """Denoised, of a hundred thousand people: less than a third of the error of unbiased answers."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=100_000)
    y = 0.6 * x + 0.8 * rng.normal(size=100_000)
    values = np.clip(np.stack([x, y]) * 8 + 32, 0, 63).astype(np.int64)
    counts = np.bincount(values[0] * 64 + values[1], minlength=64**2).reshape(64, 64)
    below = np.zeros((65, 65))
    below[1:, 1:] = counts.cumsum(0).cumsum(1) / 100_000
    low, high = np.sort(rng.integers(0, 64, (2, 2, 300)), axis=0)
    truth = (
        below[high[0] + 1, high[1] + 1]
        - below[low[0], high[1] + 1]
        - below[high[0] + 1, low[1]]
        + below[low[0], low[1]]
    )
    errors = []
    for answers in ("unbiased", "denoised"):
        plan, total = _plan(TWO, 100_000, answers, 0.5), 0.0
        for seed in range(5):
            found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=answers == "denoised")
            shares = found.ranges(age=(low[0], high[0]), income=(low[1], high[1])).value
            total += float(((shares - truth) ** 2).mean())
        errors.append(total)
    assert errors[1] < errors[0] / 3
